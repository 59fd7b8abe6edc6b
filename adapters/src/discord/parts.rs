//! What does a message hold, and whose words are they?

use bot_policy::event::{FileFact, FileKind, Part, PartBody, Provenance, Sender};
use bot_policy::id::MessageRef;
use serde_json::{Map, Value};

use super::channels::snowflake;
use super::decode::Me;

/// The parts of a message: what it quotes, its text, its files, whatever else came along.
pub(super) fn parts(message: &Map<String, Value>, sender: &Sender, me: &Me) -> Vec<Part> {
    let mut parts = Vec::new();
    quoted(message, &mut parts);
    let own = match sender {
        Sender::Person(_) => Provenance::Authored,
        Sender::Shared => Provenance::Attached,
    };
    carried(message, &handle(message), &own, me, &mut parts);
    let snapshots = message.get("message_snapshots").and_then(Value::as_array);
    for snapshot in snapshots.into_iter().flatten().take(MOST) {
        let inner = snapshot.get("message").and_then(Value::as_object);
        if let Some(inner) = inner.or_else(|| snapshot.as_object()) {
            carried(
                inner,
                &handle(message),
                &Provenance::Forwarded,
                me,
                &mut parts,
            );
        }
    }
    if is_forward(message) {
        for part in &mut parts {
            part.provenance = Provenance::Forwarded;
        }
        if parts.is_empty() {
            parts.push(said("[a forwarded message]", Provenance::Forwarded));
        }
    }
    parts
}

/// Whether somebody else wrote what this message holds: any of the three marks says so.
pub(super) fn is_forward(message: &Map<String, Value>) -> bool {
    let reference = message.get("message_reference");
    let kind = reference.and_then(|reference| reference.get("type"));
    kind.is_some_and(|kind| kind.as_u64() != Some(0) && !kind.is_null())
        || message.get("message_snapshots").is_some_and(|value| {
            !value.is_null() && value.as_array().is_none_or(|all| !all.is_empty())
        })
        || flags(message) & HAS_SNAPSHOT != 0
}

fn quoted(message: &Map<String, Value>, parts: &mut Vec<Part>) {
    let answers = message.get("type").and_then(Value::as_u64) == Some(REPLY);
    let original = message.get("referenced_message").and_then(Value::as_object);
    if !answers && original.is_none() || is_forward(message) {
        return;
    }
    let here = snowflake(message.get("channel_id"));
    let reference = message.get("message_reference").and_then(Value::as_object);
    let id = original
        .and_then(|original| snowflake(original.get("id")))
        .or_else(|| snowflake(reference?.get("message_id")));
    let there = original
        .and_then(|original| snowflake(original.get("channel_id")))
        .or_else(|| snowflake(reference?.get("channel_id")));
    let text = match original {
        Some(original) => original
            .get("content")
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
            .unwrap_or("[no text]"),
        None => "[a message that is gone]",
    };
    let original = id.filter(|_| here.is_some() && here == there);
    let original = original.map(MessageRef::new);
    parts.push(said(text, Provenance::Quoted { original }));
}

fn carried(
    message: &Map<String, Value>,
    handle: &str,
    own: &Provenance,
    me: &Me,
    parts: &mut Vec<Part>,
) {
    if let Some(text) = message.get("content").and_then(Value::as_str) {
        let text = without_our_name(text, me);
        if !text.is_empty() {
            parts.push(said(text, own.clone()));
        }
    }
    for (key, value) in message {
        match key.as_str() {
            "content" => {}
            "attachments" => {
                let voice = flags(message) & IS_VOICE_MESSAGE != 0;
                let all = value.as_array().into_iter().flatten().take(MOST);
                parts.extend(all.map(|one| file(one, handle, voice, own)));
            }
            "embeds" => parts.extend(
                value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .take(MOST)
                    .filter_map(embed),
            ),
            "components" => {
                let mut words = Vec::new();
                texts(value, 0, &mut words);
                if !words.is_empty() {
                    parts.push(said(&words.join("\n"), Provenance::Attached));
                }
            }
            "poll" => parts.push(said(&poll(value), Provenance::Attached)),
            key if is_envelope(key) || holds_nothing(value) => {}
            key => parts.push(said(&format!("[{}]", plain_key(key)), Provenance::Attached)),
        }
    }
}

/// Where the files of a message are asked for. The platform's own addresses end after a day.
fn handle(message: &Map<String, Value>) -> String {
    let id = |key: &str| snowflake(message.get(key)).unwrap_or("0");
    format!("{}/{}", id("channel_id"), id("id"))
}

