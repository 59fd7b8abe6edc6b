//! Who works for a conversation, and what comes of it?

use bot_policy::event::PartBody;
use bot_policy::id::{CallId, ConversationId, MessageRef, Timestamp};
use bot_policy::taint::{Labelled, Taint};
use bot_policy::visible;
use rusqlite::{Connection, OptionalExtension, params};

use super::audit::{AuditEntry, append, append_all};
use super::conversations::{add, standing, turn};
use super::marks::{mark, taint_of};
use super::outbox::Letter;
use super::rows::json;
use super::turns::{Finish, finish_call, stop_turn, take_call};
use super::{Store, StoreError};
use crate::agent::{Ended, Entry};

/// What a worker was given to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// For which conversation.
    pub parent: ConversationId,
    /// By which call of it.
    pub call: CallId,
    /// The worker's name.
    pub worker: String,
    /// What it was given to do.
    pub task: String,
}

pub(super) fn work(row: &rusqlite::Row<'_>) -> Result<Option<Work>, StoreError> {
    let parent: Option<i64> = row.get("parent")?;
    let call: Option<String> = row.get("call")?;
    Ok(match (parent, call) {
        (Some(parent), Some(call)) => Some(Work {
            parent: ConversationId(parent),
            call: CallId::new(call),
            worker: row.get("worker")?,
            task: row.get("task")?,
        }),
        (None | Some(_), _) => None,
    })
}

/// A conversation with all that works for it or beside it.
pub(super) fn family(
    tx: &Connection,
    of: ConversationId,
) -> Result<Vec<ConversationId>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT other.id FROM conversation AS mine, conversation AS other
         WHERE mine.id = ?1 AND other.ended IS NULL
           AND coalesce(mine.parent, mine.id) IN (other.id, other.parent)",
    )?;
    let found = found.query_map([of.0], |row| row.get(0).map(ConversationId))?;
    Ok(found.collect::<Result<_, _>>()?)
}

impl Store {
    /// A conversation with all that works for it or beside it.
    pub async fn family(&self, of: ConversationId) -> Result<Vec<ConversationId>, StoreError> {
        self.read(move |tx| family(tx, of)).await
    }
}

/// What follows when a worker is done.
#[derive(Debug, Default)]
pub struct Reported {
    /// To be sent.
    pub letters: Vec<Letter>,
    /// Conversations that go on.
    pub wake: Vec<ConversationId>,
}

impl Store {
    /// Starts workers for a call, in one transaction: the call counts as started, and each worker
    /// begins with the marks of its parent. Nothing when the call was started before.
    pub async fn delegate(
        &self,
        parent: ConversationId,
        call: CallId,
        tasks: Vec<String>,
        notes: Vec<AuditEntry>,
        now: Timestamp,
    ) -> Result<Vec<ConversationId>, StoreError> {
        self.write(move |tx| {
            if standing(tx, parent)?.is_none() || !take_call(tx, parent, &call, now)? {
                return Ok(Vec::new());
            }
            append_all(tx, now, &notes)?;
            let started = AuditEntry::Started {
                conversation: parent,
                call: call.to_string(),
            };
            append(tx, now, &started)?;
            let taint = taint_of(tx, parent)?;
            let mut workers = Vec::new();
            for (task, count) in tasks.into_iter().zip(1..) {
                tx.execute(
                    "INSERT INTO conversation (bot, person, place, kind, parent, taint, mark_shown, mode, incognito, since, call, worker, task)
                     SELECT bot, person, place, kind, id, ?2, 1, mode, incognito, ?3, ?4, ?5, ?6 FROM conversation WHERE id = ?1",
                    params![
                        parent.0,
                        json(&taint.handed_down())?,
                        now.0,
                        call.as_str(),
                        format!("worker {count}"),
                        task
                    ],
                )?;
                let worker = ConversationId(tx.last_insert_rowid());
                let given = Entry::Person {
                    parts: vec![Labelled {
                        value: PartBody::Text(task),
                        taint: taint.handed_down(),
                    }],
                    message: MessageRef::new("task"),
                    typed: Vec::new(),
                };
                add(tx, worker, &given, None, now)?;
                workers.push(worker);
            }
            Ok(workers)
        })
        .await
    }

