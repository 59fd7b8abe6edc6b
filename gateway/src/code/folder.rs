//! Which folder may a Code conversation work in, and what is known of it?

use std::path::{Path, PathBuf};

use super::protocol::FolderSeen;
use crate::agent::tools::{Ownership, Unconfined};
use crate::socket::KeeperError;
use crate::{House, clock};

/// The most that is read of a repository's settings, in bytes.
const SETTINGS: u64 = 64 * 1024;

fn unavailable(error: impl std::fmt::Display) -> KeeperError {
    KeeperError::Unavailable(error.to_string())
}

/// What is known of a folder that a Code conversation may work in.
pub(crate) async fn about(house: &House, path: &str) -> Result<FolderSeen, KeeperError> {
    let path = usable(house, Path::new(path))?;
    let text = path.display().to_string();
    let known = house.store.code_folder(text.clone()).await;
    let known = known.map_err(unavailable)?;
    Ok(FolderSeen {
        remote: remote(&path),
        path: text,
        yours: known.map(|(ownership, _)| ownership == Ownership::Yours),
        no_cage: house.cage.why_not().map(ToOwned::to_owned),
        unconfined: known.is_some_and(|(_, unconfined)| unconfined == Unconfined::Accepted),
    })
}

/// Keeps what the owner says of a folder.
pub(crate) async fn keep(
    house: &House,
    path: &str,
    yours: bool,
    unconfined: bool,
) -> Result<(), KeeperError> {
    let path = usable(house, Path::new(path))?.display().to_string();
    let ownership = match yours {
        true => Ownership::Yours,
        false => Ownership::Foreign,
    };
    let unconfined = match unconfined {
        true => Unconfined::Accepted,
        false => Unconfined::No,
    };
    let kept = house
        .store
        .keep_folder(path, ownership, unconfined, clock::now());
    kept.await.map_err(unavailable)
}

/// A folder with its links resolved, which neither holds Postern's own nor lies among them.
fn usable(house: &House, path: &Path) -> Result<PathBuf, KeeperError> {
    let refused = |why: String| KeeperError::Refused(why);
    let found = path.canonicalize().ok().filter(|found| found.is_dir());
    let found = found
        .ok_or_else(|| refused(format!("{} is no folder that can be read", path.display())))?;
    if found.to_str().is_none() {
        return Err(refused("the name of the folder is not text".into()));
    }
    let within = |own: &&PathBuf| found.starts_with(own) || own.starts_with(&found);
    if let Some(own) = house.cage.hidden().iter().find(within) {
        return Err(refused(format!(
            "{} and Postern's own folder {} lie within each other; name the folder of one project",
            found.display(),
            own.display()
        )));
    }
    Ok(found)
}

/// Where git fetches a folder from, read from its settings without asking git.
fn remote(folder: &Path) -> Option<String> {
    use std::io::Read;
    let settings = std::fs::File::open(folder.join(".git/config")).ok()?;
    if !settings.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    settings.take(SETTINGS).read_to_string(&mut text).ok()?;
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| line.starts_with("[remote "))?;
    let url = lines.find_map(|line| line.strip_prefix("url")?.trim().strip_prefix('='))?;
    let url = url.trim();
    // A name and a password may stand in it.
    let shown = match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(at)) if scheme < at => {
            let (scheme, rest) = (url.get(..scheme + 3)?, url.get(at + 1..)?);
            format!("{scheme}{rest}")
        }
        (Some(_) | None, _) => url.to_owned(),
    };
    Some(bot_policy::visible::line(&shown).to_string())
}
