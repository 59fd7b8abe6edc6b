//! What is different in a Code conversation? It works in a folder, at a terminal, and in the chats
//! that it is linked to.
//!
//! ```text
//!  postern code --socket--> session --InboundEvent--> House::take   as from any line
//!  postern code <--lines--- session <--Screen-- the terminal's hub <-- outbox, preview, gate
//!  /link in a chat: place.conversation is the Code conversation; letters go to both
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use adapters::web::Screen;
use bot_policy::approval::{Kept, State};
use bot_policy::decide::{CanAsk, Surface};
use bot_policy::id::Timestamp;
use bot_policy::shell::FolderTrust;
use bot_policy::tool::ToolSpec;

use crate::agent::Ended;
use crate::agent::tools::{Bench, Cage, Ownership, Unconfined};
use crate::config::Config;
use crate::store::{Closing, Loaded, StoreError};
use crate::{House, clock};

mod folder;
pub mod protocol;
mod session;
mod show;

pub(crate) use folder::{about, keep};
pub(crate) use session::attend;
pub(crate) use show::{refused, send_whole, shown};

/// The line of all Code conversations.
pub const LINE: &str = "terminal";

/// How long a terminal may be away before its card counts as closed with it, in seconds: a
/// program that was only cut off comes back within that.
const AWAY: i64 = 20;

/// Builds what keeps commands in: Postern's own folders, and the files of its secrets wherever they
/// lie, are always hidden.
pub(crate) async fn cage(config: &Config, data: &Path, settings: &Path) -> Arc<Cage> {
    let own = [data.to_owned(), settings.to_owned()].into_iter();
    let given = std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from);
    let own = own.chain(given).chain(secret_files(settings));
    let hidden = own.map(|own| own.canonicalize().unwrap_or(own));
    Arc::new(Cage::build(hidden.collect(), config.code.network.into()).await)
}

/// Every file that the settings name as one that holds a secret: by their words, such a setting
/// ends in `_file`. A certificate is none, and is hidden with them.
fn secret_files(settings: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(settings.join(crate::config::FILE_NAME)).unwrap_or_default();
    let mut found = Vec::new();
    let mut open: Vec<toml::Value> = text.parse().map(toml::Value::Table).into_iter().collect();
    while let Some(value) = open.pop() {
        match value {
            toml::Value::Table(table) => {
                for (key, value) in table {
                    match value {
                        toml::Value::String(path) if key.ends_with("_file") => {
                            found.push(settings.join(path));
                        }
                        other => open.push(other),
                    }
                }
            }
            toml::Value::Array(values) => open.extend(values),
            _ => {}
        }
    }
    found
}

/// The tools that are offered in a conversation.
pub(crate) fn tools(house: &House, loaded: &Loaded) -> Arc<Vec<ToolSpec>> {
    let bench = match &loaded.code {
        None => Bench::Chat,
        Some(code) => match (house.cage.why_not(), code.folder.unconfined) {
            (None, _) | (Some(_), Unconfined::Accepted) => Bench::Code,
            (Some(_), Unconfined::No) => Bench::CodeWithoutCommands,
        },
    };
    house.tools.offered(bench)
}

/// The folder that a conversation works in.
pub(crate) fn folder(house: &House, loaded: &Loaded) -> PathBuf {
    match &loaded.code {
        Some(code) => code.folder.path.clone(),
        None => house.workspace(loaded.place_id),
    }
}

/// Whether the owner vouches for that folder. A Code conversation writes in its own.
pub(crate) fn trust(house: &House, loaded: &Loaded) -> FolderTrust {
    let named = house.judging.folder(&folder(house, loaded));
    match &loaded.code {
        Some(code) if code.folder.ownership == Ownership::Yours => FolderTrust::Shared,
        Some(_) if named == FolderTrust::Trusted => FolderTrust::Shared,
        Some(_) | None => named,
    }
}

