//! A Cloud API on 127.0.0.1 that refuses what the real one refuses.
//!
//! Ids and times are counted, so that every run is the same. Start one, put people into it, shake
//! hands with the door, let them speak, and look at what stands on the screen:
//!
//! ```no_run
//! # async fn story() {
//! use fakes::whatsapp::{Fake, WAIT};
//!
//! let fake = Fake::start("EAAToken", "app-secret-of-the-app", "verify-token-of-ours").await;
//! let anna = fake.person("15550100", "Anna"); // configure: api = fake.url()
//! fake.subscribe("http://127.0.0.1:8788/hooks/phone").await.unwrap();
//! fake.say(&anna, &anna.direct(), "/pair ABCD-EFGH");
//! let card = fake.wait_for(&anna.direct(), |shown| shown.button("Allow once").is_some(), WAIT).await;
//! fake.press(&anna, &anna.direct(), &card, "Allow once");
//! # }
//! ```

mod checks;
mod deliver;
mod server;
mod state;

use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use deliver::{signature, wrapped, written};
pub use state::{Chat, Fault, Person, Shown, Window};
use state::{Held, State};

/// Long enough for anything that happens at all.
pub const WAIT: Duration = Duration::from_secs(10);
/// The id of the bot's number.
pub const NUMBER_ID: &str = "106540352242922";
/// The bot's number.
pub const OUR_NUMBER: &str = "15550001111";

type Shared = crate::shared::Shared<State>;

/// A running Cloud API. It stops when this is dropped.
pub struct Fake {
    shared: Shared,
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
    /// Starts a Cloud API that knows one number and one token.
    pub async fn start(token: &str, app_secret: &str, verify_token: &str) -> Self {
        let shared = Shared::new(State::new(token, app_secret, verify_token));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        shared.lock().url = format!("http://{}/v24.0", listener.local_addr().unwrap());
        let app = Router::new()
            .route("/{version}/{id}", get(server::about))
            .route("/{version}/{number}/messages", post(server::send))
            .route("/{version}/{number}/media", post(server::hand_in))
            .route("/{version}/files/{id}/{ticket}", get(server::download))
            .layer(DefaultBodyLimit::max(128 << 20))
            .with_state(shared.clone());
        let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        let delivery = tokio::spawn(deliver::deliver(shared.clone()));
        Self {
            shared,
            server,
            delivery,
        }
    }

    /// Where it answers: the `api` setting of a line.
    pub fn url(&self) -> String {
        self.shared.lock().url.clone()
    }

    // People and groups.

    /// A person with a number. The bot may write to them once they have written to it.
    pub fn person(&self, number: &str, name: &str) -> Person {
        let mut state = self.shared.lock();
        state.people.insert(number.to_owned(), name.to_owned());
        Person(number.to_owned())
    }

    /// A group that the bot is in.
    pub fn group(&self, id: &str) -> Chat {
        self.shared.lock().groups.insert(id.to_owned());
        Chat::Group(id.to_owned())
    }

    /// A group is no more.
    pub fn end_group(&self, id: &str) {
        let mut state = self.shared.lock();
        state.groups.remove(id);
        let group = json!({
            "timestamp": state.tick(), "group_id": id, "type": "group_delete", "request_id": "r1",
        });
        state.push("group_lifecycle_update", json!({"groups": [group]}));
        drop(state);
        self.shared.changed();
    }

    /// More than 24 hours pass in which nobody of a chat writes.
    pub fn shut(&self, chat: &Chat, how: Window) {
        self.shared.lock().windows.insert(chat.clone(), how);
    }

    /// Approves a template.
    pub fn approve(&self, name: &str, language: &str) {
        let mut state = self.shared.lock();
        state
            .templates
            .insert((name.to_owned(), language.to_owned()));
    }

    // The door.

