//! When is what is old taken away?

use std::sync::Arc;
use std::time::Duration;

use crate::store::Walk;
use crate::{House, clock};

/// How often old rows are looked for, and how long others may write between two batches.
const SWEEP: Duration = Duration::from_secs(10 * 60);
const SWEEP_PAUSE: Duration = Duration::from_millis(50);

/// Takes away what is old, a little at a time.
pub(crate) async fn sweep(house: Arc<House>) {
    loop {
        tokio::time::sleep(SWEEP).await;
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
