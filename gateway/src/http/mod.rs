//! What does a browser get? The page, its session, what it posts, and the stream of its place.
//!
//! ```text
//!  connection (cap, timeouts) -> guard (Host, Origin, size) -> api -> Desk    what was posted
//!                                                           -> events <- Web  what is shown
//!                                                           -> page           a few fixed files
//! ```
//!
//! What platforms post comes in by `hooks` on a listener of its own.
//!
//! GET changes nothing. A server address, a token or a scope is never read from a URL.

use std::future::Future;
use std::sync::Arc;

use adapters::web::Web;
use async_trait::async_trait;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};
use bot_policy::access::Person;
use bot_policy::event::{FileFact, FileKind, InboundEvent};
use bot_policy::id::Place;
use serde::{Serialize, Serializer};
use tokio::net::TcpListener;
use tokio::sync::watch;

pub mod admin;
mod api;
mod connection;
pub mod console;
mod events;
mod file;
mod guard;
mod hooks;
mod page;
mod proof;
mod room;
mod seats;
mod session;
mod tries;

use admin::AdminToken;
use console::Console;
pub use guard::{BODY_LIMIT, Hosts};
pub use hooks::{Porter, Undelivered, serve_doors};
use seats::Seats;
pub use session::SessionHash;
use tries::Tries;

/// What the page needs of the gateway.
#[async_trait]
pub trait Desk: Send + Sync {
    /// The account of a session; none when nobody has it.
    async fn account(&self, session: SessionHash) -> Result<Option<String>, DeskError>;

    /// Stores a new session. Called only for an account that has just been paired.
    async fn open_session(&self, session: SessionHash, account: &str) -> Result<(), DeskError>;

    /// Stores what came in. Once it returns, the browser is told that it arrived; an event with
    /// a known id is taken and changes nothing. A pairing code is redeemed before it returns.
    async fn accept(&self, event: InboundEvent) -> Result<(), DeskError>;

    /// Keeps what was uploaded until its message was taken up; says what it is.
    async fn upload(&self, bytes: Vec<u8>) -> Result<FileFact, DeskError>;

    /// A file that was sent to the place, by its digest: name, kind, and what it holds.
    async fn file(
        &self,
        place: &Place,
        digest: &str,
    ) -> Result<Option<(String, FileKind, Vec<u8>)>, DeskError>;

    /// Who paired the place; none when it is nobody's.
    async fn owner_of(&self, place: &Place) -> Result<Option<Person>, DeskError>;

    /// The last 200 things that the place shows, oldest first.
    async fn transcript(&self, place: &Place) -> Result<Vec<ScreenItem>, DeskError>;

    /// Whether the gateway works.
    async fn healthy(&self) -> bool;

    /// Whether it could take and keep something now.
    async fn ready(&self) -> bool;

    /// What was counted, as Prometheus reads it; no person and no chat in it.
    async fn metrics(&self) -> Result<String, DeskError>;

    /// The token that opens the page as its owner; without one, only a code does.
    fn admin(&self) -> Option<&AdminToken>;

    /// A code for one more account of the owner's.
    async fn owner_code(&self) -> Result<String, DeskError>;

    /// What the owner sees beside the chat.
    fn console(&self) -> &dyn Console;

    /// The adapter whose screens the page shows.
    fn web(&self) -> &Web;
}

/// The gateway could not do it now. What went wrong is for the log; the browser is told to try
/// again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the gateway could not do it: {0}")]
pub struct DeskError(pub String);

/// One thing that a place shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScreenItem {
    /// What it is called; for our own messages the key under which they were sent.
    #[serde(serialize_with = "as_text")]
    pub key: i64,
    /// When it came, in milliseconds since 1970.
    pub at: i64,
    /// Who says it.
    pub from: Speaker,
    /// What it shows, as `adapters::web::encode` or `adapters::web::said` made it.
    pub body: serde_json::Value,
}

