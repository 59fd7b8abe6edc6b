//! What does a program for sed or awk do?

use super::arguments::Arguments;
use super::fold::Literal;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Does {
    Reads,
    Unknown,
    Writes,
    Runs,
}

/// What a sed command line does, by its program.
pub(super) fn sed(arguments: Arguments) -> Does {
    let mut programs: Vec<&str> = Vec::new();
    let mut first_operand = None;
    let mut only_operands = false;
    let mut texts = arguments.texts();
    let mut does = Does::Reads;
    // Options count wherever they stand, also behind a file.
    while let Some(text) = texts.next() {
        match text {
            _ if only_operands => first_operand = first_operand.or(Some(text)),
            "--" => only_operands = true,
            "-e" | "--expression" | "-ne" | "-nE" if text.ends_with(['e', 'n']) => {
                programs.extend(texts.next());
            }
            "-n" | "-E" | "-r" | "-nE" | "-nr" | "-s" | "-u" | "-z" | "--quiet" | "--silent" => {}
            _ if text.starts_with("--expression=") => {
                programs.extend(text.split_once('=').map(|(_, program)| program));
            }
            _ if text.starts_with("-i") || text.starts_with("--in-place") => {
                does = does.max(Does::Writes)
            }
            _ if text.starts_with('-') && text.len() > 1 => does = does.max(Does::Unknown),
            _ => first_operand = first_operand.or(Some(text)),
        }
    }
    if programs.is_empty() {
        programs.extend(first_operand);
    }
    if arguments
        .0
        .iter()
        .any(|argument| argument.literal > Literal::Pattern)
    {
        does = does.max(Does::Unknown);
    }
    programs.into_iter().map(program).fold(does, Does::max)
}

/// Reads a sed program command by command.
fn program(text: &str) -> Does {
    let letters: Vec<char> = text.chars().collect();
    let mut at = 0;
    let mut does = Does::Reads;
    let peek = |at: usize| letters.get(at).copied();
    while let Some(letter) = peek(at) {
        match letter {
            ' ' | '\t' | '\n' | ';' | '{' | '}' | '!' | ',' | '$' | '~' | '+' | 'I' | 'M' => {
                at += 1
            }
            '0'..='9' => at += 1,
            '/' => match past(&letters, at + 1, '/') {
                Some(next) => at = next,
                None => return does.max(Does::Unknown),
            },
            '\\' => {
                let end = peek(at + 1).unwrap_or('/');
                match past(&letters, at + 2, end) {
                    Some(next) => at = next,
                    None => return does.max(Does::Unknown),
                }
            }
            's' | 'y' => {
                let end = peek(at + 1).unwrap_or('/');
                let middle = past(&letters, at + 2, end);
                let Some(next) = middle.and_then(|middle| past(&letters, middle, end)) else {
                    return does.max(Does::Unknown);
                };
                at = next;
                while let Some(flag) = peek(at).filter(|flag| flag.is_ascii_alphanumeric()) {
                    match flag {
                        'e' => does = does.max(Does::Runs),
                        'w' => return does.max(Does::Writes),
                        _ => {}
                    }
                    at += 1;
                }
            }
            'e' => return Does::Runs,
            'w' | 'W' => does = does.max(Does::Writes),
            'r' | 'R' => does = does.max(Does::Unknown),
            'p' | 'P' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'x' | 'n' | 'N' | 'q' | 'Q' | 'l'
            | '=' | 'z' | 'F' => at += 1,
            'a' | 'i' | 'c' | 'b' | 't' | 'T' | ':' | '#' => {}
            _ => return does.max(Does::Unknown),
        }
        if matches!(
            letter,
            'w' | 'W' | 'r' | 'R' | 'a' | 'i' | 'c' | 'b' | 't' | 'T' | ':' | '#'
        ) {
            let is_label = matches!(letter, 'b' | 't' | 'T' | ':');
            while peek(at)
                .is_some_and(|letter| letter != '\n' && !(is_label && matches!(letter, ';' | '}')))
            {
                at += 1;
            }
        }
    }
    does
}

/// The place after the next unescaped end sign. None where an end sign follows an open bracket:
/// whether it ends anything then depends on where the bracket closes.
fn past(letters: &[char], at: usize, end: char) -> Option<usize> {
    let mut at = at;
    let mut in_brackets = false;
    while let Some(letter) = letters.get(at) {
        at += 1;
        match *letter {
            '\\' => at += 1,
            letter if letter == end => return (!in_brackets).then_some(at),
            '[' if in_brackets && matches!(letters.get(at), Some(':' | '.' | '=')) => {
                // A class is closed by its own sign first.
                while letters.get(at).is_some_and(|letter| *letter != ']') {
                    at += 1;
                }
                at += 1;
            }
            '[' => in_brackets = true,
            // Right behind its opening it stands for itself.
            ']' if !matches!(letters.get(at.wrapping_sub(2)), Some('[' | '^')) => {
                in_brackets = false;
            }
            _ => {}
        }
    }
    Some(at)
}

/// What an awk command line does.
pub(super) fn awk(arguments: Arguments) -> Does {
    let mut texts = arguments.0.iter();
    let mut does = Does::Reads;
    while let Some(argument) = texts.next() {
        let text = argument.text.as_str();
        match text {
            "-F" | "-v" => {
                texts.next();
            }
            "-e" | "--source" => {
                let source = texts.next().map_or("", |source| &source.text);
                does = does.max(source_does(source));
            }
            "-i" | "--include" | "-l" | "--load" | "-f" | "--file" | "-E" | "--exec" => {
                does = does.max(Does::Unknown);
                texts.next();
            }
            _ if text.starts_with("-F") || text.starts_with("-v") => {}
            _ if text.starts_with('-') && text.len() > 1 => does = does.max(Does::Unknown),
            _ if argument.literal > Literal::Pattern => {
                return does.max(Does::Unknown).max(source_does(text));
            }
            _ => return does.max(source_does(text)),
        }
    }
    does
}

fn source_does(source: &str) -> Does {
    let lone_pipe = source.split("||").any(|part| {
        part.contains("| \"")
            || part.contains("|\"")
            || part.contains("|&")
            || part.contains("\"|")
            || part.contains("\" |")
    });
    if source.contains("system") || lone_pipe {
        Does::Runs
    } else if source.contains('>') {
        Does::Writes
    } else if source.contains(['|', '@'])
        || ["getline", "ARGV", "ARGC"]
            .iter()
            .any(|word| source.contains(word))
    {
        Does::Unknown
    } else {
        Does::Reads
    }
}
