//! What of a folder may a command not write, though the folder is its own? What git, run later outside the
//! cage, would take programs from.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// One place in the folder, and how it is mounted over itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wall {
    /// It is written, but cannot be moved away for another.
    Kept(PathBuf),
    /// It is only read.
    ReadOnly(PathBuf),
}

impl Wall {
    /// What bubblewrap is told.
    pub(super) fn words(self) -> [OsString; 3] {
        let (how, at) = match self {
            Self::Kept(at) => ("--bind", at),
            Self::ReadOnly(at) => ("--ro-bind", at),
        };
        [how.into(), at.clone().into(), at.into()]
    }
}

/// The walls around what git reads of the folder's repository: objects, branches and the index stay
/// free. A link cannot be walled in, so where one stands for a part of it, more is only read.
pub(super) fn of_git(folder: &Path) -> Vec<Wall> {
    let at = folder.join(".git");
    let Ok(about) = at.symlink_metadata() else {
        // The folder may itself be a repository without a working tree.
        return match is_repository(folder) {
            true => of_repository(folder),
            false => Vec::new(),
        };
    };
    if about.is_dir() {
        return of_repository(&at);
    }
    if about.is_symlink() {
        return vec![Wall::ReadOnly(folder.to_owned())];
    }
    // It names where the repository is. Outside the folder nothing is written anyway.
    let named = fs::read_to_string(&at).ok().and_then(|text| {
        let named = folder.join(text.strip_prefix("gitdir:")?.trim());
        Some(named.canonicalize().unwrap_or(named))
    });
    match named.is_some_and(|named| named.starts_with(folder)) {
        true => vec![Wall::ReadOnly(folder.to_owned())],
        false => vec![Wall::ReadOnly(at)],
    }
}

fn of_repository(at: &Path) -> Vec<Wall> {
    let all = FILES.iter().chain(&FOLDERS).map(|name| at.join(name));
    let is_odd = all
        .clone()
        .chain([at.join("info")])
        .any(|path| path.is_symlink());
    // Only a linked working tree has one, and its `.git` is no folder.
    if is_odd || at.join(COMMON).symlink_metadata().is_ok() {
        return vec![Wall::ReadOnly(at.to_owned())];
    }
    if let Err(why) = complete(at) {
        tracing::warn!(%why, "a repository is only read by commands");
        return vec![Wall::ReadOnly(at.to_owned())];
    }
    [Wall::Kept(at.to_owned())]
        .into_iter()
        .chain(all.map(Wall::ReadOnly))
        .collect()
}

/// What does not exist begins to, empty: a wall needs a place to stand.
fn complete(at: &Path) -> io::Result<()> {
    for folder in FOLDERS.iter().chain(&["info"]) {
        fs::create_dir_all(at.join(folder))?;
    }
    for file in FILES.map(|name| at.join(name)) {
        if !file.exists() {
            fs::File::create_new(file)?;
        }
    }
    Ok(())
}

/// Where a command could say that the settings of the folder's repository lie elsewhere: git's own
/// folder stays free, so this is taken away once the command has ended.
pub(super) fn unsaid(folder: &Path) -> Option<PathBuf> {
    let at = folder.join(".git");
    let is_folder = at.symlink_metadata().is_ok_and(|about| about.is_dir());
    let common = match (is_folder, is_repository(folder)) {
        (true, _) => Path::new(".git").join(COMMON),
        (false, true) => PathBuf::from(COMMON),
        (false, false) => return None,
    };
    let is_there = folder.join(&common).symlink_metadata().is_ok();
    (!is_there).then_some(common)
}

fn is_repository(at: &Path) -> bool {
    ["HEAD", "objects", "refs"]
        .iter()
        .all(|name| at.join(name).exists())
}

/// The file by which a repository says that its settings lie elsewhere.
const COMMON: &str = "commondir";
const FILES: [&str; 3] = ["config", "config.worktree", "info/attributes"];
const FOLDERS: [&str; 2] = ["hooks", "modules"];
