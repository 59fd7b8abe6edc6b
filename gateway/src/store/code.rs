//! Which Code conversations are there, and what did the owner say of their folders?

use std::path::PathBuf;

use bot_policy::access::{Incognito, Person, Role, refused_at_terminal};
use bot_policy::event::{ChatKind, EventKind, InboundEvent};
use bot_policy::id::{
    ChatId, ConversationId, LineId, PersonId, Place, Platform, QuestionId, Timestamp, UserRef,
};
use rusqlite::{Connection, OptionalExtension, params};

use super::console::last_said;
use super::conversations::{end, running, running_or_new};
use super::links::{linked_to, unlink};
use super::outbox::Letter;
use super::people::take_place;
use super::rows::{PlaceId, json, place, place_id};
use super::turns::stop_turn;
use super::{Store, StoreError};
use crate::agent::tools::{CodeFolder, Ownership, Unconfined};
use crate::code::LINE;

/// The name of the owner's account at the terminal.
const ACCOUNT: &str = "owner";

/// Which Code conversation a conversation is, or works for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coding {
    /// Its folder.
    pub folder: CodeFolder,
    /// Whether a script reads it, so that nobody is there to answer.
    pub unattended: bool,
}

/// A Code conversation that can be gone on with.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeSeen {
    /// Which.
    pub id: ConversationId,
    /// Its place at the terminal.
    pub place: Place,
    /// Its folder.
    pub folder: String,
    /// What was said last.
    pub last: Option<String>,
    /// When.
    pub at: Timestamp,
    /// The chats that it is linked to.
    pub linked: Vec<Place>,
}

/// The place of a Code conversation of this name.
pub fn terminal_place(name: &str) -> Place {
    Place {
        line: LineId::new(LINE),
        chat: ChatId::new(name),
        thread: None,
    }
}

/// Who speaks at the terminal.
pub fn terminal_user() -> UserRef {
    UserRef {
        platform: Platform::new(LINE),
        id: ACCOUNT.to_owned(),
    }
}

