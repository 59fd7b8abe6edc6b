//! What does an update say? The raw JSON, read key by key: a key that a typed model does not know
//! may be the one that tells whose words these are.
//!
//! Total: any JSON gives some events or none. What is told apart here follows the Bot API's
//! "Update", "Message" and "CallbackQuery".

use bot_policy::event::{Addressed, ChatKind, EventKind, InboundEvent, ReplyHandle, Sender};
use bot_policy::id::{
    AlbumId, ChatId, EventId, LineId, MessageRef, Place, ThreadId, Timestamp, UserRef,
};
use serde_json::{Map, Value};

use super::addressed;
use super::parts;
use super::platform;

/// Who we are, as `getMe` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Me {
    /// Our number.
    pub id: i64,
    /// Our name, without the `@`.
    pub username: String,
}

/// Translates one update, heard at `now`. A press carries no time of its own.
pub fn decode(line: &LineId, me: &Me, update: &Value, now: Timestamp) -> Vec<InboundEvent> {
    let reader = Reader { line, me, now };
    let Some(id) = update.get("update_id").and_then(Value::as_i64) else {
        return Vec::new();
    };
    let object = |key: &str| update.get(key).and_then(Value::as_object);
    let event = if let Some(message) = object("message").or_else(|| object("channel_post")) {
        reader.message(message)
    } else if let Some(message) = object("edited_message").or_else(|| object("edited_channel_post"))
    {
        reader.edit(message)
    } else if let Some(query) = object("callback_query") {
        reader.press(query)
    } else if let Some(change) = object("my_chat_member") {
        reader.membership(change)
    } else if let Some(query) = object("inline_query") {
        reader.inline(query)
    } else if let Some(result) = object("chosen_inline_result") {
        reader.picked(result)
    } else {
        None
    };
    event
        .map(|mut event| {
            event.id = update_name(id);
            event
        })
        .into_iter()
        .collect()
}

/// What an update is called here, by its number.
pub(super) fn update_name(number: i64) -> EventId {
    EventId::new(format!("u{number}"))
}

struct Reader<'a> {
    line: &'a LineId,
    me: &'a Me,
    now: Timestamp,
}

