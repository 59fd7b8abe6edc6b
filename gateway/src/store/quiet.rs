//! When does a place begin anew by itself? After it was quiet for long, with nothing under way.

use bot_policy::access::Incognito;
use bot_policy::id::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::outbox::{Letter, tell};
use super::rows::{PlaceId, json};
use super::{Store, StoreError};

/// How long a place is quiet before the next message begins a new conversation, in seconds.
const QUIET_SECONDS: i64 = 12 * 60 * 60;

/// Lets the conversation of a place rest that was quiet for long, and says so. It keeps its marks
/// and its cards. Not while a question is open or a reply is on its way, nor where the place is
/// linked or keeps nothing.
pub(super) fn rest(
    store: &Store,
    tx: &Connection,
    at: PlaceId,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let quiet: Option<i64> = tx
        .prepare_cached(
            "SELECT conversation.id FROM place JOIN conversation ON conversation.id = place.conversation
             WHERE place.id = ?1 AND place.linked = 0
               AND NOT EXISTS (SELECT 1 FROM coding WHERE coding.conversation = conversation.id) AND conversation.ended IS NULL
               AND conversation.incognito = ?2
               AND (SELECT at FROM entry WHERE entry.conversation = conversation.id ORDER BY seq DESC LIMIT 1) <= ?3
               AND NOT EXISTS (SELECT 1 FROM question INDEXED BY question_unsettled
                 CROSS JOIN conversation AS other ON other.id = question.conversation
                 WHERE conversation.id IN (other.id, other.parent)
                   AND question.state IN ('\"Asked\"', '\"Approved\"', '\"Started\"'))
               AND NOT EXISTS (SELECT 1 FROM conversation AS other
                 WHERE other.parent = conversation.id AND other.ended IS NULL)
               AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.place = ?1
                 AND outbox.state IN ('queued', 'sending'))",
        )?
        .query_row(
            params![
                at.0,
                json(&Incognito::Off)?,
                now.plus_seconds(-QUIET_SECONDS).0
            ],
            |row| row.get(0),
        )
        .optional()?;
    if quiet.is_none() {
        return Ok(Vec::new());
    }
    tx.prepare_cached("UPDATE place SET conversation = NULL WHERE id = ?1")?
        .execute([at.0])?;
    let text = "A new conversation, as this chat was quiet for more than 12 hours: what the last one had read and said is not part of it.";
    tell(store, tx, at, text, now)
}
