//! Which commands does an app offer? To everyone what strangers may type, in each paired chat its
//! own.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::api::Api;
use crate::{AdapterError, Menus};

/// The chats that have menus of their own, as far as this run told.
#[derive(Debug, Default)]
pub(super) struct Shown(Mutex<BTreeSet<i64>>);

impl Shown {
    /// Sets all menus. One that is refused keeps no other from being set.
    ///
    /// # Errors
    /// The first thing that went wrong.
    pub(super) async fn announce(&self, api: &Api, menus: &Menus) -> Result<(), AdapterError> {
        let mut shown = self.0.lock().await;
        let mut done = set(api, &json!({"type": "default"}), &menus.strangers).await;
        let mut paired = BTreeSet::new();
        for menu in &menus.places {
            let chat = super::chat(&menu.place)?;
            done = done.and(set(api, &of_chat(chat), &menu.commands).await);
            paired.insert(chat);
        }
        for gone in shown.difference(&paired) {
            let call = json!({ "scope": of_chat(*gone) });
            done = done.and(api.ask("DeleteMyCommands", &call).await.map(drop));
        }
        *shown = paired;
        done
    }
}

/// The menu that everyone in a chat is shown (Bot API, "BotCommandScopeChat").
fn of_chat(chat: i64) -> Value {
    json!({"type": "chat", "chat_id": chat})
}

async fn set(
    api: &Api,
    scope: &Value,
    commands: &[(&'static str, &'static str)],
) -> Result<(), AdapterError> {
    let command = |(name, about): &(&str, &str)| json!({"command": name, "description": about});
    let commands: Vec<Value> = commands.iter().take(MOST).map(command).collect();
    let call = json!({"commands": commands, "scope": scope});
    api.ask("SetMyCommands", &call).await.map(drop)
}

/// How many commands a menu holds (Bot API, setMyCommands: "At most 100 commands").
const MOST: usize = 100;
