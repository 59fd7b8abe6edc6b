//! How much may one turn do before it must come back to the person?

use super::{CALLS_PER_TURN, THOUGHTS_PER_TURN};

/// How much a turn may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// Work in a folder takes many small steps.
    Code,
    /// A chat takes few.
    #[default]
    Talk,
}

impl Pace {
    /// Calls that one turn may make.
    pub fn calls(self) -> u32 {
        match self {
            Self::Code => 5 * CALLS_PER_TURN,
            Self::Talk => CALLS_PER_TURN,
        }
    }

    /// Times that the model is asked within one turn.
    pub fn thoughts(self) -> usize {
        match self {
            Self::Code => 5 * THOUGHTS_PER_TURN,
            Self::Talk => THOUGHTS_PER_TURN,
        }
    }
}
