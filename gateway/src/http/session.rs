//! Which browser is this? A random token in a cookie, of which only the hash is ever stored.

use std::fmt::Write;

use axum::http::HeaderMap;
use axum::http::header::{COOKIE, HOST};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::DeskError;

/// The cookie's name. Cookies know no ports (RFC 6265, section 8.5): behind it stands the port, where
/// one is named, so that two Posterns on one machine do not take each other's place.
const COOKIE_NAME: &str = "postern_session";

/// How long a browser keeps the cookie, in seconds: 400 days, the longest that browsers allow
/// (draft-ietf-httpbis-rfc6265bis, section 5.5).
const MAX_AGE: u32 = 400 * 24 * 60 * 60;

/// SHA-256 of a session's token, in hexadecimal; all that is stored of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionHash(String);

impl SessionHash {
    /// The hash, for storing.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The hash of a token as it stands in the cookie; none when it cannot be one of ours.
    pub fn of(token: &str) -> Option<Self> {
        let ours = token.len() == 64
            && token
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        ours.then(|| Self(hex(&Sha256::digest(token.as_bytes()))))
    }
}

/// Whether a cookie may also travel without TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Travel {
    /// On loopback there is no TLS.
    Plain,
    /// The page is reached by `https` only.
    TlsOnly,
}

/// A new session: what the browser keeps, and what is stored.
pub struct Fresh {
    /// The `Set-Cookie` value.
    pub cookie: String,
    /// The hash of the token in it.
    pub hash: SessionHash,
}

/// Makes a session of 256 random bits.
pub fn fresh(travel: Travel, headers: &HeaderMap) -> Result<Fresh, DeskError> {
    let token = random::<32>()?;
    let hash = SessionHash(hex(&Sha256::digest(token.as_bytes())));
    let secure = match travel {
        Travel::Plain => "",
        Travel::TlsOnly => "; Secure",
    };
    let cookie = format!(
        "{}={token}; HttpOnly; SameSite=Strict; Path=/; Max-Age={MAX_AGE}{secure}",
        named(headers)
    );
    Ok(Fresh { cookie, hash })
}

/// The session of a request. Two cookies of that name are none: a page on another port of this
/// machine can plant one, and must not choose which of them counts. Where none has the name, because
/// the page has another port since, the only session of any Postern is taken.
pub fn of(headers: &HeaderMap) -> Option<SessionHash> {
    let named = named(headers);
    let tokens = tokens(headers, |name| name == named);
    let tokens = match tokens.is_empty() {
        true => self::tokens(headers, |name| name.starts_with(COOKIE_NAME)),
        false => tokens,
    };
    match tokens.as_slice() {
        [token] => SessionHash::of(token),
        _ => None,
    }
}

fn tokens(headers: &HeaderMap, wanted: impl Fn(&str) -> bool) -> Vec<&str> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(name, _)| wanted(name))
        .map(|(_, token)| token)
        .collect()
}

/// The cookie's name at the address that a request was sent to.
fn named(headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let port = host
        .and_then(|host| host.rsplit_once(':'))
        .map(|(_, port)| port);
    let is_port = |port: &&str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    match port.filter(is_port) {
        Some(port) => format!("{COOKIE_NAME}_{port}"),
        None => COOKIE_NAME.to_owned(),
    }
}

/// Random bytes in hexadecimal.
pub fn random<const BYTES: usize>() -> Result<String, DeskError> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| DeskError(format!("no randomness: {error}")))?;
    Ok(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
