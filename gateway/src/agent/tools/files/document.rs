//! What does a file say? Text as it stands; a PDF or a page through the process that holds nothing.

use super::super::ToolError;
use super::inside::{FILE_LIMIT, Inside};
use crate::extract::{self, Kind};

/// The largest document that is read, in bytes: what an inbox takes.
pub(in crate::agent::tools) const LARGEST: usize = 20_000_000;

/// What is told of a file.
pub(in crate::agent::tools) async fn text(
    path: &Inside,
    bytes: Vec<u8>,
) -> Result<String, ToolError> {
    let Some(kind) = kind(path, &bytes) else {
        if bytes.len() > FILE_LIMIT {
            return Err(ToolError(format!(
                "{path} is larger than {FILE_LIMIT} bytes"
            )));
        }
        return String::from_utf8(bytes).map_err(|_| ToolError(format!("{path} is not text")));
    };
    let read = extract::text(kind, "about:blank", "utf-8", &bytes).await;
    let (mut text, whole) = read.map_err(|error| ToolError(format!("{path}: {error}")))?;
    if text.trim().is_empty() {
        "(it holds no text)".clone_into(&mut text);
    }
    if !whole {
        text.push_str("\n… (the text goes on)");
    }
    Ok(text)
}

/// A page that was not sent but written is read as it stands, so that it can be patched.
fn kind(path: &Inside, bytes: &[u8]) -> Option<Kind> {
    if bytes.starts_with(b"%PDF-") {
        return Some(Kind::Pdf);
    }
    let page = infer::get(bytes).is_some_and(|found| found.mime_type() == "text/html");
    let sent = path
        .0
        .split_once('/')
        .is_some_and(|(folder, _)| INBOXES.contains(&folder));
    (page && sent).then_some(Kind::Html)
}

/// Where lies what was sent: in a workspace, and in the folder of a Code conversation.
const INBOXES: [&str; 2] = [super::arrival::INBOX, super::super::coder::INBOX];
