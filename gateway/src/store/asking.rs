//! How is a question put? Its row, its buttons, and that one stands at a time.

use bot_policy::approval::{Choice, OpenQuestion, Question, State};
use bot_policy::card::Card;
use bot_policy::id::{ConversationId, PersonId, QuestionId, Timestamp};
use bot_policy::message::{Button, Choices};
use rusqlite::{Connection, OptionalExtension, params};

use super::StoreError;
use super::audit::{AuditEntry, append, append_all};
use super::buttons::{Meaning, button};
use super::choices::Face;
use super::code::is_terminal;
use super::rows::{PlaceId, json, place};

/// Which buttons a card shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choosing {
    /// Those that stand there at first.
    First,
    /// What stands under More too.
    More,
}

/// The buttons of an approval card, in the order in which they stand.
fn labels(question: &Question, card: &Card, choosing: Choosing) -> Vec<(&'static str, Choice)> {
    let mut labels = vec![("Allow once", Choice::AllowOnce)];
    if question.always.is_some() {
        labels.push(("Always", Choice::Always));
    }
    if question.alike.is_some() {
        labels.push(("All like this", Choice::AllLike));
    }
    labels.push(("Deny", Choice::Deny));
    match (&question.block, choosing) {
        (Some(_), Choosing::First) => labels.push(("More", Choice::More)),
        (Some(_), Choosing::More) => labels.push(("Always block", Choice::AlwaysBlock)),
        (None, Choosing::First | Choosing::More) => {}
    }
    if card.fields.iter().any(|field| field.cut.is_some()) {
        labels.push(("Show all", Choice::ShowAll));
    }
    labels
}

/// Makes the buttons of an approval card.
pub(super) fn approval_buttons(
    tx: &Connection,
    open: &OpenQuestion,
    card: &Card,
    at: PlaceId,
    choosing: Choosing,
) -> Result<Vec<Button>, StoreError> {
    labels(&open.question, card, choosing)
        .into_iter()
        .map(|(label, choice)| {
            let meaning = Meaning::Approval(choice);
            button(tx, label, at, open.put_to, Some(open.id), &meaning)
        })
        .collect()
}

/// The card with buttons for one place. A terminal shows at once what elsewhere stands under More.
pub(super) fn with_buttons(
    tx: &Connection,
    open: &OpenQuestion,
    card: Card,
    at: PlaceId,
) -> Result<Card, StoreError> {
    let (card, choosing) = match (&open.question.block, is_terminal(tx, at)?) {
        (Some(block), true) => (card.with_block(block), Choosing::More),
        (Some(_) | None, _) => (card, Choosing::First),
    };
    Ok(Card {
        choices: Choices(approval_buttons(tx, open, &card, at, choosing)?),
        ..card
    })
}

/// The row of a question, put where its conversation is. Nothing when another card of the
/// conversation, of one that it works for or of another worker still stands, or it has ended.
#[allow(clippy::too_many_arguments, reason = "one row, written in one place")]
pub(super) fn put_row(
    tx: &Connection,
    which: ConversationId,
    question: &Question,
    face: &Face,
    choice: Option<String>,
    ends_at: Timestamp,
    notes: &[AuditEntry],
    now: Timestamp,
) -> Result<Option<OpenQuestion>, StoreError> {
    let target: Option<(i64, i64)> = tx
        .query_row(
            "SELECT place, person FROM conversation WHERE id = ?1 AND ended IS NULL AND NOT EXISTS
             (SELECT 1 FROM conversation AS mine, conversation AS other, question
              WHERE mine.id = ?1 AND question.conversation = other.id AND question.state = '\"Asked\"'
                AND coalesce(other.parent, other.id) = coalesce(mine.parent, mine.id))",
            [which.0],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let Some((at, put_to)) = target else {
        return Ok(None);
    };
    append_all(tx, now, notes)?;
    tx.execute(
        "INSERT INTO question (conversation, call, place, body, card, put_to, state, asked_at, ends_at, choice)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            which.0,
            question.call.id.as_str(),
            at,
            json(question)?,
            json(face)?,
            put_to,
            json(&State::Asked)?,
            now.0,
            ends_at.0,
            choice
        ],
    )?;
    let open = OpenQuestion {
        id: QuestionId(tx.last_insert_rowid()),
        question: question.clone(),
        put_to: PersonId(put_to),
        places: vec![place(tx, PlaceId(at))?],
        state: State::Asked,
        ends_at,
    };
    append(
        tx,
        now,
        &AuditEntry::Asked {
            conversation: which,
            call: question.call.id.to_string(),
            person: open.put_to,
        },
    )?;
    Ok(Some(open))
}
