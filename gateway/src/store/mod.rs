//! What survives a restart? Whole transactions, named after what they do.
//!
//! One thread writes and groups what is queued into one commit; `synchronous=FULL` makes each
//! commit durable before anybody is told of it. Reads go to a second connection, at once.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use adapters::{Contact, Encoded, Support};
use bot_policy::id::LineId;
use bot_policy::message::OutboundMessage;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use crate::writer::{WriteError, Writer, within_savepoint};

mod albums;
mod amend;
mod approvals;
mod asking;
mod audit;
mod backup;
mod buttons;
mod chat_tokens;
mod checkpoint;
mod choices;
mod claims;
mod code;
mod codes;
mod commands;
mod console;
mod conversations;
mod delivery;
mod detour;
mod events;
mod fetched;
mod giving_up;
mod heard;
mod inbox;
mod incognito;
mod leases;
mod links;
mod marks;
mod memories;
mod memory_cards;
mod moves;
mod offers;
mod outbox;
mod outgoing;
mod own;
mod pending;
mod people;
mod poison;
mod previews;
mod projects;
mod prune;
mod pulse;
mod questions;
mod quiet;
mod quotes;
mod received;
mod rows;
mod sessions;
mod stand;
mod thoughts;
mod together;
mod turns;
mod unpair;
mod verify;
mod window;
mod workers;
mod written;

pub use audit::AuditEntry;
pub use backup::backup;
pub use buttons::{Meaning, OfMemory, Pressed};
pub use chat_tokens::Made;
pub use choices::Choose;
pub use code::{terminal_place, terminal_user};
pub use console::ChatState;
pub use conversations::Loaded;
pub use delivery::HandOver;
pub use events::{Decided, Events};
pub use heard::Heard;
pub use inbox::Accepted;
pub use leases::Lease;
pub use moves::Followed;
pub use outbox::{Company, Handed, Letter, Outcome, Repeat};
pub use own::OwnChat;
pub use pending::Pending;
pub use people::Claimed;
pub use poison::Attempt;
pub use previews::{Preview, Standing};
pub use projects::{Offer, Trusted};
pub use prune::Walk;
pub use questions::Closing;
pub use received::Wanted;
pub use rows::PlaceId;
pub use sessions::ScreenLine;
pub use stand::Stood;
pub use turns::{Finish, Speak};
pub use verify::{Verified, verify_audit};

/// What is asked of the lines while something is stored; pure.
pub trait Faces: Send + Sync {
    /// Renders a message for a line.
    fn encode(&self, line: &LineId, message: &OutboundMessage) -> Vec<Encoded>;

    /// What a part says, as plain text.
    fn plain(&self, line: &LineId, part: &Encoded) -> Option<String>;

    /// Whether what a line has sent can be changed.
    fn edits(&self, line: &LineId) -> Support;

    /// Whom a line may write to, and when.
    fn contact(&self, line: &LineId) -> Contact;
}

/// The database of one data folder.
#[derive(Clone)]
pub struct Store {
    writer: Writer,
    reader: Arc<Mutex<Connection>>,
    faces: Arc<dyn Faces>,
}

/// The database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite says no: disk full, an unreadable file.
    #[error("the database in the data folder does not answer: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// What was to be written was heard under a lease that another holds by now.
    #[error("this account is heard by another line meanwhile")]
    LeaseLost,
    /// The database was made by a newer program.
    #[error(
        "the database was made by a newer Postern (step {0}); start that version, or restore a backup"
    )]
    Newer(i64),
    /// A step that was applied is not the one that this program knows.
    #[error("step {0} of the database is not the one that this program knows; restore a backup")]
    Altered(i64),
    /// The system gives no random bytes.
    #[error(transparent)]
    Chance(#[from] crate::chance::NoRandomness),
    /// A transaction was not carried out.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A row does not read back.
    #[error("a row of the database does not read back: {0}")]
    Row(#[from] serde_json::Error),
}

/// Whose fault is it that a transaction failed?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The disk is full or broken, or the like: what is tried again later may work as it is.
    Machine,
    /// What was to be done itself: it will fail again.
    Work,
}

impl StoreError {
    /// Whose fault it is.
    pub fn blame(&self) -> Blame {
        match self {
            Self::Sqlite(error) | Self::Write(WriteError::Sqlite(error)) => blame(error),
            Self::Write(WriteError::NotCommitted(_) | WriteError::Stopped)
            | Self::Chance(_)
            | Self::Altered(_)
            | Self::Newer(_) => Blame::Machine,
            Self::LeaseLost | Self::Write(WriteError::Crashed(_)) | Self::Row(_) => Blame::Work,
        }
    }

    /// What went wrong, without anything of what it went wrong with.
    pub fn outline(&self) -> String {
        match self {
            // Its text may repeat what stands in the row.
            Self::Row(_) => "a row of the database does not read back".to_owned(),
            Self::Sqlite(error) | Self::Write(WriteError::Sqlite(error)) => error.to_string(),
            Self::Altered(_)
            | Self::Chance(_)
            | Self::LeaseLost
            | Self::Newer(_)
            | Self::Write(
                WriteError::Crashed(_) | WriteError::NotCommitted(_) | WriteError::Stopped,
            ) => self.to_string(),
        }
    }
}

