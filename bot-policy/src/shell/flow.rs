//! What does a command print? Text that is known, what it fetched, decoded or read, or anything.

use super::arguments::Arguments;
use super::escape;
use super::fold::Argument;
use super::walk::{Flow, Judge};
use super::{immune, names};

/// The output of a command that is no wrapper; notes which files it fetches.
pub(super) fn given(judge: &mut Judge, program: &str, arguments: Arguments, input: &Flow) -> Flow {
    if names::is_downloader(program) {
        fetched(judge, program, arguments);
        return Flow::Download;
    }
    let names_keys = judge
        .findings
        .iter()
        .any(|finding| finding.kind == super::Kind::Credentials);
    let reads_file = || {
        let secret = names_keys
            && arguments
                .texts()
                .any(|text| immune::credential(text).is_some());
        if secret { Flow::Secret } else { Flow::File }
    };
    match program {
        "echo" | "printf" => printed(program, arguments),
        "env" | "printenv" | "export" | "set" | "declare" => Flow::Environment,
        "cat" | "tee" | "pv" | "sponge" | "head" | "tail" | "less" | "more" => {
            if program == "tee" && *input == Flow::Download {
                for operand in arguments.operands() {
                    note(judge, &operand.text);
                }
            }
            let is_fed =
                program == "tee" || arguments.operands().all(|operand| operand.text == "-");
            let is_whole = matches!(program, "cat" | "tee");
            match input {
                _ if !is_fed && program == "cat" => reads_file(),
                Flow::Text(_) if !is_whole => Flow::Other,
                Flow::Nothing | Flow::File | Flow::Other => reads_file(),
                Flow::Decoded
                | Flow::Download
                | Flow::Environment
                | Flow::Secret
                | Flow::Text(_) => input.clone(),
            }
        }
        _ if decodes(program, arguments) => Flow::Decoded,
        _ => match input {
            Flow::Decoded | Flow::Download | Flow::Environment | Flow::Secret => input.clone(),
            Flow::Text(_) if program != "grep" => Flow::Decoded,
            Flow::File | Flow::Nothing | Flow::Other | Flow::Text(_) => match reads_file() {
                Flow::Secret => Flow::Secret,
                _ => Flow::Other,
            },
        },
    }
}

fn decodes(program: &str, arguments: Arguments) -> bool {
    match program {
        "base32" | "base64" | "basenc" => {
            arguments.cluster('d') || arguments.cluster('D') || arguments.long("--decode", 4)
        }
        "openssl" => arguments.has(&["-d", "-base64", "-a", "base64"]),
        "xxd" => arguments.cluster('r') || arguments.has(&["-revert"]),
        "uudecode" | "zcat" | "gunzip" | "bunzip2" | "bzcat" | "xzcat" | "unxz" | "zstdcat"
        | "unzstd" | "rev" => true,
        "gzip" | "bzip2" | "xz" | "zstd" | "gpg" => {
            arguments.cluster('d')
                || arguments.long("--decompress", 4)
                || arguments.has(&["--decrypt"])
        }
        _ => false,
    }
}

fn printed(program: &str, arguments: Arguments) -> Flow {
    if !arguments.is_literal() {
        return Flow::Other;
    }
    if program == "printf" {
        let mut rest = arguments
            .0
            .iter()
            .skip_while(|argument| argument.text == "--");
        let Some(format) = rest.next() else {
            return Flow::Nothing;
        };
        let decoded = escape::decode(&format.text);
        let mut text = String::new();
        let mut letters = decoded.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                text.push(letter);
                continue;
            }
            match letters.next() {
                Some('s') => text.push_str(rest.next().map_or("", |argument| &argument.text)),
                Some('b') => {
                    text.push_str(&escape::decode(
                        rest.next().map_or("", |argument| &argument.text),
                    ));
                }
                Some('%') => text.push('%'),
                Some(_) | None => return Flow::Other,
            }
        }
        return if rest.next().is_some() {
            Flow::Other
        } else {
            Flow::Text(text.into())
        };
    }
    let flags = arguments
        .texts()
        .take_while(|text| {
            text.len() > 1
                && text
                    .strip_prefix('-')
                    .is_some_and(|f| f.chars().all(|c| "neE".contains(c)))
        })
        .count();
    let decoded = arguments.texts().take(flags).any(|flag| flag.contains('e'));
    let words: Vec<&str> = arguments.texts().skip(flags).collect();
    let text = words.join(" ");
    // Some shells decode without being asked.
    Flow::Text(if decoded || text.contains('\\') {
        escape::decode(&text).into()
    } else {
        text.into()
    })
}

fn fetched(judge: &mut Judge, program: &str, arguments: Arguments) {
    let flags: &[&str] = match program {
        "curl" => &["-o", "--output"],
        "wget" => &["-O", "--output-document"],
        _ => &["-o", "--out", "--output", "-O"],
    };
    if let Some(file) = arguments.value(flags) {
        note(judge, file);
    }
    for Argument { text, .. } in arguments.0 {
        if let Some(file) = text.strip_prefix("-o").filter(|file| !file.is_empty()) {
            note(judge, file);
        }
        if let Some((_, last)) = text.rsplit_once('/').filter(|(_, last)| !last.is_empty()) {
            note(judge, last);
        }
    }
}

fn note(judge: &mut Judge, file: &str) {
    if judge.fetched.len() < FILES {
        judge
            .fetched
            .push(super::arguments::folded(file.trim_start_matches("./")));
    } else {
        judge.find(
            super::Kind::TooMuch,
            super::Immune::No,
            "it fetches too many files to follow",
        );
    }
}

const FILES: usize = 64;
