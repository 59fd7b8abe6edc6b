//! A message that grows while it is written.

use serde_json::{Value, json};

use super::methods::{channel, thread, word};
use super::state::State;

/// The longest piece (chat.appendStream: 12 000 characters).
const LONGEST: usize = 12_000;

fn piece(body: &Value) -> Result<String, String> {
    let text = word(body, "markdown_text").unwrap_or_default();
    if text.chars().count() > LONGEST {
        return Err("msg_too_long".to_owned());
    }
    Ok(text)
}

pub fn start(state: &mut State, body: &Value) -> Result<Value, String> {
    if state.streams_off {
        return Err("method_not_supported".to_owned());
    }
    let channel = channel(state, &body["channel"])?;
    if body["thread_ts"].is_null() {
        return Err("invalid_thread_ts".to_owned());
    }
    thread(state, &channel, body)?;
    let text = piece(body)?;
    let posted = state.post(
        &channel,
        &json!({"thread_ts": body["thread_ts"], "text": text}),
    );
    let shown = state.message(&channel, &posted.ts).unwrap();
    shown.streaming = true;
    Ok(json!({"channel": channel, "ts": posted.ts}))
}

pub fn append(state: &mut State, body: &Value) -> Result<Value, String> {
    let channel = channel(state, &body["channel"])?;
    let ts = word(body, "ts").unwrap_or_default();
    let text = piece(body)?;
    let shown = state.message(&channel, &ts).ok_or("message_not_found")?;
    if !shown.streaming {
        return Err("message_not_in_streaming_state".to_owned());
    }
    shown.before.push(shown.text.clone());
    shown.text.push_str(&text);
    shown.fallback.push_str(&text);
    Ok(json!({"channel": channel, "ts": ts}))
}

pub fn stop(state: &mut State, body: &Value) -> Result<Value, String> {
    let channel = channel(state, &body["channel"])?;
    let ts = word(body, "ts").unwrap_or_default();
    let shown = state.message(&channel, &ts).ok_or("message_not_found")?;
    if !std::mem::take(&mut shown.streaming) {
        return Err("message_not_in_streaming_state".to_owned());
    }
    Ok(json!({"channel": channel, "ts": ts}))
}
