//! How bad could this call be?

use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::tool::{self, Change, Origin, ParameterRole, Reach, ToolSpec};

/// How bad a call could be. Unknown counts as high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Low, medium, high, in numbers; unknown ranks with high.
    fn rank(self) -> u8 {
        match self {
            Self::High | Self::Unknown => 2,
            Self::Low => 0,
            Self::Medium => 1,
        }
    }
}

/// How bad this call could be, by rule: known only of our own tools called as they are meant to
/// be.
pub fn assess(spec: &ToolSpec, call: &Call) -> Risk {
    let Some(command) = spec.command(call) else {
        return Risk::Unknown;
    };
    let runs_commands = command
        .parameters
        .iter()
        .any(|parameter| parameter.role == ParameterRole::CommandLine);
    let effects = tool::effects(spec, call);
    if runs_commands || spec.origin != Origin::BuiltIn || effects == tool::strictest() {
        return Risk::Unknown;
    }
    match (effects.change, effects.reach) {
        (Change::NewMemory | Change::Nothing, Reach::Here | Reach::Net(_) | Reach::Nowhere) => {
            Risk::Low
        }
        (Change::NewMemory | Change::Nothing | Change::Something, _) => Risk::Medium,
    }
}
