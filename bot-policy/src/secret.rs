//! What must never be printed? Values that only leave by name.

use std::fmt;

use aho_corasick::AhoCorasick;
use serde::Deserialize;
use subtle::ConstantTimeEq;

/// A value that nothing can print, serialize or compare by accident.
///
/// ```compile_fail
/// let secret = bot_policy::secret::Secret::new("token".to_owned());
/// let text = serde_json::to_string(&secret);
/// ```
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Hides a value.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// The value, for the one use that needs it.
    pub fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<redacted>")
    }
}

impl<T: AsRef<[u8]>> Secret<T> {
    /// Whether this is the same value, in a time that tells nothing of it but its length.
    pub fn matches(&self, other: &[u8]) -> bool {
        self.0.as_ref().ct_eq(other).into()
    }
}

/// Knows the secrets that are loaded, and cuts them out of text.
#[derive(Clone, Default)]
pub struct Redactor {
    forms: Option<AhoCorasick>,
}

/// The shortest secret that is cut out of text, in bytes; a shorter one would be found in words
/// that have nothing to do with it.
pub const SECRET_BYTES: usize = 8;

/// What stands where a secret was.
pub const MARKER: &str = "<redacted>";

/// The secrets cannot be looked for, so no text may be let out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRedactable {
    /// One of them is too short to be cut out of text.
    #[error("secret {number} is shorter than {SECRET_BYTES} characters; use a longer one")]
    TooShort {
        /// Which, counted from 1.
        number: usize,
    },
    /// All together they are too long.
    #[error("the secrets are too long to look for in text")]
    TooLong,
}

impl Redactor {
    /// Knows these secrets, as they are and as base64, hexadecimal, JSON, HTML and address encodings
    /// write them.
    ///
    /// # Errors
    /// When a secret is too short to be looked for, or all together are too long.
    pub fn new<'a>(
        secrets: impl IntoIterator<Item = &'a Secret<String>>,
    ) -> Result<Self, NotRedactable> {
        let mut forms: Vec<String> = Vec::new();
        for (at, secret) in secrets.into_iter().enumerate() {
            if secret.0.len() < SECRET_BYTES {
                return Err(NotRedactable::TooShort { number: at + 1 });
            }
            forms.extend(written_forms(&secret.0));
        }
        forms.sort();
        forms.dedup();
        if forms.is_empty() {
            return Ok(Self::default());
        }
        match AhoCorasick::new(&forms) {
            Ok(forms) => Ok(Self { forms: Some(forms) }),
            Err(_) => Err(NotRedactable::TooLong),
        }
    }

    /// The text without the secrets. What overlaps is cut as one.
    pub fn cut(&self, text: &str) -> String {
        let Some(forms) = &self.forms else {
            return text.to_owned();
        };
        let mut spans: Vec<(usize, usize)> = Vec::new();
        for found in forms.find_overlapping_iter(text) {
            let (mut start, end) = (found.start(), found.end());
            while let Some((from, _)) = spans.pop_if(|(_, until)| *until > start) {
                start = start.min(from);
            }
            spans.push((start, end));
        }
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (start, end) in spans {
            out.push_str(text.get(at..start).unwrap_or_default());
            out.push_str(MARKER);
            at = end;
        }
        out.push_str(text.get(at..).unwrap_or_default());
        out
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor(..)")
    }
}

/// A secret as other writers put it.
fn written_forms(secret: &str) -> Vec<String> {
    let bytes = secret.as_bytes();
    let json = serde_json::Value::from(secret).to_string();
    let json = json
        .strip_prefix('"')
        .and_then(|json| json.strip_suffix('"'));
    let json = json.unwrap_or(secret);
    let lower: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
    let mut forms = vec![
        secret.to_owned(),
        json.to_owned(),
        json.replace('/', "\\/"),
        secret.replace('\n', "\r\n"),
        html(secret),
        lower.to_uppercase(),
        lower,
        percent(bytes, "%20", Digits::Lower),
        percent(bytes, "%20", Digits::Upper),
        percent(bytes, "+", Digits::Lower),
        percent(bytes, "+", Digits::Upper),
    ];
    for skipped in 0..3 {
        let encoded = base64(bytes, skipped);
        forms.push(encoded.replace('+', "-").replace('/', "_"));
        forms.push(encoded);
    }
    forms.retain(|form| form.len() >= SECRET_BYTES);
    forms
}

fn html(secret: &str) -> String {
    secret
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[derive(Clone, Copy)]
enum Digits {
    Lower,
    Upper,
}

fn percent(bytes: &[u8], blank: &str, digits: Digits) -> String {
    let mut out = String::with_capacity(bytes.len() * 3);
    for byte in bytes {
        match (byte, digits) {
            (b' ', _) => out.push_str(blank),
            (b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~', _) => {
                out.push(char::from(*byte));
            }
            (_, Digits::Lower) => out.push_str(&format!("%{byte:02x}")),
            (_, Digits::Upper) => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The base64 digits that bytes surely become when `before` bytes (modulo three) stand before
/// them; the digits at both ends that their neighbours change are left out.
fn base64(bytes: &[u8], before: usize) -> String {
    let mut bits: u32 = 0;
    let mut held = 0;
    // The first digit that holds nothing of what stands before ends this many bits into ours.
    let mut skip = match before {
        1 => 4,
        2 => 2,
        _ => 0,
    };
    let mut out = String::with_capacity(bytes.len() * 4 / 3);
    for byte in bytes {
        bits = (bits << 8 | u32::from(*byte)) & 0xffff;
        held += 8;
        if skip > 0 {
            held -= skip;
            skip = 0;
        }
        while held >= 6 {
            held -= 6;
            let digit = usize::try_from(bits >> held & 0x3f).unwrap_or_default();
            out.extend(BASE64.get(digit).copied().map(char::from));
        }
    }
    out
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