    /// Shakes hands with an address, as the dashboard does when it is saved, and posts there from
    /// now on.
    ///
    /// # Errors
    /// When it does not answer as the real one asks; with what it answered.
    pub async fn subscribe(&self, callback: &str) -> Result<(), String> {
        let token = self.shared.lock().verify_token.clone();
        let challenge = "1158201444";
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let query = [
            ("hub.mode", "subscribe"),
            ("hub.challenge", challenge),
            ("hub.verify_token", &token),
        ];
        let answer = client.get(callback).query(&query).send().await;
        let answer = answer.map_err(|error| error.to_string())?;
        let status = answer.status();
        let body = answer.text().await.map_err(|error| error.to_string())?;
        if !status.is_success() || body != challenge {
            return Err(format!(
                "The callback URL or verify token couldn't be validated: {status} {body}"
            ));
        }
        self.post_to(callback);
        Ok(())
    }

    /// Posts there from now on, as if hands had been shaken.
    pub fn post_to(&self, callback: &str) {
        self.shared.lock().callback = Some(callback.to_owned());
        self.shared.changed();
    }

    /// Posts nowhere any more, and keeps what is to be said.
    pub fn hold_back(&self) {
        self.shared.lock().held_back = true;
    }

    /// Posts what waited, all of it at once.
    pub fn let_go(&self) {
        self.shared.lock().held_back = false;
        self.shared.changed();
    }

    /// Posts everything so many times at the same moment.
    pub fn copies(&self, copies: usize) {
        self.shared.lock().copies = copies;
    }

    /// Signs with another app secret from now on.
    pub fn rotate(&self, app_secret: &str) {
        self.shared.lock().app_secret = app_secret.to_owned();
    }

    /// Tells nothing of messages that arrive.
    pub fn without_statuses(&self) {
        self.shared.lock().tells_statuses = false;
    }

    /// How many changes are not taken yet.
    pub fn waiting(&self) -> usize {
        self.shared.lock().changes.len()
    }

    /// Puts a change of any field in the queue.
    pub fn change(&self, field: &str, value: Value) {
        self.shared.lock().push(field, value);
        self.shared.changed();
    }

    // What people do.

    /// A person writes. Gives the message's id.
    pub fn say(&self, person: &Person, chat: &Chat, text: &str) -> String {
        let content = json!({"type": "text", "text": {"body": text}});
        self.message(person, chat, content)
    }

    /// A person sends a message of any kind, with these keys.
    pub fn message(&self, person: &Person, chat: &Chat, content: Value) -> String {
        let mut state = self.shared.lock();
        let id = state.wamid();
        let mut message = json!({"id": id, "timestamp": state.tick()});
        let name = state.people[&person.0].clone();
        let mut contact = json!({"profile": {"name": name}});
        if person.0.contains('.') {
            message["from_user_id"] = json!(person.0);
            contact["user_id"] = json!(person.0);
        } else {
            message["from"] = json!(person.0);
            contact["wa_id"] = json!(person.0);
        }
        if let Chat::Group(group) = chat {
            message["group_id"] = json!(group);
        }
        for (key, value) in content.as_object().unwrap() {
            message[key] = value.clone();
        }
        state.windows.insert(chat.clone(), Window::Open);
        state.said.insert(id.clone(), chat.clone());
        state.push(
            "messages",
            json!({"contacts": [contact], "messages": [message]}),
        );
        drop(state);
        self.shared.changed();
        id
    }

    /// A person forwards somebody else's words.
    pub fn forward(&self, person: &Person, text: &str) -> String {
        let content =
            json!({"type": "text", "text": {"body": text}, "context": {"forwarded": true}});
        self.message(person, &person.direct(), content)
    }

    /// A person answers a message.
    pub fn reply(&self, person: &Person, chat: &Chat, to: &str, text: &str) -> String {
        let context = json!({"from": OUR_NUMBER, "id": to});
        let content = json!({"type": "text", "text": {"body": text}, "context": context});
        self.message(person, chat, content)
    }

    /// A person sends a file; `content` lies over what the message says of it.
    pub fn send_file(
        &self,
        person: &Person,
        kind: &str,
        mime: &str,
        bytes: &[u8],
        content: Value,
    ) -> String {
        let id = self.hold(mime, bytes);
        let mut file = json!({"id": id, "mime_type": mime, "sha256": "0".repeat(64)});
        for (key, value) in content.as_object().unwrap() {
            file[key] = value.clone();
        }
        self.message(person, &person.direct(), json!({"type": kind, kind: file}))
    }

