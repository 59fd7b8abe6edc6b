//! Would this call touch what Postern itself stands on? Only the owner's hand changes that.

use serde_json::Value;

use crate::call::{Arguments, Call};
use crate::tool::{Change, CommandSpec, Effects, ParameterRole};

/// The argument that names Postern's own rules, configuration or data, or a project's rule file,
/// in a call that changes something; or a command line that names the program at all.
pub fn touched<'a>(
    command: Option<&CommandSpec>,
    effects: &Effects,
    call: &'a Call,
) -> Option<&'a str> {
    let Arguments::Readable(map) = &call.arguments else {
        return None;
    };
    map.iter()
        .filter(|(name, value)| {
            let Value::String(text) = value else {
                return false;
            };
            let role = command
                .and_then(|command| command.parameter(name))
                .map(|parameter| parameter.role);
            match role {
                Some(ParameterRole::Body) => false,
                Some(ParameterRole::CommandLine) => is_named(text) || names_program(text),
                Some(ParameterRole::Destination | ParameterRole::Note) | None => {
                    effects.change != Change::Nothing && is_named(text)
                }
            }
        })
        .map(|(name, _)| name.as_str())
        .next()
}

fn is_named(text: &str) -> bool {
    // These two letters stand in each of the names, and in few texts.
    let mut pairs = text.as_bytes().windows(2);
    if text.is_ascii() && !pairs.any(|pair| pair.eq_ignore_ascii_case(b"po")) {
        return false;
    }
    text.split(['/', '\\', ' ', '"', '\'', '='])
        .map(|segment| segment.trim_end_matches(['.', ' ']))
        .any(|segment| {
            if segment.is_ascii() {
                OWN.iter().any(|own| own.eq_ignore_ascii_case(segment))
            } else {
                OWN.contains(&segment.to_lowercase().as_str())
            }
        })
}

fn names_program(text: &str) -> bool {
    let mut parts = text.as_bytes().windows(PROGRAM.len());
    parts.any(|part| matches!(part, [b'p' | b'P', ..]) && part.eq_ignore_ascii_case(PROGRAM))
}

const PROGRAM: &[u8] = b"postern";
const OWN: [&str; 6] = [
    "coder_policy.json",
    "policy.json",
    "postern.db",
    "postern.db-wal",
    "postern.sock",
    "postern.toml",
];
