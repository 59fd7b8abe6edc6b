//! When does what was written move from the log into the database? On a thread of its own, so that
//! nobody who waits for a commit waits for that too.

use std::sync::mpsc;

use rusqlite::Connection;

use crate::writer::WriteError;

/// After how many commits.
const EVERY: u32 = 64;

/// How many pages the log may hold before writing waits until it begins anew.
const MOST: i64 = 8_192;

/// Starts the thread. What is returned is to be called after each commit; the thread ends when it
/// is dropped.
///
/// # Errors
/// When the system gives no thread, or SQLite says no.
pub(super) fn start(connection: Connection) -> Result<impl FnMut() + Send, WriteError> {
    let (tell, told) = mpsc::sync_channel::<()>(1);
    std::thread::Builder::new()
        .name("checkpoint".to_owned())
        .stack_size(256 * 1024)
        .spawn(move || {
            while told.recv().is_ok() {
                checkpoint(&connection);
            }
        })
        .map_err(|_| WriteError::Stopped)?;
    let mut commits = 0_u32;
    Ok(move || {
        commits = commits.wrapping_add(1);
        if commits.is_multiple_of(EVERY) {
            // Told once is enough while it has not begun.
            let _ = tell.try_send(());
        }
    })
}

/// Moves what can be moved. What cannot be, for a full disk or a reader, is moved another time:
/// the log is as durable as the database.
fn checkpoint(connection: &Connection) {
    let moved = |how: &str| -> rusqlite::Result<i64> {
        connection.query_row(&format!("PRAGMA wal_checkpoint({how})"), [], |row| {
            row.get(1)
        })
    };
    let done = moved("PASSIVE").and_then(|pages| match pages > MOST {
        true => moved("RESTART").map(drop),
        false => Ok(()),
    });
    if let Err(error) = done {
        tracing::debug!(%error, "the log could not be moved into the database yet");
    }
}
