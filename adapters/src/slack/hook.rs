//! How does Slack come to our door? Signed over the raw body, at a time close to ours.

use std::time::Duration;

use bot_policy::id::LineId;
use bot_policy::secret::Secret;
use serde_json::{Map, Value};

use crate::{Check, Door, DoorMethod, Signed};

/// The door of one line, for its events, its presses and its commands.
#[derive(Debug)]
pub(super) struct Hook {
    path: String,
    secret: Secret<String>,
}

impl Hook {
    pub(super) fn new(line: &LineId, secret: Secret<String>) -> Self {
        Self {
            path: format!("/hooks/{line}"),
            secret,
        }
    }

    pub(super) fn secret(&self) -> Secret<String> {
        self.secret.clone()
    }

    pub(super) fn door(&self) -> Door {
        Door {
            path: self.path.clone(),
            method: DoorMethod::Post,
            cap: LARGEST_PAYLOAD,
            check: Check::HmacSha256 {
                header: "x-slack-signature",
                keys: vec![self.secret.clone()],
                prefix: "v0=",
                over: Signed::Timed {
                    time: "x-slack-request-timestamp",
                    before: "v0:",
                    after: ":",
                    within: WITHIN,
                },
            },
        }
    }
}

/// What a body holds: an event as JSON, a press as JSON in a form, a command as a form.
pub(super) fn payload(body: &[u8]) -> Option<Value> {
    if body.trim_ascii_start().starts_with(b"{") {
        return serde_json::from_slice(body).ok();
    }
    let mut form = Map::new();
    for (key, value) in url::form_urlencoded::parse(body).take(MOST_FIELDS) {
        if key == "payload" {
            return serde_json::from_str(&value).ok();
        }
        form.insert(key.into_owned(), Value::String(value.into_owned()));
    }
    form.contains_key("command").then_some(Value::Object(form))
}

/// How far Slack's clock may be from ours ("Verifying requests from Slack": five minutes).
const WITHIN: Duration = Duration::from_secs(300);
/// The largest body that is read, in bytes. Slack's are far smaller.
const LARGEST_PAYLOAD: usize = 1 << 20;
/// How many fields of a form are read; a command has fifteen.
const MOST_FIELDS: usize = 64;
