//! Who wants to use a group, and what does the owner say?

use bot_policy::access::{Person, Role};
use bot_policy::approval::CHAT_CARD_SECONDS;
use bot_policy::event::ChatKind;
use bot_policy::id::{ChatId, LineId, PersonId, Place, Platform, ThreadId, Timestamp, UserRef};
use bot_policy::visible;
use rusqlite::{Connection, OptionalExtension, params};

use super::buttons::{Meaning, button};
use super::outbox::{About, Letter, notice, post};
use super::people::{Claimed, owner_of, person_of, take_place};
use super::rows::{PlaceId, json};
use super::{Store, StoreError};

impl Store {
    /// Puts the claim of a group to the owner, in their direct chats. Nothing while the owner has
    /// not answered the same claim of before.
    pub async fn ask_claim(
        &self,
        place: Place,
        by: UserRef,
        who: Person,
        now: Timestamp,
    ) -> Result<Option<Vec<Letter>>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let waits: bool = tx.query_row(
                "SELECT EXISTS (SELECT 1 FROM claim WHERE line = ?1 AND chat = ?2 AND person = ?3 AND closed = 0 AND ends_at > ?4)",
                params![place.line.as_str(), place.chat.as_str(), who.id.0, now.0],
                |row| row.get(0),
            )?;
            if waits {
                return Ok(None);
            }
            let thread = place.thread.as_ref().map_or("", ThreadId::as_str);
            let ends_at = now.plus_seconds(CHAT_CARD_SECONDS);
            tx.execute(
                "INSERT INTO claim (line, chat, platform, thread, person, ends_at, user) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![place.line.as_str(), place.chat.as_str(), by.platform.as_str(), thread, who.id.0, ends_at.0, by.id],
            )?;
            let claim = tx.last_insert_rowid();
            let text = format!(
                "{} wants to use me in the group {} on {}. Everyone in that group will read my replies.",
                visible::foreign(&who.name),
                place.chat,
                place.line
            );
            let mut letters = Vec::new();
            for (at, owner) in owners_chats(tx)? {
                let yes = button(tx, "Allow this group", at, owner, None, &Meaning::Claim { claim, yes: true })?;
                let no = button(tx, "Deny", at, owner, None, &Meaning::Claim { claim, yes: false })?;
                letters.extend(post(&store, tx, at, &notice(text.clone(), vec![yes, no]), About::Nothing, now)?);
            }
            Ok(Some(letters))
        })
        .await
    }

    /// Decides the claim of a group.
    pub async fn decide_claim(
        &self,
        claim: i64,
        yes: bool,
        now: Timestamp,
    ) -> Result<Claimed, StoreError> {
        self.write(move |tx| {
            let found: Option<(String, String, String, String, String, i64)> = tx
                .query_row(
                    "UPDATE claim SET closed = 1 WHERE id = ?1 AND closed = 0 AND ends_at > ?2
                     RETURNING line, chat, thread, platform, user, person",
                    params![claim, now.0],
                    |row| {
                        Ok((
                            row.get(0)?,
                            row.get(1)?,
                            row.get(2)?,
                            row.get(3)?,
                            row.get(4)?,
                            row.get(5)?,
                        ))
                    },
                )
                .optional()?;
            let Some((line, chat, thread, platform, user, who)) = found else {
                return Ok(Claimed::Closed);
            };
            let place = Place {
                line: LineId::new(line),
                chat: ChatId::new(chat),
                thread: (!thread.is_empty()).then(|| ThreadId::new(thread)),
            };
            let by = UserRef {
                platform: Platform::new(platform),
                id: user,
            };
            // Nobody's any more when they were let go of meanwhile.
            let who = person_of(tx, &by)?.filter(|person| person.id == PersonId(who));
            match who {
                Some(who) if yes && owner_of(tx, &place)?.is_none() => {
                    take_place(tx, &place, &by, ChatKind::Group, &who, now)?;
                    Ok(Claimed::By(who, place))
                }
                Some(_) | None => Ok(Claimed::Closed),
            }
        })
        .await
    }
}

/// The owner's direct chats.
pub(super) fn owners_chats(tx: &Connection) -> Result<Vec<(PlaceId, PersonId)>, StoreError> {
    let mut found = tx.prepare(
        "SELECT place.id, person.id FROM pairing JOIN person ON person.id = pairing.person
         CROSS JOIN place ON place.line = pairing.line AND place.chat = pairing.chat AND place.thread = ''
         WHERE person.role = ?1 AND pairing.kind = ?2",
    )?;
    let owner = json(&Role::Owner)?;
    let direct = json(&ChatKind::Direct)?;
    Ok(found
        .query_map(params![owner, direct], |row| {
            Ok((PlaceId(row.get(0)?), PersonId(row.get(1)?)))
        })?
        .collect::<Result<_, _>>()?)
}
