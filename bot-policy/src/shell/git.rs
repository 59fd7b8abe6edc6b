//! What does a git command do: lose work, run programs, or only read?

use super::arguments::Arguments;
use super::fold::{Argument, Literal};
use super::walk::{Flow, Judge, Scene};
use super::{FolderTrust, Immune, Kind};

/// Whether a command shows what is in files, whichever it names.
pub(super) fn shows(rest: &[Argument]) -> bool {
    let given = Arguments(rest);
    match split(rest).map_or("", |(_, sub, _)| sub) {
        "log" => given.cluster('p') || given.cluster('u') || given.long("--patch", 3),
        "cat-file" | "diff" | "show" | "whatchanged" => true,
        _ => false,
    }
}

/// The subcommand and what follows it.
fn split(rest: &[Argument]) -> Option<(usize, &str, &[Argument])> {
    let mut at = 0;
    loop {
        let text = rest.get(at)?.text.as_str();
        if VALUED.contains(&text) {
            at += 2;
        } else if text.starts_with('-') {
            at += 1;
        } else {
            return Some((at, text, rest.get(at + 1..).unwrap_or_default()));
        }
    }
}

pub(super) fn command(judge: &mut Judge, rest: &[Argument]) {
    let all = Arguments(rest);
    let Some((at, sub, after)) = split(rest) else {
        return;
    };
    let mut settings = rest.iter().take(at).map(|argument| argument.text.as_str());
    while let Some(text) = settings.next() {
        let key = match text {
            "-c" | "--config-env" => settings.next().unwrap_or_default(),
            _ => text,
        };
        if runs(key) || text.starts_with("--exec-path=") {
            judge.find(Kind::Code, Immune::No, "a git setting runs a program");
        }
    }
    if all.texts().any(|text| text.contains("ext::"))
        || all.has(&["--upload-pack", "--receive-pack", "--upload-archive"])
    {
        judge.find(Kind::Code, Immune::No, "git is told to run a program");
    }
    let given = Arguments(after);
    let loses = match sub {
        "push" => {
            given.cluster('f')
                || given.cluster('d')
                || given.long("--force-with-lease", 5)
                || given.long("--delete", 5)
                || given.long("--mirror", 4)
                || given.long("--prune", 5)
                || given
                    .operands()
                    .any(|operand| operand.text.starts_with(['+', ':']))
        }
        "reset" => given.long("--hard", 4) || given.long("--merge", 4),
        "clean" => given.cluster('f') || given.long("--force", 4),
        "filter-branch" | "filter-repo" => true,
        _ => false,
    };
    if loses {
        judge.find(
            Kind::Wipe,
            Immune::Yes,
            "it throws work in the repository away",
        );
    }
    match sub {
        "config" if given.operands().count() > 1 && given.texts().any(runs) => {
            judge.find(Kind::Code, Immune::No, "a git setting runs a program");
        }
        "bisect" if given.first() == "run" => {
            let words = after.get(1..).unwrap_or_default().to_vec();
            judge.command(words, &Flow::Nothing, Scene::Top);
        }
        "rebase" | "submodule" => {
            let line = given.value(&["-x", "--exec", "foreach", "--recursive"]);
            if let Some(line) = line {
                judge.line(line, &Flow::Nothing, Scene::Top);
            }
        }
        _ => {}
    }
}

/// Whether a setting makes git run something.
fn runs(setting: &str) -> bool {
    let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
    let key = key.to_lowercase();
    RUNNING.iter().any(|part| key.contains(part)) || value.starts_with('!')
}

/// Whether a git command only reads; the folder's own settings are taken to be harmless.
pub(super) fn only_reads(rest: &[Argument], folder: FolderTrust) -> bool {
    let Some((at, sub, after)) = split(rest) else {
        return Arguments(rest).texts().eq(["--version"]);
    };
    let mut before = rest.iter().take(at).map(|argument| argument.text.as_str());
    while let Some(text) = before.next() {
        let is_fine = match text {
            "--no-pager" => true,
            // Another folder was not vouched for; one below may be a repository that was put there.
            "-C" if folder == FolderTrust::Trusted => before.next().is_some_and(|below| {
                !super::arguments::is_elsewhere(&Argument {
                    text: below.to_owned(),
                    literal: Literal::Yes,
                })
            }),
            _ => false,
        };
        if !is_fine {
            return false;
        }
    }
    let given = Arguments(after);
    let operands = given.operands().count();
    let letters = match sub {
        "branch" if operands == 0 || given.has(&["--list", "--contains", "--merged"]) => "arvl",
        "tag" if operands == 0 || given.cluster('l') || given.has(&["--list"]) => "ln",
        "remote" if operands == 0 => "v",
        "stash" if given.texts().eq(["list"]) => "",
        "reflog" if operands == 0 || given.first() == "show" => "n",
        "diff" | "log" | "show" | "shortlog" | "rev-list" | "whatchanged" => "pnsuwbaMCz",
        "status" => "sbuvz",
        "blame" => "wsenfltMC",
        "ls-files" => "cdmosuz",
        "ls-tree" => "drtlz",
        "cat-file" => "tsep",
        "rev-parse" | "describe" | "merge-base" | "name-rev" | "for-each-ref" => "",
        _ => return false,
    };
    after.iter().all(|argument| {
        let text = argument.text.as_str();
        match (text.strip_prefix("--"), text.strip_prefix('-')) {
            (Some(""), _) => true,
            (Some(long), _) => {
                let head = long.split_once('=').map_or(long, |(head, _)| head);
                LONG.contains(&head)
            }
            (None, Some(cluster)) => cluster
                .chars()
                .all(|letter| letters.contains(letter) || letter.is_ascii_digit()),
            (None, None) => true,
        }
    })
}

const VALUED: [&str; 7] = [
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--config-env",
    "--super-prefix",
];

const RUNNING: [&str; 18] = [
    "alias.",
    "askpass",
    "browser.",
    "core.editor",
    "core.pager",
    "credential",
    "diff.external",
    "difftool",
    "filter.",
    "fsmonitor",
    "gpg.",
    "hookspath",
    "mergetool",
    "pager.",
    "protocol.",
    "sequence.editor",
    "sshcommand",
    "textconv",
];

const LONG: [&str; 70] = [
    "abbrev",
    "abbrev-commit",
    "abbrev-ref",
    "all",
    "always",
    "author",
    "branch",
    "branches",
    "cached",
    "check",
    "color",
    "contains",
    "count",
    "date",
    "decorate",
    "deleted",
    "dirty",
    "exclude-standard",
    "first-parent",
    "follow",
    "format",
    "full-name",
    "get",
    "get-all",
    "git-dir",
    "graph",
    "grep",
    "heads",
    "ignored",
    "is-inside-work-tree",
    "left-right",
    "list",
    "long",
    "max-count",
    "merged",
    "merges",
    "modified",
    "name-only",
    "name-status",
    "no-abbrev",
    "no-color",
    "no-ext-diff",
    "no-merged",
    "no-merges",
    "no-patch",
    "no-renames",
    "no-textconv",
    "not",
    "numstat",
    "oneline",
    "others",
    "patch",
    "porcelain",
    "pretty",
    "raw",
    "remotes",
    "reverse",
    "short",
    "shortstat",
    "show-current",
    "show-toplevel",
    "since",
    "sort",
    "staged",
    "stat",
    "summary",
    "tags",
    "unified",
    "until",
    "word-diff",
];
