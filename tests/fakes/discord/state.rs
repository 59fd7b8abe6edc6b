//! What does the platform remember?

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::gateway::Order;
use super::seen::{APPLICATION, Answered, BOT_ID, BOT_NAME, Call, Channel, Fault, Shown, User};

#[derive(Default)]
pub(super) struct Room {
    pub about: Value,
    pub shut: bool,
    pub shown: Vec<Shown>,
    pub said: BTreeMap<u64, Value>,
    /// When messages came, for the limit.
    pub taken: Vec<Instant>,
    /// When messages were changed, for theirs.
    pub changed: Vec<Instant>,
}

#[derive(Clone)]
pub(super) struct Session {
    pub intents: u64,
    pub compress: bool,
    /// What was told: name and body; the count of the first is 1.
    pub log: Vec<(String, Value)>,
    pub sent: usize,
    pub connected: bool,
    /// Which connection has it.
    pub holder: u64,
}

pub(super) struct Interaction {
    pub token: String,
    pub kind: u64,
    pub begun: Instant,
    pub answered: bool,
    pub expired: bool,
}

pub(super) struct State {
    pub token: String,
    pub host: String,
    pub people: HashMap<u64, String>,
    pub rooms: BTreeMap<u64, Room>,
    pub files: HashMap<String, Vec<u8>>,
    pub sessions: BTreeMap<String, Session>,
    pub interactions: BTreeMap<u64, Interaction>,
    pub answered: Vec<Answered>,
    pub commands: Value,
    pub faults: HashMap<String, VecDeque<Fault>>,
    pub calls: Vec<Call>,
    pub orders: Vec<Order>,
    pub content: bool,
    pub in_guild: bool,
    pub endpoint: Option<String>,
    pub limit: Option<(u32, f64)>,
    pub edits: Option<(u32, f64)>,
    pub interval: u64,
    pub silent: bool,
    pub refusals: (usize, u16),
    pub connections: usize,
    pub connects: usize,
    pub next: u64,
    pub clock: u64,
    pub over: bool,
}

impl State {
    pub fn new(token: &str, host: &str) -> Self {
        Self {
            token: token.to_owned(),
            host: host.to_owned(),
            people: HashMap::new(),
            rooms: BTreeMap::new(),
            files: HashMap::new(),
            sessions: BTreeMap::new(),
            interactions: BTreeMap::new(),
            answered: Vec::new(),
            commands: json!([]),
            faults: HashMap::new(),
            calls: Vec::new(),
            orders: Vec::new(),
            content: true,
            in_guild: true,
            endpoint: None,
            limit: None,
            edits: None,
            interval: 41_250,
            silent: false,
            refusals: (0, 0),
            connections: 0,
            connects: 0,
            next: 0,
            clock: 0,
            over: false,
        }
    }

    /// A new id, whose upper bits say when.
    pub fn snowflake(&mut self) -> u64 {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_millis();
        self.clock = u64::try_from(now).unwrap().max(self.clock + 1);
        (self.clock - 1_420_070_400_000) << 22
    }

    pub fn room(&mut self, channel: Channel) -> &mut Room {
        self.rooms
            .get_mut(&channel.0)
            .expect("a channel that the fake knows")
    }

    pub fn user(&self, user: User) -> Value {
        let name = self
            .people
            .get(&user.0)
            .expect("a person that the fake knows");
        json!({
            "id": user.0.to_string(), "username": name, "global_name": name,
            "discriminator": "0", "avatar": null, "public_flags": 0,
        })
    }

    pub fn bot(&self) -> Value {
        json!({
            "id": BOT_ID.to_string(), "username": BOT_NAME, "discriminator": "0", "avatar": null,
            "global_name": null, "bot": true, "public_flags": 0,
        })
    }

    pub fn application(&self) -> Value {
        let flags: u64 = if self.content { 1 << 19 } else { 0 };
        json!({
            "id": APPLICATION.to_string(), "name": "Postern", "flags": flags,
            "interactions_endpoint_url": self.endpoint, "bot": self.bot(), "icon": null,
            "description": "", "bot_public": false, "bot_require_code_grant": false,
            "verify_key": "00",
        })
    }

    /// A message of a person, with keys laid over it; a null takes a key away.
    pub fn message(&mut self, user: User, channel: Channel, text: &str, over: Value) -> Value {
        let id = self.snowflake();
        let author = self.user(user);
        let about = self.room(channel).about.clone();
        let mut message = json!({
            "id": id.to_string(), "type": 0, "channel_id": channel.0.to_string(),
            "author": author, "content": text, "timestamp": "2026-09-21T14:13:20.000000+00:00",
            "edited_timestamp": null, "tts": false, "mention_everyone": false, "mentions": [],
            "mention_roles": [], "attachments": [], "embeds": [], "pinned": false, "flags": 0,
            "components": [],
        });
        // Only the gateway says so; clients that keep channels go by it.
        message["channel_type"] = about["type"].clone();
        if let Some(guild) = about.get("guild_id") {
            message["guild_id"] = guild.clone();
            message["member"] = json!({"roles": [], "nick": null, "joined_at": "2026-01-01T00:00:00+00:00", "deaf": false, "mute": false, "flags": 0});
        }
        lay(&mut message, &over);
        message
    }

