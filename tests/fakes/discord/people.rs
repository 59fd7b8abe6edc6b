//! What people do on the platform.

use serde_json::{Value, json};

use super::Fake;
use super::seen::{BOT_ID, Channel, User};
use super::state;

impl Fake {
    /// A person writes in a channel. Gives the message's id.
    pub fn say(&self, user: User, channel: Channel, text: &str) -> u64 {
        self.message(user, channel, text, json!({}))
    }

    /// A person writes, with keys of the message laid over; a null takes a key away.
    pub fn message(&self, user: User, channel: Channel, text: &str, over: Value) -> u64 {
        let mut state = self.shared.lock();
        let message = state.message(user, channel, text, over);
        let id = state::number(&message["id"]);
        state.room(channel).said.insert(id, message.clone());
        state.happen("MESSAGE_CREATE", message);
        drop(state);
        self.shared.changed();
        id
    }

    /// A person mentions the bot.
    pub fn mention(&self, user: User, channel: Channel, text: &str) -> u64 {
        let bot = self.shared.lock().bot();
        let text = format!("<@{BOT_ID}> {text}");
        self.message(user, channel, &text, json!({"mentions": [bot]}))
    }

    /// A person forwards somebody else's words.
    pub fn forward(&self, user: User, channel: Channel, text: &str) -> u64 {
        let inner = json!({"message": {
            "type": 0, "content": text, "attachments": [], "embeds": [], "flags": 0,
            "timestamp": "2026-09-21T14:00:00.000000+00:00", "edited_timestamp": null,
            "mentions": [], "mention_roles": [], "components": [],
        }});
        let over = json!({
            "flags": 1 << 14,
            "message_reference": {"type": 1, "channel_id": "41", "message_id": "42"},
            "message_snapshots": [inner],
        });
        self.message(user, channel, "", over)
    }

    /// A person answers a message of the channel, the bot's or a person's.
    pub fn reply(&self, user: User, channel: Channel, to: u64, text: &str) -> u64 {
        let mut state = self.shared.lock();
        let original = state.find(channel, to).expect("a message of the channel");
        drop(state);
        let mentions = match original["author"]["id"] == json!(BOT_ID.to_string()) {
            true => vec![original["author"].clone()],
            false => Vec::new(),
        };
        let over = json!({
            "type": 19,
            "mentions": mentions,
            "message_reference": {
                "type": 0, "message_id": to.to_string(), "channel_id": channel.0.to_string(),
            },
            "referenced_message": original,
        });
        self.message(user, channel, text, over)
    }

    /// A person changes a message of theirs.
    pub fn edit(&self, user: User, channel: Channel, message: u64, text: &str) {
        let mut state = self.shared.lock();
        let over = json!({
            "id": message.to_string(),
            "edited_timestamp": "2026-09-21T14:13:50.000000+00:00",
        });
        let changed = state.message(user, channel, text, over);
        state.room(channel).said.insert(message, changed.clone());
        state.happen("MESSAGE_UPDATE", changed);
        drop(state);
        self.shared.changed();
    }

    /// A person sends a file with some words.
    pub fn send_file(
        &self,
        user: User,
        channel: Channel,
        text: &str,
        kind: &str,
        bytes: &[u8],
    ) -> u64 {
        let attachment = self
            .shared
            .lock()
            .attach(channel, "a file.bin", kind, bytes);
        self.message(user, channel, text, json!({"attachments": [attachment]}))
    }

    /// An event of any name and body, as the gateway sends it.
    pub fn event(&self, name: &str, data: Value) {
        self.shared.lock().happen(name, data);
        self.shared.changed();
    }

    /// A person chooses a slash command. Gives the interaction's id. Panics where no app would offer
    /// it like this.
    pub fn command(&self, user: User, channel: Channel, name: &str, text: &str) -> u64 {
        let mut state = self.shared.lock();
        let known = state.commands.as_array().into_iter().flatten();
        let known: Vec<Value> = known.filter(|one| one["name"] == name).cloned().collect();
        let [known] = known.as_slice() else {
            panic!("/{name} is not registered: {}", state.commands);
        };
        let context = match state.room(channel).about.get("guild_id") {
            Some(_) => json!(0),
            None => json!(1),
        };
        // What names no contexts is offered in all of them.
        let contexts = known["contexts"].as_array();
        let offered = contexts.is_none_or(|contexts| contexts.contains(&context));
        assert!(offered, "/{name} is not offered in this channel: {known}");
        let mut data = json!({"id": known["id"], "name": name, "type": 1});
        if !text.is_empty() {
            let option = &known["options"][0];
            let choices = option["choices"].as_array().map_or(&[][..], Vec::as_slice);
            let chosen = choices.is_empty() || choices.iter().any(|one| one["value"] == text);
            assert!(
                option.is_object() && chosen,
                "/{name} takes no {text:?}: {known}"
            );
            data["options"] = json!([{"name": option["name"], "type": 3, "value": text}]);
        }
        let id = state.interact(user, channel, 2, data, None);
        drop(state);
        self.shared.changed();
        id
    }

    /// What reaches the bot as a slash command, whether it is offered or not.
    pub fn forged_command(&self, user: User, channel: Channel, data: Value) -> u64 {
        let id = self.shared.lock().interact(user, channel, 2, data, None);
        self.shared.changed();
        id
    }

    /// A person presses a button that stands under a message. Gives the interaction's id. Panics
    /// when there is no such button.
    pub fn press(&self, user: User, channel: Channel, message: u64, label: &str) -> u64 {
        let shown = self.shown(channel, message);
        let Some(token) = shown.button(label).map(str::to_owned) else {
            panic!(
                "no button {label:?} under message {message}, only {:?}",
                shown.labels()
            );
        };
        self.press_token(user, channel, message, &token)
    }

    /// A person's app sends the custom_id of a button, whether it still stands there or not.
    pub fn press_token(&self, user: User, channel: Channel, message: u64, token: &str) -> u64 {
        let mut state = self.shared.lock();
        let card = state.find(channel, message);
        let data = json!({"custom_id": token, "component_type": 2});
        let id = state.interact(user, channel, 3, data, card);
        drop(state);
        self.shared.changed();
        id
    }

    /// Lets an interaction grow too old for its first answer.
    pub fn expire(&self, interaction: u64) {
        self.shared.lock().expire(interaction);
    }
}
