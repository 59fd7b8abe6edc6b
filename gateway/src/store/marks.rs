//! What has a conversation read, and what does a message carry?

use bot_policy::event::PartBody;
use bot_policy::id::{ConversationId, MessageRef, PersonId, Timestamp};
use bot_policy::taint::{Labelled, Taint};
use rusqlite::{Connection, OptionalExtension, params};

use super::buttons::{Meaning, button};
use super::links::post_each;
use super::outbox::{About, Letter, notice};
use super::rows::{PlaceId, json, message_key, parse};
use super::{Store, StoreError};
use crate::agent::Entry;

pub(super) fn taint_of(tx: &Connection, of: ConversationId) -> Result<Taint, StoreError> {
    let text: String = tx
        .prepare_cached("SELECT taint FROM conversation WHERE id = ?1")?
        .query_row([of.0], |row| row.get(0))?;
    parse(&text)
}

/// Marks a conversation. The first mark for outside content is told in the chat, once.
pub(super) fn mark(
    store: &Store,
    tx: &Connection,
    which: ConversationId,
    with: &Taint,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    if with.is_clean() {
        return Ok(Vec::new());
    }
    let taint = taint_of(tx, which)?.join(with);
    tx.prepare_cached("UPDATE conversation SET taint = ?2 WHERE id = ?1")?
        .execute(params![which.0, json(&taint)?])?;
    if !taint.outside.is_marked() {
        return Ok(Vec::new());
    }
    let told = tx
        .prepare_cached("UPDATE conversation SET mark_shown = 1 WHERE id = ?1 AND mark_shown = 0 RETURNING place, person")?
        .query_row([which.0], |row| Ok((PlaceId(row.get(0)?), row.get(1).map(PersonId)?)))
        .optional()?;
    let Some((at, who)) = told else {
        return Ok(Vec::new());
    };
    let fresh = button(tx, "Start fresh", at, who, None, &Meaning::NewAfter(which))?;
    let text = "This conversation has read outside content. From now on I ask before I change anything. /new starts fresh.";
    post_each(store, tx, which, About::Nothing, now, |to| {
        let own = (to == at).then(|| fresh.clone());
        Ok(notice(text, own.into_iter().collect()))
    })
}

impl Store {
    /// Marks a conversation by what stands in its instructions.
    pub async fn mark(
        &self,
        which: ConversationId,
        with: Taint,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| mark(&store, tx, which, &with, now))
            .await
    }
}

/// The marks of a stored message of a place, whoever sent it.
pub(super) fn marks_of_message(
    tx: &Connection,
    at: PlaceId,
    message: &MessageRef,
) -> Result<Option<Taint>, StoreError> {
    let key = message_key(at, message.as_str());
    let said: Option<String> = tx
        .prepare_cached("SELECT body FROM entry WHERE message = ?1 LIMIT 1")?
        .query_row([&key], |row| row.get(0))
        .optional()?;
    if let Some(said) = said {
        return Ok(match parse(&said)? {
            Entry::Person { parts, .. } => Some(join_parts(&parts)),
            Entry::Model { .. } | Entry::Result { .. } | Entry::Stopped => None,
        });
    }
    // A reply of ours carries the marks of the conversation that wrote it; a notice or a card
    // of ours carries nothing but may repeat a call, so it is left unknown.
    let ours: Option<i64> = tx
        .prepare_cached("SELECT conversation FROM outbox WHERE message = ?1 AND conversation IS NOT NULL AND question IS NULL LIMIT 1")?
        .query_row([&key], |row| row.get(0))
        .optional()?;
    ours.map(|id| taint_of(tx, ConversationId(id))).transpose()
}

/// The marks of all parts of a message.
pub(super) fn join_parts(parts: &[Labelled<PartBody>]) -> Taint {
    parts
        .iter()
        .fold(Taint::default(), |all, part| all.join(&part.taint))
}
