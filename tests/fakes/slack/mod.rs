//! A workspace on 127.0.0.1 that refuses what Slack refuses: its Web API, its sockets, and its
//! calls to a door.
//!
//! Times are counted, so that every run is the same: messages from 1790000101, one second more for
//! each. Start one, put people into it, let them speak, and look at what stands on the screen.

mod blocks;
mod events;
mod files;
mod methods;
mod server;
mod socket;
mod state;
mod streams;

use std::collections::BTreeMap;
use std::time::Duration;

use axum::Router;
use axum::routing::{any, get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use blocks::fault as fault_of_blocks;
pub use events::signed;
use state::State;
pub use state::{BOT, BOT_USER, Call, Chat, Fault, Home, Sent, Shown, TEAM, Told, User};

/// Long enough for anything that happens at all.
pub const WAIT: Duration = Duration::from_secs(10);

type Shared = crate::shared::Shared<State>;

/// A running workspace. It stops when this is dropped.
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
    /// Starts a workspace that knows one app, by these two tokens.
    pub async fn start(bot: &str, app: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Shared::new(State::new(bot, app, &address.to_string()));
        let router = Router::new()
            .route("/api/{method}", any(server::call))
            .route("/link/", get(socket::link))
            .route("/upload/{id}", post(files::upload))
            .route("/files-pri/{id}/{name}", get(files::download))
            .with_state(shared.clone());
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let delivery = tokio::spawn(events::deliver(shared.clone()));
        Self {
            shared,
            url: format!("http://{address}/api"),
            server,
            delivery,
        }
    }

    /// Where it answers: the `api` setting of a line.
    pub fn url(&self) -> &str {
        &self.url
    }

    // People and chats.

    /// A person, who has a direct chat with the app.
    pub fn person(&self, id: &str, name: &str) -> User {
        let user = User(id.to_owned());
        let mut state = self.shared.lock();
        state.people.insert(id.to_owned(), name.to_owned());
        state.channels.insert(user.direct().id);
        user
    }

    /// A channel that the app is in.
    pub fn channel(&self, id: &str) -> Chat {
        self.shared.lock().channels.insert(id.to_owned());
        Chat::at(id)
    }

    /// The app is taken out of a channel.
    pub fn leave(&self, chat: &Chat) {
        let event = json!({"type": "channel_left", "channel": chat.id, "actor_id": "U01ADMIN"});
        self.shared.lock().channels.remove(&chat.id);
        self.event(event);
    }

    // What people do.

    /// A person writes in a chat. Gives the message's time, which is its name.
    pub fn say(&self, user: &User, chat: &Chat, text: &str) -> String {
        self.message(user, chat, text, json!({}))
    }

    /// A person writes, with keys of the event laid over; a null takes a key away.
    pub fn message(&self, user: &User, chat: &Chat, text: &str, over: Value) -> String {
        let (ts, event) = self.shared.lock().written(user, chat, text, over);
        self.event(event);
        ts
    }

    /// The event that Slack sends besides where the app is named in a channel.
    pub fn mention(&self, user: &User, chat: &Chat, ts: &str, text: &str) {
        let mut event = json!({
            "type": "app_mention", "user": user.0, "ts": ts, "text": text,
            "channel": chat.id, "event_ts": ts, "team": TEAM,
        });
        if let Some(thread) = &chat.thread {
            event["thread_ts"] = json!(thread);
        }
        self.event(event);
    }

    /// A person gives a command in a chat.
    pub fn command(&self, user: &User, chat: &Chat, text: &str) {
        let mut state = self.shared.lock();
        let trigger = state.next("trigger");
        let payload = json!({
            "token": "gone", "team_id": TEAM, "team_domain": "acme", "channel_id": chat.id,
            "channel_name": "somewhere", "user_id": user.0, "user_name": "somebody",
            "command": "/postern", "text": text, "api_app_id": state::APP,
            "response_url": "https://hooks.slack.com/commands/gone", "trigger_id": trigger,
        });
        state.queue("slash_commands", payload);
        drop(state);
        self.shared.changed();
    }

    /// A person presses a button. Panics when there is no such button.
    pub fn press(&self, user: &User, chat: &Chat, ts: &str, label: &str) {
        let shown = self.shown(chat, ts);
        let value = shown.button(label).unwrap_or_else(|| {
            panic!("no button {label:?} under {shown:?}");
        });
        self.press_token(user, chat, ts, value);
    }

    /// A person's app sends the value of a button, whether it still stands there or not. Gives what
    /// tells this press from all others.
    pub fn press_token(&self, user: &User, chat: &Chat, ts: &str, value: &str) -> String {
        let mut state = self.shared.lock();
        let payload = state.pressed(user, chat, ts, value);
        let when = payload["actions"][0]["action_ts"].as_str().unwrap_or("");
        let press = format!("{}:{ts}:{}:{when}", chat.id, user.0);
        state.queue("interactive", payload);
        drop(state);
        self.shared.changed();
        press
    }

    /// Puts an event of any body in the queue. Gives its id.
    pub fn event(&self, event: Value) -> String {
        let mut state = self.shared.lock();
        let id = state.next("Ev");
        let payload = state.callback(&id, event);
        state.queue("events_api", payload);
        drop(state);
        self.shared.changed();
        id
    }

    /// A person opens a tab of the app: `home` or `messages`.
    pub fn opens(&self, user: &User, tab: &str) {
        self.event(json!({
            "type": "app_home_opened", "user": user.0, "channel": user.direct().id, "tab": tab,
            "event_ts": "1790000100.000000",
        }));
    }

    /// Delivers every event once more, as after an answer that was lost.
    pub fn deliver_again(&self) {
        self.shared.lock().deliver_again();
        self.shared.changed();
    }

    /// A file that somebody uploaded; the object that events carry.
    pub fn file(&self, id: &str, mime: &str, bytes: &[u8]) -> Value {
        self.shared.lock().keep_file(id, mime, bytes)
    }

    /// A file that Slack says lies at this address.
    pub fn file_at(&self, id: &str, url: &str) {
        let mut state = self.shared.lock();
        state.keep_file(id, "text/plain", b"elsewhere");
        state.elsewhere.insert(id.to_owned(), url.to_owned());
    }

    // What goes wrong.

    /// Lets something go wrong with the next call of a method; several are used up in order.
    pub fn inject(&self, method: &str, fault: Fault) {
        let mut state = self.shared.lock();
        let faults = state.faults.entry(method.to_owned()).or_default();
        faults.push_back(fault);
    }

    /// How many calls of a method are still to go wrong.
    pub fn to_go_wrong(&self, method: &str) -> usize {
        let state = self.shared.lock();
        state.faults.get(method).map_or(0, |faults| faults.len())
    }

    /// From now on the app has these scopes.
    pub fn grant(&self, scopes: &[&str]) {
        let scopes = scopes.iter().map(|scope| (*scope).to_owned());
        self.shared.lock().scopes = scopes.collect();
    }

    /// Streams are not for this workspace.
    pub fn without_streams(&self) {
        self.shared.lock().streams_off = true;
    }

    /// The next connections greet nobody and answer nothing, not even a ping.
    pub fn fall_silent(&self, connections: usize) {
        self.shared.lock().silent = connections;
    }

    /// Every open connection goes dead at its other end without a word.
    pub fn cut(&self) {
        self.shared.lock().cut += 1;
        self.shared.changed();
    }

    /// Asks every open connection to come again, by this reason.
    pub fn disconnect(&self, reason: &str) {
        let mut state = self.shared.lock();
        state.asked_away = Some((state.linked, reason.to_owned()));
        drop(state);
        self.shared.changed();
    }

    /// Comes to a door with this signing secret, instead of a socket.
    pub fn come_to(&self, door: &str, secret: &str) {
        self.shared.lock().door = Some((door.to_owned(), secret.to_owned()));
        self.shared.changed();
    }

    // What is seen.

    /// The app's messages in a chat, as they stand on the screen.
    pub fn messages(&self, chat: &Chat) -> Vec<Shown> {
        self.shared.lock().shown(chat)
    }

    /// One message of the app. Panics when it does not stand in the chat.
    pub fn shown(&self, chat: &Chat, ts: &str) -> Shown {
        let all = self.shared.lock().shown_in(&chat.id);
        let found = all.into_iter().find(|shown| shown.ts == ts);
        found.unwrap_or_else(|| panic!("no message {ts} in {}", chat.id))
    }

    /// Waits until a message of the app in this chat is as wanted. Panics with what stands there
    /// when the time is over.
    pub async fn wait_for(&self, chat: &Chat, wanted: impl Fn(&Shown) -> bool) -> Shown {
        let look = || self.messages(chat).into_iter().find(|shown| wanted(shown));
        match self.wait_until(WAIT, look).await {
            Some(found) => found,
            None => panic!("it never came; there stands {:#?}", self.messages(chat)),
        }
    }

    /// Waits until a look gives something, each time that anything changed.
    pub async fn wait_until<T>(&self, limit: Duration, look: impl Fn() -> Option<T>) -> Option<T> {
        self.shared.wait_until(limit, look).await
    }

    /// Every call that the app made, in order.
    pub fn calls(&self) -> Vec<Call> {
        self.shared.lock().calls.clone()
    }

    /// The bodies of all calls of a method, in order.
    pub fn calls_of(&self, method: &str) -> Vec<Value> {
        let calls = self.calls().into_iter();
        let these = calls.filter(|call| call.method == method);
        these.map(|call| call.body).collect()
    }

    /// What somebody alone was told.
    pub fn told(&self) -> Vec<Told> {
        self.shared.lock().told.clone()
    }

    /// What the status line of each thread says.
    pub fn statuses(&self) -> BTreeMap<(String, String), String> {
        self.shared.lock().statuses.clone()
    }

    /// The home tabs, by person.
    pub fn homes(&self) -> BTreeMap<String, Home> {
        self.shared.lock().homes.clone()
    }

    /// How many events are not acknowledged yet.
    pub fn waiting(&self) -> usize {
        self.shared.lock().envelopes.len()
    }

    /// How often a connection was opened.
    pub fn linked(&self) -> usize {
        self.shared.lock().linked
    }

    /// How many connections were greeted and are open.
    pub fn listening(&self) -> usize {
        self.shared.lock().listening
    }

    /// How many events are acknowledged.
    pub fn acknowledged(&self) -> usize {
        self.shared.lock().done
    }

    /// What answered the requests at the door, by status.
    pub fn answers(&self) -> Vec<(u16, String)> {
        self.shared.lock().answers.clone()
    }
}
