//! What became of what was to be shown?

use adapters::Encoded;
use bot_policy::id::{MessageRef, PersonId, Place, QuestionId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::buttons::{Meaning, button};
use super::outbox::{About, Letter, Outcome, letter, notice, post, put};
use super::rows::{PlaceId, column, known_place, message_key, place};
use super::{Store, StoreError, previews};

/// Whether a letter may be handed to its adapter.
#[derive(Debug)]
pub enum HandOver {
    /// It was dropped or settled meanwhile.
    Gone,
    /// It may, showing this.
    Now(Encoded),
    /// Something of its place goes before it.
    Waits,
}

impl Store {
    /// What was left unsent. A letter that was handed over when the program stopped may have
    /// arrived: cards, edits, reports of trouble and what takes the place of its own beginning are
    /// sent again, as they do no harm twice; anything else is reported as unknown, with a button
    /// that repeats it.
    pub async fn unsent(&self, now: Timestamp) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            tx.execute(
                "UPDATE outbox SET state = 'queued' WHERE state IN ('queued', 'sending') AND state = 'sending' AND (kind = 'report' OR target IS NOT NULL OR question IS NOT NULL)",
                [],
            )?;
            let mut handed = tx.prepare("SELECT id FROM outbox INDEXED BY outbox_unsent WHERE state IN ('queued', 'sending') AND state = 'sending' ORDER BY id")?;
            let handed: Vec<i64> = handed.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            for id in handed {
                unknown(&store, tx, id, now)?;
            }
            tx.execute("UPDATE outbox SET state = 'queued' WHERE state IN ('queued', 'sending') AND state = 'sending'", [])?;
            let mut queued = tx.prepare("SELECT * FROM outbox INDEXED BY outbox_unsent WHERE state IN ('queued', 'sending') AND state = 'queued' ORDER BY id")?;
            let mut rows = queued.query([])?;
            let mut letters = Vec::new();
            while let Some(row) = rows.next()? {
                letters.push(letter(tx, row)?);
            }
            Ok(letters)
        })
        .await
    }

    /// Records that a letter is handed to its adapter now, unless something of its place goes
    /// before it.
    pub async fn hand_over(&self, id: i64) -> Result<HandOver, StoreError> {
        self.write(move |tx| {
            let mut found = tx.prepare_cached(
                "SELECT encoded, EXISTS (SELECT 1 FROM outbox AS before WHERE before.place = outbox.place
                     AND before.id < outbox.id AND before.state IN ('queued', 'sending')) AS waits
                 FROM outbox WHERE id = ?1 AND state = 'queued'",
            )?;
            let mut rows = found.query([id])?;
            let Some(row) = rows.next()? else { return Ok(HandOver::Gone) };
            if row.get("waits")? {
                return Ok(HandOver::Waits);
            }
            tx.prepare_cached("UPDATE outbox SET state = 'sending' WHERE id = ?1")?.execute([id])?;
            Ok(HandOver::Now(column(row, "encoded")?))
        })
        .await
    }

    /// Records that a letter stands on the screen, and under which name.
    pub async fn sent(&self, id: i64, message: Option<MessageRef>) -> Result<(), StoreError> {
        self.write(move |tx| {
            let at: i64 = tx.query_row("SELECT place FROM outbox WHERE id = ?1", [id], |row| row.get(0))?;
            let message = message.map(|message| message_key(PlaceId(at), message.as_str()));
            tx.prepare_cached("UPDATE outbox SET state = 'sent', message = coalesce(?2, message), error = NULL WHERE id = ?1 AND state = 'sending'")?
                .execute(params![id, message])?;
            previews::done(tx, id)
        })
        .await
    }

    /// Notes that the card of a question stands under this message too, as a press tells: an
    /// earlier copy whose sending was never confirmed. It is redrawn with the others from now on.
    pub async fn card_stands(
        &self,
        question: QuestionId,
        at: Place,
        message: MessageRef,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            let Some(at) = known_place(tx, &at)? else {
                return Ok(());
            };
            tx.prepare_cached(
                "INSERT INTO outbox (place, question, kind, encoded, state, due, message, at)
                 SELECT ?1, ?2, 'copy', 'null', 'sent', ?4, ?3, ?4
                 WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE message = ?3)",
            )?
            .execute(params![
                at.0,
                question.0,
                message_key(at, message.as_str()),
                now.0
            ])?;
            Ok(())
        })
        .await
    }

    /// Records that a letter was not taken and is tried again.
    pub async fn put_off(&self, id: i64, due: Timestamp, why: String) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.prepare_cached("UPDATE outbox SET state = 'queued', tries = tries + 1, due = ?2, error = ?3 WHERE id = ?1")?
                .execute(params![id, due.0, why])?;
            Ok(())
        })
        .await
    }

    /// Records that nobody knows whether a letter arrived, and says so where it was going.
    pub async fn delivery_unknown(
        &self,
        id: i64,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| unknown(&store, tx, id, now)).await
    }

    /// What a letter is called on its screen, if it got there.
    pub async fn on_screen(&self, id: i64) -> Result<Option<MessageRef>, StoreError> {
        self.read(move |tx| {
            let key: Option<String> = tx
                .query_row("SELECT message FROM outbox WHERE id = ?1", [id], |row| {
                    row.get(0)
                })
                .optional()?
                .flatten();
            Ok(key.and_then(|key| {
                key.split_once('/')
                    .map(|(_, message)| MessageRef::new(message))
            }))
        })
        .await
    }

    /// What was not delivered, one line each.
    pub async fn trouble(&self) -> Result<Vec<String>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare(
                "SELECT place.line, place.chat, outbox.state, count(*), max(outbox.error) FROM outbox
                 JOIN place ON place.id = outbox.place
                 WHERE outbox.id IN (SELECT id FROM outbox WHERE state IN ('failed', 'unknown')
                     UNION ALL SELECT id FROM outbox WHERE state = 'held'
                     UNION ALL SELECT id FROM outbox WHERE state IN ('queued', 'sending') AND state = 'queued' AND tries > 2)
                 GROUP BY 1, 2, 3",
            )?;
            let mut rows = found.query([])?;
            let mut lines = Vec::new();
            while let Some(row) = rows.next()? {
                let (line, chat, state): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let (count, why): (i64, Option<String>) = (row.get(3)?, row.get(4)?);
                let state = match state.as_str() {
                    "failed" => "not delivered",
                    "held" => "not delivered yet",
                    "unknown" => "delivery unknown",
                    _ => "still being tried",
                };
                lines.push(format!("{line} {chat}: {count} {state}; {}", why.unwrap_or_default()));
            }
            Ok(lines)
        })
        .await
    }

    /// Repeats a letter whose delivery is unknown.
    pub async fn repeat(&self, letter: i64, now: Timestamp) -> Result<Vec<Letter>, StoreError> {
        self.write(move |tx| resend(tx, letter, now)).await
    }
}

