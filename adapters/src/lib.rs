//! Between the platforms and the gateway: one folder per platform, the same files in each.
//!
//! ```text
//!  platform --bytes--> decode (pure) --InboundEvent--> Inbox::accept   stored, then acknowledged
//!  platform <--call--- send, edit  <--Encoded-- encode (pure) <-- OutboundMessage
//! ```
//!
//! An adapter states facts and renders messages. Who may do what is not its business.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bot_policy::event::{InboundEvent, ReplyHandle};
use bot_policy::id::{ChatId, EventId, LineId, MessageRef, Place, Platform};
use bot_policy::message::OutboundMessage;
use bot_policy::secret::Secret;
use serde::{Deserialize, Serialize};

mod credential;
pub mod discord;
mod door;
mod drawn;
mod facts;
mod http;
pub mod markup;
mod outgoing;
mod patience;
mod rich;
mod secret_source;
pub mod slack;
pub mod telegram;
pub mod web;
pub mod whatsapp;

pub use door::{Arrived, Check, Door, DoorAnswer, DoorMethod, Ground, Signed, Webhooks};
pub use facts::{Capabilities, Contact, Menu, Menus, Probe, Strangers, Support};
pub use secret_source::{SecretError, SecretSource, environment, quoted};

/// One account of ours on one platform.
#[async_trait]
pub trait Adapter: Send + Sync {
    /// Which platform it speaks.
    fn platform(&self) -> Platform;

    /// The line that it serves.
    fn line(&self) -> &LineId;

    /// What it knows and nobody else may: each is cut from whatever the gateway shows, stores or
    /// logs.
    fn secrets(&self) -> Vec<Secret<String>>;

    /// What the platform can do, as data.
    fn capabilities(&self) -> Capabilities;

    /// Whom it may write to, and when, as data.
    fn contact(&self) -> Contact {
        Contact::default()
    }

    /// Asks the platform who we are. Fails when the credentials are wrong.
    async fn probe(&self) -> Result<Probe, AdapterError>;

    /// What the platform does not give this line although it could, each with the setting to change
    /// there; for whoever looks after the gateway.
    async fn lacks(&self) -> Result<Vec<String>, AdapterError> {
        Ok(Vec::new())
    }

    /// Tells the platform which commands to offer, where it has menus for them. Told at the start
    /// and, whole, whenever a place is paired or let go of. A courtesy: what goes wrong with it
    /// stops nothing.
    async fn announce(&self, menus: &Menus) -> Result<(), AdapterError>;

    /// A link that opens the platform and sends `/pair` with this code, where there is one.
    fn pair_link(&self, code: &str) -> Option<String>;

    /// The doors through which the platform reaches this line; none where we only ask it.
    fn doors(&self) -> Vec<Door> {
        Vec::new()
    }

    /// Takes in a request that one of its doors let in. Once this returns, the platform is told
    /// that it arrived, so what it holds is stored before.
    ///
    /// # Errors
    /// `Refused` when it is none of ours, which is answered with 403. Otherwise it could not be
    /// stored, and the platform is told to send it again.
    async fn webhook(
        &self,
        request: Arrived,
        inbox: &dyn Inbox,
    ) -> Result<DoorAnswer, AdapterError> {
        let _ = (request, inbox);
        Err(AdapterError::Refused("this line has no door".to_owned()))
    }

    /// Hears events until it fails, handing each to `inbox` before acknowledging it. A line whose
    /// platform comes to us keeps its door registered there instead.
    async fn listen(&self, inbox: &dyn Inbox) -> Result<(), AdapterError>;

    /// Renders a message in the platform's dialect, cut into parts that each fit its limits.
    /// Pure: the same message gives the same parts.
    fn encode(&self, message: &OutboundMessage) -> Vec<Encoded>;

    /// Says where the copies of files lie that are sent, each under its digest. Called once, before
    /// anything is sent.
    fn set_outgoing(&self, folder: &Path);
    /// What a part says, as plain text, for showing it where another adapter speaks. Pure.
    fn plain(&self, part: &Encoded) -> String;