/// Who says something on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// The person at the page.
    Mine,
    /// Postern.
    Postern,
}

/// Serves the page until `shutdown`, then ends open streams and gives requests that are being
/// answered two seconds.
///
/// `allowed_hosts` are names under which the page is reached besides the address that is
/// listened on: `chat.example` or, behind a proxy that adds TLS, `https://chat.example`.
///
/// # Errors
/// When the address of the listener cannot be read.
pub async fn serve(
    listener: TcpListener,
    desk: Arc<dyn Desk>,
    allowed_hosts: Vec<String>,
    shutdown: impl Future,
) -> std::io::Result<()> {
    let hosts = Hosts::new(listener.local_addr()?, &allowed_hosts);
    let (closing, closed) = watch::channel(());
    let router = router(desk, hosts, closed.clone());
    connection::serve(listener, router, closed, shutdown, closing).await;
    Ok(())
}

/// Serves what was counted, and nothing else, until `shutdown`; whoever reaches the listener reads
/// it without being asked who they are.
///
/// # Errors
/// When the address of the listener cannot be read.
pub async fn serve_metrics(
    listener: TcpListener,
    desk: Arc<dyn Desk>,
    shutdown: impl Future,
) -> std::io::Result<()> {
    let hosts = Hosts::new(listener.local_addr()?, &[]);
    let (closing, closed) = watch::channel(());
    let shared = Shared::new(desk, hosts, closed.clone());
    let router = guarded(
        Router::new().route("/metrics", get(api::metrics_for_all)),
        shared,
    );
    connection::serve(listener, router, closed, shutdown, closing).await;
    Ok(())
}

#[derive(Clone)]
struct Shared {
    desk: Arc<dyn Desk>,
    hosts: Arc<Hosts>,
    closed: watch::Receiver<()>,
    seats: Arc<Seats>,
    tries: Arc<Tries>,
}

impl Shared {
    fn new(desk: Arc<dyn Desk>, hosts: Hosts, closed: watch::Receiver<()>) -> Self {
        Self {
            desk,
            hosts: Arc::new(hosts),
            closed,
            seats: Arc::default(),
            tries: Arc::default(),
        }
    }
}

fn router(desk: Arc<dyn Desk>, hosts: Hosts, closed: watch::Receiver<()>) -> Router {
    let router = Router::new()
        .route("/", get(page::index))
        .route("/console", get(page::console))
        .route("/app.js", get(page::script))
        .route("/ask.js", get(page::asking))
        .route("/console.css", get(page::console_style))
        .route("/console.js", get(page::console_script))
        .route("/draw.js", get(page::drawing))
        .route("/enclose.js", get(page::enclosing))
        .route("/lists.js", get(page::lists))
        .route("/style.css", get(page::style))
        .route("/icon.svg", get(page::icon))
        .route("/healthz", get(api::healthz))
        .route("/readyz", get(api::readyz))
        .route("/metrics", get(api::metrics))
        .route("/api/chat", get(api::chat))
        .route("/api/console/card", post(console::stand))
        .route("/api/console/file", get(console::file))
        .route("/api/console/memory", post(console::remember))
        .route("/api/console/unpair", post(console::let_go))
        .route("/api/console/{view}", get(console::view))
        .route("/api/events", get(events::events))
        .route("/api/file/{digest}", get(file::file))
        .route("/api/pair", post(api::pair))
        .route("/api/press", post(api::press))
        .route("/api/say", post(api::say))
        .route("/api/sign-in", post(api::sign_in))
        .route("/api/upload/{id}", post(api::upload));
    guarded(router, Shared::new(desk, hosts, closed))
}

fn guarded(router: Router<Shared>, shared: Shared) -> Router {
    router
        .fallback(api::nothing_here)
        // The guard has read the body, as much of it as may be.
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn_with_state(shared.clone(), guard::guard))
        .with_state(shared)
}

/// Numbers over 2^53 would not survive a browser.
fn as_text<S: Serializer>(key: &i64, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(key)
}
