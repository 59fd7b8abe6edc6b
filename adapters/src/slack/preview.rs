//! What stands there while an answer is being written? A stream in a thread, where Slack shows one,
//! else a message that is changed; the answer takes its place.
//!
//! Where it stands is not stored. After a start, and after a call that was given up, the newest
//! message of ours that is no whole one is looked for before anything is sent.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bot_policy::id::Place;
use serde_json::{Value, json};

use super::api::Api;
use super::decode::Me;
use super::encode::{self, Dress, LETTER};
use crate::AdapterError;
use crate::http::Repeat;

/// What is being written, by place.
#[derive(Debug, Default)]
pub(super) struct Previews(Mutex<BTreeMap<Place, State>>);

#[derive(Clone, Debug)]
enum State {
    /// A call was made whose outcome is not known.
    Begun,
    /// Nothing stands there.
    Clean,
    /// This stands there.
    Shown(Shown),
}

/// An unfinished message on the screen.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    ts: String,
    text: String,
    kind: Kind,
    not_before: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Message,
    Stream,
}

impl Previews {
    /// Shows more of the text, where the last change is long enough ago.
    pub(super) async fn show(
        &self,
        api: &Api,
        place: &Place,
        text: &str,
    ) -> Result<(), AdapterError> {
        let now = Instant::now();
        match self.state(place) {
            Some(State::Shown(shown)) if now < shown.not_before => Ok(()),
            Some(State::Shown(shown)) => self.go_on(api, place, shown, text).await,
            Some(State::Clean) => self.begin(api, place, text).await,
            // What may stand there is found out when the next letter is sent.
            Some(State::Begun) | None => Ok(()),
        }
    }

    async fn begin(&self, api: &Api, place: &Place, text: &str) -> Result<(), AdapterError> {
        let thread = place.thread.as_ref().map(|thread| thread.as_str());
        let Some(part) = encode::preview(text) else {
            return Ok(());
        };
        // If this is given up half-way, nobody knows what stands there.
        self.set(place, State::Begun);
        if let Some(thread) = thread {
            let start = json!({
                "channel": place.chat.as_str(),
                "thread_ts": thread,
                "markdown_text": encode::streamed(text),
            });
            match api.call("chat.startStream", &start, Repeat::Visible).await {
                Ok(started) => return self.stands(place, &started, text, Kind::Stream),
                // Streams are not for every workspace; a message that is changed is.
                Err(AdapterError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        let call = part.send(place.chat.as_str(), thread, Dress::Blocks);
        match api.call("chat.postMessage", &call, Repeat::Visible).await {
            Ok(posted) => self.stands(place, &posted, text, Kind::Message),
            Err(error @ (AdapterError::Refused(_) | AdapterError::Retry { .. })) => {
                self.set(place, State::Clean);
                Err(error)
            }
            Err(error) => Err(error),
        }
    }

    async fn go_on(
        &self,
        api: &Api,
        place: &Place,
        shown: Shown,
        text: &str,
    ) -> Result<(), AdapterError> {
        let channel = place.chat.as_str();
        let (method, call) = match shown.kind {
            Kind::Message => {
                let Some(part) = encode::preview(text) else {
                    return Ok(());
                };
                ("chat.update", part.edit(channel, &shown.ts, Dress::Blocks))
            }
            Kind::Stream => {
                let (before, now) = (encode::streamed(&shown.text), encode::streamed(text));
                // What was said cannot be taken back in a stream; the answer will.
                let Some(more) = now
                    .strip_prefix(before.as_str())
                    .filter(|more| !more.is_empty())
                else {
                    return Ok(());
                };
                let more = json!({"channel": channel, "ts": shown.ts, "markdown_text": more});
                ("chat.appendStream", more)
            }
        };
        // Noted before the call: what may have been said is not said again.
        let ts = shown.ts.clone();
        let said = Shown {
            text: text.to_owned(),
            not_before: Instant::now() + PAUSE,
            ..shown
        };
        self.set(place, State::Shown(said));
        let changed = api.call(method, &call, Repeat::Harmless).await;
        changed.map(drop).map_err(|error| match error {
            AdapterError::Refused(why) => AdapterError::Refused(format!("{why} for {ts}")),
            other => other,
        })
    }

    /// What an answer takes the place of, if anything stands there.
    pub(super) async fn standing(
        &self,
        api: &Api,
        me: &Me,
        place: &Place,
    ) -> Result<Option<Shown>, AdapterError> {
        match self.state(place) {
            Some(State::Clean) => Ok(None),
            Some(State::Shown(shown)) => Ok(Some(shown)),
            Some(State::Begun) | None => {
                let found = left_behind(api, me, place).await?;
                let state = match &found {
                    Some(shown) => State::Shown(shown.clone()),
                    None => State::Clean,
                };
                self.set(place, state);
                Ok(found)
            }
        }
    }

    /// An answer took its place.
    pub(super) fn clear(&self, place: &Place) {
        self.set(place, State::Clean);
    }

    fn stands(
        &self,
        place: &Place,
        answer: &Value,
        text: &str,
        kind: Kind,
    ) -> Result<(), AdapterError> {
        let ts = answer.get("ts").and_then(Value::as_str);
        let ts = ts.ok_or(AdapterError::Ambiguous)?.to_owned();
        let shown = Shown {
            ts,
            text: text.to_owned(),
            kind,
            not_before: Instant::now() + PAUSE,
        };
        self.set(place, State::Shown(shown));
        Ok(())
    }

    fn state(&self, place: &Place) -> Option<State> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(place).cloned()
    }

    fn set(&self, place: &Place, state: State) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_PLACES && !all.contains_key(place) {
            all.clear();
        }
        all.insert(place.clone(), state);
    }
}

impl Shown {
    /// What it is called.
    pub(super) fn ts(&self) -> &str {
        &self.ts
    }

