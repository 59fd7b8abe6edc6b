//! Which command lines did the owner forbid? Patterns from the configuration or the environment.

use regex::{Regex, RegexBuilder};
use thiserror::Error;

/// Regular expressions, searched in the line and in each of its simple commands.
#[derive(Clone, Debug, Default)]
pub struct Denylist(Vec<Regex>);

/// A pattern that is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the denylist pattern \"{pattern}\" is malformed: {because}")]
pub struct MalformedPattern {
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub because: String,
}

impl PartialEq for Denylist {
    fn eq(&self, other: &Self) -> bool {
        self.0
            .iter()
            .map(Regex::as_str)
            .eq(other.0.iter().map(Regex::as_str))
    }
}

impl Eq for Denylist {}

impl Denylist {
    /// The one that forbids nothing.
    pub(crate) fn empty() -> &'static Self {
        &EMPTY
    }

    /// Reads patterns. Empty ones are left out; a malformed one is an error, never ignored.
    pub fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, MalformedPattern> {
        patterns
            .into_iter()
            .map(str::trim)
            .filter(|pattern| !pattern.is_empty())
            .map(|pattern| {
                RegexBuilder::new(pattern)
                    .size_limit(SIZE)
                    .nest_limit(NEST)
                    .build()
                    .map_err(|error| MalformedPattern {
                        pattern: pattern.to_owned(),
                        because: error.to_string(),
                    })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Reads the patterns of one setting, told apart by semicolons.
    pub fn parse(setting: &str) -> Result<Self, MalformedPattern> {
        Self::new(setting.split(';'))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The pattern that speaks of a text.
    pub(super) fn matching(&self, text: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|pattern| pattern.is_match(text))
            .map(Regex::as_str)
    }
}

static EMPTY: Denylist = Denylist(Vec::new());
const SIZE: usize = 1 << 20;
const NEST: u32 = 50;
