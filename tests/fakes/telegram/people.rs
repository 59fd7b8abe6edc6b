//! What do people do on the platform?

use serde_json::{Value, json};

use super::state::{BOT_ID, BOT_NAME};
use super::{Chat, Fake, User};

impl Fake {
    /// A person. The bot may write to them once they have written to it.
    pub fn person(&self, id: i64, name: &str) -> User {
        let mut state = self.shared.lock();
        state.people.insert(id, name.to_owned());
        state.add_room(id, "private", name);
        User(id)
    }

    /// A supergroup that the bot is in; its id is negative.
    pub fn group(&self, id: i64, title: &str) -> Chat {
        self.shared.lock().add_room(id, "supergroup", title);
        Chat(id)
    }

    /// A topic in a group.
    pub fn topic(&self, chat: Chat, thread: i64) {
        let mut state = self.shared.lock();
        let room = state.room(chat);
        room.forum = true;
        room.topics.insert(thread);
    }

    /// Topics are switched off in a group; its messages stand in the group itself from then on.
    pub fn topics_off(&self, chat: Chat) {
        let mut state = self.shared.lock();
        let room = state.room(chat);
        room.forum = false;
        room.topics.clear();
    }

    /// Deletes a topic, so that sending to it fails with "message thread not found".
    pub fn delete_topic(&self, chat: Chat, thread: i64) {
        self.shared.lock().room(chat).topics.remove(&thread);
    }

    /// A group becomes a supergroup: its chat goes on under the new id, and both chats tell so.
    pub fn upgrade(&self, user: User, old: Chat, new: i64) -> Chat {
        let moved = self.upgrade_unheard(old, new);
        let mut state = self.shared.lock();
        for (chat, over) in [
            (old, json!({"text": null, "migrate_to_chat_id": new})),
            (moved, json!({"text": null, "migrate_from_chat_id": old.0})),
        ] {
            let message = state.message(user, chat, "", over);
            state.push("message", message);
        }
        drop(state);
        self.shared.changed();
        moved
    }

    /// As [`Self::upgrade`], and no update tells of it.
    pub fn upgrade_unheard(&self, old: Chat, new: i64) -> Chat {
        let mut state = self.shared.lock();
        let title = state.room(old).title.clone();
        state.add_room(new, "supergroup", &title);
        state.room(old).moved_to = Some(new);
        Chat(new)
    }

    /// The person blocks the bot, or it is removed from the group.
    pub fn block(&self, user: User, chat: Chat) {
        let mut state = self.shared.lock();
        state.room(chat).blocked = true;
        let bot =
            json!({"id": BOT_ID, "is_bot": true, "first_name": "Postern", "username": BOT_NAME});
        let change = json!({
            "chat": state.chat(chat.0),
            "from": state.user(user),
            "date": state.tick(),
            "old_chat_member": {"user": bot, "status": "member"},
            "new_chat_member": {"user": bot, "status": "kicked", "until_date": 0},
        });
        state.push("my_chat_member", change);
        drop(state);
        self.shared.changed();
    }

    /// A person writes to the bot. Gives the message's id.
    pub fn private_message(&self, user: User, text: &str) -> i64 {
        self.say(user, user.direct(), text)
    }

    /// A person writes in a chat. Commands and mentions get their entities, as the apps do it.
    pub fn say(&self, user: User, chat: Chat, text: &str) -> i64 {
        self.message(user, chat, text, json!({}))
    }

    /// A person writes, with keys of the message laid over; a null takes a key away.
    pub fn message(&self, user: User, chat: Chat, text: &str, over: Value) -> i64 {
        let mut state = self.shared.lock();
        state.room(chat).started = true;
        let message = state.message(user, chat, text, over);
        let id = message["message_id"].as_i64().unwrap();
        state.room(chat).said.insert(id, message.clone());
        state.push("message", message);
        drop(state);
        self.shared.changed();
        id
    }

    /// A person forwards somebody else's words to the bot.
    pub fn forward(&self, user: User, text: &str) -> i64 {
        let origin =
            json!({"type": "hidden_user", "sender_user_name": "Somebody", "date": 1_780_000_000});
        self.message(user, user.direct(), text, json!({"forward_origin": origin}))
    }

    /// A person answers a message of the chat, the bot's or a person's.
    pub fn reply(&self, user: User, chat: Chat, to: i64, text: &str) -> i64 {
        let original = {
            let mut state = self.shared.lock();
            let said = state.room(chat).said.get(&to).cloned();
            said.unwrap_or_else(|| {
                let shown = state
                    .room(chat)
                    .shown
                    .iter()
                    .find(|shown| shown.id == to)
                    .cloned();
                state.own(chat.0, &shown.expect("a message that stands in the chat"))
            })
        };
        self.message(user, chat, text, json!({"reply_to_message": original}))
    }

    /// A person changes a message of theirs.
    pub fn edit(&self, user: User, chat: Chat, message: i64, text: &str) {
        let mut state = self.shared.lock();
        let edit_date = state.tick() + 1;
        let over = json!({"message_id": message, "edit_date": edit_date});
        let changed = state.message(user, chat, text, over);
        state.room(chat).said.insert(message, changed.clone());
        state.push("edited_message", changed);
        drop(state);
        self.shared.changed();
    }

    /// A message as the platform would tell of it, without telling.
    pub fn body(&self, user: User, chat: Chat, text: &str, over: Value) -> Value {
        self.shared.lock().message(user, chat, text, over)
    }

    /// Puts an update of any kind and body in the queue. Gives its id.
    pub fn update(&self, kind: &str, body: Value) -> i64 {
        let id = self.shared.lock().push(kind, body);
        self.shared.changed();
        id
    }

    /// A person presses a button that stands under a message; anybody in the chat can. Gives the
    /// query's id. Panics when there is no such button.
    pub fn press(&self, user: User, chat: Chat, message: i64, label: &str) -> String {
        let shown = self.shown(chat, message);
        let Some(data) = shown.button(label).map(str::to_owned) else {
            panic!(
                "no button {label:?} under message {message}, only {:?}",
                shown.labels()
            );
        };
        self.press_token(user, chat, message, &data)
    }

    /// A person's app sends the callback data of a button, whether it still stands there or not.
    pub fn press_token(&self, user: User, chat: Chat, message: i64, data: &str) -> String {
        let shown = self.shown(chat, message);
        let mut state = self.shared.lock();
        let query = format!("{}", 4_400_000_000_000_000_000 + state.next_query);
        state.next_query += 1;
        state.queries.insert(query.clone(), true);
        let body = json!({
            "id": query,
            "from": state.user(user),
            "message": state.own(chat.0, &shown),
            "chat_instance": "-3400000000000000000",
            "data": data,
        });
        state.push("callback_query", body);
        drop(state);
        self.shared.changed();
        query
    }

    /// Lets a press grow too old to be answered.
    pub fn expire(&self, query: &str) {
        self.shared.lock().queries.insert(query.to_owned(), false);
    }
}
