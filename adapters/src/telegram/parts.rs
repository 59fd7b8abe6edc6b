//! What does a message hold, and whose words are they?

use bot_policy::event::{FileFact, FileKind, Part, PartBody, Provenance, Sender};
use serde_json::{Map, Value};

use super::addressed::Suffix;
use super::decode::message_ref;

/// The parts of a message: what it quotes, its text, its files, whatever else came along.
pub(super) fn parts(message: &Map<String, Value>, sender: &Sender) -> Vec<Part> {
    let mut parts = Vec::new();
    quoted(message, &mut parts);
    let own = match sender {
        Sender::Person(_) => Provenance::Authored,
        Sender::Shared => Provenance::Attached,
    };
    for key in ["text", "caption"] {
        if let Some(text) = message.get(key).and_then(Value::as_str) {
            parts.push(said(text, own.clone()));
        }
    }
    let film = message.contains_key("animation");
    for (key, value) in message {
        match key.as_str() {
            "text" | "caption" => {}
            "photo" => parts.push(file(largest(value), FileKind::Photo, Provenance::Attached)),
            "sticker" | "animation" => {
                parts.push(file(Some(value), FileKind::Photo, Provenance::Attached));
            }
            "audio" => parts.push(file(Some(value), FileKind::Audio, Provenance::Attached)),
            "video" | "video_note" => {
                parts.push(file(Some(value), FileKind::Video, Provenance::Attached));
            }
            "voice" => parts.push(file(Some(value), FileKind::Voice, own.clone())),
            // An animation repeats itself here for older clients.
            "document" if film => {}
            "document" => parts.push(file(Some(value), FileKind::Document, Provenance::Attached)),
            // A venue repeats its place here.
            "location" if message.contains_key("venue") => {}
            key if is_envelope(key) => {}
            key => parts.extend(carried(key, value)),
        }
    }
    if is_forward(message) {
        for part in &mut parts {
            part.provenance = Provenance::Forwarded;
        }
    }
    parts
}

/// Whether somebody else wrote what this message holds: any key that speaks of forwarding says so.
pub(super) fn is_forward(message: &Map<String, Value>) -> bool {
    message
        .iter()
        .any(|(key, value)| key.contains("forward") && *value != Value::Bool(false))
}

/// Takes our own suffix off the command that a message begins with.
pub(super) fn cut_suffix(parts: &mut [Part], suffix: &Suffix) {
    let typed = parts
        .iter_mut()
        .find(|part| !matches!(part.provenance, Provenance::Quoted { .. }));
    if let Some(Part {
        body: PartBody::Text(text),
        ..
    }) = typed
        && let (Some(name), Some(rest)) = (text.get(..suffix.from), text.get(suffix.to..))
    {
        *text = format!("{name}{rest}");
    }
}

fn quoted(message: &Map<String, Value>, parts: &mut Vec<Part>) {
    let picked = message
        .get("quote")
        .and_then(|quote| quote.get("text"))
        .and_then(Value::as_str);
    let mut quote = |text: &str, original| {
        parts.push(said(text, Provenance::Quoted { original }));
    };
    if message.contains_key("external_reply") {
        quote(picked.unwrap_or("[a message from another chat]"), None);
        return;
    }
    let Some(to) = message.get("reply_to_message").and_then(Value::as_object) else {
        if message.contains_key("quote") {
            quote(picked.unwrap_or("[a quote]"), None);
        }
        return;
    };
    if to.contains_key("forum_topic_created") && picked.is_none() {
        return;
    }
    let chat =
        |message: &Map<String, Value>| message.get("chat").and_then(|c| c.get("id")).cloned();
    let same_chat = chat(to).is_some() && chat(to) == chat(message);
    let text = picked
        .or_else(|| to.get("text").and_then(Value::as_str))
        .or_else(|| to.get("caption").and_then(Value::as_str))
        .unwrap_or("[no text]");
    quote(text, message_ref(to).filter(|_| same_chat));
}

fn said(text: &str, provenance: Provenance) -> Part {
    Part {
        body: PartBody::Text(text.to_owned()),
        provenance,
    }
}

fn file(value: Option<&Value>, kind: FileKind, provenance: Provenance) -> Part {
    let handle = value
        .and_then(|file| file.get("file_id"))
        .and_then(Value::as_str);
    let bytes = value
        .and_then(|file| file.get("file_size"))
        .and_then(Value::as_u64);
    Part {
        body: PartBody::File(FileFact {
            kind,
            handle: handle.unwrap_or("").to_owned(),
            bytes,
        }),
        provenance,
    }
}

fn largest(sizes: &Value) -> Option<&Value> {
    sizes.as_array()?.last()
}

/// What came along, as one line of text; names of chats and of what happened in them are left out.
fn carried(key: &str, value: &Value) -> Option<Part> {
    let fields: &[&str] = match key {
        "checklist" | "game" | "invoice" => &["title", "description"],
        "contact" => &["first_name", "last_name", "phone_number"],
        "dice" => &["emoji", "value"],
        "location" => &["latitude", "longitude"],
        "poll" => &["question"],
        "venue" => &["title", "address"],
        // A flag or a number holds nobody's words.
        _ if value.is_boolean() || value.is_number() => return None,
        _ => &[],
    };
    let known: String = key
        .chars()
        .filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '_')
        .take(40)
        .collect();
    let mut words: Vec<String> = fields
        .iter()
        .filter_map(|field| word(value.get(*field)?))
        .collect();
    if key == "poll"
        && let Some(options) = value.get("options").and_then(Value::as_array)
    {
        words.extend(
            options
                .iter()
                .take(12)
                .filter_map(|option| word(option.get("text")?)),
        );
    }
    let text = format!("[{known}] {}", words.join(", "));
    Some(said(text.trim_end(), Provenance::Attached))
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(
            text.chars()
                .map(|c| if c.is_control() { ' ' } else { c })
                .take(300)
                .collect(),
        ),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(_) | Value::Bool(_) | Value::Null | Value::Object(_) => None,
    }
}

/// Keys that say where, when, by whom and how, or what happened to the chat; they are nobody's
/// words to the bot. Whatever is not listed is carried along, so that it is seen.
fn is_envelope(key: &str) -> bool {
    const KEYS: [&str; 50] = [
        "author_signature",
        "boost_added",
        "business_connection_id",
        "caption_entities",
        "channel_chat_created",
        "chat",
        "chat_background_set",
        "chat_shared",
        "connected_website",
        "date",
        "delete_chat_photo",
        "direct_messages_topic",
        "edit_date",
        "effect_id",
        "entities",
        "external_reply",
        "from",
        "group_chat_created",
        "has_media_spoiler",
        "has_protected_content",
        "is_from_offline",
        "is_topic_message",
        "left_chat_member",
        "link_preview_options",
        "media_group_id",
        "message_auto_delete_timer_changed",
        "message_id",
        "message_thread_id",
        "migrate_from_chat_id",
        "new_chat_member",
        "new_chat_members",
        "new_chat_participant",
        "new_chat_photo",
        "new_chat_title",
        "left_chat_participant",
        "paid_star_count",
        "pinned_message",
        "proximity_alert_triggered",
        "quote",
        "reply_markup",
        "reply_to_message",
        "sender_boost_count",
        "sender_business_bot",
        "sender_chat",
        "sender_tag",
        "show_caption_above_media",
        "supergroup_chat_created",
        "users_shared",
        "via_bot",
        "write_access_allowed",
    ];
    KEYS.contains(&key)
        || key.starts_with("forum_topic_")
        || key.starts_with("general_forum_topic_")
        || key.starts_with("video_chat_")
        || key.contains("forward")
}
