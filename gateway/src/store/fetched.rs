//! Which addresses did a conversation reach?

use bot_policy::id::{ConversationId, Timestamp};
use rusqlite::params;

use super::{Store, StoreError};

impl Store {
    /// Notes that a call of a conversation reaches this address.
    pub async fn took(
        &self,
        which: ConversationId,
        address: String,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.prepare_cached(
                "INSERT INTO fetched (conversation, address, at) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![which.0, address, now.0])?;
            Ok(())
        })
        .await
    }

    /// The addresses that calls of a conversation reached, oldest first.
    pub async fn taken(&self, which: ConversationId) -> Result<Vec<String>, StoreError> {
        self.read(move |tx| {
            let mut found = tx.prepare_cached(
                "SELECT address FROM fetched WHERE conversation = ?1 ORDER BY id",
            )?;
            let found = found.query_map([which.0], |row| row.get(0))?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }
}
