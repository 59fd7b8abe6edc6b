//! When is an album whole? Its parts are rows until none came for a while; then they are one
//! message.

use bot_policy::event::{Addressed, EventKind, InboundEvent, Part, PartBody, Provenance};
use bot_policy::id::{MessageRef, Timestamp};
use rusqlite::{Connection, params};

use super::StoreError;
use super::rows::{PlaceId, json, parse, place};

/// How long after its newest part an album is taken for whole, in milliseconds. Platforms send the
/// parts within a few hundred.
const QUIET: i64 = 1000;
/// The parts after which it is whole in any case. No platform lets people send so many at once.
const MOST: i64 = 32;

/// What is to be taken in now that this event is here: nothing while more of its album may come,
/// and what its sender sent before it first.
pub(super) fn arrived(
    tx: &Connection,
    seq: i64,
    event: InboundEvent,
    now: Timestamp,
) -> Result<Vec<(i64, InboundEvent)>, StoreError> {
    let sender = json(&(&event.place, &event.sender))?;
    let album = match &event.what {
        EventKind::Message {
            album: Some(album), ..
        } => json(&(&sender, album))?,
        // Whoever presses or searches waits for nothing, and what became of ours says nothing of
        // theirs.
        EventKind::Delivery { .. }
        | EventKind::Opened { .. }
        | EventKind::Picked { .. }
        | EventKind::Press { .. }
        | EventKind::Search { .. } => return Ok(vec![(seq, event)]),
        // What is on its way from the old chat is still of the old chat.
        EventKind::Left | EventKind::Moved { .. } => {
            let mut before = whole(tx, Timestamp(i64::MAX))?;
            before.push((seq, event));
            return Ok(before);
        }
        EventKind::Command { .. }
        | EventKind::Delete { .. }
        | EventKind::Edit { .. }
        | EventKind::Message { .. } => {
            let of_sender =
                "SELECT album FROM album_part WHERE sender = ?1 GROUP BY album ORDER BY min(event)";
            let mut before = joined_each(tx, of_sender, params![sender])?;
            before.push((seq, event));
            return Ok(before);
        }
    };
    tx.prepare_cached(
        "INSERT INTO album_part (event, album, sender, body, due) VALUES (?1, ?2, ?3, ?4, 0)",
    )?
    .execute(params![seq, album, sender, json(&event)?])?;
    let parts = tx
        .prepare_cached("UPDATE album_part SET due = ?2 WHERE album = ?1")?
        .execute(params![album, now.0.saturating_add(QUIET)])?;
    if i64::try_from(parts).unwrap_or(MOST) >= MOST {
        return Ok(joined(tx, &album)?.into_iter().collect());
    }
    Ok(Vec::new())
}

/// The albums that are whole by now, each as one message.
pub(super) fn whole(
    tx: &Connection,
    now: Timestamp,
) -> Result<Vec<(i64, InboundEvent)>, StoreError> {
    let due = "SELECT album FROM album_part WHERE due <= ?1 GROUP BY album ORDER BY min(event)";
    joined_each(tx, due, params![now.0])
}

/// Deletes what waits of a place.
pub(super) fn forget(tx: &Connection, at: PlaceId) -> Result<(), StoreError> {
    // Who sent a part stands behind where, so that all of a place stand together.
    let of_place = format!("[{},", json(&place(tx, at)?)?);
    tx.prepare_cached(
        "DELETE FROM album_part WHERE sender >= ?1 AND sender < ?1 || char(1114111)",
    )?
    .execute([of_place])?;
    Ok(())
}

fn joined_each(
    tx: &Connection,
    albums: &str,
    of: &[&dyn rusqlite::ToSql],
) -> Result<Vec<(i64, InboundEvent)>, StoreError> {
    let albums: Vec<String> = tx
        .prepare_cached(albums)?
        .query_map(of, |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let joined = albums.iter().map(|album| joined(tx, album));
    joined.filter_map(Result::transpose).collect()
}

/// Takes the parts of an album out of their rows and makes one message of them, in the order in
/// which they stand in the chat.
fn joined(tx: &Connection, album: &str) -> Result<Option<(i64, InboundEvent)>, StoreError> {
    let rows: Vec<(i64, String)> = tx
        .prepare_cached("DELETE FROM album_part WHERE album = ?1 RETURNING event, body")?
        .query_map([album], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let mut parts: Vec<(i64, InboundEvent)> = Vec::new();
    for (seq, body) in rows {
        match parse(&body) {
            Ok(event) => parts.push((seq, event)),
            // It would not read back the next time either, and holds up the others.
            Err(_) => tracing::error!(seq, "a part of an album does not read back"),
        }
    }
    parts.sort_by(|(_, one), (_, other)| order(one).cmp(&order(other)));
    let mut whole: Option<(i64, InboundEvent)> = None;
    for (seq, part) in parts {
        match &mut whole {
            None => whole = Some((seq, part)),
            Some((_, first)) => join(&mut first.what, part.what),
        }
    }
    if let Some((_, event)) = &mut whole
        && let EventKind::Message { album, .. } = &mut event.what
    {
        *album = None;
    }
    Ok(whole)
}

/// Counted names are in order when shorter ones go first.
fn order(event: &InboundEvent) -> Option<(usize, &str)> {
    match &event.what {
        EventKind::Message { message, .. } => Some((message.as_str().len(), message.as_str())),
        EventKind::Command { .. }
        | EventKind::Delete { .. }
        | EventKind::Delivery { .. }
        | EventKind::Edit { .. }
        | EventKind::Left
        | EventKind::Moved { .. }
        | EventKind::Opened { .. }
        | EventKind::Picked { .. }
        | EventKind::Press { .. }
        | EventKind::Search { .. } => None,
    }
}

/// Adds a part. The message goes by the name of the one with the words, so that a change of them
/// finds it.
fn join(whole: &mut EventKind, part: EventKind) {
    let EventKind::Message {
        message,
        parts,
        addressed,
        ..
    } = whole
    else {
        return;
    };
    let EventKind::Message {
        message: name,
        parts: more,
        addressed: to,
        ..
    } = part
    else {
        return;
    };
    if to == Addressed::Bot {
        *addressed = Addressed::Bot;
    }
    take_name(message, parts, name, &more);
    // Each part repeats what the whole album answers.
    let quoted = |part: &Part| matches!(part.provenance, Provenance::Quoted { .. });
    for part in more {
        if !(quoted(&part) && parts.contains(&part)) {
            parts.push(part);
        }
    }
}

fn take_name(message: &mut MessageRef, parts: &[Part], name: MessageRef, more: &[Part]) {
    let words = |parts: &[Part]| {
        parts.iter().any(|part| {
            matches!(part.body, PartBody::Text(_))
                && !matches!(part.provenance, Provenance::Quoted { .. })
        })
    };
    if !words(parts) && words(more) {
        *message = name;
    }
}
