//! What is in the place's own workspace? Reads and writes that cannot leave it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use bot_policy::call::Call;
use bot_policy::decide::Permit;
use bot_policy::taint::{Labelled, Taint};
use bot_policy::tool::ToolSpec;
use cap_std::fs::Dir;

use super::{Deed, Tool, ToolError, Whose};
use crate::digest;

pub(super) mod arrival;
pub(super) mod document;
pub(super) mod inside;
pub(super) mod look;
pub(super) mod patch;
mod send;
mod spec;

pub use send::Screen;
pub(crate) use spec::{NAME, spec};

use inside::{FILE_LIMIT, Inside, load, load_up_to, store};
use look::{Whole, foreign};

/// The tool `files`.
pub struct Files {
    root: PathBuf,
    outgoing: PathBuf,
    marks: Arc<dyn Marks>,
    screen: Arc<dyn Screen>,
}

/// What is known of the files that were written here.
#[async_trait]
pub trait Marks: Send + Sync {
    /// The marks of a file with this digest; none when it was not written here like this.
    async fn of(&self, workspace: i64, path: &str, digest: &str) -> Option<Taint>;

    /// The marks of every file that was written here, whatever it holds by now.
    async fn all(&self, workspace: i64) -> BTreeMap<String, Taint>;

    /// Keeps the marks of a file that is about to stand there with this digest.
    ///
    /// # Errors
    /// When they cannot be stored; the file is not written then.
    async fn keep(
        &self,
        workspace: i64,
        path: &str,
        digest: &str,
        taint: &Taint,
    ) -> Result<(), ToolError>;
}

impl Files {
    /// Files in workspaces below `root`; copies of what is sent lie in `outgoing`.
    pub fn new(
        root: PathBuf,
        outgoing: PathBuf,
        marks: Arc<dyn Marks>,
        screen: Arc<dyn Screen>,
    ) -> Self {
        Self {
            root,
            outgoing,
            marks,
            screen,
        }
    }

    fn open(&self, workspace: i64) -> Result<Dir, ToolError> {
        inside::open(&self.root, workspace)
    }

    async fn mark_of(&self, path: &Inside, digest: &str, whose: &Whose) -> Taint {
        let known = self.marks.of(whose.workspace, &path.0, digest).await;
        known.unwrap_or_else(foreign)
    }

    async fn read(&self, path: &Inside, whose: &Whose) -> Result<Deed, ToolError> {
        let bytes = load_up_to(&self.open(whose.workspace)?, path, document::LARGEST)?;
        let digest = digest::hex(&bytes);
        let text = document::text(path, bytes).await?;
        let taint = self.mark_of(path, &digest, whose).await;
        let outcome = format!("read {path} ({})", bytes_of(text.len()));
        Ok(Deed {
            told: Labelled { value: text, taint },
            outcome,
            shown: String::new(),
        })
    }

    /// Puts a file there with its marks.
    async fn put(
        &self,
        dir: &Dir,
        path: &Inside,
        content: &str,
        taint: &Taint,
        whose: &Whose,
    ) -> Result<(), ToolError> {
        if content.len() > FILE_LIMIT {
            return Err(ToolError(format!(
                "a file may hold at most {FILE_LIMIT} bytes"
            )));
        }
        // Marks first: a crash in between leaves a file whose digest is unknown, which is outside.
        let digest = digest::hex(content.as_bytes());
        self.marks
            .keep(whose.workspace, &path.0, &digest, taint)
            .await?;
        store(dir, path, content.as_bytes())
    }

    async fn write(&self, path: &Inside, content: &str, whose: &Whose) -> Result<Deed, ToolError> {
        let dir = self.open(whose.workspace)?;
        self.put(&dir, path, content, &whose.taint, whose).await?;
        Ok(done(format!("wrote {path} ({})", bytes_of(content.len()))))
    }

    /// Replaces one passage. What stands around it keeps its marks.
    async fn patch(&self, path: &Inside, call: &Call, whose: &Whose) -> Result<Deed, ToolError> {
        let dir = self.open(whose.workspace)?;
        let before = text_of(path, load(&dir, path)?)?;
        let after = patch::patched(path, &before, call)?;
        let digest = digest::hex(before.as_bytes());
        let taint = self.mark_of(path, &digest, whose).await.join(&whose.taint);
        self.put(&dir, path, &after, &taint, whose).await?;
        Ok(done(format!("patched {path}")))
    }

