//! What does the workspace remember?

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use serde_json::{Value, json};

use super::blocks;

/// The workspace.
pub const TEAM: &str = "T01TEAM";
/// The app.
pub const APP: &str = "A01POSTERN";
/// The user of the app.
pub const BOT_USER: &str = "U01POSTERN";
/// The bot of the app.
pub const BOT: &str = "B01POSTERN";

/// A person's account.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct User(pub String);

impl User {
    /// The direct chat of this person with the app.
    pub fn direct(&self) -> Chat {
        Chat::at(&format!("D{}", &self.0[1..]))
    }
}

/// A chat, or a thread in one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chat {
    pub id: String,
    pub thread: Option<String>,
}

impl Chat {
    /// The chat with this id.
    pub fn at(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            thread: None,
        }
    }

    /// A thread in it.
    pub fn thread(&self, ts: &str) -> Self {
        Self {
            id: self.id.clone(),
            thread: Some(ts.to_owned()),
        }
    }

    fn kind(&self) -> &'static str {
        if self.id.starts_with('D') {
            "im"
        } else {
            "channel"
        }
    }
}

/// A message of the app, as it stands on the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub ts: String,
    pub thread: Option<String>,
    /// What its blocks show, or its text where it has none.
    pub text: String,
    /// What notifications say.
    pub fallback: String,
    pub blocks: Vec<Value>,
    /// Label and value of each button.
    pub buttons: Vec<(String, String)>,
    pub files: Vec<Sent>,
    pub metadata: Value,
    /// Whether it is still being streamed.
    pub streaming: bool,
    /// What it showed before each edit, oldest first.
    pub before: Vec<String>,
}

impl Shown {
    /// The value of the button with this label.
    pub fn button(&self, label: &str) -> Option<&str> {
        let found = self.buttons.iter().find(|(known, _)| known == label);
        found.map(|(_, value)| value.as_str())
    }
}

/// A file that the app sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// A call of the app.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub method: String,
    pub body: Value,
}

/// A message that one person alone saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub channel: String,
    pub user: String,
    pub thread: Option<String>,
    pub text: String,
}

/// A home tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    pub text: String,
}

/// What goes wrong with a call.
#[derive(Clone, Debug)]
pub enum Fault {
    /// It is answered late.
    Delay(Duration),
    /// It is done and the answer is lost.
    Drop,
    /// It is refused with this word.
    Refuse(&'static str),
    /// It is answered with this status and no JSON.
    Status(u16),
    /// It came too soon; `Retry-After` says when.
    TooMany(u64),
}

/// Something on its way to the app.
#[derive(Clone, Debug)]
pub struct Envelope {
    pub id: String,
    pub kind: &'static str,
    pub payload: Value,
    /// On which connection it was sent last, and how often in all.
    pub sent_on: Option<usize>,
    pub tries: usize,
}

/// A file that is kept.
#[derive(Clone, Debug)]
pub struct Kept {
    pub name: String,
    pub mime: String,
    pub bytes: Vec<u8>,
    /// Whether bytes were handed in, and whether it was shown.
    pub uploaded: bool,
    pub shared: bool,
    pub length: usize,
}

pub struct State {
    pub bot_token: String,
    pub app_token: String,
    pub address: String,
    pub people: BTreeMap<String, String>,
    pub channels: BTreeSet<String>,
    pub messages: BTreeMap<String, Vec<Shown>>,
    pub said: BTreeMap<(String, String), Value>,
    pub calls: Vec<Call>,
    pub told: Vec<Told>,
    pub statuses: BTreeMap<(String, String), String>,
    pub homes: BTreeMap<String, Home>,
    pub faults: HashMap<String, VecDeque<Fault>>,
    pub envelopes: VecDeque<Envelope>,
    pub past: Vec<(&'static str, Value)>,
    pub done: usize,
    pub scopes: Vec<String>,
    pub files: BTreeMap<String, Kept>,
    pub elsewhere: BTreeMap<String, String>,
    pub tickets: BTreeSet<String>,
    pub linked: usize,
    pub listening: usize,
    pub silent: usize,
    pub cut: usize,
    pub asked_away: Option<(usize, String)>,
    pub streams_off: bool,
    pub door: Option<(String, String)>,
    pub answers: Vec<(u16, String)>,
    clock: i64,
    counts: HashMap<&'static str, u64>,
}

impl State {
    pub fn new(bot: &str, app: &str, address: &str) -> Self {
        let scopes = [
            "app_mentions:read",
            "assistant:write",
            "channels:history",
            "chat:write",
            "commands",
            "files:read",
            "files:write",
            "groups:history",
            "im:history",
            "im:write",
            "mpim:history",
        ];
        Self {
            bot_token: bot.to_owned(),
            app_token: app.to_owned(),
            address: address.to_owned(),
            people: BTreeMap::new(),
            channels: BTreeSet::new(),
            messages: BTreeMap::new(),
            said: BTreeMap::new(),
            calls: Vec::new(),
            told: Vec::new(),
            statuses: BTreeMap::new(),
            homes: BTreeMap::new(),
            faults: HashMap::new(),
            envelopes: VecDeque::new(),
            past: Vec::new(),
            done: 0,
            scopes: scopes.map(str::to_owned).to_vec(),
            files: BTreeMap::new(),
            elsewhere: BTreeMap::new(),
            tickets: BTreeSet::new(),
            linked: 0,
            listening: 0,
            silent: 0,
            cut: 0,
            asked_away: None,
            streams_off: false,
            door: None,
            answers: Vec::new(),
            clock: 1_790_000_100,
            counts: HashMap::new(),
        }
    }

