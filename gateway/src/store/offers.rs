//! Which answers may the owner send elsewhere? The last ones of their direct chat.

use bot_policy::access::Incognito;
use bot_policy::id::{LineId, PersonId, Place, Timestamp};
use rusqlite::params;

use super::audit::{AuditEntry, append};
use super::rows::{column, json, known_place};
use super::{Store, StoreError};
use crate::agent::Entry;

/// An answer that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The number of the letter that showed it.
    pub letter: i64,
    /// The model's words.
    pub markdown: String,
}

/// Answers that are looked through.
const LOOKED_THROUGH: i64 = 60;

impl Store {
    /// The last answers of a place, newest first, each once; none that is kept nowhere.
    pub async fn answers(&self, place: Place) -> Result<Vec<Answer>, StoreError> {
        self.read(move |tx| {
            let Some(at) = known_place(tx, &place)? else {
                return Ok(Vec::new());
            };
            let mut found = tx.prepare_cached(
                "SELECT max(outbox.id) AS letter, entry.body FROM outbox
                 JOIN conversation ON conversation.id = outbox.conversation AND conversation.incognito = ?2
                 JOIN entry ON entry.conversation = outbox.conversation AND entry.seq = outbox.reply
                 WHERE outbox.place = ?1 AND outbox.reply IS NOT NULL AND outbox.part = 0 AND outbox.state = 'sent'
                 GROUP BY entry.conversation, entry.seq ORDER BY letter DESC LIMIT ?3",
            )?;
            let mut rows = found.query(params![at.0, json(&Incognito::Off)?, LOOKED_THROUGH])?;
            let mut answers: Vec<Answer> = Vec::new();
            while let Some(row) = rows.next()? {
                if let Entry::Model { text, .. } = column(row, "body")?
                    && answers.iter().all(|known| known.markdown != text)
                {
                    answers.push(Answer {
                        letter: row.get("letter")?,
                        markdown: text,
                    });
                }
            }
            Ok(answers)
        })
        .await
    }

    /// Notes that the owner sent an answer elsewhere.
    pub async fn picked(
        &self,
        line: &LineId,
        person: PersonId,
        offered: String,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let line = line.to_string();
        self.write(move |tx| {
            // It is a number of ours; whatever else the platform says is not kept.
            let offered: String = offered
                .chars()
                .filter(char::is_ascii_digit)
                .take(20)
                .collect();
            append(
                tx,
                now,
                &AuditEntry::Picked {
                    person,
                    line,
                    offered,
                },
            )
        })
        .await
    }
}
