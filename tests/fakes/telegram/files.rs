//! What does the platform keep of files?

use axum::body::Bytes;
use axum::extract::{Path, State as Extract};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::methods::{Refusal, refuse, show, structured};
use super::state::{Fault, State};
use super::text;
use super::{Chat, Fake, Shared, User};

/// The largest file that bots may download (Bot API, getFile: "up to 20MB").
const LARGEST: usize = 20_000_000;

/// A file that the platform holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    pub path: String,
    pub bytes: Vec<u8>,
}

impl Fake {
    /// A file that somebody has given to the platform. Gives its file_id.
    pub fn hold(&self, bytes: &[u8]) -> String {
        let mut state = self.shared.lock();
        let number = state.files.len() + 1;
        let id = format!("AgACAgIAAxkBAAI-{number}");
        let path = format!("documents/file_{number}.bin");
        let bytes = bytes.to_vec();
        state.files.insert(id.clone(), Held { path, bytes });
        id
    }

    /// Says that a file lies elsewhere than it does.
    pub fn misplace(&self, file_id: &str, path: &str) {
        let mut state = self.shared.lock();
        state.files.get_mut(file_id).unwrap().path = path.to_owned();
    }

    /// A person sends a file to the bot: `kind` is the key of the message, `over` lies over what
    /// stands there. Gives the message's id.
    pub fn send_file(&self, user: User, chat: Chat, kind: &str, bytes: &[u8], over: Value) -> i64 {
        let file = self.file(kind, bytes, over);
        self.message(user, chat, "", json!({"text": null, kind: file}))
    }

    /// A person sends a part of an album, as the apps do it: a message each, one after the other,
    /// and what is written under the album stands in one of them. Gives the message's id.
    pub fn send_part(
        &self,
        user: User,
        chat: Chat,
        album: &str,
        photo: &[u8],
        caption: Option<&str>,
    ) -> i64 {
        let mut over = json!({"text": null, "media_group_id": album});
        over["photo"] = self.file("photo", photo, json!({}));
        if let Some(caption) = caption {
            over["caption"] = json!(caption);
            let entities = text::typed(caption);
            if !entities.is_empty() {
                over["caption_entities"] = json!(entities);
            }
        }
        self.message(user, chat, "", over)
    }

    fn file(&self, kind: &str, bytes: &[u8], over: Value) -> Value {
        let id = self.hold(bytes);
        let mut file = json!({
            "file_id": id, "file_unique_id": format!("u{id}"), "file_size": bytes.len(),
        });
        for (key, value) in over.as_object().into_iter().flatten() {
            file[key] = value.clone();
        }
        match kind {
            "photo" => {
                file["width"] = json!(90);
                file["height"] = json!(90);
                json!([file])
            }
            "voice" => {
                file["duration"] = json!(1);
                file
            }
            _ => file,
        }
    }
}

pub(super) fn get(state: &State, body: &Value) -> Result<Value, Refusal> {
    let id = body["file_id"].as_str().unwrap_or("");
    let Some(held) = state.files.get(id) else {
        return Err(refuse(400, "Bad Request: invalid file_id"));
    };
    if held.bytes.len() > LARGEST {
        return Err(refuse(400, "Bad Request: file is too big"));
    }
    Ok(json!({
        "file_id": id, "file_unique_id": format!("u{id}"),
        "file_size": held.bytes.len(), "file_path": held.path,
    }))
}

/// A file that the bot sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// `photo`, `document` or `voice`.
    pub kind: &'static str,
    pub name: String,
    pub bytes: Vec<u8>,
    /// The album that it stands in, if in one.
    pub album: Option<u64>,
}

/// The largest files that bots may send (Bot API: "10 MB max size for photos, 50 MB for other
/// files").
const LARGEST_SENT: [(&str, usize); 3] = [
    ("photo", 10_000_000),
    ("document", 50_000_000),
    ("voice", 50_000_000),
];

/// Reads a form; a file of it is kept aside, and its field names it.
pub(super) async fn form(
    shared: &Shared,
    boundary: String,
    bytes: Bytes,
) -> Result<Value, Refusal> {
    let wrong = || refuse(400, "Bad Request: can't parse multipart form data");
    let whole = futures_util::stream::once(async move { Ok::<_, std::io::Error>(bytes) });
    let mut form = multer::Multipart::new(whole, boundary);
    let mut all = serde_json::Map::new();
    while let Some(field) = form.next_field().await.map_err(|_| wrong())? {
        let name = field.name().ok_or_else(wrong)?.to_owned();
        let value = match field.file_name().map(str::to_owned) {
            None => json!(field.text().await.map_err(|_| wrong())?),
            Some(file) => {
                let bytes = field.bytes().await.map_err(|_| wrong())?.to_vec();
                shared.lock().posted.insert(file.clone(), bytes);
                json!({"attached": file})
            }
        };
        all.insert(name, value);
    }
    Ok(Value::Object(all))
}

