//! Can anything be written?

use bot_policy::id::Timestamp;

use super::{Store, StoreError};

impl Store {
    /// Writes next to nothing, to see whether it can be made durable.
    pub async fn beat(&self, now: Timestamp) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.prepare_cached("INSERT OR REPLACE INTO pulse (id, at) VALUES (1, ?1)")?
                .execute([now.0])?;
            Ok(())
        })
        .await
    }
}
