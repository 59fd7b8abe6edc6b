//! What becomes of an event that cannot be handled? It is tried again, then set aside and shown.

use bot_policy::access::admit;
use bot_policy::event::{EventKind, InboundEvent, Sender};
use bot_policy::id::{EventId, LineId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::albums::whole;
use super::claims::owners_chats;
use super::heard::claim_id;
use super::inbox::{Accepted, take, try_take};
use super::leases::{Lease, still_held};
use super::outbox::{About, Letter, notice, post};
use super::pending::Pending;
use super::people::{directory, person_of};
use super::rows::{json, known_place, parse, place_id};
use super::{Blame, Store, StoreError};
use crate::writer::within_savepoint;

/// Tries after which an event is set aside.
const TRIES: i64 = 3;
/// Seconds before the second try.
const FIRST_PAUSE: i64 = 1;
/// Events that are tried again in one transaction.
const AT_ONCE: i64 = 16;
/// The owner is told at most once in this time, in milliseconds; `postern status` shows all.
const TOLD_AGAIN: i64 = 60 * 60 * 1000;
/// How long the status names what was set aside, in milliseconds.
const NAMED: i64 = 7 * 24 * 60 * 60 * 1000;

/// What follows from a failed try.
#[derive(Debug)]
pub enum Attempt {
    /// It is tried again, not before then.
    Again(Timestamp),
    /// It was set aside; these say so.
    SetAside(Vec<Letter>),
}

/// Keeps an event that could not be taken in, so that those after it need not wait.
pub(super) fn put_off(
    tx: &Connection,
    seq: i64,
    event: &InboundEvent,
    error: &StoreError,
    now: Timestamp,
) -> Result<(), StoreError> {
    tracing::error!(%error, line = %event.place.line, event = %event.id, "an event could not be taken in");
    let due = now.plus_seconds(FIRST_PAUSE);
    tx.prepare_cached(
        "UPDATE event SET body = ?2, untaken = 1, tries = 1, due = ?3 WHERE seq = ?1",
    )?
    .execute(params![seq, json(event)?, due.0])?;
    Ok(())
}

impl Store {
    /// Takes in the albums that are whole, and again what could not be taken in, once its time has
    /// come.
    pub async fn retake(
        &self,
        welcome: Option<String>,
        now: Timestamp,
    ) -> Result<Accepted, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let mut due = tx.prepare_cached(
                "SELECT seq, body FROM event WHERE body IS NOT NULL AND untaken = 1 AND due <= ?1 ORDER BY seq LIMIT ?2",
            )?;
            let due: Vec<(i64, String)> = due
                .query_map(params![now.0, AT_ONCE], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<Result<_, _>>()?;
            let mut accepted = Accepted::default();
            for (seq, event) in whole(tx, now)? {
                accepted.join(try_take(&store, tx, seq, event, welcome.as_deref(), now)?);
            }
            for (seq, body) in due {
                let event: InboundEvent = parse(&body)?;
                let mut once = Accepted::default();
                let taken = within_savepoint(tx, |tx| {
                    tx.execute("UPDATE event SET body = NULL, untaken = 0 WHERE seq = ?1", [seq])?;
                    take(&store, tx, seq, event, welcome.as_deref(), now, &mut once)
                });
                match taken {
                    Ok(()) => accepted.join(once),
                    Err(error) => match error.blame() {
                        Blame::Machine => return Err(error),
                        Blame::Work => match failed(&store, tx, seq, &error, now)? {
                            Attempt::Again(_) => {}
                            Attempt::SetAside(letters) => accepted.letters.extend(letters),
                        },
                    },
                }
            }
            Ok(accepted)
        })
        .await
    }

    /// Whether something waits to be taken in: an album that is whole, or what could not be before.
    pub async fn untaken(&self, now: Timestamp) -> Result<bool, StoreError> {
        self.read(move |tx| {
            Ok(tx
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM event WHERE body IS NOT NULL AND untaken = 1 AND due <= ?1)
                     OR EXISTS (SELECT 1 FROM album_part WHERE due <= ?1)",
                )?
                .query_row([now.0], |row| row.get(0))?)
        })
        .await
    }

    /// Notes that a stored press or command could not be carried out.
    pub async fn attempted(
        &self,
        seq: i64,
        error: StoreError,
        now: Timestamp,
    ) -> Result<Attempt, StoreError> {
        let store = self.clone();
        self.write(move |tx| failed(&store, tx, seq, &error, now))
            .await
    }

    /// A press or command that is still to be carried out, judged as things stand now.
    pub async fn still_pending(
        &self,
        seq: i64,
        now: Timestamp,
    ) -> Result<Option<Pending>, StoreError> {
        self.read(move |tx| {
            let body: Option<String> = tx
                .query_row(
                    "SELECT body FROM event WHERE seq = ?1 AND untaken = 0",
                    [seq],
                    |row| row.get(0),
                )
                .optional()?
                .flatten();
            let Some(body) = body else { return Ok(None) };
            let event: InboundEvent = parse(&body)?;
            let admission = admit(&event, &directory(self, tx, &event, now)?);
            Ok(Some(Pending {
                seq,
                event,
                admission,
            }))
        })
        .await
    }

    /// Sets aside what an adapter could not read. It is known by its id from then on.
    pub async fn unreadable(
        &self,
        line: LineId,
        id: EventId,
        under: Option<Lease>,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            if let Some(lease) = &under {
                still_held(tx, lease)?;
            }
            if claim_id(tx, &line, &id, None, now)?.is_none() {
                return Ok(Vec::new());
            }
            let why = "what the platform sent cannot be read";
            note(tx, &line, id.as_str(), None, "piece", 1, why, now)?;
            tell_owner(&store, tx, &line, None, now)
        })
        .await
    }

    /// What was set aside in the last week, one line for each account of ours.
    pub async fn set_aside(&self, now: Timestamp) -> Result<Vec<String>, StoreError> {
        self.read(move |tx| {
            // What stands beside max() is of its row.
            let mut found = tx.prepare(
                "SELECT line, count(*), kind, tries, why, max(id) FROM dead_letter WHERE at > ?1 GROUP BY line",
            )?;
            let lines = found.query_map([now.0.saturating_sub(NAMED)], |row| {
                let (line, count, kind): (String, i64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let (tries, why): (i64, String) = (row.get(3)?, row.get(4)?);
                let tries = if tries == 1 { "once".to_owned() } else { format!("{tries} times") };
                Ok(format!("{line}: {count} set aside in the last week, the last a {kind} that was tried {tries}; {why}"))
            })?;
            Ok(lines.collect::<Result<_, _>>()?)
        })
        .await
    }
}

