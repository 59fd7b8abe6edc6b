//! What does git say of the folder? Asked so that nothing which the repository brings along is
//! run: no hooks, file monitors, filters, external diffs, text converters, pagers or signatures.

use std::ffi::OsString;
use std::time::Duration;

use bot_policy::call::Call;
use bot_policy::taint::Labelled;
use tokio::process::Command;

use super::super::{Deed, ToolError};
use super::cage::Access;
use super::{Coder, Inside, Work, deed, exec, number};

/// How long git may take.
const TIME: Duration = Duration::from_secs(60);
/// How many commits are listed unless a call says otherwise, and at most.
const COMMITS: usize = 20;
const MOST_COMMITS: usize = 200;

/// What a git command of the tool asks git; none for another command.
pub(super) fn asked(command: &str, call: &Call) -> Result<Option<Vec<String>>, ToolError> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let mut asked: Vec<String> = match command {
        "git-branch" => words(&["branch", "--all", "--verbose", "--no-color", "--no-column"]),
        "git-changed" => words(&["diff", "--name-status", "HEAD"]),
        "git-diff" => words(&["diff"]),
        "git-log" => {
            let count = number(call, "count")?.unwrap_or(COMMITS).min(MOST_COMMITS);
            let count = format!("--max-count={count}");
            let format = "--format=%h %ad %an%n    %s";
            words(&["log", "--date=short", "--no-show-signature", format, &count])
        }
        "git-status" => words(&["status", "--short", "--branch", "--ignore-submodules=all"]),
        _ => return Ok(None),
    };
    if matches!(command, "git-changed" | "git-diff") {
        let plain = [
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--ignore-submodules=all",
        ];
        asked.extend(plain.map(ToOwned::to_owned));
    }
    if let Some(revision) = call.text("revision").filter(|_| command == "git-diff") {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._/-^~@{}".contains(c);
        if revision.starts_with('-') || !revision.chars().all(plain) {
            return Err(ToolError("revision is not the name of one".into()));
        }
        asked.push(revision.to_owned());
    }
    asked.push("--".to_owned());
    if let Some(path) = call.text("file").map(Inside::parse).transpose()?.flatten() {
        asked.push(path.0);
    }
    if command == "git-branch" {
        asked.retain(|word| word != "--");
    }
    Ok(Some(asked))
}

/// Asks git.
pub(super) async fn run(
    coder: &Coder,
    work: &Work<'_>,
    command: &str,
    asked: Vec<String>,
) -> Result<Deed, ToolError> {
    let filters = ["config", "--name-only", "--get-regexp", "^filter\\."];
    let filters = git(coder, work, &[], filters.map(ToOwned::to_owned).to_vec()).await?;
    let found = match filters.is_done() {
        true => filters.output.text(),
        // None is set, or there is no repository.
        false => String::new(),
    };
    let off: Vec<(&str, &str)> = found
        .lines()
        .map(|name| match name.ends_with(".required") {
            true => (name, "false"),
            false => (name, ""),
        })
        .collect();
    let said = format!("git {}", asked.first().map_or("", String::as_str));
    let ran = git(coder, work, &off, asked).await?;
    let output = ran.output.text();
    if !ran.is_done() {
        let why = exec::shortened(&output);
        return Err(ToolError(format!("git says: {why}")));
    }
    let value = match output.trim_end() {
        "" => "(nothing)".to_owned(),
        _ => exec::shortened(&output),
    };
    // Commits are fetched from others, and the difference shows what any file holds.
    let taint = match command {
        "git-status" => work.known.of_files(),
        // Branches are listed with what was said of their last commits.
        _ => work.known.of_all(),
    };
    let shown = match command {
        "git-diff" => output,
        _ => String::new(),
    };
    Ok(deed(Labelled { value, taint }, said, shown))
}

/// Who commits, as the owner's settings say or those of the repository. The owner's own may hold
/// passwords, so that no command sees them.
pub(super) async fn whom(coder: &Coder, work: &Work<'_>) -> Vec<(&'static str, String)> {
    let mut whom = Vec::new();
    for (name, variables) in WHOM {
        let argv = ["git", "config", "--get", name]
            .map(OsString::from)
            .to_vec();
        let command = coder.cage.bare(&work.folder.path, argv);
        if let Ok(ran) = exec::finish(command, TIME).await
            && ran.is_done()
        {
            let said = ran.output.text().trim_end().to_owned();
            whom.extend(variables.map(|variable| (variable, said.clone())));
        }
    }
    whom
}

const WHOM: [(&str, [&str; 2]); 2] = [
    ("user.name", ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"]),
    ("user.email", ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"]),
];

async fn git(
    coder: &Coder,
    work: &Work<'_>,
    off: &[(&str, &str)],
    asked: Vec<String>,
) -> Result<exec::Ran, ToolError> {
    // A path is one path, as rules take it: no pattern, no word of git's own.
    let argv = ["git", "--no-pager", "--literal-pathspecs"];
    let argv = argv.map(OsString::from).into_iter();
    let argv = argv.chain(asked.into_iter().map(OsString::from)).collect();
    let at = &work.folder.path;
    let mut command = match coder.cage.why_not() {
        None => coder.cage.command(at, at, argv, Access::Read),
        Some(_) => coder.cage.bare(at, argv),
    };
    command.envs(VARIABLES);
    set(&mut command, QUIET.iter().chain(&ALONE).chain(off));
    exec::finish(command, TIME).await
}

/// Keeps git from running what a repository names, wherever the command or what it starts asks git.
pub(super) fn quiet(command: &mut Command) {
    set(command, QUIET.iter());
}

/// Settings in the environment may have any name, and outweigh those of the repository.
fn set<'a>(command: &mut Command, all: impl Iterator<Item = &'a (&'a str, &'a str)>) {
    let mut count = 0;
    for (name, value) in all {
        command.env(format!("GIT_CONFIG_KEY_{count}"), name);
        command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
        count += 1;
    }
    command.env("GIT_CONFIG_COUNT", count.to_string());
}

/// What runs nothing that a repository brings along; one that lies there as plain files, such as
/// an agent may write, is no repository.
const QUIET: [(&str, &str); 13] = [
    ("core.attributesFile", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.untrackedCache", "false"),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("diff.ignoreSubmodules", "all"),
    ("gpg.program", "false"),
    ("log.showSignature", "false"),
    ("safe.bareRepository", "explicit"),
    ("status.submoduleSummary", "false"),
];

/// What the tool's own questions need besides.
const ALONE: [(&str, &str); 2] = [("protocol.allow", "never"), ("safe.directory", "*")];

const VARIABLES: [(&str, &str); 6] = [
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
];
