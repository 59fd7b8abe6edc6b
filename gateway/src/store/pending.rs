//! What was stored and is still to be carried out?

use bot_policy::access::{Admission, admit};
use bot_policy::event::InboundEvent;
use bot_policy::id::{Place, Timestamp};
use bot_policy::message::OutboundMessage;

use super::outbox::{About, Letter, post};
use super::people::directory;
use super::rows::{parse, place_id};
use super::{Store, StoreError};

/// An event that is carried out after it was stored.
#[derive(Clone, Debug)]
pub struct Pending {
    /// Its number.
    pub seq: i64,
    /// The event.
    pub event: InboundEvent,
    /// How it was judged.
    pub admission: Admission,
}

impl Store {
    /// Presses and commands that were stored and not carried out when the program stopped,
    /// judged again as things stand today.
    pub async fn pending(&self, now: Timestamp) -> Result<Vec<Pending>, StoreError> {
        self.read(move |tx| {
            let mut open = tx.prepare(
                "SELECT seq, body FROM event WHERE body IS NOT NULL AND untaken = 0 ORDER BY seq",
            )?;
            let mut rows = open.query([])?;
            let mut pending = Vec::new();
            while let Some(row) = rows.next()? {
                let body: String = row.get(1)?;
                let seq: i64 = row.get(0)?;
                // It cannot be carried out, and is no reason not to start.
                let Ok(event) = parse::<InboundEvent>(&body) else {
                    tracing::error!(seq, "a stored event does not read back");
                    continue;
                };
                let admission = admit(&event, &directory(self, tx, &event, now)?);
                pending.push(Pending {
                    seq,
                    event,
                    admission,
                });
            }
            Ok(pending)
        })
        .await
    }

    /// Answers a stored event where it came from, and records that it is carried out; nothing when
    /// that was recorded before.
    pub async fn answer_event(
        &self,
        seq: i64,
        place: Place,
        message: OutboundMessage,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let open = tx
                .prepare_cached("UPDATE event SET body = NULL WHERE seq = ?1 AND body IS NOT NULL")?
                .execute([seq])?;
            if open == 0 {
                return Ok(Vec::new());
            }
            let at = place_id(tx, &place)?;
            post(&store, tx, at, &message, About::Nothing, now)
        })
        .await
    }

    /// Records that a press or a command was carried out.
    pub async fn carried_out(&self, seq: i64) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.prepare_cached("UPDATE event SET body = NULL WHERE seq = ?1")?
                .execute([seq])?;
            Ok(())
        })
        .await
    }
}