    /// A file that the platform holds. Gives its media id.
    pub fn hold(&self, mime: &str, bytes: &[u8]) -> String {
        let mut state = self.shared.lock();
        let id = format!("20379{}", state.number());
        state.media.insert(
            id.clone(),
            Held {
                kind: mime.to_owned(),
                name: String::new(),
                bytes: bytes.to_vec(),
                ticket: 1,
                old: 0,
                elsewhere: None,
            },
        );
        id
    }

    /// Says that a file lies elsewhere than it does.
    pub fn misplace(&self, media: &str, url: &str) {
        let mut state = self.shared.lock();
        state.media.get_mut(media).unwrap().elsewhere = Some(url.to_owned());
    }

    /// Lets the address of a file grow too old once more after it was asked for.
    pub fn age(&self, media: &str) {
        let mut state = self.shared.lock();
        state.media.get_mut(media).unwrap().old += 1;
    }

    /// Presses a button or a row of a message. Panics when there is none.
    pub fn press(&self, person: &Person, chat: &Chat, on: &Shown, title: &str) -> String {
        let id = on.button(title);
        let id = id.unwrap_or_else(|| panic!("no button {title:?} under {on:?}"));
        self.press_token(person, chat, &on.id, title, id)
    }

    /// Sends what a button carries, whether it stands there or not.
    pub fn press_token(
        &self,
        person: &Person,
        chat: &Chat,
        on: &str,
        title: &str,
        id: &str,
    ) -> String {
        let list = {
            let state = self.shared.lock();
            let shown = state.screens.get(chat).into_iter().flatten();
            shown
                .into_iter()
                .any(|shown| shown.id == on && shown.buttons.len() > 3)
        };
        let kind = if list { "list_reply" } else { "button_reply" };
        let interactive = json!({"type": kind, kind: {"id": id, "title": title}});
        let context = json!({"from": OUR_NUMBER, "id": on});
        let content =
            json!({"type": "interactive", "interactive": interactive, "context": context});
        self.message(person, chat, content)
    }

    // What goes wrong.

    /// Lets something go wrong with the next call; several are used up in order.
    pub fn inject(&self, fault: Fault) {
        self.shared.lock().faults.push_back(fault);
    }

    /// How much is still to go wrong.
    pub fn to_go_wrong(&self) -> usize {
        self.shared.lock().faults.len()
    }

    // What the bot did.

    /// The bot's messages in a chat, as they stand on the screen.
    pub fn messages(&self, chat: &Chat) -> Vec<Shown> {
        self.shared
            .lock()
            .screens
            .get(chat)
            .cloned()
            .unwrap_or_default()
    }

    /// The ids of all that people said and pressed.
    pub fn said(&self) -> Vec<String> {
        self.shared.lock().said.keys().cloned().collect()
    }

    /// Every message that the bot asked to be sent, in order.
    pub fn calls(&self) -> Vec<Value> {
        self.shared.lock().calls.clone()
    }

    /// What was marked as read, in order.
    pub fn read(&self) -> Vec<String> {
        self.shared.lock().read.clone()
    }

    /// How often it was shown that an answer is being written.
    pub fn typing(&self) -> usize {
        self.shared.lock().typing
    }

    /// Waits until a message of the bot in this chat is as wanted. Panics with what stands there
    /// when the time is over.
    pub async fn wait_for(
        &self,
        chat: &Chat,
        wanted: impl Fn(&Shown) -> bool,
        limit: Duration,
    ) -> Shown {
        let look = || self.messages(chat).into_iter().rev().find(&wanted);
        match self.wait_until(limit, look).await {
            Some(shown) => shown,
            None => panic!(
                "not shown within {limit:?}; in the chat: {:#?}; not taken: {:?}",
                self.messages(chat),
                self.shared.lock().untaken
            ),
        }
    }

    /// Waits until a look gives something, each time that anything changed.
    pub async fn wait_until<T>(&self, limit: Duration, look: impl Fn() -> Option<T>) -> Option<T> {
        self.shared.wait_until(limit, look).await
    }
}
