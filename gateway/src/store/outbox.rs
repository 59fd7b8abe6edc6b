//! What is to be shown, in order per place, and what became of it?

use adapters::Encoded;
use bot_policy::id::{ConversationId, MessageRef, PersonId, Place, QuestionId, Timestamp};
use bot_policy::message::{Body, Button, Choices, Notice, OutboundMessage};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::questions::{Meaning, button};
use super::rows::{PlaceId, column, json, message_key, place};
use super::{Store, StoreError};

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

/// What sending a letter twice would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// Nothing: an edit, or the card of a question, which is answered once wherever it stands.
    Harmless,
    /// It would say something twice, so it is never repeated blindly.
    Never,
}

/// What a message belongs to.
#[derive(Clone, Copy, Debug)]
pub(super) enum About {
    /// A conversation's own words.
    Conversation(ConversationId),
    /// A report that a message may not have arrived; a lost one is not reported again.
    Delivery,
    /// Nothing in particular.
    Nothing,
    /// The card of a question.
    Question(ConversationId, QuestionId),
}

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
    parts
        .into_iter()
        .map(|encoded| put(tx, to, &place, Outcome::Message, encoded, about, now))
        .collect()
}

fn put(
    tx: &Connection,
    to: PlaceId,
    place: &Place,
    outcome: Outcome,
    encoded: Encoded,
    about: About,
    now: Timestamp,
) -> Result<Letter, StoreError> {
    let busy: bool = tx
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM outbox WHERE place = ?1 AND state IN ('queued', 'sending'))")?
        .query_row([to.0], |row| row.get(0))?;
    let (state, handed) = if busy {
        ("queued", Handed::No)
    } else {
        ("sending", Handed::Yes)
    };
    let (conversation, question) = match about {
        About::Conversation(conversation) => (Some(conversation), None),
        About::Delivery | About::Nothing => (None, None),
        About::Question(conversation, question) => (Some(conversation), Some(question)),
    };
    let (kind, target) = match (&outcome, about) {
        (Outcome::Edit(target), _) => ("edit", Some(*target)),
        (Outcome::Message, About::Delivery) => ("report", None),
        (Outcome::Message, About::Conversation(_) | About::Nothing | About::Question(..)) => {
            ("message", None)
        }
    };
    tx.prepare_cached(
        "INSERT INTO outbox (place, conversation, question, kind, encoded, target, state, due, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)",
    )?
    .execute(params![
        to.0,
        conversation.map(|id| id.0),
        question.map(|id| id.0),
        kind,
        json(&encoded)?,
        target,
        state,
        now.0
    ])?;
    let repeat = repeat(&outcome, question.is_some());
    Ok(Letter {
        id: tx.last_insert_rowid(),
        place: place.clone(),
        outcome,
        encoded,
        handed,
        repeat,
        tries: 0,
        due: now,
    })
}

/// Replaces what the messages of a question show, on screen and on the way there.
pub(super) fn redraw(
    store: &Store,
    tx: &Connection,
    question: QuestionId,
    message: &OutboundMessage,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let mut cards = tx.prepare_cached(
        "SELECT id, place FROM outbox WHERE question = ?1 AND kind = 'message' ORDER BY place, id",
    )?;
    let cards: Vec<(i64, PlaceId)> = cards
        .query_map([question.0], |row| Ok((row.get(0)?, PlaceId(row.get(1)?))))?
        .collect::<Result<_, _>>()?;
    let mut letters = Vec::new();
    for shown in cards.chunk_by(|one, other| one.1 == other.1) {
        let Some((_, at)) = shown.first() else {
            continue;
        };
        let to = place(tx, *at)?;
        let parts = store.encode(&to.line, message);
        for (index, (card, _)) in shown.iter().enumerate() {
            // A card that was sent in more parts than it has now keeps no buttons in the rest.
            let Some(encoded) = parts.get(index).or(parts.last()) else {
                continue;
            };
            tx.prepare_cached("UPDATE outbox SET encoded = ?2 WHERE id = ?1")?
                .execute(params![card, json(encoded)?])?;
            tx.prepare_cached(
                "UPDATE outbox SET state = 'dropped' WHERE target = ?1 AND kind = 'edit' AND state = 'queued'",
            )?
            .execute([card])?;
            let edit = Outcome::Edit(*card);
            letters.push(put(
                tx,
                *at,
                &to,
                edit,
                encoded.clone(),
                About::Nothing,
                now,
            )?);
        }
    }
    Ok(letters)
}

