//! What is to be shown, in order per place?

use adapters::{Encoded, Support};
use bot_policy::id::{ConversationId, Place, QuestionId, Timestamp};
use bot_policy::message::{Addresses, Body, Button, Choices, Notice, OutboundMessage};
use rusqlite::{Connection, Row, params};

use super::rows::{PlaceId, column, json, place};
use super::{Store, StoreError, previews};

/// One record of the outbox on its way out.
#[derive(Clone, Debug, PartialEq)]
pub struct Letter {
    /// Its number; also the key that platforms know repeats by.
    pub id: i64,
    /// Where to.
    pub place: Place,
    /// What to do with it.
    pub outcome: Outcome,
    /// What to show.
    pub encoded: Encoded,
    /// Whether it is recorded as handed over already.
    pub handed: Handed,
    /// Whether it may go out as one with those behind it.
    pub company: Company,
    /// What sending it twice would do.
    pub repeat: Repeat,
    /// How often it was tried.
    pub tries: u32,
    /// Not before.
    pub due: Timestamp,
}

/// What a letter does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Replaces what an earlier letter shows.
    Edit(i64),
    /// Takes the place of what showed it while it was being written; shows something new where that
    /// does not stand any more.
    Finish(i64),
    /// Shows something new.
    Message,
}

/// Whether a letter is recorded as handed to its adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handed {
    /// Not yet: record it first.
    No,
    /// It is.
    Yes,
}

/// Whether a letter may go out as one with those behind it, as the platform allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Company {
    /// By itself: together they were refused.
    Alone,
    /// It may.
    Welcome,
}

/// What sending a letter twice would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Nothing: an edit, an answer that takes the place of its own beginning, the card of a question,
    /// which is answered once wherever it stands, or a report of trouble, whose button counts once.
    Harmless,
    /// It would say something twice, so it is never repeated blindly.
    Never,
}

/// What a message belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) enum About {
    /// A report of trouble, as that a message may not have arrived. A lost one is not reported, so it
    /// is sent until it is known to have arrived.
    Delivery,
    /// A file, or what goes with one: others may follow that are shown together with it.
    File,
    /// Nothing in particular.
    Nothing,
    /// What the model said in this entry; its parts are put in the outbox once.
    Reply(ConversationId, i64),
    /// The card of a question.
    Question(ConversationId, QuestionId),
}

/// How long a file waits for others that were sent in the same breath, in milliseconds.
const GATHERED: i64 = 500;

/// Puts a message into the outbox, in parts. The first part goes out at once if nothing of the
/// place is unsent; it is recorded as handed over in this very transaction.
pub(super) fn post(
    store: &Store,
    tx: &Connection,
    to: PlaceId,
    message: &OutboundMessage,
    about: About,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let place = place(tx, to)?;
    let parts = store.encode(&place.line, message);
    if let About::Reply(which, entry) = about
        && is_out(tx, which, entry, to)?
    {
        return Ok(Vec::new());
    }
    let mut letters = Vec::new();
    for (part, encoded) in (0_i64..).zip(parts) {
        let begun = match about {
            About::Reply(which, _) if part == 0 => previews::taken_over(tx, which, to)?,
            About::Delivery | About::File | About::Nothing | About::Question(..) => None,
            About::Reply(..) => None,
        };
        let outcome = begun.map_or(Outcome::Message, Outcome::Finish);
        let letter = put(tx, to, &place, outcome, encoded, about, now)?;
        if let About::Reply(_, entry) = about {
            tx.prepare_cached("UPDATE outbox SET reply = ?2, part = ?3 WHERE id = ?1")?
                .execute(params![letter.id, entry, part])?;
        }
        letters.push(letter);
    }
    Ok(letters)
}

/// Whether a reply was put in the outbox of a place before, by whichever way.
fn is_out(
    tx: &Connection,
    which: ConversationId,
    entry: i64,
    at: PlaceId,
) -> Result<bool, StoreError> {
    Ok(tx
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM outbox WHERE conversation = ?1 AND reply = ?2 AND place = ?3)",
        )?
        .query_row(params![which.0, entry, at.0], |row| row.get(0))?)
}

pub(super) fn put(
    tx: &Connection,
    to: PlaceId,
    place: &Place,
    outcome: Outcome,
    encoded: Encoded,
    about: About,
    now: Timestamp,
) -> Result<Letter, StoreError> {
    let busy: bool = tx
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM outbox INDEXED BY outbox_unsent WHERE place = ?1 AND state IN ('queued', 'sending'))")?
        .query_row([to.0], |row| row.get(0))?;
    let gathers = matches!(about, About::File);
    let (state, handed) = if busy || gathers {
        ("queued", Handed::No)
    } else {
        ("sending", Handed::Yes)
    };
    let due = Timestamp(now.0.saturating_add(if gathers { GATHERED } else { 0 }));
    let (conversation, question) = match about {
        About::Reply(conversation, _) => (Some(conversation), None),
        About::Delivery | About::File | About::Nothing => (None, None),
        About::Question(conversation, question) => (Some(conversation), Some(question)),
    };
    let (kind, target) = match (&outcome, about) {
        (Outcome::Edit(target), _) => ("edit", Some(*target)),
        (Outcome::Finish(preview), _) => ("message", Some(*preview)),
        (Outcome::Message, About::Delivery) => ("report", None),
        (
            Outcome::Message,
            About::File | About::Nothing | About::Question(..) | About::Reply(..),
        ) => ("message", None),
    };
    // Platforms tell repeats by the id, so it is not used again after what had it was deleted.
    tx.prepare_cached(
        "INSERT INTO outbox (id, place, conversation, question, kind, encoded, target, state, due, at)
         VALUES (max(?8, 1 + ifnull((SELECT max(id) FROM outbox), 0)), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?9, ?8)",
    )?
    .execute(params![
        to.0,
        conversation.map(|id| id.0),
        question.map(|id| id.0),
        kind,
        json(&encoded)?,
        target,
        state,
        now.0,
        due.0
    ])?;
    let repeat = repeat(&outcome, kind, question.is_some());
    Ok(Letter {
        id: tx.last_insert_rowid(),
        place: place.clone(),
        outcome,
        encoded,
        handed,
        company: Company::Welcome,
        repeat,
        tries: 0,
        due,
    })
}

