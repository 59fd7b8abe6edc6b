//! What was remembered, and which files carry which marks?

use std::collections::BTreeMap;

use async_trait::async_trait;
use bot_policy::taint::Taint;
use rusqlite::{Connection, OptionalExtension, params};

use super::rows::{column, json, parse};
use super::{Store, StoreError};
use crate::agent::tools::{Keeper, Marks, Memories, Remembered, ToolError};
use crate::clock;

/// How many confirmed memories stand in the instructions.
const STANDING: i64 = 50;

pub(super) fn keeper_key(keeper: Keeper) -> String {
    match keeper {
        Keeper::Person(person) => format!("person {person}"),
        Keeper::Place(place) => format!("place {place}"),
    }
}

/// Words as FTS5 takes them: each quoted, any of them matches.
fn any_of(words: &str) -> String {
    let words: Vec<String> = words
        .split_whitespace()
        .take(32)
        .map(|word| format!("\"{}\"", word.replace('"', "")))
        .filter(|word| word.len() > 2)
        .collect();
    words.join(" OR ")
}

fn told(error: &StoreError) -> ToolError {
    ToolError(error.to_string())
}

#[async_trait]
impl Memories for Store {
    async fn save(&self, keeper: Keeper, text: &str, taint: &Taint) -> Result<(), ToolError> {
        let (text, taint) = (text.to_owned(), taint.clone());
        self.write(move |tx| keep(tx, keeper, &text, &taint))
            .await
            .map_err(|error| told(&error))
    }

    async fn forget(&self, keeper: Keeper, text: &str) -> Result<bool, ToolError> {
        let text = text.to_owned();
        self.write(move |tx| forget_text(tx, keeper, &text))
            .await
            .map_err(|error| told(&error))
    }

    async fn replace(
        &self,
        keeper: Keeper,
        old: &str,
        text: &str,
        taint: &Taint,
    ) -> Result<bool, ToolError> {
        let (old, text, taint) = (old.to_owned(), text.to_owned(), taint.clone());
        self.write(move |tx| {
            let there = forget_text(tx, keeper, &old)?;
            if there {
                keep(tx, keeper, &text, &taint)?;
            }
            Ok(there)
        })
        .await
        .map_err(|error| told(&error))
    }

    async fn search(
        &self,
        keeper: Keeper,
        words: &str,
        most: usize,
    ) -> Result<Vec<Remembered>, ToolError> {
        let words = any_of(words);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        self.read(move |tx| {
            let mut found = tx.prepare_cached(
                "SELECT memory.text, memory.taint FROM memory_text JOIN memory ON memory.id = memory_text.rowid
                 WHERE memory_text MATCH ?1 AND memory.keeper = ?2 ORDER BY rank LIMIT ?3",
            )?;
            let mut rows = found.query(params![words, keeper_key(keeper), i64::try_from(most).unwrap_or(10)])?;
            let mut memories = Vec::new();
            while let Some(row) = rows.next()? {
                memories.push(Remembered { text: row.get(0)?, taint: column(row, "taint")? });
            }
            Ok(memories)
        })
        .await
        .map_err(|error| told(&error))
    }
}

fn keep(tx: &Connection, keeper: Keeper, text: &str, taint: &Taint) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO memory (keeper, text, confirmed, taint, at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            keeper_key(keeper),
            text,
            taint.is_clean(),
            json(taint)?,
            clock::now().0
        ],
    )?;
    let id = tx.last_insert_rowid();
    tx.execute(
        "INSERT INTO memory_text (rowid, text) VALUES (?1, ?2)",
        params![id, text],
    )?;
    Ok(())
}

fn forget_text(tx: &Connection, keeper: Keeper, text: &str) -> Result<bool, StoreError> {
    let mut found = tx.prepare_cached("SELECT id FROM memory WHERE keeper = ?1 AND text = ?2")?;
    let found: Vec<i64> = found
        .query_map(params![keeper_key(keeper), text], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for id in &found {
        forget(tx, *id)?;
    }
    Ok(!found.is_empty())
}

/// Deletes one memory, and what its words are found by.
pub(super) fn forget(tx: &Connection, id: i64) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO memory_text (memory_text, rowid, text) SELECT 'delete', id, text FROM memory WHERE id = ?1",
        [id],
    )?;
    tx.execute("DELETE FROM memory WHERE id = ?1", [id])?;
    Ok(())
}

/// Deletes all that somebody, or a group, kept.
pub(super) fn forget_all(tx: &Connection, keeper: Keeper) -> Result<(), StoreError> {
    let mut found = tx.prepare_cached("SELECT id FROM memory WHERE keeper = ?1")?;
    let found: Vec<i64> = found
        .query_map([keeper_key(keeper)], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    found.into_iter().try_for_each(|id| forget(tx, id))
}

impl Store {
    /// Everything that is remembered, confirmed or not.
    pub async fn remembered(&self, keeper: Keeper) -> Result<Vec<String>, StoreError> {
        self.read(move |tx| {
            let mut found = tx.prepare_cached("SELECT text FROM memory WHERE keeper = ?1")?;
            let found = found.query_map([keeper_key(keeper)], |row| row.get(0))?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }
}

#[async_trait]
impl Marks for Store {
    async fn of(&self, workspace: i64, path: &str, digest: &str) -> Option<Taint> {
        let (path, digest) = (path.to_owned(), digest.to_owned());
        let found = self
            .read(move |tx| {
                let taint: Option<String> = tx
                    .prepare_cached(
                        "SELECT taint FROM file WHERE workspace = ?1 AND path = ?2 AND digest = ?3",
                    )?
                    .query_row(params![workspace, path, digest], |row| row.get(0))
                    .optional()?;
                taint.map(|taint| parse(&taint)).transpose()
            })
            .await;
        // A mark that cannot be read counts as one that is not known, which is outside.
        found.ok().flatten()
    }

    async fn all(&self, workspace: i64) -> BTreeMap<String, Taint> {
        let found = self
            .read(move |tx| {
                let mut files =
                    tx.prepare_cached("SELECT path, taint FROM file WHERE workspace = ?1")?;
                let mut rows = files.query([workspace])?;
                let mut all = BTreeMap::new();
                while let Some(row) = rows.next()? {
                    all.insert(row.get("path")?, column(row, "taint")?);
                }
                Ok(all)
            })
            .await;
        found.unwrap_or_default()
    }

    async fn keep(
        &self,
        workspace: i64,
        path: &str,
        digest: &str,
        taint: &Taint,
    ) -> Result<(), ToolError> {
        let (path, digest, taint) = (path.to_owned(), digest.to_owned(), taint.clone());
        self.write(move |tx| {
            tx.execute(
                "INSERT OR REPLACE INTO file (workspace, path, digest, taint) VALUES (?1, ?2, ?3, ?4)",
                params![workspace, path, digest, json(&taint)?],
            )?;
            Ok(())
        })
        .await
        .map_err(|error| told(&error))
    }
}

/// The confirmed memories that stand in the instructions, newest last.
pub(super) fn standing_memories(
    tx: &Connection,
    keeper: Keeper,
) -> Result<Vec<String>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT text FROM memory WHERE keeper = ?1 AND confirmed = 1 ORDER BY id DESC LIMIT ?2",
    )?;
    let mut memories: Vec<String> = found
        .query_map(params![keeper_key(keeper), STANDING], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    memories.reverse();
    Ok(memories)
}
