//! Where does a chat go on that got another id? Everything of a paired group comes along, once.

use bot_policy::event::ChatKind;
use bot_policy::id::{ChatId, Place, QuestionId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::audit::{AuditEntry, append};
use super::outbox::Letter;
use super::people::owner_of;
use super::rows::{PlaceId, json, place, place_id};
use super::stand::put_up;
use super::{Store, StoreError};

/// Where a letter goes whose chat has moved.
#[derive(Debug)]
pub struct Followed {
    /// Its place now.
    pub place: Place,
    /// The cards that are put up there anew.
    pub letters: Vec<Letter>,
}

impl Store {
    /// Moves a chat after a send was told that it has moved, and its letter with it. Nothing when
    /// it is not a paired group's.
    pub async fn follow(
        &self,
        letter: i64,
        to: ChatId,
        now: Timestamp,
    ) -> Result<Option<Followed>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let at: i64 =
                tx.query_row("SELECT place FROM outbox WHERE id = ?1", [letter], |row| {
                    row.get(0)
                })?;
            let from = place(tx, PlaceId(at))?;
            let new = Place {
                chat: to,
                ..from.clone()
            };
            let letters = move_chat(&store, tx, &from, &new.chat, now)?;
            if owner_of(tx, &new)?.is_none() {
                return Ok(None);
            }
            // Something that was read before the move may have been addressed to the old chat.
            let at = place_id(tx, &new)?;
            tx.execute(
                "UPDATE outbox SET state = 'queued', place = ?2 WHERE id = ?1",
                params![letter, at.0],
            )?;
            Ok(Some(Followed {
                place: new,
                letters,
            }))
        })
        .await
    }
}

/// Moves the pairing, places and open cards of a group to its new id. Nothing for a chat that is no
/// paired group, or whose new id is paired already: so it happens once, whoever tells of it.
pub(super) fn move_chat(
    store: &Store,
    tx: &Connection,
    from: &Place,
    to: &ChatId,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let line = from.line.as_str();
    let taken = tx.execute(
        "UPDATE pairing SET chat = ?3 WHERE line = ?1 AND chat = ?2 AND kind = ?4
         AND NOT EXISTS (SELECT 1 FROM pairing WHERE line = ?1 AND chat = ?3)",
        params![
            line,
            from.chat.as_str(),
            to.as_str(),
            json(&ChatKind::Group)?
        ],
    )?;
    if taken == 0 {
        return Ok(Vec::new());
    }
    tx.execute(
        "UPDATE claim SET chat = ?3 WHERE line = ?1 AND chat = ?2",
        params![line, from.chat.as_str(), to.as_str()],
    )?;
    let mut places = tx.prepare("SELECT id, thread FROM place WHERE line = ?1 AND chat = ?2")?;
    let places: Vec<(i64, String)> = places
        .query_map(params![line, from.chat.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?
        .collect::<Result<_, _>>()?;
    let mut letters = Vec::new();
    for (id, thread) in places {
        rename(tx, id, &thread, from, to)?;
        letters.extend(put_up_again(store, tx, PlaceId(id), now)?);
    }
    append(
        tx,
        now,
        &AuditEntry::Moved {
            line: line.to_owned(),
            from: from.chat.to_string(),
            to: to.to_string(),
        },
    )?;
    Ok(letters)
}

/// Gives a place the new id. One that was met under that id before the move takes the old one.
fn rename(
    tx: &Connection,
    id: i64,
    thread: &str,
    from: &Place,
    to: &ChatId,
) -> Result<(), StoreError> {
    let met: Option<i64> = tx
        .query_row(
            "SELECT id FROM place WHERE line = ?1 AND chat = ?2 AND thread = ?3",
            params![from.line.as_str(), to.as_str(), thread],
            |row| row.get(0),
        )
        .optional()?;
    let call = |id: i64, chat: &str| {
        tx.execute(
            "UPDATE place SET chat = ?2 WHERE id = ?1",
            params![id, chat],
        )
    };
    if let Some(met) = met {
        call(met, "")?;
    }
    call(id, to.as_str())?;
    if let Some(met) = met {
        call(met, from.chat.as_str())?;
    }
    // The new chat counts its messages anew: what stands in the old one goes by no name here.
    for forget in [
        "UPDATE entry SET message = NULL WHERE message >= ?1 AND message < ?2",
        "UPDATE outbox SET message = NULL WHERE message >= ?1 AND message < ?2",
    ] {
        // The character after the slash that ends the number of a place.
        tx.execute(forget, params![format!("{id}/"), format!("{id}0")])?;
    }
    Ok(())
}

/// Puts up once more the cards that stood in the old chat, where nobody can press any more.
fn put_up_again(
    store: &Store,
    tx: &Connection,
    at: PlaceId,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let mut open = tx.prepare(
        "SELECT id FROM question INDEXED BY question_open WHERE state = '\"Asked\"' AND EXISTS (SELECT 1 FROM outbox
             WHERE outbox.question = question.id AND outbox.place = ?1 AND outbox.state = 'sent') ORDER BY id",
    )?;
    let open: Vec<QuestionId> = open
        .query_map([at.0], |row| row.get(0).map(QuestionId))?
        .collect::<Result<_, _>>()?;
    let mut letters = Vec::new();
    for question in open {
        letters.extend(put_up(store, tx, question, at, now)?);
    }
    Ok(letters)
}
