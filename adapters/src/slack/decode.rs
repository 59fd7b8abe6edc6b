//! What does a payload say? The raw JSON, read key by key: a typed event drops the keys that tell
//! whose words these are.
//!
//! Total: any JSON gives some events or none. What is told apart here follows Slack's references
//! of the events, of `block_actions` and of slash commands.

use bot_policy::event::{Addressed, ChatKind, EventKind, InboundEvent, ReplyHandle, Sender};
use bot_policy::id::{ChatId, EventId, LineId, MessageRef, Place, ThreadId, Timestamp, UserRef};
use serde_json::{Map, Value};

use super::parts;
use super::platform;
use super::reply::Asker;

/// Who we are, as `auth.test` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Me {
    /// Our user in the workspace.
    pub user: String,
    /// Our bot, as messages name it.
    pub bot: String,
    /// The workspace that we are let into; none where that is all of an organization.
    pub team: Option<String>,
}

impl Me {
    /// Whether a payload is told to us. One app can be let into several workspaces, and each line is
    /// for one; a channel that is shared names each that it is told to (Slack, "The Events API").
    fn is_told(&self, payload: &Value) -> bool {
        let named = |value: &Value| {
            value
                .get("team_id")
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        let told: Vec<String> = match payload.get("authorizations").and_then(Value::as_array) {
            Some(all) if !all.is_empty() => all.iter().filter_map(named).collect(),
            Some(_) | None => {
                let pressed = payload.pointer("/team/id").and_then(Value::as_str);
                let one = named(payload).or_else(|| pressed.map(str::to_owned));
                one.into_iter().collect()
            }
        };
        match &self.team {
            Some(team) => told.is_empty() || told.contains(team),
            None => true,
        }
    }
}

/// Translates one payload, however it came, heard at `now`. A press carries no time of its own.
pub fn decode(line: &LineId, me: &Me, payload: &Value, now: Timestamp) -> Vec<InboundEvent> {
    if !me.is_told(payload) {
        return Vec::new();
    }
    let reader = Reader { line, me, now };
    let read = || match payload.get("type").and_then(Value::as_str) {
        Some("event_callback") => reader.callback(payload.as_object()?),
        Some("block_actions") => reader.press(payload.as_object()?),
        // We open no forms, so whatever is handed in was not asked for.
        Some(_) => None,
        None => reader.command(payload.as_object()?),
    };
    read().into_iter().collect()
}

struct Reader<'a> {
    line: &'a LineId,
    me: &'a Me,
    now: Timestamp,
}

