//! What stands in the folder of a Code conversation, and what do its programs say? The files of
//! [`files`](super::files) in a folder of the owner's, git, and commands in a cage.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use bot_policy::call::Call;
use bot_policy::decide::Permit;
use bot_policy::taint::{Labelled, Taint};
use bot_policy::tool::ToolSpec;
use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::files::inside::{FILE_LIMIT, Inside, load, load_up_to, store};
use super::files::look::{self, Whole};
use super::files::{bytes_of, document, patch, text_of};
use super::{Deed, Tool, ToolError, Whose};
use crate::digest;

mod arrival;
mod cage;
mod diff;
mod exec;
mod files_seen;
mod git;
mod left;
mod marks;
mod shown;
mod spec;
mod walls;

pub(super) use arrival::INBOX;
pub(crate) use arrival::receive;
pub use cage::{Cage, Network};
pub use marks::{Ledger, Marked};
pub(crate) use spec::{NAME, spec, without_commands};

use marks::Known;

/// The folder of a Code conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeFolder {
    /// Where it is, links resolved.
    pub path: PathBuf,
    /// Whose work is in it.
    pub ownership: Ownership,
    /// Whether its commands run without a cage, because the owner accepted that.
    pub unconfined: Unconfined,
}

/// Whose work is in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// Somebody else's, or nobody said: whatever is read there is outside content.
    Foreign,
    /// The owner's, so they said.
    Yours,
}

/// Whether commands may run without a cage where none can be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unconfined {
    /// The owner accepted it by hand.
    Accepted,
    /// They do not run.
    No,
}

/// The tool `coder`.
pub struct Coder {
    ledger: Arc<dyn Ledger>,
    cage: Arc<Cage>,
}

/// One call at work: where, and what is known of the files there.
struct Work<'a> {
    folder: &'a CodeFolder,
    whose: &'a Whose,
    dir: Dir,
    known: Known,
}

impl Coder {
    /// Works in the folders of Code conversations; commands run in the cage.
    pub fn new(ledger: Arc<dyn Ledger>, cage: Arc<Cage>) -> Self {
        Self { ledger, cage }
    }

