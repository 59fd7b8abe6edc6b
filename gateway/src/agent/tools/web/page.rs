//! What does a page say, as text?

use crate::extract::{self, Kind};

use super::super::ToolError;
use super::client::Got;

/// Whether a content type is one that is read.
pub(super) fn is_readable(kind: &str) -> bool {
    let kind = essence(kind);
    kind.starts_with("text/")
        || matches!(
            kind,
            "" | "application/pdf"
                | "application/json"
                | "application/xml"
                | "application/xhtml+xml"
        )
        || (kind.starts_with("application/") && (kind.ends_with("+json") || kind.ends_with("+xml")))
}

/// The text of a page, read by the process that holds nothing.
pub(super) async fn text(got: Got) -> Result<String, ToolError> {
    let kind = match essence(&got.kind) {
        "application/pdf" => Kind::Pdf,
        "text/html" | "application/xhtml+xml" => Kind::Html,
        _ if got.bytes.starts_with(b"%PDF-") => Kind::Pdf,
        "" if looks_like_html(&got.bytes) => Kind::Html,
        _ => Kind::Plain,
    };
    if kind == Kind::Pdf && !got.whole {
        return Err(ToolError(format!(
            "{} is a PDF of more than 2 MiB, so it was not read",
            got.at
        )));
    }
    let (mut text, whole) = extract::text(kind, got.at.as_str(), charset(&got.kind), &got.bytes)
        .await
        .map_err(|error| ToolError(format!("{}: {error}", got.at)))?;
    if text.trim().is_empty() {
        "(it holds no text)".clone_into(&mut text);
    }
    if !got.whole {
        text.push_str("\n… (the page goes on after 2 MiB)");
    } else if !whole {
        text.push_str("\n… (the text goes on)");
    }
    Ok(text)
}

fn essence(kind: &str) -> &str {
    kind.split(';').next().unwrap_or("").trim()
}

fn charset(kind: &str) -> &str {
    kind.split(';')
        .filter_map(|part| part.trim().strip_prefix("charset="))
        .map(|name| name.trim_matches('"'))
        .next()
        .unwrap_or("utf-8")
}

fn looks_like_html(bytes: &[u8]) -> bool {
    let start = bytes.get(..bytes.len().min(512)).unwrap_or_default();
    let start = String::from_utf8_lossy(start).to_ascii_lowercase();
    start.contains("<html") || start.contains("<!doctype html")
}