impl Reader<'_> {
    fn callback(&self, payload: &Map<String, Value>) -> Option<InboundEvent> {
        let event = payload.get("event")?.as_object()?;
        let of_the_chat = |channel: &str, what| {
            let id = EventId::new(text(payload, "event_id")?);
            let mut heard = self.event(id, text(event, channel)?, None, what);
            let seconds = payload.get("event_time").and_then(Value::as_i64);
            heard.at = seconds.map_or(self.now, |at| Timestamp(at.saturating_mul(1000)));
            Some(heard)
        };
        match text(event, "type")? {
            "message" | "app_mention" => match text(event, "subtype") {
                Some("message_changed") => self.edit(event),
                Some("message_deleted") => self.deletion(event),
                _ => self.message(event),
            },
            "app_home_opened" if text(event, "tab")? == "home" => {
                let (channel, user) = (text(event, "channel")?, text(event, "user")?);
                let asker = Asker {
                    channel,
                    user,
                    thread: None,
                };
                let reply = ReplyHandle(asker.to_string());
                let mut heard = of_the_chat("channel", EventKind::Opened { reply })?;
                heard.sender = person(user);
                Some(heard)
            }
            "channel_left" | "group_left" => of_the_chat("channel", EventKind::Left),
            "member_left_channel" if text(event, "user")? == self.me.user => {
                of_the_chat("channel", EventKind::Left)
            }
            "channel_id_changed" => {
                let to = self.place(text(event, "new_channel_id")?, None);
                of_the_chat("old_channel_id", EventKind::Moved { to })
            }
            _ => None,
        }
    }

    /// A message, and what names us in one: both have the id of the message, so that they are one.
    fn message(&self, event: &Map<String, Value>) -> Option<InboundEvent> {
        let subtype = text(event, "subtype");
        if self.is_ours(event) || subtype.is_some_and(is_about_the_chat) {
            return None;
        }
        let (channel, ts) = (text(event, "channel")?, text(event, "ts")?);
        let sender = sender(event);
        let parts = parts::parts(event, &sender, self.me, channel);
        if parts.is_empty() {
            return None;
        }
        let what = EventKind::Message {
            message: MessageRef::new(ts),
            parts,
            addressed: self.addressed(event),
            album: None,
        };
        let id = EventId::new(format!("{channel}:{ts}"));
        let mut heard = self.event(id, channel, root(event), what);
        heard.kind_of_chat = kind_of_chat(event);
        heard.at = moment(ts).unwrap_or(self.now);
        heard.sender = sender;
        Some(heard)
    }

    /// What a message holds now. A preview that Slack adds to it later is a change of it too.
    fn edit(&self, event: &Map<String, Value>) -> Option<InboundEvent> {
        let channel = text(event, "channel")?;
        let message = event.get("message")?.as_object()?;
        if self.is_ours(message) {
            return None;
        }
        let ts = text(message, "ts")?;
        let edited = message.get("edited").and_then(Value::as_object);
        let when = edited
            .and_then(|edited| text(edited, "ts"))
            .or_else(|| text(event, "event_ts"))
            .unwrap_or(ts);
        let sender = sender(message);
        let parts = parts::parts(message, &sender, self.me, channel);
        if parts.is_empty() {
            return None;
        }
        let what = EventKind::Edit {
            message: MessageRef::new(ts),
            parts,
        };
        let id = EventId::new(format!("{channel}:{ts}:{when}"));
        let mut heard = self.event(id, channel, within(message, kind_of_chat(event)), what);
        heard.kind_of_chat = kind_of_chat(event);
        heard.at = moment(when).unwrap_or(self.now);
        heard.sender = sender;
        Some(heard)
    }

    /// Slack does not say who deleted it.
    fn deletion(&self, event: &Map<String, Value>) -> Option<InboundEvent> {
        let channel = text(event, "channel")?;
        let message = event.get("previous_message")?.as_object()?;
        if self.is_ours(message) {
            return None;
        }
        let ts = text(event, "deleted_ts")?;
        let what = EventKind::Delete {
            message: MessageRef::new(ts),
        };
        let id = EventId::new(format!("{channel}:{ts}:deleted"));
        let mut heard = self.event(id, channel, within(message, kind_of_chat(event)), what);
        heard.kind_of_chat = kind_of_chat(event);
        Some(heard)
    }

    fn press(&self, payload: &Map<String, Value>) -> Option<InboundEvent> {
        let container = payload.get("container")?.as_object()?;
        if text(container, "type") != Some("message") {
            return None;
        }
        let channel = text(container, "channel_id")?;
        let on = text(container, "message_ts")?;
        let action = payload.get("actions")?.as_array()?.first()?.as_object()?;
        let presser = payload.get("user").and_then(Value::as_object);
        let presser = presser.and_then(|user| text(user, "id"));
        let message = payload.get("message").and_then(Value::as_object);
        let threaded = message.or(Some(container)).and_then(|message| {
            // Under its own root a message of ours stands in the chat itself.
            text(message, "thread_ts").filter(|thread| *thread != on)
        });
        let asker = Asker {
            channel,
            user: presser.unwrap_or(""),
            thread: threaded,
        };
        let what = EventKind::Press {
            token: text(action, "value")?.to_owned(),
            on: Some(MessageRef::new(on)),
            reply: ReplyHandle(asker.to_string()),
        };
        let when = text(action, "action_ts")?;
        let id = EventId::new(format!("{channel}:{on}:{}:{when}", presser.unwrap_or("")));
        let mut heard = self.event(id, channel, threaded, what);
        heard.sender = presser.map_or(Sender::Shared, person);
        Some(heard)
    }

    /// `/postern new`: what follows the name that the app registered is our own command.
    fn command(&self, payload: &Map<String, Value>) -> Option<InboundEvent> {
        text(payload, "command")?;
        let (channel, user) = (text(payload, "channel_id")?, text(payload, "user_id")?);
        let typed = text(payload, "text").unwrap_or("").trim();
        let typed = typed.strip_prefix('/').unwrap_or(typed);
        let (name, argument) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        let asker = Asker {
            channel,
            user,
            thread: None,
        };
        let what = EventKind::Command {
            name: if name.is_empty() { "help" } else { name }.to_lowercase(),
            argument: parts::plain(argument.trim()),
            reply: ReplyHandle(asker.to_string()),
        };
        let id = EventId::new(text(payload, "trigger_id")?);
        let mut heard = self.event(id, channel, None, what);
        heard.sender = person(user);
        Some(heard)
    }

    /// An event by nobody in particular, now.
    fn event(
        &self,
        id: EventId,
        channel: &str,
        thread: Option<&str>,
        what: EventKind,
    ) -> InboundEvent {
        InboundEvent {
            id,
            at: self.now,
            place: self.place(channel, thread),
            kind_of_chat: kind_by_id(channel),
            sender: Sender::Shared,
            what,
        }
    }

    fn place(&self, channel: &str, thread: Option<&str>) -> Place {
        Place {
            line: self.line.clone(),
            chat: ChatId::new(channel),
            thread: thread.map(ThreadId::new),
        }
    }

    /// Whom a message speaks to. A thread below a message of ours is a talk with us.
    fn addressed(&self, event: &Map<String, Value>) -> Addressed {
        let direct = kind_of_chat(event) == ChatKind::Direct;
        let named = text(event, "type") == Some("app_mention")
            || parts::mentions(text(event, "text").unwrap_or(""), self.me);
        let below = text(event, "parent_user_id") == Some(&self.me.user);
        if direct || named || below {
            Addressed::Bot
        } else {
            Addressed::Room
        }
    }

    fn is_ours(&self, message: &Map<String, Value>) -> bool {
        text(message, "user") == Some(&self.me.user)
            || text(message, "bot_id") == Some(&self.me.bot)
    }
}

