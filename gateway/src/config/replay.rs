//! Are the results of calls recorded, or given again? `[replay]`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Whether results are recorded, or given again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub enum Replay {
    /// Nothing runs: what a call gives is read from this recording.
    AnswerFrom(PathBuf),
    /// Calls run.
    #[default]
    No,
    /// Calls run, and what came of them is written there.
    Record(PathBuf),
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    answer_from: Option<PathBuf>,
    record: Option<PathBuf>,
}

impl TryFrom<Written> for Replay {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let whole = |path: PathBuf| match path.is_absolute() {
            true => Ok(path),
            false => Err(format!(
                "{} is not a whole path; begin with /",
                path.display()
            )),
        };
        match (written.answer_from, written.record) {
            (None, None) => Ok(Self::No),
            (Some(path), None) => whole(path).map(Self::AnswerFrom),
            (None, Some(path)) => whole(path).map(Self::Record),
            (Some(_), Some(_)) => {
                Err("record and answer_from are both set; keep one of them".to_owned())
            }
        }
    }
}

impl Replay {
    /// What the owner should know about it at each start.
    pub(super) fn warnings(&self) -> Vec<String> {
        let say = |how: &str, file: &Path| vec![format!("{how} {}", file.display())];
        match self {
            Self::AnswerFrom(file) => say(
                "no tool runs; what a call gives is read from the recording",
                file,
            ),
            Self::No => Vec::new(),
            Self::Record(file) => say("what each call gives is recorded in", file),
        }
    }
}
