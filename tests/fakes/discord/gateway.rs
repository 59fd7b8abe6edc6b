//! The gateway: one connection, one session, in the order and within the limits of the real one.

use std::collections::HashMap;
use std::io::Write;
use std::time::{Duration, Instant};

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State as Extract};
use axum::http::Uri;
use axum::response::Response;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::Shared;
use super::seen::{Call, GUILD};
use super::state::{MESSAGE_CONTENT, Session, State};

/// What a connection is told to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    Close(u16),
    /// Says this, which is no payload.
    Garbage(Vec<u8>),
    HangUp,
    Invalid(bool),
    Reconnect,
}

/// The name of an event that nobody can read, however often it is told.
pub(super) const GARBLED: &str = "GARBLED";
/// All intents that there are.
const INTENTS: u64 = 0x1_FFFF | 1 << 20 | 1 << 21 | 1 << 24 | 1 << 25;

/// Takes a connection.
pub async fn connect(
    Extract(shared): Extract<Shared>,
    uri: Uri,
    Query(query): Query<HashMap<String, String>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let path = uri.path().trim_end_matches('/').to_owned();
    upgrade.on_upgrade(move |socket| async move {
        let orders = {
            let mut state = shared.lock();
            state.connects += 1;
            state.connections += 1;
            state.silent = false;
            state.orders.len()
        };
        shared.changed();
        let mut line = Line {
            shared: shared.clone(),
            socket,
            session: None,
            number: shared.lock().connects as u64,
            orders,
            beats: Vec::new(),
            payloads: 0,
        };
        line.serve(&path, &query).await;
        let mut state = shared.lock();
        state.connections -= 1;
        if let Some(id) = &line.session
            && let Some(session) = state.sessions.get_mut(id)
            && session.holder == line.number
        {
            session.connected = false;
        }
        drop(state);
        shared.changed();
    })
}

struct Line {
    shared: Shared,
    socket: WebSocket,
    session: Option<String>,
    number: u64,
    orders: usize,
    beats: Vec<Instant>,
    payloads: usize,
}

impl Line {
    async fn serve(&mut self, path: &str, query: &HashMap<String, String>) {
        let (version, encoding) = (query.get("v"), query.get("encoding"));
        if !version.is_some_and(|version| matches!(version.as_str(), "9" | "10")) {
            return self.close(4012, "Invalid API version").await;
        }
        if encoding.is_some_and(|encoding| encoding != "json") || query.contains_key("compress") {
            return self.close(4002, "only plain JSON is spoken here").await;
        }
        let refused = {
            let mut state = self.shared.lock();
            let (left, code) = state.refusals;
            state.refusals.0 = left.saturating_sub(1);
            (left > 0).then_some(code)
        };
        if let Some(code) = refused {
            return self.close(code, "refused").await;
        }
        let interval = self.shared.lock().interval;
        self.say(json!({"op": 10, "d": {"heartbeat_interval": interval, "_trace": ["[\"fake\"]"]}, "s": null, "t": null})).await;
        let mut watch = self.shared.watch();
        loop {
            watch.borrow_and_update();
            if self.shared.lock().over || !self.obey().await || !self.tell().await {
                return;
            }
            tokio::select! {
                frame = self.socket.recv() => match frame {
                    Some(Ok(Message::Text(text))) => if !self.hear(path, text.as_str()).await { return },
                    Some(Ok(Message::Binary(_))) => return self.close(4002, "Error while decoding payload.").await,
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    Some(Ok(Message::Close(frame))) => {
                        // An end that says so ends the session.
                        if frame.is_some_and(|frame| matches!(frame.code, 1000 | 1001))
                            && let Some(id) = &self.session
                        {
                            self.shared.lock().sessions.remove(id);
                        }
                        return;
                    }
                    Some(Err(_)) | None => return,
                },
                _ = watch.changed() => {}
            }
        }
    }

