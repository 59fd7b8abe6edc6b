//! What survives a restart? Whole transactions, named after what they do.
//!
//! One thread writes and groups what is queued into one commit; `synchronous=FULL` makes each
//! commit durable before anybody is told of it. Reads go to a second connection, at once.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use adapters::Encoded;
use bot_policy::id::LineId;
use bot_policy::message::OutboundMessage;
use rusqlite::{Connection, OptionalExtension, params};
use tokio::sync::oneshot;

mod audit;
mod buttons;
mod claims;
mod codes;
mod commands;
mod console;
mod conversations;
mod delivery;
mod inbox;
mod marks;
mod memories;
mod outbox;
mod people;
mod questions;
mod rows;
mod sessions;
mod turns;

pub use audit::AuditEntry;
pub use buttons::{Meaning, Pressed};
pub use conversations::Loaded;
pub use delivery::HandOver;
pub use inbox::{Accepted, Pending};
pub use outbox::{Handed, Letter, Outcome, Repeat};
pub use people::Claimed;
pub use questions::Closing;
pub use sessions::ScreenLine;
pub use turns::Speak;

/// Renders a message for a line; pure.
pub type Encoder = dyn Fn(&LineId, &OutboundMessage) -> Vec<Encoded> + Send + Sync;

/// The database of one data folder.
#[derive(Clone)]
pub struct Store {
    writer: mpsc::Sender<Job>,
    reader: Arc<Mutex<Connection>>,
    encode: Arc<Encoder>,
}

/// The database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite says no: disk full, an unreadable file.
    #[error("the database in the data folder does not answer: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The transaction could not begin or be made durable; nothing of it stands.
    #[error("the database in the data folder could not be written: {0}")]
    NotCommitted(Arc<rusqlite::Error>),
    /// The database was made by a newer program.
    #[error(
        "the database was made by a newer Postern (step {0}); start that version, or restore a backup"
    )]
    Newer(i64),
    /// A step that was applied is not the one that this program knows.
    #[error("step {0} of the database is not the one that this program knows; restore a backup")]
    Altered(i64),
    /// The writing thread is gone.
    #[error("the store has stopped")]
    Stopped,
    /// A row does not read back.
    #[error("a row of the database does not read back: {0}")]
    Row(#[from] serde_json::Error),
}

type Done = Box<dyn FnOnce(Result<(), Arc<rusqlite::Error>>) + Send>;
/// Runs within the connection's transaction, or is told why there is none.
type Job = Box<dyn FnOnce(Result<&Connection, Arc<rusqlite::Error>>) -> Done + Send>;

/// How many transactions one commit takes at most.
const GROUP: usize = 64;

const STEPS: &[(i64, &str)] = &[(1, include_str!("migrations/0001_door.sql"))];

impl Store {
    /// Opens or makes the database.
    ///
    /// # Errors
    /// When the file cannot be opened, was made by a newer program or was altered.
    pub fn open(path: &Path, encode: Arc<Encoder>) -> Result<Self, StoreError> {
        let writer = connect(path)?;
        migrate(&writer)?;
        let reader = connect(path)?;
        Ok(Self {
            writer: work(writer)?,
            reader: Arc::new(Mutex::new(reader)),
            encode,
        })
    }

    pub(crate) fn encode(&self, line: &LineId, message: &OutboundMessage) -> Vec<Encoded> {
        (self.encode)(line, message)
    }

    async fn write<T, F>(&self, job: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        run(&self.writer, job).await
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

async fn run<T, F>(thread: &mpsc::Sender<Job>, job: F) -> Result<T, StoreError>
where
    T: Send + 'static,
    F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
{
    let (tell, told) = oneshot::channel();
    let job: Job = Box::new(move |connection| {
        let result = match connection {
            Ok(connection) => within_savepoint(connection, job),
            Err(error) => Err(StoreError::NotCommitted(error)),
        };
        Box::new(move |committed| {
            let result = match committed {
                Ok(()) => result,
                Err(error) => Err(StoreError::NotCommitted(error)),
            };
            // Nobody waits any more when the caller was cancelled; the work is done all the same.
            let _ = tell.send(result);
        })
    });
    thread.send(job).map_err(|_| StoreError::Stopped)?;
    told.await.map_err(|_| StoreError::Stopped)?
}

fn within_savepoint<T>(
    connection: &Connection,
    job: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    connection.execute_batch("SAVEPOINT job")?;
    match job(connection) {
        Ok(value) => {
            connection.execute_batch("RELEASE job")?;
            Ok(value)
        }
        Err(error) => {
            connection.execute_batch("ROLLBACK TO job; RELEASE job")?;
            Err(error)
        }
    }
}

fn work(connection: Connection) -> Result<mpsc::Sender<Job>, StoreError> {
    let (send, jobs) = mpsc::channel::<Job>();
    std::thread::Builder::new()
        .name("store".to_owned())
        .stack_size(512 * 1024)
        .spawn(move || {
            while let Ok(first) = jobs.recv() {
                commit(
                    &connection,
                    std::iter::once(first).chain(jobs.try_iter().take(GROUP)),
                );
            }
        })
        .map_err(|_| StoreError::Stopped)?;
    Ok(send)
}

fn commit(connection: &Connection, group: impl Iterator<Item = Job>) {
    if let Err(error) = connection.execute_batch("BEGIN IMMEDIATE") {
        let error = Arc::new(error);
        group.for_each(|job| job(Err(error.clone()))(Err(error.clone())));
        return;
    }
    let waiting: Vec<Done> = group.map(|job| job(Ok(connection))).collect();
    let outcome = connection.execute_batch("COMMIT").map_err(Arc::new);
    if outcome.is_err() {
        // Leaves no half-open transaction behind for the next group; there may be none.
        let _ = connection.execute_batch("ROLLBACK");
    }
    for done in waiting {
        done(outcome.clone());
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

fn take_steps(connection: &Connection) -> Result<(), StoreError> {
    let newest: Option<i64> =
        connection.query_row("SELECT max(number) FROM step", [], |row| row.get(0))?;
    if let Some(newest) = newest.filter(|newest| STEPS.iter().all(|(number, _)| number < newest)) {
        return Err(StoreError::Newer(newest));
    }
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
