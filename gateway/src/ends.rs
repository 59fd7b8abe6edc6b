//! What ends by itself? Questions whose time is over, and what keeps nothing after a day.

use std::sync::Arc;
use std::time::Duration;

use crate::{House, clock, code};

/// How often it is looked at.
const EXPIRY: Duration = Duration::from_secs(1);

/// Ends what is due, again and again.
pub(crate) async fn expire(house: Arc<House>) {
    let mut tick = tokio::time::interval(EXPIRY);
    loop {
        tick.tick().await;
        match house.store.expire(clock::now()).await {
            Ok((which, letters)) => {
                house.post(letters);
                house.wake(which);
            }
            Err(error) => {
                tracing::error!(%error, "questions whose time is over could not be closed")
            }
        }
        match house.store.end_incognito(clock::now()).await {
            Ok((which, letters)) => {
                house.post(letters);
                which.into_iter().for_each(|id| house.cancel(id));
            }
            Err(error) => tracing::error!(%error, "what keeps nothing could not be ended"),
        }
        if let Err(error) = code::lapse(&house).await {
            tracing::error!(%error, "cards of closed terminals could not be closed");
        }
        if let Err(error) = house.store.leave_no_trace().await {
            tracing::error!(%error, "the log of the database could not be emptied");
        }
    }
}
