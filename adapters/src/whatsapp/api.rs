//! How is the Cloud API called? Plain JSON over our own client; the token stays in here.

use std::fmt;
use std::time::Duration;

use bot_policy::secret::Secret;
use reqwest::RequestBuilder;
use reqwest::header::USER_AGENT;
use reqwest::multipart::Form;
use serde_json::{Value, json};
use url::Url;

use super::config::Config;
use super::fault;
use crate::http::{self, Answer, Repeat};
use crate::{AdapterError, ConfigError};

/// The Cloud API of one telephone number.
pub(super) struct Api {
    client: reqwest::Client,
    base: Url,
    /// The id of our number; not the number itself.
    number: String,
    token: Secret<String>,
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").finish_non_exhaustive()
    }
}

impl Api {
    /// Sets up the client.
    pub(super) fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self {
            client: http::client()?,
            base: config.base()?,
            number: config.number()?.to_owned(),
            token: config.token()?,
        })
    }

    pub(super) fn secret(&self) -> Secret<String> {
        self.token.clone()
    }

    /// The id of our number.
    pub(super) fn number(&self) -> &str {
        &self.number
    }

    /// Who we are.
    pub(super) async fn about_us(&self) -> Result<Value, AdapterError> {
        let url = self.at(&[&self.number], "fields=display_phone_number,verified_name");
        self.call(self.client.get(url), CALL, Repeat::Harmless)
            .await
    }

    /// Where a file is.
    pub(super) async fn about_media(&self, id: &str) -> Result<Value, AdapterError> {
        let url = self.at(&[id], &format!("phone_number_id={}", self.number));
        self.call(self.client.get(url), CALL, Repeat::Harmless)
            .await
    }

    /// Sends a message.
    pub(super) async fn send(&self, message: &Value) -> Result<Value, AdapterError> {
        let url = self.at(&[&self.number, "messages"], "");
        let request = self.client.post(url).json(message);
        self.call(request, CALL, Repeat::Visible).await
    }

    /// Says that a message was read, and that an answer is being written.
    pub(super) async fn reads(&self, message: &str) -> Result<(), AdapterError> {
        let url = self.at(&[&self.number, "messages"], "");
        let body = json!({
            "messaging_product": "whatsapp",
            "status": "read",
            "message_id": message,
            "typing_indicator": {"type": "text"},
        });
        let request = self.client.post(url).json(&body);
        self.call(request, CALL, Repeat::Harmless).await.map(drop)
    }

    /// Hands in a file. Nothing is shown of it before a message names it.
    pub(super) async fn hand_in(&self, form: Form) -> Result<Value, AdapterError> {
        let url = self.at(&[&self.number, "media"], "");
        let request = self.client.post(url).multipart(form);
        self.call(request, UPLOAD, Repeat::Harmless).await
    }

    /// Reads a file from an address that may know our token.
    pub(super) async fn download(&self, url: Url, most: u64) -> Result<Vec<u8>, AdapterError> {
        let request = self.signed(self.client.get(url));
        http::fetch(request, DOWNLOAD, most).await
    }

    /// Whether an address belongs to the platform: it is where the API is, or one of the hosts of
    /// its files.
    pub(super) fn may_know_our_token(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or("");
        let theirs = |domain: &str| {
            host.strip_suffix(domain)
                .is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        url.origin() == self.base.origin()
            || (url.scheme() == "https" && FILE_HOSTS.into_iter().any(theirs))
    }

    fn at(&self, path: &[&str], query: &str) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url.set_query((!query.is_empty()).then_some(query));
        url
    }

    fn signed(&self, request: RequestBuilder) -> RequestBuilder {
        let request = request.bearer_auth(self.token.reveal());
        request.header(USER_AGENT, "postern")
    }

    async fn call(
        &self,
        request: RequestBuilder,
        patience: Duration,
        repeat: Repeat,
    ) -> Result<Value, AdapterError> {
        let answer = http::send(self.signed(request), patience, repeat).await?;
        self.open(&answer, repeat)
    }

    fn open(&self, answer: &Answer, repeat: Repeat) -> Result<Value, AdapterError> {
        let body = serde_json::from_slice::<Value>(&answer.body).ok();
        match (answer.status, body) {
            (200..=299, Some(body)) if body.get("error").is_none() => Ok(body),
            (200..=299, None) => Err(http::lost(repeat, "its answer cannot be read")),
            (status, body) => Err(self.refusal(status, body.as_ref(), repeat)),
        }
    }

    /// What a refusal means, by the code that the Graph API gives beside the status (Cloud API,
    /// error codes).
    fn refusal(&self, status: u16, body: Option<&Value>, repeat: Repeat) -> AdapterError {
        let error = body.and_then(|body| body.get("error"));
        let code = error.and_then(|error| error.get("code")?.as_i64());
        let said = match error {
            Some(error) => fault::words(error, Some(self.token.reveal())),
            None => format!("status {status}"),
        };
        let later = |seconds, why: &str| AdapterError::Retry {
            after: Some(Duration::from_secs(seconds)),
            why: why.to_owned(),
        };
        match code {
            Some(0 | 10 | 190 | 200..=299 | 131_005 | 133_010) => AdapterError::Credentials(said),
            // Locked, restricted or unpaid: what waits is not lost by it.
            Some(368 | 131_031 | 131_042) => AdapterError::Credentials(said),
            Some(4 | 80_007 | 130_429 | 131_048) => later(RATE_PAUSE, "it asks us to slow down"),
            Some(131_056) => later(PAIR_PAUSE, "it asks us to write less in this chat"),
            Some(fault::LATE) => AdapterError::Late,
            Some(131_016 | 133_004) => later(RATE_PAUSE, "it is out of service for a while"),
            Some(_) | None => match status {
                200..=299 => AdapterError::Refused(said),
                _ => http::refusal(status, None, said, repeat),
            },
        }
    }
}

/// Where the platform keeps files (Cloud API, media).
const FILE_HOSTS: [&str; 3] = ["facebook.com", "fbsbx.com", "whatsapp.net"];
/// How long to wait when all sending is too fast, in seconds.
const RATE_PAUSE: u64 = 30;
/// How long to wait when one chat was written to too fast; the limit is one message in six seconds
/// after a burst (Cloud API, pair rate limits).
const PAIR_PAUSE: u64 = 6;
const CALL: Duration = Duration::from_secs(20);
const UPLOAD: Duration = Duration::from_secs(180);
const DOWNLOAD: Duration = Duration::from_secs(60);
