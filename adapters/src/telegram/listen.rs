//! How are updates heard? One long poll at a time; stored first, acknowledged by the next poll.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bot_policy::event::InboundEvent;
use bot_policy::id::LineId;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tracing::warn;

use super::api::{Api, Poll};
use super::decode::{Me, decode, update_name};
use super::hook::{self, Left};
use crate::patience::{Patience, now};
use crate::{AdapterError, Cursor, Inbox};

/// Polls until something is wrong that waiting does not mend.
pub(super) async fn listen(
    api: &Api,
    line: &LineId,
    me: &Me,
    inbox: &dyn Inbox,
) -> Result<(), AdapterError> {
    let mut heard: Option<i64> = match inbox.heard(line).await? {
        Some(Cursor(text)) => text.parse().ok(),
        None => None,
    };
    let mut patience = Patience::default();
    loop {
        match hook::leave(api).await {
            // What waits there has numbers of its own; what was heard before is known by its id.
            Ok(Left::ADoor) => heard = None,
            Ok(Left::Nothing) => {}
            Err(error) => {
                patience.wait(line, inbox, error).await?;
                continue;
            }
        }
        break;
    }
    loop {
        let poll = Poll {
            offset: heard.map(|id| id.saturating_add(1)),
            timeout: POLL_SECONDS,
            allowed_updates: KINDS,
        };
        let batch = match api.poll(&poll).await {
            Ok(batch) => batch,
            Err(error) => {
                patience.wait(line, inbox, error).await?;
                continue;
            }
        };
        if patience.failures > 0 {
            inbox.hearing(line, None);
        }
        patience = Patience::default();
        let Heard {
            events,
            last,
            unreadable: passed_over,
        } = translate(line, me, &batch);
        for update in passed_over {
            inbox.unreadable(line, update_name(update)).await?;
        }
        if last != heard
            && let Some(last) = last
        {
            let cursor = Cursor(last.to_string());
            inbox.accept(line, events, Some(cursor)).await?;
            heard = Some(last);
        } else if !batch.is_empty() {
            // Nothing in it has a number, so it would come again at once.
            patience.wait(line, inbox, unreadable()).await?;
        }
    }
}

fn unreadable() -> AdapterError {
    AdapterError::Retry {
        after: None,
        why: "its updates cannot be read".to_owned(),
    }
}

/// What a batch holds.
#[derive(Default)]
struct Heard {
    events: Vec<InboundEvent>,
    /// Its highest number.
    last: Option<i64>,
    /// The numbers of those that make no sense.
    unreadable: Vec<i64>,
}

/// The events of a batch, and its highest number. A number below the last one is no repetition:
/// after a week without updates Telegram goes on from any number (Bot API, "Update"), and whoever
/// waits for a higher one is deaf from then on. What was heard before, the inbox knows by its id.
fn translate(line: &LineId, me: &Me, batch: &[Box<RawValue>]) -> Heard {
    #[derive(Deserialize)]
    struct Numbered {
        update_id: i64,
    }
    let now = now();
    let mut heard = Heard::default();
    for raw in batch {
        let Ok(Numbered { update_id }) = serde_json::from_str(raw.get()) else {
            warn!(%line, "an update without a number is passed over");
            continue;
        };
        heard.last = heard.last.max(Some(update_id));
        let update = serde_json::from_str::<Value>(raw.get()).ok();
        // Decoding keeps nothing, so what a panic leaves behind harms nobody.
        let events = update.and_then(|update| {
            catch_unwind(AssertUnwindSafe(|| decode(line, me, &update, now))).ok()
        });
        match events {
            Some(events) => heard.events.extend(events),
            None => {
                warn!(%line, update_id, "an update that cannot be read is passed over");
                heard.unreadable.push(update_id);
            }
        }
    }
    heard
}

const POLL_SECONDS: u64 = 25;
/// What we want to hear of; everything else stays with the platform.
pub(super) const KINDS: &[&str] = &[
    "message",
    "edited_message",
    "callback_query",
    "my_chat_member",
    "inline_query",
    "chosen_inline_result",
];
