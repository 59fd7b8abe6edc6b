//! Which draft shows an answer that is still being written, and when may it change?

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use teloxide_core::types::MessageEntity;

use super::entities::pieces;
use crate::drawn::unsigned;
use crate::rich::{Face, Rich};

/// How long it is at least from one change of a draft to the next: about one message in a second
/// goes into one chat (Bot API FAQ, "My bot is hitting limits").
const PAUSE: Duration = Duration::from_secs(1);
/// How many chats' drafts are remembered.
const CHATS: usize = 256;

/// `sendMessageDraft` (Bot API 9.3): private chats only, an id that is not zero, 1 to 4096
/// characters.
#[derive(Debug, Serialize)]
pub(super) struct Draft {
    chat_id: i64,
    draft_id: i64,
    text: String,
    entities: Vec<MessageEntity>,
}

/// The drafts of a line.
#[derive(Debug, Default)]
pub(super) struct Drafts(Mutex<BTreeMap<i64, Shown>>);

#[derive(Debug)]
struct Shown {
    id: i64,
    text: String,
    not_before: Instant,
}

impl Drafts {
    /// The draft to be sent now; none while the last one is fresh, or where there are none.
    pub(super) fn next(&self, chat: i64, text: &str, now: Instant) -> Option<Draft> {
        // The ids of groups and channels are negative.
        if chat <= 0 {
            return None;
        }
        let mut drafts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if drafts.len() >= CHATS && !drafts.contains_key(&chat) {
            drafts.clear();
        }
        let before = drafts.get(&chat);
        if before.is_some_and(|shown| now < shown.not_before) {
            return None;
        }
        // A text that goes on is the same draft, so that the app lets it grow.
        let id = before.map_or(1, |shown| {
            shown.id + i64::from(!text.starts_with(&shown.text))
        });
        let mut rich = Rich::default();
        rich.push(&unsigned(text), Face::default());
        let piece = pieces(&rich.inert()).into_iter().next()?;
        let shown = Shown {
            id,
            text: text.to_owned(),
            not_before: now + PAUSE,
        };
        drafts.insert(chat, shown);
        Some(Draft {
            chat_id: chat,
            draft_id: id,
            text: piece.text,
            entities: piece.entities,
        })
    }
}
