//! What is in order, what is not, and what mends it?

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Url;

use crate::agent::model::chosen;
use crate::config::Config;
use crate::folder::{Folder, FolderError, Purpose};
use crate::http::admin::AdminToken;
use crate::http::tls;
use crate::secrets::Secrets;
use crate::socket::{self, Answer, AskError, Request};

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// What was looked at, in a word or two.
    pub what: String,
    /// How it is.
    pub verdict: Verdict,
    /// What was found; what to do, unless it is fine.
    pub say: String,
}

/// How a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Fine.
    Ok,
    /// It works, and the owner should know.
    Warn,
    /// It does not work.
    Fail,
}

impl Check {
    /// A thing that is fine.
    pub fn ok(what: &str, say: impl Into<String>) -> Self {
        Self::new(what, Verdict::Ok, say)
    }

    /// A thing that the owner should know.
    pub fn warn(what: &str, say: impl Into<String>) -> Self {
        Self::new(what, Verdict::Warn, say)
    }

    /// A thing that does not work.
    pub fn fail(what: &str, say: impl Into<String>) -> Self {
        Self::new(what, Verdict::Fail, say)
    }

    fn new(what: &str, verdict: Verdict, say: impl Into<String>) -> Self {
        Self {
            what: what.to_owned(),
            verdict,
            say: say.into(),
        }
    }
}

/// Looks at everything: folders and configuration from here, the rest through the running gateway.
pub async fn examine() -> Vec<Check> {
    let mut checks = examine_config();
    match folder(Purpose::Data) {
        Ok((check, data)) => {
            checks.push(check);
            checks.extend(match data {
                Some(data) => examine_running(&data).await,
                None => vec![Check::warn("gateway", AskError::NotRunning.to_string())],
            });
        }
        Err(why) => checks.push(Check::fail("data folder", why.to_string())),
    }
    checks
}

/// Looks at the configuration alone.
pub fn examine_config() -> Vec<Check> {
    let (check, folder) = match folder(Purpose::Config) {
        Ok(found) => found,
        Err(why) => return vec![Check::fail("configuration folder", why.to_string())],
    };
    let Some(folder) = folder else {
        return match Config::from_environment() {
            Ok(_) => vec![check],
            Err(why) => vec![check, Check::fail("configuration", why.to_string())],
        };
    };
    let config = match Config::read(folder.path()) {
        Ok(config) => config,
        Err(why) => {
            let why = Secrets::default().cut(&why.to_string());
            return vec![check, Check::fail("configuration", why)];
        }
    };
    let mut found = Vec::new();
    for (line, set) in &config.lines {
        found.push(
            match adapters::build(line.clone(), set, &crate::hooks::looked_at(&config)) {
                Ok(_) => Check::ok(&format!("line {line}"), "its settings can be used"),
                // The text names the line itself.
                Err(why) => Check::fail("configuration", why.to_string()),
            },
        );
    }
    if let Some(source) = &config.web.admin_token {
        found.push(match AdminToken::read(source, &Secrets::default()) {
            Ok(_) => Check::ok("admin token", "it can be used"),
            Err(why) => Check::fail("configuration", why.to_string()),
        });
    }
    found.extend(certificates(&config));
    found.extend(model(&config));
    let mut checks = vec![check];
    // Nothing is called right as long as anything in it is wrong.
    if found.iter().all(|check| check.verdict != Verdict::Fail) {
        checks.push(Check::ok("configuration", summary(&config)));
    }
    checks.extend(found);
    checks.extend(
        config
            .warnings()
            .into_iter()
            .map(|say| Check::warn("configuration", say)),
    );
    // What is wrong may be a secret in a wrong place.
    let cutting = Secrets::default();
    for check in &mut checks {
        check.say = cutting.cut(&check.say);
    }
    checks
}

/// Whether the certificates that are set can be shown.
fn certificates(config: &Config) -> Vec<Check> {
    let doors = config.webhooks.as_ref().and_then(|at| at.tls.as_ref());
    let set = [("web", config.web.tls.as_ref()), ("webhooks", doors)];
    let set = set.into_iter().filter_map(|(at, tls)| Some((at, tls?)));
    set.map(|(at, files)| match tls::acceptor(files) {
        Ok(_) => Check::ok(at, "its certificate can be shown"),
        Err(why) => Check::fail("configuration", format!("{at}.{why}")),
    })
    .collect()
}

