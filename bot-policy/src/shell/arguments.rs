//! How are a program's arguments read? Flags, clusters of flags and operands.

use super::fold::{Argument, Literal};

/// The arguments of one command, without the program.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a>(pub(super) &'a [Argument]);

impl<'a> Arguments<'a> {
    /// Whether one of these stands there as it is, or with a value after `=`.
    pub(super) fn has(self, flags: &[&str]) -> bool {
        self.texts().any(|text| {
            let head = text.split_once('=').map_or(text, |(head, _)| head);
            flags
                .iter()
                .any(|flag| text == *flag || (flag.starts_with("--") && head == *flag))
        })
    }

    /// Whether a cluster such as `-rf` holds this letter.
    pub(super) fn cluster(self, letter: char) -> bool {
        self.texts().any(|text| {
            text.strip_prefix('-')
                .is_some_and(|rest| !rest.starts_with('-') && rest.contains(letter))
        })
    }

    /// Whether a long flag that begins so stands there; long flags may be cut short.
    pub(super) fn long(self, flag: &str, least: usize) -> bool {
        self.texts().any(|text| {
            let head = text.split_once('=').map_or(text, |(head, _)| head);
            head.len() >= least && head.starts_with("--") && flag.starts_with(head)
        })
    }

    /// What is no flag.
    pub(super) fn operands(self) -> impl Iterator<Item = &'a Argument> {
        let mut is_over = false;
        self.0.iter().filter(move |argument| {
            if is_over {
                return true;
            }
            if argument.text == "--" {
                is_over = true;
                return false;
            }
            !argument.text.starts_with('-') || argument.text == "-"
        })
    }

    pub(super) fn texts(self) -> impl Iterator<Item = &'a str> {
        self.0.iter().map(|argument| argument.text.as_str())
    }

    pub(super) fn first(self) -> &'a str {
        self.operands().next().map_or("", |operand| &operand.text)
    }

    /// What follows a flag, either as the next word or after `=`.
    pub(super) fn value(self, flags: &[&str]) -> Option<&'a str> {
        let mut texts = self.texts();
        while let Some(text) = texts.next() {
            if flags.contains(&text) {
                return texts.next();
            }
            if let Some((head, value)) = text.split_once('=')
                && flags.contains(&head)
            {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn is_literal(self) -> bool {
        self.0
            .iter()
            .all(|argument| argument.literal <= Literal::Pattern)
    }
}

/// A program's name: without its folder, without a Windows ending.
pub(super) fn program(text: &str) -> String {
    let bytes = text.as_bytes();
    let folder = bytes.iter().rposition(|byte| matches!(byte, b'/' | b'\\'));
    let name = folder.map_or(Some(text), |at| text.get(at + 1..));
    let mut lower = name.unwrap_or(text).to_lowercase();
    if bytes.contains(&b'.') {
        let stem = [".exe", ".bat", ".cmd"]
            .iter()
            .find_map(|ending| lower.strip_suffix(ending));
        if let Some(length) = stem.map(str::len) {
            lower.truncate(length);
        }
    }
    lower
}

/// A path without `.`, `..` and doubled slashes, as far as its words tell.
pub(super) fn folded(path: &str) -> String {
    crate::path::normal(path).unwrap_or_else(|| path.to_owned())
}

/// Whether a word names what is not in the folder that the line runs in, programs and devices of
/// the system aside.
pub(super) fn leaves(file: &str) -> bool {
    let is_everyones = || {
        EVERYONES.iter().any(|folder| {
            file.strip_prefix(folder)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    match file.bytes().next() {
        Some(b'/') => climbs(file) || !is_everyones(),
        Some(b'$') => climbs(file) || file.starts_with("$HOME") || file.starts_with("${HOME"),
        Some(b'~') => true,
        Some(_) | None => climbs(file),
    }
}

/// Folders that hold nothing of a person's own.
const EVERYONES: [&str; 8] = [
    "/bin", "/dev", "/lib", "/lib64", "/opt", "/sbin", "/tmp", "/usr",
];

/// Whether a path leads out of the folder that the line runs in, or may.
pub(super) fn is_elsewhere(argument: &Argument) -> bool {
    leads_out(&argument.text) || argument.literal > Literal::Pattern
}

/// The same of a path that is known.
pub(super) fn leads_out(path: &str) -> bool {
    path.starts_with(['/', '~', '$']) || climbs(path)
}

fn climbs(path: &str) -> bool {
    let mut pairs = path.as_bytes().windows(2);
    pairs.any(|pair| pair == b"..") && path.split('/').any(|segment| segment == "..")
}
