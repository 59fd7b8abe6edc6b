//! How do others reach what listens here? By TLS of our own, or through proxies that are named.

use std::net::IpAddr;
use std::path::PathBuf;

use ipnet::IpNet;
use serde::Deserialize;

/// The files of a listener that speaks TLS itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsFiles {
    /// The certificate and those that vouch for it, in PEM, its own first.
    pub certificate_file: PathBuf,
    /// Its private key in PEM, a file for us alone.
    pub key_file: PathBuf,
}

/// Proxies in front of what listens.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Proxies {
    /// Where they are. Only they are believed when they say for whom they ask.
    #[serde(deserialize_with = "networks")]
    pub trusted: Vec<IpNet>,
}

fn networks<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<IpNet>, D::Error> {
    let written = Vec::<Network>::deserialize(from)?;
    Ok(written.into_iter().map(|network| network.0).collect())
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Network(IpNet);

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let one = || text.parse::<IpAddr>().ok().map(IpNet::from);
        let network = text.parse().ok().or_else(one).ok_or_else(|| {
            format!("{text:?} is no address; write it like 127.0.0.1 or 10.0.0.0/8")
        })?;
        if network.prefix_len() == 0 {
            return Err(format!(
                "{text:?} is everybody; name the address of your proxy alone"
            ));
        }
        Ok(Self(network))
    }
}