/// On what kind of screen a conversation asks.
pub(crate) fn surface(loaded: &Loaded) -> Surface {
    match (&loaded.code, loaded.linked.is_empty()) {
        (Some(_), true) => Surface::Terminal,
        (Some(_), false) | (None, _) => Surface::Chat,
    }
}

/// Whether somebody is there to answer.
pub(crate) fn can_ask(loaded: &Loaded) -> CanAsk {
    match &loaded.code {
        Some(code) if code.unattended && loaded.linked.is_empty() => CanAsk::No,
        Some(_) | None => CanAsk::Yes,
    }
}

/// Shows a passing line at the terminal of a Code conversation.
pub(crate) fn show_passing(house: &House, loaded: &Loaded, text: &str) {
    if loaded.code.is_none() {
        return;
    }
    let text = house.secrets.cut(text);
    let text = match &loaded.work {
        Some(work) => format!("{}: {text}", work.worker),
        None => text,
    };
    house.terminal.show(Screen::Notice {
        place: loaded.place.clone(),
        text: bot_policy::visible::line(&text).to_string(),
    });
}

/// Tells the terminal that nothing more is being done for now.
pub(crate) fn rests(house: &House, loaded: &Loaded) {
    let done = loaded.work.is_none() && loaded.turn.unfinished_calls().next().is_none();
    if done && loaded.code.is_some() {
        house.terminal.show(Screen::Idle {
            place: loaded.place.clone(),
        });
    }
}

/// Who has which Code conversation open.
#[derive(Debug, Default)]
pub(crate) struct Terminals(Mutex<BTreeMap<String, Seat>>);

#[derive(Clone, Copy, Debug)]
struct Seat {
    open: usize,
    left: Timestamp,
}

/// One terminal that has a Code conversation open; it is closed with this.
pub(crate) struct Seated {
    house: Arc<House>,
    name: String,
}

impl Seated {
    pub(crate) fn new(house: Arc<House>, name: &str) -> Self {
        house.terminals.change(name, |seat| seat.open += 1);
        Self {
            house,
            name: name.to_owned(),
        }
    }
}

impl Drop for Seated {
    fn drop(&mut self) {
        self.house.terminals.change(&self.name, |seat| {
            seat.open = seat.open.saturating_sub(1);
            seat.left = clock::now();
        });
    }
}

impl Terminals {
    fn change(&self, name: &str, change: impl FnOnce(&mut Seat)) {
        let mut seats = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(seats.entry(name.to_owned()).or_insert(Seat {
            open: 0,
            left: clock::now(),
        }));
    }

    /// Whether a conversation is open at some terminal.
    pub(crate) fn is_open(&self, name: &str) -> bool {
        let seats = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seats.get(name).is_some_and(|seat| seat.open > 0)
    }

    /// Whether nobody has had it open for long.
    fn is_away(&self, name: &str, start: Timestamp, now: Timestamp) -> bool {
        let seats = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let seat = seats.get(name).copied().unwrap_or(Seat {
            open: 0,
            left: start,
        });
        seat.open == 0 && seat.left.plus_seconds(AWAY) < now
    }
}

/// Closes the cards that stand at terminals alone which are gone: they lived until then.
pub(crate) async fn lapse(house: &Arc<House>) -> Result<(), StoreError> {
    let now = clock::now();
    for (which, question, name) in house.store.at_terminals().await? {
        if !house.terminals.is_away(&name, house.since, now) {
            continue;
        }
        let told = "the terminal was closed before anybody answered; it was not refused, and it did not run";
        let closing = Closing {
            question,
            state: State::Expired,
            by: None,
            outcome: "The terminal was closed, so it did not run".to_owned(),
            told: Some((Ended::Denied, told.to_owned())),
            keeps: Kept::Nothing,
            notes: Vec::new(),
        };
        if let Some(letters) = house.store.answer(which, closing, now).await? {
            house.post(letters);
            house.wake(house.store.family(which).await?);
        }
    }
    Ok(())
}
