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
mod inline;
mod menus;
mod methods;
mod people;
mod server;
mod state;
mod text;

use std::time::Duration;

use axum::Router;
use axum::routing::{any, get};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use files::Sent;
use state::State;
pub use state::{Answered, BOT_ID, BOT_NAME, Call, Chat, Fault, Shown, User};

/// Long enough for anything that happens at all.
pub const WAIT: Duration = Duration::from_secs(10);

type Shared = crate::shared::Shared<State>;

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
        let shared = Shared::new(State::new(token));
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

    /// The bot goes by another name than [`BOT_NAME`].
    pub fn call_it(&self, name: &str) {
        self.shared.lock().name = name.to_owned();
    }

    /// Where it answers: the `api` setting of a line.
    pub fn url(&self) -> &str {
        &self.url
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

    /// How many calls of a method are still to go wrong.
    pub fn to_go_wrong(&self, method: &str) -> usize {
        let state = self.shared.lock();
        state
            .faults
            .get(&method.to_ascii_lowercase())
            .map_or(0, |faults| faults.len())
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
        self.shared.wait_until(limit, look).await
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

    /// How many updates are not acknowledged yet.
    pub fn waiting(&self) -> usize {
        self.shared.lock().updates.len()
    }

    /// How many polls were tried at the same time at most; all but the first are refused.
    pub fn most_polls(&self) -> usize {
        self.shared.lock().most_polls
    }
}
