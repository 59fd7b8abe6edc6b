//! What does the agent ask in its own name, and what was chosen?

use bot_policy::approval::{Kept, OpenQuestion, Question, State};
use bot_policy::call::Call;
use bot_policy::card::Card;
use bot_policy::choice::{Asked, SOMETHING_ELSE};
use bot_policy::decide::Says;
use bot_policy::id::{CallId, ConversationId, PersonId, QuestionId, Timestamp};
use bot_policy::message::{Addresses, Body, Button, Choices, Notice, OutboundMessage};
use bot_policy::visible;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::asking::put_row;
use super::audit::AuditEntry;
use super::buttons::{Meaning, button};
use super::links::post_each;
use super::outbox::{About, Letter};
use super::questions::{Closing, answer};
use super::rows::{PlaceId, json, parse};
use super::{Store, StoreError};
use crate::agent::Ended;

/// How a question looks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Face {
    /// An approval.
    Card(Card),
    /// A question of the agent's own.
    Notice(Notice),
}

impl Face {
    /// The same, closed: without buttons, and with what came of it.
    pub(super) fn closed(self, outcome: &str) -> OutboundMessage {
        let body = match self {
            Self::Card(card) => Body::Card(Card {
                choices: Choices::default(),
                outcome: Some(visible::line(outcome)),
                ..card
            }),
            Self::Notice(notice) => Body::Notice(Notice {
                text: format!("{}\n\n{}", notice.text, visible::line(outcome)),
                choices: Choices::default(),
                ..notice
            }),
        };
        OutboundMessage {
            body,
            answers: None,
        }
    }
}

/// Makes the buttons of a question of the agent's own.
pub(super) fn choice_buttons(
    tx: &Connection,
    open: &OpenQuestion,
    labels: &[impl AsRef<str>],
    at: PlaceId,
) -> Result<Vec<Button>, StoreError> {
    let choices = (0..).map(Meaning::Choice);
    let otherwise = (SOMETHING_ELSE, Meaning::SomethingElse);
    labels
        .iter()
        .map(AsRef::as_ref)
        .zip(choices)
        .chain(std::iter::once(otherwise))
        .map(|(label, meaning)| button(tx, label, at, open.put_to, Some(open.id), &meaning))
        .collect()
}

/// A question of the agent's own, on its way to a person.
#[derive(Clone, Debug)]
pub struct Choose {
    /// The call that asks.
    pub call: Call,
    /// What it asks.
    pub asked: Asked,
    /// Whether addresses in it may be pressed.
    pub addresses: Addresses,
    /// When silence becomes an end.
    pub ends_at: Timestamp,
    /// What the audit holds besides.
    pub notes: Vec<AuditEntry>,
}

impl Store {
    /// Puts a question of the agent's own. Nothing when another card still stands.
    pub async fn choose(
        &self,
        which: ConversationId,
        choose: Choose,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let question = Question {
                call: choose.call,
                says: Says::Allow,
                reasons: Vec::new(),
                always: None,
                alike: None,
                block: None,
                ground: Default::default(),
            };
            let shown = Notice {
                text: choose.asked.text.to_string(),
                addresses: choose.addresses,
                choices: Choices::default(),
            };
            let labels: Vec<&str> = choose
                .asked
                .labels
                .iter()
                .map(|label| label.as_str())
                .collect();
            let face = Face::Notice(shown.clone());
            let choice = Some(json(&labels)?);
            let notes = &choose.notes;
            let put = put_row(
                tx,
                which,
                &question,
                &face,
                choice,
                choose.ends_at,
                notes,
                now,
            )?;
            let Some(open) = put else {
                return Ok(Vec::new());
            };
            let about = About::Question(which, open.id);
            post_each(&store, tx, which, about, now, |at| {
                Ok(OutboundMessage {
                    body: Body::Notice(Notice {
                        choices: Choices(choice_buttons(tx, &open, &labels, at)?),
                        ..shown.clone()
                    }),
                    answers: None,
                })
            })
        })
        .await
    }

    /// Closes a question of the agent's own with what was chosen; nothing for `None` means
    /// something else. Nothing is returned when it was answered or ended before.
    pub async fn chosen(
        &self,
        which: QuestionId,
        choice: Option<usize>,
        by: PersonId,
        who: String,
        now: Timestamp,
    ) -> Result<Option<(ConversationId, Vec<Letter>)>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let row: Option<(i64, String, i64)> = tx
                .query_row(
                    "SELECT conversation, choice, ends_at FROM question WHERE id = ?1 AND choice IS NOT NULL",
                    [which.0],
                    |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
                )
                .optional()?;
            let Some((conversation, labels, ends_at)) = row else { return Ok(None) };
            if now.0 >= ends_at {
                return Ok(None);
            }
            let labels: Vec<String> = parse(&labels)?;
            let (outcome, told) = match choice.and_then(|at| labels.get(at)) {
                Some(label) => (
                    format!("{label}: chosen by {who}"),
                    format!("the person chose: {label}"),
                ),
                None => (
                    format!("Something else, says {who}: write it as your next message"),
                    "the person chose none of these; their next message says what".to_owned(),
                ),
            };
            let closing = Closing {
                question: which,
                state: State::Done,
                by: Some(by),
                outcome,
                told: Some((Ended::Done, told)),
                keeps: Kept::Nothing,
                notes: Vec::new(),
            };
            let conversation = ConversationId(conversation);
            let letters = answer(&store, tx, conversation, &closing, now)?;
            Ok(letters.map(|letters| (conversation, letters)))
        })
        .await
    }

    /// Takes a question back that still waits, because the agent withdraws its call. False when
    /// no such question waits.
    pub async fn withdraw(
        &self,
        of: ConversationId,
        call: CallId,
        now: Timestamp,
    ) -> Result<Option<Vec<Letter>>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let open: Option<i64> = tx
                .query_row(
                    "SELECT id FROM question WHERE conversation = ?1 AND call = ?2 AND state = ?3",
                    params![of.0, call.as_str(), json(&State::Asked)?],
                    |row| row.get(0),
                )
                .optional()?;
            let Some(open) = open else { return Ok(None) };
            let closing = Closing {
                question: QuestionId(open),
                state: State::Withdrawn,
                by: None,
                outcome: "Withdrawn by the agent; it did not run".to_owned(),
                told: Some((Ended::Withdrawn, "withdrawn, so it did not run".to_owned())),
                keeps: Kept::Nothing,
                notes: Vec::new(),
            };
            answer(&store, tx, of, &closing, now)
        })
        .await
    }
}