    /// Answers a press or a command at once, with a private notice where there is one to give.
    async fn acknowledge(
        &self,
        reply: &ReplyHandle,
        notice: Option<&str>,
    ) -> Result<(), AdapterError>;

    /// Offers things of ours to whoever looks for them, and to nobody else. They go out only where
    /// that person picks one and sends it themselves.
    async fn offer(&self, reply: &ReplyHandle, offered: &[Offered]) -> Result<(), AdapterError> {
        let _ = (reply, offered);
        Ok(())
    }

    /// Sends one part. `key` is unique and the same on every try, for platforms that drop
    /// repeats by it.
    async fn send(
        &self,
        place: &Place,
        part: &Encoded,
        key: SendKey,
    ) -> Result<MessageRef, AdapterError>;

    /// How many of these parts, from the first on, the platform shows as one thing, as an album is;
    /// one where they go alone. Pure.
    fn together(&self, parts: &[Encoded]) -> usize {
        parts.len().min(1)
    }

    /// Sends as many parts as one as [`Adapter::together`] allows, and says what each is called:
    /// one message may hold them all. `key` is that of the first. All or none were sent.
    ///
    /// # Errors
    /// `Refused` when they may still be sent one by one.
    async fn send_together(
        &self,
        place: &Place,
        parts: &[Encoded],
        key: SendKey,
    ) -> Result<Vec<MessageRef>, AdapterError> {
        let _ = (place, parts, key);
        Err(AdapterError::Refused(
            "it shows nothing together".to_owned(),
        ))
    }

    /// Replaces what a message shows.
    async fn edit(
        &self,
        place: &Place,
        on: &MessageRef,
        part: &Encoded,
    ) -> Result<(), AdapterError>;

    /// Fetches a file that came with a message, by the handle of its part.
    ///
    /// # Errors
    /// `Refused` when it is larger than `most` bytes or is not there any more.
    async fn fetch(&self, handle: &str, most: u64) -> Result<Vec<u8>, AdapterError>;

    /// Shows that an answer is being written, for a few seconds.
    async fn typing(&self, place: &Place) -> Result<(), AdapterError>;

    /// Asks whoever is in a place to write, in the way that the platform allows when nobody has for
    /// too long; where it knows one and it is set up.
    async fn invite(&self, place: &Place) -> Result<(), AdapterError> {
        let _ = place;
        Ok(())
    }

    /// Shows parts to a person on the page that we have for them, in place of what it showed; see
    /// [`EventKind::Opened`](bot_policy::event::EventKind::Opened).
    async fn home(&self, reply: &ReplyHandle, parts: &[Encoded]) -> Result<(), AdapterError> {
        let _ = (reply, parts);
        Ok(())
    }

    /// How long it is at least from one change of an answer that is still being written to the next,
    /// where it is shown as a message of its own. The whole answer takes the place of that message:
    /// the gateway keeps a record of which it is. None where there is [`Adapter::preview`] instead.
    fn preview_pace(&self) -> Option<Duration> {
        None
    }

    /// Shows the beginning of such an answer. `Attempt::Again` under the same key must not show it
    /// twice where that can be told.
    ///
    /// # Errors
    /// As [`Adapter::send`].
    async fn begin(
        &self,
        place: &Place,
        part: &Encoded,
        key: SendKey,
        attempt: Attempt,
    ) -> Result<MessageRef, AdapterError> {
        let (Attempt::Again | Attempt::First) = attempt;
        self.send(place, part, key).await
    }

    /// Shows more of it. [`Adapter::edit`] puts the whole answer in its place.
    ///
    /// # Errors
    /// As [`Adapter::edit`].
    async fn grow(
        &self,
        place: &Place,
        on: &MessageRef,
        part: &Encoded,
    ) -> Result<(), AdapterError> {
        self.edit(place, on, part).await
    }

    /// Shows the plain words of an answer that is still being written, where the platform can, as
    /// often as it may. The message that follows takes their place; nothing counts on them.
    async fn preview(&self, place: &Place, text: &str) -> Result<(), AdapterError> {
        let _ = (place, text);
        Ok(())
    }
}

/// Whether something is done for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// An earlier call may have done it.
    Again,
    /// It is.
    First,
}

