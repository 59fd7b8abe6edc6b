//! What does an event of the gateway say? The raw JSON, read key by key: a key that a typed model
//! does not know may be the one that tells whose words these are.
//!
//! Total: any JSON gives some events or none. What is told apart here follows the platform's
//! "Message", "Interaction" and "Gateway Events".

use bot_policy::event::{Addressed, ChatKind, EventKind, InboundEvent, ReplyHandle, Sender};
use bot_policy::id::{ChatId, EventId, LineId, MessageRef, Place, ThreadId, Timestamp, UserRef};
use serde_json::{Map, Value};

use super::channels::{Channels, SeatKind, snowflake};
use super::{parts, platform};

/// Who we are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Me {
    /// The number of our account.
    pub user: String,
    /// The number of our application.
    pub application: String,
}

/// Translates one event of the gateway, by its name, heard at `now`.
pub fn decode(
    line: &LineId,
    me: &Me,
    channels: &Channels,
    name: &str,
    data: &Value,
    now: Timestamp,
) -> Vec<InboundEvent> {
    let reader = Reader {
        line,
        me,
        channels,
        now,
    };
    let Some(object) = data.as_object() else {
        return Vec::new();
    };
    match name {
        "MESSAGE_CREATE" => reader.message(object).into_iter().collect(),
        "MESSAGE_UPDATE" => reader.edit(object).into_iter().collect(),
        "INTERACTION_CREATE" => reader.interaction(object).into_iter().collect(),
        "CHANNEL_DELETE" | "THREAD_DELETE" => {
            let gone = snowflake(object.get("id"));
            gone.map(|id| reader.left(id)).into_iter().collect()
        }
        // A guild that is unavailable comes back.
        "GUILD_DELETE" if object.get("unavailable").and_then(Value::as_bool) != Some(true) => {
            let guild = snowflake(object.get("id"));
            let gone = guild.map(|guild| channels.of_guild(guild));
            let gone = gone.into_iter().flatten();
            gone.map(|id| reader.left(&id)).collect()
        }
        _ => Vec::new(),
    }
}

/// When something with this id came to be: its upper bits count milliseconds (platform reference,
/// "Snowflakes").
pub(super) fn born(id: &str) -> Option<Timestamp> {
    let number: u64 = id.parse().ok()?;
    let millis = i64::try_from(number >> 22).ok()?;
    Some(Timestamp(millis.saturating_add(EPOCH)))
}

/// The handle that answers an interaction.
pub(super) fn reply_handle(interaction: &Map<String, Value>) -> Option<ReplyHandle> {
    let id = snowflake(interaction.get("id"))?;
    let token = interaction.get("token")?.as_str()?;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '=');
    // The token becomes part of an address.
    let plain =
        (1..=500).contains(&token.len()) && token.chars().all(fits) && !token.contains("..");
    plain.then(|| ReplyHandle(format!("{id}/{token}")))
}

struct Reader<'a> {
    line: &'a LineId,
    me: &'a Me,
    channels: &'a Channels,
    now: Timestamp,
}

