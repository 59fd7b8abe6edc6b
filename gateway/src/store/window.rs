//! May a place be written to now? Some platforms take nothing once nobody has written there for too
//! long. What is said then waits until they do, and what a platform tells afterwards is noted here.

use std::time::Duration;

use adapters::{AdapterError, Encoded};
use bot_policy::event::{EventKind, Fate, InboundEvent, Sender};
use bot_policy::id::{MessageRef, Place, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::detour::detour;
use super::outbox::{Letter, letter};
use super::people::owner_of;
use super::rows::{PlaceId, column, known_place, message_key, place};
use super::{Store, StoreError};

/// What follows when a letter came too late.
#[derive(Debug, Default)]
pub struct Late {
    /// To be sent, elsewhere.
    pub letters: Vec<Letter>,
    /// Where somebody is to be asked to write; once for all that waits there.
    pub invite: Option<Place>,
}

impl Store {
    /// Whether nobody has written in a place within the window.
    pub async fn is_late(
        &self,
        at: Place,
        window: Duration,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.read(move |tx| {
            let Some(at) = known_place(tx, &at)? else {
                return Ok(false);
            };
            let heard: Option<i64> = tx
                .prepare_cached("SELECT heard_at FROM place WHERE id = ?1")?
                .query_row([at.0], |row| row.get(0))?;
            let window = i64::try_from(window.as_secs()).unwrap_or(i64::MAX);
            Ok(heard.is_some_and(|heard| Timestamp(heard).plus_seconds(window) <= now))
        })
        .await
    }

    /// Keeps a letter until somebody writes where it belongs.
    pub async fn hold(&self, id: i64, now: Timestamp) -> Result<Late, StoreError> {
        let store = self.clone();
        self.write(move |tx| hold(&store, tx, id, now)).await
    }
}

/// The place of somebody's word, where it opens the window of its line.
pub(super) fn wrote_in(store: &Store, event: &InboundEvent) -> Option<Place> {
    let opens = match (&event.sender, &event.what) {
        (
            Sender::Person(_),
            EventKind::Command { .. } | EventKind::Message { .. } | EventKind::Press { .. },
        ) => true,
        (
            Sender::Person(_),
            EventKind::Delete { .. }
            | EventKind::Delivery { .. }
            | EventKind::Edit { .. }
            | EventKind::Left
            | EventKind::Moved { .. }
            | EventKind::Opened { .. }
            | EventKind::Picked { .. }
            | EventKind::Search { .. },
        )
        | (Sender::Shared, _) => false,
    };
    let window = store.contact(&event.place.line).window;
    window.filter(|_| opens).map(|_| event.place.clone())
}

/// Notes that somebody wrote in a place, and takes up what waited for it.
pub(super) fn wrote(
    tx: &Connection,
    at: &Place,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let Some(to) = known_place(tx, at)? else {
        return Ok(Vec::new());
    };
    tx.prepare_cached("UPDATE place SET heard_at = ?2 WHERE id = ?1")?
        .execute(params![to.0, now.0])?;
    if owner_of(tx, at)?.is_none() {
        return Ok(Vec::new());
    }
    let mut held =
        tx.prepare_cached("SELECT * FROM outbox WHERE place = ?1 AND state = 'held' ORDER BY id")?;
    let mut rows = held.query([to.0])?;
    let mut letters = Vec::new();
    while let Some(row) = rows.next()? {
        letters.push(letter(tx, row)?);
    }
    tx.prepare_cached(
        "UPDATE outbox SET state = 'queued', error = NULL WHERE place = ?1 AND state = 'held'",
    )?
    .execute([to.0])?;
    Ok(letters)
}

/// What waited in a chat that is let go of is not said any more.
pub(super) fn forget(tx: &Connection, chat: &Place) -> Result<(), StoreError> {
    tx.prepare_cached(
        "UPDATE outbox SET state = 'dropped' WHERE state = 'held' AND place IN
         (SELECT id FROM place WHERE line = ?1 AND chat = ?2)",
    )?
    .execute(params![chat.line.as_str(), chat.chat.as_str()])?;
    Ok(())
}

/// Notes what a platform tells of a message of ours after it took it.
pub(super) fn told(
    store: &Store,
    tx: &Connection,
    at: &Place,
    message: &MessageRef,
    key: Option<i64>,
    fate: &Fate,
    now: Timestamp,
) -> Result<Late, StoreError> {
    let Some((id, to)) = sent(tx, at, message, key)? else {
        return Ok(Late::default());
    };
    match fate {
        Fate::Arrived => {
            // Whoever was told that it may be lost has it after all.
            tx.prepare_cached(
                "UPDATE outbox SET state = 'sent', message = ?2, error = NULL WHERE id = ?1 AND state IN ('sending', 'unknown')",
            )?
            .execute(params![id, message_key(to, message.as_str())])?;
            Ok(Late::default())
        }
        Fate::Failed(why) => {
            tx.prepare_cached("UPDATE outbox SET state = 'failed', error = ?2 WHERE id = ?1")?
                .execute(params![id, why])?;
            let letters = elsewhere(store, tx, id, to, why, now)?;
            Ok(Late {
                letters,
                invite: None,
            })
        }
        Fate::Late => {
            tx.prepare_cached("UPDATE place SET heard_at = 0 WHERE id = ?1")?
                .execute([to.0])?;
            hold(store, tx, id, now)
        }
    }
}

/// The letter that a platform speaks of: by the key that it was sent with, else by the message.
fn sent(
    tx: &Connection,
    at: &Place,
    message: &MessageRef,
    key: Option<i64>,
) -> Result<Option<(i64, PlaceId)>, StoreError> {
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, PlaceId(row.get(1)?)));
    let by_key = key.map(|key| {
        tx.prepare_cached(
            "SELECT outbox.id, outbox.place FROM outbox JOIN place ON place.id = outbox.place
             WHERE outbox.id = ?1 AND place.line = ?2 AND state IN ('sending', 'sent', 'unknown')",
        )?
        .query_row(params![key, at.line.as_str()], row)
        .optional()
    });
    if let Some(found) = by_key.transpose()?.flatten() {
        return Ok(Some(found));
    }
    let Some(to) = known_place(tx, at)? else {
        return Ok(None);
    };
    Ok(tx
        .prepare_cached(
            "SELECT id, place FROM outbox WHERE message = ?1 AND state IN ('sending', 'sent', 'unknown')",
        )?
        .query_row([message_key(to, message.as_str())], row)
        .optional()?)
}

