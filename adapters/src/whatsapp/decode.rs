//! What does a webhook say? The raw JSON, read key by key: a key that a typed model does not know
//! may be the one that tells whose words these are.
//!
//! Total: any JSON gives some events or none, and one piece that is not understood takes nothing
//! from the others. What is told apart here follows the Cloud API's webhook reference.

use bot_policy::event::{Addressed, ChatKind, EventKind, Fate, InboundEvent, ReplyHandle, Sender};
use bot_policy::id::{ChatId, EventId, LineId, MessageRef, Place, Timestamp, UserRef};
use serde_json::{Map, Value};

use super::fault;
use super::parts;
use super::platform;
use super::recipient::{Recipient, group_chat};

/// Translates one webhook for the line whose number has this id, heard at `now`. What belongs to
/// another number is left to the line that has it.
pub fn decode(line: &LineId, number: &str, body: &Value, now: Timestamp) -> Vec<InboundEvent> {
    let changes = list(body, "entry").flat_map(|entry| list(entry, "changes"));
    changes
        .filter_map(|change| {
            let value = change.get("value")?.as_object()?;
            let metadata = value.get("metadata").and_then(Value::as_object)?;
            let reader = Reader {
                line,
                now,
                ours: digits(text(metadata, "display_phone_number").unwrap_or("")),
                contact: only_contact(value),
            };
            let field = change.get("field").and_then(Value::as_str)?;
            (text(metadata, "phone_number_id") == Some(number)).then(|| match field {
                "group_lifecycle_update" => reader.groups(change),
                "messages" => reader.messages(change),
                _ => Vec::new(),
            })
        })
        .flatten()
        .collect()
}

/// Meta repeats a webhook that was not taken for seven days, and a signature does not age (Cloud API,
/// "Webhooks"): what is older by more than a day was recorded by somebody. In milliseconds.
const REPEATED: i64 = 8 * 24 * 60 * 60 * 1000;

struct Reader<'a> {
    line: &'a LineId,
    now: Timestamp,
    /// Our own number, in digits.
    ours: String,
    /// The account of the one contact that the change names.
    contact: Option<&'a str>,
}

impl Reader<'_> {
    fn messages(&self, change: &Value) -> Vec<InboundEvent> {
        let value = change.get("value").unwrap_or(&Value::Null);
        let messages = list(value, "messages").filter_map(Value::as_object);
        let messages = messages.filter_map(|message| self.message(message));
        let statuses = list(value, "statuses").filter_map(Value::as_object);
        messages
            .chain(statuses.filter_map(|status| self.status(status)))
            .collect()
    }

    /// What became of a message of ours. It is the platform's to bring once it was sent on, however
    /// long the phone is off, and one of the later steps may be told alone; they are heard as one.
    fn status(&self, status: &Map<String, Value>) -> Option<InboundEvent> {
        let (named, fate) = match text(status, "status")? {
            "sent" | "delivered" | "read" | "played" => ("arrived", Fate::Arrived),
            "failed" => ("failed", failure(status)),
            _ => return None,
        };
        let id = text(status, "id")?;
        let to = text(status, "recipient_id").or_else(|| text(status, "recipient_user_id"))?;
        let (chat, kind_of_chat) = match text(status, "recipient_type") {
            Some("group") => (group_chat(to), ChatKind::Group),
            Some(_) | None => (to.to_owned(), ChatKind::Direct),
        };
        let key = text(status, "biz_opaque_callback_data");
        Some(InboundEvent {
            id: EventId::new(format!("status/{id}/{named}")),
            at: self.at(status),
            place: self.place(chat),
            kind_of_chat,
            sender: Sender::Shared,
            what: EventKind::Delivery {
                message: MessageRef::new(id),
                key: key.and_then(|key| key.parse().ok()),
                fate,
            },
        })
    }

    fn message(&self, message: &Map<String, Value>) -> Option<InboundEvent> {
        let kind = text(message, "type").unwrap_or("");
        let account = self.account(message);
        if account.is_some_and(|account| account == self.ours) {
            return None;
        }
        if self.at(message).0.saturating_add(REPEATED) < self.now.0 {
            tracing::warn!(line = %self.line, "a webhook older than any that is repeated is passed over");
            return None;
        }
        let sender = match account {
            Some(id) if kind != "system" => Sender::Person(UserRef {
                platform: platform(),
                id: id.to_owned(),
            }),
            Some(_) | None => Sender::Shared,
        };
        let (chat, kind_of_chat) = match text(message, "group_id") {
            Some(group) => (group_chat(group), ChatKind::Group),
            None => (account?.to_owned(), ChatKind::Direct),
        };
        let what = match kind {
            "edit" => edited(message, &sender)?,
            "reaction" => return None,
            "revoke" => EventKind::Delete {
                message: original(message, "revoke")?,
            },
            _ => match pressed(message, &chat) {
                Some(press) => press,
                None => self.said(message, &sender, kind_of_chat)?,
            },
        };
        Some(InboundEvent {
            id: EventId::new(text(message, "id")?),
            at: self.at(message),
            place: self.place(chat),
            kind_of_chat,
            sender,
            what,
        })
    }

    fn said(
        &self,
        message: &Map<String, Value>,
        sender: &Sender,
        kind_of_chat: ChatKind,
    ) -> Option<EventKind> {
        let parts = parts::parts(message, sender);
        if parts.is_empty() {
            return None;
        }
        let addressed = match kind_of_chat {
            ChatKind::Direct => Addressed::Bot,
            ChatKind::Group => self.addressed(message),
        };
        Some(EventKind::Message {
            message: MessageRef::new(text(message, "id")?),
            parts,
            addressed,
            // Files that were sent together are not told apart from others.
            album: None,
        })
    }

    /// In a group the bot is meant when it is answered, mentioned by its number, or commanded. A
    /// forward mentions and commands whom its first writer meant.
    fn addressed(&self, message: &Map<String, Value>) -> Addressed {
        let context = message.get("context").and_then(Value::as_object);
        let answered = context.and_then(|context| text(context, "from"));
        let body = message.get("text").and_then(|text| text.get("body"));
        let body = body.and_then(Value::as_str).unwrap_or("");
        let mentions = |word: &str| {
            let number = word.trim_end_matches(|c: char| c.is_ascii_punctuation());
            number.strip_prefix('@') == Some(self.ours.as_str())
        };
        let commands = body
            .strip_prefix('/')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
        let known = !self.ours.is_empty() && !parts::is_forward(message);
        let ours = answered.is_some_and(|from| digits(from) == self.ours);
        if known && (ours || commands || body.split_whitespace().any(mentions)) {
            Addressed::Bot
        } else {
            Addressed::Room
        }
    }

    /// Groups that are no more.
    fn groups(&self, change: &Value) -> Vec<InboundEvent> {
        let value = change.get("value").unwrap_or(&Value::Null);
        let groups = list(value, "groups").filter_map(Value::as_object);
        groups
            .filter(|group| text(group, "type") == Some("group_delete"))
            .filter(|group| !group.contains_key("errors"))
            .filter_map(|group| {
                let id = text(group, "group_id")?;
                Some(InboundEvent {
                    id: EventId::new(format!("group_delete/{id}")),
                    at: self.at(group),
                    place: self.place(group_chat(id)),
                    kind_of_chat: ChatKind::Group,
                    sender: Sender::Shared,
                    what: EventKind::Left,
                })
            })
            .collect()
    }

    /// Who sent it: the number, or the user id of an account that shows none. Nobody without
    /// either.
    fn account<'a>(&'a self, message: &'a Map<String, Value>) -> Option<&'a str> {
        let said = text(message, "from").or_else(|| text(message, "from_user_id"));
        said.or(self.contact)
            .filter(|id| Recipient::of_account(id).is_some())
    }

    fn place(&self, chat: String) -> Place {
        Place {
            line: self.line.clone(),
            chat: ChatId::new(chat),
            thread: None,
        }
    }

    fn at(&self, object: &Map<String, Value>) -> Timestamp {
        let seconds = text(object, "timestamp").and_then(|text| text.parse::<i64>().ok());
        seconds.map_or(self.now, |seconds| Timestamp(seconds.saturating_mul(1000)))
    }
}