    /// The next time, which names a message.
    pub fn tick(&mut self) -> String {
        self.clock += 1;
        format!("{}.000100", self.clock)
    }

    /// The next name of a kind.
    pub fn next(&mut self, kind: &'static str) -> String {
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        format!("{kind}{count:06}")
    }

    pub fn queue(&mut self, kind: &'static str, payload: Value) {
        let id = self.next("envelope-");
        self.past.push((kind, payload.clone()));
        self.envelopes.push_back(Envelope {
            id,
            kind,
            payload,
            sent_on: None,
            tries: 0,
        });
    }

    pub fn deliver_again(&mut self) {
        for (kind, payload) in std::mem::take(&mut self.past) {
            self.queue(kind, payload);
        }
    }

    /// An event in what Slack puts around it.
    pub fn callback(&mut self, id: &str, event: Value) -> Value {
        json!({
            "token": "gone", "team_id": TEAM, "api_app_id": APP, "event": event,
            "type": "event_callback", "event_id": id, "event_time": self.clock,
            "authorizations": [{"team_id": TEAM, "user_id": BOT_USER, "is_bot": true}],
        })
    }

    /// What a person wrote, and the event of it.
    pub fn written(
        &mut self,
        user: &User,
        chat: &Chat,
        text: &str,
        over: Value,
    ) -> (String, Value) {
        let ts = self.tick();
        let escaped = text.replace('&', "&amp;");
        let mut event = json!({
            "type": "message", "user": user.0, "ts": ts, "text": escaped, "team": TEAM,
            "channel": chat.id, "channel_type": chat.kind(), "event_ts": ts,
            "client_msg_id": format!("00000000-0000-4000-8000-{}", &ts[..10]),
            "user_profile": {"display_name": self.people.get(&user.0)},
        });
        if let Some(thread) = &chat.thread {
            event["thread_ts"] = json!(thread);
            let root = self.messages.get(&chat.id).into_iter().flatten();
            let ours = root.into_iter().any(|shown| shown.ts == *thread);
            event["parent_user_id"] = json!(if ours { BOT_USER } else { &user.0 });
        }
        let fields = event.as_object_mut().unwrap();
        for (key, value) in over.as_object().unwrap() {
            match value {
                Value::Null => drop(fields.remove(key)),
                value => drop(fields.insert(key.clone(), value.clone())),
            }
        }
        self.said
            .insert((chat.id.clone(), ts.clone()), event.clone());
        (ts, event)
    }

