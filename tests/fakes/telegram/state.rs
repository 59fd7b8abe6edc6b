//! What does the platform remember?

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::hook::Webhook;
use super::text;

/// A person's account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct User(pub i64);

impl User {
    /// The private chat of this person with the bot.
    pub fn direct(self) -> Chat {
        Chat(self.0)
    }
}

/// A chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Chat(pub i64);

/// A message of the bot, as it stands on the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub id: i64,
    pub text: String,
    pub entities: Vec<Value>,
    /// Buttons in rows: label and callback data.
    pub buttons: Vec<Vec<(String, String)>>,
    /// What it showed before each edit, oldest first.
    pub before: Vec<String>,
    pub reply_to: Option<i64>,
    pub thread: Option<i64>,
    /// Whether link previews are off.
    pub no_preview: bool,
    /// The file that it carries; the text is its caption then.
    pub file: Option<super::files::Sent>,
}

impl Shown {
    /// The callback data of the button with this label.
    pub fn button(&self, label: &str) -> Option<&str> {
        let mut all = self.buttons.iter().flatten();
        all.find(|(known, _)| known == label)
            .map(|(_, data)| data.as_str())
    }

    /// The labels of all buttons.
    pub fn labels(&self) -> Vec<&str> {
        self.buttons
            .iter()
            .flatten()
            .map(|(label, _)| label.as_str())
            .collect()
    }
}

/// One call that the bot made, by the method's lower-case name.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub method: String,
    pub body: Value,
}

/// What was answered to a press.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    pub query: String,
    pub text: Option<String>,
    pub alert: bool,
}

/// What goes wrong with the next call of a method.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The call is done late.
    Delay(Duration),
    /// The call is done, and its answer is lost on the way.
    Drop,
    /// The call is not done and never answered, and its connection stays open.
    Hang,
    /// The call is refused like this.
    Refuse { code: u16, description: String },
    /// The call is not done and the server says that it has trouble, in HTML.
    Status(u16),
    /// Too many requests.
    TooMany { retry_after: u64 },
}

pub(super) struct Room {
    pub kind: &'static str,
    pub title: String,
    /// Whether it has topics.
    pub forum: bool,
    pub topics: HashSet<i64>,
    pub moved_to: Option<i64>,
    pub blocked: bool,
    pub started: bool,
    pub shown: Vec<Shown>,
    /// Messages of people, for forwards and replies.
    pub said: BTreeMap<i64, Value>,
}

pub(super) struct State {
    pub token: String,
    /// What the bot is called.
    pub name: String,
    pub people: HashMap<i64, String>,
    pub rooms: HashMap<i64, Room>,
    pub files: HashMap<String, super::files::Held>,
    /// Files of forms, by the names that they were posted under.
    pub posted: HashMap<String, Vec<u8>>,
    pub updates: VecDeque<(i64, Value)>,
    pub next_update: i64,
    pub next_message: i64,
    pub next_query: i64,
    /// What was offered for each inline query, once it was answered.
    pub inline: HashMap<String, Option<Vec<Value>>>,
    pub next_album: u64,
    pub queries: HashMap<String, bool>,
    pub answered: Vec<Answered>,
    pub faults: HashMap<String, VecDeque<Fault>>,
    pub calls: Vec<Call>,
    /// When each call of a method arrived.
    pub arrivals: HashMap<String, Vec<Instant>>,
    /// When updates were last handed out.
    pub handed: Option<Instant>,
    pub polls: usize,
    pub most_polls: usize,
    pub allowed: Option<Vec<String>>,
    pub menus: HashMap<String, Value>,
    pub webhook: Option<Webhook>,
    /// Where a public address leads.
    pub routes: Vec<(String, String)>,
    /// Whether a webhook is taken and not kept.
    pub forgetful: bool,
    /// How many deliveries are made once more although they were taken.
    pub repeats: usize,
    /// Seconds since 1970, one more with each message, so that every run is the same.
    pub clock: i64,
}

/// The bot's own number and name.
pub const BOT_ID: i64 = 777_123_456;
/// The bot's own name, without `@`.
pub const BOT_NAME: &str = "postern_test_bot";

