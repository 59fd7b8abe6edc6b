//! What does the owner ask at the terminal about folders and Code conversations?

use std::path::PathBuf;

use super::unavailable;
use crate::House;
use crate::code::protocol::{Question, Said, Seen};
use crate::code::{about, keep};
use crate::socket::KeeperError;
use crate::store::StoreError;

/// How many conversations are listed.
const LISTED: i64 = 100;
/// How many of them a status shows.
pub(super) const IN_STATUS: i64 = 8;

/// Answers one question.
pub(super) async fn answer(house: &House, question: Question) -> Result<Said, KeeperError> {
    Ok(match question {
        Question::Folder { path } => Said::Folder(about(house, &path).await?),
        Question::Keep {
            path,
            yours,
            unconfined,
        } => {
            keep(house, &path, yours, unconfined).await?;
            Said::Kept
        }
        Question::List => Said::List(list(house, LISTED).await.map_err(unavailable)?),
        Question::Trust { path } => {
            let path = PathBuf::from(path);
            let path = path.canonicalize().unwrap_or(path);
            let cleared = house.store.trust_written(path).await;
            Said::Trusted(cleared.map_err(unavailable)?)
        }
    })
}

/// The conversations that go on.
pub(super) async fn list(house: &House, most: i64) -> Result<Vec<Seen>, StoreError> {
    let found = house.store.codes(most).await?;
    let seen = found.into_iter().map(|seen| Seen {
        open: house.terminals.is_open(seen.place.chat.as_str()),
        name: seen.place.chat.to_string(),
        folder: seen.folder,
        last: seen.last.unwrap_or_default(),
        at: seen.at,
        linked: seen.linked.iter().map(|at| at.line.to_string()).collect(),
    });
    Ok(seen.collect())
}
