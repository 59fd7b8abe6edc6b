//! Which command do raw arguments really name? JSON in each of its wrappings, or words as typed.

use serde_json::{Map, Value};

use crate::call::{self, Arguments, Call};
use crate::id::{CallId, ToolName};
use crate::tool::ToolSpec;

/// Reads a whole call as rules and people write it: `@files write --file a`, or with JSON after
/// the tool. None where it names no tool.
pub fn typed(text: &str, tools: &[ToolSpec]) -> Option<Call> {
    let text = text.trim();
    let (tool, raw) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let tool = tool.strip_prefix('@').unwrap_or(tool);
    if tool.is_empty() {
        return None;
    }
    let spec = tools.iter().find(|spec| spec.name.as_str() == tool);
    Some(reduce(CallId::new(""), ToolName::new(tool), raw, spec))
}

/// Reduces raw arguments to one command with named values. The values are looked for at the top,
/// in `args` and in `flags`, where later ones stand for earlier ones; or in `argv` alone. What
/// cannot be read stays unreadable and names no command.
pub fn reduce(id: CallId, tool: ToolName, raw: &str, spec: Option<&ToolSpec>) -> Call {
    let read = read(raw, spec);
    let unread = || (String::new(), Arguments::Unreadable(raw.to_owned()));
    let (command, arguments) =
        read.map_or_else(unread, |(command, map)| (command, Arguments::Readable(map)));
    Call {
        id,
        tool,
        command,
        arguments,
    }
}

type Named = (String, Map<String, Value>);

fn read(raw: &str, spec: Option<&ToolSpec>) -> Option<Named> {
    let raw = raw.trim();
    if raw.len() > call::ARGUMENT_BYTES {
        return None;
    }
    if raw.is_empty() {
        return Some((String::new(), Map::new()));
    }
    if raw.starts_with(['{', '[']) {
        return match json(raw).or_else(|| json(&decoded(raw)))? {
            Value::Array(items) => words(String::new(), list(&items), spec),
            Value::Object(map) => object(map, spec),
            Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => None,
        };
    }
    words(String::new(), split(raw)?, spec)
}

fn object(mut map: Map<String, Value>, spec: Option<&ToolSpec>) -> Option<Named> {
    let argv = map.remove("argv");
    let command = match map.get("cmd") {
        Some(Value::String(command)) if !command.is_empty() => {
            let command = command.clone();
            map.remove("cmd");
            command
        }
        Some(_) | None => String::new(),
    };
    match argv {
        Some(Value::Array(items)) if !items.is_empty() => {
            return words(command, list(&items), spec);
        }
        Some(Value::Array(_)) | None => {}
        Some(_) => return None,
    }
    if command.is_empty() {
        map.remove("cmd");
    }
    let inner = [map.remove("args"), map.remove("flags")];
    for wrapped in inner.into_iter().flatten() {
        let values = match wrapped {
            Value::Object(values) => values,
            Value::String(text) => match json(&text)? {
                Value::Object(values) => values,
                _ => return None,
            },
            Value::Null => continue,
            _ => return None,
        };
        for (name, value) in values {
            map.insert(name, value);
        }
    }
    if !command.is_empty()
        && let Some(line) = map.remove("command")
    {
        // Two lines would leave open which one is meant.
        if map.insert("cmd".to_owned(), line).is_some() {
            return None;
        }
    }
    Some((command, map))
}

/// One word of a command line, and whether it stood in quotes.
#[derive(Default)]
struct Word {
    text: String,
    quoted: bool,
}

fn list(items: &[Value]) -> Vec<Word> {
    let texts = items.iter().filter_map(Value::as_str);
    texts
        .map(|text| Word {
            text: text.to_owned(),
            quoted: text.contains(char::is_whitespace),
        })
        .collect()
}

/// Command, then `--name value`; words before the first name are the command's first parameter.
fn words(command: String, words: Vec<Word>, spec: Option<&ToolSpec>) -> Option<Named> {
    let mut words = words.into_iter().peekable();
    let command = if command.is_empty() {
        words
            .next_if(|word| !word.text.starts_with("--"))
            .map_or(command, |word| word.text)
    } else {
        let _ = words.next_if(|word| word.text == command);
        command
    };
    let first = spec
        .and_then(|spec| spec.commands.iter().find(|known| known.name == command))
        .and_then(|known| known.parameters.first())
        .map_or("value", |parameter| parameter.name.as_str());
    let mut map: Map<String, Value> = Map::new();
    let mut key = first.to_owned();
    for word in words {
        let name = word
            .text
            .strip_prefix("--")
            .filter(|name| !word.quoted && !name.is_empty());
        let Some(name) = name else {
            match map.get_mut(&key) {
                Some(Value::String(value)) => {
                    value.push(' ');
                    value.push_str(&word.text);
                }
                Some(_) | None => {
                    map.insert(key.clone(), Value::String(word.text));
                }
            }
            continue;
        };
        let (name, value) = match name.split_once('=') {
            None => (name, Value::Bool(true)),
            Some((name, value)) => (name, Value::String(value.to_owned())),
        };
        key = name.to_owned();
        // A name that comes twice leaves open which value is meant.
        if map.insert(key.clone(), value).is_some() {
            return None;
        }
    }
    Some((command, map))
}

/// Splits at blanks outside quotes; none where a quote stays open.
fn split(text: &str) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if let Some(meant) = rest.next_if(|next| c == '\\' && is_escaped(*next, quote)) {
            word.get_or_insert_default().text.push(meant);
            continue;
        }
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '\'' | '"') => {
                quote = Some(c);
                let begun = word.get_or_insert_default();
                begun.quoted = begun.quoted || begun.text.is_empty();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            Some(_) | None => {
                word.get_or_insert_default().text.push(c);
            }
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// Whether a backslash before this means the character itself, as it does for a shell. Before any
/// other it stands for itself, as in a path or an expression.
fn is_escaped(next: char, quote: Option<char>) -> bool {
    match quote {
        None => matches!(next, '\\' | '\'' | '"') || next.is_whitespace(),
        Some('"') => matches!(next, '\\' | '"'),
        Some(_) => false,
    }
}

fn json(text: &str) -> Option<Value> {
    if !call::fits(text, &mut 0) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// HTML's own escapes, which some models write, taken back once.
fn decoded(text: &str) -> String {
    [
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(text.to_owned(), |text, (escape, plain)| {
        text.replace(escape, plain)
    })
}
