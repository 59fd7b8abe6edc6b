//! Is this the admin token? A secret of the owner's, compared in constant time, tried a few times.

use std::time::Duration;

use adapters::{SecretError, SecretSource, environment};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use bot_policy::secret::{NotRedactable, Secret};

use crate::secrets::Secrets;

/// The shortest token that is taken, in characters.
pub const SHORTEST: usize = 24;

/// The longest, in bytes.
const LONGEST: usize = 1024;

/// How long a token that replaced another may stand unseen, unless somebody signs in.
const LOOKS: Duration = Duration::from_secs(1);

/// The token that opens the page as its owner, as it stands at each moment where it is kept.
#[derive(Clone, Debug)]
pub struct AdminToken {
    source: SecretSource,
    secrets: Secrets,
}

/// The admin token cannot be used. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum AdminTokenError {
    /// It holds too little, or more than one word.
    #[error(
        "{0} holds no token; write one word of {SHORTEST} to {LONGEST} characters into it, as from: openssl rand -hex 32"
    )]
    NoToken(SecretSource),
    /// It could not be kept from getting out.
    #[error(transparent)]
    NotRedactable(#[from] NotRedactable),
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] SecretError),
}

impl AdminToken {
    /// Reads the token. It is cut from whatever is shown, and so is each that replaces it.
    ///
    /// # Errors
    /// When it is missing, others may read it, or there is none.
    pub fn read(source: &SecretSource, secrets: &Secrets) -> Result<Self, AdminTokenError> {
        let token = Self {
            source: source.clone(),
            secrets: secrets.clone(),
        };
        token.held()?;
        Ok(token)
    }

    /// Looks now and then whether another token stands there.
    pub(crate) async fn watch(self) {
        loop {
            tokio::time::sleep(LOOKS).await;
            // Whoever signs in is told what is wrong with it.
            let _ = self.held();
        }
    }

    /// Whether this is the token now: one that was replaced opens nothing from then on. Compared in
    /// a time that tells nothing of it but its length.
    pub(super) fn is(&self, typed: &str) -> bool {
        match self.held() {
            Ok(token) => token.matches(typed.as_bytes()),
            Err(error) => {
                tracing::warn!(%error, "nobody signs in with the admin token");
                false
            }
        }
    }

    fn held(&self) -> Result<Secret<String>, AdminTokenError> {
        let token = held(&self.source)?;
        self.secrets.load([token.clone()])?;
        Ok(token)
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
