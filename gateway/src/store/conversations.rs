//! What was said in a conversation, and what has it read?

use std::collections::{BTreeMap, BTreeSet};

use bot_policy::access::{Incognito, Person, Scope};
use bot_policy::decide::Mode;
use bot_policy::event::ChatKind;
use bot_policy::id::{BotName, CallId, ConversationId, Place, Timestamp};
use bot_policy::message::OutboundMessage;
use bot_policy::rules::Rule;
use bot_policy::taint::Taint;
use rusqlite::{Connection, OptionalExtension, params};

use super::approvals::approvals;
use super::code::{Coding, coding};
use super::incognito::purge;
use super::links::linked_to;
use super::memories::standing_memories;
use super::outbox::{About, Letter, post, tell};
use super::people::{owner_of, person};
use super::questions::open_question;
use super::rows::{PlaceId, column, json, known_place, parse, place, place_id};
use super::workers::{Work, work};
use super::{Store, StoreError};
use crate::agent::tools::Keeper;
use crate::agent::{Entry, Pace, Turn};

/// A conversation as one step needs it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Which.
    pub id: ConversationId,
    /// Whose.
    pub person: Person,
    /// By which bot.
    pub bot: BotName,
    /// Where.
    pub place: Place,
    /// The number of that place.
    pub place_id: PlaceId,
    /// What that place may use.
    pub scope: Scope,
    /// How many people can read there.
    pub kind: ChatKind,
    /// What was read.
    pub taint: Taint,
    /// Whether asks are asked.
    pub mode: Mode,
    /// Whose memory it uses: in a group the place's, never a person's.
    pub keeper: Keeper,
    /// The confirmed memories that stand in the instructions, newest last.
    pub memories: Vec<String>,
    /// What runs here without a card.
    pub approvals: Vec<Rule>,
    /// What it works on for another conversation.
    pub work: Option<Work>,
    /// The chats that it is linked to.
    pub linked: Vec<Place>,
    /// Its folder, where it is a Code conversation.
    pub code: Option<Coding>,
    /// History and pending work.
    pub turn: Turn,
}

/// How many entries of a history are read back; more only while a card of before still stands.
const ENTRIES_KEPT: i64 = 200;

/// Whether the conversation of a place keeps nothing.
pub(super) fn incognito(tx: &Connection, place: PlaceId) -> Result<Incognito, StoreError> {
    let found: Option<String> = tx
        .prepare_cached(
            "SELECT conversation.incognito FROM place JOIN conversation ON conversation.id = place.conversation
             WHERE place.id = ?1 AND conversation.ended IS NULL",
        )?
        .query_row([place.0], |row| row.get(0))
        .optional()?;
    found.map_or(Ok(Incognito::Off), |text| parse(&text))
}

/// The running conversation of a place.
pub(super) fn running(
    tx: &Connection,
    place: PlaceId,
) -> Result<Option<ConversationId>, StoreError> {
    Ok(tx
        .prepare_cached(
            "SELECT conversation.id FROM place JOIN conversation ON conversation.id = place.conversation
             WHERE place.id = ?1 AND conversation.ended IS NULL",
        )?
        .query_row([place.0], |row| row.get(0).map(ConversationId))
        .optional()?)
}

/// The running conversation of a place, begun when there is none.
pub(super) fn running_or_new(
    tx: &Connection,
    at: PlaceId,
    kind: ChatKind,
    who: &Person,
    incognito: Incognito,
    now: Timestamp,
) -> Result<ConversationId, StoreError> {
    if let Some(id) = running(tx, at)? {
        return Ok(id);
    }
    tx.prepare_cached(
        "INSERT INTO conversation (bot, person, place, kind, taint, mode, incognito, since) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        crate::BOT,
        who.id.0,
        at.0,
        json(&kind)?,
        json(&Taint::default())?,
        json(&Mode::default())?,
        json(&incognito)?,
        now.0
    ])?;
    let id = ConversationId(tx.last_insert_rowid());
    tx.prepare_cached("UPDATE place SET conversation = ?2 WHERE id = ?1")?
        .execute(params![at.0, id.0])?;
    Ok(id)
}

