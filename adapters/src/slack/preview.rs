//! How does an answer grow while it is written? As a stream in a thread, where Slack shows one, else
//! as a message that is changed.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bot_policy::id::{MessageRef, Place};
use serde_json::{Value, json};

use super::api::Api;
use super::decode::Me;
use super::encode;
use crate::http::Repeat;
use crate::{AdapterError, SendKey};

/// What each stream of ours holds, by its place and name. It is forgotten with the program: a stream
/// that goes on after that is ended, and is a message like any other.
#[derive(Debug, Default)]
pub(super) struct Streams(Mutex<BTreeMap<(Place, MessageRef), String>>);

impl Streams {
    /// Begins a stream with this text; none where Slack shows none: outside of threads, and in a
    /// workspace without them.
    pub(super) async fn begin(
        &self,
        api: &Api,
        place: &Place,
        text: &str,
    ) -> Result<Option<MessageRef>, AdapterError> {
        let Some(thread) = &place.thread else {
            return Ok(None);
        };
        let start = json!({
            "channel": place.chat.as_str(),
            "thread_ts": thread.as_str(),
            "markdown_text": encode::streamed(text),
        });
        let started = match api.call("chat.startStream", &start, Repeat::Visible).await {
            Ok(started) => started,
            Err(AdapterError::Refused(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let name = named(&started)?;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_STREAMS {
            all.clear();
        }
        all.insert((place.clone(), name.clone()), text.to_owned());
        Ok(Some(name))
    }

    /// Adds what a text has more than a stream; gives nothing where it is no stream that we know.
    pub(super) async fn grow(
        &self,
        api: &Api,
        place: &Place,
        on: &MessageRef,
        text: &str,
    ) -> Result<Option<()>, AdapterError> {
        let which = (place.clone(), on.clone());
        let more = {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(before) = all.get_mut(&which) else {
                return Ok(None);
            };
            let (said, now) = (encode::streamed(before), encode::streamed(text));
            // What was said cannot be taken back in a stream; the answer will.
            let Some(more) = now
                .strip_prefix(said.as_str())
                .filter(|more| !more.is_empty())
            else {
                return Ok(Some(()));
            };
            // Noted before the call: what may have been said is not said again.
            text.clone_into(before);
            more.to_owned()
        };
        let (channel, ts) = (place.chat.as_str(), on.as_str());
        let more = json!({"channel": channel, "ts": ts, "markdown_text": more});
        match api.call("chat.appendStream", &more, Repeat::Visible).await {
            // What is added late is added before the stream ends, or not at all.
            Ok(_) | Err(AdapterError::Ambiguous) => Ok(Some(())),
            Err(error) => Err(error),
        }
    }

    /// Ends a stream if it is one that we know, so that it can be changed like any message.
    pub(super) async fn end(
        &self,
        api: &Api,
        place: &Place,
        on: &MessageRef,
    ) -> Result<(), AdapterError> {
        let which = (place.clone(), on.clone());
        let known = |all: &Mutex<BTreeMap<_, _>>| {
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.remove(&which).is_some()
        };
        if known(&self.0) {
            stop(api, place, on).await?;
        }
        Ok(())
    }
}

/// What ending a stream found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// It was one, and is a message now.
    Now,
    /// It was none, or none any more.
    Not,
}

/// Ends a stream.
pub(super) async fn stop(
    api: &Api,
    place: &Place,
    on: &MessageRef,
) -> Result<Stopped, AdapterError> {
    let stop = json!({"channel": place.chat.as_str(), "ts": on.as_str()});
    match api.call("chat.stopStream", &stop, Repeat::Harmless).await {
        Ok(_) => Ok(Stopped::Now),
        Err(AdapterError::Refused(_)) => Ok(Stopped::Not),
        Err(error) => Err(error),
    }
}

/// Looks for a message that an earlier call may have begun: one that bears its key, else our newest
/// one, if it is a stream that Slack holds for unfinished.
pub(super) async fn begun(
    api: &Api,
    me: &Me,
    place: &Place,
    key: SendKey,
) -> Result<Option<MessageRef>, AdapterError> {
    let channel = ("channel", place.chat.as_str());
    let (method, form) = match &place.thread {
        None => ("conversations.history", vec![channel, ("limit", NEWEST)]),
        // Slack gives the oldest first.
        Some(thread) => {
            let form = vec![channel, ("ts", thread.as_str()), ("limit", "999")];
            ("conversations.replies", form)
        }
    };
    let read = match api.ask(method, &form).await {
        Ok(read) => read,
        Err(AdapterError::Refused(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let messages = read.get("messages").and_then(Value::as_array);
    let ours = messages.into_iter().flatten().filter(|message| {
        text(message, "bot_id").as_ref() == Some(&me.bot) && message.get("files").is_none()
    });
    let mark = encode::mark(key);
    let bears = |message: &Value| {
        let blocks = message.get("blocks").and_then(Value::as_array);
        let mut blocks = blocks.into_iter().flatten();
        blocks.any(|block| text(block, "block_id").as_deref() == Some(&mark))
    };
    let mut newest: Option<String> = None;
    for message in ours {
        let ts = text(message, "ts");
        if bears(message) {
            return Ok(ts.map(MessageRef::new));
        }
        newest = newest.max(ts);
    }
    let Some(newest) = newest
        .filter(|_| place.thread.is_some())
        .map(MessageRef::new)
    else {
        return Ok(None);
    };
    let stopped = stop(api, place, &newest).await?;
    Ok((stopped == Stopped::Now).then_some(newest))
}

/// What a message is called that a call showed. It was shown; without its number it cannot be found.
pub(super) fn named(answer: &Value) -> Result<MessageRef, AdapterError> {
    let ts = answer.get("ts").and_then(Value::as_str);
    ts.map(MessageRef::new).ok_or(AdapterError::Ambiguous)
}

/// How many messages are looked through for one that was begun.
const NEWEST: &str = "15";
/// How many streams are remembered.
const MOST_STREAMS: usize = 1000;
