//! What must never be printed? Values that only leave by name.

mod forms;
mod hash;
mod names;
mod shapes;
mod value;

use std::fmt;

use aho_corasick::AhoCorasick;
use serde::Deserialize;
use subtle::ConstantTimeEq;

use self::forms::{Kind, squeezed, written_forms};
pub use self::hash::config_hash;
pub use self::names::{is_secret_name, variable};

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

/// Knows the secrets that are loaded, and cuts them out of text; and with them whatever has the
/// shape of a well-known kind of secret.
#[derive(Clone, Default)]
pub struct Redactor {
    forms: Option<AhoCorasick>,
    /// For each form, how it is found.
    kinds: Vec<(Kind, Stands)>,
}

/// Where a secret is cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stands {
    /// Only where no letter or digit stands beside it.
    Alone,
    /// Anywhere.
    Anywhere,
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
    /// write them, wrapped over lines, split by unseen characters or reversed.
    ///
    /// # Errors
    /// When a secret is too short to be looked for, or all together are too long.
    pub fn new<'a>(
        secrets: impl IntoIterator<Item = &'a Secret<String>>,
    ) -> Result<Self, NotRedactable> {
        let secrets: Vec<&Secret<String>> = secrets.into_iter().collect();
        match secrets
            .iter()
            .position(|secret| secret.0.len() < SECRET_BYTES)
        {
            Some(at) => Err(NotRedactable::TooShort { number: at + 1 }),
            None => Self::with_short_ones(secrets),
        }
    }

    /// As [`Redactor::new`], but a secret shorter than [`SECRET_BYTES`] is cut where it stands
    /// alone, between characters that no word has; inside a word it is not seen. One of blanks
    /// alone is not looked for.
    ///
    /// # Errors
    /// When all together are too long.
    pub fn with_short_ones<'a>(
        secrets: impl IntoIterator<Item = &'a Secret<String>>,
    ) -> Result<Self, NotRedactable> {
        let mut forms: Vec<(String, Kind, Stands)> = secrets
            .into_iter()
            .filter(|secret| !secret.0.trim().is_empty())
            .flat_map(|secret| {
                let stands = if secret.0.len() < SECRET_BYTES {
                    Stands::Alone
                } else {
                    Stands::Anywhere
                };
                let forms = written_forms(&secret.0).into_iter();
                forms.map(move |(form, kind)| (form, kind, stands))
            })
            .collect();
        // One text that is found in two ways is found in the way that cuts more.
        forms.sort();
        forms.dedup_by(|two, one| {
            let same = two.0 == one.0;
            if same {
                one.1 = one.1.min(two.1);
                one.2 = one.2.max(two.2);
            }
            same
        });
        if forms.is_empty() {
            return Ok(Self::default());
        }
        match AhoCorasick::new(forms.iter().map(|(form, _, _)| form)) {
            Ok(automaton) => Ok(Self {
                forms: Some(automaton),
                kinds: forms
                    .into_iter()
                    .map(|(_, kind, stands)| (kind, stands))
                    .collect(),
            }),
            Err(_) => Err(NotRedactable::TooLong),
        }
    }

    /// The text without the secrets. What overlaps is cut as one, and the marker is not searched.
    pub fn cut(&self, text: &str) -> String {
        let mut spans = shapes::found(text);
        spans.extend(self.known(text, &mut 0));
        without(text, spans)
    }

    /// The text without the loaded secrets alone. For what a person judges: whoever writes what is
    /// judged could hide it in the shape of a secret, but not in one that they do not have.
    pub fn cut_known(&self, text: &str) -> String {
        without(text, self.known(text, &mut 0))
    }

    /// How many steps looking for the loaded secrets takes: the bytes read, and what is found.
    pub fn steps(&self, text: &str) -> usize {
        let mut steps = 0;
        self.known(text, &mut steps);
        steps
    }

    /// Where loaded secrets stand in a text, split or not.
    fn known(&self, text: &str, steps: &mut usize) -> Vec<(usize, usize)> {
        let mut spans = self.found(text, steps);
        let (squeezed, stood) = squeezed(text);
        if squeezed.len() < text.len() {
            spans.extend(
                self.found(&squeezed, steps)
                    .into_iter()
                    .filter_map(|(start, end)| {
                        let last = stood.get(end.checked_sub(1)?)?;
                        Some((*stood.get(start)?, last + 1))
                    }),
            );
        }
        spans
    }

    /// Where secrets stand in a text, what overlaps as one.
    fn found(&self, text: &str, steps: &mut usize) -> Vec<(usize, usize)> {
        let Some(forms) = &self.forms else {
            return Vec::new();
        };
        let mut spans: Vec<(usize, usize, Kind, Stands)> = Vec::new();
        *steps += text.len();
        for found in forms.find_overlapping_iter(text) {
            *steps += 1;
            let (mut start, end) = (found.start(), found.end());
            let kind = self.kinds.get(found.pattern().as_usize()).copied();
            let (mut kind, mut stands) = kind.unwrap_or((Kind::Written, Stands::Anywhere));
            while let Some((from, _, other, also)) = spans.pop_if(|(_, until, _, _)| *until > start)
            {
                start = start.min(from);
                kind = kind.min(other);
                stands = stands.max(also);
            }
            spans.push((start, end, kind, stands));
        }
        let of_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let mut cut: Vec<(usize, usize)> = Vec::new();
        for (start, end, kind, stands) in spans {
            let done = cut.last().map_or(0, |(_, end)| *end);
            let before = text.get(done..start).unwrap_or_default();
            let after = text.get(end..).unwrap_or_default();
            let beside = [before.chars().next_back(), after.chars().next()];
            if end <= done || (stands == Stands::Alone && beside.into_iter().any(of_word)) {
                continue;
            }
            cut.push(match kind {
                Kind::Base64 => {
                    let (back, on) = (run(before.bytes().rev()), run(after.bytes()));
                    *steps += back + on;
                    (start.max(done) - back, end + on)
                }
                Kind::Written => (start.max(done), end),
            });
        }
        cut
    }
}

/// The text with the marker where these spans were.
fn without(text: &str, mut spans: Vec<(usize, usize)>) -> String {
    spans.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end) in merged(spans) {
        out.push_str(text.get(at..start).unwrap_or_default());
        out.push_str(MARKER);
        at = end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// How many base64 digits come first.
fn run(bytes: impl Iterator<Item = u8>) -> usize {
    let of_run = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte);
    bytes.take_while(of_run).count()
}

/// Sorted spans, those that overlap as one.
fn merged(spans: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (start, end) in spans {
        match out.last_mut() {
            Some((_, until)) if start < *until => *until = end.max(*until),
            Some(_) | None => out.push((start, end)),
        }
    }
    out
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor(..)")
    }
}
