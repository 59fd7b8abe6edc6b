//! Where does a file go that somebody sent? Into an inbox, under a name that nobody else chose.

use bot_policy::taint::Taint;
use cap_std::fs::Dir;

use super::super::ToolError;
use super::inside::{self, Inside, store};
use super::{Files, look};
use crate::digest;

/// The folder of a workspace where it lies.
pub(super) const INBOX: &str = "inbox";
/// How much an inbox holds, in bytes.
const INBOX_LIMIT: u64 = 1 << 30;

impl Files {
    /// Keeps a file with its marks under a name made of these words and of what it holds; gives
    /// its path.
    ///
    /// # Errors
    /// When it cannot be stored, or the inbox is full.
    pub async fn receive(
        &self,
        workspace: i64,
        words: &str,
        bytes: Vec<u8>,
        taint: &Taint,
    ) -> Result<String, ToolError> {
        let path = named(INBOX, words, &bytes);
        let digest = digest::hex(&bytes);
        self.marks.keep(workspace, &path, &digest, taint).await?;
        let (root, name) = (self.root.clone(), Inside(path.clone()));
        // Writing may take long: nothing else waits for it.
        tokio::task::spawn_blocking(move || {
            put(&inside::open(&root, workspace)?, INBOX, &name, &bytes)
        })
        .await
        .map_err(|_| ToolError("writing it broke off".into()))??;
        Ok(path)
    }
}

/// The path of a file in an inbox: made of these words, and of what it holds.
pub(in crate::agent::tools) fn named(inbox: &str, words: &str, bytes: &[u8]) -> String {
    format!("{inbox}/{words}.{}", ending(bytes))
}

/// Puts a file into an inbox, unless that is full.
pub(in crate::agent::tools) fn put(
    dir: &Dir,
    inbox: &str,
    path: &Inside,
    bytes: &[u8],
) -> Result<(), ToolError> {
    let below = Inside(inbox.to_owned());
    let there = match look::walk(dir, Some(&below)) {
        Ok((there, _)) => there,
        // Nothing was sent before.
        Err(_) => Vec::new(),
    };
    let sizes = there
        .iter()
        .filter_map(|found| dir.symlink_metadata(&found.path.0).ok());
    let held = sizes.fold(0_u64, |all, about| all.saturating_add(about.len()));
    if held > INBOX_LIMIT {
        return Err(ToolError(format!(
            "the folder {inbox} is full; take files out of it"
        )));
    }
    store(dir, path, bytes)
}

/// How the name of a file ends, by what it holds and by nothing that anybody said of it.
fn ending(bytes: &[u8]) -> &'static str {
    let found = infer::get(bytes).map(|kind| kind.extension());
    match found.and_then(|found| ENDINGS.into_iter().find(|ending| *ending == found)) {
        Some(ending) => ending,
        None if std::str::from_utf8(bytes).is_ok() => "txt",
        None => "bin",
    }
}

/// What is passive: pictures, sound, films, documents without programs, archives.
const ENDINGS: [&str; 20] = [
    "avi", "bmp", "epub", "flac", "gif", "gz", "heif", "jpg", "m4a", "mkv", "mov", "mp3", "mp4",
    "ogg", "pdf", "png", "wav", "webm", "webp", "zip",
];
