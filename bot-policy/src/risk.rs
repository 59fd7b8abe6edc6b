//! How bad could this call be?

use serde::{Deserialize, Serialize};

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
