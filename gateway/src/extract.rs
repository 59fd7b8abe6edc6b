//! What does a page or a PDF say? Read by a process of its own, which holds nothing of ours.
//!
//! ```text
//!  text() --this same program, hidden order, empty environment, limits--> child::answer
//!        <-------------------------- text, or it ended ----------------- stdin, stdout
//! ```
//!
//! Readers of such formats are large and fed by strangers. Whatever one of them does, it does it
//! without our files, our secrets and our memory, and for a few seconds.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

mod child;
pub(crate) mod worker;

/// The hidden order by which the program reads a document.
const ORDER: &str = "extract-text";
/// The variable of the environment that names the socket of a worker kept apart.
const WORKER: &str = "POSTERN_EXTRACT";
/// The largest document that is read, in bytes.
const OFFERED: usize = 20 << 20;
/// The longest text that is taken, in bytes.
pub(crate) const TEXT_LIMIT: usize = 256 * 1024;
/// How long it may take in all.
const PATIENCE: Duration = Duration::from_secs(8);
/// The exit code of a document that is not what it says.
const CANNOT_READ: u8 = 65;

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Html,
    Pdf,
    Plain,
}

/// A document could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExtractError {
    /// It is not what it says.
    #[error("it cannot be read: it is broken, locked, or not what it says it is")]
    Broken,
    /// Reading it took too much.
    #[error("reading it took more memory or time than it may, so it was not read")]
    Costly,
    /// The process that reads could not be started.
    #[error("the process that reads documents cannot be started on this machine")]
    NotStarted,
}

impl Kind {
    const ALL: [(Self, &str); 3] = [
        (Self::Html, "html"),
        (Self::Pdf, "pdf"),
        (Self::Plain, "plain"),
    ];

    fn name(self) -> &'static str {
        let found = Self::ALL.into_iter().find(|(kind, _)| *kind == self);
        found.map_or("plain", |(_, name)| name)
    }
}

/// The text of a document that came from this address, in this encoding where it is known; at
/// most [`TEXT_LIMIT`] bytes of it, and whether that is all.
pub(crate) async fn text(
    kind: Kind,
    base: &str,
    charset: &str,
    bytes: &[u8],
) -> Result<(String, bool), ExtractError> {
    match std::env::var_os(WORKER) {
        None => here(kind, base, charset, bytes).await,
        Some(at) => worker::ask(Path::new(&at), kind, base, charset, bytes).await,
    }
}

/// The same, by a process of this machine's.
async fn here(
    kind: Kind,
    base: &str,
    charset: &str,
    bytes: &[u8],
) -> Result<(String, bool), ExtractError> {
    let mut child = Command::new(ourselves())
        .args([ORDER, kind.name(), base, charset])
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|_| ExtractError::NotStarted)?;
    let (Some(mut to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(ExtractError::NotStarted);
    };
    let talk = async {
        let give = async move {
            // It may end before it has read everything.
            let _ = to.write_all(bytes).await;
        };
        let mut text = Vec::new();
        let mut from = from.take(TEXT_LIMIT as u64 + 8);
        let (_, read) = tokio::join!(give, from.read_to_end(&mut text));
        drop(from);
        let ended = child.wait().await;
        (text, read, ended)
    };
    let Ok((text, Ok(_), Ok(ended))) = tokio::time::timeout(PATIENCE, talk).await else {
        return Err(ExtractError::Costly);
    };
    match ended.code() {
        Some(0) => {}
        Some(code) if code == i32::from(CANNOT_READ) => return Err(ExtractError::Broken),
        // A panic is the reader's own defect; a signal is a limit.
        Some(101) => return Err(ExtractError::Broken),
        Some(_) | None => return Err(ExtractError::Costly),
    }
    let mut text = String::from_utf8(text).map_err(|_| ExtractError::Broken)?;
    let whole = text.len() <= TEXT_LIMIT;
    text.truncate(text.floor_char_boundary(TEXT_LIMIT));
    Ok((text, whole))
}

/// Runs as the reading process where the program was started as one.
pub(crate) fn asked(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let words: Vec<String> = arguments
        .into_iter()
        .skip(1)
        .map_while(|word| word.into_string().ok())
        .collect();
    match words.as_slice() {
        [order, kind, base, charset] if order == ORDER => {
            let kind = Kind::ALL.into_iter().find(|(_, name)| name == kind);
            Some(kind.map_or(ExitCode::FAILURE, |(kind, _)| {
                child::answer(kind, base, charset)
            }))
        }
        _ => None,
    }
}

/// This very program, even when its file was replaced since it was started.
fn ourselves() -> PathBuf {
    let running = Path::new("/proc/self/exe");
    match std::env::current_exe() {
        Ok(path) if !running.exists() => path,
        Ok(_) | Err(_) => running.to_owned(),
    }
}