impl Reader<'_> {
    fn message(&self, message: &Map<String, Value>) -> Option<InboundEvent> {
        let id = snowflake(message.get("id"))?;
        let parts = self.parts(message)?;
        let (place, kind_of_chat) = self.place(message)?;
        let addressed = match kind_of_chat {
            ChatKind::Direct => Addressed::Bot,
            ChatKind::Group => self.addressed(message),
        };
        let what = EventKind::Message {
            message: MessageRef::new(id),
            parts,
            addressed,
            album: None,
        };
        Some(InboundEvent {
            id: EventId::new(format!("m{id}")),
            at: born(id).unwrap_or(self.now),
            place,
            kind_of_chat,
            sender: sender(message),
            what,
        })
    }

    fn edit(&self, message: &Map<String, Value>) -> Option<InboundEvent> {
        let id = snowflake(message.get("id"))?;
        // Without this time the platform changed it, not its writer: a preview was added.
        let edited = message.get("edited_timestamp")?.as_str()?;
        let at = serenity::model::Timestamp::parse(edited).ok()?;
        let at = at.unix_timestamp().saturating_mul(1000);
        let parts = self.parts(message)?;
        let (place, kind_of_chat) = self.place(message)?;
        let what = EventKind::Edit {
            message: MessageRef::new(id),
            parts,
        };
        Some(InboundEvent {
            id: EventId::new(format!("e{id}-{at}")),
            at: Timestamp(at),
            place,
            kind_of_chat,
            sender: sender(message),
            what,
        })
    }

    fn interaction(&self, interaction: &Map<String, Value>) -> Option<InboundEvent> {
        let id = snowflake(interaction.get("id"))?;
        let data = interaction.get("data")?.as_object()?;
        let reply = reply_handle(interaction)?;
        let text = |key: &str| data.get(key).and_then(Value::as_str);
        let what = match interaction.get("type").and_then(Value::as_u64)? {
            // Of what is typed, not of a menu on a person or a message (types 2 and 3).
            COMMAND if data.get("type").and_then(Value::as_u64).unwrap_or(1) == 1 => {
                EventKind::Command {
                    name: text("name")?.to_ascii_lowercase(),
                    argument: argument(data),
                    reply,
                }
            }
            COMPONENT => {
                let on = interaction.get("message");
                let on = on.and_then(|message| snowflake(message.get("id")));
                EventKind::Press {
                    token: text("custom_id")?.to_owned(),
                    on: on.map(MessageRef::new),
                    reply,
                }
            }
            _ => return None,
        };
        let (place, kind_of_chat) = self.place(interaction)?;
        // Between two people, or several, an app may be called that is no member there.
        let elsewhere = interaction.get("context").and_then(Value::as_u64) == Some(PRIVATE_CHANNEL);
        let kind_of_chat = if elsewhere {
            ChatKind::Group
        } else {
            kind_of_chat
        };
        let who = interaction
            .get("member")
            .and_then(|member| member.get("user"));
        let who = who.or_else(|| interaction.get("user"));
        Some(InboundEvent {
            id: EventId::new(format!("i{id}")),
            at: self.now,
            place,
            kind_of_chat,
            sender: who
                .and_then(Value::as_object)
                .map_or(Sender::Shared, account),
            what,
        })
    }

    fn left(&self, channel: &str) -> InboundEvent {
        let (place, kind_of_chat) = self.seat_of(channel, true);
        InboundEvent {
            id: EventId::new(format!("x{channel}-{}", self.now.0)),
            at: self.now,
            place,
            kind_of_chat,
            sender: Sender::Shared,
            what: EventKind::Left,
        }
    }

    /// What a message of somebody else's holds; nothing for our own and for the platform's notes.
    fn parts(&self, message: &Map<String, Value>) -> Option<Vec<bot_policy::event::Part>> {
        let author = message.get("author").and_then(Value::as_object);
        if author.and_then(|author| snowflake(author.get("id"))) == Some(self.me.user.as_str()) {
            return None;
        }
        let kind = message.get("type").and_then(Value::as_u64).unwrap_or(0);
        if !SAID.contains(&kind) {
            return None;
        }
        let parts = parts::parts(message, &sender(message), self.me);
        (!parts.is_empty()).then_some(parts)
    }

    /// Whether a message in a room speaks to us: mentioned by id, or answering us. A forward
    /// mentions whom its first writer meant.
    fn addressed(&self, message: &Map<String, Value>) -> Addressed {
        let is_us = |user: Option<&Value>| {
            user.and_then(|user| snowflake(user.get("id"))) == Some(self.me.user.as_str())
        };
        let mentions = message.get("mentions").and_then(Value::as_array);
        let named = mentions.is_some_and(|all| all.iter().take(100).any(|user| is_us(Some(user))));
        let answered = message.get("referenced_message");
        let answers = answered.is_some_and(|original| {
            is_us(original.get("author"))
                && !original.get("webhook_id").is_some_and(Value::is_string)
        });
        if (named || answers) && !parts::is_forward(message) {
            Addressed::Bot
        } else {
            Addressed::Room
        }
    }

    fn place(&self, object: &Map<String, Value>) -> Option<(Place, ChatKind)> {
        let channel = snowflake(object.get("channel_id"))?;
        let in_guild = object.get("guild_id").is_some_and(|id| !id.is_null());
        Some(self.seat_of(channel, in_guild))
    }

    /// Where a channel is. One that is not known is a room, never a chat with one person.
    fn seat_of(&self, channel: &str, in_guild: bool) -> (Place, ChatKind) {
        let place = |chat: &str, thread: Option<&str>| Place {
            line: self.line.clone(),
            chat: ChatId::new(chat),
            thread: thread.map(ThreadId::new),
        };
        match self.channels.seat(channel).map(|seat| &seat.kind) {
            Some(SeatKind::Direct) if !in_guild => (place(channel, None), ChatKind::Direct),
            Some(SeatKind::Thread { parent }) => (place(parent, Some(channel)), ChatKind::Group),
            Some(SeatKind::Direct | SeatKind::Group) | None => {
                (place(channel, None), ChatKind::Group)
            }
        }
    }
}

/// The one text that a command of ours takes.
fn argument(data: &Map<String, Value>) -> String {
    let options = data.get("options").and_then(Value::as_array);
    let words = options.into_iter().flatten().take(8);
    let words = words.filter_map(|option| option.get("value").and_then(Value::as_str));
    words.collect::<Vec<_>>().join(" ").trim().to_owned()
}

fn sender(message: &Map<String, Value>) -> Sender {
    let says = |key: &str| message.get(key).is_some_and(|value| !value.is_null());
    let by_an_app = [
        "webhook_id",
        "application_id",
        "interaction",
        "interaction_metadata",
    ]
    .iter()
    .any(|key| says(key));
    match message.get("author").and_then(Value::as_object) {
        Some(author) if !by_an_app => account(author),
        Some(_) | None => Sender::Shared,
    }
}

fn account(user: &Map<String, Value>) -> Sender {
    let is = |key: &str| !matches!(user.get(key), None | Some(Value::Bool(false) | Value::Null));
    match snowflake(user.get("id")) {
        Some(id) if !is("bot") && !is("system") && id != "0" => Sender::Person(UserRef {
            platform: platform(),
            id: id.to_owned(),
        }),
        Some(_) | None => Sender::Shared,
    }
}

/// The first moment that ids count from, in milliseconds since 1970.
const EPOCH: i64 = 1_420_070_400_000;
/// Interaction types.
const COMMAND: u64 = 2;
const COMPONENT: u64 = 3;
/// The interaction context of a chat that the bot is no member of.
const PRIVATE_CHANNEL: u64 = 2;
/// The message types that somebody wrote: usual, reply, an app's answer to a command of either
/// kind. A thread's first message repeats another one, the rest are notes of the platform's.
const SAID: [u64; 4] = [0, 19, 20, 23];
