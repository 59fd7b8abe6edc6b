//! How often may browsers try a code? All of them together, as each try is a new browser's.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How many tries are taken at once.
const AT_ONCE: u32 = 30;
/// How long until one more is taken.
const EVERY: Duration = Duration::from_secs(3);

/// The tries of late. Without a limit, whoever reaches the page fills the disk with them, and
/// voids every code the moment that it is made.
#[derive(Debug, Default)]
pub(super) struct Tries(Mutex<Option<Instant>>);

/// Whether a try was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// Not now.
    No,
    /// It was.
    Yes,
}

impl Tries {
    /// Takes one more try, if it may be.
    pub(super) fn take(&self, now: Instant) -> Taken {
        let mut paid = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Each try is paid for with a stretch of time; a rest lets `AT_ONCE` of them be owed.
        let owed = paid.map_or(now, |until| until.max(now)) + EVERY;
        if owed.saturating_duration_since(now) > EVERY * AT_ONCE {
            return Taken::No;
        }
        *paid = Some(owed);
        Taken::Yes
    }
}
