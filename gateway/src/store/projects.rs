//! Which folders' own rule files does the owner trust, each as one very text?

use std::collections::BTreeSet;

use bot_policy::approval::CHAT_CARD_SECONDS;
use bot_policy::id::{PersonId, Timestamp};
use rusqlite::{OptionalExtension, params};

use super::audit::{AuditEntry, append};
use super::buttons::{Meaning, button};
use super::claims::owners_chats;
use super::outbox::{About, Letter, notice, post};
use super::{Store, StoreError};

/// What stands under the question for trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// Nothing: it cannot be trusted.
    Nothing,
    /// A button that trusts it and one that does not.
    Trust,
}

/// What a press on a question for trust came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trusted {
    /// It was answered before, or its time is over.
    Closed,
    /// The file is not trusted.
    No,
    /// The file is trusted.
    Yes,
}

impl Store {
    /// The digests of the texts that are trusted at this path.
    pub async fn trusted_projects(&self, path: String) -> Result<BTreeSet<String>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare_cached(
                "SELECT digest FROM project_rules WHERE path = ?1 AND trust = 'trusted'",
            )?;
            let found = found.query_map([path], |row| row.get(0))?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Puts a file to the owner, in their direct chats. Nothing where this text was put before and
    /// is answered or still stands, and where the owner has no chat.
    pub async fn ask_project(
        &self,
        path: String,
        digest: String,
        (text, offer): (String, Offer),
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let waits = self
            .read(|tx| {
                let waits: bool = tx
                    .prepare_cached(
                        "SELECT EXISTS (SELECT 1 FROM project_rules WHERE path = ?1 AND digest = ?2
                         AND (trust <> 'asked' OR ends_at > ?3))",
                    )?
                    .query_row(params![path, digest, now.0], |row| row.get(0))?;
                Ok(waits)
            })
            .await?;
        if waits {
            return Ok(Vec::new());
        }
        let store = self.clone();
        self.write(move |tx| {
            let chats = owners_chats(tx)?;
            if chats.is_empty() {
                return Ok(Vec::new());
            }
            let file: Option<i64> = tx
                .query_row(
                    "INSERT INTO project_rules (path, digest, trust, ends_at) VALUES (?1, ?2, 'asked', ?3)
                     ON CONFLICT (path, digest) DO UPDATE SET ends_at = excluded.ends_at
                     WHERE trust = 'asked' AND ends_at <= ?4 RETURNING id",
                    params![path, digest, now.plus_seconds(CHAT_CARD_SECONDS).0, now.0],
                    |row| row.get(0),
                )
                .optional()?;
            let Some(file) = file else {
                return Ok(Vec::new());
            };
            let mut letters = Vec::new();
            for (at, owner) in chats {
                let labels: &[(&str, bool)] = match offer {
                    Offer::Nothing => &[],
                    Offer::Trust => &[("Trust this file", true), ("Deny", false)],
                };
                let mut buttons = Vec::new();
                for (label, yes) in labels {
                    let meaning = Meaning::Project { file, yes: *yes };
                    buttons.push(button(tx, label, at, owner, None, &meaning)?);
                }
                let message = notice(text.clone(), buttons);
                letters.extend(post(&store, tx, at, &message, About::Nothing, now)?);
            }
            Ok(letters)
        })
        .await
    }

    /// Takes the owner's answer about a file.
    pub async fn trust_project(
        &self,
        file: i64,
        by: PersonId,
        yes: bool,
        now: Timestamp,
    ) -> Result<Trusted, StoreError> {
        self.write(move |tx| {
            let trust = if yes { "trusted" } else { "refused" };
            let found: Option<(String, String)> = tx
                .query_row(
                    "UPDATE project_rules SET trust = ?2 WHERE id = ?1 AND trust = 'asked' AND ends_at > ?3
                     RETURNING path, digest",
                    params![file, trust, now.0],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let Some((path, digest)) = found else {
                return Ok(Trusted::Closed);
            };
            let entry = AuditEntry::ProjectRules {
                person: by,
                path,
                digest,
                trust: trust.to_owned(),
            };
            append(tx, now, &entry)?;
            Ok(if yes { Trusted::Yes } else { Trusted::No })
        })
        .await
    }
}