    async fn begin<'a>(&self, whose: &'a Whose) -> Result<Work<'a>, ToolError> {
        let folder = whose.folder.as_ref().ok_or_else(|| {
            ToolError("this is no Code conversation; open one with: postern code".into())
        })?;
        let top = self.cage.top(&folder.path);
        let marked = self.ledger.marked(&folder.path, &top).await?;
        let known = Known::new(folder, top, marked);
        Ok(Work {
            dir: open(&folder.path)?,
            folder,
            whose,
            known,
        })
    }

    async fn read(&self, work: &Work<'_>, call: &Call) -> Result<Deed, ToolError> {
        let path = Inside::of(call)?;
        let bytes = load_up_to(&work.dir, &path, document::LARGEST)?;
        let mut taint = work.known.of(&path.0, &digest::hex(&bytes));
        if leads_to_git(&work.dir, &path.0) {
            taint = taint.join(&Taint::outside(marks::OF_GIT));
        }
        let text = document::text(&path, bytes).await?;
        let (value, lines) = part(&text, number(call, "start")?, number(call, "end")?);
        let told = Labelled { value, taint };
        Ok(deed(told, format!("read {path} ({lines})"), String::new()))
    }

    /// Puts a file there. Marks first: a crash in between leaves a mark too many, never one too
    /// few.
    async fn put(
        &self,
        work: &Work<'_>,
        path: &Inside,
        text: &str,
        taint: &Taint,
    ) -> Result<(), ToolError> {
        if text.len() > FILE_LIMIT {
            return Err(ToolError(format!(
                "a file may hold at most {FILE_LIMIT} bytes"
            )));
        }
        if leads_to_git(&work.dir, &path.0) {
            return Err(ToolError(
                "git's own folder is not written by hand; use git itself".into(),
            ));
        }
        if !taint.is_clean() {
            let marked = Marked {
                path: path.0.clone(),
                digest: digest::hex(text.as_bytes()),
                taint: taint.clone(),
            };
            self.ledger.keep(&work.folder.path, vec![marked]).await?;
            self.keep_history(work, taint).await?;
        }
        store(&work.dir, path, text.as_bytes())?;
        if taint.is_clean() {
            self.ledger.forget(&work.folder.path, &path.0).await?;
        }
        Ok(())
    }

    /// Whatever is written while marked may come to stand in git's history, which forgets nothing.
    async fn keep_history(&self, work: &Work<'_>, taint: &Taint) -> Result<(), ToolError> {
        let history = vec![Marked::history(taint.clone())];
        self.ledger.keep(work.known.top(), history).await
    }

    async fn write(&self, work: &Work<'_>, call: &Call) -> Result<Deed, ToolError> {
        let path = Inside::of(call)?;
        let content = call
            .text("content")
            .ok_or_else(|| ToolError("content is missing".into()))?;
        let before = load(&work.dir, &path).ok();
        let before = before.and_then(|bytes| String::from_utf8(bytes).ok());
        self.put(work, &path, content, &work.whose.taint).await?;
        let shown = diff::changed(before.as_deref().unwrap_or_default(), content);
        let outcome = format!("wrote {path} ({})", bytes_of(content.len()));
        Ok(done(outcome, shown))
    }

    /// Replaces one passage. What stands around it keeps its marks.
    async fn patch(&self, work: &Work<'_>, call: &Call) -> Result<Deed, ToolError> {
        let path = Inside::of(call)?;
        let before = text_of(&path, load(&work.dir, &path)?)?;
        let after = patch::patched(&path, &before, call)?;
        let of_file = work.known.marked(&path.0, &digest::hex(before.as_bytes()));
        let taint = of_file.join(&work.whose.taint);
        self.put(work, &path, &after, &taint).await?;
        Ok(done(
            format!("patched {path}"),
            diff::changed(&before, &after),
        ))
    }

    fn tree(&self, work: &Work<'_>, call: &Call) -> Result<Deed, ToolError> {
        let (found, whole) = look::walk_but(&work.dir, Inside::folder(call)?.as_ref(), &PASSED)?;
        // A name is somebody's words too.
        let taint = found.iter().fold(work.known.at_least(), |all, found| {
            all.join(&work.known.marked(&found.path.0, ""))
        });
        let outcome = format!("found {} files and folders", found.len());
        let value = look::tree(&found, whole);
        Ok(deed(Labelled { value, taint }, outcome, String::new()))
    }

    async fn search(&self, work: &Work<'_>, call: &Call) -> Result<Deed, ToolError> {
        let pattern = look::pattern(call)?;
        let below = Inside::folder(call)?;
        let dir = open(&work.folder.path)?;
        // Reading many files is slow: nothing else waits for it.
        let looked = tokio::task::spawn_blocking(move || {
            let (found, whole) = look::walk_but(&dir, below.as_ref(), &PASSED)?;
            Ok(look::search(&dir, &found, &pattern, whole))
        });
        let (hits, whole) = looked
            .await
            .map_err(|_| ToolError("the search broke off".into()))??;
        let files: BTreeSet<_> = hits.iter().map(|hit| (&hit.path.0, &hit.digest)).collect();
        let taint = files
            .iter()
            .fold(work.known.at_least(), |all, (path, digest)| {
                all.join(&work.known.of(path, digest))
            });
        let mut lines: Vec<&str> = hits.iter().map(|hit| hit.line.as_str()).collect();
        if hits.is_empty() {
            lines.push("(no line holds that)");
        }
        if whole == Whole::No {
            lines.push("… there may be more: not everything was searched");
        }
        let value = lines.join("\n");
        let outcome = format!("found {} lines", hits.len());
        Ok(deed(Labelled { value, taint }, outcome, String::new()))
    }
}

