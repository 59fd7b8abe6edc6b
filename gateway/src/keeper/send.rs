//! What does the owner say from the terminal? Their own words, in a direct chat of their own.

use std::sync::Arc;

use adapters::web;
use bot_policy::event::{
    Addressed, ChatKind, EventKind, InboundEvent, Part, PartBody, Provenance, Sender,
};
use bot_policy::id::{EventId, MessageRef};

use super::unavailable;
use crate::conversation::notice;
use crate::socket::KeeperError;
use crate::store::{Heard, OwnChat};
use crate::{House, chance, clock};

/// The longest text, in bytes; as long as the page takes.
const TEXT_LIMIT: usize = web::MAX_TEXT;

impl House {
    /// Takes the words as typed in the chat named `to`, or in the one that spoke last. Where the
    /// platform does not show them as the owner's own, Postern says what it heard.
    pub(super) async fn say_for_owner(
        self: &Arc<Self>,
        text: String,
        to: Option<&str>,
    ) -> Result<String, KeeperError> {
        if text.trim().is_empty() {
            return Err(KeeperError::Refused(
                "there is nothing to say; write some words after send".into(),
            ));
        }
        if text.len() > TEXT_LIMIT {
            return Err(KeeperError::Refused(format!(
                "the text has {} bytes and {TEXT_LIMIT} fit; send it in parts",
                text.len()
            )));
        }
        let chats = self.store.own_chats().await.map_err(unavailable)?;
        let named = |chat: &OwnChat| format!("{} {}", chat.place.line, chat.place.chat);
        let mut here = chats
            .into_iter()
            .filter(|chat| self.lines.get(&chat.place.line).is_some());
        let chat = match to {
            None => here.next().ok_or_else(|| {
                KeeperError::Refused("you have no direct chat yet; get a code with: postern pair".into())
            })?,
            Some(to) => here.find(|chat| named(chat) == to).ok_or_else(|| {
                KeeperError::Refused(format!(
                    "{to:?} is no direct chat of yours; postern status lists the places as LINE CHAT"
                ))
            })?,
        };
        let id = chance::bytes::<16>().map_err(unavailable)?;
        let id: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        let (named, is_web) = (named(&chat), chat.place.line.as_str() == web::NAME);
        let heard = format!("From the terminal: {text}");
        let event = InboundEvent {
            id: EventId::new(format!("terminal/{id}")),
            at: clock::now(),
            place: chat.place.clone(),
            kind_of_chat: ChatKind::Direct,
            sender: Sender::Person(chat.user),
            what: EventKind::Message {
                message: MessageRef::new(format!("terminal-{id}")),
                parts: vec![Part {
                    body: PartBody::Text(text),
                    provenance: Provenance::Authored,
                }],
                addressed: Addressed::Bot,
                album: None,
            },
        };
        if !is_web {
            let heard = self
                .store
                .say(chat.place, notice(heard), clock::now())
                .await;
            self.post(heard.map_err(unavailable)?);
        }
        self.take(Heard::brought(event))
            .await
            .map_err(unavailable)?;
        Ok(named)
    }
}
