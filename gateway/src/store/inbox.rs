//! What was heard? Claimed once, judged and put where it belongs, all in one transaction.

use adapters::Cursor;
use bot_policy::access::{Admission, Incognito, Person, Role, Scope, admit};
use bot_policy::event::{
    ChatKind, EventKind, InboundEvent, Part, PartBody, Provenance, ReplyHandle, Sender,
};
use bot_policy::id::{ConversationId, LineId, Timestamp};
use bot_policy::pairing::LiveCodes;
use bot_policy::taint::{Unmarked, label};
use rusqlite::{Connection, OptionalExtension, params};

use super::codes::{Tried, burn_shown, try_code};
use super::commands::{Carried, carry_out};
use super::conversations::{add, running_or_new};
use super::marks::{join_parts, mark, marks_of_message};
use super::outbox::{About, Letter, notice, post};
use super::people::{directory, note_answered, unpair};
use super::rows::{json, message_key, parse, place_id};
use super::{Store, StoreError};
use crate::agent::Entry;

/// What is to be done after a batch was stored.
#[derive(Debug, Default)]
pub struct Accepted {
    /// To be sent.
    pub letters: Vec<Letter>,
    /// Conversations with something new.
    pub wake: Vec<ConversationId>,
    /// Conversations whose running work is to be dropped.
    pub cancel: Vec<ConversationId>,
    /// Commands that were carried out and that the platform is told of.
    pub answered: Vec<(LineId, ReplyHandle)>,
    /// Presses and commands, still to be carried out.
    pub pending: Vec<Pending>,
    /// Presses that do not count; whoever pressed is told so in private.
    pub wrong_presses: Vec<(LineId, ReplyHandle)>,
    /// Whether the live codes were voided.
    pub codes: Option<LiveCodes>,
    /// Whether a place was paired, so that menus are told.
    pub paired: Vec<(Person, Scope)>,
}

/// An event that is carried out after it was stored.
#[derive(Clone, Debug)]
pub struct Pending {
    /// Its number.
    pub seq: i64,
    /// The event.
    pub event: InboundEvent,
    /// How it was judged.
    pub admission: Admission,
}

impl Store {
    /// Stores a batch of events and how far the line has heard, and does what follows from them
    /// at once: pairing, labels, marks, history. What was seen before is passed over.
    pub async fn accept(
        &self,
        line: LineId,
        events: Vec<InboundEvent>,
        heard: Option<Cursor>,
        welcome: Option<String>,
        now: Timestamp,
    ) -> Result<Accepted, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let mut accepted = Accepted::default();
            for event in events {
                // An event for another line than the one that heard it is nobody's.
                if event.place.line == line && claim(tx, &event)? {
                    take(&store, tx, event, welcome.as_deref(), now, &mut accepted)?;
                }
            }
            if let Some(Cursor(cursor)) = heard {
                tx.prepare_cached("INSERT OR REPLACE INTO heard (line, cursor) VALUES (?1, ?2)")?
                    .execute(params![line.as_str(), cursor])?;
            }
            Ok(accepted)
        })
        .await
    }

    /// How far a line has heard.
    pub async fn heard(&self, line: LineId) -> Result<Option<Cursor>, StoreError> {
        self.read(move |tx| {
            Ok(tx
                .query_row(
                    "SELECT cursor FROM heard WHERE line = ?1",
                    [line.as_str()],
                    |row| row.get(0).map(Cursor),
                )
                .optional()?)
        })
        .await
    }

    /// Presses and commands that were stored and not carried out when the program stopped,
    /// judged again as things stand today.
    pub async fn pending(&self, now: Timestamp) -> Result<Vec<Pending>, StoreError> {
        self.read(move |tx| {
            let mut open =
                tx.prepare("SELECT seq, body FROM event WHERE body IS NOT NULL ORDER BY seq")?;
            let mut rows = open.query([])?;
            let mut pending = Vec::new();
            while let Some(row) = rows.next()? {
                let body: String = row.get(1)?;
                let event: InboundEvent = parse(&body)?;
                let admission = admit(&event, &directory(tx, &event, now)?);
                pending.push(Pending {
                    seq: row.get(0)?,
                    event,
                    admission,
                });
            }
            Ok(pending)
        })
        .await
    }

    /// Records that a press or a command was carried out.
    pub async fn carried_out(&self, seq: i64) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.prepare_cached("UPDATE event SET body = NULL WHERE seq = ?1")?
                .execute([seq])?;
            Ok(())
        })
        .await
    }
}

