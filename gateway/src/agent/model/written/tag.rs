//! Is this a tag that calls a tool?

use serde_json::Value;

use super::{WrittenArguments, WrittenCall};

/// A tag that was read, whether it calls something or not.
pub(super) struct Tag<'t> {
    /// What it calls; none when it names nothing.
    pub(super) call: Option<WrittenCall>,
    /// What stands behind it and behind its closing tag.
    pub(super) rest: &'t str,
}

/// Whether a text begins like such a tag.
pub(super) fn may_be(text: &str) -> bool {
    text.strip_prefix('<')
        .is_some_and(|text| strip(text, "tool").is_some())
}

/// Reads a tag of these names at the start of a text: `tool_call` or `tool`, in any case.
pub(super) fn read(text: &str) -> Option<Tag<'_>> {
    let (name, mut rest) = NAMES.iter().find_map(|name| {
        let rest = strip(text.strip_prefix('<')?, name)?;
        rest.starts_with([' ', '\t', '\n', '>', '/'])
            .then_some((*name, rest))
    })?;
    let (mut called, mut arguments) = (None, None);
    loop {
        rest = rest.trim_start();
        if let Some(behind) = rest.strip_prefix("/>") {
            rest = behind;
            break;
        }
        if let Some(behind) = rest.strip_prefix('>') {
            rest = closed(behind, name);
            break;
        }
        let (attribute, value, behind) = attribute(rest)?;
        match attribute.to_ascii_lowercase().as_str() {
            "name" => called = Some(value),
            "args" => arguments = Some(value),
            _ => {}
        }
        rest = behind;
    }
    let call = called.filter(|name| !name.is_empty()).map(|name| {
        let text = arguments.unwrap_or_default();
        WrittenCall {
            name,
            arguments: read_arguments(&text),
        }
    });
    Some(Tag { call, rest })
}

/// The longer name comes first.
const NAMES: [&str; 2] = ["tool_call", "tool"];

/// Arguments as they are written; what is no JSON is words.
pub(super) fn read_arguments(text: &str) -> WrittenArguments {
    if text.trim().is_empty() {
        return WrittenArguments::Json(Value::Object(serde_json::Map::new()));
    }
    let plain = text.replace("&quot;", "\"").replace("&apos;", "'");
    match serde_json::from_str(text).or_else(|_| serde_json::from_str(&plain)) {
        Ok(json) => WrittenArguments::Json(json),
        Err(_) => WrittenArguments::Flat(text.to_owned()),
    }
}

fn strip<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let start = text.get(..prefix.len())?;
    start
        .eq_ignore_ascii_case(prefix)
        .then(|| text.get(prefix.len()..))?
}

/// What is behind the closing tag, where there is one.
fn closed<'t>(text: &'t str, name: &str) -> &'t str {
    let closing = format!("</{name}>");
    let at = text
        .char_indices()
        .filter(|(_, c)| *c == '<')
        .map(|(at, _)| text.get(at..).unwrap_or_default())
        .find_map(|tag| strip(tag, &closing));
    at.unwrap_or(text)
}

fn attribute(text: &str) -> Option<(String, String, &str)> {
    let end = text.find(|c: char| c.is_whitespace() || "=/>".contains(c))?;
    let name = text.get(..end).filter(|name| !name.is_empty())?;
    let rest = text.get(end..)?.trim_start();
    let Some(rest) = rest.strip_prefix('=') else {
        return Some((name.to_owned(), String::new(), rest));
    };
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let Some(quote) = quote else {
        let end = rest.find(|c: char| c.is_whitespace() || c == '>')?;
        return Some((
            name.to_owned(),
            rest.get(..end)?.to_owned(),
            rest.get(end..)?,
        ));
    };
    let mut value = String::new();
    let mut letters = rest.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == quote {
            return Some((name.to_owned(), value, rest.get(at + 1..)?));
        }
        if letter == '\\'
            && let Some((_, next)) = letters.next_if(|(_, next)| *next == quote || *next == '\\')
        {
            // Between single quotes a backslash is the JSON's own.
            if next != quote && quote == '\'' {
                value.push('\\');
            }
            value.push(next);
            continue;
        }
        value.push(letter);
    }
    None
}
