//! Is this address on the open net, and what does it give? Judged when a name is resolved and
//! again at each redirect; what was judged is what is connected to.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bot_policy::net::is_open;
use bot_policy::site;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use url::{Host, Url};

use super::super::ToolError;

/// How often an address may lead to another.
const REDIRECTS: usize = 5;
/// How much of a page is read, in bytes.
const PAGE: usize = 2 << 20;
/// The longest address, in bytes.
const ADDRESS: usize = 2000;
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(8);

/// Two ways to the net: one that knows the open net only, and one for what the owner named.
pub(super) struct Client {
    open: reqwest::Client,
    named: reqwest::Client,
    /// Hosts with their ports, lower case.
    private: Vec<String>,
}

/// What an address gave.
pub(super) struct Got {
    /// Where it was at last.
    pub(super) at: Url,
    /// What it says it is, in lower case.
    pub(super) kind: String,
    /// The bytes, as far as they are read.
    pub(super) bytes: Vec<u8>,
    /// Whether that is all.
    pub(super) whole: bool,
}

impl Client {
    pub(super) fn new(private: Vec<String>) -> Result<Self, ToolError> {
        let built = |builder: reqwest::ClientBuilder| {
            builder
                .no_proxy()
                .redirect(reqwest::redirect::Policy::none())
                .connect_timeout(CONNECT)
                .referer(false)
                .user_agent("Postern")
                .build()
                .map_err(|_| ToolError("the web cannot be reached from this machine".into()))
        };
        Ok(Self {
            open: built(reqwest::Client::builder().dns_resolver(Arc::new(OpenNet)))?,
            named: built(reqwest::Client::builder())?,
            private: private.iter().map(|host| host.to_lowercase()).collect(),
        })
    }

    /// Reads what is at an address, wherever it leads.
    pub(super) async fn get(&self, address: &str) -> Result<Got, ToolError> {
        if address.len() > ADDRESS {
            return Err(ToolError(format!("an address has at most {ADDRESS} bytes")));
        }
        let mut at = Url::parse(address.trim()).map_err(|_| ToolError(site::NO_ADDRESS.into()))?;
        let is_plain = reads_as_written(address.trim(), &at);
        for _ in 0..=REDIRECTS {
            let client = self.way_to(&at)?;
            if !is_plain {
                return Err(ToolError(site::ODD.into()));
            }
            let asked = client.get(at.clone()).header(
                ACCEPT,
                "text/html, text/*, application/pdf, application/json;q=0.9",
            );
            let answer = asked.send().await.map_err(|error| failed(&at, &error))?;
            if !answer.status().is_redirection() {
                return read(at, answer).await;
            }
            let to = answer
                .headers()
                .get(LOCATION)
                .and_then(|to| to.to_str().ok());
            let to = to.and_then(|to| at.join(to).ok());
            at = to.ok_or_else(|| ToolError(format!("{at} leads to no address")))?;
        }
        Err(ToolError(format!(
            "it leads from one address to another more than {REDIRECTS} times"
        )))
    }

    /// Asks an engine that the owner set up, wherever it is.
    pub(super) async fn ask(
        &self,
        at: Url,
        header: Option<(&'static str, String)>,
    ) -> Result<Vec<u8>, ToolError> {
        let mut asked = self
            .named
            .get(at.clone())
            .header(ACCEPT, "application/json");
        if let Some((name, value)) = header {
            asked = asked.header(name, value);
        }
        // The address holds what is searched for; only the host is named.
        let host = at.host_str().unwrap_or_default().to_owned();
        let answer = asked
            .send()
            .await
            .map_err(|_| ToolError(format!("the search engine {host} cannot be reached")))?;
        if !answer.status().is_success() {
            return Err(ToolError(format!(
                "the search engine {host} answers with status {}",
                answer.status().as_u16()
            )));
        }
        Ok(body(&at, answer).await?.0)
    }

    /// The client that may reach an address.
    fn way_to(&self, at: &Url) -> Result<&reqwest::Client, ToolError> {
        if !matches!(at.scheme(), "http" | "https") {
            return Err(ToolError(site::NOT_THE_WEB.into()));
        }
        if !at.username().is_empty() || at.password().is_some() {
            return Err(ToolError(site::NAMES_A_PERSON.into()));
        }
        let (Some(host), Some(port)) = (at.host(), at.port_or_known_default()) else {
            return Err(ToolError("that address names no host".into()));
        };
        if self
            .private
            .contains(&format!("{host}:{port}").to_lowercase())
        {
            return Ok(&self.named);
        }
        if !matches!(port, 80 | 443) {
            return Err(ToolError(format!(
                "port {port} is not fetched; only 80 and 443 are"
            )));
        }
        let literal = match host {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        };
        // A name is judged by what it resolves to, right before it is connected to.
        match literal {
            Some(address) if !is_open(address) => Err(not_open(at)),
            Some(_) | None => Ok(&self.open),
        }
    }
}

async fn read(at: Url, answer: reqwest::Response) -> Result<Got, ToolError> {
    if !answer.status().is_success() {
        return Err(ToolError(format!(
            "{at} answers with status {}",
            answer.status().as_u16()
        )));
    }
    let kind = answer.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or("");
    let kind = kind.to_ascii_lowercase();
    if !super::page::is_readable(&kind) {
        let short: String = kind.chars().take(60).collect();
        return Err(ToolError(format!(
            "{at} is no page, text or PDF but {short:?}, so it was not read"
        )));
    }
    let (bytes, whole) = body(&at, answer).await?;
    Ok(Got {
        at,
        kind,
        bytes,
        whole,
    })
}

/// The body as far as it is read, and whether that is all.
async fn body(at: &Url, mut answer: reqwest::Response) -> Result<(Vec<u8>, bool), ToolError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| failed(at, &error))? {
        let room = PAGE.saturating_sub(bytes.len());
        bytes.extend(chunk.iter().take(room));
        if chunk.len() > room {
            return Ok((bytes, false));
        }
    }
    Ok((bytes, true))
}

fn not_open(at: &Url) -> ToolError {
    ToolError(format!(
        "{at} leads to a private or reserved address, which is never fetched"
    ))
}

/// Whether the host that is asked is the one that was written, and so the one that rules and cards
/// spoke of: readers of addresses take escapes, missing slashes and odd letters apart differently.
fn reads_as_written(address: &str, at: &Url) -> bool {
    let written = site::whole(address);
    written.as_deref().and_then(site::host) == at.host_str()
}

fn failed(at: &Url, error: &reqwest::Error) -> ToolError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<NotOpen>() {
            return not_open(at);
        }
        cause = error.source();
    }
    ToolError(if error.is_connect() {
        format!("{at} cannot be reached")
    } else {
        format!("{at} broke off while it was read")
    })
}

/// Resolves names to addresses of the open net alone.
struct OpenNet;

/// A name has no address on the open net.
#[derive(Debug, thiserror::Error)]
#[error("no address on the open net")]
struct NotOpen;

impl Resolve for OpenNet {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let (open, others): (Vec<SocketAddr>, Vec<SocketAddr>) =
                found.partition(|address| is_open(address.ip()));
            if open.is_empty() && !others.is_empty() {
                return Err(NotOpen.into());
            }
            Ok(Box::new(open.into_iter()) as Addrs)
        })
    }
}
