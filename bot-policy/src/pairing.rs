//! Is this code good? One-time codes that carry a role, and what a wrong one costs.

use serde::{Deserialize, Serialize};

use crate::event::ChatKind;
use crate::id::Timestamp;

/// How long a code lives, in seconds.
pub const CODE_LIFE_SECONDS: i64 = 600;
/// How many codes may live at once.
pub const LIVE_CODES: usize = 3;
/// Wrong tries after which one sender is no longer heard.
pub const TRIES_PER_SENDER: u32 = 5;
/// Wrong tries after which every live code is void.
pub const TRIES_IN_ALL: u32 = 20;

/// A code as it is shown: eight characters without look-alikes.
#[derive(Clone, PartialEq, Eq)]
pub struct Code(String);

/// SHA-256 of a code; all that is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CodeHash(pub String);

/// Whom a code makes of the one who sends it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CodeRole {
    /// A guest, under the name that the owner gave.
    Guest {
        /// The name.
        name: String,
    },
    /// The owner.
    Owner,
}

/// A live code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredCode {
    /// Its hash.
    pub hash: CodeHash,
    /// What it makes of its sender.
    pub role: CodeRole,
    /// When it ends.
    pub ends_at: Timestamp,
}

/// Wrong tries so far, within the life of the live codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tries {
    /// By this sender.
    pub by_sender: u32,
    /// By everybody.
    pub in_all: u32,
}

/// What a try came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redemption {
    /// The code was shown to a group: it is burnt, and nobody is paired.
    Burnt(CodeHash),
    /// The sender is paired under this role, and the code is used up.
    Paired(CodeHash, CodeRole),
    /// This sender has tried too often; nothing was compared.
    Silenced,
    /// No live code is like that.
    Wrong {
        /// What happens to the live codes.
        live_codes: LiveCodes,
    },
}

/// What a wrong try does to the live codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveCodes {
    /// They stand.
    Stand,
    /// Too many wrong tries: all are void, and the terminal says so.
    Void,
}

impl Code {
    /// Makes a code from random bytes.
    pub fn from_random(bytes: [u8; 8]) -> Self {
        let _ = bytes;
        Self(String::new())
    }

    /// Reads a code as a person typed it: case, blanks and hyphens do not matter.
    pub fn parse(text: &str) -> Option<Self> {
        let _ = text;
        None
    }

    /// What is stored of it.
    pub fn hash(&self) -> CodeHash {
        CodeHash(String::new())
    }

    /// The code, to be shown once to the person who asked for it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// Judges one try.
pub fn redeem(
    typed: &str,
    live: &[StoredCode],
    tries: Tries,
    kind_of_chat: ChatKind,
    now: Timestamp,
) -> Redemption {
    let _ = (typed, live, tries, kind_of_chat, now);
    Redemption::Silenced
}
