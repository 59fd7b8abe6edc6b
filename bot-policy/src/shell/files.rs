//! Which words of a command may name files, and does it look into whole folders?

use super::arguments::Arguments;
use super::fold::Argument;
use super::{SimpleCommand, git};

/// Where a command finds what it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Looks<'a> {
    /// In these folders and all below them.
    Below(Vec<&'a str>),
    /// In the files that it names.
    There,
}

impl SimpleCommand {
    /// The words, and parts of words, that may name files or folders.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        named(&self.program, &self.arguments)
    }

    /// Where it finds what it reads, for a program that is proven only to read.
    pub fn looks(&self) -> Looks<'_> {
        let given = Arguments(&self.arguments);
        let valued = match self.program.as_str() {
            "diff" => "CUx",
            "du" => "d",
            "egrep" | "fgrep" | "grep" if goes_down(given) => "ABCem",
            "find" => return self.below(&[]),
            "git" if git::shows(&self.arguments) => return Looks::Below(vec!["."]),
            "ls" if given.cluster('R') || given.long("--recursive", 3) => "",
            "rg" => "ABCegmrtT",
            "tree" => "ILP",
            _ => return Looks::There,
        };
        // The word behind such a flag may be its value or a folder.
        let takes_words = given.texts().any(|text| match text.strip_prefix("--") {
            Some(long) => !long.contains('='),
            None => text
                .strip_prefix('-')
                .is_some_and(|letters| letters.contains(|letter| valued.contains(letter))),
        });
        self.below(if takes_words { &["."] } else { &[] })
    }

    fn below(&self, more: &[&'static str]) -> Looks<'_> {
        let words = self.arguments.iter().map(|word| word.text.as_str());
        let mut folders: Vec<&str> = match self.program.as_str() {
            "find" => words.take_while(|word| !word.starts_with('-')).collect(),
            program => {
                let skipped = usize::from(takes_expression(program, &self.arguments));
                let operands = Arguments(&self.arguments).operands().skip(skipped);
                operands.map(|word| word.text.as_str()).collect()
            }
        };
        folders.extend(more);
        if folders.is_empty() {
            folders.push(".");
        }
        Looks::Below(folders)
    }
}

fn goes_down(given: Arguments) -> bool {
    given.cluster('r') || given.cluster('R') || given.long("--recursive", 3)
}

/// The words of a program that may name files. An expression that a program is given first is
/// none, nor is what only becomes output.
pub(super) fn named<'a>(program: &str, rest: &'a [Argument]) -> impl Iterator<Item = &'a str> {
    let expression = takes_expression(program, rest)
        .then(|| Arguments(rest).operands().next())
        .flatten();
    let splits_at = program.ends_with("awk");
    let rest = match TEXTS.contains(&program) {
        true => &[],
        false => rest,
    };
    rest.iter()
        .filter(move |word| !expression.is_some_and(|first| std::ptr::eq(first, *word)))
        .flat_map(move |word| parts(&word.text, splits_at))
}

/// A word that is no flag, and what a flag or another word holds behind its sign.
fn parts(word: &str, splits_at: bool) -> impl Iterator<Item = &str> {
    let (whole, behind) = match word.strip_prefix('-') {
        None => {
            let of_another = word.bytes().any(|byte| byte == b':');
            let behind = of_another.then(|| word.rsplit_once(':')).flatten();
            (Some(word), behind.map(|(_, behind)| behind))
        }
        Some(letters) if letters.starts_with('-') || splits_at => (None, None),
        Some(_) => (None, word.get(2..)),
    };
    let is_set = word.bytes().any(|byte| byte == b'=');
    let value = is_set.then(|| word.split_once('=')).flatten();
    [whole, behind, value.map(|(_, value)| value)]
        .into_iter()
        .flatten()
}

/// Whether the first operand is what a program looks for or does, and no file.
fn takes_expression(program: &str, rest: &[Argument]) -> bool {
    let elsewhere = |text: &str| match text.strip_prefix("--") {
        Some(long) => long.starts_with(['e', 'f']) || long.starts_with("reg"),
        None => text
            .strip_prefix('-')
            .is_some_and(|letters| letters.contains(['e', 'f'])),
    };
    EXPRESSIONS.contains(&program) && !Arguments(rest).texts().any(elsewhere)
}

/// Programs that are given an expression before their files.
const EXPRESSIONS: [&str; 10] = [
    "awk", "egrep", "fgrep", "gawk", "grep", "jq", "mawk", "rg", "sed", "yq",
];

/// Programs that open nothing of what they are given.
const TEXTS: [&str; 11] = [
    ":", "basename", "dirname", "echo", "false", "printenv", "printf", "pwd", "seq", "tr", "true",
];
