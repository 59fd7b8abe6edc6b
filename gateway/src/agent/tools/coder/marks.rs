//! What in a Code folder was written while the conversation was marked?

use std::path::Path;

use async_trait::async_trait;
use bot_policy::taint::Taint;

use super::super::ToolError;
use super::{CodeFolder, Ownership};

/// Where it is kept what was written in folders while a conversation was marked, until the owner
/// trusts it.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// All that is kept of a folder.
    ///
    /// # Errors
    /// When it cannot be read; nothing is read or written in the folder then.
    async fn marked(&self, folder: &Path) -> Result<Vec<Marked>, ToolError>;

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
    /// Where, from the folder on; empty for the whole folder.
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
}

impl Known {
    pub(super) fn new(folder: &CodeFolder, marked: Vec<Marked>) -> Self {
        let ground = match folder.ownership {
            Ownership::Foreign => Taint::outside(format!("the folder {}", folder.path.display())),
            Ownership::Yours => Taint::default(),
        };
        Self { ground, marked }
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
                || marked.digest == digest
        };
        let marked = self.marked.iter().filter(fits);
        marked.fold(Taint::default(), |all, marked| all.join(&marked.taint))
    }

    /// The marks of everything in the folder together: what a command may have read.
    pub(super) fn of_all(&self) -> Taint {
        let marked = self.marked.iter();
        marked.fold(self.at_least(), |all, marked| all.join(&marked.taint))
    }
}
