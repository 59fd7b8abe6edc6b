//! Who is paired, and with which places?

use adapters::Strangers;
use bot_policy::access::{
    Directory, Incognito, Person, Role, STRANGER_WINDOW_SECONDS, Scope, StrangerAnswered, scope,
};
use bot_policy::event::{ChatKind, InboundEvent, Sender};
use bot_policy::id::{ChatId, LineId, PersonId, Place, Timestamp, UserRef};
use bot_policy::pairing::CodeRole;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::audit::{AuditEntry, append};
use super::links::unlink_chat;
use super::memories::forget_all;
use super::outbox::Letter;
use super::questions::withdraw_all;
use super::rows::{column, json, known_place};
use super::{Store, StoreError};
use crate::agent::tools::Keeper;
use crate::code::LINE;

/// A person as `status` shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonSeen {
    /// Who.
    pub person: Person,
    /// Their places, as `line chat`.
    pub places: Vec<String>,
}

/// What became of a claim of a group.
#[derive(Clone, Debug, PartialEq)]
pub enum Claimed {
    /// It belongs to this person now.
    By(Person, Place),
    /// It was decided, or ended, before.
    Closed,
}

pub(super) fn directory(
    store: &Store,
    tx: &Connection,
    event: &InboundEvent,
    now: Timestamp,
) -> Result<Directory, StoreError> {
    let sender = match &event.sender {
        Sender::Person(user) => person_of(tx, user)?,
        Sender::Shared => None,
    };
    let pairing: Option<(i64, String)> = tx
        .prepare_cached("SELECT person, kind FROM pairing WHERE line = ?1 AND chat = ?2")?
        .query_row(
            params![event.place.line.as_str(), event.place.chat.as_str()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let (place, paired_as) = match pairing {
        Some((person, kind)) => (
            Some(PersonId(person)),
            Some(super::rows::parse::<ChatKind>(&kind)?),
        ),
        None => (None, None),
    };
    let incognito = match known_place(tx, &event.place)? {
        Some(place) => super::conversations::incognito(tx, place)?,
        None => Incognito::Off,
    };
    let answered = match (store.contact(&event.place.line).strangers, &event.sender) {
        (Strangers::Silence, _) => StrangerAnswered::Never,
        (Strangers::Answered, Sender::Person(user)) => answered(tx, user, now)?,
        (Strangers::Answered, Sender::Shared) => StrangerAnswered::Yes,
    };
    Ok(Directory {
        sender,
        place,
        incognito,
        answered,
        paired_as,
    })
}

/// How many guests of one name are told apart by a number.
const MOST_OF_ONE_NAME: u32 = 99;

pub(super) fn sender_key(user: &UserRef) -> String {
    format!("{}/{}", user.platform, user.id)
}

fn answered(
    tx: &Connection,
    user: &UserRef,
    now: Timestamp,
) -> Result<StrangerAnswered, StoreError> {
    let at: Option<i64> = tx
        .prepare_cached("SELECT answered_at FROM stranger WHERE sender = ?1")?
        .query_row([sender_key(user)], |row| row.get(0))
        .optional()?;
    Ok(match at {
        Some(at) if Timestamp(at).plus_seconds(STRANGER_WINDOW_SECONDS) > now => {
            StrangerAnswered::Yes
        }
        Some(_) | None => StrangerAnswered::No,
    })
}

/// Notes that a stranger had their one answer.
pub(super) fn note_answered(
    tx: &Connection,
    user: &UserRef,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.prepare_cached("INSERT OR REPLACE INTO stranger (sender, answered_at) VALUES (?1, ?2)")?
        .execute(params![sender_key(user), now.0])?;
    Ok(())
}

fn person_row(row: &Row<'_>) -> Result<Person, StoreError> {
    Ok(Person {
        id: PersonId(row.get("id")?),
        role: column(row, "role")?,
        name: row.get("name")?,
    })
}

pub(super) fn person_of(tx: &Connection, user: &UserRef) -> Result<Option<Person>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT person.* FROM account JOIN person ON person.id = account.person WHERE platform = ?1 AND user = ?2",
    )?;
    let mut rows = found.query(params![user.platform.as_str(), user.id])?;
    rows.next()?.map(person_row).transpose()
}