/// Claims an event by its id. False when it was seen before.
fn claim(tx: &Connection, event: &InboundEvent) -> Result<bool, StoreError> {
    let fresh = tx
        .prepare_cached("INSERT OR IGNORE INTO event (line, id) VALUES (?1, ?2)")?
        .execute(params![event.place.line.as_str(), event.id.as_str()])?;
    Ok(fresh == 1)
}

fn take(
    store: &Store,
    tx: &Connection,
    event: InboundEvent,
    welcome: Option<&str>,
    now: Timestamp,
    accepted: &mut Accepted,
) -> Result<(), StoreError> {
    let seq = tx.last_insert_rowid();
    let admission = admit(&event, &directory(tx, &event, now)?);
    let shown = shown_to_a_group(&event);
    // A group that put us out is let go of: whoever takes us back in pairs it anew.
    if event.what == EventKind::Left && event.kind_of_chat == ChatKind::Group {
        accepted
            .letters
            .extend(unpair(store, tx, &event.place, now)?.unwrap_or_default());
    }
    match admission {
        Admission::Ignore(why) => {
            tracing::debug!(line = %event.place.line, event = %event.id, ?why, "ignored")
        }
        Admission::Pair { code } => pair(store, tx, &event, &code, welcome, now, accepted)?,
        Admission::Serve(person, scope) => serve(store, tx, event, &person, scope, now, accepted)?,
        Admission::Stranger => {
            if let Sender::Person(user) = &event.sender {
                note_answered(tx, user, now)?;
                let text = "This bot is private. If its owner gave you a code, send: /pair CODE";
                answer(store, tx, &event, text, now, accepted)?;
            }
        }
        Admission::WrongPresser { reply } => accepted.wrong_presses.push((event.place.line, reply)),
        Admission::Command(person, scope, command) => {
            match carry_out(store, tx, &event, &person, &command, now)? {
                Carried::Done { letters, cancel } => {
                    accepted.letters.extend(letters);
                    accepted.cancel.extend(cancel);
                    if let EventKind::Command { reply, .. } = event.what {
                        accepted.answered.push((event.place.line, reply));
                    }
                }
                Carried::Left => {
                    tx.prepare_cached("UPDATE event SET body = ?2 WHERE seq = ?1")?
                        .execute(params![seq, json(&event)?])?;
                    accepted.pending.push(Pending {
                        seq,
                        event,
                        admission: Admission::Command(person, scope, command),
                    });
                }
            }
        }
        admission @ (Admission::Claim(_) | Admission::Press { .. }) => {
            tx.prepare_cached("UPDATE event SET body = ?2 WHERE seq = ?1")?
                .execute(params![seq, json(&event)?])?;
            accepted.pending.push(Pending {
                seq,
                event,
                admission,
            });
        }
    }
    for text in shown {
        burn_shown(tx, &text, now)?;
    }
    Ok(())
}

/// What a group could read in this event; any code in it is void.
fn shown_to_a_group(event: &InboundEvent) -> Vec<String> {
    let parts: &[Part] = match (&event.what, event.kind_of_chat) {
        (EventKind::Edit { parts, .. } | EventKind::Message { parts, .. }, ChatKind::Group) => {
            parts
        }
        (EventKind::Edit { .. } | EventKind::Message { .. }, ChatKind::Direct)
        | (
            EventKind::Command { .. }
            | EventKind::Delete { .. }
            | EventKind::Left
            | EventKind::Moved { .. }
            | EventKind::Press { .. },
            ChatKind::Direct | ChatKind::Group,
        ) => &[],
    };
    parts
        .iter()
        .filter_map(|part| match &part.body {
            PartBody::Text(text) => Some(text.clone()),
            PartBody::File(_) => None,
        })
        .collect()
}

