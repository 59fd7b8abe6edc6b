//! What does the owner's console read?

use super::{Store, StoreError};

impl Store {
    /// Whether something could be written now: the writing thread takes a transaction of nothing.
    pub async fn takes_writes(&self) -> Result<(), StoreError> {
        self.write(|_| Ok(())).await
    }

    /// How many letters are not on a screen yet.
    pub async fn unsent_letters(&self) -> Result<i64, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare_cached(
                "SELECT count(*) FROM outbox WHERE state IN ('queued', 'sending')",
            )?;
            Ok(found.query_row([], |row| row.get(0))?)
        })
        .await
    }
}
