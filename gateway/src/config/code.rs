//! What did the owner set of Code conversations? `[code]`.

use serde::Deserialize;

use crate::agent::tools::Network;

/// Code conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Code {
    /// Whether the commands of Code conversations reach the net.
    pub network: Reached,
    /// How the terminal looks.
    pub look: Look,
    /// Whether the terminal begins with what can be typed.
    pub cheat_sheet: bool,
}

/// Whether commands reach the net.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reached {
    /// They do not.
    #[default]
    Cut,
    /// They do.
    Open,
}

/// How the terminal looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Look {
    /// With frames around questions.
    #[default]
    Full,
    /// As few lines as will do.
    Minimal,
}

impl Default for Code {
    fn default() -> Self {
        Self {
            network: Reached::default(),
            look: Look::default(),
            cheat_sheet: true,
        }
    }
}

impl From<Reached> for Network {
    fn from(reached: Reached) -> Self {
        match reached {
            Reached::Cut => Self::Cut,
            Reached::Open => Self::Open,
        }
    }
}