/// Where an adapter hands what it heard.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Stores events and, in the same transaction, how far the line has heard. Once this returns,
    /// they may be acknowledged to the platform.
    async fn accept(
        &self,
        line: &LineId,
        events: Vec<InboundEvent>,
        heard: Option<Cursor>,
    ) -> Result<(), NotStored>;

    /// Hears whether the line hears: nothing when it does, else what is in the way. A fact for
    /// whoever looks at the status; the adapter goes on trying by itself.
    fn hearing(&self, line: &LineId, trouble: Option<&AdapterError>) {
        let _ = (line, trouble);
    }

    /// Notes something that cannot be read, by the id that the platform gave it, before it is
    /// acknowledged: whoever looks after the gateway is shown that something was passed over.
    async fn unreadable(&self, line: &LineId, id: EventId) -> Result<(), NotStored> {
        let _ = (line, id);
        Ok(())
    }

    /// How far the line has heard.
    async fn heard(&self, line: &LineId) -> Result<Option<Cursor>, NotStored>;
}

/// How far a line has heard, in the words of its platform.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(pub String);

/// Events could not be stored; they must not be acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store did not take it: {0}")]
pub struct NotStored(pub String);

/// One part of a message in the platform's dialect; opaque outside its adapter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Encoded(pub serde_json::Value);

/// Something of ours that a person may send elsewhere themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// What it is called when it is picked; digits.
    pub id: String,
    /// What is sent then.
    pub part: Encoded,
}

/// What makes a send recognizable: the same on every try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendKey(pub i64);

/// What went wrong, by what the caller can do about it. No text in it holds a token or an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdapterError {
    /// It may have been done: never repeat it blindly.
    #[error("the answer was lost on the way, so it may have been done")]
    Ambiguous,
    /// Another program hears this line.
    #[error(
        "another program is polling with the same token, or has set a webhook for it; stop it, or give Postern a token of its own"
    )]
    Conflict,
    /// The platform does not know our credentials.
    #[error("the platform refuses the credentials: {0}")]
    Credentials(String),
    /// Nobody has written there for too long; it may work once they do.
    #[error(
        "nobody has written there for too long, so the platform takes nothing; it waits until they write"
    )]
    Late,
    /// The chat goes on under another id.
    #[error("the chat has moved")]
    Moved(ChatId),
    /// It will never work like this.
    #[error("the platform refuses it: {0}")]
    Refused(String),
    /// It was not done and may work later.
    #[error("the platform is not answering: {why}")]
    Retry {
        /// How long the platform asks us to wait.
        after: Option<Duration>,
        /// What happened.
        why: String,
    },
    /// The platform does not let the line in as it is set up there; the text names the setting.
    #[error("the platform does not let it in: {0}")]
    Setup(String),
    /// The inbox did not take what was heard.
    #[error(transparent)]
    Stored(#[from] NotStored),
}

/// One line as it is configured.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "platform", rename_all = "lowercase")]
pub enum Config {
    /// A Discord bot.
    Discord(discord::Config),
    /// A Slack app in one workspace.
    Slack(slack::Config),
    /// A Telegram bot.
    Telegram(telegram::Config),
    /// A number on WhatsApp's Cloud API.
    WhatsApp(whatsapp::Config),
}

/// A line cannot be set up as configured.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

impl From<SecretError> for ConfigError {
    fn from(SecretError(why): SecretError) -> Self {
        Self(why)
    }
}

/// Sets up the adapter of one line.
///
/// # Errors
/// When a setting is missing or a secret cannot be read; the text says which and what to do.
pub fn build(
    line: LineId,
    config: &Config,
    ground: &Ground,
) -> Result<Arc<dyn Adapter>, ConfigError> {
    match config {
        Config::Discord(config) => Ok(Arc::new(discord::Discord::new(line, config, ground)?)),
        Config::Slack(config) => Ok(Arc::new(slack::Slack::new(line, config, ground)?)),
        Config::Telegram(config) => Ok(Arc::new(telegram::Telegram::new(line, config, ground)?)),
        Config::WhatsApp(config) => Ok(Arc::new(whatsapp::WhatsApp::new(line, config, ground)?)),
    }
}
