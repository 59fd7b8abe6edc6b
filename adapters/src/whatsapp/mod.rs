//! WhatsApp, by the Cloud API. It comes to a door of ours; nothing that stands there can be changed.
//!
//! ```text
//!  a door -> hook, decode (pure; parts) -> Inbox
//!  OutboundMessage -> encode (pure; dialect) -> send -> POST messages
//!                                               edit -> a message that answers the one it would change
//! ```

mod api;
mod config;
mod decode;
mod dialect;
mod encode;
mod fault;
mod hook;
mod media;
mod parts;
mod recipient;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bot_policy::event::{EventKind, InboundEvent, ReplyHandle};
use bot_policy::id::{ChatId, LineId, MessageRef, Place, Platform};
use bot_policy::message::{Addresses, OutboundMessage};
use bot_policy::secret::Secret;
use serde_json::{Map, Value, json};
use tracing::warn;

pub use config::{Config, Template};
pub use decode::decode;

use crate::patience::now;
use crate::{
    Adapter, AdapterError, Arrived, Capabilities, ConfigError, Contact, Door, DoorAnswer,
    DoorMethod, Encoded, Ground, Inbox, Menus, Probe, SendKey, Strangers, Support,
};
use api::Api;
use encode::Part;
use hook::Hook;
use recipient::Recipient;

/// One number on the Cloud API.
#[derive(Debug)]
pub struct WhatsApp {
    line: LineId,
    api: Api,
    hook: Hook,
    template: Option<Template>,
    /// Our number, in digits, once it was asked for.
    ours: OnceLock<String>,
    outgoing: OnceLock<PathBuf>,
    /// What was said last in each chat; reading and typing are shown at a message.
    latest: Mutex<BTreeMap<ChatId, MessageRef>>,
}

impl WhatsApp {
    /// Reads the secrets and sets up the client. Nothing is sent yet.
    ///
    /// # Errors
    /// When a setting is missing or a secret cannot be read; the text says what to do.
    pub fn new(line: LineId, config: &Config, ground: &Ground) -> Result<Self, ConfigError> {
        let named = |ConfigError(why)| ConfigError(format!("line {line}: {why}"));
        let api = Api::new(config).map_err(named)?;
        let hook = config.hook(&line, ground).map_err(named)?;
        let template = config.template().map_err(named)?;
        Ok(Self {
            line,
            api,
            hook,
            template,
            ours: OnceLock::new(),
            outgoing: OnceLock::new(),
            latest: Mutex::default(),
        })
    }

    /// Sends a message, which says to whom and what.
    async fn sent(&self, message: Map<String, Value>) -> Result<MessageRef, AdapterError> {
        let answer = self.api.send(&Value::Object(message)).await?;
        // It was sent; without its id it cannot be found again.
        let id = answer.pointer("/messages/0/id").and_then(Value::as_str);
        id.map(MessageRef::new).ok_or(AdapterError::Ambiguous)
    }

    /// Sends one part where a place is.
    async fn say(
        &self,
        place: &Place,
        part: &Part,
        key: Option<SendKey>,
    ) -> Result<MessageRef, AdapterError> {
        let mut message = Recipient::of(place)?.address();
        let mut content = part.content();
        if let Some(file) = &part.file {
            let folder = self.outgoing.get();
            let (kind, file) = media::hand_in(&self.api, folder, file, &part.text).await?;
            content.remove("text");
            content.insert("type".to_owned(), json!(kind));
            content.insert(kind.to_owned(), file);
        }
        message.append(&mut content);
        if let Some(SendKey(key)) = key {
            message.insert(
                "biz_opaque_callback_data".to_owned(),
                json!(key.to_string()),
            );
        }
        self.sent(message).await
    }

    fn note_latest(&self, events: &[InboundEvent]) {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        for event in events {
            if let EventKind::Message { message, .. } = &event.what {
                if latest.len() >= MOST_CHATS {
                    latest.clear();
                }
                latest.insert(event.place.chat.clone(), message.clone());
            }
        }
    }
}

#[async_trait]
impl Adapter for WhatsApp {
    fn platform(&self) -> Platform {
        platform()
    }

    fn line(&self) -> &LineId {
        &self.line
    }

