//! Which letters go out as one? Each keeps its own record.

use adapters::Encoded;
use rusqlite::params;

use super::rows::column;
use super::{Store, StoreError};

impl Store {
    /// Records that letters are handed over as one, in their order; nothing, when that is not how
    /// they stand any more, or something of their place goes before them.
    pub async fn hand_over_together(
        &self,
        ids: Vec<i64>,
    ) -> Result<Option<Vec<Encoded>>, StoreError> {
        self.write(move |tx| {
            let Some(first) = ids.first().copied() else {
                return Ok(None);
            };
            let waits: bool = tx.query_row(
                "SELECT EXISTS (SELECT 1 FROM outbox AS before JOIN outbox ON outbox.id = ?1
                 WHERE before.place = outbox.place AND before.id < outbox.id
                   AND before.state IN ('queued', 'sending'))",
                [first],
                |row| row.get(0),
            )?;
            let mut encoded = Vec::new();
            for id in &ids {
                let mut found = tx.prepare_cached(
                    "SELECT encoded FROM outbox WHERE id = ?1 AND state = 'queued'",
                )?;
                let mut rows = found.query([id])?;
                if let Some(row) = rows.next()? {
                    encoded.push(column(row, "encoded")?);
                }
            }
            if waits || encoded.len() < ids.len() {
                return Ok(None);
            }
            for id in ids {
                tx.prepare_cached("UPDATE outbox SET state = 'sending', album = ?2 WHERE id = ?1")?
                    .execute(params![id, first])?;
            }
            Ok(Some(encoded))
        })
        .await
    }
}
