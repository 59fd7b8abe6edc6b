//! Where does a file go that somebody sent to a Code conversation? Into a folder inside its own, where
//! its tools and its commands find it and git passes it over.

use bot_policy::taint::Taint;

use super::super::ToolError;
use super::super::files::arrival::{named, put};
use super::super::files::inside::{Inside, store};
use super::{CodeFolder, Ledger, Marked, open};
use crate::digest;

/// The folder where it lies.
pub(in crate::agent::tools) const INBOX: &str = ".inbox";
/// What tells git that nothing in it is part of the work.
const PASSED_OVER: (&str, &[u8]) = (".inbox/.gitignore", b"*\n");

/// Keeps a file with its marks under a name made of these words and of what it holds; gives its path.
///
/// # Errors
/// When it cannot be stored, or the inbox is full.
pub(crate) async fn receive(
    ledger: &dyn Ledger,
    folder: &CodeFolder,
    words: &str,
    bytes: Vec<u8>,
    taint: &Taint,
) -> Result<String, ToolError> {
    let path = named(INBOX, words, &bytes);
    if !taint.is_clean() {
        let marked = Marked {
            path: path.clone(),
            digest: digest::hex(&bytes),
            taint: taint.clone(),
        };
        ledger.keep(&folder.path, vec![marked]).await?;
    }
    let (folder, name) = (folder.path.clone(), Inside(path.clone()));
    // Writing may take long: nothing else waits for it.
    let written = tokio::task::spawn_blocking(move || {
        let dir = open(&folder)?;
        if dir.symlink_metadata(INBOX).is_err() {
            let (at, text) = PASSED_OVER;
            store(&dir, &Inside(at.to_owned()), text)?;
        }
        put(&dir, INBOX, &name, &bytes)
    });
    written
        .await
        .map_err(|_| ToolError("writing it broke off".into()))??;
    Ok(path)
}
