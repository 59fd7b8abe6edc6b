//! Is this the admin token? A file of the owner's, compared in constant time, tried a few times.

use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use bot_policy::secret::Secret;

use crate::folder::quoted;

/// The shortest token that is taken, in characters.
pub const SHORTEST: usize = 24;

/// The largest file that is read, in bytes.
const FILE_LIMIT: u64 = 1024;

/// The token that opens the page as its owner.
#[derive(Clone, Debug)]
pub struct AdminToken(Secret<String>);

/// The file of the admin token cannot be used. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum AdminTokenError {
    /// Others could have read it.
    #[error("web.admin_token_file {} can be read by others; make it yours alone with: chmod 600 {}", .0.display(), quoted(.0))]
    Loose(PathBuf),
    /// It holds too little, or more than one word.
    #[error("web.admin_token_file {} holds no token; write one word of {SHORTEST} to 1024 characters into it, as from: openssl rand -hex 32", .0.display())]
    NoToken(PathBuf),
    /// It cannot be read.
    #[error("web.admin_token_file {} cannot be read ({why}); write a token into it, as from: openssl rand -hex 32", .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        why: String,
    },
}

impl AdminToken {
    /// Reads the token of a file.
    ///
    /// # Errors
    /// When the file is missing, others may read it, or it holds no token.
    pub fn read(file: &Path) -> Result<Self, AdminTokenError> {
        let unreadable = |why: std::io::Error| AdminTokenError::Unreadable {
            file: file.to_owned(),
            why: match why.kind() {
                ErrorKind::NotFound => "there is no such file".to_owned(),
                other => other.to_string(),
            },
        };
        let open = std::fs::File::open(file).map_err(unreadable)?;
        let about = open.metadata().map_err(unreadable)?;
        // One that is another's file, as a container engine mounts them, is left to its maker.
        let ours = about.uid() == rustix::process::geteuid().as_raw();
        if ours && about.mode() & 0o077 != 0 {
            return Err(AdminTokenError::Loose(file.to_owned()));
        }
        let mut text = String::new();
        open.take(FILE_LIMIT + 1)
            .read_to_string(&mut text)
            .map_err(unreadable)?;
        let token = text.trim();
        let fits = token.len() as u64 <= FILE_LIMIT && !token.contains(char::is_whitespace);
        if token.chars().count() < SHORTEST || !fits {
            return Err(AdminTokenError::NoToken(file.to_owned()));
        }
        Ok(Self(Secret::new(token.to_owned())))
    }

    /// The token, to be cut from whatever is shown.
    pub fn secret(&self) -> Secret<String> {
        self.0.clone()
    }

    /// Whether this is the token, in a time that tells nothing of it but its length.
    pub(super) fn is(&self, typed: &str) -> bool {
        self.0.matches(typed.as_bytes())
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
