//! What did this call give when it ran? Results that were recorded once, given again offline.
//!
//! ```text
//!  judged, allowed --Record------> the tool runs --> its result, written down
//!                  --AnswerFrom--> the next unused result of the same call, or an error
//! ```
//!
//! A call is judged before a recording is looked at. With a recording to answer from, no tool is
//! ever run: not for a call that it does not hold, and not when it is damaged.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use adapters::quoted;
use bot_policy::call::{Arguments, Call};
use bot_policy::id::ToolName;
use bot_policy::taint::Labelled;
use serde::{Deserialize, Serialize};

use crate::agent::Ended;
use crate::agent::tools::{Deed, ToolError};
use crate::{config, digest};

/// The form of a recording that this program writes and reads.
const FORM: u32 = 1;
/// The largest recording that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// Whether results are recorded, or given again.
pub(crate) enum Replay {
    /// They are given again.
    Answers(Mutex<Vec<Recorded>>),
    /// Neither.
    No,
    /// They are recorded.
    Records(Mutex<Recorder>),
}

/// A recording cannot be used. The text says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("replay: {0}")]
pub struct ReplayError(String);

/// One result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recorded {
    tool: ToolName,
    command: String,
    arguments: Arguments,
    ended: HowEnded,
    told: Labelled<String>,
    outcome: String,
    shown: String,
}

/// How a recorded call ended. Only what a tool itself gave is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum HowEnded {
    Done,
    Failed,
}

/// The file that is written.
pub(crate) struct Recorder {
    file: File,
    path: PathBuf,
    /// The check of the last line.
    last: String,
}

/// One line of a recording: what it says, and a digest over that and the line before, so that a
/// line that was changed, lost or put in is noticed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    check: String,
    says: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    form: u32,
}

impl Replay {
    /// Opens what is set.
    ///
    /// # Errors
    /// When a recording is missing, damaged, of another form, or others can change it.
    pub(crate) fn open(set: &config::Replay) -> Result<Self, ReplayError> {
        match set {
            config::Replay::AnswerFrom(path) => Ok(Self::Answers(Mutex::new(read(path)?.0))),
            config::Replay::No => Ok(Self::No),
            config::Replay::Record(path) => Ok(Self::Records(Mutex::new(Recorder::open(path)?))),
        }
    }

    /// What a call gave, where a recording answers; none where it is to be run.
    pub(crate) fn answer(&self, call: &Call) -> Option<Result<Deed, ToolError>> {
        let Self::Answers(left) = self else {
            return None;
        };
        let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(at) = left.iter().position(|recorded| recorded.is_of(call)) else {
            return Some(Err(ToolError(
                "the recording holds no further result of this call, and nothing is run".to_owned(),
            )));
        };
        let recorded = left.remove(at);
        Some(match recorded.ended {
            HowEnded::Done => Ok(Deed {
                told: recorded.told,
                outcome: recorded.outcome,
                shown: recorded.shown,
            }),
            HowEnded::Failed => Err(ToolError(recorded.told.value)),
        })
    }

    /// Writes down what a call gave, secrets cut out before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn note(
        &self,
        call: &Call,
        ended: Ended,
        told: &Labelled<String>,
        (outcome, shown): (&str, &str),
    ) -> Result<(), ReplayError> {
        let Self::Records(recorder) = self else {
            return Ok(());
        };
        let (ended, value) = match ended {
            Ended::Done => (HowEnded::Done, told.value.as_str()),
            Ended::Failed => {
                let why = told.value.strip_prefix("failed: ");
                (HowEnded::Failed, why.unwrap_or(&told.value))
            }
            Ended::Denied | Ended::Unapproved | Ended::Unknown | Ended::Withdrawn => return Ok(()),
        };
        let recorded = Recorded {
            tool: call.tool.clone(),
            command: call.command.clone(),
            arguments: call.arguments.clone(),
            ended,
            told: Labelled {
                value: value.to_owned(),
                taint: told.taint.clone(),
            },
            outcome: outcome.to_owned(),
            shown: shown.to_owned(),
        };
        let mut recorder = recorder.lock().unwrap_or_else(PoisonError::into_inner);
        recorder.write(&recorded)
    }
}

impl Recorded {
    fn is_of(&self, call: &Call) -> bool {
        self.tool == call.tool && self.command == call.command && self.arguments == call.arguments
    }
}

impl Recorder {
    /// Goes on where the file ends.
    fn open(path: &Path) -> Result<Self, ReplayError> {
        let last = match path.exists() {
            true => Some(read(path)?.1),
            false => None,
        };
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(path)
            .map_err(|why| unusable(path, &why))?;
        let mut recorder = Self {
            file,
            path: path.to_owned(),
            last: last.clone().unwrap_or_default(),
        };
        if last.is_none() {
            recorder.write(&Head { form: FORM })?;
        }
        Ok(recorder)
    }

    fn write(&mut self, what: &impl Serialize) -> Result<(), ReplayError> {
        let failed = |why: &dyn std::fmt::Display| {
            ReplayError(format!(
                "{} cannot be written ({why}); free some space, or take record out",
                self.path.display()
            ))
        };
        let says = serde_json::to_string(what).map_err(|why| failed(&why))?;
        let check = check(&self.last, &says);
        let line = Line { check, says };
        let text = serde_json::to_string(&line).map_err(|why| failed(&why))?;
        // One write, so that a crash leaves at most half of the last line.
        let written = self.file.write_all(format!("{text}\n").as_bytes());
        written.map_err(|why| failed(&why))?;
        self.last = line.check;
        Ok(())
    }
}

/// Every result of a recording, and the check of its last line.
fn read(path: &Path) -> Result<(Vec<Recorded>, String), ReplayError> {
    let file = File::open(path).map_err(|why| unusable(path, &why))?;
    let about = file.metadata().map_err(|why| unusable(path, &why))?;
    if about.mode() & 0o022 != 0 {
        return Err(ReplayError(format!(
            "{} can be changed by others; make it yours alone with: chmod 600 {}",
            path.display(),
            quoted(path)
        )));
    }
    let damaged = |line: usize| {
        ReplayError(format!(
            "{} is damaged at line {line}, so nothing is answered from it; record it anew",
            path.display()
        ))
    };
    let (mut all, mut last) = (Vec::new(), String::new());
    let mut begun = false;
    for (at, text) in BufReader::new(file.take(LARGEST)).lines().enumerate() {
        let at = at + 1;
        let line = text.ok().and_then(|text| serde_json::from_str(&text).ok());
        let Some(Line { check: found, says }) = line else {
            return Err(damaged(at));
        };
        if check(&last, &says) != found {
            return Err(damaged(at));
        }
        if begun {
            all.push(serde_json::from_str(&says).map_err(|_| damaged(at))?);
        } else {
            let head: Head = serde_json::from_str(&says).map_err(|_| damaged(at))?;
            if head.form != FORM {
                return Err(ReplayError(format!(
                    "{} has the form {}, and this program knows {FORM}; record it anew",
                    path.display(),
                    head.form
                )));
            }
            begun = true;
        }
        last = found;
    }
    match begun {
        true => Ok((all, last)),
        false => Err(damaged(1)),
    }
}

fn check(last: &str, says: &str) -> String {
    digest::hex(format!("{last}\n{says}").as_bytes())
}

fn unusable(path: &Path, why: &std::io::Error) -> ReplayError {
    let why = match why.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        other => other.to_string(),
    };
    ReplayError(format!(
        "{} cannot be used ({why}); name a recording that was made with record",
        path.display()
    ))
}
