//! Telegram, by long polling or through a door of its own.
//!
//! ```text
//!  getUpdates -> listen -> decode (pure; parts, addressed) -> Inbox
//!  a door     -> hook   -> decode
//!  OutboundMessage -> encode (pure; entities) -> send, edit -> sendMessage, editMessageText
//! ```

mod addressed;
mod album;
mod api;
mod config;
mod decode;
mod enclose;
mod encode;
mod entities;
mod files;
mod hook;
mod inline;
mod listen;
mod menus;
mod parts;
mod preview;
mod topics;

use std::path::{Path, PathBuf};
use std::sync::{OnceLock, PoisonError, RwLock};
use std::time::Instant;

use async_trait::async_trait;
use bot_policy::event::ReplyHandle;
use bot_policy::id::{LineId, MessageRef, Place, Platform};
use bot_policy::message::OutboundMessage;
use bot_policy::secret::Secret;
use serde_json::Value;
use teloxide_core::payloads::{AnswerCallbackQuery, GetMe, SendChatAction};
use teloxide_core::types::{CallbackQueryId, ChatAction, ChatId, MessageId, Recipient, ThreadId};

pub use config::{Config, Mode};
pub use decode::{Me, decode};

use crate::http::Repeat;
use crate::{
    Adapter, AdapterError, Arrived, Capabilities, ConfigError, Door, DoorAnswer, Encoded, Ground,
    Inbox, Menus, Offered, Probe, SendKey, Support,
};
use api::Api;
use encode::Part;
use hook::Hook;

/// One Telegram bot.
#[derive(Debug)]
pub struct Telegram {
    line: LineId,
    api: Api,
    hook: Option<Hook>,
    me: RwLock<Option<Me>>,
    outgoing: OnceLock<PathBuf>,
    drafts: preview::Drafts,
    menus: menus::Shown,
    /// Held by the one poll that runs.
    polling: tokio::sync::Mutex<()>,
}

impl Telegram {
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
            outgoing: OnceLock::new(),
            drafts: preview::Drafts::default(),
            menus: menus::Shown::default(),
            polling: tokio::sync::Mutex::new(()),
        })
    }

    fn known(&self) -> Option<Me> {
        let me = self.me.read().unwrap_or_else(PoisonError::into_inner);
        me.clone()
    }

    async fn ask_who_we_are(&self) -> Result<Me, AdapterError> {
        let answer = self.api.call(&GetMe::new(), Repeat::Harmless).await?;
        let id = answer.get("id").and_then(Value::as_i64);
        let username = answer.get("username").and_then(Value::as_str);
        let (Some(id), Some(username)) = (id, username) else {
            return Err(AdapterError::Refused(
                "it does not say who we are".to_owned(),
            ));
        };
        let me = Me {
            id,
            username: username.to_owned(),
        };
        *self.me.write().unwrap_or_else(PoisonError::into_inner) = Some(me.clone());
        Ok(me)
    }
}

#[async_trait]
impl Adapter for Telegram {
    fn platform(&self) -> Platform {
        platform()
    }

    fn line(&self) -> &LineId {
        &self.line
    }

