//! What keeps nothing? A conversation whose rows are deleted at its end, in every file.

use bot_policy::access::Incognito;
use bot_policy::id::{ConversationId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::conversations::end;
use super::outbox::{Letter, tell};
use super::rows::{PlaceId, json};
use super::turns::stop_turn;
use super::{Store, StoreError};

/// How long nothing is kept before it ends by itself, in seconds.
const LASTS_SECONDS: i64 = 24 * 60 * 60;

/// Deletes a conversation that has ended with all that was said, asked and shown in it. What is on
/// its way to a screen stays as an empty row, so that its sending can still be noted.
pub(super) fn purge(tx: &Connection, which: ConversationId, at: PlaceId) -> Result<(), StoreError> {
    let since: i64 = tx.query_row(
        "SELECT since FROM conversation WHERE id = ?1",
        [which.0],
        |row| row.get(0),
    )?;
    for delete in [
        "DELETE FROM button WHERE question IN (SELECT id FROM question WHERE conversation = ?1)",
        "DELETE FROM question WHERE conversation = ?1",
        "DELETE FROM entry WHERE conversation = ?1",
        "DELETE FROM started WHERE conversation = ?1",
        "DELETE FROM approval WHERE conversation = ?1",
        "DELETE FROM fetched WHERE conversation = ?1",
        "DELETE FROM received WHERE place = (SELECT place FROM conversation WHERE id = ?1) AND conversation = ?1",
        "DELETE FROM conversation WHERE id = ?1",
    ] {
        tx.execute(delete, [which.0])?;
    }
    super::albums::forget(tx, at)?;
    for forget in [
        "UPDATE outbox SET target = NULL WHERE place = ?1 AND at >= ?2",
        "UPDATE outbox SET state = 'dropped', encoded = 'null', error = NULL
         WHERE place = ?1 AND at >= ?2 AND state = 'sending'",
        "DELETE FROM outbox WHERE place = ?1 AND at >= ?2 AND state <> 'dropped'",
    ] {
        tx.execute(forget, params![at.0, since])?;
    }
    tx.execute(
        "INSERT OR REPLACE INTO own (name, value) VALUES (?1, '')",
        [PURGED],
    )?;
    Ok(())
}

impl Store {
    /// Ends what has kept nothing for long enough; tells which conversations ended.
    pub async fn end_incognito(
        &self,
        now: Timestamp,
    ) -> Result<(Vec<ConversationId>, Vec<Letter>), StoreError> {
        let before = now.plus_seconds(-LASTS_SECONDS);
        let due = self
            .read(move |tx| {
                let mut due = tx.prepare_cached(
                    "SELECT id, place FROM conversation WHERE incognito = '\"On\"' AND since <= ?1 AND ended IS NULL",
                )?;
                let due = due.query_map([before.0], |row| {
                    Ok((ConversationId(row.get(0)?), PlaceId(row.get(1)?)))
                })?;
                Ok(due.collect::<Result<Vec<_>, _>>()?)
            })
            .await?;
        if due.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let store = self.clone();
        self.write(move |tx| {
            let mut letters = Vec::new();
            let mut ended = Vec::new();
            for (which, at) in due {
                let still: Option<String> = tx
                    .query_row(
                        "SELECT conversation.incognito FROM place JOIN conversation ON conversation.id = place.conversation
                         WHERE place.id = ?1 AND conversation.id = ?2",
                        params![at.0, which.0],
                        |row| row.get(0),
                    )
                    .optional()?;
                if still != Some(json(&Incognito::On)?) {
                    continue;
                }
                letters.extend(stop_turn(&store, tx, which, "it was incognito for a day", now)?);
                end(tx, at, now)?;
                let text = "Incognito ended after 24 hours: what was said is deleted here.";
                letters.extend(tell(&store, tx, at, text, now)?);
                ended.push(which);
            }
            Ok((ended, letters))
        })
        .await
    }

    /// Takes what was deleted out of the log of the database too, once after each deletion.
    pub async fn leave_no_trace(&self) -> Result<(), StoreError> {
        let purged = self
            .read(|tx| {
                Ok(tx
                    .prepare_cached("SELECT EXISTS (SELECT 1 FROM own WHERE name = ?1)")?
                    .query_row([PURGED], |row| row.get::<_, bool>(0))?)
            })
            .await?;
        if purged && self.truncate_log()? {
            self.write(|tx| {
                tx.execute("DELETE FROM own WHERE name = ?1", [PURGED])?;
                Ok(())
            })
            .await?;
        }
        Ok(())
    }

    /// The key of the digests that stand in the audit for what is not kept; made once.
    pub async fn audit_key(&self) -> Result<String, StoreError> {
        self.write(|tx| {
            let known: Option<String> = tx
                .query_row("SELECT value FROM own WHERE name = ?1", [KEY], |row| {
                    row.get(0)
                })
                .optional()?;
            if let Some(known) = known {
                return Ok(known);
            }
            let bytes: [u8; 32] = crate::chance::bytes()?;
            let key = crate::digest::hex(&bytes);
            tx.execute(
                "INSERT INTO own (name, value) VALUES (?1, ?2)",
                params![KEY, key],
            )?;
            Ok(key)
        })
        .await
    }
}

/// Stands while the log may still hold what was deleted.
const PURGED: &str = "purged";
const KEY: &str = "audit key";
