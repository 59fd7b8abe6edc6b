//! What may be fetched, and who searches?

use std::path::PathBuf;

use adapters::{SecretError, SecretSource, environment};
use bot_policy::secret::Secret;
use serde::Deserialize;
use url::Url;

use crate::agent::tools::Engine;

/// How pages are fetched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fetch {
    /// Hosts with their ports, as `name:port`, that are fetched although they are no part of the
    /// open net. Daring: a page may lead there.
    pub allow_private: Vec<HostPort>,
}

/// A host with its port, as `name:port`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct HostPort(pub String);

/// Who searches the web.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "engine", rename_all = "lowercase", deny_unknown_fields)]
pub enum Search {
    /// Brave Search.
    Brave {
        /// The file that holds the key and nothing else.
        key_file: Option<PathBuf>,
        /// The environment variable that holds it, instead of a file.
        key_env: Option<String>,
        /// The credential of systemd's that holds it, instead of either.
        key_credential: Option<String>,
        /// Where the API answers.
        api: Option<Url>,
    },
    /// A SearXNG.
    Searxng {
        /// Its address.
        url: Url,
    },
}

/// A search engine cannot be used as it is set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("search: {0}")]
pub struct SearchError(pub String);

impl From<SecretError> for SearchError {
    fn from(SecretError(why): SecretError) -> Self {
        Self(why)
    }
}

impl Fetch {
    /// What is right but daring.
    pub(super) fn warnings(&self) -> Vec<String> {
        let hosts: Vec<&str> = self
            .allow_private
            .iter()
            .map(|host| host.0.as_str())
            .collect();
        match hosts.is_empty() {
            true => Vec::new(),
            false => vec![format!(
                "pages may be fetched from {}, so what a page says can reach there too; take out of fetch.allow_private what need not be in it",
                hosts.join(", ")
            )],
        }
    }
}

impl TryFrom<String> for HostPort {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let right = text.rsplit_once(':').is_some_and(|(host, port)| {
            let fits = |c: char| c.is_ascii_alphanumeric() || "-.[]:".contains(c);
            !host.is_empty() && host.chars().all(fits) && port.parse::<u16>().is_ok()
        });
        if right {
            Ok(Self(text))
        } else {
            Err(format!(
                "{text:?} is no host with a port; write it like 192.168.1.5:8080"
            ))
        }
    }
}

impl Search {
    /// The engine, its key read.
    ///
    /// # Errors
    /// When not exactly one of the settings of the key is there, or it cannot be read.
    pub(crate) fn engine(&self) -> Result<Engine, SearchError> {
        let plain = |at: &Url| {
            let plain = matches!(at.scheme(), "http" | "https")
                && at.username().is_empty()
                && at.password().is_none()
                && at.query().is_none();
            if plain {
                Ok(at.clone())
            } else {
                Err(SearchError(
                    "the address of the engine is not plain; write it like https://search.example.org"
                        .to_owned(),
                ))
            }
        };
        match self {
            Self::Brave {
                key_file,
                key_env,
                key_credential,
                api,
            } => {
                let usual = || Url::parse(BRAVE).map_err(|_| SearchError("no address".to_owned()));
                Ok(Engine::Brave {
                    at: api.as_ref().map_or_else(usual, plain)?,
                    key: key(SecretSource::one_of(
                        "key",
                        key_file.as_deref(),
                        key_env.as_deref(),
                        key_credential.as_deref(),
                    )?)?,
                })
            }
            Self::Searxng { url } => Ok(Engine::Searxng { at: plain(url)? }),
        }
    }
}

/// Where Brave's API answers.
const BRAVE: &str = "https://api.search.brave.com/res/v1/web/search";

fn key(source: Option<SecretSource>) -> Result<Secret<String>, SearchError> {
    let Some(source) = source else {
        return Err(SearchError(
            "no key; set key_file to a file that holds the key of your subscription".to_owned(),
        ));
    };
    let key = source.read("the key of your subscription", environment)?;
    let fits = |c: char| c.is_ascii_graphic();
    if !key.reveal().chars().all(fits) {
        return Err(SearchError(format!(
            "{source} does not hold one word; copy the key whole, and nothing else"
        )));
    }
    Ok(key)
}
