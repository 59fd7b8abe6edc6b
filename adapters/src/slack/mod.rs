//! Slack, through a socket that we open or through a door of our own.
//!
//! ```text
//!  Socket Mode -> socket -> decode (pure; parts) -> Inbox
//!  Events API  -> hook   -> decode
//!  OutboundMessage -> encode (pure) -> send, edit -> chat.postMessage, chat.update
//! ```

mod api;
mod config;
mod decode;
mod encode;
mod files;
mod hear;
mod hook;
mod parts;
mod preview;
mod put;
mod reply;
mod socket;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use async_trait::async_trait;
use bot_policy::event::ReplyHandle;
use bot_policy::id::{LineId, MessageRef, Place, Platform};
use bot_policy::message::OutboundMessage;
use bot_policy::secret::Secret;
use serde_json::{Value, json};
use tracing::warn;

pub use config::{Config, Mode};
pub use decode::{Me, decode};

use crate::http::Repeat;
use crate::{
    Adapter, AdapterError, Arrived, Attempt, Capabilities, ConfigError, Door, DoorAnswer, Encoded,
    Ground, Inbox, Menus, Probe, SendKey, Support,
};
use api::{Api, Known};
use config::Way;
use encode::Part;
use preview::{Stopped, Streams};
use reply::Asker;

/// One Slack app in one workspace.
#[derive(Debug)]
pub struct Slack {
    line: LineId,
    api: Api,
    way: Way,
    me: RwLock<Option<Me>>,
    outgoing: OnceLock<PathBuf>,
    /// The direct chat with each account that gave a command in one.
    directs: Mutex<BTreeMap<String, String>>,
    streams: Streams,
    /// Held by the one connection that hears.
    hearing: tokio::sync::Mutex<()>,
}

impl Slack {
    /// Reads the tokens and sets up the client. Nothing is sent yet.
    ///
    /// # Errors
    /// When a setting is missing or a token cannot be read; the text says what to do.
    pub fn new(line: LineId, config: &Config, ground: &Ground) -> Result<Self, ConfigError> {
        let named = |ConfigError(why)| ConfigError(format!("line {line}: {why}"));
        let api = Api::new(config).map_err(named)?;
        let way = config.way(&line, ground).map_err(named)?;
        Ok(Self {
            line,
            api,
            way,
            me: RwLock::new(None),
            outgoing: OnceLock::new(),
            directs: Mutex::default(),
            streams: Streams::default(),
            hearing: tokio::sync::Mutex::new(()),
        })
    }

    async fn who(&self) -> Result<Me, AdapterError> {
        match self.known() {
            Some(me) => Ok(me),
            None => self.ask_who_we_are().await.map(|(me, _)| me),
        }
    }

    fn known(&self) -> Option<Me> {
        let me = self.me.read().unwrap_or_else(PoisonError::into_inner);
        me.clone()
    }

    async fn ask_who_we_are(&self) -> Result<(Me, Known), AdapterError> {
        let known = self.api.who().await?;
        let me = Me {
            user: known.user.clone(),
            bot: known.bot.clone(),
            team: known.team.clone(),
        };
        *self.me.write().unwrap_or_else(PoisonError::into_inner) = Some(me.clone());
        Ok((me, known))
    }
}

#[async_trait]
impl Adapter for Slack {
    fn platform(&self) -> Platform {
        platform()
    }

    fn line(&self) -> &LineId {
        &self.line
    }

