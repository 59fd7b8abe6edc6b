//! Which command does a program run that it is given? Wrappers, peeled by a table.

use super::arguments::Arguments;
use super::fold::{Argument, Literal};
use super::names;
use super::wrappers::{CONTAINER, EXECS, INPUTS, SSH, WRAPPERS, XARGS};

/// What a wrapper would run.
#[derive(Debug, Default)]
pub(super) struct Inner {
    /// Commands, already in words.
    pub(super) commands: Vec<Vec<Argument>>,
    /// Lines for a shell.
    pub(super) lines: Vec<Argument>,
    /// `NAME=value` before the command.
    pub(super) assignments: Vec<String>,
    /// Whether it is a shell that takes its commands from its input.
    pub(super) reads: Reads,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reads {
    /// A shell reads its commands from its input.
    Input,
    #[default]
    Nothing,
    /// It is no wrapper at all.
    NotAWrapper,
    /// A shell reads its commands from the file that is its first operand.
    Script,
}

/// Peels one wrapper off.
pub(super) fn peel(program: &str, arguments: &[Argument]) -> Inner {
    if names::is_shell(program) {
        return shell(arguments);
    }
    let all = Arguments(arguments);
    match program {
        "eval" => lines(vec![joined(arguments)]),
        "alias" | "trap" => lines(
            all.operands()
                .map(|operand| Argument {
                    text: match operand.text.split_once('=') {
                        Some((_, value)) if program == "alias" => value.to_owned(),
                        Some(_) | None => operand.text.clone(),
                    },
                    literal: operand.literal,
                })
                .take(if program == "trap" { 1 } else { usize::MAX })
                .collect(),
        ),
        "su" | "runuser" | "script" | "expect" | "tmux" | "screen" => {
            let mut inner = lines(given(arguments, &["-c", "--command"]));
            if matches!(program, "tmux" | "screen") {
                inner
                    .lines
                    .extend(all.operands().filter(|o| o.text.contains(' ')).cloned());
                inner.commands.extend(rest_after(arguments, 1));
            }
            inner
        }
        "find" | "fd" | "fdfind" => find(arguments),
        "ssh" => remote(arguments),
        "watch" => {
            let start = skip(arguments, &["-n", "--interval"], 0);
            lines(vec![joined(arguments.get(start..).unwrap_or_default())])
        }
        "xargs" | "parallel" => {
            let mut inner = from(arguments, XARGS, 0);
            for command in &mut inner.commands {
                command.push(Argument {
                    text: "…".to_owned(),
                    literal: Literal::Printed,
                });
            }
            inner
        }
        "docker" | "podman" | "kubectl" => container(arguments),
        _ => WRAPPERS
            .iter()
            .find(|(name, _, _)| *name == program)
            .map_or_else(
                || Inner {
                    reads: if program.starts_with("ld-linux") || program.starts_with("ld-musl") {
                        Reads::Nothing
                    } else {
                        Reads::NotAWrapper
                    },
                    commands: if program.starts_with("ld-") {
                        rest_after(arguments, 0)
                    } else {
                        Vec::new()
                    },
                    ..Inner::default()
                },
                |(_, valued, operands)| from(arguments, valued, *operands),
            ),
    }
}

fn lines(lines: Vec<Argument>) -> Inner {
    Inner {
        lines,
        ..Inner::default()
    }
}

/// The command that begins after flags and so many operands; where a flag is not known to take a
/// value, the word after it is tried as well.
fn from(arguments: &[Argument], valued: &[&str], operands: usize) -> Inner {
    let mut start = skip(arguments, valued, operands);
    let mut assignments = Vec::new();
    while let Some(argument) = arguments.get(start) {
        let is_assignment = argument
            .text
            .split_once('=')
            .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(super::parse::is_name));
        if !is_assignment {
            break;
        }
        assignments.push(argument.text.clone());
        start += 1;
    }
    let mut commands = rest_after(arguments, start);
    let before = start.checked_sub(1).and_then(|at| arguments.get(at));
    if before.is_some_and(|flag| flag.text.starts_with('-') && flag.text != "--") {
        commands.extend(rest_after(arguments, start + 1));
    }
    // `env -S 'a command'` is a line.
    let lines = given(arguments, &["-S", "--split-string"]);
    Inner {
        commands,
        lines,
        assignments,
        reads: Reads::Nothing,
    }
}

