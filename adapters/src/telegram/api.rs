//! How is the Bot API called? Typed payloads over our own client; the token stays in here.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bot_policy::id::ChatId;
use bot_policy::secret::{SECRET_BYTES, Secret};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use teloxide_core::requests::Payload;

use super::config::Config;
use super::preview::Draft;
use crate::http::{self, Answer, Repeat};
use crate::{AdapterError, ConfigError};

/// The Bot API of one bot.
pub(super) struct Api {
    client: reqwest::Client,
    base: String,
    token: Secret<String>,
    /// Until when the platform asked us to send less.
    held: Mutex<Option<Instant>>,
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").finish_non_exhaustive()
    }
}

/// What a poll asks for; numbers as wide as the platform's.
#[derive(Serialize)]
pub(super) struct Poll {
    /// The first update wanted; all before it are acknowledged.
    pub(super) offset: Option<i64>,
    /// How long to wait for one, in seconds.
    pub(super) timeout: u64,
    /// Which kinds.
    pub(super) allowed_updates: &'static [&'static str],
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default)]
    ok: bool,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error_code: Option<u16>,
    description: Option<String>,
    parameters: Option<Parameters>,
}

#[derive(Deserialize)]
struct Parameters {
    migrate_to_chat_id: Option<i64>,
    retry_after: Option<u64>,
}

impl Api {
    /// The token, and what of it is no public id: `123456:SECRET` is said in halves too.
    pub(super) fn secrets(&self) -> Vec<Secret<String>> {
        let half = self.token.reveal().split_once(':').map(|(_, half)| half);
        let half = half.filter(|half| half.len() >= SECRET_BYTES);
        half.map(|half| Secret::new(half.to_owned()))
            .into_iter()
            .chain([self.token.clone()])
            .collect()
    }

    /// Sets up the client.
    pub(super) fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self {
            client: http::client()?,
            base: config.base()?,
            token: config.token()?,
            held: Mutex::new(None),
        })
    }

    /// Makes one call and gives its result as it stands in the answer.
    pub(super) async fn call<P: Payload + Serialize>(
        &self,
        payload: &P,
        repeat: Repeat,
    ) -> Result<Value, AdapterError> {
        let answer = self.post(P::NAME, payload, CALL, repeat).await?;
        let result = self.open(&answer, repeat)?;
        serde_json::from_str(result.get()).map_err(|_| http::lost(repeat, UNREADABLE))
    }

    /// Makes one call that the typed payloads do not know, or know with a file in it.
    pub(super) async fn ask(
        &self,
        method: &str,
        body: &impl Serialize,
    ) -> Result<Value, AdapterError> {
        let answer = self.post(method, body, CALL, Repeat::Harmless).await?;
        let result = self.open(&answer, Repeat::Harmless)?;
        serde_json::from_str(result.get()).map_err(|_| http::lost(Repeat::Harmless, UNREADABLE))
    }

    /// Sends a draft, which no typed payload knows.
    pub(super) async fn draft(&self, draft: &Draft) -> Result<(), AdapterError> {
        let answer = self
            .post("sendMessageDraft", draft, CALL, Repeat::Harmless)
            .await?;
        self.open(&answer, Repeat::Harmless).map(drop)
    }

    /// Whether the platform asked us to send less, and that time is not over.
    pub(super) fn is_held(&self) -> bool {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.is_some_and(|until| Instant::now() < until)
    }

    /// Waits for updates and gives each as it stands in the answer.
    pub(super) async fn poll(&self, poll: &Poll) -> Result<Vec<Box<RawValue>>, AdapterError> {
        let patience = Duration::from_secs(poll.timeout).saturating_add(MARGIN);
        let answer = self
            .post("GetUpdates", poll, patience, Repeat::Harmless)
            .await?;
        let result = self.open(&answer, Repeat::Harmless)?;
        serde_json::from_str(result.get()).map_err(|_| http::lost(Repeat::Harmless, UNREADABLE))
    }

    /// Makes one call that carries a file, and gives its result.
    pub(super) async fn send_form(
        &self,
        method: &str,
        form: reqwest::multipart::Form,
    ) -> Result<Value, AdapterError> {
        let url = format!("{}/bot{}/{method}", self.base, self.token.reveal());
        let answer = http::post_form(&self.client, &url, form, UPLOAD).await?;
        let result = self.open(&answer, Repeat::Visible)?;
        serde_json::from_str(result.get()).map_err(|_| AdapterError::Ambiguous)
    }

    /// Reads a file of the bot's, from where the Bot API answers and nowhere else.
    pub(super) async fn download(&self, path: &str, most: u64) -> Result<Vec<u8>, AdapterError> {
        let url = format!("{}/file/bot{}/{path}", self.base, self.token.reveal());
        http::get(&self.client, &url, DOWNLOAD, most).await
    }

    async fn post(
        &self,
        method: &str,
        body: &impl Serialize,
        patience: Duration,
        repeat: Repeat,
    ) -> Result<Answer, AdapterError> {
        let url = format!("{}/bot{}/{method}", self.base, self.token.reveal());
        http::post(&self.client, &url, body, patience, repeat).await
    }

    fn open<'a>(&self, answer: &'a Answer, repeat: Repeat) -> Result<&'a RawValue, AdapterError> {
        let Ok(envelope) = serde_json::from_slice::<Envelope<'a>>(&answer.body) else {
            return Err(match answer.status {
                200..=299 => http::lost(repeat, UNREADABLE),
                status => {
                    let why = format!("status {status}");
                    http::refusal(status, answer.retry_after(), why, repeat)
                }
            });
        };
        if envelope.ok {
            return envelope
                .result
                .ok_or_else(|| http::lost(repeat, UNREADABLE));
        }
        let parameters = envelope.parameters.as_ref();
        if let Some(to) = parameters.and_then(|all| all.migrate_to_chat_id) {
            return Err(AdapterError::Moved(ChatId::new(to.to_string())));
        }
        let after = parameters
            .and_then(|all| all.retry_after)
            .map(Duration::from_secs);
        if let Some(until) = after.and_then(|after| Instant::now().checked_add(after)) {
            *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
        }
        let status = match envelope.error_code.unwrap_or(answer.status) {
            // Only a token that is no token leads to a method that is not found.
            404 => 401,
            200..=299 => 500,
            status => status,
        };
        let description = self.harmless(&envelope.description.unwrap_or_default());
        Err(http::refusal(status, after, description, repeat))
    }

    /// A description as it may be shown and logged: short, one line, without the token.
    pub(super) fn harmless(&self, description: &str) -> String {
        let line: String = description
            .replace(self.token.reveal().as_str(), "<redacted>")
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(200)
            .collect();
        if line.is_empty() {
            "no reason given".to_owned()
        } else {
            line
        }
    }
}

const CALL: Duration = Duration::from_secs(20);
const UPLOAD: Duration = Duration::from_secs(180);
const DOWNLOAD: Duration = Duration::from_secs(60);
const MARGIN: Duration = Duration::from_secs(10);
const UNREADABLE: &str = "its answer cannot be read";