/// Adds an entry to a history.
pub(super) fn add(
    tx: &Connection,
    to: ConversationId,
    entry: &Entry,
    message: Option<String>,
    now: Timestamp,
) -> Result<i64, StoreError> {
    let newest: i64 = newest(tx, to)?;
    let open = match entry {
        Entry::Model { calls, seen, .. } => !calls.is_empty() || *seen < newest,
        Entry::Person { .. } | Entry::Result { .. } => true,
        Entry::Stopped => false,
    };
    tx.prepare_cached("INSERT INTO entry (conversation, seq, at, body, open, message) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
        .execute(params![to.0, newest + 1, now.0, json(entry)?, open, message])?;
    Ok(newest + 1)
}

pub(super) fn newest(tx: &Connection, of: ConversationId) -> Result<i64, StoreError> {
    Ok(tx
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM entry WHERE conversation = ?1")?
        .query_row([of.0], |row| row.get(0))?)
}

/// Ends the running conversations of every thread of a chat.
pub(super) fn end_in_chat(tx: &Connection, chat: &Place, now: Timestamp) -> Result<(), StoreError> {
    let mut places = tx.prepare_cached("SELECT id FROM place WHERE line = ?1 AND chat = ?2")?;
    let places: Vec<PlaceId> = places
        .query_map(params![chat.line.as_str(), chat.chat.as_str()], |row| {
            row.get(0).map(PlaceId)
        })?
        .collect::<Result<_, _>>()?;
    for place in places {
        end(tx, place, now)?;
        // Those that rest beside the running one, too.
        tx.execute(
            "UPDATE conversation SET ended = ?2 WHERE place = ?1 AND ended IS NULL",
            params![place.0, now.0],
        )?;
    }
    Ok(())
}

/// Ends the running conversation of a place; one that keeps nothing is deleted.
pub(super) fn end(tx: &Connection, at: PlaceId, now: Timestamp) -> Result<(), StoreError> {
    let Some(id) = running(tx, at)? else {
        return Ok(());
    };
    let kept = incognito(tx, at)?;
    tx.prepare_cached("UPDATE conversation SET ended = ?2 WHERE id = ?1")?
        .execute(params![id.0, now.0])?;
    tx.prepare_cached("UPDATE place SET conversation = NULL WHERE id = ?1")?
        .execute([at.0])?;
    match kept {
        Incognito::Off => {}
        Incognito::On => purge(tx, id, at)?,
    }
    Ok(())
}

/// The entry that made the oldest call whose question is not closed: a call that is not read back
/// would neither run nor be taken back, and its card would hold up every other one.
fn oldest_open(tx: &Connection, of: ConversationId) -> Result<Option<i64>, StoreError> {
    // The id of a call begins with the number of its entry.
    Ok(tx
        .prepare_cached(
            "SELECT min(CAST(call AS INTEGER)) FROM question INDEXED BY question_unsettled
             WHERE conversation = ?1 AND state IN ('\"Asked\"', '\"Approved\"', '\"Started\"')",
        )?
        .query_row([of.0], |row| row.get(0))?)
}

pub(super) fn turn(tx: &Connection, of: ConversationId) -> Result<Turn, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT seq, body FROM entry WHERE conversation = ?1 AND seq >= ?2 ORDER BY seq",
    )?;
    let first = newest(tx, of)? - ENTRIES_KEPT + 1;
    let first = oldest_open(tx, of)?.map_or(first, |call| first.min(call));
    let mut rows = found.query(params![of.0, first])?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        entries.push((row.get(0)?, column(row, "body")?));
    }
    let mut turn = Turn {
        entries,
        ..Turn::default()
    };
    let unfinished: Vec<CallId> = turn
        .unfinished_calls()
        .map(|call| call.id.clone())
        .collect();
    let mut questions = BTreeMap::new();
    let mut started = BTreeSet::new();
    for call in unfinished {
        if let Some(question) = open_question(tx, of, &call)? {
            questions.insert(call.clone(), question);
        }
        let begun: bool = tx
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM started WHERE conversation = ?1 AND call = ?2)",
            )?
            .query_row(params![of.0, call.as_str()], |row| row.get(0))?;
        if begun {
            let works: bool = tx
                .prepare_cached(
                    "SELECT EXISTS (SELECT 1 FROM conversation WHERE parent = ?1 AND call = ?2)",
                )?
                .query_row(params![of.0, call.as_str()], |row| row.get(0))?;
            if works {
                turn.working.insert(call.clone());
            }
            started.insert(call);
        }
    }
    turn.questions = questions;
    turn.started = started;
    Ok(turn)
}