fn serve(
    store: &Store,
    tx: &Connection,
    event: InboundEvent,
    person: &Person,
    scope: Scope,
    now: Timestamp,
    accepted: &mut Accepted,
) -> Result<(), StoreError> {
    let EventKind::Message { message, parts, .. } = event.what else {
        return Ok(());
    };
    let at = place_id(tx, &event.place)?;
    let incognito = match scope {
        Scope::OwnerIncognito => Incognito::On,
        Scope::Group | Scope::Guest | Scope::Owner => Incognito::Off,
    };
    let mut originals = Vec::new();
    for part in &parts {
        if let Provenance::Quoted {
            original: Some(original),
        } = &part.provenance
        {
            originals.push((original.clone(), marks_of_message(tx, at, original)?));
        }
    }
    let typed = parts
        .iter()
        .zip(0..)
        .filter(|(part, _)| part.provenance == Provenance::Authored)
        .map(|(_, at)| at)
        .collect();
    let parts = label(&parts, Unmarked::Outside, |original| {
        originals
            .iter()
            .find(|(known, _)| known == original)
            .and_then(|(_, taint)| taint.clone())
    });
    let which = running_or_new(tx, at, event.kind_of_chat, person, incognito, now)?;
    accepted
        .letters
        .extend(mark(store, tx, which, &join_parts(&parts), now)?);
    let key = message_key(at, message.as_str());
    let said = Entry::Person {
        parts,
        message,
        typed,
    };
    add(tx, which, &said, Some(key), now)?;
    accepted.wake.push(which);
    Ok(())
}

fn pair(
    store: &Store,
    tx: &Connection,
    event: &InboundEvent,
    code: &str,
    welcome: Option<&str>,
    now: Timestamp,
    accepted: &mut Accepted,
) -> Result<(), StoreError> {
    let Sender::Person(user) = &event.sender else {
        return Ok(());
    };
    match try_code(store, tx, event, user, code, now)? {
        Tried::Paired(person, letters) => {
            accepted.letters.extend(letters);
            let who = match person.role {
                Role::Guest => format!("as the guest {}", person.name),
                Role::Owner => "as the owner".to_owned(),
            };
            let mut text = format!(
                "You are paired {who}. Only your messages and your presses count here. /help shows what you can type."
            );
            if let (Some(welcome), Role::Owner) = (welcome, person.role) {
                text.push_str("\n\n");
                text.push_str(welcome);
            }
            answer(store, tx, event, &text, now, accepted)?;
            let scope = bot_policy::access::scope(person.role, event.kind_of_chat, Incognito::Off);
            accepted.paired.push((person, scope));
        }
        Tried::Burnt => {
            let text = "That code was shown to a group, so it is void now. Get a new one and send it in a direct chat.";
            answer(store, tx, event, text, now, accepted)?;
        }
        Tried::Wrong(live) => {
            accepted.codes = Some(live);
            if event.kind_of_chat == ChatKind::Direct {
                let text = "That code is not valid. Codes live ten minutes and work once; get a new one with: postern pair";
                answer(store, tx, event, text, now, accepted)?;
            }
        }
        Tried::Silenced => {}
    }
    Ok(())
}

fn answer(
    store: &Store,
    tx: &Connection,
    event: &InboundEvent,
    text: &str,
    now: Timestamp,
    accepted: &mut Accepted,
) -> Result<(), StoreError> {
    let at = place_id(tx, &event.place)?;
    accepted.letters.extend(post(
        store,
        tx,
        at,
        &notice(text, Vec::new()),
        About::Nothing,
        now,
    )?);
    Ok(())
}
