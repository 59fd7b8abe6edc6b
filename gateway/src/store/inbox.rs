//! What was heard? Claimed once, judged and put where it belongs, all in one transaction.

use std::collections::BTreeSet;

use adapters::Cursor;
use bot_policy::access::{Admission, Command, Ignored, Incognito, Person, Scope, admit};
use bot_policy::event::{
    ChatKind, EventKind, InboundEvent, Part, PartBody, Provenance, ReplyHandle, Sender,
};
use bot_policy::id::{ConversationId, LineId, Place, Timestamp};
use bot_policy::pairing::LiveCodes;
use bot_policy::taint::{Unmarked, label};
use rusqlite::{Connection, params};

use super::albums::arrived;
use super::amend::amend;
use super::codes::{burn_shown, code_sent};
use super::commands::{Carried, carry_out};
use super::conversations::{add, running_or_new};
use super::heard::{Heard, claim};
use super::leases::still_held;
use super::links::echo;
use super::marks::{join_parts, mark, marks_of_message};
use super::moves::move_chat;
use super::outbox::{Letter, tell};
use super::pending::Pending;
use super::people::{directory, note_answered};
use super::poison::put_off;
use super::quiet::rest;
use super::quotes::repeat;
use super::received::want;
use super::rows::{json, message_key, place_id};
use super::unpair::unpair;
use super::{Blame, Store, StoreError, window};
use crate::agent::Entry;
use crate::writer::within_savepoint;

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
    /// Places in which somebody is to be asked to write, because nobody has for too long.
    pub invite: Vec<Place>,
    /// Who was paired with a place.
    pub paired: Vec<Person>,
    /// The lines of which a place was paired, moved or let go of, so that their menus are told.
    pub menus: BTreeSet<LineId>,
}

impl Accepted {
    pub(super) fn join(&mut self, other: Self) {
        self.letters.extend(other.letters);
        self.wake.extend(other.wake);
        self.cancel.extend(other.cancel);
        self.answered.extend(other.answered);
        self.pending.extend(other.pending);
        self.wrong_presses.extend(other.wrong_presses);
        self.codes = other.codes.or(self.codes.take());
        self.invite.extend(other.invite);
        self.paired.extend(other.paired);
        self.menus.extend(other.menus);
    }
}

impl Store {
    /// Stores a batch of events and how far the line has heard, and does what follows from them
    /// at once: pairing, labels, marks, history. What was seen before is passed over.
    pub async fn accept(
        &self,
        heard: Heard,
        welcome: Option<String>,
        now: Timestamp,
    ) -> Result<Accepted, StoreError> {
        let store = self.clone();
        let Heard {
            line,
            events,
            until,
            under,
        } = heard;
        self.write(move |tx| {
            if let Some(lease) = &under {
                still_held(tx, lease)?;
            }
            let mut accepted = Accepted::default();
            for event in events {
                // An event for another line than the one that heard it is nobody's.
                if event.place.line == line
                    && let Some(seq) = claim(tx, &event, now)?
                {
                    let shown = shown_to_a_group(&event);
                    let ready = match of_stranger(&store, tx, &event, now) {
                        true => vec![(seq, event)],
                        false => arrived(tx, seq, event, now)?,
                    };
                    // What the group can read already is not secret until its album is whole.
                    if ready.is_empty() {
                        burn_all(tx, shown, now)?;
                    }
                    for (seq, event) in ready {
                        accepted.join(try_take(&store, tx, seq, event, welcome.as_deref(), now)?);
                    }
                }
            }
            if let Some(Cursor(cursor)) = until {
                tx.prepare_cached("INSERT OR REPLACE INTO heard (line, cursor) VALUES (?1, ?2)")?
                    .execute(params![line.as_str(), cursor])?;
            }
            Ok(accepted)
        })
        .await
    }
}

/// Whether this is of somebody to whom the place does not belong. None of it is kept, not even until
/// its album is whole.
fn of_stranger(store: &Store, tx: &Connection, event: &InboundEvent, now: Timestamp) -> bool {
    let EventKind::Message { album: Some(_), .. } = &event.what else {
        return false;
    };
    directory(store, tx, event, now).is_ok_and(|known| match admit(event, &known) {
        Admission::Stranger
        | Admission::Ignore(Ignored::Bystander | Ignored::Shared | Ignored::Stranger) => true,
        Admission::Amend
        | Admission::Claim(_)
        | Admission::Command(..)
        | Admission::Ignore(Ignored::Edited | Ignored::Empty | Ignored::NotAddressed)
        | Admission::Opened(_)
        | Admission::Pair { .. }
        | Admission::Picked(_)
        | Admission::Press { .. }
        | Admission::Search(_)
        | Admission::Serve(..)
        | Admission::WrongPresser { .. } => false,
    })
}

/// Takes in one event by itself; one that fails is kept and tried again.
pub(super) fn try_take(
    store: &Store,
    tx: &Connection,
    seq: i64,
    event: InboundEvent,
    welcome: Option<&str>,
    now: Timestamp,
) -> Result<Accepted, StoreError> {
    let (mut accepted, again) = (Accepted::default(), event.clone());
    let taken = within_savepoint(tx, |tx| {
        take(store, tx, seq, event, welcome, now, &mut accepted)
    });
    match taken {
        Ok(()) => Ok(accepted),
        Err(error) => match error.blame() {
            Blame::Machine => Err(error),
            Blame::Work => {
                put_off(tx, seq, &again, &error, now)?;
                Ok(Accepted::default())
            }
        },
    }
}