pub(super) fn send(state: &mut State, body: &Value, kind: &'static str) -> Result<Value, Refusal> {
    let (text, sent) = checked(state, body, kind, &body[kind])?;
    show(state, body, text, Some(sent))
}

/// Shows several files as one album, or none of them.
pub(super) fn send_album(state: &mut State, body: &Value) -> Result<Value, Refusal> {
    let media = structured(&body["media"]).unwrap_or(Value::Null);
    let items = media.as_array().cloned().unwrap_or_default();
    if !(2..=10).contains(&items.len()) {
        return Err(refuse(
            400,
            "Bad Request: wrong number of media in an album",
        ));
    }
    let mut files = Vec::new();
    for item in &items {
        let kind = match item["type"].as_str() {
            Some("photo") => "photo",
            Some("document") => "document",
            _ => {
                return Err(refuse(
                    400,
                    "Bad Request: can't parse InputMedia: invalid media type",
                ));
            }
        };
        let named = item["media"].as_str().unwrap_or("");
        let field = named.strip_prefix("attach://").unwrap_or("");
        files.push(checked(state, item, kind, &body[field])?);
    }
    if files.iter().any(|(_, sent)| sent.kind != files[0].1.kind) {
        return Err(refuse(
            400,
            "Bad Request: Document can't be mixed with other media types",
        ));
    }
    let mut shown = Vec::new();
    state.next_album += 1;
    let album = state.next_album;
    for (text, sent) in files {
        let sent = Sent {
            album: Some(album),
            ..sent
        };
        shown.push(show(state, body, text, Some(sent))?);
    }
    Ok(json!(shown))
}

fn checked(
    state: &State,
    said: &Value,
    kind: &'static str,
    attached: &Value,
) -> Result<(text::Parsed, Sent), Refusal> {
    let Some(name) = attached["attached"].as_str() else {
        return Err(refuse(
            400,
            format!("Bad Request: there is no {kind} in the request"),
        ));
    };
    let bytes = state.posted.get(name).cloned().unwrap_or_default();
    let most = LARGEST_SENT
        .iter()
        .find(|(known, _)| *known == kind)
        .unwrap();
    if bytes.len() > most.1 {
        return Err(refuse(413, "Request Entity Too Large"));
    }
    if kind == "voice" && !bytes.starts_with(b"OggS") {
        return Err(refuse(400, "Bad Request: VOICE_FILE_INVALID"));
    }
    let picture = bytes.starts_with(b"\x89PNG") || bytes.starts_with(b"\xff\xd8\xff");
    if kind == "photo" && !picture {
        return Err(refuse(400, "Bad Request: IMAGE_PROCESS_FAILED"));
    }
    if bytes.is_empty() {
        return Err(refuse(400, "Bad Request: file must be non-empty"));
    }
    let caption = said["caption"].as_str().unwrap_or("");
    if text::units(caption) > 1024 {
        return Err(refuse(400, "Bad Request: message caption is too long"));
    }
    let entities = structured(&said["caption_entities"]);
    let text = match caption {
        "" => text::Parsed {
            text: String::new(),
            entities: Vec::new(),
        },
        caption => text::parse(caption, said["parse_mode"].as_str(), entities.as_ref())
            .map_err(|why| refuse(400, why))?,
    };
    let sent = Sent {
        kind,
        name: name.to_owned(),
        bytes,
        album: None,
    };
    Ok((text, sent))
}

/// Answers `/file/bot<token>/<file_path>`.
pub(super) async fn download(
    Extract(shared): Extract<Shared>,
    Path((bot, path)): Path<(String, String)>,
) -> Response {
    let mut state = shared.lock();
    if bot.strip_prefix("bot") != Some(state.token.as_str()) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let fault = state
        .faults
        .get_mut("download")
        .and_then(|due| due.pop_front());
    if let Some(Fault::Status(code)) = fault {
        return StatusCode::from_u16(code).unwrap().into_response();
    }
    let held = state.files.values().find(|held| held.path == path);
    match held {
        Some(held) => held.bytes.clone().into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
