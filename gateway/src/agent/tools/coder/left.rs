//! What may a command not leave behind in the folder? The right to run as whoever owns a file, and
//! the word of a repository that its settings lie elsewhere.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, MetadataExt, Permissions, PermissionsExt, ReadDir};

/// How many files and folders are looked at.
const ENTRIES: usize = 500_000;
/// Run as the file's owner, or as its group.
const SET_ID: u32 = 0o6000;
const ALL: u32 = 0o777;

/// Clears it away, and goes on where some of it cannot be looked at.
pub(super) fn clear(dir: &Dir, unsaid: Option<&Path>) -> io::Result<()> {
    let mut all = Ok(());
    if let Some(unsaid) = unsaid
        && dir.symlink_metadata(unsaid).is_ok()
    {
        all = dir.remove_file(unsaid);
    }
    let (mut todo, mut seen) = (vec![PathBuf::from(".")], 0);
    while let Some(at) = todo.pop() {
        let entries = match opened(dir, &at) {
            Ok(entries) => entries,
            Err(why) => {
                all = all.and(harmless(Err(why)));
                continue;
            }
        };
        for entry in entries.flatten() {
            seen += 1;
            if seen > ENTRIES {
                return all.and(Err(io::Error::other("it holds too many files")));
            }
            // Of a link itself, not of what it leads to.
            let Ok(about) = entry.metadata() else {
                continue;
            };
            let path = at.join(entry.file_name());
            if about.is_dir() {
                todo.push(path);
            } else if about.is_file() && about.mode() & SET_ID != 0 {
                let plain = Permissions::from_mode(about.mode() & ALL);
                all = all.and(harmless(dir.set_permissions(&path, plain)));
            }
        }
    }
    all
}

/// What belongs to another user, no command has written; what is gone is gone.
fn harmless(done: io::Result<()>) -> io::Result<()> {
    use io::ErrorKind::{NotFound, PermissionDenied};
    done.or_else(|why| match why.kind() {
        NotFound | PermissionDenied => Ok(()),
        _ => Err(why),
    })
}

/// A folder that was shut against looking is opened.
fn opened(dir: &Dir, at: &Path) -> io::Result<ReadDir> {
    dir.read_dir(at).or_else(|_| {
        let mode = dir.symlink_metadata(at)?.mode() & ALL | 0o700;
        dir.set_permissions(at, Permissions::from_mode(mode))?;
        dir.read_dir(at)
    })
}
