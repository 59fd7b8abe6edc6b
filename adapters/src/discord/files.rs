//! How does a file come here, and how does one go? By the message that holds it: the addresses of
//! files end after a day.

use std::path::PathBuf;

use bot_policy::id::MessageRef;
use reqwest::Method;
use reqwest::multipart::{Form, Part as Piece};
use serde_json::{Value, json};

use super::api::Api;
use super::channels::snowflake;
use super::enclose::{Carried, FILE};
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

/// Sends a part with its file.
pub(super) async fn send(
    api: &Api,
    folder: Option<&PathBuf>,
    channel: &str,
    part: &Part,
    file: &Carried,
    key: i64,
) -> Result<Value, AdapterError> {
    let bytes = outgoing::read(folder, &file.digest, file.bytes, FILE).await?;
    let mut body = part.send(channel, key);
    if let Some(body) = body.as_object_mut() {
        let named = json!([{ "id": 0, "filename": file.name }]);
        body.insert("attachments".to_owned(), named);
    }
    let form = Form::new()
        .text("payload_json", body.to_string())
        .part("files[0]", Piece::bytes(bytes).file_name(file.name.clone()));
    api.send_form(&format!("/channels/{channel}/messages"), form)
        .await
}

/// The message that an answer speaks of.
pub(super) fn sent(answer: &Value) -> Option<MessageRef> {
    snowflake(answer.get("id")).map(MessageRef::new)
}
