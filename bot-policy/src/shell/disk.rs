//! Does a command destroy data: files, disks, data bases?

use super::arguments::{Arguments, folded, is_elsewhere};
use super::fold::Argument;
use super::walk::{Flow, Judge};
use super::{Immune, Kind, redirect};

pub(super) fn command(judge: &mut Judge, program: &str, arguments: Arguments, input: &Flow) {
    match program {
        "rm" | "srm" => remove(judge, arguments),
        "shred" => judge.find(Kind::Wipe, Immune::Yes, "it destroys what a file held"),
        "dd" => dd(judge, arguments),
        "wipefs" | "sgdisk" | "blkdiscard" | "fdisk" | "sfdisk" | "parted" | "mkswap"
        | "cfdisk" | "gdisk" | "hdparm" | "cryptsetup" | "diskutil"
            if !arguments.has(&["-l", "--list", "-n", "--no-act", "-p"]) =>
        {
            judge.find(Kind::Disk, Immune::No, "it changes a disk");
        }
        _ if program == "mkfs" || program.starts_with("mkfs.") || program == "mke2fs" => {
            judge.find(Kind::Disk, Immune::Yes, "it formats a disk");
        }
        "truncate" => judge.find(Kind::Wipe, Immune::Yes, "it cuts a file off"),
        "cp" | "mv" | "install" | "ln" | "rsync" | "scp" => copy(judge, program, arguments),
        "tee" | "sponge" => {
            for operand in arguments.operands() {
                redirect::overwrites(judge, operand);
            }
        }
        "touch" | "mkdir" | "rmdir" | "unlink" | "patch" => {
            for operand in arguments.operands() {
                redirect::overwrites(judge, operand);
            }
        }
        "sed" | "perl" | "ruby" if arguments.cluster('i') || arguments.long("--in-place", 4) => {
            for operand in arguments.operands() {
                redirect::overwrites(judge, operand);
            }
        }
        "drop" | "delete" => sql(judge, &all(program, arguments)),
        _ if CLIENTS.contains(&program) => {
            for text in arguments.texts() {
                sql(judge, text);
            }
            if let Flow::Text(text) = input {
                sql(judge, text);
            }
        }
        "dropdb" | "mysqladmin" if program == "dropdb" || arguments.has(&["drop"]) => {
            judge.find(Kind::Sql, Immune::Yes, "it drops a data base");
        }
        _ => {}
    }
    if let Some(output) = arguments.value(&["-o", "-O", "--output", "--output-document"]) {
        redirect::overwrites(judge, &Argument::known(output));
    }
}

fn remove(judge: &mut Judge, arguments: Arguments) {
    let has_operand = arguments.operands().next().is_some();
    let whole =
        arguments.cluster('r') || arguments.cluster('R') || arguments.long("--recursive", 4);
    let forced = arguments.cluster('f') || arguments.long("--force", 4);
    let root = arguments
        .operands()
        .any(|operand| matches!(folded(&operand.text).as_str(), "/" | "/*"));
    let unguarded = arguments.long("--no-preserve-root", 4);
    if has_operand && ((whole && forced) || root || unguarded) {
        judge.find(
            Kind::Delete,
            Immune::Yes,
            "it deletes folders without asking back",
        );
    }
    for operand in arguments.operands() {
        redirect::overwrites(judge, operand);
    }
}

fn dd(judge: &mut Judge, arguments: Arguments) {
    let to = arguments.texts().find_map(|text| text.strip_prefix("of="));
    if let Some(to) = to.filter(|to| folded(to).starts_with("/dev/")) {
        let immune = if to == "/dev/null" {
            Immune::Only
        } else {
            Immune::Yes
        };
        judge.find(Kind::Disk, immune, "it writes raw data to a device");
    } else if arguments.texts().any(|text| text.starts_with("if=")) {
        judge.find(Kind::Disk, Immune::No, "it copies raw data");
    }
    if let Some(to) = to.filter(|to| !folded(to).starts_with("/dev/")) {
        redirect::overwrites(judge, &Argument::known(to));
    }
}

fn copy(judge: &mut Judge, program: &str, arguments: Arguments) {
    let target = arguments
        .value(&["-t", "--target-directory"])
        .map(Argument::known)
        .or_else(|| arguments.operands().last().cloned());
    if let Some(target) = target {
        redirect::overwrites(judge, &target);
    }
    if matches!(program, "cp" | "mv") && arguments.first() == "/dev/null" {
        judge.find(Kind::Wipe, Immune::Yes, "it empties a file");
    }
    if program == "mv"
        && let Some(from) = arguments.operands().next()
        && is_elsewhere(from)
    {
        redirect::overwrites(judge, from);
    }
}

fn all(program: &str, arguments: Arguments) -> String {
    let mut text = program.to_owned();
    for argument in arguments.texts() {
        text.push(' ');
        text.push_str(argument);
    }
    text
}

/// Judges text for a data base.
fn sql(judge: &mut Judge, text: &str) {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !(letter.is_alphanumeric() || "_=*".contains(letter)))
        .filter(|word| !word.is_empty())
        .collect();
    let mut is_deleting = false;
    for pair in words.windows(2) {
        match pair {
            ["drop", "database" | "schema"] | ["truncate", _] | ["dropdatabase", _] => {
                judge.find(Kind::Sql, Immune::Yes, "it drops or empties a data base");
            }
            ["drop", "table"] => judge.find(Kind::Sql, Immune::Only, "it drops a table"),
            ["delete", "from"] => is_deleting = true,
            ["where", "1=1" | "true" | "1"] if is_deleting => {
                judge.find(Kind::Sql, Immune::Yes, "it deletes every row");
            }
            _ => {}
        }
    }
    if is_deleting && !words.contains(&"where") {
        judge.find(Kind::Sql, Immune::Yes, "it deletes every row");
    }
}

const CLIENTS: [&str; 12] = [
    "clickhouse-client",
    "cockroach",
    "duckdb",
    "mariadb",
    "mongo",
    "mongosh",
    "mysql",
    "psql",
    "sqlcmd",
    "sqlite",
    "sqlite3",
    "sqlplus",
];
