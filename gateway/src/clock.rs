//! What time is it? The only place that asks, besides timers.

use std::time::{SystemTime, UNIX_EPOCH};

use bot_policy::id::Timestamp;

/// Now, by the machine's clock.
pub fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
