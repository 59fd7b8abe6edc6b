//! What would code do that is given to an interpreter on the line?

use super::arguments::Arguments;
use super::fold::{Argument, Literal};
use super::languages::{LANGUAGES, LUA, MODULES, NODE, PERL, PHP, PYTHON, RUBY};
use super::script::{self, Does};
use super::walk::{Flow, Judge};
use super::{Immune, Kind, danger};

/// Judges a program that may be an interpreter, an editor or a filter that runs code.
pub(super) fn judge(judge: &mut Judge, program: &str, rest: &[Argument], input: &Flow) {
    let name = program
        .trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-');
    if let Some((_, language, letters, valued)) =
        LANGUAGES.iter().find(|(program, ..)| *program == name)
    {
        interpreter(judge, language, letters, valued, rest, input);
        return;
    }
    let arguments = Arguments(rest);
    let runs = match program {
        "sed" | "gsed" => script::sed(arguments) == Does::Runs,
        "awk" | "gawk" | "mawk" | "nawk" => script::awk(arguments) == Does::Runs,
        "vim" | "vi" | "nvim" | "ex" | "view" | "ed" => arguments
            .texts()
            .any(|text| text.contains('!') || text.contains("system(")),
        "emacs" => arguments
            .texts()
            .any(|text| text.contains("shell-command") || text == "--eval"),
        "tar" | "bsdtar" => {
            arguments.texts().any(|text| {
                [
                    "--checkpoint-action",
                    "--to-command",
                    "--use-compress-program",
                    "--rsh-command",
                    "--info-script",
                    "--new-volume-script",
                    "--checkpoint-a",
                ]
                .iter()
                .any(|flag| text.starts_with(flag))
            }) || arguments.has(&["-I", "-F"])
        }
        "rsync" => {
            arguments.has(&["-e", "--rsh", "--rsync-path"])
                && arguments
                    .texts()
                    .any(|text| text.contains("sh ") && text.contains("-c"))
        }
        "ssh" | "scp" | "sftp" => arguments.texts().any(|text| {
            let lower = text.to_lowercase();
            lower.contains("proxycommand") || lower.contains("localcommand")
        }),
        "make" | "gmake" => arguments
            .texts()
            .any(|text| text.starts_with("SHELL=") || text.starts_with("--eval")),
        "zip" => arguments.has(&["-TT", "--unzip-command"]),
        "man" => arguments.has(&["-P", "--pager", "-H"]),
        "sort" => arguments.long("--compress-program", 5),
        "rg" => arguments.has(&["--pre", "--hostname-bin"]),
        "go" => arguments.texts().any(|text| {
            let flag = text.trim_start_matches('-');
            text.starts_with('-')
                && (flag.starts_with("toolexec")
                    || flag.starts_with("vettool")
                    || flag.starts_with("exec"))
        }),
        _ => false,
    };
    if runs {
        judge.find(
            Kind::Code,
            Immune::No,
            format!("{program} is told to run a program"),
        );
    }
}

