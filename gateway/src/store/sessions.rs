//! Which account does this browser hold, and what stands on its screen?

use bot_policy::event::PartBody;
use bot_policy::id::{Place, Timestamp};
use rusqlite::{OptionalExtension, params};
use serde_json::Value;

use super::rows::{column, known_place};
use super::{Store, StoreError};
use crate::agent::Entry;

/// One line of a screen, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub enum ScreenLine {
    /// What the person sent: text, and what the page calls it.
    Mine {
        at: Timestamp,
        text: String,
        message: String,
    },
    /// What Postern shows.
    Postern {
        key: i64,
        at: Timestamp,
        body: Value,
    },
}

/// How many lines of a screen are kept in view.
const LINES: usize = 200;

impl Store {
    /// The account of a session, by the hash of its token.
    pub async fn session(&self, hash: String) -> Result<Option<String>, StoreError> {
        self.read(move |tx| {
            Ok(tx
                .prepare_cached("SELECT account FROM session WHERE hash = ?1")?
                .query_row([hash], |row| row.get(0))
                .optional()?)
        })
        .await
    }

    /// Opens a session for an account.
    pub async fn open_session(
        &self,
        hash: String,
        account: String,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.execute(
                "INSERT INTO session (hash, account, since) VALUES (?1, ?2, ?3)",
                params![hash, account, now.0],
            )?;
            Ok(())
        })
        .await
    }

    /// What stands on the screen of a place.
    pub async fn screen(&self, place: Place) -> Result<Vec<ScreenLine>, StoreError> {
        self.read(move |tx| {
            let Some(id) = known_place(tx, &place)? else { return Ok(Vec::new()) };
            let mut lines = Vec::new();
            let mut shown = tx.prepare_cached(
                "SELECT id, at, encoded FROM outbox WHERE place = ?1 AND kind IN ('message', 'report') AND state <> 'failed' AND encoded <> 'null'
                 ORDER BY id DESC LIMIT ?2",
            )?;
            let mut rows = shown.query(params![id.0, LINES as i64])?;
            while let Some(row) = rows.next()? {
                lines.push(ScreenLine::Postern {
                    key: row.get("id")?,
                    at: Timestamp(row.get("at")?),
                    body: column(row, "encoded")?,
                });
            }
            let mut said = tx.prepare_cached(
                "SELECT entry.at, entry.body FROM conversation CROSS JOIN entry ON entry.conversation = conversation.id
                 WHERE conversation.place = ?1 AND entry.message IS NOT NULL
                 ORDER BY conversation.id DESC, entry.seq DESC LIMIT ?2",
            )?;
            let mut rows = said.query(params![id.0, LINES as i64])?;
            while let Some(row) = rows.next()? {
                if let Entry::Person { parts, message, .. } = column(row, "body")? {
                    let text = parts.iter().map(|part| match &part.value {
                        PartBody::Text(text) => text.as_str(),
                        PartBody::File(_) => "(a file)",
                    });
                    lines.push(ScreenLine::Mine {
                        at: Timestamp(row.get("at")?),
                        text: text.collect::<Vec<_>>().join("\n"),
                        message: message.as_str().to_owned(),
                    });
                }
            }
            lines.sort_by_key(ScreenLine::order);
            let skip = lines.len().saturating_sub(LINES);
            Ok(lines.split_off(skip))
        })
        .await
    }
}

impl ScreenLine {
    fn order(&self) -> (i64, i64) {
        match self {
            Self::Mine { at, .. } => (at.0, -1),
            Self::Postern { key, at, .. } => (at.0, *key),
        }
    }
}
