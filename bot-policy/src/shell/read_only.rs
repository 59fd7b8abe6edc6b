//! Is a simple command proven only to read? Known programs with known flags and literal words.

use super::arguments::{self, Arguments};
use super::fold::{Argument, Literal};
use super::readers::{COMMON, FIND, KNOWN};
use super::script::{self, Does};
use super::{FolderTrust, files, git, immune};

/// Whether a command only reads, or why that is not proven.
pub(super) fn proves(
    program: &str,
    first: &Argument,
    rest: &[Argument],
    folder: FolderTrust,
) -> Result<(), &'static str> {
    let is_literal = std::iter::once(first)
        .chain(rest)
        .all(|word| word.literal == Literal::Yes);
    if !is_literal {
        return Err("it is not written out");
    }
    let place = first.text.rsplit_once('/').map_or("", |(place, _)| place);
    if !PLACES.contains(&place) {
        return Err("its program is not one of the system's");
    }
    let names_secret = rest.iter().any(|word| {
        let mut bytes = word.text.bytes();
        let has_value = bytes.any(|byte| matches!(byte, b'=' | b':'));
        let value = has_value
            .then(|| word.text.rsplit_once(['=', ':']))
            .flatten();
        let value = value.map(|(_, value)| value);
        immune::path(&word.text).is_some()
            || value.is_some_and(|value| immune::path(value).is_some())
    });
    if names_secret {
        return Err("it names a sensitive path");
    }
    if files::named(program, rest).any(arguments::leads_out) {
        return Err("it names what is not in its folder");
    }
    let arguments = Arguments(rest);
    let configured = match program {
        "git" => Some(git::only_reads(rest, folder)),
        "go" => Some(arguments.texts().eq(["version"]) || go_env(arguments)),
        "node" | "rustc" | "python" | "python3" | "java" | "npm" | "cargo" | "pip" | "pip3" => {
            Some(tool(program, arguments))
        }
        _ => None,
    };
    match (configured, folder) {
        (Some(true), FolderTrust::Trusted) => return Ok(()),
        (Some(true), FolderTrust::Shared) if program == "git" => return Ok(()),
        (Some(true), FolderTrust::Shared) => {
            return Err("the folder, where agents write, may choose what it runs");
        }
        (Some(true), FolderTrust::Untrusted) => {
            return Err("it takes configuration from a folder that nobody vouched for");
        }
        (Some(false), _) => return Err("it is not known only to read"),
        (None, _) => {}
    }
    let operands = arguments.operands().count();
    let reads = match program {
        "echo" => true,
        // Where bash is sh, a variable's name is an expression that may run commands.
        "printf" => arguments
            .0
            .first()
            .is_none_or(|word| !word.text.starts_with("-v")),
        "test" | "[" => !arguments.texts().any(|text| matches!(text, "-v" | "-R")),
        "true" | "false" | "pwd" | "type" | "which" | ":" => true,
        // With an e among its letters it shows the variables of others.
        "ps" if arguments.operands().any(|word| word.text.contains('e')) => false,
        "env" | "whoami" | "hostname" | "uptime" | "tty" | "arch" => rest.is_empty(),
        "printenv" => operands == rest.len(),
        "date" => arguments
            .texts()
            .all(|text| text.starts_with('+') || matches!(text, "-u" | "-R" | "-I" | "--utc")),
        "find" => arguments.texts().all(|text| {
            !text.starts_with('-')
                || text.strip_prefix('-').is_some_and(|rest| {
                    FIND.contains(&rest)
                        || rest
                            .bytes()
                            .next()
                            .is_some_and(|byte| byte.is_ascii_digit())
                })
        }),
        "sed" => script::sed(arguments) == Does::Reads && !rest.is_empty(),
        "awk" | "gawk" | "mawk" => {
            // gawk opens these names as connections.
            let connects = arguments.texts().any(|text| text.contains("/inet"));
            script::awk(arguments) == Does::Reads && !rest.is_empty() && !connects
        }
        "uniq" if operands > 1 => false,
        // Their expressions may name further files, be put together, or show the variables.
        "jq" | "yq"
            if arguments
                .texts()
                .any(|text| OPENS.iter().any(|open| text.contains(open))) =>
        {
            false
        }
        _ => KNOWN
            .iter()
            .find(|(name, _, _)| *name == program)
            .is_some_and(|(_, letters, long)| flags(arguments, letters, long)),
    };
    if reads {
        Ok(())
    } else {
        Err("it is not known only to read")
    }
}

fn flags(arguments: Arguments, letters: &str, long: &[&str]) -> bool {
    let mut is_over = false;
    arguments.texts().all(|text| {
        if is_over || text == "-" || !text.starts_with('-') {
            return true;
        }
        if text == "--" {
            is_over = true;
            return true;
        }
        match text.strip_prefix("--") {
            Some(flag) => {
                let head = flag.split_once('=').map_or(flag, |(head, _)| head);
                long.contains(&head) || COMMON.contains(&head)
            }
            None => text
                .chars()
                .skip(1)
                .all(|letter| letters.contains(letter) || letter.is_ascii_digit()),
        }
    })
}

fn go_env(arguments: Arguments) -> bool {
    let mut texts = arguments.texts();
    texts.next() == Some("env") && texts.all(|text| !text.starts_with('-') || text == "-json")
}

/// Programs that tell their version, and package lists without the net.
fn tool(program: &str, arguments: Arguments) -> bool {
    let texts: Vec<&str> = arguments.texts().collect();
    matches!(
        (program, texts.as_slice()),
        ("node" | "npm", ["-v" | "--version"])
            | (
                "python" | "python3" | "rustc" | "cargo",
                ["--version" | "-V"]
            )
            | ("java", ["-version" | "--version"])
            | ("cargo", ["version"])
            | ("npm", ["ls" | "list"])
            | ("pip" | "pip3", ["list" | "freeze"] | ["show", _])
    )
}

/// Where the system keeps its programs; nothing is a name to be looked up.
const PLACES: [&str; 6] = [
    "",
    "/bin",
    "/usr/bin",
    "/usr/local/bin",
    "/sbin",
    "/usr/sbin",
];

/// What an expression of jq or yq reaches beyond its input by.
const OPENS: [&str; 7] = [
    "env", "eval", "import", "include", "input", "load", "system",
];
