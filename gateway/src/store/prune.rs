//! What is old enough to go? A little in each transaction, so that nobody waits for it.

use bot_policy::approval::State;
use bot_policy::id::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::rows::json;
use super::{Store, StoreError};

/// Rows that are looked at in one transaction, for each kind.
const BATCH: i64 = 200;
/// Lines of a screen that stay however old they are.
const LINES: i64 = 200;

const DAY: i64 = 24 * 60 * 60 * 1000;
/// Platforms repeat for a day what was not acknowledged.
const EVENTS: i64 = 30 * DAY;
/// What was shown, beyond what a screen shows again.
const LETTERS: i64 = 60 * DAY;
/// Cards live a day; other buttons are of use as long as what they stand under.
const BUTTONS: i64 = 60 * DAY;
/// What was set aside is named for a week.
const SET_ASIDE: i64 = 30 * DAY;
/// A stranger is answered once in a window that is shorter than this.
const STRANGERS: i64 = 30 * DAY;

/// How far the walk over old rows has come; each round begins anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    letter: i64,
    place: i64,
}

impl Store {
    /// Takes away a batch of what is old. Gives where to go on; nothing when a round is over.
    pub async fn prune(&self, walk: Walk, now: Timestamp) -> Result<Option<Walk>, StoreError> {
        self.write(move |tx| {
            let before = |age: i64| now.0.saturating_sub(age);
            let mut gone = events(tx, before(EVENTS))?;
            for (sql, than) in [
                ("DELETE FROM button WHERE hash IN (SELECT hash FROM button WHERE at < ?1 ORDER BY at LIMIT ?2)", BUTTONS),
                ("DELETE FROM dead_letter WHERE id IN (SELECT id FROM dead_letter WHERE at < ?1 ORDER BY id LIMIT ?2)", SET_ASIDE),
                ("DELETE FROM stranger WHERE sender IN (SELECT sender FROM stranger WHERE answered_at < ?1 ORDER BY answered_at LIMIT ?2)", STRANGERS),
                // A browser whose account is nobody's any more.
                ("DELETE FROM session WHERE hash IN (SELECT hash FROM session WHERE since < ?1 AND NOT EXISTS
                    (SELECT 1 FROM account WHERE account.user = session.account) LIMIT ?2)", DAY),
            ] {
                gone += tx.prepare_cached(sql)?.execute(params![before(than), BATCH])?;
            }
            let letter = letters(tx, walk.letter, before(LETTERS))?;
            let place = places(tx, walk.place)?;
            Ok(match (letter, place) {
                (None, None) if gone == 0 => None,
                (letter, place) => Some(Walk {
                    letter: letter.unwrap_or(i64::MAX),
                    place: place.unwrap_or(i64::MAX),
                }),
            })
        })
        .await
    }
}

/// Claims of what a platform repeats no more. Only the oldest are looked at: they are in front.
fn events(tx: &Connection, before: i64) -> Result<usize, StoreError> {
    Ok(tx
        .prepare_cached(
            "DELETE FROM event WHERE seq IN (SELECT seq FROM (SELECT seq, at, body FROM event ORDER BY seq LIMIT ?2)
             WHERE at < ?1 AND body IS NULL)",
        )?
        .execute(params![before, BATCH])?)
}

/// Old letters that no screen shows and nothing waits for, with what changed them later.
fn letters(tx: &Connection, after: i64, before: i64) -> Result<Option<i64>, StoreError> {
    let mut old = tx.prepare_cached(
        "SELECT id, place FROM outbox WHERE id > ?1 AND at < ?2 AND id <= ?1 + ?4 AND target IS NULL
             AND state NOT IN ('queued', 'sending', 'held')
             AND NOT EXISTS (SELECT 1 FROM question WHERE question.id = outbox.question AND question.state IN (?5, ?6))
         ORDER BY id LIMIT ?3",
    )?;
    let first: Option<(i64, i64)> = tx
        .prepare_cached("SELECT id, at FROM outbox WHERE id > ?1 ORDER BY id LIMIT 1")?
        .query_row([after], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((first, _)) = first.filter(|(_, at)| *at < before) else {
        return Ok(None);
    };
    let from = first.saturating_sub(1);
    let old: Vec<(i64, i64)> = old
        .query_map(
            params![
                from,
                before,
                BATCH,
                BATCH,
                json(&State::Asked)?,
                json(&State::Approved)?
            ],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?
        .collect::<Result<_, _>>()?;
    for (id, place) in old {
        let (later, moving): (i64, bool) = tx
            .prepare_cached(
                "SELECT (SELECT count(*) FROM (SELECT 1 FROM outbox WHERE place = ?1 AND id > ?2 AND target IS NULL LIMIT ?3)),
                        EXISTS (SELECT 1 FROM outbox WHERE target = ?2 AND state IN ('queued', 'sending'))",
            )?
            .query_row(params![place, id, LINES], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if later == LINES && !moving {
            tx.prepare_cached("DELETE FROM outbox WHERE target = ?1")?
                .execute([id])?;
            tx.prepare_cached("DELETE FROM outbox WHERE id = ?1")?
                .execute([id])?;
        }
    }
    Ok(Some(from.saturating_add(BATCH)))
}

/// Places of people who were never let in, once nothing of theirs is left.
fn places(tx: &Connection, after: i64) -> Result<Option<i64>, StoreError> {
    let last: Option<i64> = tx
        .prepare_cached(
            "SELECT max(id) FROM (SELECT id FROM place WHERE id > ?1 ORDER BY id LIMIT ?2)",
        )?
        .query_row(params![after, BATCH], |row| row.get(0))?;
    let Some(last) = last else { return Ok(None) };
    tx.prepare_cached(
        "DELETE FROM place WHERE id > ?1 AND id <= ?2 AND conversation IS NULL
             AND NOT EXISTS (SELECT 1 FROM pairing WHERE pairing.line = place.line AND pairing.chat = place.chat)
             AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.place = place.id)
             AND NOT EXISTS (SELECT 1 FROM conversation WHERE conversation.place = place.id)
             AND NOT EXISTS (SELECT 1 FROM question WHERE question.place = place.id)
             AND NOT EXISTS (SELECT 1 FROM button WHERE button.place = place.id)",
    )?
    .execute(params![after, last])?;
    Ok(Some(last))
}
