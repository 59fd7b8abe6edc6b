//! What does a command line do, and what does it print? Run in a cage, with an end to its time,
//! its output and its processes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use bot_policy::call::Call;
use bot_policy::shell::{self, Denylist, FolderTrust, Literal, ReadOnly, Stays};
use bot_policy::taint::{Labelled, Taint};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::time::{Instant, sleep_until};

use super::super::{Deed, ToolError};
use super::cage::Access;
use super::files_seen::{self, Seen};
use super::{
    Coder, Inside, Marked, Network, Unconfined, Work, deed, git, left, marks, number, walls,
};

/// How long a command may take unless it says otherwise, and at most; tests may take longer.
const SECONDS: usize = 120;
pub(super) const MOST_SECONDS: usize = 1800;
/// How much of its output is kept at each end, in bytes.
const KEPT: usize = 128 * 1024;
/// How much of it the model reads, at each end, in characters.
const TOLD: usize = 8 * 1024;
/// How many processes and how large a file it may make.
const PROCESSES: u64 = 2048;
const FILE_BYTES: u64 = 4 << 30;

/// Runs the command line of a call.
pub(super) async fn run(coder: &Coder, work: &Work<'_>, call: &Call) -> Result<Deed, ToolError> {
    let line = call
        .text("cmd")
        .ok_or_else(|| ToolError("cmd is missing".into()))?;
    let at = folder_of(work, call)?;
    let seconds = number(call, "timeout")?
        .unwrap_or(SECONDS)
        .clamp(1, MOST_SECONDS);
    let unsaid = walls::unsaid(&work.folder.path);
    let mut command = command(coder, work, &at, line)?;
    command.envs(git::whom(coder, work).await);
    // In another folder git may meet another repository.
    let trust = match call.text("dir") {
        None | Some("" | ".") => FolderTrust::Shared,
        Some(_) => FolderTrust::Untrusted,
    };
    let judged = shell::judge(line, &Denylist::default(), trust);
    let proven = judged.read_only == ReadOnly::Proven;
    let mut read = read(work, line, &judged, call.text("dir"));
    if coder.cage.network() == Network::Open && !proven {
        read = read.join(&Taint::outside("a command that may have reached the net"));
    }
    // What it writes may hold what it reads, and what its caller has read.
    let brought = read.clone().join(&work.whose.taint);
    let before = match brought.is_clean() {
        true => None,
        false => Some(seen(work).await?),
    };
    if before.is_some() && !proven {
        // Before it runs: a crash leaves a mark too many, never one too few.
        coder.keep_history(work, &brought).await?;
    }
    let ran = finish(command, Duration::from_secs(seconds as u64)).await;
    let harmless = shell::judge(line, &Denylist::default(), FolderTrust::Untrusted);
    let left = match harmless.read_only {
        ReadOnly::Proven => None,
        ReadOnly::No(_) => clear(work, unsaid).await,
    };
    if let Some(before) = before {
        let written = files_seen::changed(&before, &seen(work).await?);
        let marked = written.into_iter().map(|(path, digest)| Marked {
            path,
            digest,
            taint: brought.clone(),
        });
        let marked: Vec<Marked> = marked.collect();
        if !marked.is_empty() {
            coder.ledger.keep(&work.folder.path, marked).await?;
        }
    }
    let ran = ran?;
    let mut taint = read;
    if judged.stays == Stays::Elsewhere {
        taint = taint.join(&Taint::private("files outside the folder"));
    }
    let how = ran.how(seconds);
    let output = ran.output.text();
    let left = left.unwrap_or_default();
    let value = format!("{how}{left}\n{}", shortened(&output));
    let outcome = format!("{how}{left}: {}", bot_policy::visible::line(line));
    Ok(deed(Labelled { value, taint }, outcome, output))
}

/// The marks of what a line may read. It is taken to reach git's history unless it is proven to read
/// only and either asks git for no history or names its files one by one.
fn read(work: &Work<'_>, line: &str, judged: &shell::Judged, dir: Option<&str>) -> Taint {
    let words = judged
        .commands
        .iter()
        .flat_map(|command| &command.arguments);
    let mut named = words
        .map(|word| word.text.as_str())
        .chain([line])
        .chain(dir);
    if named.any(names_git) {
        return work.known.of_all().join(&Taint::outside(marks::OF_GIT));
    }
    let proven = judged.read_only == ReadOnly::Proven && dir.is_none();
    match judged.commands.as_slice() {
        [command] if proven && no_history(work, command) => work.known.of_files(),
        _ => work.known.of_all(),
    }
}