#[async_trait]
impl Tool for Coder {
    fn spec(&self) -> ToolSpec {
        spec(self.cage.network())
    }

    async fn ground(&self, call: &Call, whose: &Whose) -> BTreeMap<String, String> {
        let (Ok(path), Some(folder)) = (Inside::of(call), &whose.folder) else {
            return BTreeMap::new();
        };
        let state = match open(&folder.path).and_then(|dir| load(&dir, &path)) {
            Ok(bytes) => digest::hex(&bytes),
            Err(error) => error.0,
        };
        BTreeMap::from([(format!("file {path}"), state)])
    }

    async fn run(&self, permit: Permit, whose: &Whose) -> Result<Deed, ToolError> {
        let call = permit.redeem();
        let work = self.begin(whose).await?;
        match call.command.as_str() {
            "exec" | "test" => exec::run(self, &work, &call).await,
            "patch" => self.patch(&work, &call).await,
            "read" => self.read(&work, &call).await,
            "search" => self.search(&work, &call).await,
            "tree" => self.tree(&work, &call),
            "write" => self.write(&work, &call).await,
            other => match git::asked(other, &call)? {
                Some(asked) => git::run(self, &work, other, asked).await,
                None => Err(ToolError(format!("coder cannot {other}"))),
            },
        }
    }
}

/// Opens the folder. From there on no path leads out: every step of it is resolved inside.
fn open(folder: &Path) -> Result<Dir, ToolError> {
    Dir::open_ambient_dir(folder, ambient_authority()).map_err(|_| {
        ToolError(
            "the folder of this conversation is not there any more, or may not be read".into(),
        )
    })
}

/// Whether a path names git's own folder or leads through it, by itself or by a link on its way.
fn leads_to_git(dir: &Dir, path: &str) -> bool {
    let named = |path: &Path| {
        let mut parts = path.components();
        parts.any(|part| part.as_os_str().eq_ignore_ascii_case(marks::GIT))
    };
    let path = Path::new(path);
    let mut links = path.ancestors().filter_map(|at| dir.canonicalize(at).ok());
    named(path) || links.any(|at| named(&at))
}

/// The lines from `start` to `end`, counted from 1, each with its number where only a part is
/// asked for; and how many they are.
fn part(text: &str, start: Option<usize>, end: Option<usize>) -> (String, String) {
    let count = text.lines().count();
    if start.is_none() && end.is_none() {
        return (text.to_owned(), format!("{count} lines"));
    }
    let (start, end) = (start.unwrap_or(1).max(1), end.unwrap_or(count).min(count));
    let lines: Vec<String> = (1..)
        .zip(text.lines())
        .filter(|(number, _)| (start..=end).contains(number))
        .map(|(number, line)| format!("{number:>5}  {line}"))
        .collect();
    (
        lines.join("\n"),
        format!("lines {start} to {end} of {count}"),
    )
}

/// A number that a call names, written as one or as text.
fn number(call: &Call, name: &str) -> Result<Option<usize>, ToolError> {
    let bot_policy::call::Arguments::Readable(map) = &call.arguments else {
        return Ok(None);
    };
    let Some(value) = map.get(name).filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let read = match value {
        serde_json::Value::String(text) => text.trim().parse().ok(),
        other => other
            .as_u64()
            .and_then(|number| usize::try_from(number).ok()),
    };
    read.map(Some)
        .ok_or_else(|| ToolError(format!("{name} is not a number")))
}

fn deed(told: Labelled<String>, outcome: String, shown: String) -> Deed {
    Deed {
        told,
        outcome,
        shown,
    }
}

fn done(outcome: String, shown: String) -> Deed {
    let told = Labelled {
        value: outcome.clone(),
        taint: Taint::default(),
    };
    deed(told, outcome, shown)
}

/// Folders that are passed over by trees and searches: what programs made, not people.
const PASSED: [&str; 5] = [".git", "node_modules", "target", ".venv", "__pycache__"];