    async fn tree(&self, call: &Call, whose: &Whose) -> Result<Deed, ToolError> {
        let dir = self.open(whose.workspace)?;
        let (found, whole) = look::walk(&dir, Inside::folder(call)?.as_ref())?;
        let known = self.marks.all(whose.workspace).await;
        // A name is somebody's words too: that of a folder is known by what was written below it.
        let taint = found.iter().fold(Taint::default(), |all, found| {
            let below = format!("{}/", found.path.0);
            let mut of_this = known
                .iter()
                .filter(|(path, _)| **path == found.path.0 || path.starts_with(&below))
                .map(|(_, taint)| taint.clone())
                .peekable();
            match of_this.peek() {
                Some(_) => of_this.fold(all, |all, taint| all.join(&taint)),
                None => all.join(&foreign()),
            }
        });
        let outcome = format!("found {} files and folders", found.len());
        let value = look::tree(&found, whole);
        Ok(Deed {
            told: Labelled { value, taint },
            outcome,
            shown: String::new(),
        })
    }

    async fn search(&self, call: &Call, whose: &Whose) -> Result<Deed, ToolError> {
        let pattern = look::pattern(call)?;
        let folder = Inside::folder(call)?;
        let dir = self.open(whose.workspace)?;
        // Reading many files is slow: nothing else waits for it.
        let looked = tokio::task::spawn_blocking(move || {
            let (found, whole) = look::walk(&dir, folder.as_ref())?;
            Ok(look::search(&dir, &found, &pattern, whole))
        });
        let (hits, whole) = looked
            .await
            .map_err(|_| ToolError("the search broke off".into()))??;
        let mut taint = Taint::default();
        let mut seen = BTreeSet::new();
        for hit in &hits {
            if seen.insert(&hit.path.0) {
                taint = taint.join(&self.mark_of(&hit.path, &hit.digest, whose).await);
            }
        }
        let mut lines: Vec<&str> = hits.iter().map(|hit| hit.line.as_str()).collect();
        if hits.is_empty() {
            lines.push("(no line holds that)");
        }
        if whole == Whole::No {
            lines.push("… there may be more: not everything was searched");
        }
        let outcome = format!("found {} lines", hits.len());
        let value = lines.join("\n");
        Ok(Deed {
            told: Labelled { value, taint },
            outcome,
            shown: String::new(),
        })
    }
}

#[async_trait]
impl Tool for Files {
    fn spec(&self) -> ToolSpec {
        spec()
    }

    async fn ground(&self, call: &Call, whose: &Whose) -> BTreeMap<String, String> {
        let Ok(path) = Inside::of(call) else {
            return BTreeMap::new();
        };
        if call.command == "send" {
            return self.ground_of_sending(path, whose.workspace).await;
        }
        let state = match self.open(whose.workspace).and_then(|dir| load(&dir, &path)) {
            Ok(bytes) => digest::hex(&bytes),
            Err(error) => error.0,
        };
        BTreeMap::from([(format!("file {path}"), state)])
    }

    async fn run(&self, permit: Permit, whose: &Whose) -> Result<Deed, ToolError> {
        let ground = permit.ground().clone();
        let call = permit.redeem();
        match call.command.as_str() {
            "patch" => self.patch(&Inside::of(&call)?, &call, whose).await,
            "read" => self.read(&Inside::of(&call)?, whose).await,
            "send" => self.send(Inside::of(&call)?, &call, &ground, whose).await,
            "search" => self.search(&call, whose).await,
            "tree" => self.tree(&call, whose).await,
            "write" => {
                let content = call
                    .text("content")
                    .ok_or_else(|| ToolError("content is missing".into()))?;
                self.write(&Inside::of(&call)?, content, whose).await
            }
            other => Err(ToolError(format!("files cannot {other}"))),
        }
    }
}

pub(super) fn text_of(path: &Inside, bytes: Vec<u8>) -> Result<String, ToolError> {
    String::from_utf8(bytes).map_err(|_| ToolError(format!("{path} is not text")))
}

fn done(outcome: String) -> Deed {
    let told = Labelled {
        value: outcome.clone(),
        taint: Taint::default(),
    };
    Deed {
        told,
        outcome,
        shown: String::new(),
    }
}

pub(super) fn bytes_of(count: usize) -> String {
    let word = if count == 1 { "byte" } else { "bytes" };
    format!("{count} {word}")
}
