//! What does the owner's console read?

use bot_policy::access::{Incognito, Person, Role};

use bot_policy::event::{ChatKind, PartBody};
use bot_policy::id::{ConversationId, PersonId, Place, QuestionId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use super::choices::Face;
use super::memories::keeper_key;
use super::rows::{PlaceId, column, known_place, parse, place};
use super::{Store, StoreError};
use crate::agent::Entry;
use crate::agent::tools::Keeper;
use crate::digest;

/// A chat that somebody paired, as the console lists it.
#[derive(Clone, Debug)]
pub struct ChatSeen {
    /// Where it is.
    pub place: Place,
    /// How many people can read there.
    pub kind: ChatKind,
    /// Who paired it.
    pub person: Person,
    /// What is going on.
    pub state: ChatState,
    /// The last thing that was said and when, where it is the owner's to read.
    pub last: Option<(Timestamp, String)>,
}

/// What is going on in a chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatState {
    /// A card waits there.
    Asks,
    /// Nothing was said since it was paired or begun anew.
    Fresh,
    /// Nothing of it is kept.
    Incognito,
    /// Everything was answered.
    Rests,
    /// An answer is being made.
    Works,
}

/// A question that waits.
#[derive(Clone, Debug)]
pub struct QuestionSeen {
    /// Which.
    pub id: QuestionId,
    /// Where it was asked.
    pub place: Place,
    /// Who may answer.
    pub put_to: Person,
    /// What would run, as the card names it.
    pub title: String,
    /// Since when.
    pub asked_at: Timestamp,
    /// Until when.
    pub ends_at: Timestamp,
    /// Its card as it stands in the place that was asked about: what it is called there, and what
    /// it shows.
    pub here: Option<(i64, Value)>,
}

/// A memory.
#[derive(Clone, Debug)]
pub struct MemorySeen {
    /// Which.
    pub id: i64,
    /// What is remembered.
    pub text: String,
    /// Whether it stands in the instructions.
    pub confirmed: bool,
    /// Since when.
    pub at: Timestamp,
}

/// An entry of the audit.
#[derive(Clone, Debug)]
pub struct AuditSeen {
    /// Its number.
    pub seq: i64,
    /// When.
    pub at: Timestamp,
    /// What, as it was written.
    pub what: String,
    /// Whether its hash is right and continues the entry before.
    pub chained: bool,
}

impl Store {
    /// Whether something could be written now: the writing thread takes a transaction of nothing.
    pub async fn takes_writes(&self) -> Result<(), StoreError> {
        self.write(|_| Ok(())).await
    }