fn file(attachment: &Value, handle: &str, voice: bool, own: &Provenance) -> Part {
    let kind = attachment.get("content_type").and_then(Value::as_str);
    let kind = match kind.and_then(|kind| kind.split('/').next()) {
        Some("audio") if voice => FileKind::Voice,
        Some("audio") => FileKind::Audio,
        Some("image") => FileKind::Photo,
        Some("video") => FileKind::Video,
        Some(_) | None => FileKind::Document,
    };
    let provenance = match kind {
        FileKind::Voice => own.clone(),
        FileKind::Audio | FileKind::Document | FileKind::Photo | FileKind::Video => {
            Provenance::Attached
        }
    };
    let id = snowflake(attachment.get("id")).unwrap_or("0");
    Part {
        body: PartBody::File(FileFact {
            kind,
            handle: format!("{handle}/{id}"),
            bytes: attachment.get("size").and_then(Value::as_u64),
        }),
        provenance,
    }
}

/// The words of a preview, of which the names are left out.
fn embed(embed: &Value) -> Option<Part> {
    let word = |value: Option<&Value>| value.and_then(Value::as_str).map(ToOwned::to_owned);
    let mut words: Vec<String> = ["title", "description"]
        .iter()
        .filter_map(|key| word(embed.get(*key)))
        .collect();
    let fields = embed.get("fields").and_then(Value::as_array);
    for field in fields.into_iter().flatten().take(MOST) {
        words.extend(word(field.get("name")));
        words.extend(word(field.get("value")));
    }
    words.extend(word(
        embed.get("footer").and_then(|footer| footer.get("text")),
    ));
    if words.is_empty() {
        embed.as_object()?;
        words.push("[a preview]".to_owned());
    }
    Some(said(&words.join("\n"), Provenance::Previewed))
}

fn poll(poll: &Value) -> String {
    let text = |media: Option<&Value>| media?.get("text")?.as_str().map(ToOwned::to_owned);
    let mut words: Vec<String> = text(poll.get("question")).into_iter().collect();
    let answers = poll.get("answers").and_then(Value::as_array);
    for answer in answers.into_iter().flatten().take(MOST) {
        words.extend(text(answer.get("poll_media")));
    }
    format!("[poll] {}", words.join(", ")).trim_end().to_owned()
}

/// The texts in what an app built of components, to a depth that no app's reaches.
fn texts(value: &Value, depth: usize, words: &mut Vec<String>) {
    if depth > DEEPEST || words.len() >= MOST {
        return;
    }
    match value {
        Value::Array(all) => {
            for one in all.iter().take(MOST) {
                texts(one, depth + 1, words);
            }
        }
        Value::Object(one) => {
            for key in ["content", "label"] {
                words.extend(one.get(key).and_then(Value::as_str).map(ToOwned::to_owned));
            }
            for key in ["components", "accessory", "component"] {
                if let Some(inner) = one.get(key) {
                    texts(inner, depth + 1, words);
                }
            }
        }
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => {}
    }
}

/// The text after our own name, where it begins with that: it says whom it speaks to, and a command
/// may follow.
fn without_our_name<'a>(text: &'a str, me: &Me) -> &'a str {
    let start = text.trim_start();
    for name in [format!("<@{}>", me.user), format!("<@!{}>", me.user)] {
        if let Some(rest) = start.strip_prefix(name.as_str()) {
            return rest.trim_start();
        }
    }
    text
}

fn flags(message: &Map<String, Value>) -> u64 {
    message.get("flags").and_then(Value::as_u64).unwrap_or(0)
}

fn said(text: &str, provenance: Provenance) -> Part {
    Part {
        body: PartBody::Text(text.to_owned()),
        provenance,
    }
}

fn holds_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(all) => all.is_empty(),
        Value::Object(all) => all.is_empty(),
    }
}

fn plain_key(key: &str) -> String {
    let fits = |c: &char| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '_';
    key.chars().filter(fits).take(40).collect()
}

/// Keys that say where, when, by whom and how; they are nobody's words to the bot. Whatever is not
/// listed and holds something is carried along, so that it is seen.
fn is_envelope(key: &str) -> bool {
    const KEYS: [&str; 29] = [
        "application",
        "application_id",
        "author",
        "call",
        "channel_id",
        "edited_timestamp",
        "guild_id",
        "id",
        "interaction",
        "interaction_metadata",
        "member",
        "mention_channels",
        "mention_roles",
        "mentions",
        "message_reference",
        "message_snapshots",
        "nonce",
        "reactions",
        "referenced_message",
        "resolved",
        "role_subscription_data",
        "soundboard_sounds",
        "thread",
        "timestamp",
        "webhook_id",
        "channel_type",
        "position",
        "flags",
        "purchase_notification",
    ];
    KEYS.contains(&key)
}

/// The type of a message that answers another.
const REPLY: u64 = 19;
/// Message flags.
const IS_VOICE_MESSAGE: u64 = 1 << 13;
const HAS_SNAPSHOT: u64 = 1 << 14;
/// How many of anything are read; the platform sends fewer.
const MOST: usize = 100;
const DEEPEST: usize = 8;
