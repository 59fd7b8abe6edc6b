//! How are events heard? Over one connection; stored first. What is stored is how far we have
//! heard, so that a new connection goes on from there and nothing is lost between two of them.
//!
//! ```text
//!  connection -> reader: heartbeats, presses answered at once -> queue
//!  queue -> worker: which channel is it? decode, Inbox::accept with the session and its count
//! ```

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use serenity::model::gateway::GatewayIntents;
use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval_at, sleep, timeout};
use tracing::{debug, info, warn};
use url::Url;

use super::session::{self, Heard, Next, Said, Session};
use super::socket::{Frame, Socket};
use super::work::{Event, Worker};
use super::{Discord, interact};
use crate::http::Repeat;
use crate::patience::{Patience, now};
use crate::{AdapterError, Inbox};

/// Hears until something is wrong that waiting does not mend.
pub(super) async fn listen(line: &Discord, inbox: &dyn Inbox) -> Result<(), AdapterError> {
    let mut heard = Heard::read(inbox.heard(&line.line).await?);
    let mut patience = Patience::default();
    loop {
        let begun = Instant::now();
        let ended = connected(line, inbox, &mut heard, &patience).await;
        if begun.elapsed() > STEADY {
            patience = Patience::default();
        }
        let trouble = match ended {
            Ok(Next::Stop(error)) => return Err(error),
            Ok(Next::Identify) => {
                heard.session = None;
                later("its gateway ended the session")
            }
            Ok(Next::Resume) => later("its gateway closed the connection"),
            Err(error) => error,
        };
        patience.wait(&line.line, inbox, trouble).await?;
    }
}

/// One connection, from its first word to its last.
async fn connected(
    line: &Discord,
    inbox: &dyn Inbox,
    heard: &mut Heard,
    patience: &Patience,
) -> Result<Next, AdapterError> {
    let me = line.us().await?;
    let before = heard.session.clone();
    let (url, intents) = match &before {
        Some(session) => (session.url.clone(), GatewayIntents::empty()),
        None => (gateway(line).await?, line.intents().await?),
    };
    let url = Url::parse(&url).ok().filter(|url| line.api.is_gateway(url));
    let Some(url) = url else {
        heard.session = None;
        return Err(AdapterError::Retry {
            after: None,
            why: "it names a gateway that is not its own".to_owned(),
        });
    };
    let mut socket = match Socket::open(&url).await {
        Ok(socket) => socket,
        // Where a session is taken up may be gone for good; after a while a new one is opened.
        Err(error) => {
            if patience.failures > TRIES_TO_RESUME {
                heard.session = None;
            }
            return Err(error);
        }
    };
    let hello = timeout(HELLO, socket.next()).await;
    let interval = match hello.map(|frame| match frame {
        Frame::Payload(payload) => Ok(session::said(payload)),
        Frame::Unreadable => Ok(Said::Nothing),
        Frame::Closed(code) => Err(code),
    }) {
        Ok(Ok(Said::Hello { interval })) => Duration::from_millis(interval.clamp(50, 300_000)),
        Ok(Err(code)) => return Ok(session::after(code)),
        Ok(Ok(_)) | Err(_) => return Err(later("its gateway does not say hello")),
    };
    let token = line.api.token().reveal();
    socket
        .say(&match &before {
            Some(session) => session::resume(token, session),
            None => session::identify(token, intents),
        })
        .await;
    let (queue, events) = mpsc::channel(QUEUE);
    let mut worker = Worker {
        line,
        me: &me,
        inbox,
        heard,
        troubled: patience.failures > 0,
    };
    let work = worker.run(events);
    let read = read(
        line,
        socket,
        interval,
        before.map(|session| session.seq),
        queue,
    );
    tokio::pin!(work, read);
    tokio::select! {
        // What was read is still stored.
        next = &mut read => {
            work.await?;
            next
        }
        done = &mut work => {
            done?;
            Err(later("events come faster than they can be stored"))
        }
    }
}

/// Where a new session is opened.
async fn gateway(line: &Discord) -> Result<String, AdapterError> {
    let path = "/gateway/bot";
    let answer = line
        .api
        .call(reqwest::Method::GET, path, None, Repeat::Harmless);
    let answer = answer.await?;
    let starts = answer.get("session_start_limit");
    let number = |key: &str| starts?.get(key)?.as_u64();
    if number("remaining") == Some(0) {
        let after = number("reset_after").map(Duration::from_millis);
        return Err(AdapterError::Retry {
            after: Some(after.unwrap_or(Duration::from_secs(600))),
            why: "too many sessions were opened today".to_owned(),
        });
    }
    let url = answer.get("url").and_then(Value::as_str);
    url.map(ToOwned::to_owned)
        .ok_or_else(|| later("it does not say where its gateway is"))
}

