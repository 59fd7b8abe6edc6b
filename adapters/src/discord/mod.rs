//! Discord, over its gateway; presses and slash commands also through a door of our own.
//!
//! ```text
//!  gateway -> socket -> listen (session: pure) -> work -> decode (pure; parts, channels) -> Inbox
//!  a door  -> door   -> decode
//!  OutboundMessage -> encode (pure; marks) -> send, edit -> POST, PATCH /channels/…/messages
//! ```

mod api;
mod buckets;
mod channels;
mod config;
mod decode;
mod door;
mod enclose;
mod encode;
mod files;
mod interact;
mod listen;
mod marks;
mod parts;
mod session;
mod setup;
mod socket;
mod work;

use std::path::{Path, PathBuf};
use std::sync::{OnceLock, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use bot_policy::event::ReplyHandle;
use bot_policy::id::{LineId, MessageRef, Place, Platform};
use bot_policy::message::OutboundMessage;
use bot_policy::secret::Secret;
use reqwest::Method;
use serde_json::{Value, json};
use serenity::model::gateway::GatewayIntents;

pub use channels::Channels;
pub use config::{Config, Interactions};
pub use decode::{Me, decode};

use crate::http::Repeat;
use crate::{
    Adapter, AdapterError, Arrived, Capabilities, ConfigError, Door, DoorAnswer, Encoded, Ground,
    Inbox, Menus, Probe, SendKey, Support,
};
use api::Api;
use door::Hook;
use encode::Part;

/// One Discord bot.
#[derive(Debug)]
pub struct Discord {
    line: LineId,
    api: Api,
    hook: Option<Hook>,
    me: RwLock<Option<Me>>,
    channels: RwLock<Channels>,
    outgoing: OnceLock<PathBuf>,
    /// Held by the one connection that hears.
    hearing: tokio::sync::Mutex<()>,
}

impl Discord {
    /// Reads the token and sets up the client. Nothing is sent yet.
    ///
    /// # Errors
    /// When a setting is missing or the token cannot be read; the text says what to do.
    pub fn new(line: LineId, config: &Config, ground: &Ground) -> Result<Self, ConfigError> {
        let named = |ConfigError(why)| ConfigError(format!("line {line}: {why}"));
        let api = Api::new(config).map_err(named)?;
        let hook = config.hook(&line, ground).map_err(named)?;
        Ok(Self {
            line,
            api,
            hook,
            me: RwLock::new(None),
            channels: RwLock::new(Channels::default()),
            outgoing: OnceLock::new(),
            hearing: tokio::sync::Mutex::new(()),
        })
    }

    async fn get(&self, path: &str) -> Result<Value, AdapterError> {
        let call = self.api.call(Method::GET, path, None, Repeat::Harmless);
        call.await
    }

    /// Who we are, asked once.
    async fn us(&self) -> Result<Me, AdapterError> {
        let known = self
            .me
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        match known {
            Some(me) => Ok(me),
            None => setup::who_we_are(self).await.map(|(me, _)| me),
        }
    }

    /// Shows these parts as one message. The same key gives the same message: within minutes nothing
    /// is shown twice.
    async fn post(
        &self,
        place: &Place,
        parts: &[Part],
        key: SendKey,
    ) -> Result<MessageRef, AdapterError> {
        let (folder, channel) = (self.outgoing.get(), channel(place)?);
        let mut pause = Duration::from_millis(300);
        for last in [false, false, true] {
            match files::post(&self.api, folder, channel, parts, key.0).await {
                Ok(answer) => match files::sent(&answer) {
                    Some(id) => return Ok(id),
                    // It was sent. Its number, which only edits need, is not worth more tries.
                    None if last => return Ok(MessageRef::new(UNNUMBERED)),
                    None => {}
                },
                Err(AdapterError::Ambiguous) if !last => {}
                Err(error) => return Err(error),
            }
            tokio::time::sleep(pause).await;
            pause *= 3;
        }
        Err(AdapterError::Ambiguous)
    }

    async fn intents(&self) -> Result<GatewayIntents, AdapterError> {
        setup::intents(&self.get("/applications/@me").await?)
    }
}

#[async_trait]
impl Adapter for Discord {
    fn platform(&self) -> Platform {
        platform()
    }

    fn line(&self) -> &LineId {
        &self.line
    }

    fn secrets(&self) -> Vec<Secret<String>> {
        vec![self.api.token().clone()]
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            edit: Support::Yes,
            card_body: 1000,
            marks_forwards: Support::Yes,
        }
    }

    async fn probe(&self) -> Result<Probe, AdapterError> {
        let (_, name) = setup::who_we_are(self).await?;
        Ok(Probe { name })
    }

    async fn lacks(&self) -> Result<Vec<String>, AdapterError> {
        setup::lacks(self).await
    }

    async fn announce(&self, menus: &Menus) -> Result<(), AdapterError> {
        setup::announce(self, menus).await
    }

    fn pair_link(&self, _code: &str) -> Option<String> {
        None
    }

    fn doors(&self) -> Vec<Door> {
        self.hook.iter().map(Hook::door).collect()
    }

    async fn webhook(
        &self,
        request: Arrived,
        inbox: &dyn Inbox,
    ) -> Result<DoorAnswer, AdapterError> {
        door::take(self, &request.body, inbox).await
    }

    async fn listen(&self, inbox: &dyn Inbox) -> Result<(), AdapterError> {
        let _alone = self.hearing.lock().await;
        listen::listen(self, inbox).await
    }

    fn encode(&self, message: &OutboundMessage) -> Vec<Encoded> {
        encode::encode(message)
    }

    fn set_outgoing(&self, folder: &Path) {
        let _ = self.outgoing.set(folder.to_owned());
    }

    fn plain(&self, part: &Encoded) -> String {
        open(part).map(|part| part.plain).unwrap_or_default()
    }

    async fn acknowledge(
        &self,
        reply: &ReplyHandle,
        notice: Option<&str>,
    ) -> Result<(), AdapterError> {
        // That it was heard was said at once; what is left is what only this person shall see.
        match notice {
            Some(notice) => interact::tell(&self.api, &self.us().await?, reply, notice).await,
            None => Ok(()),
        }
    }

    async fn send(
        &self,
        place: &Place,
        part: &Encoded,
        key: SendKey,
    ) -> Result<MessageRef, AdapterError> {
        self.post(place, &[open(part)?], key).await
    }

    fn together(&self, parts: &[Encoded]) -> usize {
        enclose::together(parts)
    }

    async fn send_together(
        &self,
        place: &Place,
        parts: &[Encoded],
        key: SendKey,
    ) -> Result<Vec<MessageRef>, AdapterError> {
        let parts: Vec<Part> = parts.iter().map(open).collect::<Result<_, _>>()?;
        let message = self.post(place, &parts, key).await?;
        Ok(vec![message; parts.len()])
    }

    async fn edit(
        &self,
        place: &Place,
        on: &MessageRef,
        part: &Encoded,
    ) -> Result<(), AdapterError> {
        let part = open(part)?;
        let id = number(on.as_str())?;
        let path = format!("/channels/{}/messages/{id}", channel(place)?);
        let body = part.edit();
        let call = self
            .api
            .call(Method::PATCH, &path, Some(&body), Repeat::Harmless);
        call.await.map(drop)
    }

    async fn fetch(&self, handle: &str, most: u64) -> Result<Vec<u8>, AdapterError> {
        files::fetch(&self.api, handle, most).await
    }

    fn preview_pace(&self) -> Option<Duration> {
        Some(PACE)
    }

    async fn typing(&self, place: &Place) -> Result<(), AdapterError> {
        let path = format!("/channels/{}/typing", channel(place)?);
        if self.api.is_held(&Method::POST, &path) {
            return Ok(());
        }
        let body = json!({});
        let call = self
            .api
            .call(Method::POST, &path, Some(&body), Repeat::Harmless);
        call.await.map(drop)
    }
}

/// What this adapter calls its platform.
fn platform() -> Platform {
    Platform::new("discord")
}

fn open(part: &Encoded) -> Result<Part, AdapterError> {
    serde_json::from_value(part.0.clone())
        .map_err(|_| AdapterError::Refused("the stored message cannot be read".to_owned()))
}

/// The channel that speaks for a place: a thread is a channel of its own.
fn channel(place: &Place) -> Result<&str, AdapterError> {
    let thread = place.thread.as_ref().map(|thread| thread.as_str());
    number(thread.unwrap_or(place.chat.as_str()))
}

fn number(id: &str) -> Result<&str, AdapterError> {
    if !id.is_empty() && id.len() <= 20 && id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(id);
    }
    Err(AdapterError::Refused(
        "an id is no number of Discord's".to_owned(),
    ))
}

/// How often a message that grows is changed: one channel takes about five changes in five seconds.
const PACE: Duration = Duration::from_millis(1200);
/// What a message is called whose number the platform's answer did not hold.
const UNNUMBERED: &str = "unnumbered";