/// Sends once more what nobody knows of, and whatever went out as one with it.
fn resend(tx: &Connection, id: i64, now: Timestamp) -> Result<Vec<Letter>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT id, place, encoded, album IS NOT NULL AS together FROM outbox WHERE state = 'unknown'
         AND (id = ?1 OR album = (SELECT album FROM outbox WHERE id = ?1)) ORDER BY id",
    )?;
    let mut rows = found.query([id])?;
    let mut letters = Vec::new();
    while let Some(row) = rows.next()? {
        let at = PlaceId(row.get("place")?);
        let encoded: Encoded = column(row, "encoded")?;
        let about = if row.get("together")? {
            About::File
        } else {
            About::Nothing
        };
        tx.prepare_cached("UPDATE outbox SET state = 'resent' WHERE id = ?1")?
            .execute([row.get::<_, i64>("id")?])?;
        let to = place(tx, at)?;
        letters.push(put(tx, at, &to, Outcome::Message, encoded, about, now)?);
    }
    Ok(letters)
}

/// Records that nobody knows whether a letter arrived, nor what went out as one with it, and says
/// so once.
pub(super) fn unknown(
    store: &Store,
    tx: &Connection,
    id: i64,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    // What its platform has told of it meanwhile is known better.
    let lost = tx.execute(
        "UPDATE outbox SET state = 'unknown' WHERE (id = ?1 AND state IN ('queued', 'sending'))
         OR (state = 'sending' AND album = (SELECT album FROM outbox WHERE id = ?1))",
        [id],
    )?;
    if lost == 0 {
        return Ok(Vec::new());
    }
    let (at, person): (i64, Option<i64>) = tx.query_row(
        "SELECT outbox.place, pairing.person FROM outbox JOIN place ON place.id = outbox.place
         LEFT JOIN pairing ON pairing.line = place.line AND pairing.chat = place.chat WHERE outbox.id = ?1",
        [id],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let Some(person) = person else {
        return Ok(Vec::new());
    };
    let again = button(
        tx,
        "Resend",
        PlaceId(at),
        PersonId(person),
        None,
        &Meaning::Resend { letter: id },
    )?;
    let text = match lost {
        1 => "My last message may not have arrived.".to_owned(),
        files => format!("My last {files} files may not have arrived."),
    };
    post(
        store,
        tx,
        PlaceId(at),
        &notice(text, vec![again]),
        About::Delivery,
        now,
    )
}
