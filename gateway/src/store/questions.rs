//! What was asked, where does its card stand, and who answered?

use bot_policy::approval::{Kept, OpenQuestion, Question, State};
use bot_policy::card::Card;
use bot_policy::id::{CallId, ConversationId, PersonId, Place, QuestionId, Timestamp};
use bot_policy::message::{Body, OutboundMessage};
use bot_policy::taint::{Labelled, Taint};
use rusqlite::{Connection, params};

use super::approvals::approve;
use super::asking::{put_row, with_buttons};
use super::audit::{AuditEntry, append, append_all};
use super::choices::Face;
use super::conversations::add;
use super::links::post_each;
use super::outbox::{About, Letter, redraw};
use super::rows::{column, json};
use super::stand::stands_at;
use super::workers::family;
use super::{Store, StoreError};
use crate::agent::{Ended, Entry};
use crate::metrics::{self, Count};

/// How a question is closed by its person.
#[derive(Clone, Debug)]
pub struct Closing {
    /// Which.
    pub question: QuestionId,
    /// Into which state.
    pub state: State,
    /// By whom.
    pub by: Option<PersonId>,
    /// What the card shows then.
    pub outcome: String,
    /// How the call ends with it, and what the model is told.
    pub told: Option<(Ended, String)>,
    /// What the answer keeps.
    pub keeps: Kept,
    /// What the audit notes of the press.
    pub notes: Vec<AuditEntry>,
}

pub(super) fn open_row(
    tx: &Connection,
    row: &rusqlite::Row<'_>,
) -> Result<OpenQuestion, StoreError> {
    let id = QuestionId(row.get("id")?);
    Ok(OpenQuestion {
        id,
        question: column(row, "body")?,
        put_to: PersonId(row.get("put_to")?),
        places: stands_at(tx, id)?,
        state: column(row, "state")?,
        ends_at: Timestamp(row.get("ends_at")?),
    })
}

/// The newest question about a call.
pub(super) fn open_question(
    tx: &Connection,
    of: ConversationId,
    call: &CallId,
) -> Result<Option<OpenQuestion>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT * FROM question WHERE conversation = ?1 AND call = ?2 ORDER BY id DESC LIMIT 1",
    )?;
    let mut rows = found.query(params![of.0, call.as_str()])?;
    rows.next()?.map(|row| open_row(tx, row)).transpose()
}

/// Closes a question if it is in one of these states, and redraws its card. Nothing otherwise:
/// there is exactly one winner.
#[allow(clippy::too_many_arguments, reason = "one row, written in one place")]
pub(super) fn close(
    store: &Store,
    tx: &Connection,
    which: QuestionId,
    from: &[State],
    to: State,
    by: Option<PersonId>,
    outcome: &str,
    now: Timestamp,
) -> Result<Option<Vec<Letter>>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT state, card, conversation, call, outcome FROM question WHERE id = ?1",
    )?;
    let mut rows = found.query([which.0])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let state: State = column(row, "state")?;
    if !from.contains(&state) {
        return Ok(None);
    }
    let face: Face = column(row, "card")?;
    let before: Option<String> = row.get("outcome")?;
    let entry = AuditEntry::Closed {
        conversation: ConversationId(row.get("conversation")?),
        call: row.get("call")?,
        state: named(to).to_owned(),
        by,
    };
    append(tx, now, &entry)?;
    metrics::count(Count::Questions, named(to));
    // What was said of the press stays in front of what came of it.
    let outcome = match before {
        Some(before) => format!("{before} · {outcome}"),
        None => outcome.to_owned(),
    };
    tx.prepare_cached(
        "UPDATE question SET state = ?2, closed_at = ?3, outcome = ?4 WHERE id = ?1",
    )?
    .execute(params![which.0, json(&to)?, now.0, outcome])?;
    Ok(Some(redraw(
        store,
        tx,
        which,
        &face.closed(&outcome),
        None,
        now,
    )?))
}

/// What the card of a question shows once it is closed in a place alone.
pub(super) fn closed_face(
    tx: &Connection,
    which: QuestionId,
    outcome: &str,
) -> Result<OutboundMessage, StoreError> {
    let mut found = tx.prepare_cached("SELECT card FROM question WHERE id = ?1")?;
    let text: String = found.query_row([which.0], |row| row.get(0))?;
    let face: Face = super::rows::parse(&text)?;
    Ok(face.closed(outcome))
}

fn named(state: State) -> &'static str {
    match state {
        State::Approved => "approved",
        State::Asked => "asked",
        State::Changed => "changed",
        State::Done => "done",
        State::Expired => "expired",
        State::Refused => "refused",
        State::Started => "started",
        State::Unknown => "unknown",
        State::Withdrawn => "withdrawn",
    }
}

/// Withdraws every open question that was put in a chat.
pub(super) fn withdraw_all(
    store: &Store,
    tx: &Connection,
    chat: &Place,
    why: &str,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let mut open = tx.prepare_cached(
        "SELECT question.id FROM question JOIN place ON place.id = question.place
         WHERE place.line = ?1 AND place.chat = ?2 AND question.state IN (?3, ?4)",
    )?;
    let open: Vec<QuestionId> = open
        .query_map(
            params![
                chat.line.as_str(),
                chat.chat.as_str(),
                json(&State::Asked)?,
                json(&State::Approved)?
            ],
            |row| row.get(0).map(QuestionId),
        )?
        .collect::<Result<_, _>>()?;
    let mut letters = Vec::new();
    for id in open {
        let from = [State::Asked, State::Approved];
        letters.extend(
            close(store, tx, id, &from, State::Withdrawn, None, why, now)?.unwrap_or_default(),
        );
    }
    Ok(letters)
}

