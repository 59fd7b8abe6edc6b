//! What in a Code folder was written while the conversation was marked?
//!
//! Marks hold by where a file is, in whichever folder a conversation is open. What lies in git's own
//! folder is outside content, since nobody looks at it; and once anything was written while marked,
//! what git tells of the history is marked until the owner trusts it, since git forgets nothing.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use bot_policy::taint::Taint;

use super::super::ToolError;
use super::{CodeFolder, Ownership};

/// Where it is kept what was written in folders while a conversation was marked, until the owner
/// trusts it.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// All that is kept of what lies below `top`, and of a folder inside it with all folders above.
    ///
    /// # Errors
    /// When it cannot be read; nothing is read or written in the folder then.
    async fn marked(&self, folder: &Path, top: &Path) -> Result<Vec<Marked>, ToolError>;

    /// Keeps marks of files that were written, or are about to be.
    ///
    /// # Errors
    /// When they cannot be stored.
    async fn keep(&self, folder: &Path, marked: Vec<Marked>) -> Result<(), ToolError>;

    /// Forgets the marks of a file that holds nothing any more of what was there.
    ///
    /// # Errors
    /// When that cannot be stored.
    async fn forget(&self, folder: &Path, path: &str) -> Result<(), ToolError>;
}

/// One file that was written while a conversation was marked.
#[derive(Clone, Debug, PartialEq)]
pub struct Marked {
    /// Where, from the folder on; empty for the whole folder. One that lies elsewhere is named from
    /// the root of all files.
    pub path: String,
    /// What it held; whatever holds the same is marked alike.
    pub digest: String,
    /// Its marks.
    pub taint: Taint,
}

/// What is known of a folder.
pub(super) struct Known {
    ground: Taint,
    marked: Vec<Marked>,
    top: PathBuf,
}

/// Git's own folder. As the path of a mark, it stands for the history.
pub(super) const GIT: &str = ".git";

/// Whether a path leads through git's own folder.
pub(super) fn is_gits(path: &str) -> bool {
    let parts = path.split('/').rev().skip(1);
    parts.into_iter().any(|part| part.eq_ignore_ascii_case(GIT))
}

impl Known {
    pub(super) fn new(folder: &CodeFolder, top: PathBuf, marked: Vec<Marked>) -> Self {
        let ground = match folder.ownership {
            Ownership::Foreign => Taint::outside(format!("the folder {}", folder.path.display())),
            Ownership::Yours => Taint::default(),
        };
        Self {
            ground,
            marked,
            top,
        }
    }

    /// The marks of anything in the folder.
    pub(super) fn at_least(&self) -> Taint {
        self.ground.clone()
    }

    /// The marks of a file there that holds this.
    pub(super) fn of(&self, path: &str, digest: &str) -> Taint {
        self.at_least().join(&self.marked(path, digest))
    }

    /// The marks of what was written at this path, below it, or with this digest.
    pub(super) fn marked(&self, path: &str, digest: &str) -> Taint {
        let below = format!("{path}/");
        let fits = |marked: &&Marked| {
            marked.path.is_empty()
                || marked.path == path
                || marked.path.starts_with(&below)
                || (marked.digest == digest && !digest.is_empty())
        };
        let ground = match is_gits(path) {
            true => Taint::outside(OF_GIT),
            false => Taint::default(),
        };
        let marked = self.marked.iter().filter(fits);
        marked.fold(ground, |all, marked| all.join(&marked.taint))
    }

    /// The marks of all files in the folder together: what a command may have read that does not
    /// reach git's history.
    pub(super) fn of_files(&self) -> Taint {
        let marked = self.marked.iter().filter(|marked| !marked.is_history());
        marked.fold(self.at_least(), |all, marked| all.join(&marked.taint))
    }

    /// The marks of everything together, what git remembers among it.
    pub(super) fn of_all(&self) -> Taint {
        let marked = self.marked.iter();
        marked.fold(self.at_least(), |all, marked| all.join(&marked.taint))
    }

    /// The outermost folder whose history the folder is a part of.
    pub(super) fn top(&self) -> &Path {
        &self.top
    }
}

impl Marked {
    /// What stands for the history, which holds whatever was written with these marks.
    pub(super) fn history(taint: Taint) -> Self {
        Self {
            path: GIT.to_owned(),
            digest: String::new(),
            taint,
        }
    }

    fn is_history(&self) -> bool {
        self.path.rsplit('/').next() == Some(GIT)
    }
}

/// What is said of all that lies in git's own folder.
pub(super) const OF_GIT: &str = "git's own folder";