/// The Code conversation of a conversation, or of the one that it works for.
pub(super) fn coding(tx: &Connection, which: ConversationId) -> Result<Option<Coding>, StoreError> {
    let found: Option<(String, bool, Option<String>, Option<bool>)> = tx
        .prepare_cached(
            "SELECT folder, unattended, ownership, unconfined FROM conversation
             JOIN coding ON coding.conversation = coalesce(conversation.parent, conversation.id)
             LEFT JOIN code_folder ON code_folder.path = coding.folder
             WHERE conversation.id = ?1",
        )?
        .query_row([which.0], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .optional()?;
    Ok(
        found.map(|(folder, unattended, ownership, unconfined)| Coding {
            folder: CodeFolder {
                path: PathBuf::from(folder),
                ownership: ownership_of(ownership.as_deref()),
                unconfined: match unconfined {
                    Some(true) => Unconfined::Accepted,
                    Some(false) | None => Unconfined::No,
                },
            },
            unattended,
        }),
    )
}

/// Why what was typed is nothing for the terminal that it was typed at.
pub(super) fn refused(event: &InboundEvent) -> Option<String> {
    match &event.what {
        EventKind::Message { parts, .. } if event.place.line.as_str() == LINE => {
            refused_at_terminal(parts)
        }
        EventKind::Command { .. }
        | EventKind::Delete { .. }
        | EventKind::Delivery { .. }
        | EventKind::Edit { .. }
        | EventKind::Left
        | EventKind::Message { .. }
        | EventKind::Moved { .. }
        | EventKind::Opened { .. }
        | EventKind::Picked { .. }
        | EventKind::Press { .. }
        | EventKind::Search { .. } => None,
    }
}

/// Whether a place is the terminal of a Code conversation.
pub(super) fn is_terminal(tx: &Connection, at: PlaceId) -> Result<bool, StoreError> {
    Ok(place(tx, at)?.line.as_str() == LINE)
}

fn ownership_of(said: Option<&str>) -> Ownership {
    match said {
        Some("yours") => Ownership::Yours,
        Some(_) | None => Ownership::Foreign,
    }
}

/// The owner, who may have no chat anywhere else yet.
fn owner(tx: &Connection, now: Timestamp) -> Result<Person, StoreError> {
    let role = json(&Role::Owner)?;
    tx.execute(
        "INSERT INTO person (role, name, since) SELECT ?1, 'owner', ?2
         WHERE NOT EXISTS (SELECT 1 FROM person WHERE role = ?1)",
        params![role, now.0],
    )?;
    Ok(tx.query_row(
        "SELECT id, name FROM person WHERE role = ?1",
        [role],
        |row| {
            Ok(Person {
                id: PersonId(row.get(0)?),
                role: Role::Owner,
                name: row.get(1)?,
            })
        },
    )?)
}

fn begin(
    tx: &Connection,
    at: PlaceId,
    folder: &str,
    unattended: bool,
    now: Timestamp,
) -> Result<ConversationId, StoreError> {
    let who = owner(tx, now)?;
    let id = running_or_new(tx, at, ChatKind::Direct, &who, Incognito::Off, now)?;
    tx.execute(
        "INSERT INTO coding (conversation, place, folder, unattended, script) VALUES (?1, ?2, ?3, ?4, ?4)",
        params![id.0, at.0, folder, unattended],
    )?;
    Ok(id)
}

/// Begins anew in the folder of a place: what was said and read is behind it. Nothing where the
/// place is no terminal.
pub(super) fn anew(
    store: &Store,
    tx: &Connection,
    at: PlaceId,
    now: Timestamp,
) -> Result<Option<Vec<Letter>>, StoreError> {
    let Some(before) = running(tx, at)?.filter(|_| is_terminal(tx, at).unwrap_or(false)) else {
        return Ok(None);
    };
    let folder: Option<String> = tx
        .query_row(
            "SELECT folder FROM coding WHERE conversation = ?1",
            [before.0],
            |row| row.get(0),
        )
        .optional()?;
    let Some(folder) = folder else {
        return Ok(None);
    };
    let mut letters = stop_turn(store, tx, before, "a fresh conversation was started", now)?;
    for linked in linked_to(tx, before)? {
        letters.extend(unlink(store, tx, linked, now)?.unwrap_or_default());
    }
    end(tx, at, now)?;
    begin(tx, at, &folder, false, now)?;
    Ok(Some(letters))
}

impl Store {
    /// Opens a Code conversation in a folder; `name` names its place.
    pub async fn open_code(
        &self,
        name: String,
        folder: String,
        unattended: bool,
        now: Timestamp,
    ) -> Result<ConversationId, StoreError> {
        self.write(move |tx| {
            let (who, user, at) = (owner(tx, now)?, terminal_user(), terminal_place(&name));
            tx.execute(
                "INSERT OR REPLACE INTO account (platform, user, person) VALUES (?1, ?2, ?3)",
                params![user.platform.as_str(), user.id, who.id.0],
            )?;
            let id = place_id(tx, &at)?;
            take_place(tx, &at, &user, ChatKind::Direct, &who, now)?;
            begin(tx, id, &folder, unattended, now)
        })
        .await
    }

    /// Says whether somebody is there to answer in a Code conversation. One that a script began is
    /// listed from the first time on that somebody is.
    pub async fn attend_code(
        &self,
        which: ConversationId,
        unattended: bool,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.execute(
                "UPDATE coding SET unattended = ?2, script = script AND ?2 WHERE conversation = ?1",
                params![which.0, unattended],
            )?;
            Ok(())
        })
        .await
    }

    /// The Code conversations that go on, the one that spoke last first.
    pub async fn codes(&self, most: i64) -> Result<Vec<CodeSeen>, StoreError> {
        self.read(move |tx| codes(tx, most)).await
    }

    /// The Code conversation of this name that goes on.
    pub async fn code_named(&self, name: String) -> Result<Option<CodeSeen>, StoreError> {
        self.read(move |tx| {
            let Some(at) = super::rows::known_place(tx, &terminal_place(&name))? else {
                return Ok(None);
            };
            match running(tx, at)? {
                Some(which) => seen(tx, which),
                None => Ok(None),
            }
        })
        .await
    }

    /// How many calls of a conversation and its workers did not run for want of an approval, since
    /// the person last wrote.
    pub async fn unapproved(&self, which: ConversationId) -> Result<i64, StoreError> {
        self.read(move |tx| {
            let mut found = tx.prepare_cached(
                "SELECT count(*) FROM (SELECT ?1 AS id UNION SELECT id FROM conversation WHERE parent = ?1) AS mine
                 JOIN entry ON entry.conversation = mine.id
                 WHERE json_extract(entry.body, '$.Result.ended') = 'Unapproved' AND entry.at >= (
                     SELECT at FROM entry WHERE conversation = ?1
                     AND json_type(body, '$.Person') IS NOT NULL ORDER BY seq DESC LIMIT 1)",
            )?;
            Ok(found.query_row([which.0], |row| row.get(0))?)
        })
        .await
    }

    /// What is known of a folder: whose it is, if that was ever answered, and whether its commands
    /// may run without a cage.
    pub async fn code_folder(
        &self,
        path: String,
    ) -> Result<Option<(Ownership, Unconfined)>, StoreError> {
        self.read(move |tx| {
            let found: Option<(String, bool)> = tx
                .query_row(
                    "SELECT ownership, unconfined FROM code_folder WHERE path = ?1",
                    [path],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            Ok(found.map(|(ownership, unconfined)| {
                let unconfined = match unconfined {
                    true => Unconfined::Accepted,
                    false => Unconfined::No,
                };
                (ownership_of(Some(&ownership)), unconfined)
            }))
        })
        .await
    }

    /// Keeps what the owner said of a folder.
    pub async fn keep_folder(
        &self,
        path: String,
        ownership: Ownership,
        unconfined: Unconfined,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            let ownership = match ownership {
                Ownership::Foreign => "foreign",
                Ownership::Yours => "yours",
            };
            tx.execute(
                "INSERT OR REPLACE INTO code_folder (path, ownership, unconfined, at) VALUES (?1, ?2, ?3, ?4)",
                params![path, ownership, unconfined == Unconfined::Accepted, now.0],
            )?;
            Ok(())
        })
        .await
    }

    /// The questions that stand at terminals alone: their conversation, and the name of its place.
    pub async fn at_terminals(
        &self,
    ) -> Result<Vec<(ConversationId, QuestionId, String)>, StoreError> {
        self.read(|tx| {
            // Said as the index of open questions says it.
            let mut found = tx.prepare_cached(
                "SELECT question.conversation, question.id, place.chat FROM question
                 JOIN place ON place.id = question.place
                 WHERE question.state = '\"Asked\"' AND question.ends_at = ?1 AND place.line = ?2",
            )?;
            let found = found.query_map(params![i64::MAX, LINE], |row| {
                Ok((
                    ConversationId(row.get(0)?),
                    QuestionId(row.get(1)?),
                    row.get(2)?,
                ))
            })?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Whether a letter is still on its way to a place.
    pub async fn unsent_at(&self, at: Place) -> Result<bool, StoreError> {
        self.read(move |tx| {
            let Some(at) = super::rows::known_place(tx, &at)? else {
                return Ok(false);
            };
            let mut found = tx.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM outbox INDEXED BY outbox_unsent
                 WHERE place = ?1 AND state IN ('queued', 'sending'))",
            )?;
            Ok(found.query_row([at.0], |row| row.get(0))?)
        })
        .await
    }
}