pub(super) fn person(tx: &Connection, id: PersonId) -> Result<Option<Person>, StoreError> {
    let mut found = tx.prepare_cached("SELECT * FROM person WHERE id = ?1")?;
    let mut rows = found.query([id.0])?;
    rows.next()?.map(person_row).transpose()
}

/// The owner, once somebody is.
pub(super) fn the_owner(tx: &Connection) -> Result<Option<Person>, StoreError> {
    let mut found = tx.prepare_cached("SELECT * FROM person WHERE role = ?1")?;
    let mut rows = found.query([json(&Role::Owner)?])?;
    rows.next()?.map(person_row).transpose()
}

/// The person who paired the chat of a place.
pub(super) fn owner_of(tx: &Connection, place: &Place) -> Result<Option<PersonId>, StoreError> {
    Ok(tx
        .prepare_cached("SELECT person FROM pairing WHERE line = ?1 AND chat = ?2")?
        .query_row(params![place.line.as_str(), place.chat.as_str()], |row| {
            row.get(0).map(PersonId)
        })
        .optional()?)
}

/// Pairs a chat with the person of a code, and closes what somebody else had there.
pub(super) fn pair(
    store: &Store,
    tx: &Connection,
    event: &InboundEvent,
    user: &UserRef,
    role: &CodeRole,
    now: Timestamp,
) -> Result<(Person, Vec<Letter>), StoreError> {
    let (role, name) = match role {
        CodeRole::Guest { name } => (Role::Guest, name.as_str()),
        CodeRole::Owner => (Role::Owner, "owner"),
    };
    let name = own_name(tx, role, name, user)?;
    tx.execute(
        "INSERT OR IGNORE INTO person (role, name, since) VALUES (?1, ?2, ?3)",
        params![json(&role)?, name, now.0],
    )?;
    let id: i64 = tx.query_row(
        "SELECT id FROM person WHERE role = ?1 AND name = ?2",
        params![json(&role)?, name],
        |row| row.get(0),
    )?;
    tx.execute(
        "INSERT OR REPLACE INTO account (platform, user, person) VALUES (?1, ?2, ?3)",
        params![user.platform.as_str(), user.id, id],
    )?;
    let person = Person {
        id: PersonId(id),
        role,
        name,
    };
    // Whatever somebody else had there does not pass to the one who pairs it now.
    let mut letters = Vec::new();
    if owner_of(tx, &event.place)?.is_some_and(|before| before != person.id) {
        letters = unlink_chat(store, tx, &event.place, now)?;
        let anew = "the chat was paired anew";
        letters.extend(withdraw_all(store, tx, &event.place, anew, now)?);
        forget_chat(tx, &event.place)?;
        super::conversations::end_in_chat(tx, &event.place, now)?;
    }
    let kind = event.kind_of_chat;
    take_place(tx, &event.place, user, kind, &person, now)?;
    Ok((person, letters))
}

/// The name that a guest goes by. Two guests of one name are two people: another account gets a
/// name of its own, as long as the first one is there.
fn own_name(tx: &Connection, role: Role, name: &str, user: &UserRef) -> Result<String, StoreError> {
    if role == Role::Owner {
        return Ok(name.to_owned());
    }
    for count in 1..=MOST_OF_ONE_NAME {
        let tried = match count {
            1 => name.to_owned(),
            count => format!("{name} {count}"),
        };
        let taken: bool = tx
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM person JOIN account ON account.person = person.id
                 WHERE role = ?1 AND name = ?2 AND NOT (platform = ?3 AND user = ?4))",
            )?
            .query_row(
                params![json(&role)?, tried, user.platform.as_str(), user.id],
                |row| row.get(0),
            )?;
        if !taken {
            return Ok(tried);
        }
    }
    Ok(format!("{name} {}", sender_key(user)))
}