    /// What Slack sends where somebody pressed.
    pub fn pressed(&mut self, user: &User, chat: &Chat, ts: &str, value: &str) -> Value {
        let (trigger, when) = (self.next("trigger"), self.tick());
        let shown = self.messages.get(&chat.id).into_iter().flatten();
        let shown = shown.into_iter().find(|shown| shown.ts == ts).cloned();
        let mut message = json!({"type": "message", "ts": ts, "user": BOT_USER, "bot_id": BOT});
        if let Some(thread) = shown.and_then(|shown| shown.thread) {
            message["thread_ts"] = json!(thread);
        }
        json!({
            "type": "block_actions", "api_app_id": APP, "trigger_id": trigger,
            "user": {"id": user.0, "username": "somebody", "team_id": TEAM},
            "container": {"type": "message", "message_ts": ts, "channel_id": chat.id, "is_ephemeral": false},
            "team": {"id": TEAM, "domain": "acme"}, "channel": {"id": chat.id, "name": "somewhere"},
            "message": message, "response_url": "https://hooks.slack.com/actions/gone",
            "actions": [{"action_id": "press", "block_id": "b", "type": "button", "value": value, "action_ts": when}],
        })
    }

    pub fn shown(&self, chat: &Chat) -> Vec<Shown> {
        let all = self.shown_in(&chat.id).into_iter();
        all.filter(|shown| shown.thread == chat.thread).collect()
    }

    pub fn shown_in(&self, channel: &str) -> Vec<Shown> {
        self.messages.get(channel).cloned().unwrap_or_default()
    }

    pub fn message(&mut self, channel: &str, ts: &str) -> Option<&mut Shown> {
        let all = self.messages.get_mut(channel)?;
        all.iter_mut().find(|shown| shown.ts == ts)
    }

    /// Puts a message of the app on the screen.
    pub fn post(&mut self, channel: &str, body: &Value) -> Shown {
        let ts = self.tick();
        let thread = body["thread_ts"].as_str().map(str::to_owned);
        if let Some(thread) = &thread {
            self.statuses.remove(&(channel.to_owned(), thread.clone()));
        }
        let mut shown = Shown {
            ts,
            thread,
            text: String::new(),
            fallback: String::new(),
            blocks: Vec::new(),
            buttons: Vec::new(),
            files: Vec::new(),
            metadata: body["metadata"].clone(),
            streaming: false,
            before: Vec::new(),
        };
        shown.show(body);
        let all = self.messages.entry(channel.to_owned()).or_default();
        all.push(shown.clone());
        shown
    }

    pub fn keep_file(&mut self, id: &str, mime: &str, bytes: &[u8]) -> Value {
        let kept = Kept {
            name: format!("{id}.bin"),
            mime: mime.to_owned(),
            bytes: bytes.to_vec(),
            uploaded: true,
            shared: true,
            length: bytes.len(),
        };
        let file = self.file_object(id, &kept);
        self.files.insert(id.to_owned(), kept);
        file
    }

    pub fn file_object(&self, id: &str, kept: &Kept) -> Value {
        let usual = format!("http://{}/files-pri/{id}/{}", self.address, kept.name);
        let at = self.elsewhere.get(id).unwrap_or(&usual);
        json!({
            "id": id, "name": kept.name, "title": kept.name, "mimetype": kept.mime,
            "size": kept.bytes.len(), "mode": "hosted", "is_external": false,
            "url_private": at, "url_private_download": at,
        })
    }
}

impl Shown {
    /// Takes over what a call shows.
    pub fn show(&mut self, body: &Value) {
        self.fallback = blocks::unescaped(body["text"].as_str().unwrap_or(""));
        self.blocks = body["blocks"].as_array().cloned().unwrap_or_default();
        self.text = if self.blocks.is_empty() {
            self.fallback.clone()
        } else {
            blocks::text(&self.blocks)
        };
        self.buttons = blocks::buttons(&self.blocks);
        if !body["metadata"].is_null() {
            self.metadata = body["metadata"].clone();
        }
    }
}
