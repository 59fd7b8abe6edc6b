//! What does the model want done? One call of one tool, under the one name that rules know it by.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::{CallId, ToolName};

/// The longest text of arguments that is read, in bytes; longer is unreadable.
pub const ARGUMENT_BYTES: usize = 256 * 1024;
/// How deep arguments may nest; deeper is unreadable.
pub const ARGUMENT_DEPTH: usize = 32;

/// One call of one tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// What the model calls it.
    pub id: CallId,
    /// Which tool.
    pub tool: ToolName,
    /// Which of the tool's commands; empty where the model named none.
    pub command: String,
    /// With what.
    pub arguments: Arguments,
}

/// A call's arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Arguments {
    /// Named values.
    Readable(Map<String, Value>),
    /// What the model sent is not a JSON object; kept for the person to see.
    Unreadable(String),
}

impl Arguments {
    /// Reads what a model sent. Length and depth are capped before the parser sees it.
    pub fn parse(text: &str) -> Self {
        if fits(text, &mut 0) {
            let text = if text.trim().is_empty() { "{}" } else { text };
            if let Ok(map) = serde_json::from_str(text) {
                return Self::Readable(map);
            }
        }
        Self::Unreadable(text.to_owned())
    }

    /// How many steps it takes until the parser sees the text; at most its bytes.
    pub fn steps(text: &str) -> usize {
        let mut steps = 0;
        fits(text, &mut steps);
        steps
    }
}

impl Call {
    /// The named argument, if it is there and is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        match &self.arguments {
            Arguments::Readable(map) => map.get(name)?.as_str(),
            Arguments::Unreadable(_) => None,
        }
    }

    /// The arguments that are text, with their names.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let map = match &self.arguments {
            Arguments::Readable(map) => Some(map),
            Arguments::Unreadable(_) => None,
        };
        let named = map.into_iter().flatten();
        named.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
    }

    /// The tool and its command as rules name them: `@files write`.
    pub fn head(&self) -> String {
        if self.command.is_empty() {
            format!("@{}", self.tool)
        } else {
            format!("@{} {}", self.tool, self.command)
        }
    }

    /// The one name that rules know the call by: `@files write --file notes.txt`, keys sorted,
    /// values with blanks in quotes, what is only payload left out.
    pub fn rule_name(&self) -> String {
        let mut name = self.head();
        let Arguments::Readable(map) = &self.arguments else {
            return name;
        };
        let mut named: Vec<(&String, &Value)> = map
            .iter()
            .filter(|(key, _)| !PAYLOAD.contains(&key.as_str()))
            .collect();
        named.sort_by_key(|(key, _)| *key);
        for (key, value) in named {
            match value {
                Value::Bool(false) | Value::Null => {}
                Value::Bool(true) => name.push_str(&format!(" --{key}")),
                Value::Array(_) | Value::Number(_) | Value::Object(_) | Value::String(_) => {
                    name.push_str(&format!(" --{key} {}", quoted(plain(value))));
                }
            }
        }
        name
    }
}

/// A value as rules and cards write it: text as it is, all else as JSON.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Bool(_) | Value::Null | Value::Number(_) | Value::Object(_) => {
            if is_deeper(value, ARGUMENT_DEPTH) {
                "(nested too deeply to show)".to_owned()
            } else {
                value.to_string()
            }
        }
    }
}

/// A value as one word of a rule name.
fn quoted(value: String) -> String {
    let is_one_word = !value.is_empty() && !value.contains(char::is_whitespace);
    match (is_one_word, value.contains('"')) {
        (true, _) => value,
        (false, false) => format!("\"{value}\""),
        (false, true) => format!("'{value}'"),
    }
}

/// Whether a JSON text is short and flat enough for the parser, without parsing it.
pub(crate) fn fits(text: &str, steps: &mut usize) -> bool {
    if text.len() > ARGUMENT_BYTES {
        return false;
    }
    let mut open = 0_usize;
    let (mut quoted, mut escaped) = (false, false);
    for byte in text.bytes() {
        *steps += 1;
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                open += 1;
                if open > ARGUMENT_DEPTH {
                    return false;
                }
            }
            b']' | b'}' if !quoted => open = open.saturating_sub(1),
            _ => {}
        }
    }
    true
}

/// Whether a value nests deeper than `limit`, found without recursion.
pub(crate) fn is_deeper(value: &Value, limit: usize) -> bool {
    let mut todo = vec![(value, 0_usize)];
    while let Some((value, level)) = todo.pop() {
        if level > limit {
            return true;
        }
        match value {
            Value::Array(items) => todo.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(map) => todo.extend(map.values().map(|item| (item, level + 1))),
            Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}

/// Parameters that hold what is written rather than where or which.
const PAYLOAD: [&str; 11] = [
    "body", "caption", "content", "contents", "data", "encoding", "message", "new", "old",
    "replace", "text",
];
