//! How do presses and slash commands come to our door? Signed, and answered in the same breath.

use std::sync::PoisonError;
use std::time::Duration;

use bot_policy::id::LineId;
use serde_json::{Value, json};
use tracing::warn;
use url::Url;

use super::channels::snowflake;
use super::decode::decode;
use super::work::know;
use super::{Discord, interact};
use crate::patience::now;
use crate::{AdapterError, Check, ConfigError, Door, DoorAnswer, DoorMethod, Inbox, Signed};

/// The door of one line.
#[derive(Debug)]
pub(super) struct Hook {
    path: String,
    key: [u8; 32],
    pub(super) url: Url,
}

impl Hook {
    /// The door of a line under the public address, for whoever holds this key.
    ///
    /// # Errors
    /// When the key is no key, or the address cannot carry a path.
    pub(super) fn new(line: &LineId, key: &str, public: &Url) -> Result<Self, ConfigError> {
        let path = format!("/hooks/{line}");
        let url = public.join(&path).map_err(|_| {
            ConfigError(
                "public in [webhooks] is no address; write it like https://bot.example.org"
                    .to_owned(),
            )
        })?;
        let key = digits(key).ok_or_else(|| {
            ConfigError(
                "public_key is not 64 hexadecimal digits; copy it from discord.com/developers (General Information, Public Key)"
                    .to_owned(),
            )
        })?;
        Ok(Self { path, key, url })
    }

    pub(super) fn door(&self) -> Door {
        Door {
            path: self.path.clone(),
            method: DoorMethod::Post,
            cap: LARGEST,
            check: Check::Ed25519 {
                header: "x-signature-ed25519",
                key: self.key,
                over: Signed::Timed {
                    time: "x-signature-timestamp",
                    before: "",
                    after: "",
                    within: WINDOW,
                },
            },
        }
    }
}

/// Stores what one request holds and answers it. The platform waits 3 s for the answer and then
/// tells the presser that it failed, so one that could not be stored fails there too.
pub(super) async fn take(
    line: &Discord,
    body: &[u8],
    inbox: &dyn Inbox,
) -> Result<DoorAnswer, AdapterError> {
    let Ok(interaction) = serde_json::from_slice::<Value>(body) else {
        warn!(line = %line.line, "an interaction that cannot be read is refused");
        return Err(AdapterError::Refused(
            "an interaction that is no JSON".to_owned(),
        ));
    };
    if interaction.get("type").and_then(Value::as_u64) == Some(PING) {
        return Ok(answer(&json!({ "type": PING })));
    }
    let me = line.us().await?;
    if let Some(id) = snowflake(interaction.get("channel_id")) {
        know(&line.api, &line.channels, id, LOOK).await?;
    }
    let events = {
        let channels = line.channels.read().unwrap_or_else(PoisonError::into_inner);
        decode(
            &line.line,
            &me,
            &channels,
            "INTERACTION_CREATE",
            &interaction,
            now(),
        )
    };
    if !events.is_empty() {
        inbox.accept(&line.line, events, None).await?;
    }
    Ok(answer(&interact::first_answer(&interaction)))
}

fn answer(body: &Value) -> DoorAnswer {
    DoorAnswer {
        kind: Some("application/json"),
        body: body.to_string(),
    }
}

fn digits(text: &str) -> Option<[u8; 32]> {
    let digits: Vec<u8> = text
        .trim()
        .chars()
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    let bytes: Vec<u8> = digits
        .chunks_exact(2)
        .map(|pair| pair.iter().fold(0, |all, digit| all << 4 | digit))
        .collect();
    bytes.try_into().ok().filter(|_| digits.len() == 64)
}

/// The interaction with which the platform looks whether somebody is at the door, and its answer.
const PING: u64 = 1;
/// The largest interaction that is read, in bytes. The platform's are far smaller.
const LARGEST: usize = 1 << 20;
/// How far the time of a signature may be from ours.
/// How long a channel is asked for: the presser waits for all of it.
const LOOK: Duration = Duration::from_millis(1500);
const WINDOW: Duration = Duration::from_secs(300);
