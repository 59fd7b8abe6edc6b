//! How far have we heard, and what does a payload of the gateway ask of us? Pure: what is sent and
//! what follows a close is decided here, by what the platform says of its opcodes and close codes.

use std::collections::BTreeMap;

use bot_policy::event::{Addressed, ChatKind, EventKind, InboundEvent};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use serenity::model::gateway::GatewayIntents;

use crate::{AdapterError, Cursor};

/// How far a line has heard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Heard {
    /// The session that can be taken up again.
    pub(super) session: Option<Session>,
    /// The last message of each channel in which somebody spoke to us.
    #[serde(default)]
    pub(super) seen: BTreeMap<String, u64>,
}

/// A session of the gateway.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Session {
    pub(super) id: String,
    /// Where it is taken up again.
    pub(super) url: String,
    /// The last event of it that is stored.
    pub(super) seq: u64,
}

/// What a payload asks of us.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Said {
    /// Our heartbeat was heard.
    Acknowledged,
    /// A heartbeat is wanted at once.
    Beat,
    /// Something happened.
    Event { name: String, data: Value, seq: u64 },
    /// The session is over, or was never known; perhaps it can be taken up.
    Invalid { resumable: bool },
    /// Nothing that is known.
    Nothing,
    /// Another connection is wanted.
    Reconnect,
    /// The first words: how often a heartbeat is wanted, in milliseconds.
    Hello { interval: u64 },
}

/// What follows the end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// A new session.
    Identify,
    /// The same session, on another connection.
    Resume,
    /// Nothing, until somebody changes something.
    Stop(AdapterError),
}

impl Heard {
    /// Reads what was stored; what cannot be read is a beginning.
    pub(super) fn read(cursor: Option<Cursor>) -> Self {
        cursor
            .and_then(|Cursor(text)| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    pub(super) fn cursor(&self) -> Cursor {
        Cursor(serde_json::to_string(self).unwrap_or_default())
    }

    /// Notes the messages after which to look for missed ones.
    pub(super) fn note(&mut self, events: &[InboundEvent]) {
        for event in events {
            let EventKind::Message {
                message, addressed, ..
            } = &event.what
            else {
                continue;
            };
            let place = &event.place;
            let channel = place
                .thread
                .as_ref()
                .map_or(place.chat.as_str(), |id| id.as_str());
            let to_us = event.kind_of_chat == ChatKind::Direct || *addressed == Addressed::Bot;
            if let Ok(id) = message.as_str().parse::<u64>()
                && (to_us || self.seen.contains_key(channel))
            {
                let last = self.seen.entry(channel.to_owned()).or_default();
                *last = id.max(*last);
            }
        }
        while self.seen.len() > MOST_SEEN {
            let oldest = self.seen.iter().min_by_key(|(_, last)| **last);
            let Some(channel) = oldest.map(|(channel, _)| channel.clone()) else {
                break;
            };
            self.seen.remove(&channel);
        }
    }
}

/// What a payload says.
pub(super) fn said(mut payload: Value) -> Said {
    let data = payload.get_mut("d").map(Value::take).unwrap_or_default();
    match payload.get("op").and_then(Value::as_u64) {
        Some(0) => {
            let name = payload.get("t").and_then(Value::as_str);
            let seq = payload.get("s").and_then(Value::as_u64);
            match (name, seq) {
                (Some(name), Some(seq)) => Said::Event {
                    name: name.to_owned(),
                    data,
                    seq,
                },
                (_, _) => Said::Nothing,
            }
        }
        Some(1) => Said::Beat,
        Some(7) => Said::Reconnect,
        Some(9) => Said::Invalid {
            resumable: data == Value::Bool(true),
        },
        Some(10) => match data.get("heartbeat_interval").and_then(Value::as_u64) {
            Some(interval) => Said::Hello { interval },
            None => Said::Nothing,
        },
        Some(11) => Said::Acknowledged,
        Some(_) | None => Said::Nothing,
    }
}

/// What follows a close with this code (platform reference, "Gateway Close Event Codes").
pub(super) fn after(code: Option<u16>) -> Next {
    let portal = "at discord.com/developers";
    let stop = |why: String| Next::Stop(AdapterError::Setup(why));
    match code {
        Some(4004) => Next::Stop(AdapterError::Credentials(format!(
            "close 4004: the token is not known; take a new one {portal} (Bot, Reset Token) and put it where token_file or token_env says"
        ))),
        Some(code @ (4010 | 4011)) => stop(format!(
            "close {code}: the bot is in more servers than one connection may hear; take it out of some, {portal} it can also be made private (Bot, Public Bot off)"
        )),
        Some(4012) => stop(format!(
            "close 4012: it does not speak version {} of its gateway any more; update Postern",
            super::api::VERSION
        )),
        Some(4013) => stop(
            "close 4013: it does not know an intent that was asked for; update Postern".to_owned(),
        ),
        Some(4014) => stop(format!(
            "close 4014: Message Content Intent is not allowed to this bot; switch it on {portal} (Bot, Privileged Gateway Intents, Message Content Intent), or off and on again, then restart Postern"
        )),
        Some(4003 | 4007 | 4009 | 1000 | 1001) => Next::Identify,
        Some(_) | None => Next::Resume,
    }
}

/// Opens a new session.
pub(super) fn identify(token: &str, intents: GatewayIntents) -> Value {
    json!({"op": 2, "d": {
        "token": token,
        "intents": intents.bits(),
        "compress": true,
        "properties": {"os": "linux", "browser": "postern", "device": "postern"},
    }})
}

/// Takes a session up again.
pub(super) fn resume(token: &str, session: &Session) -> Value {
    json!({"op": 6, "d": {
        "token": token,
        "session_id": session.id,
        "seq": session.seq,
    }})
}

/// Says that we are there.
pub(super) fn beat(seq: Option<u64>) -> Value {
    json!({"op": 1, "d": seq})
}

/// How many channels are looked through for missed messages.
const MOST_SEEN: usize = 50;
