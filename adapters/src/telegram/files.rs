//! How does a file that somebody sent come here?

use serde_json::Value;
use teloxide_core::payloads::GetFile;
use teloxide_core::types::FileId;

use super::api::Api;
use crate::AdapterError;
use crate::http::Repeat;

/// The largest file that the Bot API hands out, in bytes (Bot API, getFile: "up to 20MB").
const LARGEST: u64 = 20_000_000;

/// Fetches a file by its file_id; at most `most` bytes.
pub(super) async fn fetch(api: &Api, file_id: &str, most: u64) -> Result<Vec<u8>, AdapterError> {
    let most = most.min(LARGEST);
    let call = GetFile::new(FileId(file_id.to_owned()));
    let file = api.call(&call, Repeat::Harmless).await?;
    if file.get("file_size").and_then(Value::as_u64) > Some(most) {
        return Err(crate::http::too_large(most));
    }
    let path = file.get("file_path").and_then(Value::as_str);
    match path.filter(|path| is_plain(path)) {
        Some(path) => api.download(path, most).await,
        None => Err(AdapterError::Refused(
            "it does not say where the file is".to_owned(),
        )),
    }
}

/// Whether a path stays below the folder that it is joined to: it becomes part of an address.
fn is_plain(path: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    path.len() <= 300
        && path
            .split('/')
            .all(|part| !part.is_empty() && part != "." && part != ".." && part.chars().all(fits))
}
