//! Which files do the owner's chats hold?

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use serde_json::{Value, json};

use super::{LINE, page};
use crate::House;
use crate::desk::told;
use crate::http::DeskError;
use crate::http::console::{Download, Owner};

/// How many files of one workspace are looked at.
const FILES: usize = 2000;
/// How deep folders are looked into.
const DEPTH: usize = 16;
/// The largest file that is handed out, in bytes.
const DOWNLOAD: u64 = 64 * 1024 * 1024;

struct Found {
    path: String,
    size: u64,
    changed: i64,
}

impl House {
    pub(super) async fn files_page(&self, owner: &Owner, from: i64) -> Result<Value, DeskError> {
        let places = self
            .store
            .workspaces_of(owner.person.id)
            .await
            .map_err(told)?;
        let folder = self.workspaces.clone();
        let from_here = usize::try_from(from).unwrap_or(usize::MAX);
        // Folders are walked off the threads that answer.
        let found = tokio::task::spawn_blocking(move || {
            let all = places.into_iter().flat_map(|(id, place)| {
                let files = workspace(&folder, id)
                    .map(|dir| list(&dir))
                    .unwrap_or_default();
                files.into_iter().map(move |file| (id, place.clone(), file))
            });
            let most = usize::try_from(super::PAGE).unwrap_or(0) + 1;
            all.skip(from_here).take(most).collect::<Vec<_>>()
        });
        let found = found.await.map_err(|error| DeskError(error.to_string()))?;
        let items = found.iter().map(|(id, place, file)| {
            json!({
                "workspace": id,
                "path": file.path,
                "shown": self.one_line(&file.path, LINE * 3),
                "place": self.place_name(place),
                "size": file.size,
                "changed": file.changed,
            })
        });
        Ok(page(items.collect(), from))
    }

    pub(super) async fn download(
        &self,
        owner: &Owner,
        id: i64,
        path: &str,
    ) -> Result<Option<Download>, DeskError> {
        let places = self
            .store
            .workspaces_of(owner.person.id)
            .await
            .map_err(told)?;
        if !places.iter().any(|(theirs, _)| *theirs == id) {
            return Ok(None);
        }
        // A path that leads out, also by a link, is refused by the folder itself.
        let Some(dir) = workspace(&self.workspaces, id) else {
            return Ok(None);
        };
        let Ok(about) = dir.symlink_metadata(path) else {
            return Ok(None);
        };
        if !about.is_file() || about.len() > DOWNLOAD {
            return Ok(None);
        }
        let Ok(file) = dir.open(path) else {
            return Ok(None);
        };
        let name = path.rsplit('/').next().unwrap_or("file").to_owned();
        Ok(Some(Download {
            name,
            size: about.len(),
            file: tokio::fs::File::from_std(file.into_std()),
        }))
    }
}

fn workspace(folder: &std::path::Path, id: i64) -> Option<Dir> {
    Dir::open_ambient_dir(folder.join(id.to_string()), ambient_authority()).ok()
}

/// The plain files below a folder, by path. Links are not followed.
fn list(dir: &Dir) -> Vec<Found> {
    let mut files = Vec::new();
    let mut folders = vec![(PathBuf::new(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let here = if depth == 0 {
            dir.entries()
        } else {
            dir.read_dir(&folder)
        };
        let Ok(entries) = here else { continue };
        for entry in entries.flatten() {
            if files.len() + folders.len() >= FILES {
                break;
            }
            let path = folder.join(entry.file_name());
            let Ok(about) = dir.symlink_metadata(&path) else {
                continue;
            };
            let Some(text) = path.to_str() else { continue };
            if about.is_dir() && depth < DEPTH {
                folders.push((path, depth + 1));
            } else if about.is_file() {
                files.push(Found {
                    path: text.to_owned(),
                    size: about.len(),
                    changed: changed(&about),
                });
            }
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

fn changed(about: &Metadata) -> i64 {
    let at = about
        .modified()
        .map_or(SystemTime::UNIX_EPOCH, |at| at.into_std());
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
