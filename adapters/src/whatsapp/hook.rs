//! How does WhatsApp come to our door? It shakes hands by GET, then posts what it signed.

use bot_policy::id::LineId;
use bot_policy::secret::Secret;
use url::form_urlencoded;

use crate::{AdapterError, Check, Door, DoorAnswer, DoorMethod, Signed};

/// The door of one line.
#[derive(Debug)]
pub(super) struct Hook {
    path: String,
    app_secrets: Vec<Secret<String>>,
    verify_token: Secret<String>,
}

impl Hook {
    pub(super) fn new(
        line: &LineId,
        app_secrets: Vec<Secret<String>>,
        verify_token: Secret<String>,
    ) -> Self {
        Self {
            path: format!("/hooks/{line}"),
            app_secrets,
            verify_token,
        }
    }

    pub(super) fn secrets(&self) -> impl Iterator<Item = Secret<String>> {
        let verify_token = std::iter::once(self.verify_token.clone());
        self.app_secrets.iter().cloned().chain(verify_token)
    }

    pub(super) fn doors(&self) -> Vec<Door> {
        let shake = Door {
            path: self.path.clone(),
            method: DoorMethod::Get,
            cap: 0,
            check: Check::Query {
                name: "hub.verify_token",
                secret: self.verify_token.clone(),
            },
        };
        let post = Door {
            path: self.path.clone(),
            method: DoorMethod::Post,
            cap: LARGEST_WEBHOOK,
            check: Check::HmacSha256 {
                header: "x-hub-signature-256",
                keys: self.app_secrets.clone(),
                prefix: "sha256=",
                over: Signed::Body,
            },
        };
        vec![shake, post]
    }
}

/// Answers a handshake whose token was right.
pub(super) fn shake(query: &str) -> Result<DoorAnswer, AdapterError> {
    let (mut mode, mut challenge) = (None, None);
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match name.as_ref() {
            "hub.challenge" => challenge = Some(value.into_owned()),
            "hub.mode" => mode = Some(value.into_owned()),
            _ => {}
        }
    }
    let plain = |text: &String| {
        (1..=LONGEST_CHALLENGE).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_graphic())
    };
    match (mode.as_deref(), challenge.filter(plain)) {
        (Some("subscribe"), Some(body)) => Ok(DoorAnswer {
            kind: Some("text/plain"),
            body,
        }),
        (_, _) => Err(AdapterError::Refused("this is no handshake".to_owned())),
    }
}

/// The largest webhook that is read, in bytes (Cloud API, webhooks: up to 3 MB).
const LARGEST_WEBHOOK: usize = 3 << 20;
const LONGEST_CHALLENGE: usize = 256;
