//! Which files were sent to which place?

use bot_policy::event::FileKind;
use bot_policy::id::{Place, Timestamp};
use bot_policy::message::{Body, Enclosure, OutboundMessage};
use rusqlite::{OptionalExtension, params};

use super::outbox::{About, Letter, post};
use super::rows::{PlaceId, column, json, known_place};
use super::{Store, StoreError};

/// A file as the page may ask for it.
#[derive(Clone, Debug, PartialEq)]
pub struct SentFile {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub kind: FileKind,
}

impl Store {
    /// Sends a file to a place: from now on that place may have it, and its letter is on its way.
    pub async fn enclose(
        &self,
        at: i64,
        file: Enclosure,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            tx.prepare_cached(
                "INSERT OR REPLACE INTO outgoing (place, digest, name, kind, at) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![at, file.digest, file.name, json(&file.kind)?, now.0])?;
            let message = OutboundMessage {
                body: Body::File(file),
                answers: None,
            };
            post(&store, tx, PlaceId(at), &message, About::File, now)
        })
        .await
    }

    /// The same, by the place itself.
    pub async fn enclose_in(
        &self,
        place: Place,
        file: Enclosure,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let at = self.read(move |tx| known_place(tx, &place)).await?;
        match at {
            Some(at) => self.enclose(at.0, file, now).await,
            None => Ok(Vec::new()),
        }
    }

    /// Forgets what was sent last before then: no place may have it any more.
    pub async fn forget_enclosed(&self, before: Timestamp) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.execute("DELETE FROM outgoing WHERE at < ?1", [before.0])?;
            Ok(())
        })
        .await
    }

    /// A file that was sent to this place.
    pub async fn enclosed(
        &self,
        place: Place,
        digest: String,
    ) -> Result<Option<SentFile>, StoreError> {
        self.read(move |tx| {
            let Some(at) = known_place(tx, &place)? else {
                return Ok(None);
            };
            let mut found = tx.prepare_cached(
                "SELECT name, kind FROM outgoing WHERE place = ?1 AND digest = ?2",
            )?;
            let found = found.query_row(params![at.0, digest], |row| {
                Ok((row.get("name")?, column(row, "kind")))
            });
            found
                .optional()?
                .map(|(name, kind)| Ok(SentFile { name, kind: kind? }))
                .transpose()
        })
        .await
    }
}
