//! Is this the admin token? A secret of the owner's, compared in constant time, tried a few times.

use adapters::{SecretError, SecretSource, environment};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use bot_policy::secret::Secret;

/// The shortest token that is taken, in characters.
pub const SHORTEST: usize = 24;

/// The longest, in bytes.
const LONGEST: usize = 1024;

/// The token that opens the page as its owner, as it stands at each moment where it is kept.
#[derive(Clone, Debug)]
pub struct AdminToken {
    source: SecretSource,
    at_start: Secret<String>,
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
        Ok(Self {
            source: source.clone(),
            at_start: held(source)?,
        })
    }

    /// The token as it was read, to be cut from whatever is shown.
    pub fn secret(&self) -> Secret<String> {
        self.at_start.clone()
    }

    /// Whether this is the token now: one that was replaced opens nothing from then on. Compared in
    /// a time that tells nothing of it but its length.
    pub(super) fn is(&self, typed: &str) -> bool {
        match held(&self.source) {
            Ok(token) => token.matches(typed.as_bytes()),
            Err(error) => {
                tracing::warn!(%error, "nobody signs in with the admin token");
                false
            }
        }
    }
}

fn held(source: &SecretSource) -> Result<Secret<String>, AdminTokenError> {
    let token = source.read(
        "one word of 24 to 1024 characters (as from: openssl rand -hex 32)",
        environment,
    )?;
    let text = token.reveal();
    let fits = text.len() <= LONGEST && !text.contains(char::is_whitespace);
    if text.chars().count() < SHORTEST || !fits {
        return Err(AdminTokenError::NoToken(source.clone()));
    }
    Ok(token)
}

/// The token that a request carries, as `Authorization: Bearer TOKEN`.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    match (all.next(), all.next()) {
        (Some(value), None) => value.to_str().ok()?.strip_prefix("Bearer "),
        (_, _) => None,
    }
}
