//! Which files go out as one album, and how?

use std::path::PathBuf;

use bot_policy::id::{MessageRef, Place};
use reqwest::multipart::{Form, Part as Piece};
use serde_json::{Value, json};

use super::api::Api;
use super::enclose::{Carried, FILE, Shown};
use super::encode::Part;
use super::{open, topics};
use crate::{AdapterError, Encoded, outgoing};

/// The most files of one album (Bot API, sendMediaGroup: "must include 2-10 items").
const MOST: usize = 10;
/// The most bytes of one album: they are held in memory and sent in one request, as one file is.
const MOST_BYTES: u64 = 50_000_000;

/// How many parts go as one album: files that are shown alike, as photos and documents are not
/// mixed (Bot API, sendMediaGroup: "Documents ... can be only grouped ... with messages of the same
/// type").
pub(super) fn together(parts: &[Encoded]) -> usize {
    let mut first: Option<Carried> = None;
    let mut bytes = 0_u64;
    let mut count = 0;
    for part in parts.iter().take(MOST) {
        let Ok(Part {
            file: Some(file), ..
        }) = open(part)
        else {
            break;
        };
        bytes = bytes.saturating_add(file.bytes);
        let alike = first
            .as_ref()
            .is_none_or(|first| first.shown == file.shown && file.shown != Shown::Voice);
        if !alike || (count > 0 && bytes > MOST_BYTES) {
            break;
        }
        first.get_or_insert(file);
        count += 1;
    }
    // Whatever it is, one goes.
    count.max(parts.len().min(1))
}

/// Sends files as one album; gives what each message is called, in their order.
pub(super) async fn send(
    api: &Api,
    folder: Option<&PathBuf>,
    place: &Place,
    parts: &[Part],
) -> Result<Vec<MessageRef>, AdapterError> {
    let mut files = Vec::new();
    for part in parts {
        let file = part.file.as_ref().ok_or_else(no_file)?;
        files.push((
            part,
            file,
            outgoing::read(folder, &file.digest, file.bytes, FILE).await?,
        ));
    }
    let mut thread = super::thread(place)?;
    let answer = loop {
        let mut form = Form::new().text("chat_id", super::chat(place)?.to_string());
        let mut media = Vec::new();
        for (at, (part, file, bytes)) in files.iter().enumerate() {
            let field = format!("file{at}");
            media.push(item(part, file, &field));
            let piece = Piece::bytes(bytes.clone()).file_name(file.name.clone());
            form = form.part(field, piece);
        }
        form = form.text("media", Value::Array(media).to_string());
        if let Some(thread) = thread {
            form = form.text("message_thread_id", thread.0.to_string());
        }
        match api.send_form("SendMediaGroup", form).await {
            Err(AdapterError::Refused(why))
                if topics::is_not_found(&why) && thread.take().is_some() =>
            {
                topics::are_off(api, place).await?;
            }
            answer => break answer?,
        }
    };
    let names: Vec<MessageRef> = answer
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|message| message.get("message_id")?.as_i64())
        .map(|id| MessageRef::new(id.to_string()))
        .collect();
    // It was sent; without its numbers it cannot be found again.
    (names.len() == parts.len())
        .then_some(names)
        .ok_or(AdapterError::Ambiguous)
}

fn item(part: &Part, file: &Carried, field: &str) -> Value {
    json!({
        "type": file.shown.field(),
        "media": format!("attach://{field}"),
        "caption": part.text,
        "caption_entities": part.entities,
    })
}

fn no_file() -> AdapterError {
    AdapterError::Refused("what goes into an album is a file".to_owned())
}