/// What a group kept is gone with its pairing: it does not pass to whoever pairs it next.
pub(super) fn forget_chat(tx: &Connection, chat: &Place) -> Result<(), StoreError> {
    let mut places = tx.prepare_cached("SELECT id FROM place WHERE line = ?1 AND chat = ?2")?;
    let places: Vec<i64> = places
        .query_map(params![chat.line.as_str(), chat.chat.as_str()], |row| {
            row.get(0)
        })?
        .collect::<Result<_, _>>()?;
    places
        .into_iter()
        .try_for_each(|place| forget_all(tx, Keeper::Place(place)))
}

pub(super) fn take_place(
    tx: &Connection,
    place: &Place,
    by: &UserRef,
    kind: ChatKind,
    person: &Person,
    now: Timestamp,
) -> Result<(), StoreError> {
    let user = match kind {
        ChatKind::Direct => by.id.as_str(),
        ChatKind::Group => "",
    };
    tx.execute(
        "INSERT OR REPLACE INTO pairing (line, chat, kind, person, platform, since, user) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![place.line.as_str(), place.chat.as_str(), json(&kind)?, person.id.0, by.platform.as_str(), now.0, user],
    )?;
    let entry = AuditEntry::Paired {
        person: person.id,
        role: format!("{:?}", person.role).to_lowercase(),
        line: place.line.to_string(),
        chat: place.chat.to_string(),
    };
    append(tx, now, &entry)
}

impl Store {
    /// Who is paired with which places.
    pub async fn people(&self) -> Result<Vec<PersonSeen>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare("SELECT * FROM person ORDER BY id")?;
            let mut rows = found.query([])?;
            let mut people = Vec::new();
            while let Some(row) = rows.next()? {
                let person = person_row(row)?;
                let mut places = tx.prepare_cached(
                    "SELECT line || ' ' || chat FROM own_pairing WHERE person = ?1 AND line <> ?2 ORDER BY 1",
                )?;
                let places = places
                    .query_map(params![person.id.0, LINE], |row| row.get(0))?
                    .collect::<Result<_, _>>()?;
                people.push(PersonSeen { person, places });
            }
            Ok(people)
        })
        .await
    }

    /// The paired chats of a line, and what each may use.
    pub async fn paired_chats(&self, line: LineId) -> Result<Vec<(Place, Scope)>, StoreError> {
        self.read(move |tx| {
            let mut found = tx.prepare_cached(
                "SELECT pairing.chat, pairing.kind, person.role FROM pairing
                 JOIN person ON person.id = pairing.person WHERE pairing.line = ?1 ORDER BY 1",
            )?;
            let mut rows = found.query([line.as_str()])?;
            let mut chats = Vec::new();
            while let Some(row) = rows.next()? {
                let place = Place {
                    line: line.clone(),
                    chat: ChatId::new(row.get::<_, String>("chat")?),
                    thread: None,
                };
                let (role, kind) = (column(row, "role")?, column(row, "kind")?);
                chats.push((place, scope(role, kind, Incognito::Off)));
            }
            Ok(chats)
        })
        .await
    }

    /// How many codes live, and how many questions wait.
    pub async fn waiting(&self, now: Timestamp) -> Result<(u32, u32), StoreError> {
        self.read(move |tx| {
            let codes = tx.query_row(
                "SELECT count(*) FROM code WHERE ends_at > ?1",
                [now.0],
                |row| row.get(0),
            )?;
            // Said as the index of open questions says it, so that only those are counted.
            let questions = tx.query_row(
                "SELECT count(*) FROM question WHERE state = '\"Asked\"'",
                [],
                |row| row.get(0),
            )?;
            Ok((codes, questions))
        })
        .await
    }

    /// The person who paired the chat of a place.
    pub async fn paired_by(&self, place: Place) -> Result<Option<Person>, StoreError> {
        self.read(move |tx| owner_of(tx, &place)?.map_or(Ok(None), |id| person(tx, id)))
            .await
    }
}
