//! Where does a listener stand, and for whom is a request made? A proxy is believed only where the
//! owner named its address.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::HeaderMap;
use ipnet::IpNet;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// A listener, and how it is reached.
pub struct Front {
    /// Where connections come in.
    pub listener: TcpListener,
    /// How it speaks TLS; in the clear where it does not.
    pub tls: Option<TlsAcceptor>,
    /// Which proxies stand in front of it.
    pub proxies: Arc<Proxies>,
}

/// The proxies that are believed.
#[derive(Clone, Debug, Default)]
pub struct Proxies(Vec<IpNet>);

impl From<TcpListener> for Front {
    fn from(listener: TcpListener) -> Self {
        Self {
            listener,
            tls: None,
            proxies: Arc::default(),
        }
    }
}

impl Proxies {
    /// These are believed, and nobody else.
    pub fn new(trusted: Vec<IpNet>) -> Self {
        Self(trusted)
    }

    /// Whether this address is one of them.
    pub fn believed(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.0.iter().any(|network| network.contains(&peer))
    }

    /// For whom a request is made. What a proxy says stands at the end of `X-Forwarded-For`; what
    /// stands before the last address that is no proxy's was written by whoever asks, and means
    /// nothing.
    pub fn source(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut source = peer.to_canonical();
        let lines: Vec<_> = headers.get_all(FORWARDED).iter().collect();
        let hops = lines
            .iter()
            .rev()
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.rsplit(','));
        for hop in hops {
            if !self.believed(source) {
                break;
            }
            match hop.trim().parse::<IpAddr>() {
                Ok(hop) => source = hop.to_canonical(),
                Err(_) => break,
            }
        }
        source
    }
}

const FORWARDED: &str = "x-forwarded-for";
