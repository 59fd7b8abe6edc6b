//! How long until a line tries again? What time mends is waited for; everything else is given back.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bot_policy::id::{LineId, Timestamp};
use tracing::{info, warn};

use crate::{AdapterError, Inbox};

/// How long to wait before trying again: longer each time, as long as the platform says.
#[derive(Default)]
pub(crate) struct Patience {
    /// How often in a row it did not work.
    pub(crate) failures: u32,
}

impl Patience {
    /// Waits after an error that time may mend; gives any other back.
    pub(crate) async fn wait(
        &mut self,
        line: &LineId,
        inbox: &dyn Inbox,
        error: AdapterError,
    ) -> Result<(), AdapterError> {
        let grown = FIRST_WAIT
            .saturating_mul(1 << self.failures.min(10))
            .min(LONGEST_WAIT);
        let wait = match &error {
            AdapterError::Retry { after, why: _ } => after.unwrap_or(grown).max(FIRST_WAIT),
            AdapterError::Ambiguous | AdapterError::Conflict => grown,
            // Hearing names no chat, so nothing that the platform refuses in it can be mended here,
            // but the platform's own trouble looks like this too.
            AdapterError::Late | AdapterError::Moved(_) | AdapterError::Refused(_) => LONGEST_WAIT,
            AdapterError::Credentials(_) | AdapterError::Setup(_) | AdapterError::Stored(_) => {
                return Err(error);
            }
        };
        self.failures = self.failures.saturating_add(1);
        inbox.hearing(line, Some(&error));
        let seconds = wait.as_secs_f32();
        let conflict = matches!(error, AdapterError::Conflict);
        if self.failures == 3 || (conflict && self.failures == 1) {
            warn!(%line, %error, seconds, "not hearing anything");
        } else {
            info!(%line, %error, seconds, "waiting to hear again");
        }
        tokio::time::sleep(wait).await;
        Ok(())
    }
}

/// This moment, by our clock.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.map_or(0, |since| since.as_millis());
    Timestamp(i64::try_from(millis).unwrap_or(i64::MAX))
}

const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
