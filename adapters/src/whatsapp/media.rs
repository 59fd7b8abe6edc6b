//! How do files come and go? They lie at the platform under an id, and are fetched and handed in by
//! calls of their own.

use std::path::PathBuf;

use bot_policy::event::FileKind;
use bot_policy::message::Enclosure;
use reqwest::multipart::{Form, Part as Piece};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use super::api::Api;
use crate::{AdapterError, outgoing};

/// A file of a message, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Carried {
    digest: String,
    name: String,
    bytes: u64,
    shown: Shown,
}

/// How the app shows a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Shown {
    Audio,
    Document,
    Image,
    Video,
}

impl Carried {
    pub(super) fn of(file: &Enclosure) -> Self {
        Self {
            digest: file.digest.clone(),
            name: file.name.clone(),
            bytes: file.bytes,
            shown: match file.kind {
                FileKind::Audio | FileKind::Voice => Shown::Audio,
                FileKind::Document => Shown::Document,
                FileKind::Photo => Shown::Image,
                FileKind::Video => Shown::Video,
            },
        }
    }

    /// Whether words can stand under it.
    pub(super) fn may_have_caption(&self) -> bool {
        match self.shown {
            Shown::Audio => false,
            Shown::Document | Shown::Image | Shown::Video => true,
        }
    }
}

/// Hands a file in and gives what the message says of it: its type and its content.
pub(super) async fn hand_in(
    api: &Api,
    folder: Option<&PathBuf>,
    file: &Carried,
    caption: &str,
) -> Result<(&'static str, Value), AdapterError> {
    let bytes = outgoing::read(folder, &file.digest, file.bytes, LARGEST).await?;
    let (kind, shown) = kind(&bytes, file.shown).ok_or_else(|| {
        AdapterError::Refused(format!(
            "WhatsApp takes no file like {}; it takes text, PDF, office documents, JPEG and PNG pictures, MP4 films, and AAC, AMR, MP3, M4A and Ogg sound",
            file.name
        ))
    })?;
    let (name, most) = match shown {
        Shown::Audio => ("audio", 16 * MEBIBYTE),
        Shown::Document => ("document", 100 * MEBIBYTE),
        Shown::Image => ("image", 5 * MEBIBYTE),
        Shown::Video => ("video", 16 * MEBIBYTE),
    };
    if file.bytes > most {
        return Err(AdapterError::Refused(format!(
            "the {name} is larger than the {} MB that WhatsApp takes",
            most / MEBIBYTE
        )));
    }
    let piece = Piece::bytes(bytes)
        .file_name(file.name.clone())
        .mime_str(kind)
        .map_err(|_| AdapterError::Refused("the file's type cannot be named".to_owned()))?;
    let form = Form::new()
        .text("messaging_product", "whatsapp")
        .text("type", kind)
        .part("file", piece);
    let answer = api.hand_in(form).await?;
    let id = answer.get("id").and_then(Value::as_str);
    let id = id.ok_or_else(|| AdapterError::Retry {
        after: None,
        why: "it does not say under which id it keeps the file".to_owned(),
    })?;
    let mut content = serde_json::Map::from_iter([("id".to_owned(), json!(id))]);
    if shown == Shown::Document {
        content.insert("filename".to_owned(), json!(file.name));
    }
    if kind == OPUS {
        content.insert("voice".to_owned(), json!(true));
    }
    if !caption.is_empty() {
        content.insert("caption".to_owned(), json!(caption));
    }
    Ok((name, Value::Object(content)))
}

/// Fetches a file by its media id; at most `most` bytes. Its address lives five minutes and asks
/// for our token, which goes to the platform's own hosts and nowhere else.
pub(super) async fn fetch(api: &Api, id: &str, most: u64) -> Result<Vec<u8>, AdapterError> {
    let plain = !id.is_empty() && id.len() <= 64 && id.bytes().all(|c| c.is_ascii_alphanumeric());
    if !plain {
        return Err(AdapterError::Refused(
            "what came with the message is no file".to_owned(),
        ));
    }
    let most = most.min(LARGEST);
    let mut again = true;
    loop {
        let about = api.about_media(id).await?;
        if about.get("file_size").and_then(Value::as_u64) > Some(most) {
            return Err(crate::http::too_large(most));
        }
        let url = about.get("url").and_then(Value::as_str);
        let url = url.and_then(|url| Url::parse(url).ok());
        let Some(url) = url.filter(|url| api.may_know_our_token(url)) else {
            return Err(AdapterError::Refused(
                "the file lies at an address that is none of WhatsApp's, so it was not fetched"
                    .to_owned(),
            ));
        };
        match api.download(url, most).await {
            // The address may have grown too old on the way.
            Err(AdapterError::Refused(_) | AdapterError::Credentials(_)) if again => again = false,
            fetched => return fetched,
        }
    }
}

/// What a file is to the platform, by what it holds, and how it is shown.
fn kind(bytes: &[u8], wanted: Shown) -> Option<(&'static str, Shown)> {
    let Some(known) = infer::get(bytes) else {
        let text = std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
        return text.then_some(("text/plain", Shown::Document));
    };
    let (kind, shown) = match known.mime_type() {
        "image/jpeg" => ("image/jpeg", Shown::Image),
        "image/png" => ("image/png", Shown::Image),
        "video/mp4" => ("video/mp4", Shown::Video),
        "video/3gpp" => ("video/3gpp", Shown::Video),
        "audio/aac" => ("audio/aac", Shown::Audio),
        "audio/amr" => ("audio/amr", Shown::Audio),
        "audio/mpeg" => ("audio/mpeg", Shown::Audio),
        "audio/m4a" | "audio/mp4" => ("audio/mp4", Shown::Audio),
        "audio/ogg" | "audio/opus" => (OPUS, Shown::Audio),
        "text/html" | "text/xml" | "text/x-shellscript" => ("text/plain", Shown::Document),
        named => {
            let known = DOCUMENTS.iter().find(|known| **known == named)?;
            (*known, Shown::Document)
        }
    };
    // A picture that was sent as a document stays one.
    let shown = if wanted == Shown::Document {
        Shown::Document
    } else {
        shown
    };
    Some((kind, shown))
}

/// Kinds of documents that are taken beside text (Cloud API, supported media types).
const DOCUMENTS: [&str; 7] = [
    "application/msword",
    "application/pdf",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
];
/// How the app records voice.
const OPUS: &str = "audio/ogg";
/// The largest file of all (Cloud API, supported media types: 100 MB for documents).
const LARGEST: u64 = 100 * MEBIBYTE;
const MEBIBYTE: u64 = 1 << 20;
