//! Which files of Code folders were written while their conversation was marked?

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use bot_policy::taint::Taint;
use rusqlite::{OptionalExtension, params};

use super::rows::{column, json, parse};
use super::{Store, StoreError};
use crate::agent::tools::{Ledger, Marked, ToolError};

#[async_trait]
impl Ledger for Store {
    async fn marked(&self, folder: &Path, top: &Path) -> Result<Vec<Marked>, ToolError> {
        let (folder, top) = (folder.to_path_buf(), top.to_path_buf());
        let read = self.read(move |tx| {
            let mut found =
                tx.prepare_cached("SELECT folder, path, digest, taint FROM code_written")?;
            let mut rows = found.query([])?;
            let mut marked = Vec::new();
            while let Some(row) = rows.next()? {
                let (of, path): (String, String) = (row.get("folder")?, row.get("path")?);
                let at = Path::new(&of).join(path);
                if folder.starts_with(&of) || at.starts_with(&folder) || at.starts_with(&top) {
                    marked.push(Marked {
                        path: from(&folder, &at),
                        digest: row.get("digest")?,
                        taint: column(row, "taint")?,
                    });
                }
            }
            Ok(marked)
        });
        read.await.map_err(|error| ToolError(error.to_string()))
    }

    async fn keep(&self, folder: &Path, marked: Vec<Marked>) -> Result<(), ToolError> {
        let folder = folder.display().to_string();
        let write = self.write(move |tx| {
            for marked in marked {
                let before: Option<String> = tx
                    .prepare_cached("SELECT taint FROM code_written WHERE folder = ?1 AND path = ?2")?
                    .query_row(params![folder, marked.path], |row| row.get(0))
                    .optional()?;
                let before: Option<Taint> = before.map(|text| parse(&text)).transpose()?;
                let taint = before.unwrap_or_default().join(&marked.taint);
                tx.prepare_cached(
                    "INSERT OR REPLACE INTO code_written (folder, path, digest, taint) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![folder, marked.path, marked.digest, json(&taint)?])?;
            }
            Ok(())
        });
        write.await.map_err(|error| ToolError(error.to_string()))
    }

    async fn forget(&self, folder: &Path, path: &str) -> Result<(), ToolError> {
        let at = folder.join(path).display().to_string();
        let write = self.write(move |tx| {
            // Whichever folder it was written from.
            tx.prepare_cached(
                "DELETE FROM code_written WHERE rtrim(folder, '/') || '/' || path = ?1",
            )?
            .execute([at])?;
            Ok(())
        });
        write.await.map_err(|error| ToolError(error.to_string()))
    }
}

/// A path as it is named from a folder on: empty where all of the folder lies in it, whole where it
/// lies elsewhere.
fn from(folder: &Path, at: &Path) -> String {
    match at.strip_prefix(folder) {
        Ok(below) => below.display().to_string(),
        Err(_) if folder.starts_with(at) => String::new(),
        Err(_) => at.display().to_string(),
    }
}

impl Store {
    /// Clears the marks of a file or of all below it, in whichever Code folder it lies; how many
    /// were cleared.
    pub async fn trust_written(&self, path: PathBuf) -> Result<usize, StoreError> {
        self.write(move |tx| {
            let mut found = tx.prepare("SELECT folder, path, digest FROM code_written")?;
            let all: Vec<(String, String, String)> = found
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
                .collect::<Result<_, _>>()?;
            let mut cleared = 0;
            for (folder, file, _) in all {
                let at = PathBuf::from(&folder).join(&file);
                if at.starts_with(&path) {
                    cleared += tx.execute(
                        "DELETE FROM code_written WHERE folder = ?1 AND path = ?2",
                        params![folder, file],
                    )?;
                }
            }
            Ok(cleared)
        })
        .await
    }
}
