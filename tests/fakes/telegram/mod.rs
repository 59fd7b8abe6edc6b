//! A Bot API on 127.0.0.1 that refuses what the real one refuses.
//!
//! Ids and times are counted, so that every run is the same: updates from 1000, messages from 101,
//! one second more for each message. Start one, put people into it, let them speak, and look at
//! what stands on the screen:
//!
//! ```no_run
//! # async fn story() {
//! use fakes::telegram::{Fake, WAIT};
//!
//! let fake = Fake::start("123456:TEST").await; // configure: api = fake.url()
//! let anna = fake.person(7001, "Anna");
//! fake.private_message(anna, "/pair ABCD-EFGH");
//! let card = fake.wait_for(anna.direct(), |shown| shown.button("Allow once").is_some(), WAIT).await;
//! fake.press(anna, anna.direct(), card.id, "Allow once");
//! # }
//! ```

mod files;
mod hook;
mod methods;
mod server;
mod state;
mod text;

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::Router;
use axum::routing::{any, get};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

pub use files::Sent;
use state::State;
pub use state::{Answered, BOT_ID, BOT_NAME, Call, Chat, Fault, Shown, User};

/// Long enough for anything that happens at all.
pub const WAIT: Duration = Duration::from_secs(10);

#[derive(Clone)]
struct Shared {
    state: Arc<Mutex<State>>,
    version: Arc<watch::Sender<u64>>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }

    fn changed(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    fn watch(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}

/// A running Bot API. It stops when this is dropped.
pub struct Fake {
    shared: Shared,
    url: String,
    server: JoinHandle<()>,
    delivery: JoinHandle<()>,
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.server.abort();
        self.delivery.abort();
    }
}

impl Fake {
    /// Starts a Bot API that knows one bot, by this token, [`BOT_NAME`] and [`BOT_ID`].
    pub async fn start(token: &str) -> Self {
        let shared = Shared {
            state: Arc::new(Mutex::new(State::new(token))),
            version: Arc::new(watch::channel(0).0),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new()
            .route("/{bot}/{method}", any(server::call))
            .route("/file/{bot}/{*path}", get(files::download))
            .with_state(shared.clone());
        let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        let delivery = tokio::spawn(hook::deliver(shared.clone()));
        Self {
            shared,
            url,
            server,
            delivery,
        }
    }

    /// Where it answers: the `api` setting of a line.
    pub fn url(&self) -> &str {
        &self.url
    }

    // People and chats.

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
        self.shared.lock().room(chat).topics.insert(thread);
    }

    /// Closes a topic, so that sending to it fails with "message thread not found".
    pub fn close_topic(&self, chat: Chat, thread: i64) {
        self.shared.lock().room(chat).topics.remove(&thread);
    }

