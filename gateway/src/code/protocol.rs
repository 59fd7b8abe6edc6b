//! What do a terminal and the gateway say to each other about Code conversations?

use bot_policy::id::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::LINE;

/// Opens a Code conversation, or goes on with one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// The folder, links resolved.
    pub folder: String,
    /// Which one goes on; none opens a new one.
    pub resume: Option<Resume>,
    /// Whether a script reads it, so that nobody is there to answer.
    pub unattended: bool,
}

/// Which Code conversation goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resume {
    /// The one that spoke last in the folder.
    Last,
    /// The one of this name.
    Named(String),
}

/// A question about folders and conversations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Question {
    /// What is known of a folder?
    Folder {
        /// Where.
        path: String,
    },
    /// This is what the owner says of a folder.
    Keep {
        /// Where.
        path: String,
        /// Whether what is in it is theirs.
        yours: bool,
        /// Whether its commands may run without a cage.
        unconfined: bool,
    },
    /// Which conversations go on?
    List,
    /// What was written here while marked is read through.
    Trust {
        /// A file or a folder.
        path: String,
    },
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// What is known of a folder.
    Folder(FolderSeen),
    /// It is kept.
    Kept,
    /// The conversations that go on, the one that spoke last first.
    List(Vec<Seen>),
    /// So many marks were cleared.
    Trusted(usize),
}

/// What is known of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderSeen {
    /// Where it is, links resolved.
    pub path: String,
    /// Whether what is in it is the owner's; none if that was never answered.
    pub yours: Option<bool>,
    /// Where git fetches it from.
    pub remote: Option<String>,
    /// Why its commands cannot be kept in; none where they can.
    pub no_cage: Option<String>,
    /// Whether the owner accepted that.
    pub unconfined: bool,
}

/// A Code conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: String,
    /// What was said last.
    pub last: String,
    /// When.
    pub at: Timestamp,
    /// The chats that it is linked to.
    pub linked: Vec<String>,
    /// Whether it is open at a terminal.
    pub open: bool,
}

/// What a terminal hears first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// The name of the conversation.
    pub name: String,
    /// Its folder.
    pub folder: String,
    /// How it is continued elsewhere, with a code; shown once.
    pub link: Option<String>,
    /// What stands on the screen already, oldest first.
    pub history: Vec<Before>,
    /// Whether something is being done.
    pub busy: bool,
    /// How many calls since the last words did not run for want of an approval.
    pub unapproved: i64,
}

/// Something that stands on the screen already.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Before {
    /// What was typed.
    Mine {
        /// What it is called: see [`said_as`].
        key: String,
        /// The words.
        text: String,
    },
    /// What Postern shows.
    Postern {
        /// What it is called.
        key: String,
        /// As the screen gets it.
        body: Value,
    },
}

/// What a terminal says while it is open. Said again under the same id, it counts once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Typed {
    /// Words or a command.
    Say {
        /// Chosen by the terminal.
        id: String,
        /// The words.
        text: String,
    },
    /// An answer to a question.
    Press {
        /// Chosen by the terminal.
        id: String,
        /// What the button carries.
        token: String,
    },
}

impl Typed {
    /// Its id.
    pub fn id(&self) -> &str {
        match self {
            Self::Press { id, .. } | Self::Say { id, .. } => id,
        }
    }
}

/// What words are called that a terminal said under this id.
pub fn said_as(id: &str) -> String {
    format!("{LINE}-{id}")
}

/// The name of the line that says that something typed was stored.
pub const TOOK: &str = "took";