    /// Ends a stream, so that what stands there can be changed like any message.
    pub(super) async fn end(&self, api: &Api, place: &Place) -> Result<(), AdapterError> {
        if self.kind == Kind::Message {
            return Ok(());
        }
        let stop = json!({"channel": place.chat.as_str(), "ts": self.ts});
        match api.call("chat.stopStream", &stop, Repeat::Harmless).await {
            // It ended by itself.
            Ok(_) | Err(AdapterError::Refused(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// The newest message of ours in a place, where it is no whole one.
async fn left_behind(api: &Api, me: &Me, place: &Place) -> Result<Option<Shown>, AdapterError> {
    let channel = place.chat.as_str();
    let read = match &place.thread {
        None => {
            let form = [("channel", channel), ("limit", LOOKED_AT)];
            api.ask("conversations.history", &form).await
        }
        Some(thread) => {
            let form = [
                ("channel", channel),
                ("ts", thread.as_str()),
                ("limit", "200"),
            ];
            api.ask("conversations.replies", &form).await
        }
    };
    let read = match read {
        Ok(read) => read,
        // Without the scope nothing was shown either.
        Err(AdapterError::Refused(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let messages = read.get("messages").and_then(Value::as_array);
    let ours = messages.into_iter().flatten().filter(|message| {
        text(message, "bot_id").as_ref() == Some(&me.bot) && message.get("files").is_none()
    });
    let newest = ours.max_by_key(|message| text(message, "ts"));
    let whole = |message: &&Value| {
        let blocks = message.get("blocks").and_then(Value::as_array);
        let named = |block: &Value| text(block, "block_id").as_deref() == Some(LETTER);
        let metadata = message
            .get("metadata")
            .and_then(|data| text(data, "event_type"));
        blocks.is_some_and(|blocks| blocks.iter().any(named)) || metadata.as_deref() == Some(LETTER)
    };
    let ts = newest
        .filter(|message| !whole(message))
        .and_then(|message| text(message, "ts"));
    Ok(ts.map(|ts| Shown {
        ts,
        text: String::new(),
        kind: Kind::Stream,
        not_before: Instant::now(),
    }))
}

/// How long it is at least from one change to the next (chat.update: 50 in a minute).
const PAUSE: Duration = Duration::from_millis(1200);
/// How many messages are looked through for one that was left behind.
const LOOKED_AT: &str = "15";
/// How many places are remembered.
const MOST_PLACES: usize = 1000;
