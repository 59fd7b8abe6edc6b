//! What every part of the running gateway shares.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};

use bot_policy::id::{LineId, Place, Timestamp};
use tokio::sync::{mpsc, watch};

use crate::agent::model::Model;
use adapters::web::Web;

use crate::agent::tools::{Cage, Files, Tools};
use crate::answering::Answering;
use crate::cli::banner::OwnerCode;
use crate::cli::qr::Room;
use crate::code::Terminals;
use crate::config::{self, Judging, Sensitive};
use crate::gate::Second;
use crate::inbox::Signal;
use crate::lines::Lines;
use crate::replay::Replay;
use crate::rulebook::Rulebook;
use crate::secrets::Secrets;
use crate::socket::LineStatus;
use crate::store::{Letter, PlaceId, Store};
use crate::{holds, keep, pulse};

/// What every part of the running gateway shares.
pub(crate) struct House {
    pub(crate) store: Store,
    pub(crate) lines: Lines,
    /// What is shown to whoever has a Code conversation open at a terminal, and who has.
    pub(crate) terminal: Arc<Web>,
    pub(crate) terminals: Terminals,
    /// What keeps commands in.
    pub(crate) cage: Arc<Cage>,
    pub(crate) tools: Tools,
    pub(crate) files: Arc<Files>,
    pub(crate) uploads: PathBuf,
    /// Where the copies of files lie that were sent.
    pub(crate) sent: PathBuf,
    pub(crate) model: Arc<dyn Model>,
    /// What the model may use up; none while it costs nothing.
    pub(crate) budget: Option<config::model::Budget>,
    pub(crate) secrets: Secrets,
    pub(crate) rulebook: Rulebook,
    /// The digest of the owner's rules that was noted last.
    pub(crate) ruled: Mutex<String>,
    /// Keys the digests of what the audit does not keep.
    pub(crate) audit_key: String,
    pub(crate) judging: Judging,
    pub(crate) second: Second,
    pub(crate) sensitive: Sensitive,
    pub(crate) replay: Replay,
    /// Where the folders of the places are.
    pub(crate) workspaces: PathBuf,
    pub(crate) letters: mpsc::UnboundedSender<Letter>,
    pub(crate) signals: mpsc::UnboundedSender<Signal>,
    pub(crate) states: watch::Sender<BTreeMap<LineId, LineStatus>>,
    pub(crate) room: Room,
    pub(crate) since: Timestamp,
    pub(crate) web_address: String,
    /// The first owner code with the links that were shown beside it, once it was shown.
    pub(crate) first_code: OnceLock<OwnerCode>,
    /// Which places were asked to be quiet.
    pub(crate) holds: holds::Holds,
    /// Whether letters were sent before in this run.
    pub(crate) outbox_runs: AtomicBool,
    /// Which parts have crashed since the start.
    pub(crate) crashes: keep::Crashes,
    /// Whether the store could be written when it was last asked.
    pub(crate) pulse: pulse::Pulse,
    /// What became of the last question to the model.
    pub(crate) answering: Answering,
}

impl House {
    /// How much of a card's body a place shows before it is cut.
    pub(crate) fn card_body(&self, place: &Place) -> usize {
        self.lines
            .get(&place.line)
            .map_or(0, |line| line.capabilities().card_body)
    }

    /// The folder of a place, whether or not it exists yet.
    pub(crate) fn workspace(&self, place: PlaceId) -> PathBuf {
        self.workspaces.join(place.0.to_string())
    }

    /// Says something to whoever watches the terminal.
    pub(crate) fn say_at_terminal(&self, text: &str) {
        use std::io::Write;
        // Nobody may be watching; the same is in the audit.
        let _ = writeln!(std::io::stderr(), "{}", self.secrets.cut(text));
    }
}
