//! A REST API and a gateway on 127.0.0.1 that refuse what the real ones refuse.
//!
//! Start one, put people into it, let them speak, and look at what stands on the screen:
//!
//! ```no_run
//! # async fn story() {
//! use fakes::discord::{Fake, TOKEN, WAIT};
//!
//! let fake = Fake::start(TOKEN).await; // configure: api = fake.url()
//! let anna = fake.person(7001, "Anna");
//! fake.say(anna, fake.direct(anna), "/pair ABCD-EFGH");
//! let card = fake.wait_for(fake.direct(anna), |shown| shown.button("Allow once").is_some(), WAIT).await;
//! fake.press(anna, fake.direct(anna), card.id, "Allow once");
//! # }
//! ```

mod calls;
mod gateway;
mod interactions;
mod markdown;
mod messages;
mod people;
mod seen;
mod server;
mod state;
mod wrong;

use std::time::Duration;

use axum::Router;
use axum::routing::{any, get};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use markdown::{displayed, pressable};
pub use seen::{
    APPLICATION, Answered, BOT_ID, BOT_NAME, Call, Channel, Fault, GUILD, Sent, Shown, User,
};
use state::State;

/// A token of the right shape.
pub const TOKEN: &str = "MTIzNDU2Nzg5.GExamp.leExampleExampleExampleExample";
/// Long enough for anything that happens at all.
pub const WAIT: Duration = Duration::from_secs(10);

type Shared = crate::shared::Shared<State>;

/// A running platform. It stops when this is dropped.
pub struct Fake {
    shared: Shared,
    url: String,
    server: JoinHandle<()>,
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.changed();
        self.server.abort();
    }
}

