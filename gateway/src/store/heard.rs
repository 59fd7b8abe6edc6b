//! What did a line hear, how far, and was it heard before?

use adapters::Cursor;
use bot_policy::event::{EventKind, InboundEvent};
use bot_policy::id::{EventId, LineId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::leases::Lease;
use super::{Store, StoreError};

/// A batch of what a line heard.
#[derive(Debug)]
pub struct Heard {
    /// The line.
    pub line: LineId,
    /// What it heard.
    pub events: Vec<InboundEvent>,
    /// How far it has heard then.
    pub until: Option<Cursor>,
    /// The lease under which it hears; none where others come to it.
    pub under: Option<Lease>,
}

impl Heard {
    /// What somebody brought to a line themselves.
    pub fn brought(event: InboundEvent) -> Self {
        Self {
            line: event.place.line.clone(),
            events: vec![event],
            until: None,
            under: None,
        }
    }
}

impl Store {
    /// How far a line has heard.
    pub async fn heard(&self, line: LineId) -> Result<Option<Cursor>, StoreError> {
        self.read(move |tx| {
            Ok(tx
                .query_row(
                    "SELECT cursor FROM heard WHERE line = ?1",
                    [line.as_str()],
                    |row| row.get(0).map(Cursor),
                )
                .optional()?)
        })
        .await
    }
}

/// Claims an event by its id and, where its kind happens once to a message, by that too: some
/// platforms tell the same again under another id. Nothing when it was seen before.
pub(super) fn claim(
    tx: &Connection,
    event: &InboundEvent,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let content = match &event.what {
        EventKind::Message { message, .. } => {
            Some(format!("{}/{message}/message", event.place.chat))
        }
        EventKind::Delete { message } => Some(format!("{}/{message}/delete", event.place.chat)),
        // A message may be edited often, and pressed under by several.
        EventKind::Command { .. }
        | EventKind::Delivery { .. }
        | EventKind::Edit { .. }
        | EventKind::Left
        | EventKind::Moved { .. }
        | EventKind::Opened { .. }
        | EventKind::Picked { .. }
        | EventKind::Press { .. }
        | EventKind::Search { .. } => None,
    };
    claim_id(tx, &event.place.line, &event.id, content, now)
}

/// Claims an id, and what makes its event known under other ids. Nothing when seen before.
pub(super) fn claim_id(
    tx: &Connection,
    line: &LineId,
    id: &EventId,
    content: Option<String>,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let fresh = tx
        .prepare_cached(
            "INSERT OR IGNORE INTO event (line, id, content, at) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![line.as_str(), id.as_str(), content, now.0])?;
    Ok((fresh == 1).then(|| tx.last_insert_rowid()))
}
