//! What was decided? The decisions in the audit, for whoever follows them beside the program.

use std::path::Path;

use rusqlite::{Connection, Row, params};
use serde_json::Value;

use super::{StoreError, look};

/// The decisions in the audit of a data folder.
pub struct Events(Connection);

/// One decision about one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The number of its entry in the audit.
    pub seq: i64,
    /// When it was made: date and time, UTC.
    pub at: String,
    /// The entry as the audit holds it.
    pub what: Value,
}

impl Events {
    /// Looks into a data folder, whether or not the program runs on it.
    ///
    /// # Errors
    /// When its database cannot be read.
    pub fn open(data: &Path) -> Result<Self, StoreError> {
        Ok(Self(look(&data.join("postern.db"))?))
    }

    /// The newest of them, the oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn newest(&self, many: u32) -> Result<Vec<Decided>, StoreError> {
        let mut found = self.read(NEWEST, i64::from(many))?;
        found.reverse();
        Ok(found)
    }

    /// At most a thousand of those after an entry, the oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn after(&self, seq: i64) -> Result<Vec<Decided>, StoreError> {
        self.read(AFTER, seq)
    }

    /// The number of the last entry of any kind.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn last(&self) -> Result<i64, StoreError> {
        let last = "SELECT ifnull(max(seq), 0) FROM audit";
        Ok(self.0.query_row(last, [], |row| row.get(0))?)
    }

    fn read(&self, query: &str, number: i64) -> Result<Vec<Decided>, StoreError> {
        let mut found = self.0.prepare_cached(query)?;
        let mut rows = found.query(params![number])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(decided(row)?);
        }
        Ok(all)
    }
}

/// The entries name themselves first, see [`super::AuditEntry`].
const NEWEST: &str = "SELECT seq, datetime(at / 1000, 'unixepoch'), what FROM audit
    WHERE what LIKE '{\"what\":\"judged\"%' ORDER BY seq DESC LIMIT ?1";
const AFTER: &str = "SELECT seq, datetime(at / 1000, 'unixepoch'), what FROM audit
    WHERE seq > ?1 AND what LIKE '{\"what\":\"judged\"%' ORDER BY seq LIMIT 1000";

fn decided(row: &Row<'_>) -> Result<Decided, StoreError> {
    let what: String = row.get(2)?;
    Ok(Decided {
        seq: row.get(0)?,
        at: row.get(1)?,
        what: serde_json::from_str(&what)?,
    })
}
