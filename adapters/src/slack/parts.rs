//! What does a message hold, and whose words are they?

use bot_policy::event::{FileFact, FileKind, Part, PartBody, Provenance, Sender};
use bot_policy::id::MessageRef;
use serde_json::{Map, Value};

use super::decode::{Me, text};

/// The parts of a message: what it shares, its text, its files, whatever else came along.
pub(super) fn parts(
    message: &Map<String, Value>,
    sender: &Sender,
    me: &Me,
    channel: &str,
) -> Vec<Part> {
    let own = match sender {
        Sender::Person(_) => Provenance::Authored,
        Sender::Shared => Provenance::Attached,
    };
    let mut shared = Vec::new();
    let mut carried = Vec::new();
    for attachment in objects(message.get("attachments")) {
        match provenance(attachment, channel) {
            share @ (Provenance::Forwarded | Provenance::Quoted { .. }) => {
                passed_on(attachment, share, &mut shared);
            }
            other => carried.extend(said(&told(attachment), other)),
        }
    }
    let mut parts = shared;
    let typed = plain(without_our_name(text(message, "text").unwrap_or(""), me));
    parts.extend(said(typed.trim(), own.clone()));
    let is_person = own == Provenance::Authored;
    for block in objects(message.get("blocks")) {
        // What people type is repeated in a block of rich text.
        let repeats = text(block, "type") == Some("rich_text") && (is_person || !typed.is_empty());
        let repeats = repeats || (!is_person && !typed.trim().is_empty());
        if !repeats {
            carried.extend(said(&words(block), Provenance::Attached));
        }
    }
    for file in objects(message.get("files")) {
        parts.push(self::file(file, &own));
    }
    parts.extend(carried);
    parts
}

/// Whether a text names us.
pub(super) fn mentions(text: &str, me: &Me) -> bool {
    let named = format!("<@{}", me.user);
    text.match_indices(&named).any(|(at, _)| {
        let rest = text.get(at + named.len()..).unwrap_or("");
        rest.starts_with('>') || rest.starts_with('|')
    })
}

/// Slack's mrkdwn as plain text: what stands between angle brackets by its id or address, never by
/// a name, and the three escaped characters as themselves.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(&unescaped(before));
        // An address ends before the next one begins.
        let inner = from.get(1..).unwrap_or("");
        let end = inner.find(['<', '>']);
        match end.filter(|end| inner.get(*end..).is_some_and(|tail| tail.starts_with('>'))) {
            Some(end) => {
                out.push_str(&sequence(inner.get(..end).unwrap_or("")));
                rest = inner.get(end + 1..).unwrap_or("");
            }
            None => {
                out.push('<');
                rest = inner;
            }
        }
    }
    out.push_str(&unescaped(rest));
    out
}

fn sequence(inner: &str) -> String {
    let (target, label) = match inner.split_once('|') {
        Some((target, label)) => (target, Some(unescaped(label))),
        None => (inner, None),
    };
    if target.starts_with(['@', '#']) {
        return target.to_owned();
    }
    if let Some(special) = target.strip_prefix('!') {
        let id = special.split('^').nth(1).unwrap_or(special);
        return format!("@{id}");
    }
    let address = unescaped(target);
    let bare = address
        .split_once("://")
        .or_else(|| address.split_once(':'));
    match label {
        None => address,
        Some(label) if bare.is_some_and(|(_, bare)| bare == label) || address == label => label,
        Some(label) => format!("{label} ({address})"),
    }
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// The text without our name at its head: that is how we are spoken to.
fn without_our_name<'a>(text: &'a str, me: &Me) -> &'a str {
    let head = text.trim_start();
    let named = format!("<@{}", me.user);
    let Some(rest) = head.strip_prefix(&named) else {
        return text;
    };
    match rest.split_once('>') {
        Some((label, rest)) if label.is_empty() || label.starts_with('|') => {
            rest.trim_start_matches([':', ',']).trim_start()
        }
        Some(_) | None => text,
    }
}

/// Whose words an attachment holds. Slack's own marks of a share are `is_share`, and
/// `is_msg_unfurl` for a message that an address leads to.
fn provenance(attachment: &Map<String, Value>, channel: &str) -> Provenance {
    let is = |key: &str| {
        attachment
            .get(key)
            .is_some_and(|mark| *mark != Value::Bool(false))
    };
    let shared = is("is_share") || is("is_msg_unfurl") || attachment.contains_key("message_blocks");
    let here = text(attachment, "channel_id") == Some(channel);
    match text(attachment, "ts") {
        Some(ts) if shared && here => Provenance::Quoted {
            original: Some(MessageRef::new(ts)),
        },
        _ if shared => Provenance::Forwarded,
        _ if is("from_url") || is("original_url") || is("service_name") => Provenance::Previewed,
        _ => Provenance::Attached,
    }
}