/// The Code conversations that go on, the one that spoke last first. Those of scripts are not among
/// them.
pub(super) fn codes(tx: &Connection, most: i64) -> Result<Vec<CodeSeen>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT coding.conversation, coalesce(
             (SELECT at FROM entry WHERE entry.conversation = conversation.id ORDER BY seq DESC LIMIT 1),
             conversation.since) AS newest
         FROM coding JOIN conversation ON conversation.id = coding.conversation
         WHERE conversation.ended IS NULL AND NOT coding.script
         ORDER BY newest DESC, conversation.id DESC LIMIT ?1",
    )?;
    let found = found.query_map([most], |row| row.get(0).map(ConversationId))?;
    let found: Vec<ConversationId> = found.collect::<Result<_, _>>()?;
    let seen = found.into_iter().map(|which| seen(tx, which).transpose());
    seen.flatten().collect()
}

fn seen(tx: &Connection, which: ConversationId) -> Result<Option<CodeSeen>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT coding.folder, coding.place, coalesce(
             (SELECT at FROM entry WHERE entry.conversation = conversation.id ORDER BY seq DESC LIMIT 1),
             conversation.since) AS newest
         FROM coding JOIN conversation ON conversation.id = coding.conversation
         WHERE conversation.id = ?1",
    )?;
    let mut rows = found.query([which.0])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let linked = linked_to(tx, which)?.into_iter();
    Ok(Some(CodeSeen {
        id: which,
        place: place(tx, PlaceId(row.get("place")?))?,
        folder: row.get("folder")?,
        last: last_said(tx, which)?.map(|(_, said)| said),
        at: Timestamp(row.get("newest")?),
        linked: linked.map(|at| place(tx, at)).collect::<Result<_, _>>()?,
    }))
}
