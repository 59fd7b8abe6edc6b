//! How do platforms reach us that do not wait to be asked?

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use serde::Deserialize;
use url::Url;

use super::TlsFiles;

/// How platforms reach us.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Webhooks {
    /// Where their doors listen, apart from the page; port 8788 of this machine unless set.
    #[serde(default = "usual_doors")]
    pub listen: SocketAddr,
    /// The address under which the doors are known outside: https, and without a path.
    #[serde(deserialize_with = "public")]
    pub public: Url,
    /// How the doors speak TLS themselves; where a proxy does, they do not.
    pub tls: Option<TlsFiles>,
}

fn usual_doors() -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8788)
}

fn public<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Url, D::Error> {
    let Public(url) = Public::deserialize(from)?;
    Ok(url)
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Public(Url);

impl TryFrom<String> for Public {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let plain = |url: &Url| {
            url.scheme() == "https"
                && url.host_str().is_some_and(|host| !host.is_empty())
                && url.username().is_empty()
                && url.password().is_none()
                && url.path() == "/"
                && url.query().is_none()
                && url.fragment().is_none()
        };
        Url::parse(&text).ok().filter(plain).map(Self).ok_or_else(|| {
            format!("{text:?} is not an address that platforms reach; write it like https://bot.example.org, without a path")
        })
    }
}
