//! What does a quote repeat? Some platforms only name the message that is answered; its words are
//! looked up among what was said in the chat and what we said there.

use adapters::Encoded;
use bot_policy::event::{Part, PartBody, Provenance};
use bot_policy::id::{LineId, MessageRef};
use rusqlite::{Connection, OptionalExtension};

use super::rows::{PlaceId, column, message_key, parse};
use super::{Store, StoreError};
use crate::agent::Entry;

/// Fills in the words of each quote that comes without.
pub(super) fn repeat(
    store: &Store,
    tx: &Connection,
    line: &LineId,
    at: PlaceId,
    parts: &mut [Part],
) -> Result<(), StoreError> {
    for part in parts {
        let (PartBody::Text(text), Provenance::Quoted { original }) =
            (&mut part.body, &part.provenance)
        else {
            continue;
        };
        if text.is_empty() {
            let known = original.as_ref();
            let known = known.map(|original| words(store, tx, line, at, original));
            let known = known.transpose()?.flatten();
            *text = known.unwrap_or_else(|| UNKNOWN.to_owned());
        }
    }
    Ok(())
}

fn words(
    store: &Store,
    tx: &Connection,
    line: &LineId,
    at: PlaceId,
    message: &MessageRef,
) -> Result<Option<String>, StoreError> {
    let key = message_key(at, message.as_str());
    let said: Option<String> = tx
        .prepare_cached("SELECT body FROM entry WHERE message = ?1 LIMIT 1")?
        .query_row([&key], |row| row.get(0))
        .optional()?;
    if let Some(said) = said {
        return Ok(match parse(&said)? {
            Entry::Person { parts, .. } => {
                let texts = parts.into_iter().filter_map(|part| match part.value {
                    PartBody::File(_) => None,
                    PartBody::Text(text) => Some(text),
                });
                Some(texts.collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty())
            }
            Entry::Model { .. } | Entry::Result { .. } | Entry::Stopped => None,
        });
    }
    let ours: Option<Result<Encoded, StoreError>> = tx
        .prepare_cached("SELECT encoded FROM outbox WHERE message = ?1 LIMIT 1")?
        .query_row([&key], |row| Ok(column(row, "encoded")))
        .optional()?;
    let ours = ours.transpose()?;
    Ok(ours.and_then(|encoded| store.faces.plain(line, &encoded)))
}

/// What stands for a message that is not known here.
const UNKNOWN: &str = "[a message of this chat]";
