//! Models on 127.0.0.1 in four protocols, which refuse what the real services refuse.
//!
//! What they answer is scripted, one [`Turn`] for each question, in order; a question without a
//! script is answered with [`NOTHING`].

mod checks;
mod forms;
mod server;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::post;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

pub use forms::Form;

/// The key that all of them know.
pub const KEY: &str = "sk-fake-0123456789abcdef";
/// The models that all of them know.
pub const MODELS: [&str; 2] = ["fake-large", "fake-small"];
/// What is said where nothing is scripted.
pub const NOTHING: &str = "I have nothing more to say.";

/// One answer.
#[derive(Clone, Debug)]
pub enum Turn {
    /// Words, in pieces of a few letters.
    Say(String),
    /// Words, and then calls: function and arguments as text, which need not be JSON.
    Call(String, Vec<(String, String)>),
    /// Words, and then nothing until it is let go; then more words.
    Held(String, String),
    /// As held, in as many steps.
    Steps(Vec<String>),
    /// Words, and then the connection breaks.
    Break(String),
    /// Words, and then an error of the service in place of the next one.
    Trouble(String),
    /// The same piece, without an end.
    Endless(String),
    /// Nothing at all, and the connection stays open.
    Hang,
    /// An answer without words.
    Empty,
    /// A refusal: status, what the body says, and seconds to wait.
    Refuse(u16, String, Option<u64>),
}

impl Turn {
    /// Words.
    pub fn say(text: &str) -> Self {
        Self::Say(text.to_owned())
    }

    /// One call.
    pub fn call(function: &str, arguments: Value) -> Self {
        let call = (function.to_owned(), arguments.to_string());
        Self::Call(String::new(), vec![call])
    }
}

/// One question, as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    pub form: Form,
    /// The model's name.
    pub model: String,
    /// Whether the answer is to come in pieces.
    pub streams: bool,
    pub body: Value,
    /// What the service would have said against it; it was refused then.
    pub refused: Option<String>,
    pub at: Instant,
}

#[derive(Default)]
struct State {
    script: VecDeque<Turn>,
    asked: Vec<Asked>,
}

#[derive(Clone, Default)]
struct Shared {
    state: Arc<Mutex<State>>,
    /// Lets what is held go on.
    go: Arc<Notify>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }
}

/// Running models. They stop when this is dropped.
pub struct Fake {
    shared: Shared,
    url: String,
    server: JoinHandle<()>,
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Fake {
    /// Starts all of them.
    pub async fn start() -> Self {
        let shared = Shared::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new()
            .route("/v1/chat/completions", post(server::openai))
            .route("/v1/messages", post(server::anthropic))
            .route("/v1beta/models/{call}", post(server::gemini))
            .route("/api/chat", post(server::ollama))
            .with_state(shared.clone());
        let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            shared,
            url,
            server,
        }
    }

    /// Where a protocol is spoken: the `endpoint` setting.
    pub fn endpoint(&self, form: Form) -> String {
        format!("{}{}", self.url, form.folder())
    }

    /// The next answer.
    pub fn will(&self, turn: Turn) {
        self.shared.lock().script.push_back(turn);
    }

    /// Takes back the answers that nobody asked for.
    pub fn forget(&self) {
        self.shared.lock().script.clear();
    }

    /// Lets what is held go on.
    pub fn go_on(&self) {
        self.shared.go.notify_one();
    }

    /// Every question, in order.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.lock().asked.clone()
    }

    /// Waits until so many questions came.
    pub async fn wait_for(&self, questions: usize) {
        let end = Instant::now() + crate::telegram::WAIT;
        while self.asked().len() < questions {
            assert!(
                Instant::now() < end,
                "not {questions} questions: {:#?}",
                self.asked()
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}