impl State {
    pub fn new(token: &str) -> Self {
        Self {
            token: token.to_owned(),
            name: BOT_NAME.to_owned(),
            people: HashMap::new(),
            rooms: HashMap::new(),
            files: HashMap::new(),
            posted: HashMap::new(),
            updates: VecDeque::new(),
            next_update: 1000,
            next_message: 100,
            next_query: 1,
            inline: HashMap::new(),
            next_album: 0,
            queries: HashMap::new(),
            answered: Vec::new(),
            faults: HashMap::new(),
            calls: Vec::new(),
            arrivals: HashMap::new(),
            handed: None,
            polls: 0,
            most_polls: 0,
            allowed: None,
            menus: HashMap::new(),
            webhook: None,
            routes: Vec::new(),
            forgetful: false,
            repeats: 0,
            clock: 1_790_000_000,
        }
    }

    pub fn add_room(&mut self, id: i64, kind: &'static str, title: &str) {
        let room = Room {
            kind,
            title: title.to_owned(),
            forum: false,
            topics: HashSet::new(),
            moved_to: None,
            blocked: false,
            started: kind != "private",
            shown: Vec::new(),
            said: BTreeMap::new(),
        };
        self.rooms.insert(id, room);
    }

    pub fn room(&mut self, chat: Chat) -> &mut Room {
        self.rooms
            .get_mut(&chat.0)
            .expect("a chat that the fake knows")
    }

    pub fn user(&self, user: User) -> Value {
        let name = self
            .people
            .get(&user.0)
            .expect("a person that the fake knows");
        json!({"id": user.0, "is_bot": false, "first_name": name, "language_code": "en"})
    }

    pub fn chat(&self, id: i64) -> Value {
        let room = self.rooms.get(&id).expect("a chat that the fake knows");
        let name = if room.kind == "private" {
            "first_name"
        } else {
            "title"
        };
        json!({"id": id, "type": room.kind, name: room.title})
    }

    pub fn push(&mut self, kind: &str, body: Value) -> i64 {
        let id = self.next_update;
        self.next_update += 1;
        self.updates
            .push_back((id, json!({"update_id": id, kind: body})));
        id
    }

    pub fn tick(&mut self) -> i64 {
        self.clock += 1;
        self.clock
    }

    pub fn message_id(&mut self) -> i64 {
        self.next_message += 1;
        self.next_message
    }

    /// A message of a person, with keys laid over it; a null takes a key away.
    pub fn message(&mut self, user: User, chat: Chat, text: &str, over: Value) -> Value {
        let id = self.message_id();
        let mut message = json!({
            "message_id": id,
            "from": self.user(user),
            "chat": self.chat(chat.0),
            "date": self.tick(),
            "text": text,
        });
        let entities = text::typed(text);
        if !entities.is_empty() {
            message["entities"] = json!(entities);
        }
        let whole = message.as_object_mut().unwrap();
        for (key, value) in over.as_object().into_iter().flatten() {
            if value.is_null() {
                whole.remove(key);
            } else {
                whole.insert(key.clone(), value.clone());
            }
        }
        message
    }

    /// A message of the bot as the platform gives it back.
    pub fn own(&self, chat: i64, shown: &Shown) -> Value {
        let mut message = json!({
            "message_id": shown.id,
            "from": {"id": BOT_ID, "is_bot": true, "first_name": "Postern", "username": BOT_NAME},
            "chat": self.chat(chat),
            "date": self.clock,
            "text": shown.text,
        });
        if let Some(thread) = shown.thread {
            message["message_thread_id"] = json!(thread);
            message["is_topic_message"] = json!(true);
        }
        if !shown.entities.is_empty() {
            message["entities"] = json!(shown.entities);
        }
        if !shown.buttons.is_empty() {
            let rows: Vec<Vec<Value>> = shown
                .buttons
                .iter()
                .map(|row| {
                    let button = |(label, data): &(String, String)| json!({"text": label, "callback_data": data});
                    row.iter().map(button).collect()
                })
                .collect();
            message["reply_markup"] = json!({"inline_keyboard": rows});
        }
        message
    }
}
