//! How does a file come here, and how does one go? By the message that holds it: the addresses of
//! files end after a day.

use std::path::PathBuf;

use bot_policy::id::MessageRef;
use reqwest::Method;
use reqwest::multipart::{Form, Part as Piece};
use serde_json::{Value, json};

use super::api::Api;
use super::channels::snowflake;
use super::enclose::FILE;
use super::encode::Part;
use crate::http::Repeat;
use crate::{AdapterError, outgoing};

/// Fetches a file by the channel, message and number that its handle names.
pub(super) async fn fetch(api: &Api, handle: &str, most: u64) -> Result<Vec<u8>, AdapterError> {
    let gone = || AdapterError::Refused("the file is not there any more".to_owned());
    let parts: Vec<Value> = handle.split('/').map(Value::from).collect();
    let ids: Vec<&str> = parts
        .iter()
        .filter_map(|part| snowflake(Some(part)))
        .collect();
    let [channel, message, file] = ids.as_slice() else {
        return Err(gone());
    };
    let path = format!("/channels/{channel}/messages/{message}");
    let holder = api.call(Method::GET, &path, None, Repeat::Harmless).await?;
    let snapshots = holder.get("message_snapshots").and_then(Value::as_array);
    let inner = snapshots
        .into_iter()
        .flatten()
        .filter_map(|one| one.get("message"));
    let attachment = std::iter::once(&holder)
        .chain(inner)
        .filter_map(|message| message.get("attachments")?.as_array())
        .flatten()
        .find(|one| snowflake(one.get("id")) == Some(file))
        .ok_or_else(gone)?;
    if attachment.get("size").and_then(Value::as_u64) > Some(most) {
        return Err(crate::http::too_large(most));
    }
    let url = attachment
        .get("url")
        .and_then(Value::as_str)
        .ok_or_else(gone)?;
    api.download(url, most).await
}

/// Posts one message: the words of its first part, and the files of all.
pub(super) async fn post(
    api: &Api,
    folder: Option<&PathBuf>,
    channel: &str,
    parts: &[Part],
    key: i64,
) -> Result<Value, AdapterError> {
    let path = format!("/channels/{channel}/messages");
    let first = parts.first().ok_or_else(|| {
        AdapterError::Refused("there is nothing in the stored message".to_owned())
    })?;
    let mut body = first.send(channel, key);
    let (mut form, mut named) = (Form::new(), Vec::new());
    for (at, file) in parts
        .iter()
        .filter_map(|part| part.file.as_ref())
        .enumerate()
    {
        let bytes = outgoing::read(folder, &file.digest, file.bytes, FILE).await?;
        let piece = Piece::bytes(bytes).file_name(file.name.clone());
        form = form.part(format!("files[{at}]"), piece);
        named.push(json!({ "id": at, "filename": file.name }));
    }
    if named.is_empty() {
        let call = api.call(Method::POST, &path, Some(&body), Repeat::Visible);
        return call.await;
    }
    if let Some(body) = body.as_object_mut() {
        body.insert("attachments".to_owned(), Value::Array(named));
    }
    api.send_form(&path, form.text("payload_json", body.to_string()))
        .await
}

/// The message that an answer speaks of.
pub(super) fn sent(answer: &Value) -> Option<MessageRef> {
    snowflake(answer.get("id")).map(MessageRef::new)
}
