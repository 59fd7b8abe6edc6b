//! What did the owner set of how calls are judged? `[shell]` and `[risk]`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bot_policy::decide::Dangerous;
use bot_policy::risk::Threshold;
use bot_policy::shell::{Denylist, FolderTrust};
use serde::Deserialize;

use super::model::Fallback;

/// Names more patterns of the denylist, told apart by semicolons.
pub const DENYLIST_VARIABLE: &str = "POSTERN_DENYLIST";

/// How calls are judged beyond rules and marks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judging {
    /// What no command line may match, from the file and from the environment.
    pub denylist: Arc<Denylist>,
    /// What becomes of a dangerous command line.
    pub dangerous: Dangerous,
    /// Folders that the owner vouches for, with all that is below them.
    pub trusted_folders: Vec<PathBuf>,
    /// From which risk on a call asks.
    pub threshold: Threshold,
    /// The model that judges risk beside the rules.
    pub model: Option<Fallback>,
}

impl Judging {
    /// Whether the owner vouches for this folder. What cannot be resolved is not vouched for.
    pub fn folder(&self, folder: &Path) -> FolderTrust {
        let Ok(folder) = folder.canonicalize() else {
            return FolderTrust::Untrusted;
        };
        let is_below = |trusted: &PathBuf| {
            let trusted = trusted.canonicalize();
            trusted.is_ok_and(|trusted| folder.starts_with(trusted))
        };
        if self.trusted_folders.iter().any(is_below) {
            FolderTrust::Trusted
        } else {
            FolderTrust::Untrusted
        }
    }
}

/// `[shell]` as it is written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenShell {
    denylist: Vec<Pattern>,
    dangerous: WrittenDangerous,
    trusted_folders: Vec<WholePath>,
}

/// `[risk]` as it is written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenRisk {
    action: WrittenThreshold,
    pub(super) model: Option<Fallback>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WrittenDangerous {
    AskOnce,
    #[default]
    Deny,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenThreshold {
    Always,
    #[default]
    High,
    Low,
    Medium,
    Never,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Pattern(String);

#[derive(Deserialize)]
#[serde(try_from = "PathBuf")]
struct WholePath(PathBuf);

/// Puts the two tables together with what the environment says.
///
/// # Errors
/// When a pattern from the environment is malformed; the text names it.
pub(super) fn judging(
    shell: WrittenShell,
    risk: WrittenRisk,
    environment: Option<&str>,
) -> Result<Judging, String> {
    let environment = environment.unwrap_or_default();
    for pattern in environment.split(';') {
        Denylist::new([pattern]).map_err(|why| malformed(pattern, &why.because))?;
    }
    let written = shell.denylist.iter().map(|pattern| pattern.0.as_str());
    let denylist = Denylist::new(written.chain(environment.split(';')))
        .map_err(|why| malformed(&why.pattern, &why.because))?;
    Ok(Judging {
        denylist: Arc::new(denylist),
        dangerous: match shell.dangerous {
            WrittenDangerous::AskOnce => Dangerous::AskOnce,
            WrittenDangerous::Deny => Dangerous::Deny,
        },
        trusted_folders: shell.trusted_folders.into_iter().map(|at| at.0).collect(),
        threshold: match risk.action {
            // Every risk is low at least.
            WrittenThreshold::Always | WrittenThreshold::Low => Threshold::Always,
            WrittenThreshold::High => Threshold::High,
            WrittenThreshold::Medium => Threshold::Medium,
            WrittenThreshold::Never => Threshold::Never,
        },
        model: risk.model,
    })
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(pattern: String) -> Result<Self, String> {
        if pattern.trim().is_empty() {
            return Err("an empty pattern forbids nothing; remove it".to_owned());
        }
        match Denylist::new([pattern.as_str()]) {
            Ok(_) => Ok(Self(pattern)),
            Err(why) => Err(malformed(&pattern, &why.because)),
        }
    }
}

impl TryFrom<PathBuf> for WholePath {
    type Error = String;

    fn try_from(path: PathBuf) -> Result<Self, String> {
        if path.is_absolute() && path.parent().is_some() {
            Ok(Self(path))
        } else {
            Err(format!(
                "{} is not the whole path of a folder; begin with / and name one folder",
                path.display()
            ))
        }
    }
}

/// What the reader of patterns says, in one line without its drawing.
fn malformed(pattern: &str, because: &str) -> String {
    let because = because
        .lines()
        .last()
        .unwrap_or(because)
        .trim_start_matches("error: ");
    format!("{pattern:?} is no regular expression ({because}); mend it, or remove it")
}
