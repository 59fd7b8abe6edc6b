//! One connection to the gateway: JSON both ways, of which what comes may be compressed.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use flate2::read::ZlibDecoder;
use futures_util::{SinkExt, StreamExt};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::{
    Connector, MaybeTlsStream, WebSocketStream, connect_async_tls_with_config,
};
use url::Url;

use crate::AdapterError;

/// A connection.
pub(super) struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

/// What came.
#[derive(Debug, PartialEq)]
pub(super) enum Frame {
    /// It is over, with this code if there was one.
    Closed(Option<u16>),
    /// Something was said.
    Payload(Value),
    /// Something was said that cannot be read.
    Unreadable,
}

impl Socket {
    /// Connects.
    ///
    /// # Errors
    /// `Retry` when nobody answers there in time.
    pub(super) async fn open(url: &Url) -> Result<Self, AdapterError> {
        let mut url = url.clone();
        url.set_query(Some(&format!("v={}&encoding=json", super::api::VERSION)));
        let config = WebSocketConfig::default()
            .max_message_size(Some(LARGEST))
            .max_frame_size(Some(LARGEST));
        let connecting = connect_async_tls_with_config(
            url.as_str(),
            Some(config),
            false,
            Some(Connector::Rustls(Arc::new(tls()?))),
        );
        match timeout(PATIENCE, connecting).await {
            Ok(Ok((stream, _))) => Ok(Self(stream)),
            Ok(Err(_)) => Err(later("its gateway refuses the connection")),
            Err(_) => Err(later("its gateway did not answer in time")),
        }
    }

    /// What comes next.
    pub(super) async fn next(&mut self) -> Frame {
        loop {
            return match self.0.next().await {
                Some(Ok(Message::Text(text))) => read(text.as_bytes()),
                Some(Ok(Message::Binary(bytes))) => inflated(&bytes),
                Some(Ok(Message::Close(frame))) => {
                    Frame::Closed(frame.map(|frame| u16::from(frame.code)))
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
                Some(Err(_)) | None => Frame::Closed(None),
            };
        }
    }

    /// Says something. One that breaks is noticed by the next read.
    pub(super) async fn say(&mut self, payload: &Value) {
        let text = Message::text(payload.to_string());
        let _ = timeout(PATIENCE, self.0.send(text)).await;
    }

    /// Lets go of it so that the session stays (a close with 1000 or 1001 would end it).
    pub(super) async fn leave(mut self) {
        let frame = CloseFrame {
            code: CloseCode::from(LEAVING),
            reason: "".into(),
        };
        let _ = timeout(Duration::from_secs(1), self.0.close(Some(frame))).await;
    }
}

fn tls() -> Result<ClientConfig, AdapterError> {
    let roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| AdapterError::Refused("TLS cannot be set up on this machine".to_owned()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

fn read(bytes: &[u8]) -> Frame {
    serde_json::from_slice(bytes).map_or(Frame::Unreadable, Frame::Payload)
}

/// A compressed payload; one that would grow beyond reason cannot be read.
fn inflated(bytes: &[u8]) -> Frame {
    let mut json = Vec::new();
    let most = u64::try_from(LARGEST).unwrap_or(u64::MAX);
    match ZlibDecoder::new(bytes).take(most).read_to_end(&mut json) {
        Ok(_) => read(&json),
        Err(_) => Frame::Unreadable,
    }
}

fn later(why: &str) -> AdapterError {
    AdapterError::Retry {
        after: None,
        why: why.to_owned(),
    }
}

/// The largest payload, in bytes: a server with all its channels.
const LARGEST: usize = 32 << 20;
const PATIENCE: Duration = Duration::from_secs(10);
/// A close code of ours, from the range that is free for use.
const LEAVING: u16 = 4900;