fn blame(error: &rusqlite::Error) -> Blame {
    match error.sqlite_error_code() {
        Some(
            ErrorCode::CannotOpen
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseCorrupt
            | ErrorCode::DatabaseLocked
            | ErrorCode::DiskFull
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::NoLargeFileSupport
            | ErrorCode::NotADatabase
            | ErrorCode::OperationAborted
            | ErrorCode::OperationInterrupted
            | ErrorCode::OutOfMemory
            | ErrorCode::PermissionDenied
            | ErrorCode::ReadOnly
            | ErrorCode::SystemIoFailure,
        ) => Blame::Machine,
        Some(_) | None => Blame::Work,
    }
}

const STEPS: &[(i64, &str)] = &[
    (1, include_str!("migrations/0001_door.sql")),
    (2, include_str!("migrations/0002_turn.sql")),
    (3, include_str!("migrations/0003_files.sql")),
    (4, include_str!("migrations/0004_nothing_lost.sql")),
    (7, include_str!("migrations/0007_judge.sql")),
    (8, include_str!("migrations/0008_thought.sql")),
    (9, include_str!("migrations/0009_albums.sql")),
    (10, include_str!("migrations/0010_code.sql")),
    (11, include_str!("migrations/0011_window.sql")),
    (12, include_str!("migrations/0012_amend.sql")),
    (13, include_str!("migrations/0013_tokens.sql")),
    (14, include_str!("migrations/0014_previews.sql")),
    (15, include_str!("migrations/0015_scripts.sql")),
    (16, include_str!("migrations/0016_numbers.sql")),
];

impl Store {
    /// Opens or makes the database.
    ///
    /// # Errors
    /// When the file cannot be opened, was made by a newer program or was altered.
    pub fn open(path: &Path, faces: Arc<dyn Faces>) -> Result<Self, StoreError> {
        let writer = connect(path)?;
        migrate(&writer)?;
        let reader = connect(path)?;
        writer.execute_batch("PRAGMA wal_autocheckpoint = 0")?;
        let committed = checkpoint::start(connect(path)?)?;
        Ok(Self {
            writer: Writer::start(writer, committed)?,
            reader: Arc::new(Mutex::new(reader)),
            faces,
        })
    }

    pub(crate) fn encode(&self, line: &LineId, message: &OutboundMessage) -> Vec<Encoded> {
        self.faces.encode(line, message)
    }

    fn contact(&self, line: &LineId) -> Contact {
        self.faces.contact(line)
    }

    /// Writes everything into the database and empties its log. False when somebody reads.
    fn truncate_log(&self) -> Result<bool, StoreError> {
        let connection = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let busy: i64 =
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        Ok(busy == 0)
    }

    async fn write<T, F>(&self, job: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        self.writer.run(job).await
    }

    /// Reads one consistent state. A read is short, and handing it to a thread would cost more
    /// than it takes.
    async fn read<T, F>(&self, job: F) -> Result<T, StoreError>
    where
        F: FnOnce(&Connection) -> Result<T, StoreError>,
    {
        let connection = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        within_savepoint(&connection, job)
    }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA foreign_keys = ON;
         PRAGMA secure_delete = ON;
         PRAGMA cache_size = -1024;",
    )?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Opens the database of a data folder beside the program that may be running on it.
fn look(path: &Path) -> Result<Connection, StoreError> {
    use rusqlite::OpenFlags;
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    refuse_newer(&connection)?;
    Ok(connection)
}

fn migrate(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(
        "BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS step (number INTEGER PRIMARY KEY, checksum TEXT NOT NULL)",
    )?;
    match take_steps(connection) {
        Ok(()) => Ok(connection.execute_batch("COMMIT")?),
        Err(error) => {
            connection.execute_batch("ROLLBACK")?;
            Err(error)
        }
    }
}

fn refuse_newer(connection: &Connection) -> Result<(), StoreError> {
    let newest: Option<i64> =
        connection.query_row("SELECT max(number) FROM step", [], |row| row.get(0))?;
    match newest.filter(|newest| STEPS.iter().all(|(number, _)| number < newest)) {
        Some(newest) => Err(StoreError::Newer(newest)),
        None => Ok(()),
    }
}

fn take_steps(connection: &Connection) -> Result<(), StoreError> {
    refuse_newer(connection)?;
    for (number, sql) in STEPS {
        let checksum = crate::digest::hex(sql.as_bytes());
        let known: Option<String> = connection
            .query_row(
                "SELECT checksum FROM step WHERE number = ?1",
                [number],
                |row| row.get(0),
            )
            .optional()?;
        match known {
            Some(known) if known == checksum => {}
            Some(_) => return Err(StoreError::Altered(*number)),
            None => {
                connection.execute_batch(sql)?;
                connection.execute(
                    "INSERT INTO step VALUES (?1, ?2)",
                    params![number, checksum],
                )?;
            }
        }
    }
    Ok(())
}
