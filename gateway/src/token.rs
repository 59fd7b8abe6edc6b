//! What may a program of the owner's do with its token? Speak in one chat of its own, and read what
//! is answered there.

use std::fmt;

use bot_policy::event::Provenance;
use bot_policy::id::Timestamp;
use bot_policy::secret::Secret;
use serde::{Deserialize, Serialize};

use crate::chance::{self, NoRandomness};
use crate::digest;

/// The longest name, in characters.
const NAME_LIMIT: usize = 32;

/// What every token begins with, so that it is known wherever it turns up.
const MARK: &str = "postern_";

/// What a token is called: 1 to 32 of `a-z`, `0-9` and `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TokenName(String);

/// Whose words does it send?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Words {
    /// Anybody's: outside content.
    #[default]
    Outside,
    /// The owner's own, as the owner said at the terminal.
    Own,
}

/// A token that is known. Of the token itself only its SHA-256 is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatToken {
    /// What it is called.
    pub name: TokenName,
    /// Whose words it sends.
    pub words: Words,
    /// When it was made.
    pub since: Timestamp,
    /// The chat that it reaches.
    pub account: String,
}

/// A token that was just made; its text is shown once and kept nowhere.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewToken {
    /// What it is called.
    pub name: TokenName,
    /// Whose words it sends.
    pub words: Words,
    /// The token.
    pub token: String,
}

impl fmt::Debug for NewToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewToken")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl TokenName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TokenName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name.is_empty() || name.len() > NAME_LIMIT || !name.chars().all(fits) {
            return Err(format!(
                "a token cannot be called {name:?}; use 1 to {NAME_LIMIT} of a-z, 0-9 and -"
            ));
        }
        Ok(Self(name))
    }
}

impl std::str::FromStr for TokenName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::try_from(name.to_owned())
    }
}

impl From<TokenName> for String {
    fn from(name: TokenName) -> Self {
        name.0
    }
}

impl fmt::Display for TokenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Words {
    /// As what its text comes in.
    pub(crate) fn provenance(self) -> Provenance {
        match self {
            Self::Outside => Provenance::Unmarked,
            Self::Own => Provenance::Authored,
        }
    }
}

/// A fresh token of 256 random bits.
pub(crate) fn fresh() -> Result<Secret<String>, NoRandomness> {
    Ok(Secret::new(format!(
        "{MARK}{}",
        digest::digits(&chance::bytes::<32>()?)
    )))
}

/// The chat of a new token. It is no earlier one's, whatever that was called.
pub(crate) fn account(name: &TokenName) -> Result<String, NoRandomness> {
    Ok(format!(
        "token-{name}-{}",
        digest::digits(&chance::bytes::<8>()?)
    ))
}

/// What is kept of a token; nothing for what cannot be one.
pub(crate) fn hash(token: &str) -> Option<String> {
    let digits = token.strip_prefix(MARK)?;
    (digits.len() == 64).then(|| digest::hex(token.as_bytes()))
}
