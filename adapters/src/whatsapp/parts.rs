//! What does a message hold, and whose words are they?

use bot_policy::event::{FileFact, FileKind, Part, PartBody, Provenance, Sender};
use bot_policy::id::MessageRef;
use serde_json::{Map, Value};

use super::decode::text;

/// The parts of a message: what it quotes, its text, its files, whatever else came along.
pub(super) fn parts(message: &Map<String, Value>, sender: &Sender) -> Vec<Part> {
    let own = match sender {
        Sender::Person(_) => Provenance::Authored,
        Sender::Shared => Provenance::Attached,
    };
    let mut parts: Vec<Part> = quoted(message).into_iter().collect();
    for (key, value) in message {
        let Some(content) = value.as_object() else {
            if !is_envelope(key) {
                parts.extend(carried(key, value));
            }
            continue;
        };
        let kind = match key.as_str() {
            "audio" if content.get("voice") == Some(&Value::Bool(true)) => FileKind::Voice,
            "audio" => FileKind::Audio,
            "document" => FileKind::Document,
            "image" | "sticker" => FileKind::Photo,
            "video" => FileKind::Video,
            "text" => {
                parts.extend(text(content, "body").map(|body| said(body, own.clone())));
                continue;
            }
            "system" => {
                parts.extend(text(content, "body").map(|body| said(body, Provenance::Attached)));
                continue;
            }
            "context" => {
                let product = content.get("referred_product");
                parts.extend(product.and_then(|product| carried("product", product)));
                continue;
            }
            key if is_envelope(key) => continue,
            key => {
                parts.extend(carried(key, value));
                continue;
            }
        };
        parts.extend(text(content, "caption").map(|caption| said(caption, own.clone())));
        let provenance = match kind {
            FileKind::Voice => own.clone(),
            FileKind::Audio | FileKind::Document | FileKind::Photo | FileKind::Video => {
                Provenance::Attached
            }
        };
        parts.push(file(content, kind, provenance));
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
    let speaks = |object: &Map<String, Value>| {
        object
            .iter()
            .any(|(key, value)| key.contains("forward") && *value != Value::Bool(false))
    };
    let context = message.get("context").and_then(Value::as_object);
    speaks(message) || context.is_some_and(speaks)
}

/// What is quoted is named there and not repeated.
fn quoted(message: &Map<String, Value>) -> Option<Part> {
    let context = message.get("context")?.as_object()?;
    let original = text(context, "id").map(MessageRef::new)?;
    let original = Some(original);
    Some(said("", Provenance::Quoted { original }))
}

fn said(text: &str, provenance: Provenance) -> Part {
    Part {
        body: PartBody::Text(text.to_owned()),
        provenance,
    }
}

/// A file by its media id. Its size is not told before it is asked for.
fn file(content: &Map<String, Value>, kind: FileKind, provenance: Provenance) -> Part {
    Part {
        body: PartBody::File(FileFact {
            kind,
            handle: text(content, "id").unwrap_or("").to_owned(),
            bytes: content.get("file_size").and_then(Value::as_u64),
        }),
        provenance,
    }
}

/// What came along, as one line of text.
fn carried(key: &str, value: &Value) -> Option<Part> {
    // A flag or a number holds nobody's words.
    if value.is_boolean() || value.is_number() || value.is_null() {
        return None;
    }
    let known: String = key
        .chars()
        .filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '_')
        .take(40)
        .collect();
    let fields: &[&str] = match key {
        "button" => &["text"],
        "contacts" => &["formatted_name", "phone", "email"],
        "errors" => &["title"],
        "location" => &["latitude", "longitude", "name", "address"],
        "order" => &["text", "product_retailer_id", "quantity"],
        "product" => &["catalog_id", "product_retailer_id"],
        "referral" => &["headline", "body", "source_url"],
        _ => &[],
    };
    let mut words = Vec::new();
    collect(value, fields, 4, &mut words);
    let text = format!("[{known}] {}", words.join(", "));
    Some(said(text.trim_end(), Provenance::Attached))
}

/// The words under these keys, wherever they stand, a few levels down.
fn collect(value: &Value, fields: &[&str], deep: usize, words: &mut Vec<String>) {
    if deep == 0 || fields.is_empty() || words.len() > MOST_ITEMS {
        return;
    }
    match value {
        Value::Array(items) => items
            .iter()
            .take(MOST_ITEMS)
            .for_each(|item| collect(item, fields, deep - 1, words)),
        Value::Object(object) => {
            let known = fields.iter().filter_map(|field| word(object.get(*field)?));
            words.extend(known);
            for inner in object.values().take(MOST_ITEMS) {
                collect(inner, fields, deep - 1, words);
            }
        }
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => {}
    }
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

/// Keys that say where, when and by whom; they are nobody's words to the bot. Whatever is not
/// listed is carried along, so that it is seen.
fn is_envelope(key: &str) -> bool {
    const KEYS: [&str; 10] = [
        "context",
        "from",
        "from_parent_user_id",
        "from_user_id",
        "group_id",
        "id",
        "identity",
        "timestamp",
        "type",
        "username",
    ];
    KEYS.contains(&key) || key.contains("forward")
}

/// How many items of a list are read.
const MOST_ITEMS: usize = 12;
