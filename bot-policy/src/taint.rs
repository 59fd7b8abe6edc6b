//! What has this conversation read? Marks, with where they come from; they only ever grow.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::event::{FileKind, Part, PartBody, Provenance};
use crate::id::{MessageRef, SourceName};

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

/// The longest origin that is kept, in characters.
const ORIGIN_CHARACTERS: usize = 80;

/// Labels the parts of one message. `quoted` is the label of a stored original, asked for each
/// quote; an original that is not stored is outside.
///
/// An adapter states a voice note recorded in the app by the sender as an authored file of kind
/// voice; every other file is outside, whoever sent it.
pub fn label(
    parts: &[Part],
    unmarked: Unmarked,
    quoted: impl Fn(&MessageRef) -> Option<Taint>,
) -> Vec<Labelled<PartBody>> {
    parts
        .iter()
        .map(|part| Labelled {
            value: part.body.clone(),
            taint: of_part(part, unmarked, &quoted),
        })
        .collect()
}

impl Taint {
    /// A mark for outside content with one origin.
    pub fn outside(origin: impl Into<String>) -> Self {
        Self {
            outside: Origins::one(origin),
            ..Self::default()
        }
    }

    /// A mark for private data with one origin.
    pub fn private(origin: impl Into<String>) -> Self {
        Self {
            private: Origins::one(origin),
            ..Self::default()
        }
    }

    /// The union of two sets of marks.
    #[must_use]
    pub fn join(self, other: &Self) -> Self {
        let mut sensitive = self.sensitive;
        sensitive.extend(other.sensitive.iter().cloned());
        Self {
            outside: self.outside.join(&other.outside),
            private: self.private.join(&other.private),
            sensitive,
        }
    }

    /// What a conversation hands to one that it starts: all of it.
    #[must_use]
    pub fn handed_down(&self) -> Self {
        self.clone()
    }

    /// Whether nothing is marked.
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}

impl Origins {
    /// A mark with one origin.
    pub fn one(origin: impl Into<String>) -> Self {
        let origin = origin.into().chars().take(ORIGIN_CHARACTERS).collect();
        Self::Few(BTreeSet::from([origin]))
    }

    /// The union of two sets of origins.
    #[must_use]
    pub fn join(self, other: &Self) -> Self {
        match (self, other) {
            (Self::None, other) => other.clone().capped(),
            (origins, Self::None) => origins.capped(),
            (Self::Many, Self::Few(_) | Self::Many) | (Self::Few(_), Self::Many) => Self::Many,
            (Self::Few(mut all), Self::Few(more)) => {
                all.extend(more.iter().cloned());
                Self::Few(all).capped()
            }
        }
    }

    /// Whether the mark is there.
    pub fn is_marked(&self) -> bool {
        *self != Self::None
    }

    fn capped(self) -> Self {
        match self {
            Self::Few(all) if all.len() > ORIGINS_KEPT => Self::Many,
            Self::Few(_) | Self::Many | Self::None => self,
        }
    }
}

fn of_part(
    part: &Part,
    unmarked: Unmarked,
    quoted: &impl Fn(&MessageRef) -> Option<Taint>,
) -> Taint {
    match &part.provenance {
        Provenance::Attached => match &part.body {
            PartBody::File(file) => of_file(file.kind),
            PartBody::Text(_) => Taint::outside("something attached to a message"),
        },
        Provenance::Authored => match &part.body {
            PartBody::File(file) => match file.kind {
                FileKind::Voice => Taint::default(),
                FileKind::Audio | FileKind::Document | FileKind::Photo | FileKind::Video => {
                    of_file(file.kind)
                }
            },
            PartBody::Text(_) => Taint::default(),
        },
        Provenance::Forwarded => Taint::outside("a forwarded message"),
        Provenance::Previewed => Taint::outside("a preview of a web page"),
        Provenance::Quoted { original } => {
            let text = original
                .as_ref()
                .and_then(quoted)
                .unwrap_or_else(|| Taint::outside("a quoted message"));
            match &part.body {
                PartBody::File(_) => text.join(&Taint::outside("a file in a quoted message")),
                PartBody::Text(_) => text,
            }
        }
        Provenance::Unmarked => match (&part.body, unmarked) {
            (PartBody::Text(_), Unmarked::OwnWords) => Taint::default(),
            (PartBody::File(file), Unmarked::OwnWords) => of_file(file.kind),
            (PartBody::File(_) | PartBody::Text(_), Unmarked::Outside) => {
                Taint::outside("a message that may be a forward")
            }
        },
    }
}

fn of_file(kind: FileKind) -> Taint {
    Taint::outside(match kind {
        FileKind::Audio => "an audio file",
        FileKind::Document => "an attached file",
        FileKind::Photo => "a picture",
        FileKind::Video => "a film",
        FileKind::Voice => "a voice note from elsewhere",
    })
}
