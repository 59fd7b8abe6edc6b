//! How does a file go out? In one message with its caption; a longer one follows as text.

use std::path::PathBuf;

use bot_policy::event::FileKind;
use bot_policy::id::{MessageRef, Place};
use bot_policy::message::{Body, Enclosure, Notice, OutboundMessage};
use reqwest::multipart::{Form, Part as Piece};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::api::Api;
use super::encode::{Part, encode};
use super::entities::pieces;
use super::topics;
use crate::{AdapterError, Encoded, drawn, outgoing};

/// The longest caption, in UTF-16 units (Bot API: "0-1024 characters").
const CAPTION: usize = 1024;
/// The largest photo, in bytes (Bot API: "10 MB max size for photos").
const PHOTO: u64 = 10_000_000;
/// The largest file, in bytes (Bot API: "50 MB for other files").
pub(super) const FILE: u64 = 50_000_000;

/// A file of a message, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Carried {
    pub(super) digest: String,
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) shown: Shown,
}

/// How the app shows a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Shown {
    Document,
    Photo,
    /// Played in the chat.
    Voice,
}

impl Shown {
    /// What the Bot API calls it.
    pub(super) fn field(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Photo => "photo",
            Self::Voice => "voice",
        }
    }
}

/// The parts of a message with a file.
pub(super) fn enclosed(file: &Enclosure, message: &OutboundMessage) -> Vec<Encoded> {
    let shown = match file.kind {
        FileKind::Photo if file.bytes <= PHOTO => Shown::Photo,
        FileKind::Voice => Shown::Voice,
        FileKind::Audio | FileKind::Document | FileKind::Photo | FileKind::Video => Shown::Document,
    };
    let caption = drawn::plain(&file.caption, file.addresses);
    let fits = caption.units() <= CAPTION;
    let piece = pieces(&caption).into_iter().next().filter(|_| fits);
    let (text, entities) =
        piece.map_or_else(Default::default, |piece| (piece.text, piece.entities));
    let part = Part {
        text,
        entities,
        bare: None,
        rows: Vec::new(),
        file: Some(Carried {
            digest: file.digest.clone(),
            name: file.name.clone(),
            bytes: file.bytes,
            shown,
        }),
        answers: message
            .answers
            .as_ref()
            .and_then(|id| id.as_str().parse().ok()),
    };
    let mut parts: Vec<Encoded> = serde_json::to_value(part)
        .ok()
        .map(Encoded)
        .into_iter()
        .collect();
    if !fits {
        let body = Body::Notice(Notice {
            text: file.caption.clone(),
            addresses: file.addresses,
            choices: Default::default(),
        });
        parts.extend(encode(&OutboundMessage {
            body,
            answers: None,
        }));
    }
    parts
}

/// Sends a part with its file.
pub(super) async fn send(
    api: &Api,
    folder: Option<&PathBuf>,
    place: &Place,
    part: &Part,
    file: &Carried,
) -> Result<MessageRef, AdapterError> {
    let bytes = outgoing::read(folder, &file.digest, file.bytes, FILE).await?;
    let method = match file.shown {
        Shown::Document => "SendDocument",
        Shown::Photo => "SendPhoto",
        Shown::Voice => "SendVoice",
    };
    let field = file.shown.field();
    let mut thread = super::thread(place)?;
    let answer = loop {
        let mut form = Form::new()
            .text("chat_id", super::chat(place)?.to_string())
            .part(
                field,
                Piece::bytes(bytes.clone()).file_name(file.name.clone()),
            );
        if !part.text.is_empty() {
            form = form.text("caption", part.text.clone());
        }
        if !part.entities.is_empty() {
            form = form.text("caption_entities", as_json(&part.entities));
        }
        if let Some(thread) = thread {
            form = form.text("message_thread_id", thread.0.to_string());
        }
        if let Some(id) = part.answers {
            let answers =
                serde_json::json!({"message_id": id, "allow_sending_without_reply": true});
            form = form.text("reply_parameters", answers.to_string());
        }
        match api.send_form(method, form).await {
            Err(AdapterError::Refused(why))
                if topics::is_not_found(&why) && thread.take().is_some() =>
            {
                topics::are_off(api, place).await?;
            }
            answer => break answer?,
        }
    };
    let id = answer.get("message_id").and_then(Value::as_i64);
    id.map(|id| MessageRef::new(id.to_string()))
        .ok_or(AdapterError::Ambiguous)
}

fn as_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
