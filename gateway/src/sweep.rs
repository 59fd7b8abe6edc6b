//! When is what is old taken away?

use std::sync::Arc;
use std::time::Duration;

use crate::store::Walk;
use crate::{House, clock};

/// When old rows are looked for after a start, how often from then on, and how long others may
/// write between two batches.
const FIRST: Duration = Duration::from_secs(5);
const SWEEP: Duration = Duration::from_secs(10 * 60);
const SWEEP_PAUSE: Duration = Duration::from_millis(50);

/// Takes away what is old, a little at a time.
pub(crate) async fn sweep(house: Arc<House>) {
    let mut pause = FIRST;
    loop {
        tokio::time::sleep(pause).await;
        pause = SWEEP;
        let mut walk = Some(Walk::default());
        while let Some(from) = walk {
            walk = match house.store.prune(from, clock::now()).await {
                Ok(next) => next,
                Err(error) => {
                    tracing::warn!(%error, "what is old could not be taken away");
                    None
                }
            };
            tokio::time::sleep(SWEEP_PAUSE).await;
        }
    }
}