    /// How many letters are not on a screen yet.
    pub async fn unsent_letters(&self) -> Result<i64, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare_cached(
                "SELECT count(*) FROM outbox WHERE state IN ('queued', 'sending')",
            )?;
            Ok(found.query_row([], |row| row.get(0))?)
        })
        .await
    }

    /// The chats that somebody paired, the one that spoke last first.
    pub async fn chats(&self, skip: i64, most: i64) -> Result<Vec<ChatSeen>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare_cached(
                "SELECT place.id, pairing.kind, person.id AS who, person.role, person.name,
                        conversation.id AS conversation, conversation.incognito,
                        (SELECT max(id) FROM outbox WHERE outbox.place = place.id) AS newest
                 FROM pairing CROSS JOIN place ON place.line = pairing.line AND place.chat = pairing.chat
                 JOIN person ON person.id = pairing.person
                 LEFT JOIN conversation ON conversation.id = place.conversation AND conversation.ended IS NULL
                 ORDER BY newest DESC, place.id DESC LIMIT ?2 OFFSET ?1",
            )?;
            let mut rows = found.query([skip, most])?;
            let mut chats = Vec::new();
            while let Some(row) = rows.next()? {
                let id = PlaceId(row.get("id")?);
                let person = Person {
                    id: PersonId(row.get("who")?),
                    role: column(row, "role")?,
                    name: row.get("name")?,
                };
                let running: Option<i64> = row.get("conversation")?;
                let incognito: Option<String> = row.get("incognito")?;
                let incognito = incognito.map_or(Ok(Incognito::Off), |text| parse(&text))?;
                let (state, last) = match (running, incognito) {
                    (None, _) => (ChatState::Fresh, None),
                    (Some(_), Incognito::On) => (ChatState::Incognito, None),
                    (Some(running), Incognito::Off) => {
                        let running = ConversationId(running);
                        // What a guest says is theirs.
                        let last = match person.role {
                            Role::Guest => None,
                            Role::Owner => last_said(tx, running)?,
                        };
                        (going_on(tx, running)?, last)
                    }
                };
                chats.push(ChatSeen { place: place(tx, id)?, kind: column(row, "kind")?, person, state, last });
            }
            Ok(chats)
        })
        .await
    }

    /// The questions that wait, oldest first, with their cards as they stand in a place.
    pub async fn waiting_questions(
        &self,
        here: &Place,
        after: i64,
        most: i64,
    ) -> Result<Vec<QuestionSeen>, StoreError> {
        self.read(|tx| {
            let here = known_place(tx, here)?.map(|id| id.0);
            let mut found = tx.prepare_cached(
                "SELECT question.id, question.place, question.card, asked_at, ends_at, person.id AS who, role, name
                 FROM question JOIN person ON person.id = put_to
                 WHERE state = '\"Asked\"' AND question.id > ?1 ORDER BY question.id LIMIT ?2",
            )?;
            let mut rows = found.query([after, most])?;
            let mut waiting = Vec::new();
            while let Some(row) = rows.next()? {
                let id: i64 = row.get("id")?;
                let title = match column(row, "card")? {
                    Face::Card(card) => card.title.to_string(),
                    Face::Notice(notice) => notice.text,
                };
                let mut shown = tx.prepare_cached(
                    "SELECT id, encoded FROM outbox WHERE question = ?1 AND place = ?2 AND kind = 'message'
                     ORDER BY id DESC LIMIT 1",
                )?;
                let mut shown = shown.query(params![id, here])?;
                let here = match shown.next()? {
                    Some(row) => Some((row.get("id")?, column(row, "encoded")?)),
                    None => None,
                };
                waiting.push(QuestionSeen {
                    id: QuestionId(id),
                    place: place(tx, PlaceId(row.get("place")?))?,
                    put_to: Person {
                        id: PersonId(row.get("who")?),
                        role: column(row, "role")?,
                        name: row.get("name")?,
                    },
                    title,
                    asked_at: Timestamp(row.get("asked_at")?),
                    ends_at: Timestamp(row.get("ends_at")?),
                    here,
                });
            }
            Ok(waiting)
        })
        .await
    }

    /// What a person's chats remember, what waits to be confirmed first.
    pub async fn memories_of(
        &self,
        person: PersonId,
        skip: i64,
        most: i64,
    ) -> Result<Vec<MemorySeen>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare_cached(
                "SELECT id, text, confirmed, at FROM memory WHERE keeper = ?1
                 ORDER BY confirmed, id DESC LIMIT ?3 OFFSET ?2",
            )?;
            let keeper = keeper_key(Keeper::Person(person));
            let found = found.query_map(params![keeper, skip, most], |row| {
                Ok(MemorySeen {
                    id: row.get(0)?,
                    text: row.get(1)?,
                    confirmed: row.get(2)?,
                    at: Timestamp(row.get(3)?),
                })
            })?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// The numbers of the places that a person paired, which their workspaces go by.
    pub async fn workspaces_of(&self, person: PersonId) -> Result<Vec<(i64, Place)>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare_cached(
                "SELECT place.id FROM pairing CROSS JOIN place ON place.line = pairing.line AND place.chat = pairing.chat
                 WHERE pairing.person = ?1 ORDER BY place.id LIMIT 1000",
            )?;
            let ids: Vec<i64> = found
                .query_map([person.0], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            ids.into_iter().map(|id| Ok((id, place(tx, PlaceId(id))?))).collect()
        })
        .await
    }

    /// The entries of the audit before one of them, newest first, each checked against the entry
    /// that it continues.
    pub async fn audit_before(&self, before: i64, most: i64) -> Result<Vec<AuditSeen>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare_cached(
                "SELECT seq, at, what, previous, hash,
                        (SELECT hash FROM audit AS older WHERE older.seq < audit.seq ORDER BY older.seq DESC LIMIT 1) AS older
                 FROM audit WHERE seq < ?1 ORDER BY seq DESC LIMIT ?2",
            )?;
            let found = found.query_map([before, most], |row| {
                let (at, what): (i64, String) = (row.get("at")?, row.get("what")?);
                let (previous, hash): (String, String) = (row.get("previous")?, row.get("hash")?);
                let older: Option<String> = row.get("older")?;
                let right = digest::hex(format!("{previous}\n{at}\n{what}").as_bytes());
                Ok(AuditSeen {
                    seq: row.get("seq")?,
                    at: Timestamp(at),
                    what,
                    chained: right == hash && older.unwrap_or_default() == previous,
                })
            })?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }
}

fn going_on(tx: &Connection, which: ConversationId) -> Result<ChatState, StoreError> {
    let asks: bool = tx
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM question WHERE conversation = ?1 AND state = '\"Asked\"')",
        )?
        .query_row([which.0], |row| row.get(0))?;
    let works: Option<bool> = tx
        .prepare_cached("SELECT open FROM entry WHERE conversation = ?1 ORDER BY seq DESC LIMIT 1")?
        .query_row([which.0], |row| row.get(0))
        .optional()?;
    Ok(match (asks, works) {
        (true, _) => ChatState::Asks,
        (false, None) => ChatState::Fresh,
        (false, Some(true)) => ChatState::Works,
        (false, Some(false)) => ChatState::Rests,
    })
}

/// How many entries are looked through for words.
const LOOKED_THROUGH: i64 = 16;

pub(super) fn last_said(
    tx: &Connection,
    which: ConversationId,
) -> Result<Option<(Timestamp, String)>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT at, body FROM entry WHERE conversation = ?1 ORDER BY seq DESC LIMIT ?2",
    )?;
    let mut rows = found.query([which.0, LOOKED_THROUGH])?;
    while let Some(row) = rows.next()? {
        let said = match column(row, "body")? {
            Entry::Model { text, .. } => text,
            Entry::Person { parts, .. } => parts
                .iter()
                .find_map(|part| match &part.value {
                    PartBody::File(_) => None,
                    PartBody::Text(text) => Some(text.clone()),
                })
                .unwrap_or_default(),
            Entry::Result { .. } | Entry::Stopped => String::new(),
        };
        if !said.trim().is_empty() {
            return Ok(Some((Timestamp(row.get("at")?), said)));
        }
    }
    Ok(None)
}
