//! Which memories wait for a person's word, and what did they say?

use bot_policy::event::ChatKind;
use bot_policy::id::{ConversationId, PersonId, Timestamp};
use bot_policy::message::{Addresses, Body, Choices, Notice, OutboundMessage};
use bot_policy::taint::Taint;
use bot_policy::visible;
use rusqlite::{Connection, OptionalExtension, params};

use super::buttons::{Meaning, OfMemory, button};
use super::memories::{forget, keeper_key};
use super::outbox::{About, Letter, post};
use super::rows::{PlaceId, column, json, known_place};
use super::{Store, StoreError};
use crate::agent::tools::Keeper;

/// How much of a memory its first card shows, in characters.
const SHOWN: usize = 80;

/// Puts a card for each memory that this conversation's keeper has not been asked about.
pub(super) fn ask_about_memories(
    store: &Store,
    tx: &Connection,
    which: ConversationId,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let mut found =
        tx.prepare_cached("SELECT place, person, kind FROM conversation WHERE id = ?1")?;
    let mut rows = found.query([which.0])?;
    let Some(row) = rows.next()? else {
        return Ok(Vec::new());
    };
    let (at, who) = (PlaceId(row.get("place")?), PersonId(row.get("person")?));
    let keeper = match column(row, "kind")? {
        ChatKind::Direct => Keeper::Person(who),
        ChatKind::Group => Keeper::Place(at.0),
    };
    let mut unasked = tx.prepare_cached(
        "UPDATE memory SET asked = 1 WHERE keeper = ?1 AND confirmed = 0 AND asked = 0 RETURNING id, text",
    )?;
    let unasked: Vec<(i64, String)> = unasked
        .query_map([keeper_key(keeper)], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let mut letters = Vec::new();
    for (memory, text) in unasked {
        let start: String = text.chars().take(SHOWN).collect();
        let more = if start.len() < text.len() {
            "\u{2026}"
        } else {
            ""
        };
        let shown = format!(
            "Saved after outside content, so it is not confirmed and marks whatever uses it:\n{}{more}",
            visible::foreign(&start)
        );
        let meaning = Meaning::Memory {
            memory,
            does: OfMemory::Show,
        };
        let show = button(tx, "Show it", at, who, None, &meaning)?;
        letters.extend(post(
            store,
            tx,
            at,
            &inert(shown, vec![show]),
            About::Nothing,
            now,
        )?);
    }
    Ok(letters)
}

fn inert(text: String, choices: Vec<bot_policy::message::Button>) -> OutboundMessage {
    OutboundMessage {
        body: Body::Notice(Notice {
            text,
            addresses: Addresses::Inert,
            choices: Choices(choices),
        }),
        answers: None,
    }
}

impl Store {
    /// Shows the whole of an unconfirmed memory, with the buttons that decide about it. Nothing
    /// when it is confirmed or gone.
    pub async fn show_memory(
        &self,
        memory: i64,
        at: bot_policy::id::Place,
        who: PersonId,
        now: Timestamp,
    ) -> Result<Option<Vec<Letter>>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let Some(at) = known_place(tx, &at)? else {
                return Ok(None);
            };
            let Some(text) = undecided(tx, memory, &kept_there(at, who))? else {
                return Ok(None);
            };
            let make = |label, does| {
                let meaning = Meaning::Memory { memory, does };
                button(tx, label, at, who, None, &meaning)
            };
            let buttons = vec![
                make("Remember it", OfMemory::Keep)?,
                make("Forget it", OfMemory::Forget)?,
            ];
            let shown = format!("The whole memory:\n\n{}", visible::foreign(&text));
            let letters = post(&store, tx, at, &inert(shown, buttons), About::Nothing, now)?;
            Ok(Some(letters))
        })
        .await
    }

    /// Decides about an unconfirmed memory of this person or place. False when it was decided
    /// before, or is somebody else's.
    pub async fn decide_memory(
        &self,
        memory: i64,
        at: bot_policy::id::Place,
        who: PersonId,
        does: OfMemory,
    ) -> Result<bool, StoreError> {
        self.write(move |tx| match known_place(tx, &at)? {
            Some(at) => decide(tx, memory, &kept_there(at, who), does),
            None => Ok(false),
        })
        .await
    }

    /// The same, where it is this person's own; anything else is taken for gone.
    pub async fn decide_own_memory(
        &self,
        whose: PersonId,
        memory: i64,
        does: OfMemory,
    ) -> Result<bool, StoreError> {
        let keepers = [Keeper::Person(whose)];
        self.write(move |tx| decide(tx, memory, &keepers, does))
            .await
    }
}

/// Who may have kept what this person is shown there.
fn kept_there(at: PlaceId, who: PersonId) -> [Keeper; 2] {
    [Keeper::Person(who), Keeper::Place(at.0)]
}

/// The words of an unconfirmed memory that one of these keeps.
fn undecided(
    tx: &Connection,
    memory: i64,
    keepers: &[Keeper],
) -> Result<Option<String>, StoreError> {
    let found: Option<(String, String)> = tx
        .query_row(
            "SELECT text, keeper FROM memory WHERE id = ?1 AND confirmed = 0",
            [memory],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let theirs = |keeper: &str| keepers.iter().any(|one| keeper_key(*one) == keeper);
    Ok(found.and_then(|(text, keeper)| theirs(&keeper).then_some(text)))
}

fn decide(
    tx: &Connection,
    memory: i64,
    keepers: &[Keeper],
    does: OfMemory,
) -> Result<bool, StoreError> {
    if undecided(tx, memory, keepers)?.is_none() {
        return Ok(false);
    }
    match does {
        OfMemory::Forget => forget(tx, memory)?,
        OfMemory::Keep => {
            tx.execute(
                "UPDATE memory SET confirmed = 1, taint = ?2 WHERE id = ?1",
                params![memory, json(&Taint::default())?],
            )?;
        }
        OfMemory::Show => {}
    }
    Ok(true)
}
