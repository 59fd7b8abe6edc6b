//! Does a rule on command lines speak of this one? Each simple command by what it means.

use crate::path;
use crate::rules::pattern::{begins, folded};
use crate::shell::{Argument, Kind, Literal, SimpleCommand};
use crate::spoken::Spoken;

impl Spoken<'_> {
    /// The simple commands of one of the call's lines; none where it cannot be told.
    fn told(&self, line: &str) -> Option<&[SimpleCommand]> {
        let judged = self.judged(line)?;
        let is_lost = judged.findings.iter().any(|found| {
            matches!(
                found.kind,
                Kind::TooMuch | Kind::Unreadable | Kind::Obscured
            )
        });
        (!is_lost && !judged.commands.is_empty()).then_some(judged.commands.as_slice())
    }

    /// Whether every simple command of the line begins with the words of the rule, as they stand,
    /// and the line does nothing beside running them.
    pub(crate) fn surely(&self, wanted: &str, line: &str) -> bool {
        let mut wanted = wanted.split_whitespace();
        let Some(program) = wanted.next() else {
            return false;
        };
        let wanted: Vec<&str> = wanted.collect();
        let is_all = |command: &SimpleCommand| {
            let mut words = command.arguments.iter();
            is_sure(&command.path)
                && command.path.text == program
                && command.arguments.iter().all(is_sure)
                && wanted
                    .iter()
                    .all(|wanted| words.next().is_some_and(|word| word.text == *wanted))
        };
        // A redirect writes, and a variable that is set may change what a program does.
        let does_more = line.contains('>')
            || line.split_whitespace().any(|word| {
                word.split_once('=')
                    .is_some_and(|(name, _)| !name.starts_with('-'))
            });
        !does_more
            && self
                .told(line)
                .is_some_and(|commands| !commands.is_empty() && commands.iter().all(is_all))
    }

    /// Whether some simple command of the line may be what the rule names: the program by whatever
    /// path, flags in any order and cluster, the other words in their order. A line or a word that
    /// cannot be told may be anything.
    pub(crate) fn maybe(&self, wanted: &str, line: &str) -> bool {
        let wanted = folded(wanted);
        let mut wanted = wanted.split(' ').map(bare).filter(|word| !word.is_empty());
        let Some(program) = wanted.next() else {
            return true;
        };
        let (flags, words): (Vec<&str>, Vec<&str>) = wanted.partition(|word| word.starts_with('-'));
        self.told(line).is_none_or(|commands| {
            commands
                .iter()
                .any(|command| is_like(command, program, &flags, &words))
        })
    }
}

fn is_like(command: &SimpleCommand, program: &str, flags: &[&str], words: &[&str]) -> bool {
    if !is_sure(&command.path) {
        return true;
    }
    let last = |text: &str| folded(text.rsplit(['/', '\\']).next().unwrap_or(text));
    if last(&command.path.text) != last(program) {
        return false;
    }
    if !command.arguments.iter().all(is_sure) {
        return true;
    }
    let arguments = command.arguments.iter();
    let rest: Vec<String> = arguments.map(|word| folded(&word.text)).collect();
    let mut left = rest.iter().filter(|word| !word.starts_with('-'));
    flags.iter().all(|flag| is_set(&rest, flag))
        && words
            .iter()
            .all(|wanted| left.any(|word| is_word(word, wanted)))
}

/// Whether a word is known before the line runs: it is what it says, or names of files.
fn is_sure(word: &Argument) -> bool {
    match word.literal {
        Literal::Pattern | Literal::Yes => true,
        Literal::Printed | Literal::Set | Literal::Variable => false,
    }
}

/// Whether a flag stands among the words, spelled out or within a cluster.
fn is_set(words: &[String], flag: &str) -> bool {
    let has = |flag: &str| {
        words.iter().any(|word| {
            word == flag
                || word
                    .strip_prefix(flag)
                    .is_some_and(|rest| rest.starts_with('='))
        })
    };
    let spelled = |letter: char| {
        let long = LONG.iter().find(|(short, _)| *short == letter);
        words
            .iter()
            .any(|word| short(word).is_some_and(|all| all.contains(letter)))
            || long.is_some_and(|(_, long)| has(long))
    };
    let letter = LONG
        .iter()
        .find(|(_, long)| *long == flag)
        .map(|(letter, _)| *letter);
    match (short(flag), letter) {
        (Some(letters), _) => has(flag) || letters.chars().all(spelled),
        (None, Some(letter)) => spelled(letter),
        (None, None) => has(flag),
    }
}

/// The letters of a cluster such as `-rf`.
fn short(word: &str) -> Option<&str> {
    let letters = word.strip_prefix('-')?;
    (!letters.is_empty() && !letters.starts_with('-')).then_some(letters)
}

/// Whether a word begins with the one that is wanted, as text or as a path.
fn is_word(word: &str, wanted: &str) -> bool {
    let is_path = |word: &str, wanted: &str| {
        let (word, wanted) = (path::normal(word)?, path::normal(wanted)?);
        Some(!wanted.is_empty() && begins(&word, &wanted))
    };
    begins(word, wanted) || is_path(word, wanted).unwrap_or(word.contains(".."))
}

fn bare(word: &str) -> &str {
    word.trim_matches(['\'', '"'])
}

/// Flags that programs commonly spell out.
const LONG: [(char, &str); 4] = [
    ('a', "--all"),
    ('f', "--force"),
    ('r', "--recursive"),
    ('v', "--verbose"),
];
