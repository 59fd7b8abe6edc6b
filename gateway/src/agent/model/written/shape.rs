//! Has this piece of text the shape of a call?

use serde_json::{Map, Value};

use super::tag::read_arguments;
use super::{WrittenArguments, WrittenCall};

/// Commands that name the coding tool without its name.
const IMPLICIT: [&str; 14] = [
    "read",
    "write",
    "patch",
    "tree",
    "search",
    "exec",
    "test",
    "rollback",
    "clean",
    "git-status",
    "git-diff",
    "git-log",
    "git-changed",
    "git-branch",
];

/// The object at the start of a text, and what is behind it; none when it does not close.
pub(super) fn object(text: &str) -> Option<(&str, &str)> {
    let (mut open, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => open += 1,
            b'}' if !quoted => {
                open = open.saturating_sub(1);
                if open == 0 {
                    return Some((text.get(..=at)?, text.get(at + 1..)?));
                }
            }
            _ => {}
        }
    }
    None
}

/// The call that an object is. Results of searches and errors of services look alike and are none.
pub(super) fn call(object: &str) -> Option<WrittenCall> {
    let map: Map<String, Value> = serde_json::from_str(object).ok()?;
    let has = |key: &str| map.contains_key(key);
    if has("url") || (has("title") && has("snippet")) || (has("type") && has("error")) {
        return None;
    }
    let name = ["tool_call", "name", "tool"]
        .iter()
        .find_map(|key| map.get(*key)?.as_str());
    let arguments = map.get("args").or_else(|| map.get("arguments"));
    match name {
        Some(name) if name.starts_with('@') || name == CODER => Some(WrittenCall {
            name: format!("@{}", name.trim_start_matches('@')),
            arguments: match arguments {
                None => WrittenArguments::Json(Value::Object(Map::new())),
                Some(Value::String(text)) => read_arguments(text),
                Some(json) => WrittenArguments::Json(json.clone()),
            },
        }),
        Some(_) => None,
        None => {
            let command = map.get("cmd")?.as_str()?;
            let is_web_search =
                command == "search" && arguments.is_some_and(|args| args.get("query").is_some());
            let known = IMPLICIT.contains(&command);
            (known && !is_web_search).then(|| WrittenCall {
                name: format!("@{CODER}"),
                arguments: WrittenArguments::Json(Value::Object(map)),
            })
        }
    }
}

const CODER: &str = "coder";

/// The call in brackets at the start of a line.
pub(super) fn bracket(line: &str) -> Option<WrittenCall> {
    let inside = ["[tool:", "[tool_call:"]
        .iter()
        .find_map(|opens| line.trim_start().strip_prefix(opens))?
        .trim();
    let inside = inside.strip_suffix(']').unwrap_or(inside).trim();
    let (name, arguments) = match inside.split_once(char::is_whitespace) {
        Some((name, arguments)) => (name, arguments.trim()),
        None => (inside, ""),
    };
    if name.trim_start_matches('@').is_empty() {
        return None;
    }
    Some(WrittenCall {
        name: format!("@{}", name.trim_start_matches('@')),
        arguments: read_arguments(arguments),
    })
}