fn rest_after(arguments: &[Argument], start: usize) -> Vec<Vec<Argument>> {
    match arguments.get(start..) {
        Some(rest) if !rest.is_empty() => vec![rest.to_vec()],
        Some(_) | None => Vec::new(),
    }
}

/// Where flags, their values and so many operands end.
fn skip(arguments: &[Argument], valued: &[&str], operands: usize) -> usize {
    let mut at = 0;
    let mut left = operands;
    while let Some(argument) = arguments.get(at) {
        let text = argument.text.as_str();
        if text == "--" {
            return at + 1 + left;
        }
        if text.starts_with('-') && text.len() > 1 {
            at += if valued.contains(&text) { 2 } else { 1 };
        } else if left > 0 {
            left -= 1;
            at += 1;
        } else {
            break;
        }
    }
    at
}

fn given(arguments: &[Argument], flags: &[&str]) -> Vec<Argument> {
    let mut found = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if flags.contains(&argument.text.as_str()) {
            found.extend(rest.next().cloned());
        } else if let Some((head, value)) = argument.text.split_once('=')
            && flags.contains(&head)
        {
            found.push(Argument {
                text: value.to_owned(),
                literal: argument.literal,
            });
        }
    }
    found
}

fn joined(arguments: &[Argument]) -> Argument {
    let texts: Vec<&str> = arguments
        .iter()
        .map(|argument| argument.text.as_str())
        .collect();
    Argument {
        text: texts.join(" "),
        literal: arguments
            .iter()
            .map(|argument| argument.literal)
            .max()
            .unwrap_or(Literal::Yes),
    }
}

fn shell(arguments: &[Argument]) -> Inner {
    let mut code = false;
    let mut input = false;
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        let text = argument.text.as_str();
        match text.strip_prefix(['-', '+']) {
            Some("" | "-") => {
                at += 1;
                break;
            }
            Some(long) if long.starts_with('-') => {
                code |= text == "--command";
                let is_valued = matches!(text, "--rcfile" | "--init-file");
                at += if is_valued { 2 } else { 1 };
            }
            Some(cluster) => {
                code |= cluster.contains('c');
                input |= cluster.contains('s');
                at += if cluster.ends_with(['o', 'O']) { 2 } else { 1 };
            }
            None => break,
        }
    }
    match arguments.get(at) {
        Some(line) if code => lines(vec![line.clone()]),
        None if code => Inner::default(),
        Some(script) if !input && !INPUTS.contains(&script.text.as_str()) => Inner {
            reads: Reads::Script,
            commands: Vec::new(),
            lines: Vec::new(),
            assignments: Vec::new(),
        },
        Some(_) | None => Inner {
            reads: Reads::Input,
            ..Inner::default()
        },
    }
}

/// The first operand of a shell: its script.
pub(super) fn script(arguments: &[Argument]) -> Option<&Argument> {
    Arguments(arguments).operands().next()
}

fn find(arguments: &[Argument]) -> Inner {
    let mut inner = Inner::default();
    let mut rest = arguments;
    while let Some((argument, after)) = rest.split_first() {
        rest = after;
        if !EXECS.contains(&argument.text.as_str()) {
            continue;
        }
        let end = after
            .iter()
            .position(|argument| matches!(argument.text.as_str(), ";" | "+"))
            .unwrap_or(after.len());
        let command = after.get(..end).unwrap_or_default();
        rest = after.get(end..).unwrap_or_default();
        if !command.is_empty() {
            inner.commands.push(command.to_vec());
        }
    }
    inner
}

fn remote(arguments: &[Argument]) -> Inner {
    let start = skip(arguments, SSH, 1);
    let rest = arguments.get(start..).unwrap_or_default();
    if rest.is_empty() {
        return Inner::default();
    }
    lines(vec![joined(rest)])
}

/// `docker exec box command`: what runs in there is judged as if it ran here.
fn container(arguments: &[Argument]) -> Inner {
    let Some(at) = arguments
        .iter()
        .position(|argument| matches!(argument.text.as_str(), "exec" | "run"))
    else {
        return Inner {
            reads: Reads::NotAWrapper,
            ..Inner::default()
        };
    };
    from(arguments.get(at + 1..).unwrap_or_default(), CONTAINER, 1)
}