pub(super) fn take(
    store: &Store,
    tx: &Connection,
    seq: i64,
    event: InboundEvent,
    welcome: Option<&str>,
    now: Timestamp,
    accepted: &mut Accepted,
) -> Result<(), StoreError> {
    if let Some(why) = super::code::refused(&event) {
        return answer(store, tx, &event, &why, now, accepted);
    }
    let known = directory(store, tx, &event, now)?;
    let admission = admit(&event, &known);
    let wrote = window::wrote_in(store, &event);
    let shown = shown_to_a_group(&event);
    // A group that put us out is let go of: whoever takes us back in pairs it anew.
    if event.what == EventKind::Left && event.kind_of_chat == ChatKind::Group {
        accepted
            .letters
            .extend(unpair(store, tx, &event.place, now)?.unwrap_or_default());
        accepted.menus.insert(event.place.line.clone());
    }
    if let EventKind::Moved { to } = &event.what {
        accepted
            .letters
            .extend(move_chat(store, tx, &event.place, &to.chat, now)?);
        accepted.menus.insert(event.place.line.clone());
    }
    if let EventKind::Delivery { message, key, fate } = &event.what {
        let told = window::told(store, tx, &event.place, message, *key, fate, now)?;
        accepted.letters.extend(told.letters);
        accepted.invite.extend(told.invite);
    }
    match admission {
        Admission::Amend => amend(store, tx, &event, now, accepted)?,
        Admission::Ignore(why) => {
            tracing::debug!(line = %event.place.line, event = %event.id, ?why, "ignored")
        }
        Admission::Pair { code } => {
            code_sent(store, tx, &event, &known, &code, welcome, now, accepted)?;
        }
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
            if command == Command::Unpair {
                accepted.menus.insert(event.place.line.clone());
            }
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
        // Nobody waits for it after a crash, so what was typed is not kept.
        admission @ (Admission::Opened(_) | Admission::Search(_)) => {
            accepted.pending.push(Pending {
                seq,
                event,
                admission,
            })
        }
        admission @ (Admission::Claim(_) | Admission::Picked(_) | Admission::Press { .. }) => {
            tx.prepare_cached("UPDATE event SET body = ?2 WHERE seq = ?1")?
                .execute(params![seq, json(&event)?])?;
            accepted.pending.push(Pending {
                seq,
                event,
                admission,
            });
        }
    }
    if let Some(place) = wrote {
        accepted.letters.extend(window::wrote(tx, &place, now)?);
    }
    burn_all(tx, shown, now)
}

fn burn_all(tx: &Connection, shown: Vec<String>, now: Timestamp) -> Result<(), StoreError> {
    shown.iter().try_for_each(|text| burn_shown(tx, text, now))
}

/// What a group could read in this event; any code in it is void.
fn shown_to_a_group(event: &InboundEvent) -> Vec<String> {
    if let (EventKind::Command { argument, .. }, ChatKind::Group) =
        (&event.what, event.kind_of_chat)
    {
        return vec![argument.clone()];
    }
    let parts: &[Part] = match (&event.what, event.kind_of_chat) {
        (EventKind::Edit { parts, .. } | EventKind::Message { parts, .. }, ChatKind::Group) => {
            parts
        }
        (EventKind::Edit { .. } | EventKind::Message { .. }, ChatKind::Direct)
        | (
            EventKind::Command { .. }
            | EventKind::Delete { .. }
            | EventKind::Delivery { .. }
            | EventKind::Left
            | EventKind::Moved { .. }
            | EventKind::Opened { .. }
            | EventKind::Picked { .. }
            | EventKind::Press { .. }
            | EventKind::Search { .. },
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
    let EventKind::Message {
        message, mut parts, ..
    } = event.what
    else {
        return Ok(());
    };
    let at = place_id(tx, &event.place)?;
    let incognito = match scope {
        Scope::OwnerIncognito => Incognito::On,
        Scope::Group | Scope::Guest | Scope::Owner => Incognito::Off,
    };
    repeat(store, tx, &event.place.line, at, &mut parts)?;
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
        .filter(|(part, _)| matches!(part.provenance, Provenance::Authored | Provenance::Unmarked))
        .map(|(_, at)| at)
        .collect();
    let parts = label(&parts, Unmarked::Outside, |original| {
        originals
            .iter()
            .find(|(known, _)| known == original)
            .and_then(|(_, taint)| taint.clone())
    });
    accepted.letters.extend(rest(store, tx, at, now)?);
    let which = running_or_new(tx, at, event.kind_of_chat, person, incognito, now)?;
    accepted
        .letters
        .extend(mark(store, tx, which, &join_parts(&parts), now)?);
    let key = message_key(at, message.as_str());
    let said = Entry::Person {
        parts: parts.clone(),
        message,
        typed,
    };
    let entry = add(tx, which, &said, Some(key), now)?;
    want(tx, at, which, entry, &parts)?;
    accepted
        .letters
        .extend(echo(store, tx, which, at, &parts, now)?);
    accepted.wake.push(which);
    Ok(())
}

pub(super) fn answer(
    store: &Store,
    tx: &Connection,
    event: &InboundEvent,
    text: &str,
    now: Timestamp,
    accepted: &mut Accepted,
) -> Result<(), StoreError> {
    let at = place_id(tx, &event.place)?;
    accepted.letters.extend(tell(store, tx, at, text, now)?);
    Ok(())
}
