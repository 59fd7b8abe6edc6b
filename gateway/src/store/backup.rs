//! How is everything copied while the program runs? One consistent state, without what must stay
//! here and with nothing left to do in it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use bot_policy::access::Incognito;
use bot_policy::approval::State;
use bot_policy::id::Timestamp;
use rusqlite::{Connection, params};

use super::rows::json;
use super::{StoreError, look};
use crate::agent::Entry;

/// The copy could not be made; nothing of it is left.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// Something is there already.
    #[error("{} is there already; name a file that is not", .0.display())]
    Exists(PathBuf),
    /// The file's folder is not there.
    #[error("there is no folder {}; make it first, or name another file", .0.display())]
    NoFolder(PathBuf),
    /// A file cannot be written.
    #[error("cannot write {}: {why}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        why: io::Error,
    },
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A file that goes when this does.
struct Passing(PathBuf);

impl Drop for Passing {
    fn drop(&mut self) {
        // What stays behind is the owner's alone, and replaced by the next copy.
        let _ = fs::remove_file(&self.0);
    }
}

/// Copies the database of a data folder into a new file that nobody else can read.
///
/// Incognito conversations, browsers' sign-ins and pairing codes stay out of it. What was under
/// way is closed in the copy: brought back later, it would be done a second time.
///
/// # Errors
/// When the file is there already, or something cannot be read or written.
pub fn backup(data: &Path, to: &Path, now: Timestamp) -> Result<(), BackupError> {
    if fs::symlink_metadata(to).is_ok() {
        return Err(BackupError::Exists(to.to_owned()));
    }
    let folder = folder_of(to);
    if !folder.is_dir() {
        return Err(BackupError::NoFolder(folder.to_owned()));
    }
    let source = look(&data.join("postern.db"))?;
    // Made beside the original, so that what stays out of it never touches another disk.
    let draft = Passing(data.join("postern.db.copy"));
    let _ = fs::remove_file(&draft.0);
    let (_, wrong) = make(&draft.0)?;
    source
        .execute("VACUUM INTO ?1", [draft.0.to_string_lossy()])
        .map_err(StoreError::from)?;
    let copy = Connection::open(&draft.0).map_err(StoreError::from)?;
    settle(&copy, now)?;
    drop(copy);
    let (mut target, target_wrong) = make(to)?;
    let copied = File::open(&draft.0)
        .map_err(wrong)
        .and_then(|mut from| io::copy(&mut from, &mut target).map_err(&target_wrong))
        .and_then(|_| target.sync_all().map_err(&target_wrong))
        .and_then(|()| {
            let folder = File::open(folder).and_then(|folder| folder.sync_all());
            folder.map_err(&target_wrong)
        });
    if copied.is_err() {
        let _ = fs::remove_file(to);
    }
    copied
}

/// A new file of the owner's alone, and how its troubles are told.
fn make(file: &Path) -> Result<(File, impl Fn(io::Error) -> BackupError), BackupError> {
    let path = file.to_owned();
    let wrong = move |why: io::Error| match why.kind() {
        io::ErrorKind::AlreadyExists => BackupError::Exists(path.clone()),
        _ => BackupError::Io {
            file: path.clone(),
            why,
        },
    };
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .map_err(&wrong)?;
    Ok((made, wrong))
}

fn settle(copy: &Connection, now: Timestamp) -> Result<(), StoreError> {
    copy.execute_batch(
        "PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = OFF; PRAGMA secure_delete = ON; BEGIN",
    )?;
    copy.execute(
        "CREATE TEMP TABLE kept_nowhere AS SELECT id, place, since FROM conversation WHERE incognito = ?1",
        [json(&Incognito::On)?],
    )?;
    copy.execute_batch(
        "DELETE FROM outbox WHERE EXISTS (SELECT 1 FROM kept_nowhere AS hidden
             WHERE hidden.place = outbox.place AND outbox.at >= hidden.since);
         DELETE FROM outbox WHERE question IN
             (SELECT id FROM question WHERE conversation IN (SELECT id FROM kept_nowhere));",
    )?;
    for table in tables_of_conversations(copy)? {
        copy.execute_batch(&format!(
            "DELETE FROM {table} WHERE conversation IN (SELECT id FROM kept_nowhere)"
        ))?;
    }
    copy.execute_batch(
        "UPDATE place SET conversation = NULL WHERE conversation IN (SELECT id FROM kept_nowhere);
         DELETE FROM conversation WHERE id IN (SELECT id FROM kept_nowhere);
         DELETE FROM outbox WHERE target IS NOT NULL AND target NOT IN (SELECT id FROM outbox);
         DELETE FROM button; DELETE FROM session; DELETE FROM code; DELETE FROM lease;
         DELETE FROM album_part;
         UPDATE event SET body = NULL, untaken = 0 WHERE body IS NOT NULL;
         UPDATE outbox SET state = 'dropped' WHERE state IN ('queued', 'sending', 'held');
         UPDATE claim SET closed = 1;
         DROP TABLE kept_nowhere;",
    )?;
    for (from, to) in [
        (State::Asked, State::Withdrawn),
        (State::Approved, State::Withdrawn),
        (State::Started, State::Unknown),
    ] {
        copy.execute(
            "UPDATE question SET state = ?2, closed_at = ?3 WHERE state = ?1",
            params![json(&from)?, json(&to)?, now.0],
        )?;
    }
    copy.execute(
        "INSERT INTO entry (conversation, seq, at, body, open)
         SELECT conversation, max(seq) + 1, ?1, ?2, 0 FROM entry GROUP BY conversation",
        params![now.0, json(&Entry::Stopped)?],
    )?;
    copy.execute_batch("COMMIT; VACUUM")?;
    Ok(())
}

/// Every table whose rows belong to a conversation, now and after later steps.
fn tables_of_conversations(copy: &Connection) -> Result<Vec<String>, StoreError> {
    let mut found = copy.prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'place' AND EXISTS
         (SELECT 1 FROM pragma_table_info(sqlite_master.name) AS info WHERE info.name = 'conversation')",
    )?;
    Ok(found
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?)
}

/// The folder of a file, whose list of names must be durable too.
fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}