    fn secrets(&self) -> Vec<Secret<String>> {
        self.hook.secrets().chain([self.api.secret()]).collect()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            edit: Support::No,
            card_body: CARD_BODY,
            marks_forwards: Support::Yes,
        }
    }

    fn contact(&self) -> Contact {
        Contact {
            strangers: Strangers::Silence,
            window: Some(WINDOW),
        }
    }

    async fn probe(&self) -> Result<Probe, AdapterError> {
        let about = self.api.about_us().await?;
        let shown = about.get("display_phone_number").and_then(Value::as_str);
        let Some(shown) = shown else {
            return Err(AdapterError::Refused(
                "it does not say who we are".to_owned(),
            ));
        };
        let digits = shown.chars().filter(char::is_ascii_digit).collect();
        let _ = self.ours.set(digits);
        Ok(Probe {
            name: shown.chars().filter(|c| !c.is_control()).take(40).collect(),
        })
    }

    /// Commands are typed there; no menu shows them.
    async fn announce(&self, _: &Menus) -> Result<(), AdapterError> {
        Ok(())
    }

    fn pair_link(&self, code: &str) -> Option<String> {
        let ours = self.ours.get()?;
        Some(format!("https://wa.me/{ours}?text=%2Fpair%20{code}"))
    }

    /// Everything comes through the door; what is looked at now and then is whether we still may
    /// speak.
    async fn listen(&self, inbox: &dyn Inbox) -> Result<(), AdapterError> {
        let mut troubled = false;
        loop {
            tokio::time::sleep(BETWEEN_LOOKS).await;
            match self.probe().await {
                Ok(_) if troubled => {
                    troubled = false;
                    inbox.hearing(&self.line, None);
                }
                Ok(_) => {}
                Err(error @ AdapterError::Retry { .. }) => {
                    troubled = true;
                    inbox.hearing(&self.line, Some(&error));
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn doors(&self) -> Vec<Door> {
        self.hook.doors()
    }

    async fn webhook(
        &self,
        request: Arrived,
        inbox: &dyn Inbox,
    ) -> Result<DoorAnswer, AdapterError> {
        match request.method {
            DoorMethod::Get => return hook::shake(request.query.as_deref().unwrap_or("")),
            DoorMethod::Post => {}
        }
        // What cannot be read would only come again, for seven days.
        let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
            warn!(line = %self.line, "a webhook that cannot be read is passed over");
            return Ok(DoorAnswer::default());
        };
        let events = decode(&self.line, self.api.number(), &body, now());
        if !events.is_empty() {
            self.note_latest(&events);
            inbox.accept(&self.line, events, None).await?;
        }
        Ok(DoorAnswer::default())
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

    /// A press needs no answer; what is to be said of it is said under it.
    async fn acknowledge(
        &self,
        reply: &ReplyHandle,
        notice: Option<&str>,
    ) -> Result<(), AdapterError> {
        let (Some(notice), Some((chat, press))) = (notice, reply.0.split_once(' ')) else {
            return Ok(());
        };
        let place = Place {
            line: self.line.clone(),
            chat: ChatId::new(chat),
            thread: None,
        };
        let part = Part {
            text: encode::short(notice, Addresses::Live),
            answers: Some(press.to_owned()),
            ..Part::default()
        };
        self.say(&place, &part, None).await.map(drop)
    }

    async fn send(
        &self,
        place: &Place,
        part: &Encoded,
        key: SendKey,
    ) -> Result<MessageRef, AdapterError> {
        self.say(place, &open(part)?, Some(key)).await
    }

    /// Nothing that stands there can be changed, so what came of it is said in answer to it.
    async fn edit(
        &self,
        place: &Place,
        on: &MessageRef,
        part: &Encoded,
    ) -> Result<(), AdapterError> {
        let part = open(part)?.said_after(on.as_str());
        self.say(place, &part, None).await.map(drop)
    }

    async fn fetch(&self, handle: &str, most: u64) -> Result<Vec<u8>, AdapterError> {
        media::fetch(&self.api, handle, most).await
    }

    /// A template may be sent at any time. One without variables says nothing of what waits.
    async fn invite(&self, place: &Place) -> Result<(), AdapterError> {
        let Some(template) = &self.template else {
            return Ok(());
        };
        let mut message = Recipient::of(place)?.address();
        let named = json!({"name": template.name, "language": {"code": template.language}});
        message.insert("type".to_owned(), json!("template"));
        message.insert("template".to_owned(), named);
        self.sent(message).await.map(drop)
    }

    async fn typing(&self, place: &Place) -> Result<(), AdapterError> {
        let latest = {
            let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
            latest.get(&place.chat).cloned()
        };
        match latest {
            Some(message) => self.api.reads(message.as_str()).await,
            None => Ok(()),
        }
    }
}

/// What this adapter calls its platform.
fn platform() -> Platform {
    Platform::new("whatsapp")
}

fn open(part: &Encoded) -> Result<Part, AdapterError> {
    serde_json::from_value(part.0.clone())
        .map_err(|_| AdapterError::Refused("the stored message cannot be read".to_owned()))
}

/// How much of a card's body is shown before it is cut, so that it stands with its buttons.
const CARD_BODY: usize = 500;
/// How long after a person's last message they may be written to (Cloud API, customer service
/// window).
const WINDOW: Duration = Duration::from_secs(24 * 60 * 60);
/// How many chats' last messages are remembered.
const MOST_CHATS: usize = 1024;
const BETWEEN_LOOKS: Duration = Duration::from_secs(600);
