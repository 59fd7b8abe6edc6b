//! How is the REST API called? Each call with its outcome, within the limits that the platform
//! names; the token stays in here.

use std::fmt;
use std::time::Duration;

use bot_policy::secret::Secret;
use reqwest::Method;
use reqwest::multipart::Form;
use serde_json::Value;
use url::Url;

use super::buckets::{Buckets, Wait};
use super::config::Config;
use crate::http::{self, Answer, Repeat};
use crate::{AdapterError, ConfigError};

/// The REST API of one bot.
pub(super) struct Api {
    client: reqwest::Client,
    /// Where it answers, when that is not the platform's own place.
    elsewhere: Option<Url>,
    token: Secret<String>,
    buckets: Buckets,
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
            elsewhere: config.base()?,
            token: config.token()?,
            buckets: Buckets::default(),
        })
    }

    pub(super) fn token(&self) -> &Secret<String> {
        &self.token
    }

    /// Makes one call and gives the JSON of its answer; null where there is none.
    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        repeat: Repeat,
    ) -> Result<Value, AdapterError> {
        self.call_within(method, path, body, CALL, repeat).await
    }

    /// As [`Self::call`], with another patience.
    pub(super) async fn call_within(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        patience: Duration,
        repeat: Repeat,
    ) -> Result<Value, AdapterError> {
        self.wait(&method, path).await?;
        let mut request = self.request(method.clone(), path);
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = http::send(request, patience, repeat).await?;
        self.open(&method, path, &answer, repeat)
    }

    /// Makes one call that carries a file.
    pub(super) async fn send_form(&self, path: &str, form: Form) -> Result<Value, AdapterError> {
        self.wait(&Method::POST, path).await?;
        let request = self.request(Method::POST, path).multipart(form);
        let answer = http::send(request, UPLOAD, Repeat::Visible).await?;
        self.open(&Method::POST, path, &answer, Repeat::Visible)
    }

    /// Reads a file from where the platform keeps them and nowhere else.
    pub(super) async fn download(&self, url: &str, most: u64) -> Result<Vec<u8>, AdapterError> {
        let url = Url::parse(url).ok().filter(|url| self.keeps_files(url));
        let url = url.ok_or_else(|| {
            AdapterError::Refused("the file does not lie with the platform".to_owned())
        })?;
        http::get(&self.client, url.as_str(), UPLOAD, most).await
    }

    /// Whether a connection may go there: it is told the token.
    pub(super) fn is_gateway(&self, url: &Url) -> bool {
        match &self.elsewhere {
            Some(_) => matches!(url.scheme(), "ws" | "wss") && url.host().is_some(),
            None => url.scheme() == "wss" && ends_in(url, "discord.gg"),
        }
    }

    /// Whether the platform asked us to send less there, for longer than is worth waiting.
    pub(super) fn is_held(&self, method: &Method, path: &str) -> bool {
        matches!(
            self.buckets.wait(method, path),
            Wait::Long(_) | Wait::Short(_)
        )
    }

    fn keeps_files(&self, url: &Url) -> bool {
        match &self.elsewhere {
            Some(base) => url.origin() == base.origin(),
            None => {
                url.scheme() == "https"
                    && url.port().is_none()
                    && matches!(
                        url.host_str(),
                        Some("cdn.discordapp.com" | "media.discordapp.net")
                    )
            }
        }
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let base = match &self.elsewhere {
            Some(base) => base.as_str().trim_end_matches('/'),
            None => "https://discord.com/api",
        };
        let agent = concat!("DiscordBot (postern, ", env!("CARGO_PKG_VERSION"), ")");
        self.client
            .request(method, format!("{base}/v{VERSION}{path}"))
            .header("authorization", format!("Bot {}", self.token.reveal()))
            .header("user-agent", agent)
    }

    /// Waits as long as the platform asked before, when that is short; else says how long.
    async fn wait(&self, method: &Method, path: &str) -> Result<(), AdapterError> {
        match self.buckets.wait(method, path) {
            Wait::No => {}
            Wait::Short(pause) => tokio::time::sleep(pause).await,
            Wait::Long(pause) => {
                return Err(AdapterError::Retry {
                    after: Some(pause),
                    why: "it asked us to slow down".to_owned(),
                });
            }
        }
        Ok(())
    }

    fn open(
        &self,
        method: &Method,
        path: &str,
        answer: &Answer,
        repeat: Repeat,
    ) -> Result<Value, AdapterError> {
        self.buckets.note(method, path, answer);
        let body = serde_json::from_slice::<Value>(&answer.body).ok();
        match answer.status {
            204 => Ok(Value::Null),
            // It was done. What it says of it is not needed for knowing that.
            200..=299 => Ok(body.unwrap_or(Value::Null)),
            status => {
                let after = body
                    .as_ref()
                    .and_then(|body| body.get("retry_after")?.as_f64())
                    .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
                    .max(answer.retry_after())
                    .map(|after| Duration::from_secs(after.as_secs().saturating_add(1)));
                let text = |key: &str| body.as_ref()?.get(key)?.as_str().map(ToOwned::to_owned);
                let code = body.as_ref().and_then(|body| body.get("code")?.as_u64());
                let code = code.filter(|code| *code != 0);
                let said = match (text("message"), code) {
                    (Some(message), Some(code)) => format!("{message} (code {code})"),
                    (Some(message), None) => message,
                    (None, _) => format!("status {status}"),
                };
                let why = self.harmless(&said);
                if status == 401 {
                    let why = "the token is not known; take a new one at discord.com/developers (Bot, Reset Token)";
                    return Err(AdapterError::Credentials(why.to_owned()));
                }
                Err(http::refusal(status, after, why, repeat))
            }
        }
    }

    /// A description as it may be shown and logged: short, one line, without the token.
    pub(super) fn harmless(&self, description: &str) -> String {
        description
            .replace(self.token.reveal().as_str(), "<redacted>")
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(200)
            .collect()
    }
}

fn ends_in(url: &Url, domain: &str) -> bool {
    let host = url.host_str().unwrap_or("");
    host.strip_suffix(domain)
        .is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// The version of the API that is spoken.
pub(super) const VERSION: u8 = 10;
const CALL: Duration = Duration::from_secs(20);
const UPLOAD: Duration = Duration::from_secs(180);
