//! Is a simple command dangerous? By its name, its place in the line and what it is given.

use super::arguments::{Arguments, folded, is_elsewhere};
use super::fold::{Argument, Literal};
use super::walk::{Flow, Judge, Scene};
use super::{Immune, Kind, disk, git, immune, names, redirect, system};

/// Judges how a command is named and where it stands.
pub(super) fn named(
    judge: &mut Judge,
    program: &str,
    first: &Argument,
    rest: &[Argument],
    scene: Scene,
) {
    let hidden = match first.literal {
        Literal::Yes => None,
        Literal::Pattern => first
            .text
            .contains(['*', '?', '['])
            .then_some((Immune::No, "a pattern decides which program runs")),
        Literal::Variable => Some((Immune::Only, "a variable decides which program runs")),
        Literal::Set => Some((Immune::Yes, "the line hides which program runs")),
        Literal::Printed => Some((Immune::No, "another command decides which program runs")),
    };
    if let Some((immune, because)) = hidden {
        judge.find(Kind::Hidden, immune, because);
    }
    if let Some(because) = immune::disguised_program(&first.text) {
        judge.find(Kind::Obscured, Immune::Yes, because);
    }
    for argument in rest {
        if let Some(because) = immune::disguised_flag(&argument.text) {
            judge.find(Kind::Obscured, Immune::Yes, because);
        }
    }
    match scene {
        Scene::Top => {}
        Scene::Substitution | Scene::Process => {
            if names::is_shell(program) {
                judge.find(
                    Kind::PipedRun,
                    Immune::No,
                    "a shell runs inside a substitution",
                );
            }
            if names::is_downloader(program) {
                judge.find(
                    Kind::FetchedRun,
                    Immune::No,
                    "what is fetched becomes part of the line",
                );
            }
            if scene == Scene::Process && names::is_network(program) {
                judge.find(
                    Kind::Network,
                    Immune::No,
                    "a connection stands in for a file",
                );
            }
        }
    }
    paths(judge, program, first, rest);
}

/// Judges the paths that a command names.
fn paths(judge: &mut Judge, program: &str, first: &Argument, rest: &[Argument]) {
    let data = match program {
        "echo" | "printf" => return,
        "grep" | "egrep" | "fgrep" | "rg" | "ag" => Arguments(rest).operands().next(),
        _ => None,
    };
    let named = std::iter::once(first).chain(rest).filter(|argument| {
        !argument.text.contains([' ', '\n'])
            && !data.is_some_and(|data| std::ptr::eq(data, *argument))
    });
    for argument in named {
        if let Some(why) = immune::credential(&argument.text) {
            judge.find(Kind::Credentials, Immune::Only, why);
        }
        if redirect::is_network(&argument.text) {
            judge.find(
                Kind::Network,
                Immune::Yes,
                "it opens a connection through /dev/tcp or /dev/udp",
            );
        }
    }
}

/// Judges what a command does.
pub(super) fn command(judge: &mut Judge, program: &str, rest: &[Argument], input: &Flow) {
    let arguments = Arguments(rest);
    system::command(judge, program, arguments, input);
    disk::command(judge, program, arguments, input);
    match program {
        "git" => git::command(judge, rest),
        "find" => find(judge, arguments),
        "source" | "." => sourced(judge, arguments, input),
        _ => {}
    }
}

/// Judges a program that a wrapper runs for many files.
pub(super) fn many(judge: &mut Judge, wrapper: &str, program: &str) {
    if names::is_destroyer(program) {
        let because = format!("{wrapper} runs {program} for many files");
        judge.find(Kind::Delete, Immune::No, because);
    }
}

/// Judges a file that is run.
pub(super) fn script(judge: &mut Judge, path: &str) {
    if judge.fetched.is_empty() {
        return;
    }
    let path = folded(path.trim_start_matches("./"));
    if judge.fetched.contains(&path) {
        judge.find(Kind::FetchedRun, Immune::No, "what is fetched is run");
    }
}

fn find(judge: &mut Judge, arguments: Arguments) {
    let elsewhere = arguments
        .0
        .iter()
        .take_while(|argument| !argument.text.starts_with('-') || argument.text.len() == 2)
        .any(is_elsewhere);
    if arguments.has(&["-delete"]) && elsewhere {
        judge.find(
            Kind::Delete,
            Immune::No,
            "it deletes everything that it finds outside this folder",
        );
    }
    for flag in ["-fprint", "-fprint0", "-fprintf", "-fls"] {
        if let Some(file) = arguments.value(&[flag]) {
            let file = Argument::known(file);
            if is_elsewhere(&file) {
                judge.find(
                    Kind::SystemFile,
                    Immune::No,
                    "it writes a list over a file elsewhere",
                );
            }
            redirect::overwrites(judge, &file);
        }
    }
}

fn sourced(judge: &mut Judge, arguments: Arguments, input: &Flow) {
    let Some(file) = arguments.0.first() else {
        return;
    };
    let path = folded(&file.text);
    if redirect::is_network(&path) {
        judge.find(Kind::Network, Immune::No, "it runs what a connection sends");
    } else if path.starts_with("/dev/") || path.starts_with("/proc/") || path == "-" {
        judge.find(Kind::PipedRun, Immune::No, "it runs what it is sent");
        judge.piped(&input.clone(), None);
    } else if file.text.starts_with("<(") {
        judge.find(
            Kind::PipedRun,
            Immune::Yes,
            "the output of a command is run",
        );
    }
    script(judge, &file.text);
}