    fn secrets(&self) -> Vec<Secret<String>> {
        let second = match &self.way {
            Way::Socket(app) => app.clone(),
            Way::Door(hook) => hook.secret(),
        };
        vec![self.api.secret(), second]
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            edit: Support::Yes,
            card_body: 1500,
            marks_forwards: Support::Yes,
        }
    }

    async fn probe(&self) -> Result<Probe, AdapterError> {
        let (_, known) = self.ask_who_we_are().await?;
        Ok(Probe {
            name: format!("@{} on {}", known.name, known.home),
        })
    }

    async fn lacks(&self) -> Result<Vec<String>, AdapterError> {
        let (_, known) = self.ask_who_we_are().await?;
        Ok(known
            .scopes
            .map(|has| config::lacking(&has))
            .unwrap_or_default())
    }

    /// Slack takes its commands from the app's manifest.
    async fn announce(&self, _: &Menus) -> Result<(), AdapterError> {
        Ok(())
    }

    fn pair_link(&self, _: &str) -> Option<String> {
        None
    }

    async fn listen(&self, inbox: &dyn Inbox) -> Result<(), AdapterError> {
        let _alone = self.hearing.lock().await;
        match &self.way {
            Way::Socket(app) => socket::listen(self, app, inbox).await,
            Way::Door(_) => loop {
                tokio::time::sleep(BETWEEN_LOOKS).await;
                if let Err(error @ AdapterError::Credentials(_)) = self.api.who().await {
                    return Err(error);
                }
            },
        }
    }

    fn doors(&self) -> Vec<Door> {
        match &self.way {
            Way::Socket(_) => Vec::new(),
            Way::Door(hook) => vec![hook.door()],
        }
    }

    async fn webhook(
        &self,
        request: Arrived,
        inbox: &dyn Inbox,
    ) -> Result<DoorAnswer, AdapterError> {
        let Some(payload) = hook::payload(&request.body) else {
            // It would only come again.
            warn!(line = %self.line, "a payload that cannot be read is passed over");
            return Ok(DoorAnswer::default());
        };
        let text = |key: &str| payload.get(key).and_then(Value::as_str);
        if let (Some("url_verification"), Some(challenge)) = (text("type"), text("challenge")) {
            return Ok(plain(challenge));
        }
        let told = self.take(&payload, inbox).await?;
        Ok(told.map(plain).unwrap_or_default())
    }

    fn encode(&self, message: &OutboundMessage) -> Vec<Encoded> {
        encode::encode(message)
    }

    fn set_outgoing(&self, folder: &Path) {
        let _ = self.outgoing.set(folder.to_owned());
    }

    fn plain(&self, part: &Encoded) -> String {
        open(part).map(|part| part.text).unwrap_or_default()
    }

    /// A notice goes to whoever pressed, for their eyes alone. There is nothing else to answer:
    /// Slack was told when the press was stored.
    async fn acknowledge(
        &self,
        reply: &ReplyHandle,
        notice: Option<&str>,
    ) -> Result<(), AdapterError> {
        let (Some(asker), Some(notice)) = (Asker::read(&reply.0), notice) else {
            return Ok(());
        };
        let mut call = json!({
            "channel": asker.channel,
            "user": asker.user,
            "text": encode::escaped(notice),
            "link_names": false,
            "parse": "none",
        });
        if let (Some(thread), Some(call)) = (asker.thread, call.as_object_mut()) {
            call.insert("thread_ts".to_owned(), json!(thread));
        }
        let told = self.api.call("chat.postEphemeral", &call, Repeat::Visible);
        told.await.map(drop)
    }

    async fn send(
        &self,
        place: &Place,
        part: &Encoded,
        _key: SendKey,
    ) -> Result<MessageRef, AdapterError> {
        let part = open(part)?;
        if let Some(file) = &part.file {
            let sent = files::send(&self.api, self.outgoing.get(), place, &[file]).await?;
            return sent.into_iter().next().ok_or(AdapterError::Ambiguous);
        }
        self.post(place, &part).await
    }

    fn together(&self, parts: &[Encoded]) -> usize {
        let files = parts.iter().take(files::MOST_TOGETHER);
        let files = files.take_while(|part| open(part).is_ok_and(|part| part.file.is_some()));
        files.count().max(parts.len().min(1))
    }

    async fn send_together(
        &self,
        place: &Place,
        parts: &[Encoded],
        _key: SendKey,
    ) -> Result<Vec<MessageRef>, AdapterError> {
        let parts: Vec<Part> = parts.iter().map(open).collect::<Result<_, _>>()?;
        let files: Vec<_> = parts.iter().filter_map(|part| part.file.as_ref()).collect();
        files::send(&self.api, self.outgoing.get(), place, &files).await
    }

    async fn edit(
        &self,
        place: &Place,
        on: &MessageRef,
        part: &Encoded,
    ) -> Result<(), AdapterError> {
        let part = open(part)?;
        self.streams.end(&self.api, place, on).await?;
        match self.update(place, on, &part).await {
            // One that goes on from before the last start.
            Err(AdapterError::Refused(why)) if why == STREAMING => {
                match preview::stop(&self.api, place, on).await? {
                    Stopped::Now => self.update(place, on, &part).await,
                    Stopped::Not => Err(AdapterError::Refused(why)),
                }
            }
            edited => edited,
        }
    }

    async fn fetch(&self, handle: &str, most: u64) -> Result<Vec<u8>, AdapterError> {
        files::fetch(&self.api, handle, most).await
    }

    async fn home(&self, reply: &ReplyHandle, parts: &[Encoded]) -> Result<(), AdapterError> {
        let Some(asker) = Asker::read(&reply.0) else {
            return Ok(());
        };
        let parts: Vec<Part> = parts.iter().map(open).collect::<Result<_, _>>()?;
        let page = json!({"user_id": asker.user, "view": encode::home(parts)});
        let shown = self.api.call("views.publish", &page, Repeat::Harmless);
        shown.await.map(drop)
    }

    fn preview_pace(&self) -> Option<Duration> {
        Some(PACE)
    }

    async fn begin(
        &self,
        place: &Place,
        part: &Encoded,
        key: SendKey,
        attempt: Attempt,
    ) -> Result<MessageRef, AdapterError> {
        let part = open(part)?.marked(key);
        if attempt == Attempt::Again {
            let me = self.who().await?;
            if let Some(on) = preview::begun(&self.api, &me, place, key).await? {
                self.update(place, &on, &part).await?;
                return Ok(on);
            }
        }
        match self.streams.begin(&self.api, place, &part.text).await? {
            Some(on) => Ok(on),
            None => self.post(place, &part).await,
        }
    }

    async fn grow(
        &self,
        place: &Place,
        on: &MessageRef,
        part: &Encoded,
    ) -> Result<(), AdapterError> {
        let text = open(part)?.text;
        match self.streams.grow(&self.api, place, on, &text).await? {
            Some(()) => Ok(()),
            None => self.edit(place, on, part).await,
        }
    }

    /// Only the threads of a direct chat, which Slack shows beside the work, have a line for it.
    async fn typing(&self, place: &Place) -> Result<(), AdapterError> {
        let Some(thread) = place.thread.as_ref().filter(|_| is_direct(place)) else {
            return Ok(());
        };
        let status = json!({
            "channel_id": place.chat.as_str(),
            "thread_ts": thread.as_str(),
            "status": "is thinking...",
        });
        let set = self
            .api
            .call("assistant.threads.setStatus", &status, Repeat::Harmless);
        match set.await {
            // No thread of the assistant's.
            Ok(_) | Err(AdapterError::Refused(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// What this adapter calls its platform.
fn platform() -> Platform {
    Platform::new("slack")
}

fn is_direct(place: &Place) -> bool {
    place.chat.as_str().starts_with('D')
}

fn open(part: &Encoded) -> Result<Part, AdapterError> {
    serde_json::from_value(part.0.clone())
        .map_err(|_| AdapterError::Refused("the stored message cannot be read".to_owned()))
}

fn plain(text: &str) -> DoorAnswer {
    DoorAnswer {
        kind: Some("text/plain"),
        body: text.to_owned(),
    }
}

/// How Slack says that a message is a stream, which cannot be changed before it ended.
const STREAMING: &str = "streaming_state_conflict";
/// How often a message that grows is changed (chat.update: 50 in a minute).
const PACE: Duration = Duration::from_millis(1200);
/// How often we look whether our token still counts, where Slack comes to us.
const BETWEEN_LOOKS: Duration = Duration::from_secs(600);
