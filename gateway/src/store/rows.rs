//! How are the words written into columns? Ids as text or numbers, everything else as JSON.

use bot_policy::id::{ChatId, LineId, Place, ThreadId};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::StoreError;

/// The number of a place in this database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(pub i64);

pub(super) fn json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    Ok(serde_json::to_string(value)?)
}

pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    Ok(serde_json::from_str(text)?)
}

/// A column of JSON.
pub(super) fn column<T: DeserializeOwned>(row: &Row<'_>, name: &str) -> Result<T, StoreError> {
    let text: String = row.get(name)?;
    parse(&text)
}

fn thread_text(place: &Place) -> &str {
    place.thread.as_ref().map_or("", ThreadId::as_str)
}

/// The number of a place, given when it is first met.
pub(super) fn place_id(tx: &Connection, place: &Place) -> Result<PlaceId, StoreError> {
    if let Some(id) = known_place(tx, place)? {
        return Ok(id);
    }
    tx.prepare_cached("INSERT INTO place (line, chat, thread) VALUES (?1, ?2, ?3)")?
        .execute(params![
            place.line.as_str(),
            place.chat.as_str(),
            thread_text(place)
        ])?;
    Ok(PlaceId(tx.last_insert_rowid()))
}

/// The number of a place, if it was met before.
pub(super) fn known_place(tx: &Connection, place: &Place) -> Result<Option<PlaceId>, StoreError> {
    Ok(tx
        .prepare_cached("SELECT id FROM place WHERE line = ?1 AND chat = ?2 AND thread = ?3")?
        .query_row(
            params![place.line.as_str(), place.chat.as_str(), thread_text(place)],
            |row| row.get(0).map(PlaceId),
        )
        .optional()?)
}

/// The place of a number.
pub(super) fn place(tx: &Connection, id: PlaceId) -> Result<Place, StoreError> {
    Ok(tx
        .prepare_cached("SELECT line, chat, thread FROM place WHERE id = ?1")?
        .query_row([id.0], |row| {
            let thread: String = row.get(2)?;
            Ok(Place {
                line: LineId::new(row.get::<_, String>(0)?),
                chat: ChatId::new(row.get::<_, String>(1)?),
                thread: (!thread.is_empty()).then(|| ThreadId::new(thread)),
            })
        })?)
}

/// A message of a place, as the one text that the index holds.
pub(super) fn message_key(place: PlaceId, message: &str) -> String {
    format!("{}/{message}", place.0)
}