fn load(tx: &Connection, id: ConversationId) -> Result<Option<Loaded>, StoreError> {
    let mut found =
        tx.prepare_cached("SELECT * FROM conversation WHERE id = ?1 AND ended IS NULL")?;
    let mut rows = found.query([id.0])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let place_id = PlaceId(row.get("place")?);
    let place = place(tx, place_id)?;
    let owner = bot_policy::id::PersonId(row.get("person")?);
    // Read through at every step: a place that is no longer this person's runs nothing.
    if owner_of(tx, &place)? != Some(owner) {
        return Ok(None);
    }
    let Some(person) = person(tx, owner)? else {
        return Ok(None);
    };
    let kind: ChatKind = column(row, "kind")?;
    let incognito: Incognito = column(row, "incognito")?;
    let keeper = match kind {
        ChatKind::Direct => Keeper::Person(person.id),
        ChatKind::Group => Keeper::Place(place_id.0),
    };
    let memories = match incognito {
        Incognito::Off => standing_memories(tx, keeper)?,
        Incognito::On => Vec::new(),
    };
    let code = coding(tx, id)?;
    Ok(Some(Loaded {
        id,
        scope: bot_policy::access::scope(person.role, kind, incognito),
        person,
        bot: BotName::new(row.get::<_, String>("bot")?),
        place,
        place_id,
        kind,
        taint: column(row, "taint")?,
        mode: column(row, "mode")?,
        keeper,
        memories,
        approvals: approvals(tx, id)?,
        work: work(row)?,
        linked: linked_to(tx, id)?
            .into_iter()
            .map(|at| super::rows::place(tx, at))
            .collect::<Result<_, _>>()?,
        turn: Turn {
            pace: match &code {
                Some(_) => Pace::Code,
                None => Pace::Talk,
            },
            ..turn(tx, id)?
        },
        code,
    }))
}

impl Store {
    /// A conversation; nothing when it has ended or its place is no longer its person's.
    pub async fn conversation(&self, id: ConversationId) -> Result<Option<Loaded>, StoreError> {
        self.read(move |tx| load(tx, id)).await
    }

    /// The conversations that have something to do.
    pub async fn unfinished(&self) -> Result<Vec<ConversationId>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare(
                "SELECT id FROM conversation WHERE ended IS NULL AND (call IS NOT NULL OR
                 (SELECT open FROM entry WHERE conversation = conversation.id ORDER BY seq DESC LIMIT 1) = 1)",
            )?;
            Ok(found.query_map([], |row| row.get(0).map(ConversationId))?.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// The running conversation of a place.
    pub async fn running(&self, place: Place) -> Result<Option<Loaded>, StoreError> {
        self.read(move |tx| {
            let Some(at) = known_place(tx, &place)? else {
                return Ok(None);
            };
            running(tx, at)?.map_or(Ok(None), |id| load(tx, id))
        })
        .await
    }

    /// Ends this conversation of a place, as `/new` does; nothing when it is not the running one
    /// any more.
    pub async fn start_fresh(
        &self,
        place: Place,
        before: ConversationId,
        now: Timestamp,
    ) -> Result<Option<Vec<Letter>>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let at = place_id(tx, &place)?;
            if running(tx, at)? != Some(before) {
                return Ok(None);
            }
            let mut letters = super::commands::fresh(&store, tx, &place, now)?;
            let text = "A fresh conversation: nothing marked, nothing waiting.";
            letters.extend(tell(&store, tx, at, text, now)?);
            Ok(Some(letters))
        })
        .await
    }

    /// Shows a message in a place.
    pub async fn say(
        &self,
        place: Place,
        message: OutboundMessage,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let at = place_id(tx, &place)?;
            post(&store, tx, at, &message, About::Nothing, now)
        })
        .await
    }
}

/// Whether a conversation has something to do.
pub(super) fn busy(tx: &Connection, which: ConversationId) -> Result<bool, StoreError> {
    Ok(tx
        .query_row(
            "SELECT open FROM entry WHERE conversation = ?1 ORDER BY seq DESC LIMIT 1",
            [which.0],
            |row| row.get(0),
        )
        .optional()?
        .unwrap_or(false))
}

/// The place of a conversation that still runs.
pub(super) fn standing(
    tx: &Connection,
    which: ConversationId,
) -> Result<Option<PlaceId>, StoreError> {
    Ok(tx
        .prepare_cached("SELECT place FROM conversation WHERE id = ?1 AND ended IS NULL")?
        .query_row([which.0], |row| row.get(0).map(PlaceId))
        .optional()?)
}
