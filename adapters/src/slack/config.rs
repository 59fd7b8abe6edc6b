//! How is a Slack line set up?

use std::path::PathBuf;

use bot_policy::id::LineId;
use bot_policy::secret::Secret;
use serde::Deserialize;
use url::Url;

use super::hook::Hook;
use crate::credential::Wanted;
use crate::{ConfigError, Ground};

/// A Slack app in one workspace.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The file that holds the Bot User OAuth Token and nothing else.
    pub token_file: Option<PathBuf>,
    /// The environment variable that holds it, instead of a file.
    pub token_env: Option<String>,
    /// The credential of systemd's that holds it, instead of either.
    pub token_credential: Option<String>,
    /// The file that holds the app-level token, for sockets.
    pub app_token_file: Option<PathBuf>,
    /// The environment variable that holds it, instead of a file.
    pub app_token_env: Option<String>,
    /// The credential of systemd's that holds it, instead of either.
    pub app_token_credential: Option<String>,
    /// The file that holds the signing secret, for a door.
    pub signing_secret_file: Option<PathBuf>,
    /// The environment variable that holds it, instead of a file.
    pub signing_secret_env: Option<String>,
    /// The credential of systemd's that holds it, instead of either.
    pub signing_secret_credential: Option<String>,
    /// Where the Web API answers; `https://slack.com/api` unless set.
    pub api: Option<Url>,
    /// How events come; through a socket that we open unless set.
    #[serde(default)]
    pub mode: Mode,
}

/// How events come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// We open a connection (Socket Mode).
    #[default]
    Socket,
    /// Slack comes to our door (Events API).
    Webhook,
}

/// By which way events come, with what it needs.
#[derive(Debug)]
pub(super) enum Way {
    /// Through a socket, by the token of the app.
    Socket(Secret<String>),
    /// Through a door.
    Door(Hook),
}

impl Config {
    /// Reads the token of the bot.
    ///
    /// # Errors
    /// When not exactly one of the three settings is there, or what it names is no such token.
    pub(super) fn token(&self) -> Result<Secret<String>, ConfigError> {
        let wanted = Wanted {
            what: "token",
            whence: "the Bot User OAuth Token of the app",
            file: self.token_file.as_deref(),
            variable: self.token_env.as_deref(),
        };
        let found = wanted.read_or(self.token_credential.as_deref())?;
        shaped(found, "xoxb-", "Bot User OAuth Token")
    }

    /// How events come.
    ///
    /// # Errors
    /// When what the way needs is missing or is no such secret.
    pub(super) fn way(&self, line: &LineId, ground: &Ground) -> Result<Way, ConfigError> {
        match (self.mode, &ground.webhooks) {
            (Mode::Socket, _) => self.app_token().map(Way::Socket),
            (Mode::Webhook, None) => Err(ConfigError(
                "mode is \"webhook\" and no address is public; set public in [webhooks], or mode to \"socket\""
                    .to_owned(),
            )),
            (Mode::Webhook, Some(_)) => {
                let secret = self.signing_secret()?;
                Ok(Way::Door(Hook::new(line, secret)))
            }
        }
    }

    fn app_token(&self) -> Result<Secret<String>, ConfigError> {
        let wanted = Wanted {
            what: "app_token",
            whence: "the app-level token with the scope connections:write",
            file: self.app_token_file.as_deref(),
            variable: self.app_token_env.as_deref(),
        };
        let found = wanted.read_or(self.app_token_credential.as_deref())?;
        shaped(found, "xapp-", "app-level token")
    }

    fn signing_secret(&self) -> Result<Secret<String>, ConfigError> {
        let wanted = Wanted {
            what: "signing_secret",
            whence: "the Signing Secret of the app",
            file: self.signing_secret_file.as_deref(),
            variable: self.signing_secret_env.as_deref(),
        };
        let (text, source) = wanted.read_or(self.signing_secret_credential.as_deref())?;
        if text.len() < SHORTEST_SECRET || !text.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(ConfigError(format!(
                "{source} does not hold a signing secret; copy it from Basic Information"
            )));
        }
        Ok(Secret::new(text))
    }
}

/// What a token with these scopes may not do, each with what mends it.
pub(super) fn lacking(has: &[String]) -> Vec<String> {
    let lacks = SCOPES
        .iter()
        .filter(|(scope, _)| !has.iter().any(|known| known == scope));
    lacks
        .map(|(scope, what)| {
            format!(
                "the app lacks the scope {scope}, so {what}; add it under OAuth & Permissions and install the app again"
            )
        })
        .collect()
}

/// The scopes that the app's manifest asks for, and what does not work without each.
const SCOPES: [(&str, &str); 11] = [
    ("app_mentions:read", "it does not hear where it is named"),
    ("assistant:write", "it shows no status while it thinks"),
    (
        "channels:history",
        "it does not hear threads in public channels",
    ),
    ("chat:write", "it cannot answer"),
    ("commands", "it has no command"),
    ("files:read", "it cannot read files"),
    ("files:write", "it cannot send files"),
    (
        "groups:history",
        "it does not hear threads in private channels",
    ),
    ("im:history", "it does not hear direct messages"),
    ("im:write", "it takes no command in a direct chat"),
    ("mpim:history", "it does not hear groups of people"),
];

/// The shortest signing secret that is taken; Slack's have 32 characters.
const SHORTEST_SECRET: usize = 24;

fn shaped(
    (text, source): (String, String),
    begins: &str,
    name: &str,
) -> Result<Secret<String>, ConfigError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if !text.starts_with(begins) || !text.chars().all(fits) {
        return Err(ConfigError(format!(
            "{source} does not hold the {name}, which begins with {begins}; copy it from the app's page"
        )));
    }
    Ok(Secret::new(text))
}
