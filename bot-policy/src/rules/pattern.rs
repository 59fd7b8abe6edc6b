//! Does this pattern speak of this call? `@tool command --key value`, read narrowly or widely.

use std::borrow::Cow;

use serde_json::Value;

use crate::call::{Arguments, Call};
use crate::path;
use crate::rules::address;
use crate::spoken::Spoken;

/// The longest pattern, in bytes.
pub const PATTERN_BYTES: usize = 500;

/// How a pattern is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Only what the pattern surely means: for allowing.
    Narrow,
    /// All that it may mean: for asking and denying.
    Wide,
}

/// A pattern, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    tool: String,
    command: Option<String>,
    conditions: Vec<(String, Option<String>)>,
}

impl Pattern {
    /// Reads a pattern. None where it could never name a call.
    pub fn read(text: &str) -> Option<Self> {
        if text.len() > PATTERN_BYTES || text.chars().any(char::is_control) {
            return None;
        }
        let mut words = text.split_whitespace().peekable();
        let tool = words.next()?;
        // A tool server's name is often written without the sign.
        let tool = tool.strip_prefix('@').unwrap_or(tool).to_owned();
        let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if tool.is_empty() || tool.starts_with('-') || !tool.chars().all(named) {
            return None;
        }
        let command = words
            .next_if(|word| !word.starts_with("--"))
            .map(ToOwned::to_owned);
        let mut conditions: Vec<(String, Option<String>)> = Vec::new();
        let mut quote = None;
        for word in words {
            match (word.strip_prefix("--"), quote) {
                (Some(key), None) => {
                    if key.is_empty() {
                        return None;
                    }
                    conditions.push((key.to_owned(), None));
                }
                (Some(_) | None, _) => {
                    let (_, value) = conditions.last_mut()?;
                    if value.is_none() {
                        quote = word.chars().next().filter(|c| matches!(c, '\'' | '"'));
                    }
                    let value = value.get_or_insert_default();
                    if !value.is_empty() {
                        value.push(' ');
                    }
                    value.push_str(word);
                    if let Some(open) = quote
                        && value.len() > 1
                        && value.ends_with(open)
                    {
                        quote = None;
                    }
                }
            }
        }
        if quote.is_some() {
            return None;
        }
        for (_, value) in &mut conditions {
            *value = value.take().map(unquoted);
        }
        Some(Self {
            tool,
            command,
            conditions,
        })
    }

    /// The tool.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The command, where it names one.
    pub fn command(&self) -> Option<&str> {
        self.command.as_deref()
    }

    /// What it says of arguments: names, with what they must be where it says.
    pub fn conditions(&self) -> &[(String, Option<String>)] {
        &self.conditions
    }

    /// Whether the pattern names the call's tool, and its command where both name one.
    pub fn names(&self, call: &Call) -> bool {
        let command = match &self.command {
            None => true,
            Some(command) => call.command.is_empty() || same(command, &call.command),
        };
        same(&self.tool, call.tool.as_str()) && command
    }

    /// Whether the pattern names this command of any tool.
    pub fn names_command(&self, command: &str) -> bool {
        self.command
            .as_deref()
            .is_some_and(|named| same(named, command))
    }

    /// Whether the pattern speaks of the call. What cannot be read is surely meant by no pattern,
    /// and may be meant by each that names its command.
    pub fn matches(&self, call: &Call, reading: Reading) -> bool {
        self.speaks_of(&Spoken::new(call), reading)
    }

    /// The same, of a call whose command lines are taken apart once for many patterns.
    pub(crate) fn speaks_of(&self, spoken: &Spoken, reading: Reading) -> bool {
        let call = spoken.call;
        let named = match reading {
            Reading::Narrow => {
                self.tool == call.tool.as_str()
                    && self
                        .command
                        .as_ref()
                        .is_none_or(|command| *command == call.command)
            }
            Reading::Wide => self.names(call),
        };
        let Arguments::Readable(map) = &call.arguments else {
            return named && reading == Reading::Wide;
        };
        named
            && self.conditions.iter().all(|(key, wanted)| {
                let mut values = map.iter().filter(|(name, _)| match reading {
                    Reading::Narrow => *name == key,
                    Reading::Wide => means(name, key),
                });
                values.any(|(name, value)| holds(spoken, name, wanted.as_deref(), value, reading))
            })
    }
}