fn no_history(work: &Work<'_>, command: &shell::SimpleCommand) -> bool {
    if command
        .arguments
        .iter()
        .any(|word| word.literal != Literal::Yes)
    {
        return false;
    }
    if command.program == "git" {
        let mut words = command.arguments.iter().map(|word| word.text.as_str());
        // Told more of, they show what was changed and what was said of commits.
        let asks = words.next();
        return matches!(asks, Some("status" | "branch"))
            && words.all(|word| TERSE.contains(&word));
    }
    if !OF_FILES.contains(&command.program.as_str()) {
        return false;
    }
    let mut plain = command
        .arguments
        .iter()
        .filter(|word| !word.text.starts_with('-'));
    let is_file = |path: &str| {
        let about = work.dir.symlink_metadata(path);
        about.is_ok_and(|about| about.is_file()) && !super::leads_to_git(&work.dir, path)
    };
    plain.clone().next().is_some() && plain.all(|word| is_file(&word.text))
}

/// What git's `status` and `branch` may be told without showing any of the history.
const TERSE: [&str; 8] = [
    "--all",
    "--branch",
    "--list",
    "--porcelain",
    "--short",
    "--show-current",
    "-b",
    "-s",
];

/// Programs that read the files which they are given, and no others.
const OF_FILES: [&str; 5] = ["cat", "head", "nl", "tail", "wc"];

/// Whether a word or a line names git's own folder.
fn names_git(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(marks::GIT).any(|(at, name)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text
            .get(at + name.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(of_name) && !after.is_some_and(of_name)
    })
}

fn command(coder: &Coder, work: &Work<'_>, at: &Path, line: &str) -> Result<Command, ToolError> {
    let argv = argv(line).unwrap_or_else(|| vec!["sh".into(), "-c".into(), line.into()]);
    let folder = &work.folder.path;
    let mut command = match (coder.cage.why_not(), work.folder.unconfined) {
        (None, _) => coder.cage.command(folder, at, argv, Access::Write),
        (Some(_), Unconfined::Accepted) => coder.cage.bare(at, argv),
        (Some(why), Unconfined::No) => {
            return Err(ToolError(format!("commands do not run here: {why}")));
        }
    };
    git::quiet(&mut command);
    Ok(command)
}

/// Clears away what must not outlast a command; says so where that cannot be done.
async fn clear(work: &Work<'_>, unsaid: Option<PathBuf>) -> Option<String> {
    let folder = work.folder.path.clone();
    let cleared = tokio::task::spawn_blocking(move || {
        let dir = super::open(&folder).map_err(|why| std::io::Error::other(why.0))?;
        left::clear(&dir, unsaid.as_deref())
    });
    let cleared = cleared.await;
    let why = match cleared {
        Ok(Ok(())) => return None,
        Ok(Err(why)) => why.to_string(),
        Err(why) => why.to_string(),
    };
    tracing::warn!(%why, "a folder could not be looked through after a command");
    Some(format!(
        "\nset-id bits may be left in the folder, it could not be looked through: {why}"
    ))
}

/// The words of a line that needs no shell: one command, every word known.
fn argv(line: &str) -> Option<Vec<OsString>> {
    const SHELL: [char; 18] = [
        '|', '&', ';', '<', '>', '(', ')', '$', '`', '*', '?', '[', ']', '#', '~', '{', '}', '\n',
    ];
    if line.contains(SHELL) || line.contains(['\\', '!']) {
        return None;
    }
    // A word with `=` before the program would set a variable.
    if line.split_whitespace().next()?.contains('=') {
        return None;
    }
    let mut commands = shell::commands(line);
    let command = commands.pop().filter(|_| commands.is_empty())?;
    let words: Vec<_> = std::iter::once(command.path)
        .chain(command.arguments)
        .collect();
    let known = words.iter().all(|word| word.literal == Literal::Yes);
    known.then(|| words.into_iter().map(|word| word.text.into()).collect())
}

