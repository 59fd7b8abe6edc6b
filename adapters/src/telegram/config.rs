//! How is a Telegram line set up?

use std::path::PathBuf;

use bot_policy::id::LineId;
use bot_policy::secret::Secret;
use serde::Deserialize;
use url::Url;

use super::hook::Hook;
use crate::credential::Wanted;
use crate::{ConfigError, Ground};

/// A Telegram bot.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The file that holds the token from @BotFather and nothing else.
    pub token_file: Option<PathBuf>,
    /// The environment variable that holds it, instead of a file.
    pub token_env: Option<String>,
    /// The credential of systemd's that holds it, instead of either.
    pub token_credential: Option<String>,
    /// Where the Bot API answers; `https://api.telegram.org` unless set.
    pub api: Option<Url>,
    /// How updates come; by polling unless set.
    #[serde(default)]
    pub mode: Mode,
}

/// How updates come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// We ask.
    #[default]
    Polling,
    /// Telegram comes to our door.
    Webhook,
}

impl Config {
    /// Reads the token.
    ///
    /// # Errors
    /// When not exactly one of the three settings is there, or what it names is missing, empty or
    /// not shaped like a token.
    pub(crate) fn token(&self) -> Result<Secret<String>, ConfigError> {
        let wanted = Wanted {
            what: "token",
            whence: "the token from @BotFather",
            file: self.token_file.as_deref(),
            variable: self.token_env.as_deref(),
        };
        let (token, source) = wanted.read_or(self.token_credential.as_deref())?;
        // The token becomes part of an address: nothing in it may lead elsewhere.
        let shaped = token.split_once(':').is_some_and(|(bot, secret)| {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            !bot.is_empty()
                && bot.chars().all(|c| c.is_ascii_digit())
                && !secret.is_empty()
                && secret.chars().all(fits)
        });
        if !shaped {
            return Err(ConfigError(format!(
                "{source} does not hold a token; copy the whole line from @BotFather, like 123456:ABC"
            )));
        }
        Ok(Secret::new(token))
    }

    /// The door that Telegram comes to; none when we ask.
    ///
    /// # Errors
    /// When updates should come to a door and there is none, or its secret would keep nobody out.
    pub(super) fn hook(&self, line: &LineId, ground: &Ground) -> Result<Option<Hook>, ConfigError> {
        match (self.mode, &ground.webhooks) {
            (Mode::Polling, _) => Ok(None),
            (Mode::Webhook, None) => Err(ConfigError(
                "mode is \"webhook\" and no address is public; set public in [webhooks], or mode to \"polling\""
                    .to_owned(),
            )),
            (Mode::Webhook, Some(webhooks)) => Hook::new(line, webhooks).map(Some),
        }
    }

    /// Where the Bot API answers, without a slash at its end.
    ///
    /// # Errors
    /// When it is not a plain http or https address.
    pub(crate) fn base(&self) -> Result<String, ConfigError> {
        crate::http::base(self.api.as_ref(), "https://api.telegram.org")
    }
}