fn failed(
    store: &Store,
    tx: &Connection,
    seq: i64,
    error: &StoreError,
    now: Timestamp,
) -> Result<Attempt, StoreError> {
    tracing::error!(%error, seq, "an event could not be handled");
    let found: Option<(i64, Option<String>)> = tx
        .query_row(
            "UPDATE event SET tries = tries + 1 WHERE seq = ?1 RETURNING tries, body",
            [seq],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let Some((tries, Some(body))) = found else {
        return Ok(Attempt::SetAside(Vec::new()));
    };
    if tries < TRIES {
        // A second, then four.
        let due = now.plus_seconds(FIRST_PAUSE.saturating_mul(tries * tries));
        tx.execute(
            "UPDATE event SET due = ?2 WHERE seq = ?1",
            params![seq, due.0],
        )?;
        return Ok(Attempt::Again(due));
    }
    let event: InboundEvent = parse(&body)?;
    // What it said goes: whoever said it is told to say it again.
    tx.execute(
        "UPDATE event SET body = NULL, untaken = 0 WHERE seq = ?1",
        [seq],
    )?;
    let (line, kind) = (&event.place.line, kind(&event.what));
    let chat = Some(event.place.chat.as_str());
    let why = error.outline();
    note(tx, line, event.id.as_str(), chat, kind, tries, &why, now)?;
    let mut letters = tell_owner(store, tx, line, Some(&event), now)?;
    letters.extend(tell_sender(store, tx, &event, now)?);
    Ok(Attempt::SetAside(letters))
}

#[allow(clippy::too_many_arguments, reason = "one row, written in one place")]
fn note(
    tx: &Connection,
    line: &LineId,
    event: &str,
    chat: Option<&str>,
    kind: &str,
    tries: i64,
    why: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO dead_letter (line, event, chat, kind, tries, why, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![line.as_str(), event, chat, kind, tries, why, now.0],
    )?;
    Ok(())
}

fn kind(what: &EventKind) -> &'static str {
    match what {
        EventKind::Command { .. } => "command",
        EventKind::Delete { .. } => "deletion",
        EventKind::Delivery { .. } => "delivery report",
        EventKind::Edit { .. } => "edit",
        EventKind::Left => "goodbye",
        EventKind::Message { .. } => "message",
        EventKind::Moved { .. } => "move",
        EventKind::Opened { .. } => "look",
        EventKind::Picked { .. } => "pick",
        EventKind::Press { .. } => "press",
        EventKind::Search { .. } => "search",
    }
}

/// Whoever paired the place of the event hears that it was not handled, there.
fn tell_sender(
    store: &Store,
    tx: &Connection,
    event: &InboundEvent,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let sender = match &event.sender {
        Sender::Person(user) => person_of(tx, user)?,
        Sender::Shared => None,
    };
    let owner = super::people::owner_of(tx, &event.place)?;
    if owner.is_none() || sender.map(|person| person.id) != owner {
        return Ok(Vec::new());
    }
    let text = format!(
        "I could not handle your last {}: something in me fails on it. I tried three times and set it aside; please say it another way.",
        kind(&event.what)
    );
    let at = place_id(tx, &event.place)?;
    post(
        store,
        tx,
        at,
        &notice(text, Vec::new()),
        About::Delivery,
        now,
    )
}

/// The owner hears of it in their direct chats, unless they heard of another a short while ago or
/// are told where it came from anyway.
fn tell_owner(
    store: &Store,
    tx: &Connection,
    line: &LineId,
    event: Option<&InboundEvent>,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let lately: i64 = tx.query_row(
        "SELECT count(*) FROM dead_letter WHERE at > ?1",
        [now.0.saturating_sub(TOLD_AGAIN)],
        |row| row.get(0),
    )?;
    if lately > 1 {
        return Ok(Vec::new());
    }
    let text = format!(
        "Something that came in on {line} could not be handled, so it was set aside. Everything else goes on; postern status shows more."
    );
    let mut letters = Vec::new();
    let from = event.map_or(Ok(None), |event| known_place(tx, &event.place))?;
    for (at, _) in owners_chats(tx)? {
        if Some(at) != from {
            let message = notice(text.clone(), Vec::new());
            letters.extend(post(store, tx, at, &message, About::Delivery, now)?);
        }
    }
    Ok(letters)
}