/// Reads a connection until it ends. Answers presses before anything else is done about them.
async fn read(
    line: &Discord,
    mut socket: Socket,
    interval: Duration,
    mut seq: Option<u64>,
    queue: mpsc::Sender<Event>,
) -> Result<Next, AdapterError> {
    // Not all lines that were cut off together come back in the same moment.
    let first = interval.mul_f64(f64::from(u32::try_from(now().0 % 1000).unwrap_or(0)) / 1000.0);
    let mut beats = interval_at(tokio::time::Instant::now() + first, interval);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut acknowledged, mut heard) = (true, 0_u64);
    let mut answers = FuturesUnordered::new();
    let next = loop {
        let frame = tokio::select! {
            frame = socket.next() => frame,
            _ = beats.tick() => {
                if !acknowledged {
                    info!(line = %line.line, "a heartbeat was not answered");
                    socket.leave().await;
                    break Ok(Next::Resume);
                }
                acknowledged = false;
                socket.say(&session::beat(seq)).await;
                continue;
            }
            Some(answered) = answers.next(), if !answers.is_empty() => {
                note_answer(line, answered);
                continue;
            }
        };
        let payload = match frame {
            Frame::Payload(payload) => payload,
            // It is told again. If it still cannot be read, no more is waited for: what was said is
            // fetched in a new session.
            Frame::Unreadable => {
                warn!(line = %line.line, "the gateway said something that cannot be read");
                socket.leave().await;
                break Ok(match heard {
                    0 => Next::Identify,
                    _ => Next::Resume,
                });
            }
            Frame::Closed(code) => {
                debug!(line = %line.line, code, "the gateway closed");
                break Ok(session::after(code));
            }
        };
        match session::said(payload) {
            Said::Acknowledged => acknowledged = true,
            Said::Beat => socket.say(&session::beat(seq)).await,
            Said::Event {
                name,
                data,
                seq: count,
            } => {
                seq = Some(count);
                heard += 1;
                if name == "INTERACTION_CREATE" {
                    let interaction = data.clone();
                    answers.push(async move { interact::answer(&line.api, &interaction).await });
                }
                let event = Event {
                    name,
                    data,
                    seq: count,
                };
                if queue.try_send(event).is_err() {
                    socket.leave().await;
                    break Err(later("events come faster than they can be stored"));
                }
            }
            Said::Invalid { resumable } => {
                // The platform asks to wait for one to five seconds before the next try.
                let more = u64::try_from(now().0 % 1000).unwrap_or(0);
                sleep(Duration::from_millis(1000 + more)).await;
                break Ok(match resumable {
                    true => Next::Resume,
                    false => Next::Identify,
                });
            }
            Said::Reconnect => {
                socket.leave().await;
                break Ok(Next::Resume);
            }
            Said::Hello { .. } | Said::Nothing => {}
        }
    };
    let rest = async {
        while let Some(answered) = answers.next().await {
            note_answer(line, answered);
        }
    };
    let _ = timeout(Duration::from_secs(3), rest).await;
    next
}

fn note_answer(line: &Discord, answered: Result<(), AdapterError>) {
    if let Err(error) = answered {
        warn!(line = %line.line, %error, "a press or command was not answered in time");
    }
}

pub(super) fn later(why: &str) -> AdapterError {
    AdapterError::Retry {
        after: None,
        why: why.to_owned(),
    }
}

impl Session {
    /// The session that READY opens.
    pub(super) fn opened(ready: &Value, seq: u64) -> Option<Self> {
        let text = |key: &str| ready.get(key)?.as_str().map(ToOwned::to_owned);
        Some(Self {
            id: text("session_id")?,
            url: text("resume_gateway_url")?,
            seq,
        })
    }
}

/// A connection that lived so long was a good one: the next wait is short again.
const STEADY: Duration = Duration::from_secs(60);
const HELLO: Duration = Duration::from_secs(10);
/// How many events wait to be stored.
const QUEUE: usize = 4096;
const TRIES_TO_RESUME: u32 = 3;
