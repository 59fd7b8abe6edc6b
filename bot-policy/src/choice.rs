//! What may the agent ask a person? Its own question with its own buttons, never like ours.

use std::cell::Cell;

use unicode_normalization::UnicodeNormalization;

use crate::call::{Arguments, Call};
use crate::card::LEADING_SIGN;
use crate::site::skeleton;
use crate::visible::{self, Shown};

/// What every question of the agent's own begins with.
pub const BEGINS: &str = "The agent asks: ";
/// The button for an answer in the person's own words.
pub const SOMETHING_ELSE: &str = "Something else";
/// The longest label of a button, in characters, so that it fits every platform.
pub const LABEL_CHARACTERS: usize = 20;
/// The longest question, in characters.
pub const QUESTION_CHARACTERS: usize = 1000;

/// A question of the agent's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The whole text, with what it begins with.
    pub text: Shown,
    /// The labels of its buttons, in order.
    pub labels: Vec<Shown>,
}

/// The agent may not ask like this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAsked {
    /// There is no text, or too much of it.
    #[error("give a text of 1 to {QUESTION_CHARACTERS} characters")]
    Text,
    /// There are too few or too many labels.
    #[error("give options: a list of 2 to 4 different short texts")]
    Labels,
    /// A label cannot stand on a button.
    #[error("{0:?} cannot stand on a button: 1 to {LABEL_CHARACTERS} plain characters")]
    Label(String),
    /// A label looks like one of ours.
    #[error("{0:?} looks like a button of the gateway's own; name the option in other words")]
    Ours(String),
}

impl Asked {
    /// Reads the question of a call: its `text` and its `options`.
    ///
    /// # Errors
    /// When it is not a question with two to four buttons that are unlike each other and ours.
    pub fn of(call: &Call) -> Result<Self, NotAsked> {
        let text = call.text("text").unwrap_or_default().trim();
        if text.is_empty() || text.chars().count() > QUESTION_CHARACTERS {
            return Err(NotAsked::Text);
        }
        let labels: Vec<&str> = match &call.arguments {
            Arguments::Readable(map) => map
                .get("options")
                .and_then(|options| options.as_array())
                .map(|options| options.iter().map(|one| one.as_str()))
                .and_then(|options| options.collect::<Option<_>>())
                .ok_or(NotAsked::Labels)?,
            Arguments::Unreadable(_) => return Err(NotAsked::Labels),
        };
        if !(2..=4).contains(&labels.len()) {
            return Err(NotAsked::Labels);
        }
        let mut looks = Vec::new();
        let mut shown = Vec::new();
        for label in labels {
            shown.push(plain(label.trim())?);
            let look = joined(label);
            if looks.contains(&look) {
                return Err(NotAsked::Labels);
            }
            looks.push(look);
        }
        Ok(Self {
            text: visible::foreign(&format!("{BEGINS}{text}")),
            labels: shown,
        })
    }
}

/// A label in which nothing hides and that is unlike ours.
fn plain(label: &str) -> Result<Shown, NotAsked> {
    let shown = visible::line(label);
    let fits = !label.is_empty() && label.chars().count() <= LABEL_CHARACTERS;
    if !fits || shown.as_str() != label || label.contains(LEADING_SIGN) {
        return Err(NotAsked::Label(shown.as_str().to_owned()));
    }
    if is_like_ours(label) {
        return Err(NotAsked::Ours(label.to_owned()));
    }
    Ok(shown)
}

/// Whether a label is one of ours, begins like a decision, or has the word of one in it.
fn is_like_ours(label: &str) -> bool {
    let whole = joined(label);
    let decides = |word: &str| DECIDES.iter().any(|ours| joined(ours) == word);
    whole.is_empty()
        || OURS.iter().any(|ours| joined(ours) == whole)
        || DECIDES.iter().any(|ours| whole.starts_with(&joined(ours)))
        || label
            .split(|c: char| !c.is_alphanumeric())
            .map(joined)
            .any(|word| decides(&word))
}

/// How a text looks, without what stands between its letters.
fn joined(text: &str) -> String {
    let letters: String = text
        .nfkc()
        .filter(|c| c.is_alphanumeric() || matches!(c, '|' | '$' | '@' | '!'))
        .map(|c| match c {
            '$' => 's',
            '@' => 'a',
            '!' => 'l',
            other => other,
        })
        .collect();
    skeleton(&letters, &Cell::new(0))
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect()
}

/// Words that decide on our cards.
const DECIDES: [&str; 9] = [
    "allow", "allowed", "always", "approve", "approved", "block", "denied", "deny", "permit",
];
/// Buttons of ours that no such word gives away.
const OURS: [&str; 10] = [
    "All like this",
    "Forget it",
    "More",
    "Remember it",
    "Resend",
    "Show all",
    "Show it",
    SOMETHING_ELSE,
    "Start fresh",
    "Yes, run it",
];
