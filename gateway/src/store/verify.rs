//! Does the audit still say what was written into it?

use std::path::Path;

use rusqlite::Connection;

use super::{StoreError, look};
use crate::digest;

/// What a walk over the whole audit found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verified {
    /// The first entry that does not fit.
    Broken {
        /// Its number.
        seq: i64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Every entry fits the one before it.
    Whole {
        /// How many there are.
        entries: u64,
        /// The hash of the last. Whoever noted it earlier sees whether entries are missing at the
        /// end, which the chain alone cannot tell.
        head: String,
    },
}

/// Walks over the audit of a data folder.
///
/// # Errors
/// When the database cannot be read.
pub fn verify_audit(data: &Path) -> Result<Verified, StoreError> {
    walk(&look(&data.join("postern.db"))?)
}

fn walk(database: &Connection) -> Result<Verified, StoreError> {
    let mut all =
        database.prepare("SELECT seq, at, what, previous, hash FROM audit ORDER BY seq")?;
    let mut rows = all.query([])?;
    let (mut entries, mut head, mut next) = (0, String::new(), 1);
    while let Some(row) = rows.next()? {
        let (seq, at): (i64, i64) = (row.get(0)?, row.get(1)?);
        let (what, previous, hash): (String, String, String) =
            (row.get(2)?, row.get(3)?, row.get(4)?);
        let broken = |why| Ok(Verified::Broken { seq, why });
        if seq != next {
            return broken("an entry before it is missing");
        }
        if previous != head {
            return broken("it does not follow the entry before it");
        }
        if digest::hex(format!("{previous}\n{at}\n{what}").as_bytes()) != hash {
            return broken("it was changed after it was written");
        }
        entries += 1;
        next = seq.saturating_add(1);
        head = hash;
    }
    Ok(Verified::Whole { entries, head })
}
