//! How do files come and go?

use std::path::PathBuf;

use bot_policy::id::{MessageRef, Place};
use bot_policy::message::Enclosure;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api::Api;
use crate::http::{Repeat, too_large};
use crate::{AdapterError, outgoing};

/// The largest file that is sent, in bytes (Slack: "1 GB"); ours are far smaller.
const LARGEST: u64 = 100_000_000;

/// How many files one message shows (Slack, "Add files": 10).
pub(super) const MOST_TOGETHER: usize = 10;

/// A file of a message, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Carried {
    digest: String,
    name: String,
    bytes: u64,
}

impl Carried {
    pub(super) fn of(file: &Enclosure) -> Self {
        Self {
            digest: file.digest.clone(),
            name: file.name.clone(),
            bytes: file.bytes,
        }
    }
}

/// Fetches a file by its id; at most `most` bytes.
pub(super) async fn fetch(api: &Api, id: &str, most: u64) -> Result<Vec<u8>, AdapterError> {
    let said = api.ask("files.info", &[("file", id)]).await?;
    let file = said.get("file");
    let text = |key: &str| file.and_then(|file| file.get(key)).and_then(Value::as_str);
    let size = file
        .and_then(|file| file.get("size"))
        .and_then(Value::as_u64);
    if size > Some(most) {
        return Err(too_large(most));
    }
    let url = text("url_private_download").or_else(|| text("url_private"));
    let url = url
        .filter(|url| !url.is_empty())
        .ok_or_else(|| AdapterError::Refused("it does not say where the file is".to_owned()))?;
    let bytes = api.download(url, most).await?;
    // Whoever may not read a file is shown a page to sign in on.
    if text("mimetype").is_some_and(|kind| !kind.contains("html"))
        && bytes
            .trim_ascii_start()
            .to_ascii_lowercase()
            .starts_with(b"<!doctype html")
    {
        return Err(AdapterError::Refused(
            "it shows a page instead of the file; the app lacks the scope files:read".to_owned(),
        ));
    }
    Ok(bytes)
}

/// Sends files into a place as one message, in the three steps that Slack asks for; only the last one
/// shows them. Gives what each is called.
pub(super) async fn send(
    api: &Api,
    folder: Option<&PathBuf>,
    place: &Place,
    files: &[&Carried],
) -> Result<Vec<MessageRef>, AdapterError> {
    let (mut shown, mut names) = (Vec::new(), Vec::new());
    for file in files {
        let id = hand_in(api, folder, file).await?;
        shown.push(json!({"id": id, "title": file.name}));
        names.push(MessageRef::new(id));
    }
    let mut call = json!({"files": shown, "channel_id": place.chat.as_str()});
    if let (Some(thread), Some(call)) = (&place.thread, call.as_object_mut()) {
        call.insert("thread_ts".to_owned(), json!(thread.as_str()));
    }
    let method = "files.completeUploadExternal";
    api.call(method, &call, Repeat::Visible).await?;
    // Slack shows them a moment later and does not say in which message.
    Ok(names)
}

/// Hands in a file that nobody sees yet; gives its id.
async fn hand_in(
    api: &Api,
    folder: Option<&PathBuf>,
    file: &Carried,
) -> Result<String, AdapterError> {
    let bytes = outgoing::read(folder, &file.digest, file.bytes, LARGEST).await?;
    let length = file.bytes.to_string();
    let form = [("filename", file.name.as_str()), ("length", &length)];
    let asked = api.ask("files.getUploadURLExternal", &form).await?;
    let text = |key: &str| asked.get(key).and_then(Value::as_str);
    let (Some(url), Some(id)) = (text("upload_url"), text("file_id")) else {
        return Err(AdapterError::Refused(
            "it does not say where to put the file".to_owned(),
        ));
    };
    api.upload(url, bytes).await?;
    Ok(id.to_owned())
}
