//! How often was the model asked, and what did that use up?

use bot_policy::id::{ConversationId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Store, StoreError};
use crate::agent::model::Used;
use crate::budget::Spent;

/// How many days what was used up is kept.
const DAYS_KEPT: i64 = 62;
const DAY: i64 = 86_400_000;

/// What one model used up on one day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaySpent {
    /// When the day began, in UTC.
    pub begins: Timestamp,
    /// Which model answered; empty where none did.
    pub model: String,
    /// What it used up.
    pub spent: Spent,
}

impl Store {
    /// Notes that the model is about to be asked, so that it counts whatever comes of it. `refuse`
    /// sees what this turn, which began with the entry `since`, its workers and this day used up; what it says
    /// is handed back, and nothing is noted.
    pub async fn think(
        &self,
        which: ConversationId,
        since: i64,
        seen: i64,
        refuse: impl FnOnce(Spent, Spent) -> Option<String> + Send + 'static,
        now: Timestamp,
    ) -> Result<Result<i64, String>, StoreError> {
        self.write(move |tx| {
            let today = now.0.div_euclid(DAY);
            let (root, since) = turn_of(tx, which, since)?;
            let turn = tx
                .prepare_cached(&format!("{SUMS} {OF_TURN}"))?
                .query_row(params![root, since], spent)?;
            if let Some(why) = refuse(turn, of_day(tx, today)?) {
                return Ok(Err(why));
            }
            tx.prepare_cached("DELETE FROM thought WHERE day < ?1")?
                .execute([today - DAYS_KEPT])?;
            tx.prepare_cached("INSERT INTO thought (conversation, seen, day) VALUES (?1, ?2, ?3)")?
                .execute(params![which.0, seen, today])?;
            Ok(Ok(tx.last_insert_rowid()))
        })
        .await
    }

    /// Notes what asking the model used up.
    pub async fn thought(&self, which: i64, used: Used) -> Result<(), StoreError> {
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        self.write(move |tx| {
            tx.prepare_cached(
                "UPDATE thought SET model = ?2, input = ?3, output = ?4, money = ?5 WHERE id = ?1",
            )?
            .execute(params![
                which,
                used.model,
                number(used.input),
                number(used.output),
                number(used.money)
            ])?;
            Ok(())
        })
        .await
    }

    /// What this day used up.
    pub async fn spent_today(&self, now: Timestamp) -> Result<Spent, StoreError> {
        self.read(|tx| of_day(tx, now.0.div_euclid(DAY))).await
    }

    /// What each model used up on each of the last days, newest first.
    pub async fn spent_by_day(
        &self,
        now: Timestamp,
        days: i64,
    ) -> Result<Vec<DaySpent>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare_cached(
                "SELECT count(*), total(input + output), total(money), day, model FROM thought
                 WHERE day > ?1 GROUP BY day, model ORDER BY day DESC, model",
            )?;
            let found = found.query_map([now.0.div_euclid(DAY) - days], |row| {
                Ok(DaySpent {
                    begins: Timestamp(row.get::<_, i64>(3)?.saturating_mul(DAY)),
                    model: row.get(4)?,
                    spent: spent(row)?,
                })
            })?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }
}

const SUMS: &str = "SELECT count(*), total(input + output), total(money) FROM thought";

/// A turn is the person's: what it sets to work in its name counts in it.
const OF_TURN: &str = "WHERE (conversation = ?1 AND seen >= ?2) OR conversation IN
     (SELECT id FROM conversation WHERE parent = ?1 AND since >=
         (SELECT at FROM entry WHERE conversation = ?1 AND seq = ?2))";

/// Whose turn this is, and the entry that it began with: a worker's is that of whom it works for.
fn turn_of(tx: &Connection, which: ConversationId, since: i64) -> Result<(i64, i64), StoreError> {
    let parent: Option<i64> = tx
        .prepare_cached("SELECT parent FROM conversation WHERE id = ?1")?
        .query_row([which.0], |row| row.get(0))
        .optional()?
        .flatten();
    let Some(parent) = parent else {
        return Ok((which.0, since));
    };
    let words: Option<i64> = tx
        .prepare_cached(
            "SELECT seq FROM entry WHERE conversation = ?1 AND body LIKE '{\"Person\"%' ORDER BY seq DESC LIMIT 1",
        )?
        .query_row([parent], |row| row.get(0))
        .optional()?;
    Ok((parent, words.unwrap_or(0)))
}

fn of_day(tx: &Connection, day: i64) -> Result<Spent, StoreError> {
    Ok(tx
        .prepare_cached(&format!("{SUMS} WHERE day = ?1"))?
        .query_row([day], spent)?)
}

fn spent(row: &Row<'_>) -> rusqlite::Result<Spent> {
    let calls: i64 = row.get(0)?;
    let (tokens, money): (f64, f64) = (row.get(1)?, row.get(2)?);
    Ok(Spent {
        calls: calls.unsigned_abs(),
        tokens: tokens as u64,
        money: money as u64,
    })
}