fn hold(store: &Store, tx: &Connection, id: i64, now: Timestamp) -> Result<Late, StoreError> {
    let why = AdapterError::Late.to_string();
    let to: Option<i64> = tx
        .prepare_cached(
            "UPDATE outbox SET state = 'held', message = NULL, error = ?2
             WHERE id = ?1 AND state IN ('sending', 'sent', 'unknown') RETURNING place",
        )?
        .query_row(params![id, why], |row| row.get(0))
        .optional()?;
    let Some(to) = to else {
        return Ok(Late::default());
    };
    let first: bool = tx
        .prepare_cached(
            "SELECT NOT EXISTS (SELECT 1 FROM outbox WHERE place = ?1 AND state = 'held' AND id <> ?2)",
        )?
        .query_row(params![to, id], |row| row.get(0))?;
    let letters = elsewhere(store, tx, id, PlaceId(to), &why, now)?;
    let invite = match first {
        true => Some(place(tx, PlaceId(to))?),
        false => None,
    };
    Ok(Late { letters, invite })
}

/// Shows a letter where it can be shown.
fn elsewhere(
    store: &Store,
    tx: &Connection,
    id: i64,
    to: PlaceId,
    why: &str,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let encoded: Encoded = tx
        .prepare_cached("SELECT encoded FROM outbox WHERE id = ?1")?
        .query_row([id], |row| Ok(column(row, "encoded")))??;
    let line = place(tx, to)?.line;
    let shown = store.faces.plain(&line, &encoded);
    detour(store, tx, id, why, shown.as_deref(), now)
}
