//! What has this conversation read? Marks, with where they come from; they only ever grow.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::event::{Part, PartBody};
use crate::id::SourceName;

/// The marks of a conversation, a file, a memory or one piece of text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taint {
    /// Text that was not typed by the paired person.
    pub outside: Origins,
    /// Email, calendar, meetings, an unlinked Code folder.
    pub private: Origins,
    /// Sources that the owner marked as sensitive.
    pub sensitive: BTreeSet<SourceName>,
}

/// Why a mark is there: a few short reasons, then only that there were more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origins {
    /// Not marked.
    #[default]
    None,
    /// Marked, by these.
    Few(BTreeSet<String>),
    /// Marked, by more than are kept.
    Many,
}

/// How many origins are named before only "many" is kept.
pub const ORIGINS_KEPT: usize = 8;

/// Something with its marks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Labelled<T> {
    /// The thing.
    pub value: T,
    /// What reading it means.
    pub taint: Taint,
}

/// What the owner said of a line that cannot tell forwards from typed words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unmarked {
    /// Unmarked text is outside content.
    #[default]
    Outside,
    /// The owner vouches that what comes unmarked on this line was typed by them.
    OwnWords,
}

/// Labels the parts of one message. `quoted` is the label of a stored original, asked for each
/// quote; an original that is not stored is outside.
pub fn label(
    parts: &[Part],
    unmarked: Unmarked,
    quoted: impl Fn(&crate::id::MessageRef) -> Option<Taint>,
) -> Vec<Labelled<PartBody>> {
    let _ = (parts, unmarked, quoted);
    Vec::new()
}

impl Taint {
    /// A mark for outside content with one origin.
    pub fn outside(origin: impl Into<String>) -> Self {
        Self {
            outside: Origins::Few(BTreeSet::from([origin.into()])),
            ..Self::default()
        }
    }

    /// The union of two sets of marks.
    #[must_use]
    pub fn join(self, other: &Self) -> Self {
        let _ = other;
        self
    }

    /// Whether nothing is marked.
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}

impl Origins {
    /// Whether the mark is there.
    pub fn is_marked(&self) -> bool {
        *self != Self::None
    }
}