fn interpreter(
    judge: &mut Judge,
    language: &str,
    letters: &str,
    valued: &str,
    rest: &[Argument],
    input: &Flow,
) {
    let mut codes: Vec<Argument> = Vec::new();
    let mut has_code = false;
    let mut at = 0;
    while let Some(argument) = rest.get(at) {
        at += 1;
        let text = argument.text.as_str();
        if let Some(long) = text.strip_prefix("--") {
            let (head, value) = long
                .split_once('=')
                .map_or((long, None), |(h, v)| (h, Some(v)));
            if matches!(head, "eval" | "print" | "run" | "execute") {
                has_code = true;
                match value {
                    Some(value) => codes.push(Argument {
                        text: value.to_owned(),
                        literal: argument.literal,
                    }),
                    None => {
                        codes.extend(rest.get(at).cloned());
                        at += 1;
                    }
                }
            }
            continue;
        }
        if language == "node" && text == "eval" {
            has_code = true;
            codes.extend(rest.get(at).cloned());
            break;
        }
        let Some(cluster) = text.strip_prefix('-').filter(|cluster| !cluster.is_empty()) else {
            if !has_code {
                if matches!(text, "-" | "/dev/stdin") {
                    judge.piped(input, Some(language));
                } else {
                    danger::script(judge, text);
                }
                return;
            }
            break;
        };
        if language == "python" && cluster.starts_with('m') {
            return;
        }
        for (place, letter) in cluster.char_indices() {
            let after = cluster.get(place + letter.len_utf8()..).unwrap_or_default();
            if letters.contains(letter) {
                has_code = true;
                if after.is_empty() || (language == "node" && letters.contains(after)) {
                    codes.extend(rest.get(at).cloned());
                    at += 1;
                } else {
                    codes.push(Argument {
                        text: after.to_owned(),
                        literal: argument.literal,
                    });
                }
                break;
            }
            if valued.contains(letter) {
                at += usize::from(after.is_empty());
                break;
            }
        }
        // What follows Python's code is for the code.
        if has_code && language == "python" {
            break;
        }
    }
    if !has_code {
        judge.piped(input, Some(language));
    }
    for source in codes {
        match source.literal {
            Literal::Printed => judge.find(
                Kind::Hidden,
                Immune::No,
                "an interpreter runs what another command prints",
            ),
            Literal::Set => judge.find(
                Kind::Hidden,
                Immune::No,
                "the line hides what an interpreter runs",
            ),
            Literal::Variable => judge.find(
                Kind::Hidden,
                Immune::Yes,
                "an interpreter runs what a variable holds",
            ),
            Literal::Pattern | Literal::Yes => {}
        }
        code(judge, language, &source.text);
    }
}

/// Judges code in one language.
pub(super) fn code(judge: &mut Judge, language: &str, source: &str) {
    judge.steps += source.len();
    let tight = tight(source);
    let risky = match language {
        "python" => python(&tight),
        "node" => contains(&tight, NODE),
        "perl" => contains(&tight, PERL),
        "ruby" => contains(&tight, RUBY) || (tight.contains("open(") && writes(&tight)),
        "php" => contains(&tight, PHP),
        "lua" => contains(&tight, LUA) || (tight.contains("open(") && writes(&tight)),
        // A language of which nothing is known.
        _ => true,
    };
    if risky {
        judge.find(
            Kind::Code,
            Immune::No,
            format!("{language} code on the line runs programs, writes files or reaches the net"),
        );
    }
}

/// Runs of blanks as one, none around brackets.
fn tight(source: &str) -> String {
    let mut tight = String::with_capacity(source.len());
    for letter in source.chars() {
        let letter = if letter.is_whitespace() { ' ' } else { letter };
        let before = tight.chars().next_back();
        let is_spare = matches!(before, Some(' ' | '(' | ',' | '.') | None);
        if letter == ' ' && is_spare {
            continue;
        }
        if matches!(letter, '(' | ',' | '.') && before == Some(' ') && !ends_with_keyword(&tight) {
            tight.pop();
        }
        tight.push(letter);
    }
    tight
}

fn ends_with_keyword(text: &str) -> bool {
    text.ends_with("import ") || text.ends_with("print ")
}

/// Whether one of the words stands there, not as the end of a longer name.
fn contains(source: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        source.match_indices(word).any(|(at, _)| {
            let before = source.get(..at).and_then(|head| head.chars().next_back());
            let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
            !(word.starts_with(is_name) && before.is_some_and(is_name))
        })
    })
}

/// Whether a text in quotes is a mode that writes.
fn writes(source: &str) -> bool {
    source.split(['"', '\'']).skip(1).step_by(2).any(|text| {
        text.len() <= 4
            && text.contains(['w', 'a', 'x', '+'])
            && text.chars().all(|letter| "rwaxbt+".contains(letter))
    })
}

fn python(source: &str) -> bool {
    if contains(source, PYTHON) || (contains(source, &["open("]) && writes(source)) {
        return true;
    }
    source
        .split([';', ' ', ',', '\n', ':'])
        .zip(source.split([';', ' ', ',', '\n', ':']).skip(1))
        .any(|(before, name)| {
            let root = name.split('.').next().unwrap_or_default();
            matches!(before, "import" | "from") && MODULES.contains(&root)
        })
        || (source.contains("import ")
            && source
                .split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
                .any(|word| MODULES.contains(&word) && word != "code"))
}
