//! Is this code good? One-time codes that carry a role, and what a wrong one costs.

use std::collections::VecDeque;
use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

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
    /// This sender has tried too often; in a direct chat nothing was compared.
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
    /// Makes a code from random bytes. Every code is as likely as any other to one part in ten
    /// million.
    pub fn from_random(bytes: [u8; 8]) -> Self {
        let mut rest = u64::from_le_bytes(bytes);
        let mut code = String::with_capacity(CODE_LENGTH);
        for _ in 0..CODE_LENGTH {
            let symbols = ALPHABET.len() as u64;
            let symbol = usize::try_from(rest % symbols)
                .ok()
                .and_then(|at| ALPHABET.get(at));
            code.extend(symbol.copied().map(char::from));
            rest /= symbols;
        }
        Self(code)
    }

    /// Reads a code as a person typed it: case, blanks and hyphens do not matter.
    pub fn parse(text: &str) -> Option<Self> {
        let mut code = String::with_capacity(CODE_LENGTH);
        for c in text.chars().filter(|c| !c.is_whitespace() && *c != '-') {
            if code.len() == CODE_LENGTH {
                return None;
            }
            code.push(symbol(c)?);
        }
        (code.len() == CODE_LENGTH).then_some(Self(code))
    }

    /// What is stored of it.
    pub fn hash(&self) -> CodeHash {
        let digest = Sha256::new()
            .chain_update(b"postern pairing code\0")
            .chain_update(self.0.as_bytes())
            .finalize();
        CodeHash(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The code, to be shown once to the person who asked for it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(..)")
    }
}

/// Judges one try. In a group a right code is burnt whoever sent it, whatever stands around it and
/// however often they tried; of several codes in one text, [`shown_in`] tells all.
pub fn redeem(
    typed: &str,
    live: &[StoredCode],
    tries: Tries,
    kind_of_chat: ChatKind,
    now: Timestamp,
) -> Redemption {
    match kind_of_chat {
        ChatKind::Direct => {}
        ChatKind::Group => {
            if let Some(hash) = shown_in(typed, live, now).into_iter().next() {
                return Redemption::Burnt(hash);
            }
        }
    }
    if tries.by_sender >= TRIES_PER_SENDER {
        return Redemption::Silenced;
    }
    let voided = tries.in_all >= TRIES_IN_ALL;
    let found = Code::parse(typed).and_then(|code| find(&code, live, now));
    match (kind_of_chat, voided, found) {
        (ChatKind::Direct, false, Some(code)) => {
            Redemption::Paired(code.hash.clone(), code.role.clone())
        }
        (ChatKind::Direct | ChatKind::Group, _, _) => Redemption::Wrong {
            live_codes: if tries.in_all.saturating_add(1) >= TRIES_IN_ALL {
                LiveCodes::Void
            } else {
                LiveCodes::Stand
            },
        },
    }
}

/// The live codes that a text shows, however they are spaced or punctuated. Every one that a
/// group message shows is burnt.
pub fn shown_in(text: &str, live: &[StoredCode], now: Timestamp) -> Vec<CodeHash> {
    let mut shown: Vec<CodeHash> = Vec::new();
    if live.is_empty() {
        return shown;
    }
    let mut window: VecDeque<char> = VecDeque::with_capacity(CODE_LENGTH);
    for c in text.chars().filter(char::is_ascii_alphanumeric) {
        match symbol(c) {
            None => window.clear(),
            Some(c) => {
                if window.len() == CODE_LENGTH {
                    window.pop_front();
                }
                window.push_back(c);
            }
        }
        if window.len() == CODE_LENGTH {
            let code = Code(window.iter().collect());
            if let Some(code) = find(&code, live, now)
                && !shown.contains(&code.hash)
            {
                shown.push(code.hash.clone());
            }
        }
    }
    shown
}

/// Compares with every code, so that the time it takes tells nothing.
fn find<'a>(code: &Code, live: &'a [StoredCode], now: Timestamp) -> Option<&'a StoredCode> {
    let hash = code.hash();
    let mut found = None;
    for stored in live {
        let same = hash.0.as_bytes().ct_eq(stored.hash.0.as_bytes());
        if bool::from(same) && now < stored.ends_at {
            found = Some(stored);
        }
    }
    found
}

fn symbol(c: char) -> Option<char> {
    let c = c.to_ascii_uppercase();
    u8::try_from(c)
        .is_ok_and(|byte| ALPHABET.contains(&byte))
        .then_some(c)
}

const CODE_LENGTH: usize = 8;

/// Digits and capitals without 0 O, 1 I L, and U, which a V looks like.
const ALPHABET: &[u8] = b"23456789ABCDEFGHJKMNPQRSTVWXYZ";