impl Fake {
    /// Starts a platform that knows one bot, by this token, [`BOT_NAME`] and [`BOT_ID`]. It is in
    /// one server and may read messages that do not mention it.
    pub async fn start(token: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let shared = Shared::new(State::new(token, &host));
        let app = Router::new()
            .route("/", get(gateway::connect))
            .route("/resume", get(gateway::connect))
            .route("/resume/", get(gateway::connect))
            .route("/attachments/{*path}", get(server::attachment))
            .route("/api/{version}/{*path}", any(server::call))
            .with_state(shared.clone());
        let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            shared,
            url: format!("http://{host}/api"),
            server,
        }
    }

    /// Where it answers: the `api` setting of a line.
    pub fn url(&self) -> &str {
        &self.url
    }

    // People and channels.

    /// A person.
    pub fn person(&self, id: u64, name: &str) -> User {
        self.shared.lock().people.insert(id, name.to_owned());
        User(id)
    }

    /// Their direct channel with the bot.
    pub fn direct(&self, user: User) -> Channel {
        let channel = user.direct();
        let mut state = self.shared.lock();
        let who = state.user(user);
        let about = json!({"id": channel.0.to_string(), "type": 1, "recipients": [who]});
        state.rooms.entry(channel.0).or_default().about = about;
        channel
    }

    /// A text channel of the bot's server.
    pub fn channel(&self, id: u64, name: &str) -> Channel {
        self.room(
            id,
            json!({"type": 0, "name": name, "guild_id": GUILD.to_string()}),
        )
    }

    /// A thread in a channel; a post where that is a forum.
    pub fn thread(&self, id: u64, parent: Channel) -> Channel {
        let about = json!({
            "type": 11, "name": "thread", "guild_id": GUILD.to_string(),
            "parent_id": parent.0.to_string(),
        });
        self.room(id, about)
    }

    /// A direct channel of several people.
    pub fn group_direct(&self, id: u64, people: &[User]) -> Channel {
        let state = self.shared.lock();
        let recipients: Vec<Value> = people.iter().map(|user| state.user(*user)).collect();
        drop(state);
        self.room(id, json!({"type": 3, "recipients": recipients}))
    }

    fn room(&self, id: u64, mut about: Value) -> Channel {
        about["id"] = json!(id.to_string());
        let mut state = self.shared.lock();
        state.rooms.entry(id).or_default().about = about.clone();
        let kind = about["type"].as_u64();
        if about.get("guild_id").is_some() {
            let name = match kind {
                Some(11) => "THREAD_CREATE",
                _ => "CHANNEL_CREATE",
            };
            state.happen(name, about);
        }
        drop(state);
        self.shared.changed();
        Channel(id)
    }

    /// The bot sees a channel no more, or the person takes no messages from it.
    pub fn shut(&self, channel: Channel) {
        self.shared.lock().room(channel).shut = true;
    }

    /// A channel is deleted.
    pub fn delete_channel(&self, channel: Channel) {
        let mut state = self.shared.lock();
        let about = state.room(channel).about.clone();
        state.rooms.remove(&channel.0);
        let name = match about["type"].as_u64() {
            Some(11) => "THREAD_DELETE",
            _ => "CHANNEL_DELETE",
        };
        state.happen(name, about);
        drop(state);
        self.shared.changed();
    }

    /// Whether the application may read messages that do not mention it.
    pub fn allow_content(&self, allowed: bool) {
        self.shared.lock().content = allowed;
    }

    /// Where the application sends presses and commands instead of the gateway.
    pub fn set_endpoint(&self, url: Option<&str>) {
        self.shared.lock().endpoint = url.map(ToOwned::to_owned);
    }

    /// Takes the bot out of its server.
    pub fn leave_server(&self) {
        let mut state = self.shared.lock();
        state.in_guild = false;
        state.happen("GUILD_DELETE", json!({"id": GUILD.to_string()}));
        drop(state);
        self.shared.changed();
    }

    // What the bot did.

    /// The bot's messages in a channel, as they stand on the screen.
    pub fn messages(&self, channel: Channel) -> Vec<Shown> {
        let state = self.shared.lock();
        state
            .rooms
            .get(&channel.0)
            .map(|room| room.shown.clone())
            .unwrap_or_default()
    }

    /// One message of the bot. Panics when it does not stand in the channel.
    pub fn shown(&self, channel: Channel, message: u64) -> Shown {
        let found = self
            .messages(channel)
            .into_iter()
            .find(|shown| shown.id == message);
        found.unwrap_or_else(|| panic!("no message {message} of the bot in the channel"))
    }

    /// Waits until a message of the bot in this channel is as wanted, now or after an edit. Panics
    /// with what stands there when the time is over.
    pub async fn wait_for(
        &self,
        channel: Channel,
        wanted: impl Fn(&Shown) -> bool,
        limit: Duration,
    ) -> Shown {
        let found = self.wait_until(limit, || {
            self.messages(channel).into_iter().rev().find(&wanted)
        });
        match found.await {
            Some(shown) => shown,
            None => panic!(
                "not shown within {limit:?}; in the channel: {:#?}",
                self.messages(channel)
            ),
        }
    }

    /// Waits until a look gives something, each time that anything changed.
    pub async fn wait_until<T>(&self, limit: Duration, look: impl Fn() -> Option<T>) -> Option<T> {
        self.shared.wait_until(limit, look).await
    }

    /// Every call the bot made, in order; the gateway's payloads are `WS op`.
    pub fn calls(&self) -> Vec<Call> {
        self.shared.lock().calls.clone()
    }

    /// The bodies of all calls of a kind, in order.
    pub fn calls_of(&self, kind: &str) -> Vec<Value> {
        let calls = self.calls().into_iter().filter(|call| call.kind == kind);
        calls.map(|call| call.body).collect()
    }

    /// What people did: `m` and `i` before the ids of their messages and interactions.
    pub fn events(&self) -> Vec<String> {
        let state = self.shared.lock();
        let said = state.rooms.values().flat_map(|room| room.said.keys());
        let said = said.map(|id| format!("m{id}"));
        let done = state.interactions.keys().map(|id| format!("i{id}"));
        said.chain(done).collect()
    }

    /// How the interactions were answered, in order.
    pub fn answers(&self) -> Vec<Answered> {
        self.shared.lock().answered.clone()
    }

    /// The number of the file that a message of a person carries.
    pub fn attachment_of(&self, channel: Channel, message: u64) -> u64 {
        let found = self.shared.lock().find(channel, message);
        let found = found.expect("a message of the channel");
        state::number(&found["attachments"][0]["id"])
    }

    /// The slash commands, as the bot registered them.
    pub fn commands(&self) -> Value {
        self.shared.lock().commands.clone()
    }

    /// How many connections of the gateway are open.
    pub fn connections(&self) -> usize {
        self.shared.lock().connections
    }

    /// How many connections were tried.
    pub fn connects(&self) -> usize {
        self.shared.lock().connects
    }

    /// Whether a session is open.
    pub fn hears(&self) -> bool {
        let state = self.shared.lock();
        state.sessions.values().any(|session| session.connected)
    }

    /// Waits until a session hears everything.
    pub async fn heard(&self) {
        let heard = self.wait_until(WAIT, || {
            let state = self.shared.lock();
            let current =
                |session: &state::Session| session.connected && session.sent == session.log.len();
            (state.connections > 0 && state.sessions.values().any(current)).then_some(())
        });
        heard.await.expect("a session that hears everything");
    }
}
