//! What did a command write? The folder is looked at before it and after.

use std::collections::BTreeMap;
use std::io::Read;

use cap_std::fs::{Dir, MetadataExt};
use sha2::{Digest, Sha256};

/// How many files are looked at; beyond that the whole folder counts as written.
const FILES: usize = 50_000;

/// A folder at one moment: what is seen of each file without reading it.
pub(super) struct Seen {
    files: BTreeMap<String, (i64, i64, u64, u64)>,
    /// What the changed ones hold, read when it is asked for.
    dir: Option<Dir>,
    whole: bool,
}

/// Looks at everything but git's own folder.
pub(super) fn look(dir: &Dir) -> Seen {
    let mut seen = Seen {
        files: BTreeMap::new(),
        dir: dir.try_clone().ok(),
        whole: true,
    };
    let mut todo = vec![String::new()];
    while let Some(at) = todo.pop() {
        let here = if at.is_empty() { "." } else { at.as_str() };
        let Ok(entries) = dir.read_dir(here) else {
            seen.whole = false;
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = match at.is_empty() {
                true => name.clone(),
                false => format!("{at}/{name}"),
            };
            let Ok(about) = entry.metadata() else {
                continue;
            };
            if about.is_dir() {
                if name != ".git" {
                    todo.push(path);
                }
            } else if seen.files.len() >= FILES {
                seen.whole = false;
                return seen;
            } else {
                let when = (about.ctime(), about.ctime_nsec(), about.size(), about.ino());
                seen.files.insert(path, when);
            }
        }
    }
    seen
}

/// The files that were written in between, with what they hold; the whole folder, named by an
/// empty path, where not everything could be looked at.
pub(super) fn changed(before: &Seen, after: &Seen) -> Vec<(String, String)> {
    if !before.whole || !after.whole {
        return vec![(String::new(), String::new())];
    }
    let new = after
        .files
        .iter()
        .filter(|(path, when)| before.files.get(*path) != Some(*when));
    new.map(|(path, _)| (path.clone(), digest(after.dir.as_ref(), path)))
        .collect()
}

fn digest(dir: Option<&Dir>, path: &str) -> String {
    let mut digest = Sha256::new();
    let Some(mut file) = dir.and_then(|dir| dir.open(path).ok()) else {
        return String::new();
    };
    if !file.metadata().is_ok_and(|about| about.is_file()) {
        return String::new();
    }
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count) = file.read(&mut buffer) {
        if count == 0 {
            break;
        }
        digest.update(buffer.get(..count).unwrap_or_default());
    }
    let digest = digest.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