fn folder_of(work: &Work<'_>, call: &Call) -> Result<PathBuf, ToolError> {
    let Some(below) = call.text("dir").map(Inside::parse).transpose()?.flatten() else {
        return Ok(work.folder.path.clone());
    };
    let about = work.dir.metadata(&below.0);
    if !about.is_ok_and(|about| about.is_dir()) {
        return Err(ToolError(format!("there is no folder {below}")));
    }
    Ok(work.folder.path.join(below.0))
}

async fn seen(work: &Work<'_>) -> Result<Seen, ToolError> {
    let dir = super::open(&work.folder.path)?;
    tokio::task::spawn_blocking(move || files_seen::look(&dir))
        .await
        .map_err(|_| ToolError("looking at the folder broke off".into()))
}

/// How a command came out.
pub(super) struct Ran {
    /// None when its time was over.
    status: Option<ExitStatus>,
    pub(super) output: Output,
}

impl Ran {
    fn how(&self, seconds: usize) -> String {
        match self.status {
            None => format!("stopped after {seconds} seconds"),
            Some(status) => match status.code() {
                Some(0) => "done".to_owned(),
                Some(code) => format!("ended with code {code}"),
                None => "killed".to_owned(),
            },
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }
}

/// Runs a command to its end, or to the end of its time.
pub(super) async fn finish(mut command: Command, time: Duration) -> Result<Ran, ToolError> {
    let failed = |why: std::io::Error| ToolError(format!("it cannot be started: {why}"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let pid = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    limit(pid);
    let (mut out, mut err) = (child.stdout.take(), child.stderr.take());
    let mut output = Output::default();
    let end = Instant::now() + time;
    let (mut one, mut other) = (vec![0; 16 * 1024], vec![0; 16 * 1024]);
    while out.is_some() || err.is_some() {
        tokio::select! {
            read = next(&mut out, &mut one) => output.add(one.get(..read).unwrap_or_default()),
            read = next(&mut err, &mut other) => output.add(other.get(..read).unwrap_or_default()),
            () = sleep_until(end) => break,
        }
    }
    let status = tokio::select! {
        status = child.wait() => Some(status.map_err(failed)?),
        () = sleep_until(end) => None,
    };
    if status.is_none() {
        // In a cage its first process takes all others with it; without one they are a group.
        let _ = child.start_kill();
        if let Some(pid) = pid {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = child.wait().await;
    }
    Ok(Ran { status, output })
}

async fn next<R: AsyncRead + Unpin>(from: &mut Option<R>, into: &mut [u8]) -> usize {
    let Some(open) = from else {
        return std::future::pending().await;
    };
    let read = open.read(into).await.unwrap_or(0);
    if read == 0 {
        *from = None;
    }
    read
}

fn limit(pid: Option<Pid>) {
    let limits = [
        (Resource::Nproc, PROCESSES),
        (Resource::Fsize, FILE_BYTES),
        (Resource::Core, 0),
    ];
    for (what, most) in limits {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        if let Some(pid) = pid
            && let Err(why) = prlimit(Some(pid), what, limit)
        {
            tracing::debug!(%why, "a command runs without one of its limits");
        }
    }
}

/// The two ends of what a command printed.
#[derive(Default)]
pub(super) struct Output {
    head: Vec<u8>,
    tail: std::collections::VecDeque<u8>,
    left_out: usize,
}

impl Output {
    fn add(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..over);
        self.left_out += over;
    }

    pub(super) fn text(&self) -> String {
        let (one, other) = self.tail.as_slices();
        let tail = [one, other].concat();
        let (head, tail) = (
            String::from_utf8_lossy(&self.head),
            String::from_utf8_lossy(&tail),
        );
        match self.left_out {
            0 => format!("{head}{tail}"),
            bytes => format!("{head}\n… {bytes} bytes are left out …\n{tail}"),
        }
    }
}

/// What the model reads of an output: both ends.
pub(super) fn shortened(text: &str) -> String {
    let text = bot_policy::visible::show(text.trim_end());
    let count = text.as_str().chars().count();
    if count <= 2 * TOLD {
        return text.to_string();
    }
    let head: String = text.as_str().chars().take(TOLD).collect();
    let tail: String = text.as_str().chars().skip(count - TOLD).collect();
    format!(
        "{head}\n… {} characters are left out …\n{tail}",
        count - 2 * TOLD
    )
}