impl Reader<'_> {
    fn message(&self, message: &Map<String, Value>) -> Option<InboundEvent> {
        if self.is_ours(message) {
            return None;
        }
        if let Some(to) = integer(message, "migrate_to_chat_id") {
            let to = Place {
                line: self.line.clone(),
                chat: ChatId::new(to.to_string()),
                thread: None,
            };
            return self.event(message, sender(message), EventKind::Moved { to });
        }
        // The new chat tells it too, of the old one.
        if let Some(from) = integer(message, "migrate_from_chat_id") {
            let event = self.event(message, sender(message), EventKind::Left)?;
            let from = Place {
                chat: ChatId::new(from.to_string()),
                ..event.place.clone()
            };
            let what = EventKind::Moved { to: event.place };
            return Some(InboundEvent {
                place: from,
                what,
                ..event
            });
        }
        let sender = sender(message);
        let mut parts = parts::parts(message, &sender);
        let mut addressed = match kind_of_chat(message) {
            ChatKind::Direct => Addressed::Bot,
            ChatKind::Group => Addressed::Room,
        };
        // A forward mentions and commands whom its first writer meant.
        if !parts::is_forward(message) {
            let heard = addressed::read(message, self.me);
            if addressed == Addressed::Room {
                addressed = heard.addressed;
            }
            if let Some(suffix) = heard.suffix {
                parts::cut_suffix(&mut parts, &suffix);
            }
        }
        if parts.is_empty() {
            return None;
        }
        let what = EventKind::Message {
            message: message_ref(message)?,
            parts,
            addressed,
            album: album(message),
        };
        self.event(message, sender, what)
    }

    fn edit(&self, message: &Map<String, Value>) -> Option<InboundEvent> {
        if self.is_ours(message) {
            return None;
        }
        let sender = sender(message);
        let parts = parts::parts(message, &sender);
        if parts.is_empty() {
            return None;
        }
        let what = EventKind::Edit {
            message: message_ref(message)?,
            parts,
        };
        let mut event = self.event(message, sender, what)?;
        if let Some(seconds) = integer(message, "edit_date") {
            event.at = Timestamp(seconds.saturating_mul(1000));
        }
        Some(event)
    }

    fn press(&self, query: &Map<String, Value>) -> Option<InboundEvent> {
        let card = query.get("message")?.as_object()?;
        let what = EventKind::Press {
            token: query.get("data")?.as_str()?.to_owned(),
            on: message_ref(card),
            reply: ReplyHandle(query.get("id")?.as_str()?.to_owned()),
        };
        let mut event = self.event(card, sender(query), what)?;
        event.at = self.now;
        Some(event)
    }

    fn inline(&self, query: &Map<String, Value>) -> Option<InboundEvent> {
        let what = EventKind::Search {
            query: query.get("query")?.as_str()?.to_owned(),
            reply: ReplyHandle(query.get("id")?.as_str()?.to_owned()),
        };
        self.in_direct_chat(query, what)
    }

    fn picked(&self, result: &Map<String, Value>) -> Option<InboundEvent> {
        let offered = result.get("result_id")?.as_str()?.to_owned();
        self.in_direct_chat(result, EventKind::Picked { offered })
    }

    /// Something that a person did in a chat that is not told: it is of their own chat with us,
    /// whose number is theirs.
    fn in_direct_chat(&self, by: &Map<String, Value>, what: EventKind) -> Option<InboundEvent> {
        let from = by.get("from")?.as_object()?;
        Some(InboundEvent {
            id: EventId::new(""),
            at: self.now,
            place: Place {
                line: self.line.clone(),
                chat: ChatId::new(integer(from, "id")?.to_string()),
                thread: None,
            },
            kind_of_chat: ChatKind::Direct,
            sender: sender(by),
            what,
        })
    }

    fn membership(&self, change: &Map<String, Value>) -> Option<InboundEvent> {
        let now = change.get("new_chat_member")?.as_object()?;
        let member = now.get("user").and_then(Value::as_object);
        if member.and_then(|user| integer(user, "id")) != Some(self.me.id) {
            return None;
        }
        let gone = match now.get("status")?.as_str()? {
            "kicked" | "left" => true,
            "restricted" => now.get("is_member").and_then(Value::as_bool) != Some(true),
            _ => false,
        };
        if !gone {
            return None;
        }
        self.event(change, sender(change), EventKind::Left)
    }

    fn event(
        &self,
        message: &Map<String, Value>,
        sender: Sender,
        what: EventKind,
    ) -> Option<InboundEvent> {
        let chat = message.get("chat")?.as_object()?;
        let in_topic = message.get("is_topic_message").and_then(Value::as_bool) == Some(true);
        // Outside of topics the same key names the first message of a chain of replies.
        let thread = integer(message, "message_thread_id").filter(|_| in_topic);
        let at = integer(message, "date").map(|seconds| Timestamp(seconds.saturating_mul(1000)));
        Some(InboundEvent {
            id: EventId::new(""),
            at: at.unwrap_or(self.now),
            place: Place {
                line: self.line.clone(),
                chat: ChatId::new(integer(chat, "id")?.to_string()),
                thread: thread.map(|id| ThreadId::new(id.to_string())),
            },
            kind_of_chat: kind_of_chat(message),
            sender,
            what,
        })
    }

    fn is_ours(&self, message: &Map<String, Value>) -> bool {
        let from = message.get("from").and_then(Value::as_object);
        from.and_then(|user| integer(user, "id")) == Some(self.me.id)
    }
}

/// The number under a key.
pub(super) fn integer(object: &Map<String, Value>, key: &str) -> Option<i64> {
    object.get(key).and_then(Value::as_i64)
}

/// What the platform calls a message.
pub(super) fn message_ref(message: &Map<String, Value>) -> Option<MessageRef> {
    integer(message, "message_id").map(|id| MessageRef::new(id.to_string()))
}

/// What the platform calls the album that a message is a part of.
fn album(message: &Map<String, Value>) -> Option<AlbumId> {
    let id = message.get("media_group_id")?.as_str()?;
    (!id.is_empty()).then(|| AlbumId::new(id))
}

fn kind_of_chat(message: &Map<String, Value>) -> ChatKind {
    let chat = message.get("chat");
    match chat
        .and_then(|chat| chat.get("type"))
        .and_then(Value::as_str)
    {
        Some("private") => ChatKind::Direct,
        _ => ChatKind::Group,
    }
}

fn sender(message: &Map<String, Value>) -> Sender {
    let on_behalf = [
        "sender_chat",
        "sender_business_bot",
        "via_bot",
        "author_signature",
    ]
    .iter()
    .any(|key| message.contains_key(*key));
    let Some(from) = message.get("from").and_then(Value::as_object) else {
        return Sender::Shared;
    };
    // Whoever does not say that they are no bot is taken for one.
    let human = from.get("is_bot").and_then(Value::as_bool) == Some(false);
    match integer(from, "id") {
        Some(id) if human && !on_behalf && id > 0 && !SHARED_ACCOUNTS.contains(&id) => {
            Sender::Person(UserRef {
                platform: platform(),
                id: id.to_string(),
            })
        }
        Some(_) | None => Sender::Shared,
    }
}

/// Accounts that stand for somebody else: an anonymous admin, a channel, the service account that
/// forwards a linked channel's posts.
const SHARED_ACCOUNTS: [i64; 3] = [1_087_968_824, 136_817_688, 777_000];