    /// Ends a worker: its marks join those of its parent, and when it was the last one, the call
    /// that it worked for is finished with what all of them say.
    pub async fn report(
        &self,
        worker: ConversationId,
        why: Option<String>,
        now: Timestamp,
    ) -> Result<Reported, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let found: Option<(i64, String)> = tx
                .query_row(
                    "UPDATE conversation SET ended = ?2 WHERE id = ?1 AND ended IS NULL AND call IS NOT NULL RETURNING parent, call",
                    params![worker.0, now.0],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let Some((parent, call)) = found else { return Ok(Reported::default()) };
            let parent = ConversationId(parent);
            let mut reported = Reported {
                letters: match why {
                    Some(why) => stop_turn(&store, tx, worker, &why, now)?,
                    None => Vec::new(),
                },
                wake: family(tx, parent)?,
            };
            reported.letters.extend(mark(&store, tx, parent, &taint_of(tx, worker)?, now)?);
            let others: bool = tx.query_row(
                "SELECT EXISTS (SELECT 1 FROM conversation WHERE parent = ?1 AND call = ?2 AND ended IS NULL)",
                params![parent.0, call],
                |row| row.get(0),
            )?;
            if others || standing(tx, parent)?.is_none() {
                return Ok(reported);
            }
            let call = CallId::new(call);
            let finish = what_they_say(tx, parent, call)?;
            reported.letters.extend(finish_call(&store, tx, parent, finish, now)?);
            reported.wake.push(parent);
            Ok(reported)
        })
        .await
    }

    /// The workers of a conversation, those that have ended too.
    pub async fn workers_of(
        &self,
        parent: ConversationId,
    ) -> Result<Vec<ConversationId>, StoreError> {
        self.read(move |tx| {
            let mut found = tx.prepare_cached("SELECT id FROM conversation WHERE parent = ?1")?;
            let found = found.query_map([parent.0], |row| row.get(0).map(ConversationId))?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }
}

/// The result of a call that its workers did, with the marks of all of them.
fn what_they_say(
    tx: &Connection,
    parent: ConversationId,
    call: CallId,
) -> Result<Finish, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT id, worker, task FROM conversation WHERE parent = ?1 AND call = ?2 ORDER BY id",
    )?;
    let workers: Vec<(i64, String, String)> = found
        .query_map(params![parent.0, call.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?
        .collect::<Result<_, _>>()?;
    let mut taint = Taint::default();
    let mut said = Vec::new();
    let mut did = Vec::new();
    for (id, worker, task) in &workers {
        let id = ConversationId(*id);
        taint = taint.join(&taint_of(tx, id)?);
        let turn = turn(tx, id)?;
        let words = turn.last_words().unwrap_or("it came to nothing");
        said.push(format!("{worker}, for: {}\n{words}", visible::line(task)));
        did.extend(
            turn.receipts_of_all()
                .into_iter()
                .map(|deed| format!("{worker} {deed}")),
        );
    }
    Ok(Finish {
        call,
        ended: Ended::Done,
        told: Labelled {
            value: said.join("\n\n"),
            taint,
        },
        outcome: match did.is_empty() {
            true => format!("{} done", workers.len()),
            false => did.join("; "),
        },
        because: String::new(),
        shown: None,
        notes: Vec::new(),
    })
}

/// Stops the workers of a call; what they had started goes on to its own end.
pub(super) fn stop_workers(
    store: &Store,
    tx: &Connection,
    parent: ConversationId,
    call: &CallId,
    why: &str,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT id FROM conversation WHERE parent = ?1 AND call = ?2 AND ended IS NULL",
    )?;
    let workers: Vec<ConversationId> = found
        .query_map(params![parent.0, call.as_str()], |row| {
            row.get(0).map(ConversationId)
        })?
        .collect::<Result<_, _>>()?;
    let mut letters = Vec::new();
    for worker in workers {
        letters.extend(stop_turn(store, tx, worker, why, now)?);
        tx.execute(
            "UPDATE conversation SET ended = ?2 WHERE id = ?1",
            params![worker.0, now.0],
        )?;
    }
    Ok(letters)
}