impl Store {
    /// Puts a question: its row, its buttons and its card in one transaction. Nothing when
    /// another card of the conversation still stands or the conversation has ended.
    pub async fn ask(
        &self,
        which: ConversationId,
        question: Question,
        card: Card,
        ends_at: Timestamp,
        notes: Vec<AuditEntry>,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let face = Face::Card(card.clone());
            let Some(open) = put_row(tx, which, &question, &face, None, ends_at, &notes, now)?
            else {
                return Ok(Vec::new());
            };
            let about = About::Question(which, open.id);
            post_each(&store, tx, which, about, now, |at| {
                Ok(OutboundMessage {
                    body: Body::Card(with_buttons(tx, &open, card.clone(), at)?),
                    answers: None,
                })
            })
        })
        .await
    }

    /// Closes a question that is still asked. Nothing when it was answered before.
    pub async fn answer(
        &self,
        which: ConversationId,
        closing: Closing,
        now: Timestamp,
    ) -> Result<Option<Vec<Letter>>, StoreError> {
        let store = self.clone();
        self.write(move |tx| answer(&store, tx, which, &closing, now))
            .await
    }

    /// Closes an approved question that may not run as things stand; its call is judged anew.
    pub async fn reopen(
        &self,
        which: QuestionId,
        outcome: &'static str,
        notes: Vec<AuditEntry>,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            append_all(tx, now, &notes)?;
            let from = [State::Approved];
            let closed = close(&store, tx, which, &from, State::Changed, None, outcome, now)?;
            Ok(closed.unwrap_or_default())
        })
        .await
    }

    /// Closes the questions whose time is over; silence is no.
    pub async fn expire(
        &self,
        now: Timestamp,
    ) -> Result<(Vec<ConversationId>, Vec<Letter>), StoreError> {
        // Looked at with a read, so that nothing is written while nothing ends; said as the index
        // of open questions says it, so that only those are looked at.
        let any = self
            .read(move |tx| {
                let any: bool = tx
                    .prepare_cached(
                        "SELECT EXISTS (SELECT 1 FROM question WHERE state = '\"Asked\"' AND ends_at <= ?1)",
                    )?
                    .query_row([now.0], |row| row.get(0))?;
                Ok(any)
            })
            .await?;
        if !any {
            return Ok((Vec::new(), Vec::new()));
        }
        let store = self.clone();
        self.write(move |tx| {
            let mut due = tx.prepare_cached(
                "SELECT id, conversation, choice IS NOT NULL FROM question WHERE state = '\"Asked\"' AND ends_at <= ?1",
            )?;
            let due: Vec<(QuestionId, ConversationId, bool)> = due
                .query_map([now.0], |row| {
                    Ok((QuestionId(row.get(0)?), ConversationId(row.get(1)?), row.get(2)?))
                })?
                .collect::<Result<_, _>>()?;
            let mut letters = Vec::new();
            let mut wake = Vec::new();
            for (question, which, choice) in due {
                let (outcome, told) = if choice {
                    let told = "nobody answered in time; that is no refusal".to_owned();
                    ("Nobody answered in time", (Ended::Failed, told))
                } else {
                    let told = "nobody answered in time; it was not refused, and it did not run";
                    let outcome = "Nobody answered in time, so it did not run";
                    (outcome, (Ended::Denied, told.to_owned()))
                };
                let closing = Closing {
                    question,
                    state: State::Expired,
                    by: None,
                    outcome: outcome.to_owned(),
                    told: Some(told),
                    keeps: Kept::Nothing,
                    notes: Vec::new(),
                };
                letters.extend(answer(&store, tx, which, &closing, now)?.unwrap_or_default());
                wake.extend(family(tx, which)?);
            }
            Ok((wake, letters))
        })
        .await
    }
}

pub(super) fn answer(
    store: &Store,
    tx: &Connection,
    which: ConversationId,
    closing: &Closing,
    now: Timestamp,
) -> Result<Option<Vec<Letter>>, StoreError> {
    let Some(letters) = close(
        store,
        tx,
        closing.question,
        &[State::Asked],
        closing.state,
        closing.by,
        &closing.outcome,
        now,
    )?
    else {
        return Ok(None);
    };
    append_all(tx, now, &closing.notes)?;
    match &closing.keeps {
        Kept::Approval(rule) => approve(tx, which, rule, now)?,
        Kept::Nothing => {}
        Kept::Rule(rule) => {
            tx.execute(
                "UPDATE question SET saves = ?2 WHERE id = ?1",
                params![closing.question.0, json(rule)?],
            )?;
        }
    }
    if let Some((ended, told)) = &closing.told {
        let call: String = tx.query_row(
            "SELECT call FROM question WHERE id = ?1",
            [closing.question.0],
            |row| row.get(0),
        )?;
        let result = Entry::Result {
            call: CallId::new(call),
            ended: *ended,
            told: Labelled {
                value: told.clone(),
                taint: Taint::default(),
            },
            outcome: String::new(),
            because: String::new(),
        };
        add(tx, which, &result, None, now)?;
    }
    Ok(Some(letters))
}
