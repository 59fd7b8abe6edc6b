//! What a fake remembers, and who waits until it changes.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// The state of a fake, for its server and for the test.
pub(crate) struct Shared<S> {
    state: Arc<Mutex<S>>,
    version: Arc<watch::Sender<u64>>,
}

impl<S> Clone for Shared<S> {
    fn clone(&self) -> Self {
        Self {
            state: self.state.clone(),
            version: self.version.clone(),
        }
    }
}

impl<S> Shared<S> {
    pub(crate) fn new(state: S) -> Self {
        Self {
            state: Arc::new(Mutex::new(state)),
            version: Arc::new(watch::channel(0).0),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, S> {
        self.state
            .lock()
            .unwrap_or_else(|poison| poison.into_inner())
    }

    /// Wakes whoever waits.
    pub(crate) fn changed(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// Waits until a look gives something, each time that anything changed.
    pub(crate) async fn wait_until<T>(
        &self,
        limit: Duration,
        look: impl Fn() -> Option<T>,
    ) -> Option<T> {
        let deadline = Instant::now() + limit;
        let mut watch = self.watch();
        loop {
            watch.borrow_and_update();
            if let Some(found) = look() {
                return Some(found);
            }
            if timeout_at(deadline, watch.changed()).await.is_err() {
                return look();
            }
        }
    }
}
