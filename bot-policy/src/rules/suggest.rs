//! Which rule would a person want for calls like this, and how much would it cover?

use crate::call::{Arguments, Call};
use crate::path;
use crate::rows::RUNS;
use crate::rules::pattern::Pattern;

/// How much a pattern covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Breadth {
    /// So much that a person is asked before it allows; with why.
    Broad(&'static str),
    /// One command on named things, or a command that is one thing.
    Narrow,
}

/// The pattern for all calls of this command: `@coder write`. None for a command that runs what it
/// is given, and for a call that names no command or cannot be read.
pub fn suggestion(call: &Call) -> Option<String> {
    let runs = RUNS
        .iter()
        .any(|name| call.command.eq_ignore_ascii_case(name));
    let readable = match &call.arguments {
        Arguments::Readable(_) => true,
        Arguments::Unreadable(_) => false,
    };
    let pattern = call.head();
    let offered = readable && !runs && !call.command.is_empty();
    (offered && Pattern::read(&pattern).is_some()).then_some(pattern)
}

/// Whether a pattern covers so much that it should not allow without a question. What cannot be
/// read is broad.
pub fn breadth(pattern: &str) -> Breadth {
    let Some(read) = Pattern::read(pattern) else {
        return Breadth::Broad("it is no pattern");
    };
    let runs = |command: &str| RUNS.iter().any(|name| command.eq_ignore_ascii_case(name));
    let Some(command) = read.command() else {
        return Breadth::Broad(
            "it names a tool without a command, so it covers all that it can do",
        );
    };
    if runs(command) {
        let words = read
            .conditions()
            .iter()
            .find_map(|(_, value)| value.as_deref());
        return match words.map(|words| words.split_whitespace().count()) {
            None | Some(0) => Breadth::Broad("it covers every command line"),
            Some(1) => Breadth::Broad("it covers a program with whatever it is given"),
            Some(_) => Breadth::Narrow,
        };
    }
    if read.conditions().is_empty() {
        return Breadth::Broad("it covers this command on everything");
    }
    let all = read.conditions().iter().any(|(_, value)| {
        value.as_deref().is_some_and(|value| {
            matches!(value, "~" | "*" | "**")
                || (!value.contains("://")
                    && path::normal(value).is_none_or(|path| matches!(path.as_str(), "" | "/")))
        })
    });
    if all {
        Breadth::Broad("it names all that there is")
    } else {
        Breadth::Narrow
    }
}
