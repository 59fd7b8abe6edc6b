//! How is a Discord line set up?

use std::path::PathBuf;

use bot_policy::id::LineId;
use bot_policy::secret::Secret;
use serde::Deserialize;
use url::Url;

use super::door::Hook;
use crate::credential::Wanted;
use crate::{ConfigError, Ground};

/// A Discord bot.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The file that holds the bot's token and nothing else.
    pub token_file: Option<PathBuf>,
    /// The environment variable that holds it, instead of a file.
    pub token_env: Option<String>,
    /// The credential of systemd's that holds it, instead of either.
    pub token_credential: Option<String>,
    /// Where the platform's REST API answers; `https://discord.com/api` unless set.
    pub api: Option<Url>,
    /// How presses and slash commands come; over the gateway unless set.
    #[serde(default)]
    pub interactions: Interactions,
    /// The application's public key, 64 hexadecimal digits; for presses that come to our door.
    pub public_key: Option<String>,
}

/// How presses and slash commands come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Interactions {
    /// Over the connection on which everything else comes.
    #[default]
    Gateway,
    /// The platform comes to our door.
    Webhook,
}

impl Config {
    /// Reads the token.
    ///
    /// # Errors
    /// When not exactly one of the three settings is there, or what it names is missing, empty, open
    /// to others or not shaped like a token.
    pub(super) fn token(&self) -> Result<Secret<String>, ConfigError> {
        let wanted = Wanted {
            what: "token",
            whence: "the bot's token from discord.com/developers (Bot, Reset Token)",
            file: self.token_file.as_deref(),
            variable: self.token_env.as_deref(),
        };
        let (token, source) = wanted.read_or(self.token_credential.as_deref())?;
        // It becomes part of a header.
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if token.split('.').count() != 3 || !token.chars().all(fits) {
            return Err(ConfigError(format!(
                "{source} does not hold a bot's token, which has three parts with dots between them; copy it from discord.com/developers (Bot, Reset Token), not the client secret or the public key"
            )));
        }
        Ok(Secret::new(token))
    }

    /// Where the REST API answers, without a slash at its end, and whether that is the platform's
    /// own place.
    ///
    /// # Errors
    /// When it is not a plain http or https address.
    pub(super) fn base(&self) -> Result<Option<Url>, ConfigError> {
        let Some(url) = &self.api else {
            return Ok(None);
        };
        let plain = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !plain {
            return Err(ConfigError(
                "api is not a plain address; write it like https://discord.com/api".to_owned(),
            ));
        }
        Ok(Some(url.clone()))
    }

    /// The door to which presses and slash commands come; none when they come over the gateway.
    ///
    /// # Errors
    /// When there is no door to come to, or no key that tells the platform from others.
    pub(super) fn hook(&self, line: &LineId, ground: &Ground) -> Result<Option<Hook>, ConfigError> {
        match (self.interactions, &self.public_key, &ground.webhooks) {
            (Interactions::Gateway, None, _) => Ok(None),
            (Interactions::Gateway, Some(_), _) => Err(ConfigError(
                "public_key is only for interactions = \"webhook\"; set that, or take the key out"
                    .to_owned(),
            )),
            (Interactions::Webhook, None, _) => Err(ConfigError(
                "interactions is \"webhook\" and public_key is missing; copy it from discord.com/developers (General Information, Public Key)"
                    .to_owned(),
            )),
            (Interactions::Webhook, Some(_), None) => Err(ConfigError(
                "interactions is \"webhook\" and no address is public; set public in [webhooks], or interactions to \"gateway\""
                    .to_owned(),
            )),
            (Interactions::Webhook, Some(key), Some(webhooks)) => {
                Hook::new(line, key, &webhooks.public).map(Some)
            }
        }
    }
}
