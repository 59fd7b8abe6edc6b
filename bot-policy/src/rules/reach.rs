//! May this call read or write a file that a rule on another command names?
//!
//! A rule on reading a file speaks of every command that shows what is in it, a rule on writing one
//! of every command that replaces it, and both of command lines.

use std::collections::BTreeSet;

use crate::path;
use crate::rules::index::{Named, Read};
use crate::rules::pattern::{begins, folded, names_file};
use crate::rules::{Action, Rule};
use crate::shell::{Judged, Looks, ReadOnly, SimpleCommand, immune};
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
        let mut rules = self.on_files().filter(|read| read.rule.action == action);
        let first = rules.next()?;
        let way = Way::of(&spoken.call.command)?;
        let opens = match way {
            Way::Line => by_lines(spoken),
            Way::Folder | Way::Patch | Way::Show | Way::Write => vec![by_itself(spoken, way)],
        };
        std::iter::once(first)
            .chain(rules)
            .filter_map(|read| Some((way.to(read, &opens)?, &read.rule)))
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

    fn to(self, read: &Read, opens: &[Opens]) -> Option<Reach> {
        let wanted = read.file.as_deref()?;
        let command = read.pattern.as_ref()?.command();
        let is = |name: &str| command.is_none_or(|command| command.eq_ignore_ascii_case(name));
        let (reads, writes) = (is("read") || is("search"), is("write") || is("patch"));
        let bears = match self {
            Self::Line | Self::Patch => reads || writes,
            Self::Folder | Self::Show => reads,
            Self::Write => writes,
        };
        let opens = opens
            .iter()
            .filter(|opens| bears && (reads || !opens.only_reads));
        opens.filter_map(|opens| opens.reach(wanted)).max()
    }
}

/// What a call, or one of its command lines, opens.
struct Opens {
    /// Files and folders that it names.
    names: BTreeSet<String>,
    /// Folders that it looks through; none of those that climb out.
    through: Vec<Option<String>>,
    only_reads: bool,
    is_told: bool,
}

impl Opens {
    fn reach(&self, wanted: &str) -> Option<Reach> {
        let around = || self.through.iter().any(|at| holds(at.as_deref(), wanted));
        if self.names.iter().any(|word| names(word, wanted)) {
            Some(Reach::Names)
        } else if around() {
            Some(Reach::Around)
        } else {
            (!self.is_told).then_some(Reach::Untold)
        }
    }
}

/// What a command opens by its own arguments.
fn by_itself(spoken: &Spoken, way: Way) -> Opens {
    let mut texts = spoken.call.texts().filter(|(name, _)| names_file(name));
    let file = texts.next().map(|(_, text)| text);
    let through = match way {
        Way::Folder => vec![plain(file.unwrap_or_default())],
        Way::Line | Way::Patch | Way::Show | Way::Write => Vec::new(),
    };
    Opens {
        names: file.map(somewhere).into_iter().collect(),
        through,
        only_reads: false,
        is_told: true,
    }
}

/// What each command line of a call opens; one that is not proven to read may open anything.
fn by_lines(spoken: &Spoken) -> Vec<Opens> {
    let at = spoken.call.text("dir").unwrap_or_default();
    let opens = |judged: &Judged| {
        let redirected = judged.redirected.iter().map(|file| file.text.as_str());
        let files = judged.commands.iter().flat_map(SimpleCommand::files);
        let mut names = BTreeSet::new();
        for file in files.chain(redirected) {
            names.insert(somewhere(file));
            if !at.is_empty() {
                names.insert(somewhere(&below(at, file)));
            }
        }
        let folders = judged
            .commands
            .iter()
            .flat_map(|command| match command.looks() {
                Looks::Below(folders) => folders,
                Looks::There => Vec::new(),
            });
        let is_proven = judged.read_only == ReadOnly::Proven;
        Opens {
            names,
            through: folders.map(|folder| plain(&below(at, folder))).collect(),
            only_reads: is_proven,
            is_told: is_proven,
        }
    };
    spoken.lines().map(opens).collect()
}

fn below(folder: &str, file: &str) -> String {
    match file.starts_with(['/', '~', '$']) || folder.is_empty() {
        true => file.to_owned(),
        false => format!("{folder}/{file}"),
    }
}

/// Whether a word names the file, or what lies below it; from elsewhere by its last segments.
fn names(word: &str, wanted: &str) -> bool {
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
fn holds(folder: Option<&str>, wanted: &str) -> bool {
    let Some(folder) = folder else {
        return true;
    };
    let is_absolute = |path: &str| path.starts_with('/');
    match (is_absolute(folder), is_absolute(wanted)) {
        (false, false) | (true, true) => {
            folder.starts_with(['~', '$']) || path::is_within(wanted, folder)
        }
        // Folders of the system are no part of one that is worked in.
        (false, true) => immune::path(wanted).is_none(),
        (true, false) => true,
    }
}

/// A path in its normal form, lower case; of one that climbs out of its start what it names there.
pub(super) fn somewhere(path: &str) -> String {
    plain(path).unwrap_or_else(|| {
        let path = folded(path).replace('\\', "/");
        let named = path
            .rsplit_once("..")
            .map_or(path.as_str(), |(_, named)| named);
        format!("/{}", named.trim_start_matches('/'))
    })
}

/// The same; none where it climbs out of its start.
fn plain(path: &str) -> Option<String> {
    path::normal(&folded(path).replace('\\', "/"))
}