/// The text under a key.
pub(super) fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

/// The thread of what somebody wrote: the one key, whether it begins the thread or goes on in it.
/// In a direct chat only what stands in a thread has one.
fn root(message: &Map<String, Value>) -> Option<&str> {
    within(message, kind_of_chat(message))
}

fn within(message: &Map<String, Value>, kind: ChatKind) -> Option<&str> {
    let thread = text(message, "thread_ts");
    match kind {
        ChatKind::Direct => thread,
        ChatKind::Group => thread.or_else(|| text(message, "ts")),
    }
}

/// Direct only where nothing says otherwise.
fn kind_of_chat(event: &Map<String, Value>) -> ChatKind {
    match text(event, "channel_type") {
        None | Some("im") => kind_by_id(text(event, "channel").unwrap_or("")),
        Some(_) => ChatKind::Group,
    }
}

fn kind_by_id(channel: &str) -> ChatKind {
    if channel.starts_with('D') {
        ChatKind::Direct
    } else {
        ChatKind::Group
    }
}

/// A person is who wrote it with their own hands: no bot, no app on their behalf, and no kind of
/// message that is not known to be typed.
fn sender(message: &Map<String, Value>) -> Sender {
    let typed = matches!(
        text(message, "subtype"),
        None | Some("file_share" | "me_message" | "thread_broadcast")
    );
    let on_behalf = ["app_id", "bot_id", "bot_profile", "username"]
        .iter()
        .any(|key| message.get(*key).is_some_and(|value| !value.is_null()));
    match text(message, "user") {
        Some(user) if typed && !on_behalf => person(user),
        Some(_) | None => Sender::Shared,
    }
}

fn person(user: &str) -> Sender {
    if user.is_empty() || user == SLACKBOT {
        return Sender::Shared;
    }
    Sender::Person(UserRef {
        platform: platform(),
        id: user.to_owned(),
    })
}

/// Slack's own account, which speaks for others.
const SLACKBOT: &str = "USLACKBOT";

/// What Slack itself says of a chat: who came, what it is called.
fn is_about_the_chat(subtype: &str) -> bool {
    [
        "channel_",
        "group_",
        "huddle_",
        "pinned_",
        "unpinned_",
        "reminder_",
        "reply_",
        "tombstone",
    ]
    .iter()
    .any(|known| subtype.starts_with(known))
        || matches!(
            subtype,
            "message_replied" | "bot_add" | "bot_remove" | "ekm_access_denied"
        )
}

/// When a message was written: its name is the time, in seconds and a fraction.
fn moment(ts: &str) -> Option<Timestamp> {
    let (seconds, fraction) = ts.split_once('.').unwrap_or((ts, "0"));
    let seconds: i64 = seconds.parse().ok()?;
    let millis: i64 = fraction.get(..3).unwrap_or("0").parse().ok()?;
    Some(Timestamp(
        seconds.saturating_mul(1000).saturating_add(millis),
    ))
}