fn holds(
    spoken: &Spoken,
    name: &str,
    wanted: Option<&str>,
    value: &Value,
    reading: Reading,
) -> bool {
    let value = match value {
        Value::Bool(false) | Value::Null => return false,
        Value::Bool(true) => return wanted.is_none_or(|wanted| wanted == "true"),
        Value::Number(number) => Cow::Owned(number.to_string()),
        Value::String(text) => Cow::Borrowed(text.as_str()),
        // A list or an object may hold anything.
        Value::Array(_) | Value::Object(_) => return reading == Reading::Wide,
    };
    let Some(wanted) = wanted else {
        return true;
    };
    match (is_line(name), reading) {
        (false, Reading::Narrow) => holds_narrowly(wanted, &value),
        (false, Reading::Wide) => holds_widely(wanted, &value),
        (true, Reading::Narrow) => spoken.surely(wanted, &value),
        (true, Reading::Wide) => {
            begins(&folded(&value), &folded(wanted)) || spoken.maybe(wanted, &value)
        }
    }
}

/// Whether a parameter of this name holds a command line.
pub(crate) fn is_line(name: &str) -> bool {
    LINES.iter().any(|line| same(line, name))
}

/// The same text, the same path, or a path below; a longer text only where it has no blanks.
fn holds_narrowly(wanted: &str, value: &str) -> bool {
    if value == wanted {
        return true;
    }
    if wanted.is_empty() || wanted.contains("://") || value.contains("://") {
        return false;
    }
    match (path::normal(wanted), path::normal(value)) {
        (Some(wanted), Some(value)) => path::is_within(&value, &wanted),
        (None, _) | (_, None) => false,
    }
}

/// Any beginning of the value that ends at the end of a word, whatever its case and blanks; as
/// text and as a path. A path that climbs out of its start may be any path.
fn holds_widely(wanted: &str, value: &str) -> bool {
    let (wanted, value) = (folded(wanted), folded(value));
    if begins(&value, &wanted) {
        return true;
    }
    if let Some(speaks) = address::maybe(&wanted, &value) {
        return speaks;
    }
    let Some(wanted) = path::normal(&wanted) else {
        return true;
    };
    let value = value.replace('\\', "/");
    match path::normal(&value) {
        None => value.contains('/') || value.contains(".."),
        Some(value) => {
            let rootless = value.trim_start_matches('/');
            let below = |value: &str| begins(value, &wanted) || path::is_within(value, &wanted);
            below(&value) || below(rootless)
        }
    }
}

pub(crate) fn begins(value: &str, wanted: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    value.strip_prefix(wanted).is_some_and(|rest| {
        wanted.chars().next_back().is_some_and(|c| !is_word(c))
            || rest.chars().next().is_none_or(|c| !is_word(c))
    })
}

/// Lower case, blanks made one.
pub(crate) fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// Whether a parameter of this name says which file or folder.
pub(crate) fn names_file(name: &str) -> bool {
    FILES.iter().any(|file| same(file, name))
}

/// Whether two names of parameters stand for one thing.
fn means(name: &str, key: &str) -> bool {
    let in_one = |names: &[&str]| {
        let has = |name: &str| names.iter().any(|other| same(other, name));
        has(name) && has(key)
    };
    same(name, key) || in_one(&FILES) || in_one(&LINES) || in_one(&ADDRESSES)
}

fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

fn unquoted(text: String) -> String {
    ['\'', '"']
        .iter()
        .find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
        .map(ToOwned::to_owned)
        .unwrap_or(text)
}

/// What tools call an address on the web.
const ADDRESSES: [&str; 5] = ["address", "href", "link", "uri", "url"];
/// What tools call the file or folder that they work on.
const FILES: [&str; 9] = [
    "dir",
    "directory",
    "file",
    "file_path",
    "filename",
    "filepath",
    "folder",
    "path",
    "target",
];
/// What tools call a command line.
const LINES: [&str; 4] = ["cmd", "command", "line", "script"];
