//! What goes when somebody lets go of a place?

use bot_policy::access::Role;
use bot_policy::id::{ConversationId, Place, Timestamp};
use rusqlite::{Connection, params};

use super::audit::{AuditEntry, append};
use super::links::unlink_chat;
use super::memories::forget_all;
use super::outbox::Letter;
use super::people::{forget_chat, owner_of};
use super::questions::withdraw_all;
use super::rows::json;
use super::{Store, StoreError};
use crate::agent::tools::Keeper;

impl Store {
    /// Lets go of a place, as the terminal asks. Nothing when nobody had it. Live codes go too: who
    /// shuts a door wants no key to it left lying about.
    pub async fn unpair(
        &self,
        place: Place,
        now: Timestamp,
    ) -> Result<Option<(Vec<ConversationId>, Vec<Letter>)>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            tx.execute("DELETE FROM code", [])?;
            let mut ended = tx.prepare_cached(
                "SELECT conversation FROM place WHERE line = ?1 AND chat = ?2 AND conversation IS NOT NULL",
            )?;
            let ended: Vec<ConversationId> = ended
                .query_map(params![place.line.as_str(), place.chat.as_str()], |row| {
                    row.get(0).map(ConversationId)
                })?
                .collect::<Result<_, _>>()?;
            let letters = unpair(&store, tx, &place, now)?;
            Ok(letters.map(|letters| (ended, letters)))
        })
        .await
    }
}

/// Lets go of the chat of a place: its conversations end, its cards close, and an account that
/// has no direct chat left is nobody's again.
pub(super) fn unpair(
    store: &Store,
    tx: &Connection,
    place: &Place,
    now: Timestamp,
) -> Result<Option<Vec<Letter>>, StoreError> {
    let Some(person) = owner_of(tx, place)? else {
        return Ok(None);
    };
    let mut letters = unlink_chat(store, tx, place, now)?;
    letters.extend(withdraw_all(store, tx, place, "unpaired", now)?);
    forget_chat(tx, place)?;
    super::conversations::end_in_chat(tx, place, now)?;
    let (platform, user): (String, String) = tx.query_row(
        "DELETE FROM pairing WHERE line = ?1 AND chat = ?2 RETURNING platform, user",
        params![place.line.as_str(), place.chat.as_str()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    super::window::forget(tx, place)?;
    // This account alone: another one that the person has says nothing for it.
    tx.execute(
        "DELETE FROM account WHERE person = ?1 AND platform = ?2 AND user = ?3 AND NOT EXISTS
         (SELECT 1 FROM pairing WHERE platform = ?2 AND user = ?3)",
        params![person.0, platform, user],
    )?;
    // A guest who is gone leaves nothing to whoever is let in under that name next.
    let gone: bool = tx.query_row(
        "SELECT role = ?2 AND NOT EXISTS (SELECT 1 FROM account WHERE person = ?1) FROM person WHERE id = ?1",
        params![person.0, json(&Role::Guest)?],
        |row| row.get(0),
    )?;
    if gone {
        forget_all(tx, Keeper::Person(person))?;
    }
    append(
        tx,
        now,
        &AuditEntry::Unpaired {
            person,
            line: place.line.to_string(),
            chat: place.chat.to_string(),
        },
    )?;
    Ok(Some(letters))
}
