//! How does a provider name our tools? One legal name for each command of a tool, and back.

use std::collections::BTreeMap;

use bot_policy::call::Call;
use bot_policy::id::CallId;
use bot_policy::tool::{CommandSpec, ToolSpec};

use crate::digest::hex;

/// The longest name of a function that every provider takes, in characters.
const NAME_CHARACTERS: usize = 64;
/// What stands between tool and command.
const BETWEEN: &str = "__";

/// The commands that are offered, by the name under which a provider knows them.
#[derive(Debug, Default)]
pub struct Names<'a>(BTreeMap<String, (&'a ToolSpec, &'a CommandSpec)>);

impl<'a> Names<'a> {
    /// Names each command of these tools. Of two with one name neither is offered.
    pub fn of(tools: &'a [ToolSpec]) -> Self {
        let mut names = BTreeMap::new();
        let mut taken = Vec::new();
        for tool in tools {
            for command in &tool.commands {
                let name = wire_name(tool.name.as_str(), &command.name);
                if names.insert(name.clone(), (tool, command)).is_some() {
                    taken.push(name);
                }
            }
        }
        for name in taken {
            names.remove(&name);
        }
        Self(names)
    }

    /// What is offered, by name.
    pub fn offered(&self) -> impl Iterator<Item = (&str, &'a ToolSpec, &'a CommandSpec)> {
        self.0
            .iter()
            .map(|(name, (tool, command))| (name.as_str(), *tool, *command))
    }

    /// Tool and command of a name. A name that was not offered is left as it is, with no command,
    /// and so is no tool of ours.
    pub fn back(&self, name: &str) -> (String, String) {
        match self.0.get(name) {
            Some((tool, command)) => (tool.name.to_string(), command.name.clone()),
            None => (name.to_owned(), String::new()),
        }
    }
}

/// The name of a command as every provider takes it: letters, digits, `_` and `-`, beginning with
/// a letter. What does not fit as it is gets a digest, so that two names never become one.
pub fn wire_name(tool: &str, command: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name = format!("{tool}{BETWEEN}{command}");
    let fits = tool.chars().all(plain)
        && command.chars().all(plain)
        && name.len() <= NAME_CHARACTERS
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !command.is_empty()
        && !tool.contains(BETWEEN)
        && !tool.ends_with('_')
        && !command.starts_with('_')
        && !ends_in_digest(command);
    if fits {
        return name;
    }
    let digest = hex(format!("{tool}\0{command}").as_bytes());
    let digest: String = digest.chars().take(DIGEST_CHARACTERS).collect();
    let kept: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .skip_while(|c| !c.is_ascii_alphabetic())
        .take(NAME_CHARACTERS - DIGEST_CHARACTERS - 2)
        .collect();
    format!("x{kept}-{digest}")
}

/// How a provider knows a call of ours: letters, digits, `_` and `-`.
pub fn wire_id(call: &CallId) -> String {
    let id: String = call
        .as_str()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    format!("call-{id}")
}

/// The name of the function that a call of ours called.
pub fn called(call: &Call) -> String {
    wire_name(call.tool.as_str(), &call.command)
}

fn ends_in_digest(command: &str) -> bool {
    command.rsplit_once('-').is_some_and(|(_, last)| {
        last.len() == DIGEST_CHARACTERS && last.chars().all(|c| c.is_ascii_hexdigit())
    })
}

const DIGEST_CHARACTERS: usize = 12;
