//! Can the store be written? Asked of the disk now and then, and remembered in between.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::store::{Blame, StoreError};
use crate::{House, clock};

/// How long an answer of the disk holds: asking costs a write.
const HOLDS: Duration = Duration::from_secs(10);
/// How long a bad answer holds.
const BAD_HOLDS: Duration = Duration::from_secs(1);
/// How long to wait before a write is tried again.
const STORE_PAUSE: Duration = Duration::from_secs(1);
/// How long a write may take before the store is taken for stuck.
const PATIENCE: Duration = Duration::from_secs(3);

/// The last answer: when, and what was in the way if anything was.
#[derive(Debug, Default)]
pub(crate) struct Pulse(Mutex<Option<(Instant, Option<String>)>>);

impl House {
    /// What is in the way of writing; nothing when all is well.
    pub(crate) async fn store_ails(&self) -> Option<String> {
        let last = self.pulse.last();
        if let Some((at, ails)) = last {
            let holds = if ails.is_some() { BAD_HOLDS } else { HOLDS };
            if at.elapsed() < holds {
                return ails;
            }
        }
        let beat = tokio::time::timeout(PATIENCE, self.store.beat(clock::now())).await;
        let ails = match beat {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(self.secrets.cut(&error.to_string())),
            Err(_) => Some("the database in the data folder does not answer in time".to_owned()),
        };
        self.pulse.set(ails.clone());
        ails
    }

    /// Writes what came of something that is done already, however long the disk is in trouble:
    /// what is known must not become unknown.
    pub(crate) async fn until_stored<T, N>(&self, write: impl Fn() -> N) -> Result<T, StoreError>
    where
        N: Future<Output = Result<T, StoreError>>,
    {
        loop {
            match write().await {
                Err(error) if error.blame() == Blame::Machine => {
                    tracing::error!(%error, "what came of a call cannot be noted yet");
                    self.store_trouble(&error);
                    tokio::time::sleep(STORE_PAUSE).await;
                }
                done => return done,
            }
        }
    }

    /// Notes that something was written just now.
    pub(crate) fn store_written(&self) {
        self.pulse.set(None);
    }

    /// Notes that something could not be written, so that whoever asks next hears of it.
    pub(crate) fn store_trouble(&self, error: &StoreError) {
        self.pulse.set(Some(self.secrets.cut(&error.to_string())));
    }
}

impl Pulse {
    fn last(&self) -> Option<(Instant, Option<String>)> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set(&self, ails: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), ails));
    }
}
