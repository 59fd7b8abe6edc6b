//! May this call read or write a file that a rule on another command names?
//!
//! A rule on reading a file speaks of every command that shows what is in it, a rule on writing one
//! of every command that replaces it, and both of command lines.

use crate::path;
use crate::rules::index::{Named, Read};
use crate::rules::pattern::{begins, folded, names_file};
use crate::rules::{Action, Rule};
use crate::shell::{Looks, ReadOnly, SimpleCommand, immune};
use crate::spoken::Spoken;

/// How a call comes to a file that a rule names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// What it comes to cannot be told.
    Untold,
    /// It looks into a folder that holds the file.
    Around,
    /// It names the file, or what lies below.
    Names,
}

impl<'a> Named<'a> {
    /// Of the rules that ask or deny, the one on a file that this call comes to by the shortest
    /// way although the rule names another command.
    pub(crate) fn reached(self, spoken: &Spoken, action: Action) -> Option<(Reach, &'a Rule)> {
        if self.on_files().next().is_none() {
            return None;
        }
        let way = Way::of(&spoken.call.command)?;
        self.on_files()
            .filter(|read| read.rule.action == action)
            .filter_map(|read| Some((way.to(read, spoken)?, &read.rule)))
            .max_by_key(|(reach, _)| *reach)
    }
}

/// How a command comes to files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It shows what the files of a folder hold, or that they are there.
    Folder,
    /// It runs what it is given.
    Line,
    /// It replaces part of a file, for which it is read.
    Patch,
    /// It shows one file.
    Show,
    /// It replaces a file.
    Write,
}

impl Way {
    fn of(command: &str) -> Option<Self> {
        let is = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(command));
        [
            (Self::Line, &["exec", "test"][..]),
            (Self::Folder, &["git-diff", "search", "tree"][..]),
            (Self::Show, &["git-log", "send"][..]),
            (Self::Patch, &["patch"][..]),
            (Self::Write, &["write"][..]),
        ]
        .into_iter()
        .find_map(|(way, names)| is(names).then_some(way))
    }

    fn to(self, read: &Read, spoken: &Spoken) -> Option<Reach> {
        let wanted = read.file()?;
        let command = read.pattern.as_ref()?.command();
        let is = |name: &str| command.is_none_or(|command| command.eq_ignore_ascii_case(name));
        let (reads, writes) = (is("read") || is("search"), is("write") || is("patch"));
        match self {
            Self::Line if reads || writes => by_lines(spoken, wanted, reads),
            Self::Folder if reads => match file(spoken) {
                Some(folder) => by_folder(folder, wanted),
                None => Some(Reach::Around),
            },
            Self::Show if reads => by_name(file(spoken)?, wanted),
            Self::Patch if reads || writes => by_name(file(spoken)?, wanted),
            Self::Write if writes => by_name(file(spoken)?, wanted),
            Self::Folder | Self::Line | Self::Patch | Self::Show | Self::Write => None,
        }
    }
}

/// The file or folder that a call names.
fn file<'a>(spoken: &Spoken<'a>) -> Option<&'a str> {
    let call = spoken.call;
    let texts = call.texts().filter(|(name, _)| names_file(name));
    texts.map(|(_, text)| text).next()
}

fn by_name(named: &str, wanted: &str) -> Option<Reach> {
    names(named, wanted).then_some(Reach::Names)
}

fn by_folder(folder: &str, wanted: &str) -> Option<Reach> {
    by_name(folder, wanted).or_else(|| holds(folder, wanted).then_some(Reach::Around))
}

/// How the command lines of a call come to a file; one that is proven to read replaces none.
fn by_lines(spoken: &Spoken, wanted: &str, reads: bool) -> Option<Reach> {
    let at = spoken.call.text("dir").unwrap_or_default();
    let reach = spoken.lines().filter_map(|judged| {
        let proven = judged.read_only == ReadOnly::Proven;
        if proven && !reads {
            return None;
        }
        let redirected = judged.redirected.iter().map(|file| file.text.as_str());
        let files = judged.commands.iter().flat_map(SimpleCommand::files);
        let is_named = files
            .chain(redirected)
            .any(|file| names(file, wanted) || (!at.is_empty() && names(&below(at, file), wanted)));
        let looks_around = |command: &SimpleCommand| match command.looks() {
            Looks::Below(folders) => {
                let mut folders = folders.into_iter();
                folders.any(|folder| holds(&below(at, folder), wanted))
            }
            Looks::There => false,
        };
        if is_named {
            Some(Reach::Names)
        } else if judged.commands.iter().any(looks_around) {
            Some(Reach::Around)
        } else {
            (!proven).then_some(Reach::Untold)
        }
    });
    reach.max()
}

fn below(folder: &str, file: &str) -> String {
    match file.starts_with(['/', '~', '$']) || folder.is_empty() {
        true => file.to_owned(),
        false => format!("{folder}/{file}"),
    }
}

/// Whether a word names the file, or what lies below it, whatever its case; from elsewhere by its
/// last segments.
fn names(word: &str, wanted: &str) -> bool {
    let (Some(word), Some(wanted)) = (plain(word), plain(wanted)) else {
        return false;
    };
    let is_elsewhere = word.starts_with(['/', '~', '$']);
    let (word, wanted) = (word.trim_start_matches('/'), wanted.trim_start_matches('/'));
    if wanted.is_empty() {
        return true;
    }
    let mut starts = word.match_indices('/').map(|(at, _)| at + 1);
    begins(word, wanted)
        || (is_elsewhere
            && starts.any(|at| word.get(at..).is_some_and(|rest| begins(rest, wanted))))
}

/// Whether the file lies below the folder, or may.
fn holds(folder: &str, wanted: &str) -> bool {
    let (Some(folder), Some(wanted)) = (plain(folder), plain(wanted)) else {
        return true;
    };
    let is_absolute = |path: &str| path.starts_with('/');
    match (is_absolute(&folder), is_absolute(&wanted)) {
        (false, false) | (true, true) => {
            folder.starts_with(['~', '$']) || path::is_within(&wanted, &folder)
        }
        // Folders of the system are no part of one that is worked in.
        (false, true) => immune::path(&wanted).is_none(),
        (true, false) => true,
    }
}

/// A path in its normal form, lower case; none where it climbs out of its start.
fn plain(path: &str) -> Option<String> {
    path::normal(&folded(path).replace('\\', "/"))
}
