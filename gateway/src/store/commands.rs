//! What does a command change? Carried out in its turn, between the messages before and after it.

use bot_policy::access::{Command, Incognito, Person};
use bot_policy::decide::Mode;
use bot_policy::event::InboundEvent;
use bot_policy::id::{ConversationId, Place, Timestamp};
use bot_policy::visible;
use rusqlite::{Connection, params};

use super::code::anew;
use super::conversations::{busy, end, running, running_or_new};
use super::links::{link_command, unlink};
use super::outbox::{About, Letter, notice, post};
use super::rows::{PlaceId, json, place_id};
use super::turns::stop_turn;
use super::unpair::unpair;
use super::{Store, StoreError};

/// What came of a command.
pub(super) enum Carried {
    /// It is done.
    Done {
        /// To be sent.
        letters: Vec<Letter>,
        /// Whose running work is to be dropped.
        cancel: Option<ConversationId>,
    },
    /// It changes nothing here: it is answered outside the transaction.
    Left,
}

/// Carries out a command that changes what is stored.
pub(super) fn carry_out(
    store: &Store,
    tx: &Connection,
    event: &InboundEvent,
    person: &Person,
    command: &Command,
    now: Timestamp,
) -> Result<Carried, StoreError> {
    let place = &event.place;
    let at = place_id(tx, place)?;
    let cancel = running(tx, at)?;
    let (mut letters, text) = match command {
        Command::Link { argument } => {
            let letters = link_command(store, tx, event, at, person, argument, now)?;
            return Ok(Carried::Done {
                letters,
                cancel: None,
            });
        }
        Command::New => (
            fresh(store, tx, place, now)?,
            "A fresh conversation: nothing marked, nothing waiting.".to_owned(),
        ),
        Command::Stop => stop(store, tx, cancel, now)?,
        Command::Unpair => {
            let letters = unpair(store, tx, place, now)?.unwrap_or_default();
            (
                letters,
                "Unpaired. I no longer act on anything sent here.".to_owned(),
            )
        }
        Command::Unlink => {
            return Ok(Carried::Done {
                letters: let_go(store, tx, at, now)?,
                cancel: None,
            });
        }
        Command::Incognito { argument } => {
            let letters = fresh(store, tx, place, now)?;
            if argument == "off" {
                (
                    letters,
                    "Incognito is off: a fresh conversation, kept as usual.".to_owned(),
                )
            } else {
                running_or_new(tx, at, event.kind_of_chat, person, Incognito::On, now)?;
                (letters, "Incognito: no files, no memory. /new or /incognito off ends it and deletes what was said; so does the end of 24 hours.".to_owned())
            }
        }
        Command::Policy { argument } => {
            let which = running_or_new(tx, at, event.kind_of_chat, person, Incognito::Off, now)?;
            let text = policy(tx, which, argument)?;
            let letters = post(
                store,
                tx,
                at,
                &notice(text, Vec::new()),
                About::Nothing,
                now,
            )?;
            return Ok(Carried::Done {
                letters,
                cancel: None,
            });
        }
        Command::Help
        | Command::NotHere { .. }
        | Command::Rules
        | Command::Status
        | Command::Why => return Ok(Carried::Left),
    };
    letters.extend(post(
        store,
        tx,
        at,
        &notice(text, Vec::new()),
        About::Nothing,
        now,
    )?);
    Ok(Carried::Done { letters, cancel })
}

/// Ends the conversation of a place; the next message begins a fresh one without marks.
pub(super) fn fresh(
    store: &Store,
    tx: &Connection,
    place: &Place,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let at = place_id(tx, place)?;
    if let Some(letters) = anew(store, tx, at, now)? {
        return Ok(letters);
    }
    // What is linked goes on at its terminal; the chat alone begins anew.
    let mut before = unlink(store, tx, at, now)?.unwrap_or_default();
    let letters = match running(tx, at)? {
        Some(which) => stop_turn(store, tx, which, "a fresh conversation was started", now)?,
        None => Vec::new(),
    };
    end(tx, at, now)?;
    before.extend(letters);
    Ok(before)
}

/// What `/unlink` does.
fn let_go(
    store: &Store,
    tx: &Connection,
    at: PlaceId,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let (mut letters, text) = match unlink(store, tx, at, now)? {
        Some(letters) => (
            letters,
            "Unlinked: what you write here is this chat's own again. The Code conversation goes on at its terminal.",
        ),
        None => (Vec::new(), "Nothing is linked here."),
    };
    let said = notice(text, Vec::new());
    letters.extend(post(store, tx, at, &said, About::Nothing, now)?);
    Ok(letters)
}

fn stop(
    store: &Store,
    tx: &Connection,
    which: Option<ConversationId>,
    now: Timestamp,
) -> Result<(Vec<Letter>, String), StoreError> {
    match which {
        Some(which) if busy(tx, which)? => Ok((
            stop_turn(store, tx, which, "stopped", now)?,
            "Stopped.".to_owned(),
        )),
        Some(_) | None => Ok((Vec::new(), "Nothing is running.".to_owned())),
    }
}

fn policy(tx: &Connection, which: ConversationId, argument: &str) -> Result<String, StoreError> {
    let words: Vec<&str> = argument.split_whitespace().collect();
    let mode = match words.as_slice() {
        [] | ["status"] => {
            let mode: String = tx.query_row(
                "SELECT mode FROM conversation WHERE id = ?1",
                [which.0],
                |row| row.get(0),
            )?;
            return Ok(policy_text(super::rows::parse(&mode)?).to_owned());
        }
        [word] | ["mode", word] => Mode::named(word),
        _ => None,
    };
    let Some(mode) = mode else {
        return Ok(format!(
            "\"{}\" is none of the words that /policy takes. Say /policy alone to see how it stands, /policy auto to stop the cards that no rule asks for, or /policy interactive to have them asked again.",
            visible::foreign(&visible::line(argument).to_string())
        ));
    };
    tx.execute(
        "UPDATE conversation SET mode = ?2 WHERE id = ?1",
        params![which.0, json(&mode)?],
    )?;
    Ok(policy_text(mode).to_owned())
}

fn policy_text(mode: Mode) -> &'static str {
    match mode {
        Mode::Auto => {
            "Policy: auto. In this conversation, changes run without a card. After outside content or at a limit a card still asks, and so does whatever always asks. /policy interactive asks again."
        }
        Mode::Interactive => {
            "Policy: interactive. A card asks before whatever no rule allows. /policy auto stops that for this conversation."
        }
    }
}
