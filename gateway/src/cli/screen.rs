//! How does text reach the terminal? Whole, plain in pipes, and with nothing hidden in it.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use bot_policy::id::Timestamp;
use bot_policy::visible;

use crate::doctor::Verdict;

/// The terminal, or whatever the output goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    paint: Paint,
}

/// Whether words are coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// They are.
    Colour,
    /// They are not.
    Plain,
}

/// Why a command stops.
#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// For this reason, which is still to be shown.
    Because(String),
    /// What there is to say was shown.
    Shown,
    /// So many calls did not run, since nobody could approve them; what there is to say was shown.
    Unapproved(i64),
}

impl<E: std::error::Error> From<E> for Stop {
    fn from(why: E) -> Self {
        Self::Because(why.to_string())
    }
}

impl Screen {
    /// The output of this process: coloured on a terminal, unless `NO_COLOR` or a dumb terminal
    /// says otherwise.
    pub fn of_this_process() -> Self {
        let says_no =
            |name: &str, no: fn(&str) -> bool| std::env::var(name).is_ok_and(|value| no(&value));
        let plain = !std::io::stdout().is_terminal()
            || says_no("NO_COLOR", |value| !value.is_empty())
            || says_no("TERM", |value| value == "dumb");
        Self {
            paint: if plain { Paint::Plain } else { Paint::Colour },
        }
    }

    /// Whether words are coloured.
    pub fn paint(self) -> Paint {
        self.paint
    }

    /// Shows text. A reader that went away is no failure.
    pub fn show(self, text: &str) {
        let _ = self.shows(text);
    }

    /// Shows text, and says whether somebody still reads.
    pub fn shows(self, text: &str) -> bool {
        let mut out = std::io::stdout().lock();
        let shown = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        shown.is_ok()
    }

    /// Shows on the error stream why a command stops.
    pub fn complain(self, why: &str) {
        let _ = writeln!(std::io::stderr().lock(), "postern: {}", visible::show(why));
    }
}

impl Paint {
    /// A word that is to be noticed.
    pub fn strong(self, word: &str) -> String {
        self.wrap("1", word)
    }

    /// A word that stands back.
    pub fn dim(self, word: &str) -> String {
        self.wrap("2", word)
    }

    /// A line of a difference, by its mark: what came, what went, where.
    pub fn difference(self, line: &str, word: &str) -> String {
        let code = match line.as_bytes().first() {
            Some(b'+') => "32",
            Some(b'-') => "31",
            Some(b'@') => "36",
            Some(_) | None => return word.to_owned(),
        };
        let (word, end) = word
            .strip_suffix('\n')
            .map_or((word, ""), |word| (word, "\n"));
        format!("{}{end}", self.wrap(code, word))
    }

    /// The word for a verdict, padded to one width.
    pub fn verdict(self, verdict: Verdict) -> String {
        match verdict {
            Verdict::Fail => self.wrap("31", "fail"),
            Verdict::Ok => self.wrap("32", "ok  "),
            Verdict::Warn => self.wrap("33", "warn"),
        }
    }

    fn wrap(self, code: &str, word: &str) -> String {
        match self {
            Self::Colour => format!("\u{1b}[{code}m{word}\u{1b}[0m"),
            Self::Plain => word.to_owned(),
        }
    }
}

/// Text that came from elsewhere, on one line, with everything hidden written out.
pub fn outside(text: &str) -> impl Display {
    visible::line(text)
}

/// A span of time in the largest unit that fits: `3 hours`.
pub fn span(from: Timestamp, to: Timestamp) -> String {
    let seconds = to.0.saturating_sub(from.0).max(0) / 1000;
    let (count, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    counted(count, unit)
}

/// A number with its noun: `1 card`, `2 cards`.
pub fn counted(count: impl Into<i64>, noun: &str) -> String {
    let count = count.into();
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
