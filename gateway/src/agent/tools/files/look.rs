//! What is there, and where does it say so? Trees and searches that follow no link.

use bot_policy::call::Call;
use bot_policy::taint::Taint;
use cap_std::fs::Dir;
use regex::{Regex, RegexBuilder};

use super::super::ToolError;
use super::inside::{DEPTH_LIMIT, Inside, load};

/// How many files and folders are looked at.
const LOOKED_AT: usize = 2000;
/// How many names a tree shows, and how many lines a search finds.
const SHOWN: usize = 200;
/// How many bytes of files one search reads.
const READ: usize = 16 << 20;
/// How many characters of a line are shown.
const LINE: usize = 200;
/// The largest regular expression once it is compiled, in bytes.
const COMPILED: usize = 1 << 20;

/// What is found on the way through a workspace.
pub(in crate::agent::tools) struct Found {
    /// Where it is, from the workspace on.
    pub(in crate::agent::tools) path: Inside,
    /// What it is.
    pub(in crate::agent::tools) kind: Kind,
}

/// What something in a workspace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::agent::tools) enum Kind {
    File,
    Folder,
    /// Never followed.
    Other,
}

/// Whether everything was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::agent::tools) enum Whole {
    No,
    Yes,
}

/// Everything below a folder, in order of its names, as far as the limits go.
pub(in crate::agent::tools) fn walk(
    dir: &Dir,
    from: Option<&Inside>,
) -> Result<(Vec<Found>, Whole), ToolError> {
    walk_but(dir, from, &[])
}

/// The same, without looking into folders of these names.
pub(in crate::agent::tools) fn walk_but(
    dir: &Dir,
    from: Option<&Inside>,
    passed: &[&str],
) -> Result<(Vec<Found>, Whole), ToolError> {
    let mut found = Vec::new();
    let mut todo = vec![from.cloned()];
    let mut whole = Whole::Yes;
    if let Some(from) = from {
        let about = dir.symlink_metadata(&from.0);
        if !about.is_ok_and(|about| about.is_dir()) {
            return Err(ToolError(format!("there is no folder {from}")));
        }
    }
    while let Some(at) = todo.pop() {
        let here = at.as_ref().map_or(".", |at| at.0.as_str());
        let Ok(entries) = dir.read_dir(here) else {
            whole = Whole::No;
            continue;
        };
        for entry in entries.flatten() {
            if found.len() >= LOOKED_AT {
                return Ok((sorted(found), Whole::No));
            }
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path = at
                .as_ref()
                .map_or_else(|| name.to_string(), |at| format!("{at}/{name}"));
            let path = Inside(path);
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_dir() => Kind::Folder,
                Ok(kind) if kind.is_file() => Kind::File,
                Ok(_) | Err(_) => Kind::Other,
            };
            if kind == Kind::Folder && !passed.contains(&&*name) {
                if path.0.split('/').count() < DEPTH_LIMIT {
                    todo.push(Some(path.clone()));
                } else {
                    whole = Whole::No;
                }
            }
            found.push(Found { path, kind });
        }
    }
    Ok((sorted(found), whole))
}

fn sorted(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by(|one, other| one.path.0.cmp(&other.path.0));
    found
}

/// A tree as the model reads it, hidden characters of names made visible.
pub(in crate::agent::tools) fn tree(found: &[Found], whole: Whole) -> String {
    let mut lines: Vec<String> = found
        .iter()
        .take(SHOWN)
        .map(|found| {
            let name = bot_policy::visible::line(&found.path.0);
            match found.kind {
                Kind::File => name.as_str().to_owned(),
                Kind::Folder => format!("{}/", name.as_str()),
                Kind::Other => format!("{} (a link or no file: not followed)", name.as_str()),
            }
        })
        .collect();
    if found.len() > SHOWN {
        lines.push(format!("… {} more", found.len() - SHOWN));
    }
    if whole == Whole::No {
        lines.push("… not everything was looked at".to_owned());
    }
    if lines.is_empty() {
        lines.push("(nothing here)".to_owned());
    }
    lines.join("\n")
}

/// What a search looks for.
pub(in crate::agent::tools) fn pattern(call: &Call) -> Result<Regex, ToolError> {
    let words = call
        .text("text")
        .ok_or_else(|| ToolError("text is missing".into()))?;
    let pattern = match call.text("kind") {
        None | Some("literal") => regex::escape(words),
        Some("regex") => words.to_owned(),
        Some(other) => {
            return Err(ToolError(format!(
                "kind is literal or regex, not {:?}",
                other.chars().take(40).collect::<String>()
            )));
        }
    };
    RegexBuilder::new(&pattern)
        .size_limit(COMPILED)
        .build()
        .map_err(|_| ToolError("the regular expression cannot be read, or is too large".into()))
}

/// A line that was found.
pub(in crate::agent::tools) struct Hit {
    /// In which file.
    pub(in crate::agent::tools) path: Inside,
    /// The whole of that file.
    pub(in crate::agent::tools) digest: String,
    /// As it is shown.
    pub(in crate::agent::tools) line: String,
}

/// The lines that match, as far as the limits go. Files that are no text or too large are passed
/// over.
pub(in crate::agent::tools) fn search(
    dir: &Dir,
    found: &[Found],
    pattern: &Regex,
    mut whole: Whole,
) -> (Vec<Hit>, Whole) {
    let mut hits = Vec::new();
    let mut room = READ;
    for file in found.iter().filter(|found| found.kind == Kind::File) {
        let Ok(bytes) = load(dir, &file.path) else {
            whole = Whole::No;
            continue;
        };
        let Some(left) = room.checked_sub(bytes.len()) else {
            return (hits, Whole::No);
        };
        room = left;
        let Ok(text) = std::str::from_utf8(&bytes) else {
            continue;
        };
        let digest = crate::digest::hex(&bytes);
        for (number, line) in text.lines().enumerate() {
            if !pattern.is_match(line) {
                continue;
            }
            if hits.len() >= SHOWN {
                return (hits, Whole::No);
            }
            let short: String = line.chars().take(LINE).collect();
            let more = if short.len() < line.len() { "…" } else { "" };
            hits.push(Hit {
                line: format!("{}:{}: {short}{more}", file.path, number + 1),
                path: file.path.clone(),
                digest: digest.clone(),
            });
        }
    }
    (hits, whole)
}

/// The mark of something whose origin is not on record.
pub(in crate::agent::tools) fn foreign() -> Taint {
    Taint::outside("a file that was changed outside Postern")
}
