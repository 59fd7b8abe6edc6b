//! What was asked, where does its card stand, and who answered?

use bot_policy::approval::{Choice, OpenQuestion, Question, State};
use bot_policy::card::Card;
use bot_policy::id::{CallId, ConversationId, PersonId, Place, QuestionId, Timestamp};
use bot_policy::message::{Body, Choices, OutboundMessage};
use bot_policy::taint::{Labelled, Taint};
use bot_policy::visible;
use rusqlite::{Connection, OptionalExtension, params};

use super::audit::{AuditEntry, append, append_all};
use super::buttons::{Meaning, button};
use super::conversations::add;
use super::outbox::{About, Letter, post, redraw};
use super::rows::{PlaceId, column, json};
use super::stand::stands_at;
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
    /// What the model is told, when the call ends with it.
    pub told: Option<String>,
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
    let card: Card = column(row, "card")?;
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
    let card = Card {
        choices: Choices::default(),
        outcome: Some(visible::line(&outcome)),
        ..card
    };
    let message = OutboundMessage {
        body: Body::Card(card),
        answers: None,
    };
    Ok(Some(redraw(store, tx, which, &message, now)?))
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

/// The buttons of an approval card, in the order in which they stand.
pub(super) fn labels(question: &Question, card: &Card) -> Vec<(&'static str, Choice)> {
    let mut labels = vec![("Allow once", Choice::AllowOnce)];
    if question.always.is_some() {
        labels.push(("Always", Choice::Always));
    }
    labels.push(("Deny", Choice::Deny));
    if card.fields.iter().any(|field| field.cut.is_some()) {
        labels.push(("Show all", Choice::ShowAll));
    }
    labels
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
            let target: Option<(i64, i64)> = tx
                .query_row(
                    "SELECT place, person FROM conversation WHERE id = ?1 AND ended IS NULL AND NOT EXISTS
                     (SELECT 1 FROM question WHERE conversation = ?1 AND state = ?2)",
                    params![which.0, json(&State::Asked)?],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let Some((at, put_to)) = target else { return Ok(Vec::new()) };
            append_all(tx, now, &notes)?;
            tx.execute(
                "INSERT INTO question (conversation, call, place, body, card, put_to, state, asked_at, ends_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                params![
                    which.0,
                    question.call.id.as_str(),
                    at,
                    json(&question)?,
                    json(&card)?,
                    put_to,
                    json(&State::Asked)?,
                    now.0,
                    ends_at.0
                ],
            )?;
            let id = QuestionId(tx.last_insert_rowid());
            let person = PersonId(put_to);
            let buttons = labels(&question, &card)
                .into_iter()
                .map(|(label, choice)| button(tx, label, PlaceId(at), person, Some(id), &Meaning::Approval(choice)))
                .collect::<Result<_, _>>()?;
            let card = Card { choices: Choices(buttons), ..card };
            append(tx, now, &AuditEntry::Asked { conversation: which, call: question.call.id.to_string(), person })?;
            let message = OutboundMessage { body: Body::Card(card), answers: None };
            post(&store, tx, PlaceId(at), &message, About::Question(which, id), now)
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
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            Ok(close(
                &store,
                tx,
                which,
                &[State::Approved],
                State::Changed,
                None,
                outcome,
                now,
            )?
            .unwrap_or_default())
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
                "SELECT id, conversation FROM question WHERE state = '\"Asked\"' AND ends_at <= ?1",
            )?;
            let due: Vec<(QuestionId, ConversationId)> = due
                .query_map([now.0], |row| {
                    Ok((QuestionId(row.get(0)?), ConversationId(row.get(1)?)))
                })?
                .collect::<Result<_, _>>()?;
            let mut letters = Vec::new();
            for (question, which) in &due {
                let closing = Closing {
                    question: *question,
                    state: State::Expired,
                    by: None,
                    outcome: "Nobody answered in time, so it did not run".into(),
                    told: Some(
                        "nobody answered in time; it was not refused, and it did not run".into(),
                    ),
                };
                letters.extend(answer(&store, tx, *which, &closing, now)?.unwrap_or_default());
            }
            Ok((due.into_iter().map(|(_, which)| which).collect(), letters))
        })
        .await
    }
}

fn answer(
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
    if let Some(told) = &closing.told {
        let call: String = tx.query_row(
            "SELECT call FROM question WHERE id = ?1",
            [closing.question.0],
            |row| row.get(0),
        )?;
        let told = Labelled {
            value: told.clone(),
            taint: Taint::default(),
        };
        add(
            tx,
            which,
            &Entry::Result {
                call: CallId::new(call),
                ended: Ended::Denied,
                told,
            },
            None,
            now,
        )?;
    }
    Ok(Some(letters))
}
