//! How does a turn go on in the store? One transaction for each step of it.

use bot_policy::approval::State;
use bot_policy::call::Call;
use bot_policy::id::{CallId, ConversationId, QuestionId, Timestamp};
use bot_policy::message::OutboundMessage;
use bot_policy::taint::{Labelled, Taint};
use rusqlite::{Connection, params};

use super::audit::{AuditEntry, append, append_all};
use super::conversations::{add, newest, standing, turn};
use super::links::post_all;
use super::marks::mark;
use super::memory_cards::ask_about_memories;
use super::outbox::{About, Letter};
use super::questions::{close, open_question};
use super::received::leave;
use super::rows::{column, json};
use super::workers::stop_workers;
use super::{Store, StoreError};
use crate::agent::{Ended, Entry};
use crate::course::News;

/// What the model said in one step.
#[derive(Clone, Debug)]
pub struct Speak {
    /// Its words.
    pub text: String,
    /// Its calls, without our ids.
    pub calls: Vec<Call>,
    /// The last entry that it had seen.
    pub seen: i64,
    /// What is shown to the person.
    pub shown: Option<OutboundMessage>,
}

/// How a call ended.
#[derive(Clone, Debug)]
pub struct Finish {
    /// Which.
    pub call: CallId,
    /// How.
    pub ended: Ended,
    /// What the model is told.
    pub told: Labelled<String>,
    /// What the card and the receipt show.
    pub outcome: String,
    /// Why it ran; empty where it did not.
    pub because: String,
    /// What is shown of it, in a Code conversation.
    pub shown: Option<OutboundMessage>,
    /// What the audit holds besides.
    pub notes: Vec<AuditEntry>,
}

impl Store {
    /// Closes one step of the model: its words, its calls, and what the person is shown.
    pub async fn speak(
        &self,
        which: ConversationId,
        speak: Speak,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            if standing(tx, which)?.is_none() {
                return Ok(Vec::new());
            }
            // The person ended the turn while the model was thinking.
            let stopped: bool = tx
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM entry WHERE conversation = ?1 AND seq > ?2 AND open = 0)",
                )?
                .query_row(params![which.0, speak.seen], |row| row.get(0))?;
            if stopped {
                return Ok(Vec::new());
            }
            let number = newest(tx, which)? + 1;
            let calls = speak
                .calls
                .into_iter()
                .enumerate()
                .map(|(index, call)| Call {
                    id: CallId::new(format!("{number}.{index}")),
                    ..call
                })
                .collect();
            add(
                tx,
                which,
                &Entry::Model {
                    text: speak.text,
                    calls,
                    seen: speak.seen,
                },
                None,
                now,
            )?;
            match speak.shown {
                Some(shown) => {
                    let about = About::Reply(which, number);
                    post_all(&store, tx, which, &shown, about, now)
                }
                None => Ok(Vec::new()),
            }
        })
        .await
    }

    /// Records that a call is started; from here on it never runs again. False when it may not:
    /// it was started before, or its question was closed otherwise meanwhile.
    pub async fn start(
        &self,
        which: ConversationId,
        call: CallId,
        question: Option<QuestionId>,
        notes: Vec<AuditEntry>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(move |tx| {
            if standing(tx, which)?.is_none() {
                return Ok(false);
            }
            if !take_call(tx, which, &call, now)? {
                return Ok(false);
            }
            if let Some(question) = question {
                let moved = tx.execute(
                    "UPDATE question SET state = ?2 WHERE id = ?1 AND state = ?3",
                    params![question.0, json(&State::Started)?, json(&State::Approved)?],
                )?;
                if moved == 0 {
                    tx.execute(
                        "DELETE FROM started WHERE conversation = ?1 AND call = ?2",
                        params![which.0, call.as_str()],
                    )?;
                    return Ok(false);
                }
            }
            append_all(tx, now, &notes)?;
            append(
                tx,
                now,
                &AuditEntry::Started {
                    conversation: which,
                    call: call.to_string(),
                },
            )?;
            Ok(true)
        })
        .await
    }

    /// Closes a call: its result, its marks, and its card.
    pub async fn finish(
        &self,
        which: ConversationId,
        finish: Finish,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| finish_call(&store, tx, which, finish, now))
            .await
    }

    /// Takes back calls that have not started; the model is told why.
    pub async fn take_back(
        &self,
        which: ConversationId,
        calls: Vec<CallId>,
        why: &'static str,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            for call in calls {
                if take_call(tx, which, &call, now)? {
                    withdrawn(tx, which, call, why.to_owned(), now)?;
                }
            }
            Ok(())
        })
        .await
    }

    /// What came in for a conversation since its entry of this number.
    pub async fn news(&self, of: ConversationId, since: i64) -> Result<News, StoreError> {
        self.read(move |tx| {
            if standing(tx, of)?.is_none() {
                return Ok(News::Ended);
            }
            let mut newer = tx.prepare_cached(
                "SELECT body FROM entry WHERE conversation = ?1 AND seq > ?2 ORDER BY seq",
            )?;
            let mut rows = newer.query(params![of.0, since])?;
            let mut news = News::Nothing;
            while let Some(row) = rows.next()? {
                match column(row, "body")? {
                    Entry::Stopped => return Ok(News::Ended),
                    Entry::Person { .. } => news = News::Words,
                    Entry::Model { .. } | Entry::Result { .. } => {}
                }
            }
            Ok(news)
        })
        .await
    }

    /// Ends the turn of a conversation and says why.
    pub async fn end_turn(
        &self,
        which: ConversationId,
        why: OutboundMessage,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            if standing(tx, which)?.is_none() {
                return Ok(Vec::new());
            }
            let mut letters = stop_turn(&store, tx, which, "the turn ended", now)?;
            letters.extend(post_all(&store, tx, which, &why, About::Nothing, now)?);
            Ok(letters)
        })
        .await
    }
}

