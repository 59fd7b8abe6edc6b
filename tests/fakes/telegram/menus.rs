//! Which commands are offered where?

use serde_json::{Value, json};

use super::methods::{Refusal, chat, refuse, structured};
use super::state::State;
use super::{Chat, Fake, text};

impl Fake {
    /// The menu of commands that everyone is offered who has no other.
    pub fn commands(&self) -> Value {
        self.menu("default")
    }

    /// The menu of one chat, where it has one of its own.
    pub fn commands_in(&self, chat: Chat) -> Option<Vec<String>> {
        let menu = self.menu(&format!("chat {}", chat.0));
        let names = menu.as_array()?.iter().map(|command| &command["command"]);
        Some(
            names
                .map(|name| name.as_str().unwrap().to_owned())
                .collect(),
        )
    }

    fn menu(&self, scope: &str) -> Value {
        let state = self.shared.lock();
        state.menus.get(scope).cloned().unwrap_or(Value::Null)
    }
}

/// A scope by a name of ours; a chat must be one that the bot can see.
fn scope(state: &State, body: &Value) -> Result<String, Refusal> {
    let Some(scope) = structured(&body["scope"]) else {
        return Ok("default".to_owned());
    };
    match scope["type"].as_str() {
        Some("chat") => Ok(format!("chat {}", chat(state, &scope)?)),
        Some(
            known @ ("default"
            | "all_private_chats"
            | "all_group_chats"
            | "all_chat_administrators"),
        ) => Ok(known.to_owned()),
        _ => Err(refuse(400, "Bad Request: BOT_COMMAND_SCOPE_INVALID")),
    }
}

pub(super) fn delete(state: &mut State, body: &Value) -> Result<Value, Refusal> {
    let scope = scope(state, body)?;
    state.menus.remove(&scope);
    Ok(json!(true))
}

pub(super) fn set(state: &mut State, body: &Value) -> Result<Value, Refusal> {
    let scope = scope(state, body)?;
    let commands = structured(&body["commands"]).unwrap_or(Value::Null);
    let list = commands
        .as_array()
        .ok_or_else(|| refuse(400, "Bad Request: can't parse commands: expected an Array"))?;
    for command in list {
        let name = command["command"].as_str().unwrap_or("");
        let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !(1..=32).contains(&name.len()) || !name.chars().all(fine) {
            return Err(refuse(400, "Bad Request: BOT_COMMAND_INVALID"));
        }
        let about = text::units(command["description"].as_str().unwrap_or(""));
        if !(1..=256).contains(&about) {
            return Err(refuse(400, "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID"));
        }
    }
    if list.len() > 100 {
        return Err(refuse(400, "Bad Request: BOT_COMMANDS_TOO_MUCH"));
    }
    state.menus.insert(scope, commands);
    Ok(json!(true))
}
