//! Which files came with messages, and where are they now?

use bot_policy::event::{FileFact, PartBody};
use bot_policy::id::{ConversationId, Place, Timestamp};
use bot_policy::taint::{Labelled, Taint};
use rusqlite::{Connection, OptionalExtension, params};

use super::outbox::{About, Letter, notice, post};
use super::rows::{PlaceId, column, json, parse, place};
use super::{Store, StoreError};
use crate::agent::Entry;

/// A file that is still to be fetched.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Its number in the store.
    pub id: i64,
    /// Where it came in.
    pub place: Place,
    /// Its number in its place; the file is named after it.
    pub number: i64,
    /// What the platform says of it.
    pub fact: FileFact,
    /// Its marks.
    pub taint: Taint,
    /// How often it was tried.
    pub tries: u32,
}

/// Notes the files among the parts of a message; in the transaction that stores it.
pub(super) fn want(
    tx: &Connection,
    at: PlaceId,
    which: ConversationId,
    entry: i64,
    parts: &[Labelled<PartBody>],
) -> Result<(), StoreError> {
    for (number, part) in (0_i64..).zip(parts) {
        if let PartBody::File(fact) = &part.value {
            tx.prepare_cached(
                "INSERT INTO received (place, conversation, entry, part, number, fact, state)
                 SELECT ?1, ?2, ?3, ?4, coalesce(max(number), 0) + 1, ?5, 'wanted' FROM received WHERE place = ?1",
            )?
            .execute(params![at.0, which.0, entry, number, json(fact)?])?;
        }
    }
    Ok(())
}

impl Store {
    /// The oldest file of a conversation that is still to be fetched.
    pub async fn wanted(&self, which: ConversationId) -> Result<Option<Wanted>, StoreError> {
        self.read(move |tx| {
            let mut found = tx.prepare_cached(
                "SELECT received.*, entry.body FROM received LEFT JOIN entry
                     ON entry.conversation = received.conversation AND entry.seq = received.entry
                 WHERE received.conversation = ?1 AND received.state = 'wanted' ORDER BY received.id LIMIT 1",
            )?;
            let mut rows = found.query([which.0])?;
            let Some(row) = rows.next()? else {
                return Ok(None);
            };
            let entry: Option<String> = row.get("body")?;
            let part: usize = usize::try_from(row.get::<_, i64>("part")?).unwrap_or(usize::MAX);
            let taint = match entry.map(|entry| parse(&entry)).transpose()? {
                Some(Entry::Person { parts, .. }) => parts.get(part).map(|part| part.taint.clone()),
                Some(Entry::Model { .. } | Entry::Result { .. } | Entry::Stopped) | None => None,
            };
            Ok(Some(Wanted {
                id: row.get("id")?,
                place: place(tx, PlaceId(row.get("place")?))?,
                number: row.get("number")?,
                fact: column(row, "fact")?,
                taint: taint.unwrap_or_else(|| Taint::outside("a file")),
                tries: row.get("tries")?,
            }))
        })
        .await
    }

    /// Whether a file with this handle is still to be fetched.
    pub async fn is_wanted(&self, handle: String) -> Result<bool, StoreError> {
        self.read(move |tx| {
            Ok(tx
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM received WHERE state = 'wanted' AND json_extract(fact, '$.handle') = ?1)",
                )?
                .query_row([handle], |row| row.get(0))?)
        })
        .await
    }

    /// Notes that a file could not be fetched and is tried again.
    pub async fn tried(&self, id: i64) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.execute("UPDATE received SET tries = tries + 1 WHERE id = ?1", [id])?;
            Ok(())
        })
        .await
    }

    /// Closes a file: from now on its message says `told` in its place. `missing` is said in the
    /// chat, where it cannot be had.
    pub async fn received(
        &self,
        id: i64,
        told: String,
        missing: Option<String>,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let state = if missing.is_some() {
                "missing"
            } else {
                "stored"
            };
            let found = tx
                .prepare_cached(
                    "UPDATE received SET state = ?2 WHERE id = ?1 AND state = 'wanted'
                     RETURNING place, conversation, entry, part",
                )?
                .query_row(params![id, state], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
                })
                .optional()?;
            let Some((at, conversation, entry, part)) = found else {
                return Ok(Vec::new());
            };
            name(tx, (conversation, entry), part, told)?;
            match missing {
                Some(why) => {
                    let said = notice(why, Vec::new());
                    post(&store, tx, PlaceId(at), &said, About::Nothing, now)
                }
                None => Ok(Vec::new()),
            }
        })
        .await
    }
}

/// Leaves the files of a conversation that are still to be fetched: its turn was ended.
pub(super) fn leave(tx: &Connection, which: ConversationId) -> Result<(), StoreError> {
    let mut left = tx.prepare_cached(
        "UPDATE received SET state = 'left' WHERE conversation = ?1 AND state = 'wanted'
         RETURNING entry, part",
    )?;
    let left: Vec<(i64, i64)> = left
        .query_map([which.0], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    for (entry, part) in left {
        let told = "(a file was sent along; the person ended the turn before it was fetched)";
        name(tx, (which.0, entry), part, told.to_owned())?;
    }
    Ok(())
}

/// Puts words of ours in the place of a file.
fn name(
    tx: &Connection,
    (conversation, entry): (i64, i64),
    part: i64,
    told: String,
) -> Result<(), StoreError> {
    let body: Option<String> = tx
        .prepare_cached("SELECT body FROM entry WHERE conversation = ?1 AND seq = ?2")?
        .query_row([conversation, entry], |row| row.get(0))
        .optional()?;
    let Some(mut body) = body.map(|body| parse::<Entry>(&body)).transpose()? else {
        return Ok(());
    };
    let at = usize::try_from(part).unwrap_or(usize::MAX);
    if let Entry::Person { parts, typed, .. } = &mut body
        && let Some(part) = parts.get_mut(at)
    {
        part.value = PartBody::Text(told);
        // These words are ours.
        typed.retain(|typed| *typed != at);
    }
    tx.prepare_cached("UPDATE entry SET body = ?3 WHERE conversation = ?1 AND seq = ?2")?
        .execute(params![conversation, entry, json(&body)?])?;
    Ok(())
}
