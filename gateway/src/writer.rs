//! Who writes to the database? One thread, which groups what is queued into one commit.
//!
//! ```text
//!  run(job) --> queue --> BEGIN  [SAVEPOINT job RELEASE]...  COMMIT --> each caller is told
//!                                 a job that fails or panics is rolled back, alone
//! ```

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};

use rusqlite::Connection;
use tokio::sync::oneshot;

/// A transaction was not carried out; nothing of it stands.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// It panicked. The text names the place in the program, and nothing of what it worked on.
    #[error("it crashed at {0}")]
    Crashed(String),
    /// It could not begin, or could not be made durable.
    #[error("the database in the data folder could not be written: {0}")]
    NotCommitted(Arc<rusqlite::Error>),
    /// SQLite says no.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// The thread is gone.
    #[error("the store has stopped")]
    Stopped,
}

type Done = Box<dyn FnOnce(Result<(), Arc<rusqlite::Error>>) + Send>;
/// Runs within the connection's transaction, or is told why there is none.
type Job = Box<dyn FnOnce(Result<&Connection, Arc<rusqlite::Error>>) -> Done + Send>;

/// How many transactions one commit takes at most.
const GROUP: usize = 64;

/// The writing thread of one database. It ends when the last of these is dropped.
#[derive(Clone, Debug)]
pub struct Writer(mpsc::Sender<Job>);

impl Writer {
    /// Starts the thread. `committed` is called after each commit, when everybody was told.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        connection: Connection,
        mut committed: impl FnMut() + Send + 'static,
    ) -> Result<Self, WriteError> {
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
                    committed();
                }
            })
            .map_err(|_| WriteError::Stopped)?;
        Ok(Self(send))
    }

    /// Runs one transaction, and returns once it is durable.
    ///
    /// # Errors
    /// When it failed, crashed or could not be made durable; then nothing of it stands.
    pub async fn run<T, E, F>(&self, job: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<WriteError> + Send + 'static,
        F: FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let result = match connection {
                Ok(connection) => within_savepoint(connection, job),
                Err(error) => Err(WriteError::NotCommitted(error).into()),
            };
            Box::new(move |committed| {
                let result = match committed {
                    Ok(()) => result,
                    Err(error) => Err(WriteError::NotCommitted(error).into()),
                };
                // Nobody waits any more when the caller was cancelled; the work is done all the same.
                let _ = tell.send(result);
            })
        });
        self.0.send(job).map_err(|_| WriteError::Stopped)?;
        told.await.map_err(|_| WriteError::Stopped)?
    }
}

/// Runs something that is undone, alone, when it fails or panics.
///
/// # Errors
/// Its own, and `Crashed` when it panicked.
pub fn within_savepoint<T, E: From<WriteError>>(
    connection: &Connection,
    job: impl FnOnce(&Connection) -> Result<T, E>,
) -> Result<T, E> {
    let sqlite = |error| E::from(WriteError::Sqlite(error));
    connection.execute_batch("SAVEPOINT job").map_err(sqlite)?;
    // What it leaves half done lies in the database alone, and is rolled back.
    let done = catch_unwind(AssertUnwindSafe(|| job(connection)))
        .unwrap_or_else(|panic| Err(WriteError::Crashed(place_of(panic.as_ref())).into()));
    let end = match done {
        Ok(_) => "RELEASE job",
        Err(_) => "ROLLBACK TO job; RELEASE job",
    };
    // A transaction that SQLite itself rolled back has no savepoint left to end.
    if connection.is_autocommit() {
        return done;
    }
    match (done, connection.execute_batch(end)) {
        (Ok(value), Ok(())) => Ok(value),
        (Ok(_), Err(error)) => Err(sqlite(error)),
        (Err(error), _) => Err(error),
    }
}

thread_local! {
    static PANICKED_AT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Notes where in the program a panic was; to be called by the panic hook.
pub fn note_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let at = panic
        .location()
        .map(|at| format!("{}:{}", at.file(), at.line()));
    PANICKED_AT.with(|noted| *noted.borrow_mut() = at);
}

/// Where the panic was that was just caught on this thread. Never its message, which may hold
/// what somebody wrote.
pub(crate) fn place_of(_caught: &(dyn Any + Send)) -> String {
    PANICKED_AT
        .with(|noted| noted.borrow_mut().take())
        .unwrap_or_else(|| "an unknown place".to_owned())
}

fn rolled_back() -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ABORT);
    rusqlite::Error::SqliteFailure(
        code,
        Some("it went down with another transaction".to_owned()),
    )
}

fn commit(connection: &Connection, group: impl Iterator<Item = Job>) {
    if let Err(error) = connection.execute_batch("BEGIN IMMEDIATE") {
        let error = Arc::new(error);
        group.for_each(|job| job(Err(error.clone()))(Err(error.clone())));
        return;
    }
    let mut waiting: Vec<Done> = Vec::new();
    for job in group {
        // A full disk or a failed read may end the whole transaction; what follows has none.
        let open = match connection.is_autocommit() {
            false => Ok(connection),
            true => Err(Arc::new(rolled_back())),
        };
        waiting.push(job(open));
    }
    let outcome = connection.execute_batch("COMMIT").map_err(Arc::new);
    if outcome.is_err() && !connection.is_autocommit() {
        // Leaves no half-open transaction behind for the next group.
        let _ = connection.execute_batch("ROLLBACK");
    }
    for done in waiting {
        done(outcome.clone());
    }
}
