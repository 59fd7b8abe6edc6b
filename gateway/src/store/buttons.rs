//! What does a button mean, and whose is it?

use bot_policy::approval::{Choice, OpenQuestion};
use bot_policy::id::{ButtonToken, ConversationId, PersonId, Place, QuestionId};
use bot_policy::message::Button;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::questions::open_row;
use super::rows::{PlaceId, column, json, place};
use super::{Store, StoreError};
use crate::{chance, digest};

/// What a button means; the button itself carries a random token only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Meaning {
    /// A choice on an approval card.
    Approval(Choice),
    /// A button of a question of the agent's own, counted from 0.
    Choice(usize),
    /// Whether a group may be used.
    Claim { claim: i64, yes: bool },
    /// A Code conversation is continued where the button stands.
    Link(ConversationId),
    /// What to do about an unconfirmed memory.
    Memory { memory: i64, does: OfMemory },
    /// A fresh conversation in place of this one.
    NewAfter(ConversationId),
    /// Whether a folder's own rule file may loosen rules there.
    Project { file: i64, yes: bool },
    /// A letter is to be sent once more.
    Resend { letter: i64 },
    /// The answer to a question of the agent's own is none of its buttons.
    SomethingElse,
}

/// What a button does about an unconfirmed memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OfMemory {
    /// It is deleted.
    Forget,
    /// It is confirmed.
    Keep,
    /// Its whole text is shown.
    Show,
}

/// A button that was found by its token.
#[derive(Clone, Debug)]
pub struct Pressed {
    /// Where it was put.
    pub place: Place,
    /// Whose it is.
    pub person: PersonId,
    /// What it means.
    pub meaning: Meaning,
    /// The question that it stands under, with its conversation.
    pub question: Option<(ConversationId, OpenQuestion)>,
}

/// Makes a button; only the hash of its token is stored.
pub(super) fn button(
    tx: &Connection,
    label: &str,
    at: PlaceId,
    whose: PersonId,
    question: Option<QuestionId>,
    meaning: &Meaning,
) -> Result<Button, StoreError> {
    let token = chance::token()?;
    tx.prepare_cached(
        "INSERT INTO button (hash, place, person, question, meaning, at) VALUES (?1, ?2, ?3, ?4, ?5, unixepoch() * 1000)",
    )?
    .execute(params![
        token_hash(&token),
        at.0,
        whose.0,
        question.map(|id| id.0),
        json(meaning)?
    ])?;
    Ok(Button {
        label: label.to_owned(),
        token,
    })
}

fn token_hash(token: &ButtonToken) -> String {
    digest::hex(token.as_bytes())
}

impl Store {
    /// The button that carries a token.
    pub async fn pressed(&self, token: ButtonToken) -> Result<Option<Pressed>, StoreError> {
        self.read(move |tx| {
            let mut found = tx.prepare_cached("SELECT * FROM button WHERE hash = ?1")?;
            let mut rows = found.query([token_hash(&token)])?;
            let Some(row) = rows.next()? else {
                return Ok(None);
            };
            let question: Option<i64> = row.get("question")?;
            let question = match question {
                Some(id) => {
                    let mut found = tx.prepare_cached("SELECT * FROM question WHERE id = ?1")?;
                    let mut rows = found.query([id])?;
                    match rows.next()? {
                        Some(row) => {
                            Some((ConversationId(row.get("conversation")?), open_row(tx, row)?))
                        }
                        None => None,
                    }
                }
                None => None,
            };
            Ok(Some(Pressed {
                place: place(tx, PlaceId(row.get("place")?))?,
                person: PersonId(row.get("person")?),
                meaning: column(row, "meaning")?,
                question,
            }))
        })
        .await
    }
}
