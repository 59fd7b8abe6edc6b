//! What is done with a payload, whichever way it came? It is stored, and only then acknowledged.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use bot_policy::id::EventId;
use serde_json::{Value, json};

use super::decode::decode;
use super::{Slack, socket};
use crate::http::Repeat;
use crate::patience::now;
use crate::{AdapterError, Inbox};

impl Slack {
    /// Takes in one envelope of a socket; gives what acknowledges it.
    pub(super) async fn envelope(
        &self,
        envelope: &Value,
        inbox: &dyn Inbox,
    ) -> Result<Option<Value>, AdapterError> {
        let Some(id) = envelope.get("envelope_id").and_then(Value::as_str) else {
            return Ok(None);
        };
        let told = match envelope.get("payload") {
            Some(payload) => self.take(payload, inbox).await?,
            None => {
                inbox.unreadable(&self.line, EventId::new(id)).await?;
                None
            }
        };
        Ok(Some(socket::acknowledgement(id, told)))
    }

    /// Stores what a payload holds; gives what its sender is told in private at once.
    pub(super) async fn take(
        &self,
        payload: &Value,
        inbox: &dyn Inbox,
    ) -> Result<Option<&'static str>, AdapterError> {
        if payload.get("command").is_some() {
            // Anybody can give one, so none may end the connection.
            match self.is_ours(payload).await {
                Ok(true) => {}
                Ok(false) | Err(AdapterError::Refused(_)) => return Ok(Some(NOT_HERE)),
                Err(_) => return Ok(Some(NOT_NOW)),
            }
        }
        let events = decode(&self.line, &self.who().await?, payload, now());
        if !events.is_empty() {
            inbox.accept(&self.line, events, None).await?;
        }
        Ok(None)
    }

    /// Whether a command was given where we are. One can be given in a chat between two people too,
    /// and nothing but the chat's id tells that from a chat with us.
    async fn is_ours(&self, command: &Value) -> Result<bool, AdapterError> {
        let text = |key: &str| command.get(key).and_then(Value::as_str).unwrap_or("");
        let (channel, user) = (text("channel_id"), text("user_id"));
        if !channel.starts_with('D') {
            return Ok(true);
        }
        let known = |directs: &BTreeMap<String, String>| directs.get(user).cloned();
        let remembered = || known(&self.directs.lock().unwrap_or_else(PoisonError::into_inner));
        let direct = match remembered() {
            Some(direct) => direct,
            None => {
                let open = json!({"users": user});
                let opened = self.api.call("conversations.open", &open, Repeat::Harmless);
                let opened = opened.await?;
                let id = opened.get("channel").and_then(|channel| channel.get("id"));
                let direct = id.and_then(Value::as_str).unwrap_or("").to_owned();
                let mut directs = self.directs.lock().unwrap_or_else(PoisonError::into_inner);
                if directs.len() >= MOST_DIRECTS {
                    directs.clear();
                }
                directs.insert(user.to_owned(), direct.clone());
                direct
            }
        };
        Ok(direct == channel)
    }
}

/// What is said to a command in a chat that we are not in.
const NOT_HERE: &str = "I am not in this chat. Open a chat with me under Apps and try again there.";
/// What is said to one while Slack does not tell whether we are.
const NOT_NOW: &str =
    "Slack does not answer me just now, so this was not done. Try again in a minute.";
/// How many direct chats are remembered.
const MOST_DIRECTS: usize = 1000;