    /// A message of the bot as the platform gives it back.
    pub fn own(&self, channel: u64, shown: &Shown) -> Value {
        let row = |row: &Vec<(String, String)>| {
            let button = |(label, id): &(String, String)| json!({"type": 2, "style": 2, "label": label, "custom_id": id});
            json!({"type": 1, "components": row.iter().map(button).collect::<Vec<_>>()})
        };
        let mut message = json!({
            "id": shown.id.to_string(), "type": 0, "channel_id": channel.to_string(),
            "author": self.bot(), "content": shown.content,
            "timestamp": "2026-09-21T14:13:20.000000+00:00", "edited_timestamp": null,
            "tts": false, "mention_everyone": false, "mentions": [], "mention_roles": [],
            "attachments": [], "embeds": [], "pinned": false, "flags": shown.flags,
            "components": shown.buttons.iter().map(row).collect::<Vec<_>>(),
        });
        if let Some(nonce) = &shown.nonce {
            message["nonce"] = json!(nonce);
        }
        message
    }

    /// A message of a channel, the bot's or a person's, as REST gives it.
    pub fn find(&mut self, channel: Channel, id: u64) -> Option<Value> {
        let room = self.rooms.get(&channel.0)?;
        if let Some(said) = room.said.get(&id) {
            let mut said = said.clone();
            lay(
                &mut said,
                &json!({"guild_id": null, "member": null, "channel_type": null}),
            );
            return Some(said);
        }
        let shown = room.shown.iter().find(|shown| shown.id == id)?;
        Some(self.own(channel.0, shown))
    }

    /// A file that the platform holds, as an attachment.
    pub fn attach(&mut self, channel: Channel, name: &str, kind: &str, bytes: &[u8]) -> Value {
        let id = self.snowflake();
        let path = format!("{}/{id}/file", channel.0);
        self.files.insert(path.clone(), bytes.to_vec());
        json!({
            "id": id.to_string(), "filename": name, "content_type": kind, "size": bytes.len(),
            "url": format!("http://{}/attachments/{path}?ex=1&is=2&hm=3", self.host),
            "proxy_url": format!("http://{}/attachments/{path}", self.host),
        })
    }

    /// Tells every session what happened, as far as its intents let it hear.
    pub fn happen(&mut self, name: &str, data: Value) {
        for session in self.sessions.values_mut() {
            if let Some(data) = heard(session.intents, name, &data) {
                session.log.push((name.to_owned(), data));
            }
        }
    }

    /// A person does something that has to be answered.
    pub fn interact(
        &mut self,
        user: User,
        channel: Channel,
        kind: u64,
        data: Value,
        message: Option<Value>,
    ) -> u64 {
        let id = self.snowflake();
        self.next += 1;
        let token = format!("aW50ZXJhY3Rpb246{}-{}_x", self.next, id);
        let about = self.rooms.get(&channel.0).map(|room| room.about.clone());
        let about = about.unwrap_or_default();
        let who = self.user(user);
        let mut interaction = json!({
            "id": id.to_string(), "application_id": APPLICATION.to_string(), "type": kind,
            "token": token, "version": 1, "data": data, "channel_id": channel.0.to_string(),
            "channel": about, "locale": "en-US", "entitlements": [],
            "authorizing_integration_owners": {}, "attachment_size_limit": 10_485_760,
        });
        match about.get("guild_id") {
            Some(guild) => {
                interaction["guild_id"] = guild.clone();
                interaction["member"] = json!({"user": who, "roles": [], "permissions": "0", "joined_at": "2026-01-01T00:00:00+00:00", "deaf": false, "mute": false, "flags": 0});
                interaction["context"] = json!(0);
            }
            None => {
                interaction["user"] = who;
                let with_bot = about["type"] == 1;
                interaction["context"] = json!(if with_bot { 1 } else { 2 });
            }
        }
        if let Some(message) = message {
            interaction["message"] = message;
        }
        let known = Interaction {
            token,
            kind,
            begun: Instant::now(),
            answered: false,
            expired: false,
        };
        self.interactions.insert(id, known);
        if self.endpoint.is_none() {
            self.happen("INTERACTION_CREATE", interaction);
        }
        id
    }

    pub fn expire(&mut self, id: u64) {
        let interaction = self.interactions.get_mut(&id);
        interaction
            .expect("an interaction that the fake knows")
            .expired = true;
    }
}

/// The number in an id.
pub(super) fn number(value: &Value) -> u64 {
    value
        .as_str()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0)
}

fn lay(message: &mut Value, over: &Value) {
    let whole = message.as_object_mut().unwrap();
    for (key, value) in over.as_object().into_iter().flatten() {
        if value.is_null() && key != "referenced_message" {
            whole.remove(key);
        } else {
            whole.insert(key.clone(), value.clone());
        }
    }
}

const GUILD_MESSAGES: u64 = 1 << 9;
const DIRECT_MESSAGES: u64 = 1 << 12;
pub(super) const MESSAGE_CONTENT: u64 = 1 << 15;

/// What a session with these intents hears of something.
fn heard(intents: u64, name: &str, data: &Value) -> Option<Value> {
    if !name.starts_with("MESSAGE_") {
        return Some(data.clone());
    }
    let in_guild = data.get("guild_id").is_some();
    let wanted = if in_guild {
        GUILD_MESSAGES
    } else {
        DIRECT_MESSAGES
    };
    if intents & wanted == 0 {
        return None;
    }
    let bot = BOT_ID.to_string();
    let named = data["mentions"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|user| user["id"] == json!(bot));
    let mut data = data.clone();
    if in_guild && intents & MESSAGE_CONTENT == 0 && !named {
        for (key, nothing) in [
            ("content", json!("")),
            ("embeds", json!([])),
            ("attachments", json!([])),
            ("components", json!([])),
        ] {
            data[key] = nothing;
        }
    }
    Some(data)
}