    /// A group becomes a supergroup: its chat goes on under the new id.
    pub fn upgrade(&self, user: User, old: Chat, new: i64) -> Chat {
        let mut state = self.shared.lock();
        let title = state.room(old).title.clone();
        state.add_room(new, "supergroup", &title);
        state.room(old).moved_to = Some(new);
        let over = json!({"text": null, "migrate_to_chat_id": new});
        let message = state.message(user, old, "", over);
        state.push("message", message);
        drop(state);
        self.shared.changed();
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

    // What people do.

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

    // What goes wrong.

    /// Lets something go wrong with the next call of a method; several are used up in order.
    pub fn inject(&self, method: &str, fault: Fault) {
        let mut state = self.shared.lock();
        state
            .faults
            .entry(method.to_ascii_lowercase())
            .or_default()
            .push_back(fault);
    }

    /// Nothing goes wrong with a method any more.
    pub fn forget_faults(&self, method: &str) {
        self.shared
            .lock()
            .faults
            .remove(&method.to_ascii_lowercase());
    }

    /// From now on only this token is known.
    pub fn rotate(&self, token: &str) {
        self.shared.lock().token = token.to_owned();
    }

    // Webhooks.

    /// Whatever is posted to a public address arrives there: a proxy of the bot's owner.
    pub fn route(&self, public: &str, to: &str) {
        let mut state = self.shared.lock();
        state.routes.retain(|(known, _)| known != public);
        state.routes.push((public.to_owned(), to.to_owned()));
        drop(state);
        self.shared.changed();
    }

    /// Takes webhooks from now on and keeps none.
    pub fn forget_webhooks(&self) {
        self.shared.lock().forgetful = true;
    }

    /// Delivers what was taken once more, so often.
    pub fn repeat_deliveries(&self, times: usize) {
        self.shared.lock().repeats = times;
    }

    /// Where updates are delivered to, if anywhere.
    pub fn webhook(&self) -> Option<String> {
        let state = self.shared.lock();
        state.webhook.as_ref().map(|webhook| webhook.url.clone())
    }

    /// The secret that deliveries carry.
    pub fn webhook_secret(&self) -> Option<String> {
        self.shared.lock().webhook.as_ref()?.secret.clone()
    }

    // What the bot did.

    /// The bot's messages in a chat, as they stand on the screen.
    pub fn messages(&self, chat: Chat) -> Vec<Shown> {
        self.shared.lock().room(chat).shown.clone()
    }

    /// One message of the bot. Panics when it does not stand in the chat.
    pub fn shown(&self, chat: Chat, message: i64) -> Shown {
        let found = self
            .messages(chat)
            .into_iter()
            .find(|shown| shown.id == message);
        found.unwrap_or_else(|| panic!("no message {message} of the bot in the chat"))
    }

    /// Waits until a message of the bot in this chat is as wanted, now or after an edit. Panics
    /// with what stands there when the time is over.
    pub async fn wait_for(
        &self,
        chat: Chat,
        wanted: impl Fn(&Shown) -> bool,
        limit: Duration,
    ) -> Shown {
        let found = self.wait_until(limit, || {
            self.messages(chat).into_iter().rev().find(&wanted)
        });
        match found.await {
            Some(shown) => shown,
            None => panic!(
                "not shown within {limit:?}; in the chat: {:#?}",
                self.messages(chat)
            ),
        }
    }

    /// Waits until a look gives something, each time that anything changed.
    pub async fn wait_until<T>(&self, limit: Duration, look: impl Fn() -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + limit;
        let mut watch = self.shared.watch();
        loop {
            watch.borrow_and_update();
            if let Some(found) = look() {
                return Some(found);
            }
            if timeout_at(deadline, watch.changed()).await.is_err() {
                return look();
            }
        }
    }

    /// Every call the bot made, in order.
    pub fn calls(&self) -> Vec<Call> {
        self.shared.lock().calls.clone()
    }

    /// The bodies of all calls of a method, in order.
    pub fn calls_of(&self, method: &str) -> Vec<Value> {
        let method = method.to_ascii_lowercase();
        let calls = self
            .calls()
            .into_iter()
            .filter(|call| call.method == method);
        calls.map(|call| call.body).collect()
    }

    /// When the bot called a method for the n-th time, from 0; cheap, so that it may be measured.
    pub fn arrival(&self, method: &str, n: usize) -> Option<std::time::Instant> {
        let state = self.shared.lock();
        state.arrivals.get(method)?.get(n).copied()
    }

    /// How often the bot called a method, by its lower-case name.
    pub fn arrivals(&self, method: &str) -> usize {
        self.shared.lock().arrivals.get(method).map_or(0, Vec::len)
    }

    /// When updates were last handed out to a poll.
    pub fn handed_at(&self) -> Option<std::time::Instant> {
        self.shared.lock().handed
    }

    /// What was answered to presses, in order.
    pub fn answers(&self) -> Vec<Answered> {
        self.shared.lock().answered.clone()
    }

    /// The menu of commands, as the bot set it.
    pub fn commands(&self) -> Value {
        self.shared.lock().commands.clone()
    }

    /// How many updates are not acknowledged yet.
    pub fn waiting(&self) -> usize {
        self.shared.lock().updates.len()
    }

    /// How many polls were tried at the same time at most; all but the first are refused.
    pub fn most_polls(&self) -> usize {
        self.shared.lock().most_polls
    }
}