/// Closes a call within a transaction: its card, its marks, its result.
pub(super) fn finish_call(
    store: &Store,
    tx: &Connection,
    which: ConversationId,
    finish: Finish,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let Finish {
        call,
        ended,
        told,
        outcome,
        because,
        shown,
        notes,
    } = finish;
    append_all(tx, now, &notes)?;
    let mut letters = match shown {
        Some(shown) => post_all(store, tx, which, &shown, About::Nothing, now)?,
        None => Vec::new(),
    };
    if let Some(question) = open_question(tx, which, &call)? {
        let state = match ended {
            Ended::Done | Ended::Failed => State::Done,
            Ended::Unknown => State::Unknown,
            Ended::Denied | Ended::Unapproved | Ended::Withdrawn => State::Withdrawn,
        };
        let from = [State::Started, State::Approved];
        letters.extend(
            close(store, tx, question.id, &from, state, None, &outcome, now)?.unwrap_or_default(),
        );
    }
    append(
        tx,
        now,
        &AuditEntry::Ended {
            conversation: which,
            call: call.to_string(),
            how: format!("{ended:?}").to_lowercase(),
        },
    )?;
    letters.extend(mark(store, tx, which, &told.taint, now)?);
    let result = Entry::Result {
        call,
        ended,
        told,
        outcome,
        because,
    };
    add(tx, which, &result, None, now)?;
    letters.extend(ask_about_memories(store, tx, which, now)?);
    Ok(letters)
}

fn withdrawn(
    tx: &Connection,
    which: ConversationId,
    call: CallId,
    told: String,
    now: Timestamp,
) -> Result<(), StoreError> {
    let result = Entry::Result {
        call,
        ended: Ended::Withdrawn,
        told: Labelled {
            value: told,
            taint: Taint::default(),
        },
        outcome: String::new(),
        because: String::new(),
    };
    add(tx, which, &result, None, now)?;
    Ok(())
}

/// Takes back every call that has no result, and closes the turn.
pub(super) fn stop_turn(
    store: &Store,
    tx: &Connection,
    which: ConversationId,
    why: &str,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    leave(tx, which)?;
    let turn = turn(tx, which)?;
    let mut letters = Vec::new();
    for call in turn.unfinished_calls() {
        if let Some(question) = turn.questions.get(&call.id) {
            letters.extend(
                close(
                    store,
                    tx,
                    question.id,
                    &[State::Asked, State::Approved],
                    State::Withdrawn,
                    None,
                    why,
                    now,
                )?
                .unwrap_or_default(),
            );
        }
        if turn.working.contains(&call.id) {
            letters.extend(stop_workers(store, tx, which, &call.id, why, now)?);
            withdrawn(
                tx,
                which,
                call.id.clone(),
                format!("its workers were stopped: {why}"),
                now,
            )?;
        }
        // What was started goes on to its own end; only what has not started is taken back.
        if !turn.started.contains(&call.id) {
            // Taken, so that a step that read the turn before this cannot start it any more.
            take_call(tx, which, &call.id, now)?;
            withdrawn(
                tx,
                which,
                call.id.clone(),
                format!("taken back: {why}"),
                now,
            )?;
        }
    }
    add(tx, which, &Entry::Stopped, None, now)?;
    Ok(letters)
}

/// Takes a call for running or for taking it back. False when it was taken before.
pub(super) fn take_call(
    tx: &Connection,
    of: ConversationId,
    call: &CallId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let fresh = tx
        .prepare_cached(
            "INSERT OR IGNORE INTO started (conversation, call, at) VALUES (?1, ?2, ?3)",
        )?
        .execute(params![of.0, call.as_str(), now.0])?;
    Ok(fresh == 1)
}
