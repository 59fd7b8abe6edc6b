//! What happens when a part of the program panics? That part begins again; the others go on.

use std::collections::BTreeMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;

use crate::writer::place_of;

/// Something panicked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it crashed at {at}")]
pub struct Crash {
    /// The place in the program. Never the panic's message, which may hold what somebody wrote.
    pub at: String,
}

/// How often each part has crashed since the start.
#[derive(Debug, Default)]
pub struct Crashes(Mutex<BTreeMap<String, (u64, Crash)>>);

/// The shortest and longest pause before a crashed part begins again.
const PAUSE: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(60));
/// After running so long, a part is taken for sound again.
const SOUND: Duration = Duration::from_secs(120);

impl Crashes {
    /// Counts one, and says so in the log.
    pub fn note(&self, part: &str, crash: &Crash) {
        tracing::error!(part, at = %crash.at, "a part of the program crashed");
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, last) = all
            .entry(part.to_owned())
            .or_insert_with(|| (0, crash.clone()));
        *count = count.saturating_add(1);
        *last = crash.clone();
    }

    /// One line for each part that crashed.
    pub fn lines(&self) -> Vec<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = |(part, (count, last)): (&String, &(u64, Crash))| {
            let times = if *count == 1 { "time" } else { "times" };
            format!(
                "{part} crashed {count} {times} and went on, last at {}; please report it",
                last.at
            )
        };
        all.iter().map(line).collect()
    }

    /// Runs a part until it ends by itself, and begins it again, later each time, when it panics.
    pub async fn keep<F, Made>(&self, part: &str, mut begin: F)
    where
        F: FnMut() -> Made,
        Made: Future<Output = ()>,
    {
        let mut pause = PAUSE.0;
        loop {
            let begun = tokio::time::Instant::now();
            match caught(begin()).await {
                Ok(()) => return,
                Err(crash) => self.note(part, &crash),
            }
            if begun.elapsed() > SOUND {
                pause = PAUSE.0;
            }
            tokio::time::sleep(pause).await;
            pause = pause.saturating_mul(2).min(PAUSE.1);
        }
    }
}

/// Runs something to its end, be it a panic. What it shares with others must be whole at any
/// moment: rows of the store, channels, and values behind a lock that are replaced at once.
///
/// # Errors
/// When it panicked.
pub async fn caught<T>(work: impl Future<Output = T>) -> Result<T, Crash> {
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .map_err(|panic| Crash {
            at: place_of(panic.as_ref()),
        })
}