/// Replaces what the messages of a question show, on screen and on the way there; `only` those of
/// one place, where one is named.
pub(super) fn redraw(
    store: &Store,
    tx: &Connection,
    question: QuestionId,
    message: &OutboundMessage,
    only: Option<PlaceId>,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let mut cards = tx.prepare_cached(
        "SELECT id, place, kind = 'copy' FROM outbox WHERE question = ?1 AND kind IN ('message', 'copy')
           AND (?2 IS NULL OR place = ?2) ORDER BY place, id",
    )?;
    let cards: Vec<(i64, PlaceId, bool)> = cards
        .query_map(params![question.0, only.map(|at| at.0)], |row| {
            Ok((row.get(0)?, PlaceId(row.get(1)?), row.get(2)?))
        })?
        .collect::<Result<_, _>>()?;
    let mut letters = Vec::new();
    for shown in cards.chunk_by(|one, other| one.1 == other.1) {
        let Some((_, at, _)) = shown.first() else {
            continue;
        };
        let to = place(tx, *at)?;
        let parts = store.encode(&to.line, message);
        let said_after = parts.last().cloned();
        let mut parts = parts.into_iter();
        let Some(mut encoded) = parts.next() else {
            continue;
        };
        let edits = store.faces.edits(&to.line);
        for (card, _, copy) in shown {
            tx.prepare_cached("UPDATE outbox SET encoded = ?2 WHERE id = ?1")?
                .execute(params![card, json(&encoded)?])?;
            tx.prepare_cached(
                "UPDATE outbox SET state = 'dropped' WHERE target = ?1 AND kind = 'edit' AND state IN ('queued', 'held')",
            )?
            .execute([card])?;
            let edit = |of: &Encoded| {
                put(
                    tx,
                    *at,
                    &to,
                    Outcome::Edit(*card),
                    of.clone(),
                    About::Nothing,
                    now,
                )
            };
            match edits {
                Support::Yes => letters.push(edit(&encoded)?),
                // One line says what came of it, under the card that was put last; what is not
                // out yet goes out as it is now.
                Support::No
                    if Some(card) == shown.last().map(|(card, ..)| card)
                        && is_shown(tx, *card)? =>
                {
                    letters.push(edit(said_after.as_ref().unwrap_or(&encoded))?);
                }
                Support::No => {}
            }
            // A card that was sent in more parts than it has now keeps no buttons in the rest,
            // and neither does a copy of its last part.
            if !copy && let Some(next) = parts.next() {
                encoded = next;
            }
        }
    }
    Ok(letters)
}

/// Whether a letter is on its screen, or may be.
fn is_shown(tx: &Connection, letter: i64) -> Result<bool, StoreError> {
    Ok(tx
        .prepare_cached("SELECT state NOT IN ('queued', 'held') FROM outbox WHERE id = ?1")?
        .query_row([letter], |row| row.get(0))?)
}

/// Puts a line of Postern's own in a place.
pub(super) fn tell(
    store: &Store,
    tx: &Connection,
    to: PlaceId,
    text: impl Into<String>,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    post(
        store,
        tx,
        to,
        &notice(text, Vec::new()),
        About::Nothing,
        now,
    )
}

/// A line of Postern's own.
pub(super) fn notice(text: impl Into<String>, choices: Vec<Button>) -> OutboundMessage {
    OutboundMessage {
        body: Body::Notice(Notice {
            text: text.into(),
            addresses: Addresses::Live,
            choices: Choices(choices),
        }),
        answers: None,
    }
}

fn repeat(outcome: &Outcome, kind: &str, card: bool) -> Repeat {
    match outcome {
        Outcome::Edit(_) | Outcome::Finish(_) => Repeat::Harmless,
        Outcome::Message if card || kind == "report" => Repeat::Harmless,
        Outcome::Message => Repeat::Never,
    }
}

pub(super) fn letter(tx: &Connection, row: &Row<'_>) -> Result<Letter, StoreError> {
    let (kind, question): (String, Option<i64>) = (row.get("kind")?, row.get("question")?);
    let outcome = match row.get::<_, Option<i64>>("target")? {
        None => Outcome::Message,
        Some(preview) if kind == "message" => Outcome::Finish(preview),
        Some(target) => Outcome::Edit(target),
    };
    Ok(Letter {
        id: row.get("id")?,
        place: place(tx, PlaceId(row.get("place")?))?,
        repeat: repeat(&outcome, &kind, question.is_some()),
        outcome,
        encoded: column(row, "encoded")?,
        handed: Handed::No,
        company: Company::Welcome,
        tries: row.get("tries")?,
        due: Timestamp(row.get("due")?),
    })
}
