//! Who hears an account of ours? One at a time, and until when unless they say so again.

use bot_policy::id::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use super::{Store, StoreError};

/// How long a lease holds without being renewed, in seconds.
const HOLDS: i64 = 90;

/// A lease that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// What is held.
    pub name: String,
    /// By whom.
    pub holder: String,
    /// How often it has changed hands.
    pub epoch: i64,
}

/// Refuses a write under a lease that has changed hands since: whoever was slow to notice must not
/// write over what its successor heard.
pub(super) fn still_held(tx: &Connection, lease: &Lease) -> Result<(), StoreError> {
    let held: bool = tx
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM lease WHERE name = ?1 AND holder = ?2 AND epoch = ?3)",
        )?
        .query_row(params![lease.name, lease.holder, lease.epoch], |row| {
            row.get(0)
        })?;
    if held {
        Ok(())
    } else {
        Err(StoreError::LeaseLost)
    }
}

impl Store {
    /// Lets go of every lease of runs that are gone: whoever holds the data folder is alone.
    pub async fn forget_leases(&self) -> Result<(), StoreError> {
        self.write(|tx| {
            tx.execute("UPDATE lease SET until = 0", [])?;
            Ok(())
        })
        .await
    }

    /// Takes a lease, or renews it; nothing while another holds it.
    pub async fn lease(
        &self,
        name: String,
        holder: String,
        now: Timestamp,
    ) -> Result<Option<Lease>, StoreError> {
        self.write(move |tx| {
            let until = now.plus_seconds(HOLDS);
            let epoch: Option<i64> = tx
                .prepare_cached(
                    "INSERT INTO lease (name, holder, epoch, until) VALUES (?1, ?2, 1, ?4)
                     ON CONFLICT (name) DO UPDATE SET epoch = epoch + (until <= ?3), holder = ?2, until = ?4
                     WHERE until <= ?3 OR holder = ?2
                     RETURNING epoch",
                )?
                .query_row(params![name, holder, now.0, until.0], |row| row.get(0))
                .optional()?;
            Ok(epoch.map(|epoch| Lease {
                name,
                holder,
                epoch,
            }))
        })
        .await
    }

    /// Gives a lease back, if it is still held.
    pub async fn release(&self, lease: Lease) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.prepare_cached(
                "UPDATE lease SET until = 0 WHERE name = ?1 AND holder = ?2 AND epoch = ?3",
            )?
            .execute(params![lease.name, lease.holder, lease.epoch])?;
            Ok(())
        })
        .await
    }
}