    fn secrets(&self) -> Vec<Secret<String>> {
        let mut secrets = self.api.secrets();
        secrets.extend(self.hook.as_ref().map(Hook::secret));
        secrets
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            edit: Support::Yes,
            card_body: 1500,
            marks_forwards: Support::Yes,
        }
    }

    async fn probe(&self) -> Result<Probe, AdapterError> {
        let me = self.ask_who_we_are().await?;
        Ok(Probe {
            name: format!("@{}", me.username),
        })
    }

    async fn announce(&self, menus: &Menus) -> Result<(), AdapterError> {
        self.menus.announce(&self.api, menus).await
    }

    fn pair_link(&self, code: &str) -> Option<String> {
        let me = self.known()?;
        Some(format!("https://t.me/{}?start={code}", me.username))
    }

    async fn listen(&self, inbox: &dyn Inbox) -> Result<(), AdapterError> {
        let _alone = self.polling.lock().await;
        let mut patience = crate::patience::Patience::default();
        let me = loop {
            if let Some(me) = self.known() {
                break me;
            }
            match self.ask_who_we_are().await {
                Ok(me) => break me,
                Err(error) => patience.wait(&self.line, inbox, error).await?,
            }
        };
        match &self.hook {
            Some(hook) => hook.keep(&self.api, &self.line, inbox).await,
            None => listen::listen(&self.api, &self.line, &me, inbox).await,
        }
    }

    fn doors(&self) -> Vec<Door> {
        self.hook.iter().map(Hook::door).collect()
    }

    async fn webhook(
        &self,
        request: Arrived,
        inbox: &dyn Inbox,
    ) -> Result<DoorAnswer, AdapterError> {
        let me = match self.known() {
            Some(me) => me,
            None => self.ask_who_we_are().await?,
        };
        hook::take(&self.line, &me, &request.body, inbox).await?;
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

    async fn acknowledge(
        &self,
        reply: &ReplyHandle,
        notice: Option<&str>,
    ) -> Result<(), AdapterError> {
        let mut call = AnswerCallbackQuery::new(CallbackQueryId(reply.0.clone()));
        if let Some(notice) = notice {
            call.text = Some(crate::rich::head(notice, LONGEST_NOTICE).to_owned());
            call.show_alert = Some(true);
        }
        match self.api.call(&call, Repeat::Harmless).await {
            // Answered before, or too late: the spinner is gone either way.
            Ok(_) | Err(AdapterError::Refused(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn offer(&self, reply: &ReplyHandle, offered: &[Offered]) -> Result<(), AdapterError> {
        inline::offer(&self.api, reply, offered).await
    }

    async fn send(
        &self,
        place: &Place,
        part: &Encoded,
        _key: SendKey,
    ) -> Result<MessageRef, AdapterError> {
        let part = open(part)?;
        if let Some(file) = &part.file {
            let folder = self.outgoing.get();
            return enclose::send(&self.api, folder, place, &part, file).await;
        }
        let mut call = part.send(chat(place)?);
        call.message_thread_id = thread(place)?;
        // Each answer takes something away from the call, so this ends.
        let answer = loop {
            match self.api.call(&call, Repeat::Visible).await {
                Err(AdapterError::Refused(why))
                    if refuses_entities(&why) && call.entities.take().is_some() =>
                {
                    call.text = part.bare();
                }
                Err(AdapterError::Refused(why))
                    if topics::is_not_found(&why) && call.message_thread_id.take().is_some() =>
                {
                    topics::are_off(&self.api, place).await?;
                }
                answer => break answer?,
            }
        };
        // It was sent; without its number it cannot be found again.
        let id = answer.get("message_id").and_then(Value::as_i64);
        id.map(|id| MessageRef::new(id.to_string()))
            .ok_or(AdapterError::Ambiguous)
    }

    fn together(&self, parts: &[Encoded]) -> usize {
        album::together(parts)
    }

    async fn send_together(
        &self,
        place: &Place,
        parts: &[Encoded],
        _key: SendKey,
    ) -> Result<Vec<MessageRef>, AdapterError> {
        let parts: Vec<Part> = parts.iter().map(open).collect::<Result<_, _>>()?;
        album::send(&self.api, self.outgoing.get(), place, &parts).await
    }

    async fn edit(
        &self,
        place: &Place,
        on: &MessageRef,
        part: &Encoded,
    ) -> Result<(), AdapterError> {
        let part = open(part)?;
        let mut call = part.edit(chat(place)?, number(on.as_str())?);
        loop {
            match self.api.call(&call, Repeat::Harmless).await {
                Ok(_) => return Ok(()),
                Err(AdapterError::Refused(why)) if why.contains("message is not modified") => {
                    return Ok(());
                }
                Err(AdapterError::Refused(why))
                    if refuses_entities(&why) && call.entities.take().is_some() =>
                {
                    call.text = part.bare();
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn fetch(&self, handle: &str, most: u64) -> Result<Vec<u8>, AdapterError> {
        files::fetch(&self.api, handle, most).await
    }

    async fn preview(&self, place: &Place, text: &str) -> Result<(), AdapterError> {
        if place.thread.is_some() || self.api.is_held() {
            return Ok(());
        }
        match self.drafts.next(chat(place)?, text, Instant::now()) {
            Some(draft) => self.api.draft(&draft).await,
            None => Ok(()),
        }
    }

    async fn typing(&self, place: &Place) -> Result<(), AdapterError> {
        let mut call = SendChatAction::new(Recipient::Id(ChatId(chat(place)?)), ChatAction::Typing);
        call.message_thread_id = thread(place)?;
        self.api.call(&call, Repeat::Harmless).await.map(drop)
    }
}

/// What this adapter calls its platform.
fn platform() -> Platform {
    Platform::new("telegram")
}

fn open(part: &Encoded) -> Result<Part, AdapterError> {
    serde_json::from_value(part.0.clone())
        .map_err(|_| AdapterError::Refused("the stored message cannot be read".to_owned()))
}

fn chat(place: &Place) -> Result<i64, AdapterError> {
    let chat = place.chat.as_str().parse();
    chat.map_err(|_| AdapterError::Refused("the chat's id is no number".to_owned()))
}

fn thread(place: &Place) -> Result<Option<ThreadId>, AdapterError> {
    let thread = place.thread.as_ref();
    let number = thread.map(|id| number(id.as_str())).transpose()?;
    Ok(number.map(|id| ThreadId(MessageId(id))))
}

fn number(id: &str) -> Result<i32, AdapterError> {
    let number = id.parse();
    number.map_err(|_| AdapterError::Refused("an id is no number of Telegram's".to_owned()))
}

/// Longest text of answerCallbackQuery, in UTF-16 units (Bot API: "0-200 characters").
const LONGEST_NOTICE: usize = 200;

fn refuses_entities(why: &str) -> bool {
    why.contains("parse entities") || why.to_ascii_lowercase().contains("entity")
}
