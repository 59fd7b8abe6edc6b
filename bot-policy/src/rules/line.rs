//! Does a rule on command lines speak of this one? Each simple command by what it means.

use crate::path;
use crate::rules::pattern::{begins, folded};

/// Whether every simple command of the line begins with the words of the rule, as they stand.
pub(crate) fn surely(wanted: &str, line: &str) -> bool {
    let wanted: Vec<&str> = wanted.split_whitespace().collect();
    if wanted.is_empty() {
        return false;
    }
    told(line).is_some_and(|commands| {
        !commands.is_empty()
            && commands.iter().all(|words| {
                let mut words = words.iter();
                wanted
                    .iter()
                    .all(|wanted| words.next().is_some_and(|word| word == wanted))
            })
    })
}

/// Whether some simple command of the line may be what the rule names: the program by whatever
/// path, flags in any order and cluster, the other words in their order. A line that cannot be
/// told may be anything.
pub(crate) fn maybe(wanted: &str, line: &str) -> bool {
    let wanted = folded(wanted);
    let mut wanted = wanted.split(' ').map(bare).filter(|word| !word.is_empty());
    let Some(program) = wanted.next() else {
        return true;
    };
    let (flags, words): (Vec<&str>, Vec<&str>) = wanted.partition(|word| word.starts_with('-'));
    told(line).is_none_or(|commands| {
        commands
            .iter()
            .any(|command| is_like(command, program, &flags, &words))
    })
}

fn is_like(command: &[String], program: &str, flags: &[&str], words: &[&str]) -> bool {
    let Some((first, rest)) = command.split_first() else {
        return false;
    };
    let name = first.rsplit(['/', '\\']).next().unwrap_or(first);
    let named = folded(name) == folded(program.rsplit('/').next().unwrap_or(program));
    let rest: Vec<String> = rest.iter().map(|word| folded(word)).collect();
    let has = |flag: &&str| rest.iter().any(|word| covers_flag(word, flag));
    let flagged = flags.iter().all(|flag| match short(flag) {
        Some(letters) => letters.chars().all(|letter| {
            let spelled = |word: &String| short(word).is_some_and(|all| all.contains(letter));
            let long = LONG.iter().find(|(short, _)| *short == letter);
            rest.iter().any(spelled) || long.is_some_and(|(_, long)| has(long))
        }),
        None => has(flag),
    });
    let mut left = rest.iter().filter(|word| !word.starts_with('-'));
    named
        && flagged
        && words
            .iter()
            .all(|wanted| left.any(|word| is_word(word, wanted)))
}

/// The letters of a cluster such as `-rf`.
fn short(word: &str) -> Option<&str> {
    word.strip_prefix('-')
        .filter(|letters| !letters.is_empty() && !letters.starts_with('-'))
}

fn covers_flag(word: &str, flag: &str) -> bool {
    word == flag
        || word
            .strip_prefix(flag)
            .is_some_and(|rest| rest.starts_with('='))
}

/// Whether a word begins with the one that is wanted, as text or as a path.
fn is_word(word: &str, wanted: &str) -> bool {
    let normal = |text: &str| path::normal(text).unwrap_or_default();
    begins(word, wanted) || begins(&normal(word), &normal(wanted))
}

fn bare(word: &str) -> &str {
    word.trim_matches(['\'', '"'])
}

/// The simple commands of a line as their words; none where it cannot be told. No line is told
/// apart yet, so none is surely anything and each may be everything.
fn told(_line: &str) -> Option<Vec<Vec<String>>> {
    None
}

/// Flags that programs commonly spell out.
const LONG: [(char, &str); 4] = [
    ('a', "--all"),
    ('f', "--force"),
    ('r', "--recursive"),
    ('v', "--verbose"),
];