/// The text under a key; an empty one is none.
pub(super) fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    let text = object.get(key).and_then(Value::as_str)?;
    (!text.is_empty()).then_some(text)
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    let list = value.get(key).and_then(Value::as_array);
    list.map_or(&[][..], Vec::as_slice).iter()
}

fn only_contact(value: &Map<String, Value>) -> Option<&str> {
    match value.get("contacts").and_then(Value::as_array)?.as_slice() {
        [Value::Object(contact)] => text(contact, "wa_id").or_else(|| text(contact, "user_id")),
        _ => None,
    }
}

fn digits(number: &str) -> String {
    number.chars().filter(char::is_ascii_digit).collect()
}

/// A button or a row of a list that was pressed. What answers the press is the chat and the press.
fn pressed(message: &Map<String, Value>, chat: &str) -> Option<EventKind> {
    let interactive = message.get("interactive")?.as_object()?;
    let pressed = ["button_reply", "list_reply"]
        .into_iter()
        .find_map(|key| interactive.get(key)?.as_object())?;
    let context = message.get("context").and_then(Value::as_object);
    let on = context.and_then(|context| text(context, "id"));
    Some(EventKind::Press {
        token: text(pressed, "id")?.to_owned(),
        on: on.map(MessageRef::new),
        reply: ReplyHandle(format!("{chat} {}", text(message, "id")?)),
    })
}

fn edited(message: &Map<String, Value>, sender: &Sender) -> Option<EventKind> {
    let now = message.get("edit")?.get("message")?.as_object()?;
    Some(EventKind::Edit {
        message: original(message, "edit")?,
        parts: parts::parts(now, sender),
    })
}

/// Why a message of ours will not arrive.
fn failure(status: &Map<String, Value>) -> Fate {
    let error = status.get("errors").and_then(|errors| errors.get(0));
    let code = error.and_then(|error| error.get("code")?.as_i64());
    match (code, error) {
        (Some(fault::LATE), _) => Fate::Late,
        (_, Some(error)) => Fate::Failed(fault::words(error, None)),
        (_, None) => Fate::Failed("no reason given".to_owned()),
    }
}

fn original(message: &Map<String, Value>, key: &str) -> Option<MessageRef> {
    let change = message.get(key)?.as_object()?;
    text(change, "original_message_id").map(MessageRef::new)
}
