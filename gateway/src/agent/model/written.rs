//! Which calls did a model write into its text? For models that know no other way to call.
//!
//! ```text
//!  <tool_call name="files__read" args='{"file":"notes.txt"}' />      anywhere outside `code`
//!  {"tool":"@files","args":{"cmd":"read","args":{"file":"a"}}}       alone on its lines, or fenced
//!  [tool: @files read --file a]                                      only where nothing else stands
//! ```
//!
//! A call that is only talked about in a sentence is no call. Read in one pass.

use serde_json::Value;

use super::names::Names;
use super::{Completion, Wanted};

mod shape;
mod tag;

/// A call as it stands in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenCall {
    /// The tool's name, as it is written, with a leading `@` where it has one.
    pub name: String,
    /// What it is called with.
    pub arguments: WrittenArguments,
}

/// What a call in a text is called with.
#[derive(Clone, Debug, PartialEq)]
pub enum WrittenArguments {
    /// Words.
    Flat(String),
    /// JSON.
    Json(Value),
}

/// The calls of a text in order, each once where it is repeated as JSON, and what is left of the
/// text. Two equal tags are two calls.
pub fn calls(text: &str) -> (Vec<WrittenCall>, String) {
    let mut found: Vec<WrittenCall> = Vec::new();
    let mut left = String::new();
    let mut rest = text;
    // Whether only blanks and calls stand before this on the line.
    let mut line_is_free = true;
    let mut in_code = false;
    let mut objects_may_come = true;
    let mut tags_left = TAGS;
    while let Some(next) = rest.chars().next() {
        if next == '<' && !in_code && tags_left > 0 && tag::may_be(rest) {
            tags_left -= 1;
            if let Some(tag) = tag::read(rest) {
                found.extend(tag.call);
                rest = tag.rest;
                continue;
            }
        }
        if next == '{' && line_is_free && objects_may_come {
            match shape::object(rest) {
                Some((object, behind)) => {
                    let ends_line = behind.trim_start_matches([' ', '\t']);
                    let alone = ends_line.is_empty() || ends_line.starts_with('\n');
                    match shape::call(object).filter(|_| alone) {
                        Some(call) if found.contains(&call) => {}
                        Some(call) => found.push(call),
                        None => left.push_str(object),
                    }
                    rest = behind;
                    continue;
                }
                // Whatever opens behind it would stand inside it.
                None => objects_may_come = false,
            }
        }
        match next {
            '\n' => (line_is_free, in_code) = (true, false),
            '`' => {
                let fence = rest.starts_with("```");
                in_code = in_code == fence;
                line_is_free = line_is_free && fence;
                if fence {
                    let line = rest.split_inclusive('\n').next().unwrap_or(rest);
                    left.push_str(line);
                    rest = rest.get(line.len()..).unwrap_or_default();
                    line_is_free = true;
                    continue;
                }
            }
            blank if blank.is_whitespace() => {}
            _ => line_is_free = false,
        }
        left.push(next);
        rest = rest.get(next.len_utf8()..).unwrap_or_default();
    }
    if found.is_empty() {
        found.extend(text.lines().filter_map(shape::bracket));
    }
    (found, left.trim().to_owned())
}

/// How many tags are looked at: each may read to the end of the text.
const TAGS: usize = 256;

/// The completion that a text with calls in it is.
pub fn completion(text: &str, names: &Names<'_>) -> Completion {
    let (calls, text) = calls(text);
    Completion {
        text,
        calls: calls.into_iter().map(|call| wanted(call, names)).collect(),
        ..Completion::default()
    }
}

fn wanted(call: WrittenCall, names: &Names<'_>) -> Wanted {
    let name = call.name.trim_start_matches('@');
    let (tool, command) = names.back(name);
    let json = match call.arguments {
        WrittenArguments::Json(json) => json,
        WrittenArguments::Flat(arguments) => {
            return Wanted {
                tool,
                command,
                arguments,
            };
        }
    };
    let named = json.get("cmd").and_then(Value::as_str);
    match named.filter(|_| command.is_empty()) {
        Some(command) => Wanted {
            tool,
            command: command.to_owned(),
            arguments: json.get("args").map_or("{}".to_owned(), Value::to_string),
        },
        None => Wanted {
            tool,
            command,
            arguments: json.to_string(),
        },
    }
}

/// What such a model is told of its tools.
pub fn instructions(names: &Names<'_>) -> String {
    let mut told = "To have something done, end your answer with one line for each call, and write \
                    nothing behind them:\n<tool_call name=\"NAME\" args='{\"PARAMETER\":\"VALUE\"}' />\n\
                    These can be called:\n"
        .to_owned();
    for (name, _, command) in names.offered() {
        let schema = super::mapping::schema(command);
        told.push_str(&format!("{name}: {} {schema}\n", command.description));
    }
    told
}

/// A call as such a model writes it.
pub fn tag(name: &str, arguments: &Value) -> String {
    let arguments = arguments.to_string().replace('\'', "\\u0027");
    format!("\n<tool_call name=\"{name}\" args='{arguments}' />")
}
