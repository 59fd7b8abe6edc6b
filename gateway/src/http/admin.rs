//! Is this the admin token? A secret of the owner's, compared in constant time, tried a few times.

use adapters::{SecretError, SecretSource, environment};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use bot_policy::secret::Secret;

/// The shortest token that is taken, in characters.
pub const SHORTEST: usize = 24;

/// The longest, in bytes.
const LONGEST: usize = 1024;

/// The token that opens the page as its owner, as it stood when it was read.
#[derive(Clone, Debug)]
pub struct AdminToken {
    source: SecretSource,
    token: Secret<String>,
}

/// The admin token cannot be used. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum AdminTokenError {
    /// It holds too little, or more than one word.
    #[error(
        "{0} holds no token; write one word of {SHORTEST} to {LONGEST} characters into it, as from: openssl rand -hex 32"
    )]
    NoToken(SecretSource),
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] SecretError),
}

impl AdminToken {
    /// Reads the token.
    ///
    /// # Errors
    /// When it is missing, others may read it, or there is none.
    pub fn read(source: &SecretSource) -> Result<Self, AdminTokenError> {
        let token = source.read(
            "one word of 24 to 1024 characters (as from: openssl rand -hex 32)",
            environment,
        )?;
        let text = token.reveal();
        let fits = text.len() <= LONGEST && !text.contains(char::is_whitespace);
        if text.chars().count() < SHORTEST || !fits {
            return Err(AdminTokenError::NoToken(source.clone()));
        }
        Ok(Self {
            source: source.clone(),
            token,
        })
    }

    /// The token, to be cut from whatever is shown.
    pub fn secret(&self) -> Secret<String> {
        self.token.clone()
    }

    /// Whether this is the token that stands there now, in a time that tells nothing of it
    /// but its length. While it cannot be read, nothing is.
    pub(super) fn is(&self, typed: &str) -> bool {
        match Self::read(&self.source) {
            Ok(now) => now.token.matches(typed.as_bytes()),
            Err(error) => {
                tracing::error!(%error, "nobody is let in by the admin token");
                false
            }
        }
    }
}

/// The token that a request carries, as `Authorization: Bearer TOKEN`.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    match (all.next(), all.next()) {
        (Some(value), None) => value.to_str().ok()?.strip_prefix("Bearer "),
        (_, _) => None,
    }
}
