//! How are events heard through a socket? One connection at a time; each envelope is stored, then
//! acknowledged.
//!
//! ```text
//!  apps.connections.open -> connect -> hello -> envelope -> Inbox::accept -> its id sent back
//!                                        `-> silence, refusal, disconnect -> wait -> open again
//! ```

use std::time::Duration;

use bot_policy::secret::Secret;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};
use tracing::info;

use super::Slack;
use crate::patience::Patience;
use crate::{AdapterError, Inbox};

/// Hears until something is wrong that waiting does not mend.
pub(super) async fn listen(
    slack: &Slack,
    app: &Secret<String>,
    inbox: &dyn Inbox,
) -> Result<(), AdapterError> {
    let mut patience = Patience::default();
    loop {
        let begun = Instant::now();
        let ended = hear(slack, app, inbox).await;
        if begun.elapsed() > STEADY {
            patience = Patience::default();
            if let Ok(Ended::Asked) = ended {
                // As Slack does every few hours; nothing is in the way.
                info!(line = %slack.line, "the connection is renewed");
                continue;
            }
        }
        let error = match ended {
            Ok(Ended::Asked) => later("it asks us to connect again"),
            Ok(Ended::TurnedOff) => AdapterError::Setup(
                "Socket Mode is off; turn it on in the app's settings, or set mode to \"webhook\""
                    .to_owned(),
            ),
            Err(error) => error,
        };
        patience.wait(&slack.line, inbox, error).await?;
    }
}

/// Why Slack ended a connection.
enum Ended {
    /// It wants us on another one.
    Asked,
    /// Sockets are switched off for this app.
    TurnedOff,
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Hears through one connection until it ends.
async fn hear(
    slack: &Slack,
    app: &Secret<String>,
    inbox: &dyn Inbox,
) -> Result<Ended, AdapterError> {
    let url = slack.api.connection(app).await?;
    let limits = WebSocketConfig::default()
        .max_message_size(Some(LARGEST))
        .max_frame_size(Some(LARGEST));
    let connecting =
        tokio_tungstenite::connect_async_with_config(url.as_str(), Some(limits), false);
    let connected = timeout(CONNECT, connecting).await;
    let (mut socket, _) = connected
        .map_err(|_| later("the connection is not answered"))?
        .map_err(|_| later("no connection to it"))?;
    let mut greeted = false;
    loop {
        let envelope = match next(&mut socket).await? {
            Some(envelope) => envelope,
            None => continue,
        };
        match envelope.get("type").and_then(Value::as_str) {
            Some("hello") => {
                greeted = true;
                inbox.hearing(&slack.line, None);
            }
            Some("disconnect") => {
                let why = envelope.get("reason").and_then(Value::as_str);
                return Ok(match why {
                    Some("link_disabled") => Ended::TurnedOff,
                    Some(_) | None => Ended::Asked,
                });
            }
            _ => {
                if !greeted {
                    return Err(later("it does not greet us"));
                }
                if let Some(answer) = slack.envelope(&envelope, inbox).await? {
                    send(&mut socket, Message::text(answer.to_string())).await?;
                }
            }
        }
    }
}

/// The next envelope; none where a frame was none. A connection on which nothing is heard is asked
/// for a sign of life, and given up when none comes: it may be long gone at the other end.
async fn next(socket: &mut Socket) -> Result<Option<Value>, AdapterError> {
    let frame = match timeout(QUIET, socket.next()).await {
        Ok(frame) => frame,
        Err(_) => {
            send(socket, Message::Ping(Default::default())).await?;
            let frame = timeout(QUIET, socket.next()).await;
            frame.map_err(|_| later("nothing is heard from it any more"))?
        }
    };
    match frame {
        Some(Ok(Message::Text(text))) => Ok(serde_json::from_str(&text).ok()),
        Some(Ok(Message::Close(_))) | Some(Err(_)) | None => Err(later("the connection ended")),
        Some(Ok(Message::Binary(_) | Message::Frame(_) | Message::Ping(_) | Message::Pong(_))) => {
            Ok(None)
        }
    }
}

async fn send(socket: &mut Socket, message: Message) -> Result<(), AdapterError> {
    let sent = timeout_at(Instant::now() + QUIET, socket.send(message)).await;
    match sent {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) | Err(_) => Err(later("the connection ended")),
    }
}

/// What tells Slack that an envelope arrived, with what its sender is told in private.
pub(super) fn acknowledgement(id: &str, told: Option<&str>) -> Value {
    match told {
        Some(told) => json!({"envelope_id": id, "payload": {"text": told}}),
        None => json!({"envelope_id": id}),
    }
}

fn later(why: &str) -> AdapterError {
    AdapterError::Retry {
        after: None,
        why: why.to_owned(),
    }
}

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(20);
/// How long nothing may be heard before we ask, and after. Slack's own pings come more often.
const QUIET: Duration = Duration::from_secs(15);
/// A connection that lasted so long was a good one: what ends it is no sign of trouble.
const STEADY: Duration = Duration::from_secs(60);
/// The largest envelope that is read, in bytes.
const LARGEST: usize = 4 << 20;
