//! What becomes of words that were changed or taken back after they were sent? What the model has
//! yet to read is replaced; what it has read, it is told. Nothing runs because of it.

use bot_policy::event::{EventKind, InboundEvent, Part, PartBody, Provenance};
use bot_policy::id::{ConversationId, MessageRef, Timestamp};
use bot_policy::taint::{Labelled, Taint, Unmarked, label};
use rusqlite::{Connection, OptionalExtension, params};

use super::conversations::{add, busy, newest, running, turn};
use super::inbox::Accepted;
use super::marks::{join_parts, mark};
use super::outbox::{About, Letter, notice, post};
use super::rows::{PlaceId, json, known_place, message_key, parse};
use super::{Store, StoreError};
use crate::agent::Entry;

/// What the model is told in front of words that were changed after it read them. Each of their
/// lines begins with a bar, so that none stands there as if it were said now.
const CHANGED: &str =
    "(an earlier message of the person's was changed; it is no new request. It says now:)";
const TAKEN_BACK: &str = "(the person deleted these words)";
const TAKEN_BACK_FILE: &str = "(the person deleted this file)";

/// A message of the running conversation.
struct Said {
    which: ConversationId,
    number: i64,
    message: MessageRef,
    parts: Vec<Labelled<PartBody>>,
    typed: Vec<usize>,
    /// Whether the model has read it.
    read: bool,
}

/// Carries out an edit or a deletion by whoever may. What was never taken in, or belongs to a
/// conversation that is over, stays as it is.
pub(super) fn amend(
    store: &Store,
    tx: &Connection,
    event: &InboundEvent,
    now: Timestamp,
    accepted: &mut Accepted,
) -> Result<(), StoreError> {
    let (message, parts) = match &event.what {
        EventKind::Delete { message } => (message, None),
        EventKind::Edit { message, parts } => (message, Some(parts)),
        EventKind::Command { .. }
        | EventKind::Delivery { .. }
        | EventKind::Left
        | EventKind::Message { .. }
        | EventKind::Moved { .. }
        | EventKind::Opened { .. }
        | EventKind::Picked { .. }
        | EventKind::Press { .. }
        | EventKind::Search { .. } => return Ok(()),
    };
    let Some(at) = known_place(tx, &event.place)? else {
        return Ok(());
    };
    let Some(said) = said(tx, at, message)? else {
        return Ok(());
    };
    match parts.and_then(|parts| words(parts)) {
        Some(words) if said.says(&words) => Ok(()),
        Some(words) => edit(store, tx, at, said, words, now, accepted),
        // An edit that leaves no words takes them back, and one of a file alone is none.
        None if parts.is_some() && said.words().next().is_none() => Ok(()),
        None => delete(tx, said, parts.is_none(), accepted),
    }
}

impl Said {
    /// The words in it, by their place among its parts.
    fn words(&self) -> impl Iterator<Item = (usize, &str)> {
        self.typed
            .iter()
            .filter_map(|at| match &self.parts.get(*at)?.value {
                PartBody::File(_) => None,
                PartBody::Text(text) => Some((*at, text.as_str())),
            })
    }

    fn says(&self, words: &Labelled<String>) -> bool {
        self.words()
            .any(|(_, text)| text == words.value || text == barred(&words.value))
    }

    /// Whether it tells of a change itself.
    fn is_note(&self) -> bool {
        matches!(self.parts.first(), Some(Labelled { value: PartBody::Text(text), .. }) if text == CHANGED)
    }
}

fn edit(
    store: &Store,
    tx: &Connection,
    at: PlaceId,
    mut said: Said,
    words: Labelled<String>,
    now: Timestamp,
    accepted: &mut Accepted,
) -> Result<(), StoreError> {
    let which = said.which;
    let (text, taint) = (words.value, words.taint);
    if !said.read {
        let text = if said.is_note() { barred(&text) } else { text };
        let place = said.words().next().map(|(place, _)| place);
        let part = Labelled {
            value: PartBody::Text(text),
            taint,
        };
        match place.and_then(|place| said.parts.get_mut(place)) {
            Some(before) => *before = part,
            None => {
                said.typed.push(said.parts.len());
                said.parts.push(part);
            }
        }
        accepted
            .letters
            .extend(mark(store, tx, which, &join_parts(&said.parts), now)?);
        return say_again(tx, said, accepted);
    }
    accepted
        .letters
        .extend(mark(store, tx, which, &taint, now)?);
    let works = busy(tx, which)?;
    let told = Entry::Person {
        parts: vec![
            Labelled {
                value: PartBody::Text(CHANGED.to_owned()),
                taint: Taint::default(),
            },
            Labelled {
                value: PartBody::Text(barred(&text)),
                taint,
            },
        ],
        message: said.message.clone(),
        typed: vec![1],
    };
    let key = message_key(at, said.message.as_str());
    // From now on the message says what stands in the new entry.
    tx.prepare_cached("UPDATE entry SET message = NULL WHERE message = ?1")?
        .execute([&key])?;
    let number = add(tx, which, &told, Some(key), now)?;
    if works {
        accepted.wake.push(which);
        return Ok(());
    }
    // It waits for the next message: nothing is thought about it by itself.
    tx.prepare_cached("UPDATE entry SET open = 0 WHERE conversation = ?1 AND seq = ?2")?
        .execute([which.0, number])?;
    accepted
        .letters
        .extend(tell_once(store, tx, at, which, now)?);
    Ok(())
}