fn passed_on(attachment: &Map<String, Value>, provenance: Provenance, parts: &mut Vec<Part>) {
    let typed = plain(text(attachment, "text").unwrap_or(""));
    let words = if typed.trim().is_empty() {
        self::words_of(attachment.get("message_blocks"))
    } else {
        typed
    };
    let files: Vec<_> = objects(attachment.get("files")).collect();
    if words.trim().is_empty() && files.is_empty() {
        parts.extend(said("[a shared message]", provenance));
        return;
    }
    parts.extend(said(words.trim(), provenance.clone()));
    parts.extend(files.into_iter().map(|file| self::file(file, &provenance)));
}

/// What an attachment says, without the names on it.
fn told(attachment: &Map<String, Value>) -> String {
    let keys = ["pretext", "title", "text", "from_url"];
    let own = keys.iter().filter_map(|key| text(attachment, key));
    let fields = objects(attachment.get("fields"));
    let fields = fields.flat_map(|field| {
        let told = ["title", "value"].map(|key| text(field, key));
        told.into_iter().flatten()
    });
    let mut lines: Vec<String> = own.chain(fields).take(MOST_LINES).map(plain).collect();
    let blocks = words_of(attachment.get("blocks"));
    lines.extend((!blocks.is_empty()).then_some(blocks));
    if lines.is_empty() {
        lines.push("[an attachment]".to_owned());
    }
    lines.join("\n")
}

/// Every text in a block; its kind where it has none.
fn words(block: &Map<String, Value>) -> String {
    let words = collected(block.values());
    if !words.is_empty() {
        return words;
    }
    let kind = text(block, "type").unwrap_or("unknown");
    let known: String = kind
        .chars()
        .filter(|c| c.is_ascii_lowercase() || *c == '_')
        .take(40)
        .collect();
    format!("[{known}]")
}

fn words_of(value: Option<&Value>) -> String {
    collected(value.into_iter())
}

/// The texts in some values, in no particular order of depth; a stack of ours, so that no depth of
/// theirs can exhaust the program's.
fn collected<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    let mut found: Vec<String> = Vec::new();
    let mut open: Vec<&Value> = values.collect();
    open.reverse();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.iter().rev()),
            Value::Object(fields) => {
                if found.len() < MOST_LINES
                    && let Some(said) = text(fields, "text")
                {
                    found.push(plain(said));
                }
                let deeper = fields.iter().filter(|(_, value)| !value.is_string());
                let deeper: Vec<&Value> = deeper.map(|(_, value)| value).collect();
                open.extend(deeper.into_iter().rev());
            }
            Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => {}
        }
    }
    found.join("\n")
}

fn file(file: &Map<String, Value>, own: &Provenance) -> Part {
    let mime = text(file, "mimetype").unwrap_or("");
    let recorded = text(file, "subtype") == Some("slack_audio");
    let kind = match mime.split('/').next() {
        _ if recorded => FileKind::Voice,
        Some("image") => FileKind::Photo,
        Some("audio") => FileKind::Audio,
        Some("video") => FileKind::Video,
        Some(_) | None => FileKind::Document,
    };
    let fact = FileFact {
        kind,
        handle: text(file, "id").unwrap_or("").to_owned(),
        bytes: file.get("size").and_then(Value::as_u64),
    };
    let provenance = match own {
        Provenance::Authored if kind == FileKind::Voice => Provenance::Authored,
        Provenance::Authored => Provenance::Attached,
        other => other.clone(),
    };
    Part {
        body: PartBody::File(fact),
        provenance,
    }
}

fn said(text: &str, provenance: Provenance) -> Option<Part> {
    (!text.is_empty()).then(|| Part {
        body: PartBody::Text(text.to_owned()),
        provenance,
    })
}

fn objects(value: Option<&Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let items = value
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    items.iter().take(MOST_ITEMS).filter_map(Value::as_object)
}

/// How many attachments, files and blocks of one message are read; Slack shows fewer.
const MOST_ITEMS: usize = 100;
/// How many texts of one of them are read.
const MOST_LINES: usize = 200;
