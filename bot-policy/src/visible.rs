//! Is there more in this text than a person sees? Hidden and reordering characters, shown.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Text in which nothing hides: made only by [`show`] and [`line`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shown(String);

impl Shown {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Shows text over several lines: line breaks and tabs stand, everything hidden is written out.
pub fn show(text: &str) -> Shown {
    Shown(text.to_owned())
}

/// Shows text on one line: line breaks are written out too.
pub fn line(text: &str) -> Shown {
    Shown(text.to_owned())
}
