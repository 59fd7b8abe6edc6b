//! What do redirects read and overwrite?

use super::arguments::{folded, is_elsewhere};
use super::fold::{Argument, Literal};
use super::tree::{Redirect, RedirectKind};
use super::walk::Judge;
use super::{Immune, Kind, immune, names};

/// Judges what is read; whether it is secret.
pub(super) fn read(judge: &mut Judge, target: &Argument) -> bool {
    network(judge, target);
    let is_told = target.literal == Literal::Yes && !is_elsewhere(target);
    if !is_told || immune::path(&target.text).is_some() {
        judge.not_reading("it reads what is sensitive or cannot be told");
    }
    match immune::credential(&target.text) {
        Some(why) => {
            judge.find(Kind::Credentials, Immune::Only, why);
            true
        }
        None => false,
    }
}

/// Judges what is written to.
pub(super) fn written(judge: &mut Judge, kind: RedirectKind, target: &Argument) {
    let text = target.text.as_str();
    let is_copy = kind == RedirectKind::Copy
        && target.literal == Literal::Yes
        && (text == "-"
            || text
                .trim_end_matches('-')
                .bytes()
                .all(|byte| byte.is_ascii_digit()));
    // What goes to the streams of the call itself is its result.
    let is_no_file = matches!(text, "/dev/null" | "/dev/stderr" | "/dev/stdout");
    if is_copy || (is_no_file && kind != RedirectKind::Both) {
        return;
    }
    judge.not_reading("it writes to a file");
    network(judge, target);
    overwrites(judge, target);
}

fn network(judge: &mut Judge, target: &Argument) {
    if is_network(&target.text) {
        judge.find(
            Kind::Network,
            Immune::Yes,
            "it opens a connection through /dev/tcp or /dev/udp",
        );
    }
}

pub(super) fn is_network(text: &str) -> bool {
    if !text.starts_with('/') {
        return false;
    }
    let text = folded(text);
    text.starts_with("/dev/tcp") || text.starts_with("/dev/udp")
}

/// Judges a file that something is written to, moved to or linked to.
pub(super) fn overwrites(judge: &mut Judge, target: &Argument) {
    let text = folded(&target.text);
    if HARMLESS.contains(&text.as_str()) || is_network(&text) {
        return;
    }
    if text.starts_with("/dev/") {
        judge.find(Kind::Disk, Immune::No, "it writes to a device");
    } else if SYSTEM
        .iter()
        .any(|folder| crate::path::is_within(&text, folder))
    {
        judge.find(
            Kind::SystemFile,
            Immune::No,
            format!("it writes to {text}, a file of the system"),
        );
    } else if STARTUP.iter().any(|name| format!("/{text}").contains(name)) {
        judge.find(
            Kind::SystemFile,
            Immune::Yes,
            format!("it writes to {text}, which runs by itself later"),
        );
    }
    if let Some(why) = immune::credential(&text) {
        judge.find(Kind::Credentials, Immune::Yes, why);
    }
}

/// `> file` without a command empties the file.
pub(super) fn emptied(judge: &mut Judge, redirects: &[Redirect]) {
    let empties = redirects
        .iter()
        .any(|redirect| redirect.kind == RedirectKind::Write);
    if empties {
        judge.find(Kind::Wipe, Immune::Yes, "it empties a file");
    }
}

/// Judges redirects by the program that they stand around.
pub(super) fn around(judge: &mut Judge, program: &str, words: &[Argument], redirects: &[Redirect]) {
    if redirects.is_empty() {
        return;
    }
    let name = super::arguments::program(program);
    if name == "exec" && words.len() == 1 && !redirects.is_empty() {
        judge.find(
            Kind::Descriptor,
            Immune::No,
            "it bends the file descriptors of the shell",
        );
    }
    if matches!(name.as_str(), ":" | "true") {
        emptied(judge, redirects);
    }
    if names::is_shell(&name) || name == "exec" {
        for redirect in redirects {
            let target = judge.text(&redirect.target);
            if is_network(&target.text) {
                judge.find(
                    Kind::Network,
                    Immune::No,
                    "it gives a shell to a connection",
                );
            }
        }
    }
}

const HARMLESS: [&str; 7] = [
    "/dev/fd/1",
    "/dev/fd/2",
    "/dev/null",
    "/dev/shm",
    "/dev/stderr",
    "/dev/stdout",
    "/dev/tty",
];

const SYSTEM: [&str; 9] = [
    "/bin", "/boot", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr",
];

const STARTUP: [&str; 15] = [
    "/.bash_login",
    "/.bash_profile",
    "/.bashrc",
    "/.config/autostart/",
    "/.config/fish/",
    "/.config/systemd/",
    "/.git/config",
    "/.git/hooks/",
    "/.gitconfig",
    "/.profile",
    "/.zprofile",
    "/.zshenv",
    "/.zshrc",
    "/cron.d/",
    "/launchagents/",
];