/// Whether the model that is set can be used; nothing is sent to it.
fn model(config: &Config) -> Option<Check> {
    if let Err(why) = crate::start::second(config) {
        return Some(Check::fail("configuration", why.to_string()));
    }
    match chosen(config.model.as_ref(), adapters::environment) {
        Ok(chosen) => chosen.shown.map(|model| Check::ok("model", model)),
        Err(why) => Some(Check::fail("configuration", why.to_string())),
    }
}

/// Whether the page of a running gateway answers on `/healthz`.
pub async fn page(web: &str) -> Check {
    match timeout(Duration::from_secs(5), healthz(web)).await {
        Ok(Ok(())) => Check::ok("web chat", format!("{web} answers")),
        Ok(Err(why)) => Check::fail(
            "web chat",
            format!("{web} does not answer ({why}); restart Postern"),
        ),
        Err(_) => Check::fail(
            "web chat",
            format!("{web} does not answer in time; restart Postern"),
        ),
    }
}

fn folder(purpose: Purpose) -> Result<(Check, Option<Folder>), FolderError> {
    let path = purpose.path()?;
    let what = match purpose {
        Purpose::Config => "configuration folder",
        Purpose::Data => "data folder",
    };
    let folder = Folder::existing(purpose, &path)?;
    let say = match &folder {
        Some(_) => format!("{} is yours alone", path.display()),
        None => format!("{} is not there yet; postern makes it", path.display()),
    };
    Ok((Check::ok(what, say), folder))
}

fn summary(config: &Config) -> String {
    let lines: Vec<&str> = config.lines.keys().map(|line| line.as_str()).collect();
    match lines.as_slice() {
        [] => "nothing in it is wrong; no lines are set, so the web chat is the only way in"
            .to_owned(),
        lines => format!("nothing in it is wrong; lines: {}", lines.join(", ")),
    }
}

async fn examine_running(data: &Folder) -> Vec<Check> {
    let status = match socket::ask(data, &Request::Status).await {
        Ok(Answer::Status(status)) => status,
        Ok(_) => {
            return vec![Check::fail(
                "gateway",
                AskError::Broken("an answer to something else".to_owned()).to_string(),
            )];
        }
        Err(why @ AskError::NotRunning) => return vec![Check::warn("gateway", why.to_string())],
        Err(why @ (AskError::Broken(_) | AskError::Refused(_) | AskError::Silent)) => {
            return vec![Check::fail("gateway", why.to_string())];
        }
    };
    let mut checks = vec![version(&status.version), page(&status.web).await];
    match socket::ask(data, &Request::Doctor).await {
        Ok(Answer::Doctor { checks: found }) => checks.extend(found),
        Ok(_) => checks.push(Check::fail(
            "gateway",
            "it answered something else; restart it",
        )),
        Err(why) => checks.push(Check::fail("gateway", why.to_string())),
    }
    checks
}

fn version(running: &str) -> Check {
    let ours = env!("CARGO_PKG_VERSION");
    if running == ours {
        Check::ok("gateway", format!("version {running} is running"))
    } else {
        Check::warn(
            "gateway",
            format!("version {running} is running and this program is {ours}; restart it"),
        )
    }
}

async fn healthz(web: &str) -> Result<(), String> {
    let url = Url::parse(web).map_err(|why| why.to_string())?;
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return Err("its address has no host".to_owned());
    };
    let said = async {
        let mut stream = TcpStream::connect((host.trim_matches(['[', ']']), port)).await?;
        if url.scheme() == "https" {
            // Its certificate is made for another name than this address.
            return Ok(*b"HTTP/1.1 200");
        }
        let question =
            format!("GET /healthz HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
        stream.write_all(question.as_bytes()).await?;
        let mut head = [0; 12];
        stream.read_exact(&mut head).await?;
        Ok::<_, std::io::Error>(head)
    };
    let head = said.await.map_err(|why| why.to_string())?;
    if head.ends_with(b" 200") {
        Ok(())
    } else {
        Err("it reports that it is not well".to_owned())
    }
}