/// A line of Postern's own.
pub(super) fn notice(text: impl Into<String>, choices: Vec<Button>) -> OutboundMessage {
    OutboundMessage {
        body: Body::Notice(Notice {
            text: text.into(),
            choices: Choices(choices),
        }),
        answers: None,
    }
}

fn repeat(outcome: &Outcome, card: bool) -> Repeat {
    match outcome {
        Outcome::Edit(_) => Repeat::Harmless,
        Outcome::Message if card => Repeat::Harmless,
        Outcome::Message => Repeat::Never,
    }
}

fn letter(tx: &Connection, row: &Row<'_>) -> Result<Letter, StoreError> {
    let question: Option<i64> = row.get("question")?;
    let outcome = row
        .get::<_, Option<i64>>("target")?
        .map_or(Outcome::Message, Outcome::Edit);
    Ok(Letter {
        id: row.get("id")?,
        place: place(tx, PlaceId(row.get("place")?))?,
        repeat: repeat(&outcome, question.is_some()),
        outcome,
        encoded: column(row, "encoded")?,
        handed: Handed::No,
        tries: row.get("tries")?,
        due: Timestamp(row.get("due")?),
    })
}

impl Store {
    /// What was left unsent. A letter that was handed over when the program stopped may have
    /// arrived: cards and edits are sent again, as they do no harm twice; anything else is
    /// reported as unknown, with a button that repeats it.
    pub async fn unsent(&self, now: Timestamp) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            tx.execute(
                "UPDATE outbox SET state = 'queued' WHERE state = 'sending' AND (kind = 'edit' OR question IS NOT NULL)",
                [],
            )?;
            let mut handed = tx.prepare("SELECT id FROM outbox WHERE state = 'sending' ORDER BY id")?;
            let handed: Vec<i64> = handed.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            for id in handed {
                unknown(&store, tx, id, now)?;
            }
            tx.execute("UPDATE outbox SET state = 'queued' WHERE state = 'sending'", [])?;
            let mut queued = tx.prepare("SELECT * FROM outbox WHERE state = 'queued' ORDER BY id")?;
            let mut rows = queued.query([])?;
            let mut letters = Vec::new();
            while let Some(row) = rows.next()? {
                letters.push(letter(tx, row)?);
            }
            Ok(letters)
        })
        .await
    }

    /// Records that a letter is handed to its adapter now. Nothing if it was dropped meanwhile.
    pub async fn hand_over(&self, id: i64) -> Result<Option<Encoded>, StoreError> {
        self.write(move |tx| {
            let changed = tx
                .prepare_cached(
                    "UPDATE outbox SET state = 'sending' WHERE id = ?1 AND state = 'queued'",
                )?
                .execute([id])?;
            if changed == 0 {
                return Ok(None);
            }
            let mut found = tx.prepare_cached("SELECT encoded FROM outbox WHERE id = ?1")?;
            let mut rows = found.query([id])?;
            rows.next()?.map(|row| column(row, "encoded")).transpose()
        })
        .await
    }

    /// Records that a letter stands on the screen, and under which name.
    pub async fn sent(&self, id: i64, message: Option<MessageRef>) -> Result<(), StoreError> {
        self.write(move |tx| {
            let at: i64 = tx.query_row("SELECT place FROM outbox WHERE id = ?1", [id], |row| row.get(0))?;
            let message = message.map(|message| message_key(PlaceId(at), message.as_str()));
            tx.prepare_cached("UPDATE outbox SET state = 'sent', message = coalesce(?2, message), error = NULL WHERE id = ?1")?
                .execute(params![id, message])?;
            Ok(())
        })
        .await
    }

    /// Records that a letter was not taken and is tried again.
    pub async fn put_off(&self, id: i64, due: Timestamp, why: String) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.prepare_cached("UPDATE outbox SET state = 'queued', tries = tries + 1, due = ?2, error = ?3 WHERE id = ?1")?
                .execute(params![id, due.0, why])?;
            Ok(())
        })
        .await
    }

    /// Records that a letter will never be taken.
    pub async fn undeliverable(&self, id: i64, why: String) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.prepare_cached("UPDATE outbox SET state = 'failed', error = ?2 WHERE id = ?1")?
                .execute(params![id, why])?;
            Ok(())
        })
        .await
    }

    /// Records that nobody knows whether a letter arrived, and says so where it was going.
    pub async fn delivery_unknown(
        &self,
        id: i64,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| unknown(&store, tx, id, now)).await
    }

    /// What a letter is called on its screen, if it got there.
    pub async fn on_screen(&self, id: i64) -> Result<Option<MessageRef>, StoreError> {
        self.read(move |tx| {
            let key: Option<String> = tx
                .query_row("SELECT message FROM outbox WHERE id = ?1", [id], |row| {
                    row.get(0)
                })
                .optional()?
                .flatten();
            Ok(key.and_then(|key| {
                key.split_once('/')
                    .map(|(_, message)| MessageRef::new(message))
            }))
        })
        .await
    }

    /// What was not delivered, one line each.
    pub async fn trouble(&self) -> Result<Vec<String>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare(
                "SELECT place.line, place.chat, outbox.state, count(*), max(outbox.error) FROM outbox
                 JOIN place ON place.id = outbox.place
                 WHERE outbox.state IN ('failed', 'unknown') OR (outbox.state = 'queued' AND outbox.tries > 2)
                 GROUP BY 1, 2, 3",
            )?;
            let mut rows = found.query([])?;
            let mut lines = Vec::new();
            while let Some(row) = rows.next()? {
                let (line, chat, state): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let (count, why): (i64, Option<String>) = (row.get(3)?, row.get(4)?);
                let state = match state.as_str() {
                    "failed" => "not delivered",
                    "unknown" => "delivery unknown",
                    _ => "still being tried",
                };
                lines.push(format!("{line} {chat}: {count} {state}; {}", why.unwrap_or_default()));
            }
            Ok(lines)
        })
        .await
    }

    /// Sends a letter once more, as the person asked.
    pub(super) fn resend(
        &self,
        tx: &Connection,
        id: i64,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let (at, encoded): (i64, Encoded) = {
            let mut found = tx.prepare_cached(
                "SELECT place, encoded FROM outbox WHERE id = ?1 AND state = 'unknown'",
            )?;
            let mut rows = found.query([id])?;
            match rows.next()? {
                Some(row) => (row.get(0)?, column(row, "encoded")?),
                None => return Ok(Vec::new()),
            }
        };
        tx.execute("UPDATE outbox SET state = 'resent' WHERE id = ?1", [id])?;
        let to = place(tx, PlaceId(at))?;
        Ok(vec![put(
            tx,
            PlaceId(at),
            &to,
            Outcome::Message,
            encoded,
            About::Nothing,
            now,
        )?])
    }
}

fn unknown(
    store: &Store,
    tx: &Connection,
    id: i64,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    tx.execute("UPDATE outbox SET state = 'unknown' WHERE id = ?1", [id])?;
    let (at, kind, person): (i64, String, Option<i64>) = tx.query_row(
        "SELECT outbox.place, outbox.kind, pairing.person FROM outbox JOIN place ON place.id = outbox.place
         LEFT JOIN pairing ON pairing.line = place.line AND pairing.chat = place.chat WHERE outbox.id = ?1",
        [id],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let Some(person) = person else {
        return Ok(Vec::new());
    };
    if kind == "report" {
        return Ok(Vec::new());
    }
    let again = button(
        tx,
        "Resend",
        PlaceId(at),
        PersonId(person),
        None,
        &Meaning::Resend { letter: id },
    )?;
    post(
        store,
        tx,
        PlaceId(at),
        &notice("My last message may not have arrived.", vec![again]),
        About::Delivery,
        now,
    )
}
