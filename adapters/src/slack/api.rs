//! How is the Web API called? Through our own client; the tokens stay in here.

use std::fmt;
use std::time::Duration;

use bot_policy::secret::Secret;
use serde::Serialize;
use serde_json::Value;
use url::Url;

use super::config::Config;
use crate::http::{self, Answer, Repeat};
use crate::{AdapterError, ConfigError};

/// The Web API of one app in one workspace.
pub(super) struct Api {
    client: reqwest::Client,
    base: String,
    token: Secret<String>,
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").finish_non_exhaustive()
    }
}

/// Who we are in a workspace, and what we may do there.
pub(super) struct Known {
    pub(super) user: String,
    pub(super) bot: String,
    /// The workspace that the token is for; none where it is for all of an organization.
    pub(super) team: Option<String>,
    /// Our name, and the address of the workspace.
    pub(super) name: String,
    pub(super) home: String,
    /// The scopes of our token; none where Slack does not say.
    pub(super) scopes: Option<Vec<String>>,
}

impl Api {
    /// Sets up the client.
    pub(super) fn new(config: &Config) -> Result<Self, ConfigError> {
        Ok(Self {
            client: http::client()?,
            base: http::base(config.api.as_ref(), "https://slack.com/api")?,
            token: config.token()?,
        })
    }

    pub(super) fn secret(&self) -> Secret<String> {
        self.token.clone()
    }

    /// Makes one call with a body of JSON, for methods that write.
    pub(super) async fn call(
        &self,
        method: &str,
        body: &impl Serialize,
        repeat: Repeat,
    ) -> Result<Value, AdapterError> {
        let request = self.request(method, &self.token).json(body);
        opened(&http::send(request, CALL, repeat).await?, repeat)
    }

    /// Makes one call with a form; methods that read take nothing else.
    pub(super) async fn ask(
        &self,
        method: &str,
        form: &[(&str, &str)],
    ) -> Result<Value, AdapterError> {
        let request = self.request(method, &self.token).form(form);
        opened(
            &http::send(request, CALL, Repeat::Harmless).await?,
            Repeat::Harmless,
        )
    }

    /// Asks who we are.
    pub(super) async fn who(&self) -> Result<Known, AdapterError> {
        let request = self.request("auth.test", &self.token).form(&[("", ""); 0]);
        let answer = http::send(request, CALL, Repeat::Harmless).await?;
        let said = opened(&answer, Repeat::Harmless)?;
        let text = |key: &str| said.get(key).and_then(Value::as_str).map(str::to_owned);
        let (Some(user), Some(bot)) = (text("user_id"), text("bot_id")) else {
            return Err(AdapterError::Credentials(
                "this is no token of a bot; take the Bot User OAuth Token, which begins with xoxb-"
                    .to_owned(),
            ));
        };
        let everywhere = said.get("is_enterprise_install") == Some(&Value::Bool(true));
        let home = text("url").and_then(|url| Url::parse(&url).ok());
        let home = home.and_then(|url| url.host_str().map(str::to_owned));
        let scopes = answer.headers.get("x-oauth-scopes");
        let scopes = scopes
            .and_then(|scopes| scopes.to_str().ok())
            .map(|scopes| {
                let each = scopes.split(',').map(str::trim);
                each.filter(|scope| !scope.is_empty()).map(str::to_owned)
            });
        Ok(Known {
            user,
            bot,
            team: text("team_id").filter(|_| !everywhere),
            name: text("user").unwrap_or_default(),
            home: home.unwrap_or_default(),
            scopes: scopes.map(Iterator::collect),
        })
    }

    /// Asks for a connection by the token of the app, and gives its address.
    pub(super) async fn connection(&self, app: &Secret<String>) -> Result<Url, AdapterError> {
        let request = self.request("apps.connections.open", app);
        let answer = http::send(request.form(&[("", ""); 0]), CALL, Repeat::Harmless).await?;
        let said = opened(&answer, Repeat::Harmless)?;
        let url = said.get("url").and_then(Value::as_str);
        let url = url.and_then(|url| Url::parse(url).ok());
        // Only a Slack of our own machine is reached in the clear.
        let clear = self.base.starts_with("http://");
        url.filter(|url| url.scheme() == "wss" || (clear && url.scheme() == "ws"))
            .ok_or_else(|| http::lost(Repeat::Harmless, "it names no address to connect to"))
    }

