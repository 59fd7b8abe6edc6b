//! What was decided, and what was done? Append-only, each entry hashed with the one before.

use bot_policy::id::{ConversationId, PersonId, Timestamp};
use bot_policy::security::{Act, SecurityEvent};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use super::rows::json;
use super::{Store, StoreError};
use crate::digest;
use crate::metrics::{self, Count};

/// One entry of the audit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the fields are the words of the variant")]
pub enum AuditEntry {
    /// A person was paired with a place.
    Paired {
        person: PersonId,
        role: String,
        line: String,
        chat: String,
    },
    /// A paired group goes on under another id.
    Moved {
        line: String,
        from: String,
        to: String,
    },
    /// The owner sent something of ours elsewhere, by the letter that showed it.
    Picked {
        person: PersonId,
        line: String,
        offered: String,
    },
    /// A place was let go of.
    Unpaired {
        person: PersonId,
        line: String,
        chat: String,
    },
    /// Wrong codes voided the live ones.
    CodesVoided,
    /// The program started with these settings.
    Configured {
        /// A keyed digest of them, secrets cut out: the same settings have the same digest here, and
        /// nobody can guess them from it.
        settings: String,
    },
    /// The owner's rules are others than those that were noted last; noted at each start, too.
    Ruled {
        /// A keyed digest of them.
        rules: String,
    },
    /// A call was judged.
    Judged {
        conversation: ConversationId,
        call: String,
        #[serde(flatten)]
        event: SecurityEvent,
    },
    /// A question was put.
    Asked {
        conversation: ConversationId,
        call: String,
        person: PersonId,
    },
    /// A question was closed.
    Closed {
        conversation: ConversationId,
        call: String,
        state: String,
        by: Option<PersonId>,
    },
    /// A call was started.
    Started {
        conversation: ConversationId,
        call: String,
    },
    /// A call ended.
    Ended {
        conversation: ConversationId,
        call: String,
        how: String,
    },
    /// The owner said whether a folder's own rule file may loosen rules there.
    ProjectRules {
        person: PersonId,
        path: String,
        digest: String,
        trust: String,
    },
    /// A rule was saved.
    RuleSaved { person: PersonId, pattern: String },
}

/// Adds an entry within the transaction of what it tells of.
pub(super) fn append(tx: &Connection, at: Timestamp, entry: &AuditEntry) -> Result<(), StoreError> {
    count(entry);
    let previous: String = tx
        .prepare_cached("SELECT hash FROM audit ORDER BY seq DESC LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()?
        .unwrap_or_default();
    let what = json(entry)?;
    let hash = digest::hex(format!("{previous}\n{}\n{what}", at.0).as_bytes());
    tx.prepare_cached("INSERT INTO audit (at, what, previous, hash) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![at.0, what, previous, hash])?;
    Ok(())
}

/// What is noted is what is counted.
fn count(entry: &AuditEntry) {
    match entry {
        AuditEntry::Judged { event, .. } => {
            let action = match event.action {
                Act::Allowed => "allowed",
                Act::Asked => "asked",
                Act::Denied => "denied",
            };
            metrics::count(Count::Decisions, action);
        }
        AuditEntry::Asked { .. } => metrics::count(Count::Questions, "asked"),
        AuditEntry::Closed { .. }
        | AuditEntry::CodesVoided
        | AuditEntry::Configured { .. }
        | AuditEntry::Ended { .. }
        | AuditEntry::Moved { .. }
        | AuditEntry::Paired { .. }
        | AuditEntry::Picked { .. }
        | AuditEntry::ProjectRules { .. }
        | AuditEntry::RuleSaved { .. }
        | AuditEntry::Ruled { .. }
        | AuditEntry::Started { .. }
        | AuditEntry::Unpaired { .. } => {}
    }
}

/// Adds several.
pub(super) fn append_all(
    tx: &Connection,
    at: Timestamp,
    entries: &[AuditEntry],
) -> Result<(), StoreError> {
    entries.iter().try_for_each(|entry| append(tx, at, entry))
}

impl Store {
    /// Notes something that has no transaction of its own.
    pub async fn note(&self, entry: AuditEntry, now: Timestamp) -> Result<(), StoreError> {
        self.write(move |tx| append(tx, now, &entry)).await
    }
}