    /// Does what was ordered meanwhile. False when that was the end.
    async fn obey(&mut self) -> bool {
        loop {
            let order = self.shared.lock().orders.get(self.orders).cloned();
            let Some(order) = order else { return true };
            self.orders += 1;
            match order {
                Order::Close(code) => {
                    self.close(code, "closed on purpose").await;
                    return false;
                }
                Order::Garbage(bytes) => {
                    let _ = self.socket.send(Message::Binary(bytes.into())).await;
                }
                Order::HangUp => return false,
                Order::Reconnect => {
                    self.say(json!({"op": 7, "d": null, "s": null, "t": null}))
                        .await
                }
                Order::Invalid(resumable) => {
                    if !resumable && let Some(id) = &self.session {
                        self.shared.lock().sessions.remove(id);
                    }
                    self.say(json!({"op": 9, "d": resumable, "s": null, "t": null}))
                        .await;
                }
            }
        }
    }

    /// Tells what happened. False when another connection took the session.
    async fn tell(&mut self) -> bool {
        let Some(id) = self.session.clone() else {
            return true;
        };
        loop {
            let next = {
                let mut state = self.shared.lock();
                let Some(session) = state.sessions.get_mut(&id) else {
                    return true;
                };
                if session.holder != self.number {
                    return false;
                }
                let next = session.log.get(session.sent).cloned();
                if next.is_some() {
                    session.sent += 1;
                }
                next.map(|(name, data)| (name, data, session.sent))
            };
            let Some((name, data, seq)) = next else {
                return true;
            };
            if name == GARBLED {
                let half = Message::Binary(vec![0x78, 0x01, 0x4b, 0x4c].into());
                let _ = self.socket.send(half).await;
                continue;
            }
            self.say(json!({"op": 0, "t": name, "d": data, "s": seq}))
                .await;
            self.shared.changed();
        }
    }

    /// Takes a payload. False when that was the end.
    async fn hear(&mut self, path: &str, text: &str) -> bool {
        let now = Instant::now();
        self.beats
            .retain(|at| now.duration_since(*at) < Duration::from_secs(60));
        self.beats.push(now);
        if text.len() > 4096 {
            self.close(4002, "Error while decoding payload.").await;
            return false;
        }
        if self.beats.len() > 120 {
            self.close(4008, "Rate limited.").await;
            return false;
        }
        let Ok(payload) = serde_json::from_str::<Value>(text) else {
            self.close(4002, "Error while decoding payload.").await;
            return false;
        };
        let op = payload["op"].as_u64();
        self.shared.lock().calls.push(Call {
            kind: format!("WS {}", op.unwrap_or(99)),
            path: path.to_owned(),
            body: payload["d"].clone(),
        });
        self.shared.changed();
        let refusal = match op {
            Some(1) => {
                if !self.shared.lock().silent {
                    self.say(json!({"op": 11, "d": null, "s": null, "t": null}))
                        .await;
                }
                None
            }
            Some(2) if self.session.is_some() => Some((4005, "Already authenticated.")),
            Some(2) => self.identify(&payload["d"]),
            Some(6) => return self.resume(&payload["d"]).await,
            Some(_) if self.session.is_none() => Some((4003, "Not authenticated.")),
            Some(3 | 4 | 8) => None,
            Some(_) | None => Some((4001, "Unknown opcode.")),
        };
        match refusal {
            Some((code, why)) => {
                self.close(code, why).await;
                false
            }
            None => true,
        }
    }

    fn identify(&mut self, data: &Value) -> Option<(u16, &'static str)> {
        let mut state = self.shared.lock();
        let token = data["token"].as_str().unwrap_or("");
        if token != state.token {
            return Some((4004, "Authentication failed."));
        }
        if !data["properties"].is_object() {
            return Some((4002, "Error while decoding payload."));
        }
        let Some(intents) = data["intents"].as_u64() else {
            return Some((4013, "Invalid intent(s)."));
        };
        if intents & !INTENTS != 0 {
            return Some((4013, "Invalid intent(s)."));
        }
        if intents & MESSAGE_CONTENT != 0 && !state.content {
            return Some((4014, "Disallowed intent(s)."));
        }
        state.next += 1;
        let id = format!("session{}", state.next);
        let session = Session {
            intents,
            compress: data["compress"] == true,
            log: beginning(&state, &id),
            sent: 0,
            connected: true,
            holder: self.number,
        };
        state.sessions.insert(id.clone(), session);
        self.session = Some(id);
        None
    }

