//! What did the owner set? One TOML file in which everything is optional and nothing unknown is
//! passed over.

use std::collections::BTreeMap;
use std::env::VarError;
use std::fs;
use std::io::{ErrorKind, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bot_policy::id::LineId;
use rustix::process::geteuid;
use serde::Deserialize;

pub mod code;
mod explain;
mod front;
mod judging;
mod log;
pub mod model;
mod replay;
mod sensitive;
mod web;
mod webhooks;

pub use adapters::{SecretError, SecretSource};
pub use explain::ConfigError;
pub use front::{Proxies, TlsFiles};
pub use judging::{DENYLIST_VARIABLE, Judging};
pub use log::{Log, LogForm};
pub use replay::Replay;
pub use sensitive::Sensitive;
pub use web::{Fetch, HostPort, Search, SearchError};
pub use webhooks::Webhooks;

/// The file's name in the configuration folder.
pub const FILE_NAME: &str = "postern.toml";

/// A whole file with comments.
pub const EXAMPLE: &str = include_str!("config/example.toml");

/// The JSON Schema of the file.
pub const SCHEMA: &str = include_str!("config/schema.json");

/// Where the web chat listens when nothing is configured.
pub const USUAL_ADDRESS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8787);

/// The largest file that is read, in bytes.
const FILE_LIMIT: u64 = 256 * 1024;

/// The whole configuration.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The web chat.
    pub web: Web,
    /// Our accounts on platforms, by the name that the owner gave them.
    pub lines: BTreeMap<LineId, adapters::Config>,
    /// Where what was counted is shown besides the page; nowhere unless set.
    pub metrics: Option<SocketAddr>,
    /// The model; none means the usual key variables choose.
    pub model: Option<model::Model>,
    /// What stands in front of the page and the doors.
    pub proxies: Proxies,
    /// How platforms reach us; none where we only ask them.
    pub webhooks: Option<Webhooks>,
    /// What is logged.
    pub log: Log,
    /// How pages are fetched.
    pub fetch: Fetch,
    /// Who searches the web; nobody unless set.
    pub search: Option<Search>,
    /// How calls are judged.
    pub judging: Judging,
    /// What is sensitive.
    pub sensitive: Sensitive,
    /// Whether results are recorded, or given again.
    pub replay: Replay,
    /// All of it as it was written, for a digest by which a change is noticed.
    pub written: serde_json::Value,
    /// Code conversations.
    pub code: code::Code,
}

/// The web chat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Web {
    /// Where it listens.
    pub listen: Listen,
    /// Host names, beyond those of this machine, under which a browser may ask for the page.
    pub hosts: Vec<String>,
    /// Where the token stands that opens the page as its owner.
    pub admin_token: Option<SecretSource>,
    /// How the page speaks TLS itself; where a proxy does, it does not.
    pub tls: Option<TlsFiles>,
}

/// Where the web chat listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    /// There and nowhere else.
    Configured(SocketAddr),
    /// There, or on the next free port after it.
    From(SocketAddr),
}

impl Default for Listen {
    fn default() -> Self {
        Self::From(USUAL_ADDRESS)
    }
}

impl Listen {
    /// The address asked for.
    pub fn address(self) -> SocketAddr {
        match self {
            Self::Configured(at) | Self::From(at) => at,
        }
    }
}

impl Config {
    /// Reads the file of a configuration folder, and what the environment adds to it; no file is
    /// the empty configuration.
    ///
    /// # Errors
    /// When anything in the file or in [`DENYLIST_VARIABLE`] is wrong.
    pub fn read(folder: &Path) -> Result<Self, ConfigError> {
        let file = folder.join(FILE_NAME);
        let text = Self::text(&file)?;
        Self::understood(&file, &text, environment()?.as_deref())
    }

    /// What the environment alone says, where there is no file.
    ///
    /// # Errors
    /// When [`DENYLIST_VARIABLE`] is wrong.
    pub fn from_environment() -> Result<Self, ConfigError> {
        Self::understood(Path::new(FILE_NAME), "", environment()?.as_deref())
    }