/// Says in the chat what an edit does, once for each conversation.
fn tell_once(
    store: &Store,
    tx: &Connection,
    at: PlaceId,
    which: ConversationId,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let first = tx
        .prepare_cached("UPDATE conversation SET edit_told = 1 WHERE id = ?1 AND edit_told = 0")?
        .execute([which.0])?;
    if first == 0 {
        return Ok(Vec::new());
    }
    let text = "You changed a message that I had answered. I know the new words now and do nothing about them by myself: write to me if something is to be done.";
    post(
        store,
        tx,
        at,
        &notice(text, Vec::new()),
        About::Nothing,
        now,
    )
}

fn delete(
    tx: &Connection,
    mut said: Said,
    files_too: bool,
    accepted: &mut Accepted,
) -> Result<(), StoreError> {
    let words: Vec<usize> = said.words().map(|(place, _)| place).collect();
    for (place, part) in said.parts.iter_mut().enumerate() {
        if words.contains(&place) {
            part.value = PartBody::Text(TAKEN_BACK.to_owned());
        } else if files_too && matches!(part.value, PartBody::File(_)) {
            part.value = PartBody::Text(TAKEN_BACK_FILE.to_owned());
        }
    }
    said.typed.clear();
    if files_too {
        tx.prepare_cached(
            "DELETE FROM received WHERE conversation = ?1 AND entry = ?2 AND state = 'wanted'",
        )?
        .execute([said.which.0, said.number])?;
    }
    if said.read {
        return write(tx, &said);
    }
    say_again(tx, said, accepted)
}

/// Puts a message behind all others, as if it were sent now: whoever thinks about the old words
/// begins again.
fn say_again(tx: &Connection, mut said: Said, accepted: &mut Accepted) -> Result<(), StoreError> {
    // A change that waits for the next message goes on waiting.
    if !busy(tx, said.which)? {
        return write(tx, &said);
    }
    let number = newest(tx, said.which)? + 1;
    tx.prepare_cached("UPDATE entry SET seq = ?3, open = 1 WHERE conversation = ?1 AND seq = ?2")?
        .execute([said.which.0, said.number, number])?;
    tx.prepare_cached(
        "UPDATE received SET entry = ?3
         WHERE place = (SELECT place FROM conversation WHERE id = ?1) AND conversation = ?1 AND entry = ?2",
    )?
        .execute([said.which.0, said.number, number])?;
    said.number = number;
    accepted.wake.push(said.which);
    write(tx, &said)
}

fn write(tx: &Connection, said: &Said) -> Result<(), StoreError> {
    let entry = Entry::Person {
        parts: said.parts.clone(),
        message: said.message.clone(),
        typed: said.typed.clone(),
    };
    tx.prepare_cached("UPDATE entry SET body = ?3 WHERE conversation = ?1 AND seq = ?2")?
        .execute(params![said.which.0, said.number, json(&entry)?])?;
    Ok(())
}

/// A message of the running conversation of a place, by its name.
fn said(tx: &Connection, at: PlaceId, message: &MessageRef) -> Result<Option<Said>, StoreError> {
    let Some(which) = running(tx, at)? else {
        return Ok(None);
    };
    let found: Option<(i64, String)> = tx
        .prepare_cached("SELECT seq, body FROM entry WHERE message = ?1 AND conversation = ?2")?
        .query_row(params![message_key(at, message.as_str()), which.0], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    let Some((number, body)) = found else {
        return Ok(None);
    };
    let read = number <= turn(tx, which)?.seen();
    Ok(match parse(&body)? {
        Entry::Person {
            parts,
            message,
            typed,
        } => Some(Said {
            which,
            number,
            message,
            parts,
            typed,
            read,
        }),
        Entry::Model { .. } | Entry::Result { .. } | Entry::Stopped => None,
    })
}

/// What somebody wrote in a message, with its label; nothing where it holds no words.
fn words(parts: &[Part]) -> Option<Labelled<String>> {
    let written: Vec<Part> = parts
        .iter()
        .filter(|part| match (&part.body, &part.provenance) {
            (PartBody::Text(_), Provenance::Authored | Provenance::Unmarked) => true,
            (PartBody::Text(_) | PartBody::File(_), _) => false,
        })
        .cloned()
        .collect();
    let labelled = label(&written, Unmarked::Outside, |_| None);
    let taint = join_parts(&labelled);
    let texts: Vec<String> = labelled
        .into_iter()
        .filter_map(|part| match part.value {
            PartBody::File(_) => None,
            PartBody::Text(text) => Some(text),
        })
        .collect();
    (!texts.is_empty()).then(|| Labelled {
        value: texts.join("\n"),
        taint,
    })
}

fn barred(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("| {line}")).collect();
    lines.join("\n")
}
