//! How is a WhatsApp line set up?

use std::path::PathBuf;

use bot_policy::id::LineId;
use bot_policy::secret::Secret;
use serde::Deserialize;
use url::Url;

use super::hook::Hook;
use crate::credential::Wanted;
use crate::{ConfigError, Ground};

/// A telephone number on the Cloud API.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The id of the number, as the app's dashboard shows it; not the number itself.
    pub phone_number_id: String,
    /// The file that holds the access token and nothing else.
    pub token_file: Option<PathBuf>,
    /// The environment variable that holds it, instead of a file.
    pub token_env: Option<String>,
    /// The credential of systemd's that holds it, instead of either.
    pub token_credential: Option<String>,
    /// The file that holds the app secret; two, each on a line, while one takes the place of the
    /// other.
    pub app_secret_file: Option<PathBuf>,
    /// The environment variable that holds it, instead of a file.
    pub app_secret_env: Option<String>,
    /// The credential of systemd's that holds it, instead of either.
    pub app_secret_credential: Option<String>,
    /// The file that holds the verify token: a word of your own that you type into the dashboard.
    pub verify_token_file: Option<PathBuf>,
    /// The environment variable that holds it, instead of a file.
    pub verify_token_env: Option<String>,
    /// The credential of systemd's that holds it, instead of either.
    pub verify_token_credential: Option<String>,
    /// What asks a person to write when too long has passed since they did; nothing unless set.
    pub template: Option<Template>,
    /// Where the Graph API answers, with its version; `https://graph.facebook.com/v24.0` unless
    /// set.
    pub api: Option<Url>,
}

/// A message template that Meta has approved, without variables.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// Its name.
    pub name: String,
    /// Its language, as in `en_US`.
    pub language: String,
}

impl Config {
    /// The id of the number.
    ///
    /// # Errors
    /// When it is no id. It becomes part of an address.
    pub(super) fn number(&self) -> Result<&str, ConfigError> {
        let id = self.phone_number_id.as_str();
        if (1..=32).contains(&id.len()) && id.bytes().all(|c| c.is_ascii_digit()) {
            return Ok(id);
        }
        Err(ConfigError(
            "phone_number_id is no id; copy the digits of \"Phone number ID\" from the app's dashboard, under WhatsApp, API Setup"
                .to_owned(),
        ))
    }

    /// Reads the access token.
    ///
    /// # Errors
    /// When it is missing or could be none.
    pub(super) fn token(&self) -> Result<Secret<String>, ConfigError> {
        let token = Wanted {
            what: "token",
            whence: "the access token of a system user of your Meta business",
            file: self.token_file.as_deref(),
            variable: self.token_env.as_deref(),
        };
        one_word(token.read_or(self.token_credential.as_deref())?)
    }

    /// Reads the app secrets: one, or two.
    ///
    /// # Errors
    /// When there is none, or something that could be none.
    fn app_secrets(&self) -> Result<Vec<Secret<String>>, ConfigError> {
        let whence = "the app secret from the app's dashboard, under Settings, Basic";
        let secret = Wanted {
            what: "app_secret",
            whence,
            file: self.app_secret_file.as_deref(),
            variable: self.app_secret_env.as_deref(),
        };
        let (text, source) = secret.read_or(self.app_secret_credential.as_deref())?;
        let secrets: Vec<&str> = text.split_whitespace().collect();
        let fits = |secret: &&str| {
            (SHORTEST_SECRET..=256).contains(&secret.len())
                && secret.bytes().all(|c| c.is_ascii_graphic())
        };
        if secrets.len() > 2 || !secrets.iter().all(fits) {
            return Err(ConfigError(format!(
                "{source} does not hold an app secret; write {whence} into it, or two of them on two lines while you change it"
            )));
        }
        let secret = |secret: &str| Secret::new(secret.to_owned());
        Ok(secrets.into_iter().map(secret).collect())
    }

    fn verify_token(&self) -> Result<Secret<String>, ConfigError> {
        let token = Wanted {
            what: "verify_token",
            whence: "a long word of your own, as from: openssl rand -hex 32",
            file: self.verify_token_file.as_deref(),
            variable: self.verify_token_env.as_deref(),
        };
        let found = token.read_or(self.verify_token_credential.as_deref())?;
        if found.0.len() < SHORTEST_SECRET {
            return Err(ConfigError(format!(
                "{} is too short to keep anybody out; put a long word of your own into it, as from: openssl rand -hex 32",
                found.1
            )));
        }
        one_word(found)
    }

    /// The door that WhatsApp comes to.
    ///
    /// # Errors
    /// When no address is public, or its secrets would keep nobody out.
    pub(super) fn hook(&self, line: &LineId, ground: &Ground) -> Result<Hook, ConfigError> {
        if ground.webhooks.is_none() {
            return Err(ConfigError(
                "WhatsApp comes to a door and no address is public; set public in [webhooks]"
                    .to_owned(),
            ));
        }
        Ok(Hook::new(line, self.app_secrets()?, self.verify_token()?))
    }

    /// The template that asks a person to write.
    ///
    /// # Errors
    /// When its name or language is none.
    pub(super) fn template(&self) -> Result<Option<Template>, ConfigError> {
        let fits = |word: &str| {
            (1..=512).contains(&word.len())
                && word.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
        };
        match &self.template {
            Some(template) if !fits(&template.name) || !fits(&template.language) => {
                Err(ConfigError(
                    "template is none; write it like { name = \"please_write\", language = \"en_US\" }"
                        .to_owned(),
                ))
            }
            template => Ok(template.clone()),
        }
    }

    /// Where the Graph API answers.
    ///
    /// # Errors
    /// When it is not a plain http or https address.
    pub(super) fn base(&self) -> Result<Url, ConfigError> {
        let wrong = || {
            ConfigError(
                "api is not a plain address; write it like https://graph.facebook.com/v24.0"
                    .to_owned(),
            )
        };
        let Some(url) = &self.api else {
            return Url::parse(USUAL_API).map_err(|_| wrong());
        };
        let plain = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        plain.then(|| url.clone()).ok_or_else(wrong)
    }
}

fn one_word((text, source): (String, String)) -> Result<Secret<String>, ConfigError> {
    if text.bytes().all(|c| c.is_ascii_graphic()) {
        return Ok(Secret::new(text));
    }
    Err(ConfigError(format!(
        "{source} holds more than one word; put the one word into it and nothing else"
    )))
}

/// The shortest secret that is taken, in bytes.
const SHORTEST_SECRET: usize = 16;
/// Where the Graph API answers unless set otherwise.
const USUAL_API: &str = "https://graph.facebook.com/v24.0";