    fn text(file: &Path) -> Result<String, ConfigError> {
        let io = |why| ConfigError::Io {
            file: file.to_owned(),
            why,
        };
        let open = match fs::File::open(file) {
            Ok(open) => open,
            Err(why) if why.kind() == ErrorKind::NotFound => return Ok(String::new()),
            Err(why) => return Err(io(why)),
        };
        let found = open.metadata().map_err(io)?;
        let us = geteuid().as_raw();
        // Root may write anything anyway: a file that an engine mounts for us is often root's.
        if found.uid() != us && found.uid() != 0 {
            return Err(ConfigError::NotOurs {
                owner: found.uid(),
                us,
                file: file.to_owned(),
            });
        }
        if found.mode() & 0o022 != 0 {
            return Err(ConfigError::Loose(file.to_owned()));
        }
        let mut text = String::new();
        open.take(FILE_LIMIT + 1)
            .read_to_string(&mut text)
            .map_err(io)?;
        if text.len() as u64 > FILE_LIMIT {
            return Err(ConfigError::TooLong(file.to_owned()));
        }
        Ok(text)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// [`ConfigError::Wrong`], naming the first thing that is.
    pub fn parse(file: &Path, text: &str) -> Result<Self, ConfigError> {
        Self::understood(file, text, None)
    }

    fn understood(file: &Path, text: &str, environment: Option<&str>) -> Result<Self, ConfigError> {
        let wrong = |why: &toml::de::Error, key: String| explain::wrong(file, text, why, key);
        let toml = toml::Deserializer::parse(text).map_err(|why| wrong(&why, String::new()))?;
        let written: Written = serde_path_to_error::deserialize(toml).map_err(|why| {
            let key = why.path().to_string();
            wrong(why.inner(), key)
        })?;
        let models = (written.model.as_ref(), written.risk.model.as_ref());
        explain::reachable(file, text, models)?;
        Ok(Self {
            web: Web {
                listen: written
                    .web
                    .listen
                    .map_or(Listen::default(), Listen::Configured),
                hosts: written.web.hosts.into_iter().map(|host| host.0).collect(),
                admin_token: SecretSource::one_of(
                    "web.admin_token",
                    written.web.admin_token_file.as_deref(),
                    written.web.admin_token_env.as_deref(),
                    written.web.admin_token_credential.as_deref(),
                )
                .map_err(|why| ConfigError::Secret {
                    file: file.to_owned(),
                    why,
                })?,
                tls: written.web.tls,
            },
            lines: written
                .lines
                .into_iter()
                .map(|(name, line)| (LineId::new(name.0), line))
                .collect(),
            metrics: written.metrics.listen.map(|at| at.0),
            model: written.model,
            proxies: written.proxies,
            webhooks: written.webhooks,
            log: written.log.into(),
            fetch: written.fetch,
            search: written.search,
            sensitive: written.sensitive,
            replay: written.replay,
            code: written.code,
            judging: judging::judging(written.shell, written.risk, environment)
                .map_err(ConfigError::Environment)?,
            written: serde_json::json!([
                toml::from_str::<serde_json::Value>(text).unwrap_or_default(),
                environment,
            ]),
        })
    }

    /// The names under which a browser may ask for the page, each as its `Origin` says it. With
    /// TLS in front there is no way to it without.
    pub fn origins(&self) -> Vec<String> {
        let tls = self.web.tls.is_some() || !self.proxies.trusted.is_empty();
        let hosts = self.web.hosts.iter();
        hosts
            .flat_map(|host| {
                let plain = (!tls).then(|| format!("http://{host}"));
                std::iter::once(format!("https://{host}")).chain(plain)
            })
            .collect()
    }

    /// What the owner should know about a configuration that is right but daring.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.fetch.warnings();
        warnings.extend(self.replay.warnings());
        warnings.extend(self.model.iter().flat_map(model::Model::warnings));
        let at = self.web.listen.address();
        let proxied = !self.proxies.trusted.is_empty();
        if !at.ip().is_loopback() && self.web.tls.is_none() && !proxied {
            warnings.push(format!(
                "the web chat listens on {at}, where other machines reach it over plain HTTP; give it web.tls, or put a proxy with TLS in front and name it in proxies.trusted, or set web.listen to 127.0.0.1:{}",
                at.port()
            ));
        }
        let plain = self.webhooks.as_ref().filter(|doors| doors.tls.is_none());
        let doors = plain.map(|webhooks| webhooks.listen);
        if let Some(at) = doors.filter(|at| !at.ip().is_loopback() && !proxied) {
            warnings.push(format!(
                "webhooks are taken in on {at} over plain HTTP; let only the proxy with TLS reach it, or set webhooks.listen to 127.0.0.1:{}",
                at.port()
            ));
        }
        warnings
    }
}

fn environment() -> Result<Option<String>, ConfigError> {
    match std::env::var(DENYLIST_VARIABLE) {
        Ok(patterns) => Ok(Some(patterns)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(ConfigError::Environment(
            "it is not text; set it anew".to_owned(),
        )),
    }
}

/// The file as it is written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    web: WrittenWeb,
    lines: BTreeMap<LineName, adapters::Config>,
    metrics: WrittenMetrics,
    model: Option<model::Model>,
    proxies: Proxies,
    webhooks: Option<Webhooks>,
    log: log::WrittenLog,
    fetch: Fetch,
    search: Option<Search>,
    sensitive: Sensitive,
    replay: Replay,
    risk: judging::WrittenRisk,
    shell: judging::WrittenShell,
    code: code::Code,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenWeb {
    listen: Option<SocketAddr>,
    hosts: Vec<Host>,
    admin_token_file: Option<PathBuf>,
    admin_token_env: Option<String>,
    admin_token_credential: Option<String>,
    tls: Option<TlsFiles>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenMetrics {
    listen: Option<Loopback>,
}

#[derive(Deserialize)]
#[serde(try_from = "SocketAddr")]
struct Loopback(SocketAddr);

#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
struct LineName(String);

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Host(String);

impl TryFrom<SocketAddr> for Loopback {
    type Error = String;

    fn try_from(at: SocketAddr) -> Result<Self, String> {
        if at.ip().is_loopback() {
            return Ok(Self(at));
        }
        Err(format!(
            "{at} is reached by other machines, and nobody is asked who they are there; use 127.0.0.1:{}, or read /metrics of the web chat with the admin token",
            at.port()
        ))
    }
}

impl TryFrom<String> for LineName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if name == "web" {
            return Err(
                "the name web belongs to the built-in web chat; name the line otherwise".to_owned(),
            );
        }
        if name == crate::code::LINE {
            return Err(
                "the name terminal belongs to Code conversations; name the line otherwise"
                    .to_owned(),
            );
        }
        if name.is_empty() || name.len() > 32 || !name.chars().all(fits) {
            return Err(format!(
                "a line cannot be called {name:?}; use 1 to 32 of a-z, 0-9 and -"
            ));
        }
        Ok(Self(name))
    }
}

impl TryFrom<String> for Host {
    type Error = String;

    fn try_from(host: String) -> Result<Self, String> {
        let host = host.to_ascii_lowercase();
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        if host.is_empty() || host.len() > 253 || !host.chars().all(fits) {
            return Err(format!(
                "{host:?} is not a host name; write it without https://, port, path or *, like chat.example.org"
            ));
        }
        Ok(Self(host))
    }
}