    async fn resume(&mut self, data: &Value) -> bool {
        let right = data["token"].as_str() == Some(self.shared.lock().token.as_str());
        if !right {
            self.close(4004, "Authentication failed.").await;
            return false;
        }
        let id = data["session_id"].as_str().unwrap_or("").to_owned();
        let seq = usize::try_from(data["seq"].as_u64().unwrap_or(0)).unwrap();
        let known = {
            let mut state = self.shared.lock();
            match state.sessions.get_mut(&id) {
                Some(session) if seq <= session.log.len() => {
                    session.sent = seq;
                    session.connected = true;
                    session.holder = self.number;
                    session
                        .log
                        .push(("RESUMED".to_owned(), json!({"_trace": []})));
                    Ok(true)
                }
                Some(_) => Err(4007),
                None => Ok(false),
            }
        };
        match known {
            Ok(true) => {
                self.session = Some(id);
                true
            }
            Ok(false) => {
                self.say(json!({"op": 9, "d": false, "s": null, "t": null}))
                    .await;
                true
            }
            Err(code) => {
                self.close(code, "Invalid seq.").await;
                false
            }
        }
    }

    async fn say(&mut self, payload: Value) {
        let compress = {
            let state = self.shared.lock();
            let session = self.session.as_ref().and_then(|id| state.sessions.get(id));
            session.is_some_and(|session| session.compress)
        };
        self.payloads += 1;
        let text = payload.to_string();
        // Both ways are seen by everyone who hears more than one.
        let message = if compress && self.payloads.is_multiple_of(2) {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text.as_bytes()).unwrap();
            Message::Binary(encoder.finish().unwrap().into())
        } else {
            Message::Text(text.into())
        };
        let _ = timeout(Duration::from_secs(5), self.socket.send(message)).await;
    }

    async fn close(&mut self, code: u16, reason: &'static str) {
        let frame = CloseFrame {
            code,
            reason: reason.into(),
        };
        let _ = self.socket.send(Message::Close(Some(frame))).await;
        // Until the other side has seen it.
        let _ = timeout(Duration::from_secs(1), self.socket.recv()).await;
    }
}

/// What every new session is told first.
fn beginning(state: &State, id: &str) -> Vec<(String, Value)> {
    let guild = GUILD.to_string();
    let guilds = match state.in_guild {
        true => vec![json!({"id": guild, "unavailable": true})],
        false => Vec::new(),
    };
    let ready = json!({
        "v": 10, "user": state.bot(), "guilds": guilds, "session_id": id,
        "resume_gateway_url": format!("ws://{}/resume", state.host), "session_type": "normal",
        "application": {"id": state.application()["id"], "flags": state.application()["flags"]},
        "private_channels": [], "relationships": [], "presences": [],
    });
    let mut log = vec![("READY".to_owned(), ready)];
    if state.in_guild {
        let of_guild = |thread: bool| -> Vec<Value> {
            let all = state.rooms.values().map(|room| room.about.clone());
            all.filter(|about| about.get("guild_id").is_some())
                .filter(|about| (about["type"] == 11) == thread)
                .collect()
        };
        let whole = json!({
            "id": guild, "name": "Server", "channels": of_guild(false), "threads": of_guild(true),
            "members": [], "roles": [], "emojis": [], "stickers": [], "features": [],
            "presences": [], "voice_states": [], "stage_instances": [], "guild_scheduled_events": [],
            "soundboard_sounds": [], "owner_id": "1", "unavailable": false, "large": false,
            "member_count": 1, "joined_at": "2026-01-01T00:00:00+00:00", "preferred_locale": "en-US",
            "verification_level": 0, "default_message_notifications": 0,
            "explicit_content_filter": 0, "mfa_level": 0, "nsfw_level": 0, "premium_tier": 0,
            "system_channel_flags": 0, "afk_timeout": 300,
        });
        log.push(("GUILD_CREATE".to_owned(), whole));
    }
    log
}
