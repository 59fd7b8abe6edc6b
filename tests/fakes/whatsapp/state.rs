//! What does the platform know: people, groups, what was said, what stands on the screens?

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Value, json};

/// A person by what the platform calls them: a number, or the user id of one who shows none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person(pub String);

/// Where something is said: with one person, or in a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Chat {
    Direct(String),
    Group(String),
}

impl Person {
    pub fn direct(&self) -> Chat {
        Chat::Direct(self.0.clone())
    }
}

/// A message of the bot, as it stands on the screen; nothing can change it any more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    pub id: String,
    pub text: String,
    /// Title and id of each reply button or row, in order.
    pub buttons: Vec<(String, String)>,
    /// The message that it answers.
    pub answers: Option<String>,
    /// The file, by its kind, name and bytes.
    pub file: Option<(String, String, Vec<u8>)>,
    pub template: Option<String>,
    /// Whether an address in it would be shown with a preview.
    pub preview: bool,
}

impl Shown {
    /// What a button carries.
    pub fn button(&self, title: &str) -> Option<&str> {
        let found = self.buttons.iter().find(|(known, _)| known == title);
        found.map(|(_, id)| id.as_str())
    }
}

/// What goes wrong with the next call.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The connection breaks after the call was carried out.
    Drop,
    /// The call is not carried out and never answered.
    Hang,
    /// An error of the Graph API.
    Refuse {
        status: u16,
        code: i64,
        message: String,
    },
    /// A status without a body that could be read.
    Status(u16),
}

/// How a message outside the window fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// The person wrote within 24 hours.
    Open,
    /// The call is refused.
    RefusesAtOnce,
    /// The call is accepted and the failure is told later, as a status.
    FailsLater,
}

#[derive(Clone, Debug)]
pub struct Held {
    pub kind: String,
    pub name: String,
    pub bytes: Vec<u8>,
    /// The ticket in its address; another once that has grown too old.
    pub ticket: u64,
    /// How often its address is too old before it is fetched.
    pub old: u32,
    /// Where it is said to lie, if not here.
    pub elsewhere: Option<String>,
}

pub struct State {
    pub token: String,
    pub app_secret: String,
    pub verify_token: String,
    pub url: String,
    pub callback: Option<String>,
    pub people: BTreeMap<String, String>,
    pub groups: BTreeSet<String>,
    pub windows: BTreeMap<Chat, Window>,
    pub screens: BTreeMap<Chat, Vec<Shown>>,
    /// Ids of what people said, with their chats.
    pub said: BTreeMap<String, Chat>,
    pub media: BTreeMap<String, Held>,
    pub templates: BTreeSet<(String, String)>,
    /// Changes that are to be delivered.
    pub changes: VecDeque<Value>,
    pub held_back: bool,
    pub copies: usize,
    pub calls: Vec<Value>,
    pub read: Vec<String>,
    pub typing: usize,
    pub faults: VecDeque<Fault>,
    pub next: u64,
    pub clock: i64,
    pub tells_statuses: bool,
    /// Why the last delivery was not taken.
    pub untaken: Option<String>,
}

impl State {
    pub fn new(token: &str, app_secret: &str, verify_token: &str) -> Self {
        Self {
            token: token.to_owned(),
            app_secret: app_secret.to_owned(),
            verify_token: verify_token.to_owned(),
            url: String::new(),
            callback: None,
            people: BTreeMap::new(),
            groups: BTreeSet::new(),
            windows: BTreeMap::new(),
            screens: BTreeMap::new(),
            said: BTreeMap::new(),
            media: BTreeMap::new(),
            templates: BTreeSet::new(),
            changes: VecDeque::new(),
            held_back: false,
            copies: 1,
            calls: Vec::new(),
            read: Vec::new(),
            typing: 0,
            faults: VecDeque::new(),
            next: 1,
            clock: seconds(),
            tells_statuses: true,
            untaken: None,
        }
    }

    /// An id as the platform makes them for messages, in either direction.
    pub fn wamid(&mut self) -> String {
        self.next += 1;
        format!("wamid.HBgLMTU1NTAwMDExMTEVAgARGBI{:012X}AA==", self.next)
    }

    pub fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub fn tick(&mut self) -> String {
        self.clock += 1;
        self.clock.to_string()
    }

    pub fn window(&self, chat: &Chat) -> Window {
        self.windows
            .get(chat)
            .copied()
            .unwrap_or(Window::RefusesAtOnce)
    }

    /// A change of the field `messages`, as the platform wraps it.
    pub fn push(&mut self, field: &str, mut value: Value) {
        value["messaging_product"] = json!("whatsapp");
        value["metadata"] = json!({
            "display_phone_number": super::OUR_NUMBER,
            "phone_number_id": super::NUMBER_ID,
        });
        self.changes
            .push_back(json!({"field": field, "value": value}));
    }

    /// What happened to a message of the bot.
    pub fn status(&mut self, chat: &Chat, id: &str, status: &str, over: Value) {
        let mut body = json!({"id": id, "status": status, "timestamp": self.tick()});
        match chat {
            Chat::Direct(person) if person.contains('.') => {
                body["recipient_user_id"] = json!(person);
            }
            Chat::Direct(person) => body["recipient_id"] = json!(person),
            Chat::Group(group) => {
                body["recipient_id"] = json!(group);
                body["recipient_type"] = json!("group");
            }
        }
        for (key, value) in over.as_object().into_iter().flatten() {
            body[key] = value.clone();
        }
        self.push("messages", json!({"statuses": [body]}));
    }
}

/// By the clock that everybody has, as messages tell it.
fn seconds() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(since.unwrap().as_secs()).unwrap()
}
