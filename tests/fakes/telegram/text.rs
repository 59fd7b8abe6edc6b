//! What would the Bot API make of this text? Lengths in UTF-16 units, HTML, entities.

use serde_json::{Value, json};

/// Text as it stands on the screen, with its entities.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    pub text: String,
    pub entities: Vec<Value>,
}

pub fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Reads text as a method takes it. The error is the description that the Bot API gives.
pub fn parse(text: &str, mode: Option<&str>, entities: Option<&Value>) -> Result<Parsed, String> {
    let parsed = match mode.map(str::to_ascii_lowercase).as_deref() {
        None | Some("") => Parsed {
            text: text.to_owned(),
            entities: checked(text, entities)?,
        },
        Some("html") => html(text)?,
        Some(_) => return Err("Bad Request: unsupported parse_mode".to_owned()),
    };
    if parsed.text.trim().is_empty() {
        return Err("Bad Request: message text is empty".to_owned());
    }
    if units(&parsed.text) > 4096 {
        return Err("Bad Request: message is too long".to_owned());
    }
    Ok(parsed)
}

fn checked(text: &str, entities: Option<&Value>) -> Result<Vec<Value>, String> {
    let Some(entities) = entities else {
        return Ok(Vec::new());
    };
    let list = entities
        .as_array()
        .ok_or("Bad Request: can't parse entities: expected an Array")?;
    let mut edges = vec![0];
    for c in text.chars() {
        edges.push(edges.last().unwrap() + c.len_utf16() as u64);
    }
    for entity in list {
        let kind = entity["type"]
            .as_str()
            .ok_or("Bad Request: can't parse entities: entity has no type")?;
        if !KINDS.contains(&kind) {
            return Err(format!(
                "Bad Request: can't parse entities: unsupported type {kind}"
            ));
        }
        let (Some(offset), Some(length)) = (entity["offset"].as_u64(), entity["length"].as_u64())
        else {
            return Err("Bad Request: can't parse entities: no offset or length".to_owned());
        };
        let fits = length > 0
            && edges.binary_search(&offset).is_ok()
            && edges.binary_search(&(offset + length)).is_ok();
        if !fits {
            return Err(format!(
                "Bad Request: can't parse entities: entity {kind} at {offset} of length {length} is out of bounds"
            ));
        }
        if kind == "text_link" && entity["url"].as_str().is_none_or(str::is_empty) {
            return Err("Bad Request: can't parse entities: text_link has no url".to_owned());
        }
    }
    // The platform keeps a hundred and says nothing about the rest.
    Ok(list.iter().take(100).cloned().collect())
}

fn html(source: &str) -> Result<Parsed, String> {
    let mut text = String::new();
    let mut open: Vec<(String, String, usize)> = Vec::new();
    let mut entities = Vec::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if c == '<' {
            let at = source.len() - rest.len();
            let end = rest
                .find('>')
                .ok_or_else(|| bad(&format!("unclosed start tag at byte offset {at}")))?;
            let tag = &rest[1..end];
            rest = &rest[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                let name = name.trim();
                let (known, attributes, from) = open
                    .pop()
                    .ok_or_else(|| bad(&format!("unexpected end tag at byte offset {at}")))?;
                if known != name {
                    return Err(bad(&format!(
                        "unmatched end tag at byte offset {at}, expected \"</{known}>\", found \"</{name}>\""
                    )));
                }
                let length = units(&text) - from;
                if length > 0 {
                    entities.push(entity(&known, &attributes, from, length));
                }
            } else {
                let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
                if !TAGS.contains(&name) {
                    return Err(bad(&format!(
                        "unsupported start tag \"{name}\" at byte offset {at}"
                    )));
                }
                open.push((name.to_owned(), attributes.to_owned(), units(&text)));
            }
        } else if c == '&' {
            let known = [
                ("&lt;", '<'),
                ("&gt;", '>'),
                ("&amp;", '&'),
                ("&quot;", '"'),
            ];
            match known.iter().find(|(name, _)| rest.starts_with(name)) {
                Some((name, c)) => {
                    text.push(*c);
                    rest = &rest[name.len()..];
                }
                None => {
                    text.push('&');
                    rest = &rest[1..];
                }
            }
        } else {
            text.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    match open.pop() {
        Some((name, ..)) => Err(bad(&format!(
            "can't find end tag corresponding to start tag \"{name}\""
        ))),
        None => Ok(Parsed { text, entities }),
    }
}

fn entity(name: &str, attributes: &str, offset: usize, length: usize) -> Value {
    let kind = match name {
        "b" | "strong" => "bold",
        "i" | "em" => "italic",
        "u" | "ins" => "underline",
        "s" | "strike" | "del" => "strikethrough",
        "a" => "text_link",
        "tg-spoiler" => "spoiler",
        other => other,
    };
    let mut entity = json!({"type": kind, "offset": offset, "length": length});
    if kind == "text_link"
        && let Some(url) = attributes.split('"').nth(1)
    {
        entity["url"] = json!(url);
    }
    entity
}

fn bad(why: &str) -> String {
    format!("Bad Request: can't parse entities: {why}")
}

/// Entities that the platform finds by itself in what a person types.
pub fn typed(text: &str) -> Vec<Value> {
    let mut entities = Vec::new();
    let mut offset = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let kind = match bare.chars().next() {
            Some('/') if bare[1..].starts_with(name) => Some("bot_command"),
            Some('@') if bare[1..].starts_with(name) => Some("mention"),
            _ => None,
        };
        if let Some(kind) = kind {
            let length = 1 + bare[1..]
                .chars()
                .take_while(|c| name(*c) || (kind == "bot_command" && *c == '@'))
                .count();
            entities.push(json!({"type": kind, "offset": offset, "length": length}));
        }
        offset += units(word);
    }
    entities
}

const KINDS: [&str; 19] = [
    "mention",
    "hashtag",
    "cashtag",
    "bot_command",
    "url",
    "email",
    "phone_number",
    "bold",
    "blockquote",
    "expandable_blockquote",
    "italic",
    "underline",
    "strikethrough",
    "spoiler",
    "code",
    "pre",
    "text_link",
    "text_mention",
    "custom_emoji",
];

const TAGS: [&str; 16] = [
    "b",
    "strong",
    "i",
    "em",
    "u",
    "ins",
    "s",
    "strike",
    "del",
    "a",
    "code",
    "pre",
    "blockquote",
    "span",
    "tg-spoiler",
    "tg-emoji",
];
