//! How bad could this call be?

mod reply;

use serde::{Deserialize, Serialize};

pub use self::reply::reply;
use crate::call::{Arguments, Call};
use crate::metadata::Cost;
use crate::path;
use crate::shell::{self, Denylist, FolderTrust, Judged, ReadOnly};
use crate::spoken::Spoken;
use crate::tool::{self, Change, CommandSpec, Effects, Origin, ParameterRole, Reach, ToolSpec};

/// How bad a call could be. Unknown counts as high; there is no other order among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Risk {
    /// Hard to undo.
    High,
    /// Harmless.
    Low,
    /// Worth a look.
    Medium,
    /// Nobody can say.
    Unknown,
}

/// From which risk on a call asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Threshold {
    /// Every call asks.
    Always,
    /// From this risk on.
    #[default]
    High,
    /// From this risk on.
    Medium,
    /// Risk alone never asks.
    Never,
}

impl Threshold {
    /// Whether a call of this risk asks.
    pub fn asks(self, risk: Risk) -> bool {
        match self {
            Self::Always => true,
            Self::High => risk.rank() >= Risk::High.rank(),
            Self::Medium => risk.rank() >= Risk::Medium.rank(),
            Self::Never => false,
        }
    }
}

impl Risk {
    /// Whether this is worse; unknown and high are equally bad.
    pub fn is_riskier_than(self, other: Self) -> bool {
        self.rank() > other.rank()
    }

    /// This, or what another judge says where that is worse: more judges only ever raise.
    #[must_use]
    pub fn raised_by(self, other: Self) -> Self {
        if other.is_riskier_than(self) {
            other
        } else {
            self
        }
    }

    /// Whether another judge could still change anything.
    pub fn can_be_raised(self) -> bool {
        match self {
            Self::High => false,
            Self::Low | Self::Medium | Self::Unknown => true,
        }
    }

    /// Low, medium, high, in numbers; unknown ranks with high.
    fn rank(self) -> u8 {
        match self {
            Self::High | Self::Unknown => 2,
            Self::Low => 0,
            Self::Medium => 1,
        }
    }
}

/// How bad each of these calls could be, in their order, each by itself.
pub fn assess_all<'a>(calls: impl IntoIterator<Item = (&'a ToolSpec, &'a Call)>) -> Vec<Risk> {
    calls
        .into_iter()
        .map(|(spec, call)| assess(spec, call))
        .collect()
}

/// How bad this call could be, by rule: known only of our own tools called as they are meant to
/// be.
pub fn assess(spec: &ToolSpec, call: &Call) -> Risk {
    of(spec, &Spoken::new(call), &tool::effects(spec, call))
}

/// The same, of a call whose command lines are judged once for all.
pub(crate) fn of(spec: &ToolSpec, spoken: &Spoken, effects: &Effects) -> Risk {
    let call = spoken.call;
    let Some(command) = spec.command(call) else {
        return Risk::Unknown;
    };
    if spec.origin != Origin::BuiltIn || *effects == tool::strictest() {
        return Risk::Unknown;
    }
    let runs = command
        .parameters
        .iter()
        .any(|parameter| parameter.role == ParameterRole::CommandLine);
    let own = match (effects.change, &effects.reach) {
        _ if runs => of_lines(command, spoken),
        (Change::NewMemory | Change::Nothing, Reach::Here | Reach::Net(_) | Reach::Nowhere) => {
            Risk::Low
        }
        (Change::NewMemory | Change::Nothing | Change::Something, _) => Risk::Medium,
    };
    let cost = match command.metadata.cost {
        Cost::Costly => Risk::Medium,
        Cost::Free => Risk::Low,
    };
    own.raised_by(cost)
        .raised_by(of_targets(command, call, effects.change))
}

/// How bad its command lines are.
fn of_lines(command: &CommandSpec, spoken: &Spoken) -> Risk {
    texts(command, spoken.call, ParameterRole::CommandLine)
        .map(|line| {
            spoken
                .judged(line)
                .map_or(Risk::Unknown, |judged| of_line(line, judged))
        })
        .fold(Risk::Low, Risk::raised_by)
}

/// A line in which something is wrong is high; one that provably only reads is low.
fn of_line(line: &str, judged: &Judged) -> Risk {
    if line.trim().is_empty() {
        return Risk::Low;
    }
    match judged.read_only {
        _ if !judged.findings.is_empty() => Risk::High,
        ReadOnly::No(_) if seems_bad(line, judged) => Risk::High,
        ReadOnly::No(_) => Risk::Medium,
        ReadOnly::Proven => Risk::Low,
    }
}

/// Whether a line would be bad on a system without capitals, or written on one line, or sends a
/// file of secrets away. Only ever asks.
fn seems_bad(line: &str, judged: &Judged) -> bool {
    let other;
    let judged = if is_folded(line) {
        judged
    } else {
        let words: Vec<&str> = line.split_whitespace().collect();
        let folded = words.join(" ").to_lowercase();
        other = shell::judge(&folded, Denylist::empty(), FolderTrust::Untrusted);
        &other
    };
    let sends = |program: &str| SENDERS.contains(&program);
    let secrets = || line.split_whitespace().any(|word| word.ends_with(".env"));
    !judged.findings.is_empty()
        || (judged
            .commands
            .iter()
            .any(|command| sends(&command.program))
            && secrets())
}

/// Whether a line stands on one line without capitals, one blank between its words.
fn is_folded(line: &str) -> bool {
    let mut blank = true;
    let plain = line.bytes().all(|byte| {
        let doubled = blank && byte == b' ';
        blank = byte == b' ';
        !doubled && (blank || byte.is_ascii_graphic()) && !byte.is_ascii_uppercase()
    });
    plain && !blank
}

/// Programs that send what they are given.
const SENDERS: [&str; 6] = ["curl", "ftp", "nc", "scp", "ssh", "wget"];

/// Changing what runs the machine or holds keys is high, and so is taking away all that there is.
fn of_targets(command: &CommandSpec, call: &Call, change: Change) -> Risk {
    let deletes = command
        .metadata
        .side_effects
        .iter()
        .any(|effect| effect == "delete");
    let mut targets = texts(command, call, ParameterRole::Destination);
    let is_bad = |target: &str| {
        let everything = path::normal(target).is_none_or(|path| matches!(path.as_str(), "" | "/"));
        shell::immune::path(target).is_some() || (deletes && everything)
    };
    match change {
        Change::Something if targets.any(is_bad) => Risk::High,
        Change::NewMemory | Change::Nothing | Change::Something => Risk::Low,
    }
}

fn texts<'a>(
    command: &'a CommandSpec,
    call: &'a Call,
    role: ParameterRole,
) -> impl Iterator<Item = &'a str> {
    let map = match &call.arguments {
        Arguments::Readable(map) => Some(map),
        Arguments::Unreadable(_) => None,
    };
    command
        .parameters
        .iter()
        .filter(move |parameter| parameter.role == role)
        .filter_map(move |parameter| map?.get(&parameter.name)?.as_str())
}