    /// Reads a file of the workspace. The token goes to Slack's own hosts and nowhere else.
    pub(super) async fn download(&self, url: &str, most: u64) -> Result<Vec<u8>, AdapterError> {
        let url = self.ours(url)?;
        let request = self.client.get(url).bearer_auth(self.token.reveal());
        http::fetch(request, DOWNLOAD, most).await
    }

    /// Hands in the bytes of a file at the address that Slack named for them.
    pub(super) async fn upload(&self, url: &str, bytes: Vec<u8>) -> Result<(), AdapterError> {
        let url = self.ours(url)?;
        let request = self.client.post(url).body(bytes);
        let answer = http::send(request, UPLOAD, Repeat::Harmless).await?;
        match answer.status {
            200..=299 => Ok(()),
            status => Err(http::refusal(
                status,
                answer.retry_after(),
                format!("the upload ended with status {status}"),
                Repeat::Harmless,
            )),
        }
    }

    fn request(&self, method: &str, token: &Secret<String>) -> reqwest::RequestBuilder {
        let request = self.client.post(format!("{}/{method}", self.base));
        request.bearer_auth(token.reveal())
    }

    /// An address of a file, where it is Slack's own or that of the Web API that was set.
    fn ours(&self, url: &str) -> Result<Url, AdapterError> {
        let refused = || AdapterError::Refused("the file does not lie at Slack".to_owned());
        let url = Url::parse(url).map_err(|_| refused())?;
        let slack = url.scheme() == "https"
            && url.port().is_none()
            && url
                .host_str()
                .is_some_and(|host| host == "slack.com" || host.ends_with(".slack.com"));
        let set = Url::parse(&self.base).is_ok_and(|base| base.origin() == url.origin());
        if slack || set {
            Ok(url)
        } else {
            Err(refused())
        }
    }
}

/// What an answer holds, or the error that it tells.
fn opened(answer: &Answer, repeat: Repeat) -> Result<Value, AdapterError> {
    let status = answer.status;
    if status == 429 {
        return Err(http::refusal(
            429,
            answer.retry_after(),
            String::new(),
            repeat,
        ));
    }
    let Ok(said) = serde_json::from_slice::<Value>(&answer.body) else {
        return Err(match status {
            200..=299 => http::lost(repeat, "its answer cannot be read"),
            status => http::refusal(
                status,
                answer.retry_after(),
                format!("status {status}"),
                repeat,
            ),
        });
    };
    if said.get("ok") == Some(&Value::Bool(true)) {
        return Ok(said);
    }
    let text = |key: &str| said.get(key).and_then(Value::as_str).map(harmless);
    let error = text("error").unwrap_or_else(|| "no reason given".to_owned());
    Err(match error.as_str() {
        "invalid_auth"
        | "not_authed"
        | "account_inactive"
        | "token_revoked"
        | "token_expired"
        | "not_allowed_token_type" => AdapterError::Credentials(error),
        "ratelimited" | "rate_limited" => {
            http::refusal(429, answer.retry_after(), String::new(), repeat)
        }
        "fatal_error" | "internal_error" | "request_timeout" | "service_unavailable" => {
            http::lost(repeat, "it has trouble of its own")
        }
        "missing_scope" => AdapterError::Refused(format!(
            "the app lacks the scope {}; add it under OAuth & Permissions and install the app again",
            text("needed").unwrap_or_else(|| "that this needs".to_owned())
        )),
        "not_in_channel" | "channel_not_found" => AdapterError::Refused(format!(
            "{error}: the app is not in this channel; invite it there"
        )),
        _ => AdapterError::Refused(error),
    })
}

/// A word of Slack's as it may be shown and logged.
fn harmless(word: &str) -> String {
    word.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(200)
        .collect()
}

const CALL: Duration = Duration::from_secs(20);
const UPLOAD: Duration = Duration::from_secs(180);
const DOWNLOAD: Duration = Duration::from_secs(60);
