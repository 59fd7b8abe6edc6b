//! Socket Mode: a greeting, envelopes, and the end of a connection in all its ways.

use std::collections::HashMap;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State as Extract};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::Shared;
use super::state::APP;

pub async fn link(
    Extract(shared): Extract<Shared>,
    Query(query): Query<HashMap<String, String>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let ticket = query.get("ticket").cloned().unwrap_or_default();
    // A ticket opens one connection.
    if !shared.lock().tickets.remove(&ticket) {
        return StatusCode::FORBIDDEN.into_response();
    }
    upgrade.on_upgrade(move |socket| serve(shared, socket))
}

/// A greeted connection; closed when this is dropped.
struct Open<'a>(&'a Shared);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.lock().listening -= 1;
    }
}

async fn serve(shared: Shared, mut socket: WebSocket) {
    let (number, cut, silent) = {
        let mut state = shared.lock();
        state.linked += 1;
        let silent = state.silent > 0;
        state.silent = state.silent.saturating_sub(1);
        (state.linked, state.cut, silent)
    };
    shared.changed();
    if silent {
        return std::future::pending().await;
    }
    let hello = json!({
        "type": "hello", "num_connections": 1,
        "connection_info": {"app_id": APP},
        "debug_info": {"host": "applink-gone", "build_number": 1, "approximate_connection_time": 18060},
    });
    if send(&mut socket, &hello).await.is_err() {
        return;
    }
    shared.lock().listening += 1;
    shared.changed();
    let _open = Open(&shared);
    let mut watch = shared.watch();
    loop {
        watch.borrow_and_update();
        if shared.lock().cut > cut {
            // Nothing is said and nothing is read any more.
            return std::future::pending().await;
        }
        if let Some(reason) = asked_away(&shared, number) {
            let goodbye = json!({"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-gone"}});
            let _ = send(&mut socket, &goodbye).await;
            return;
        }
        let due = due(&shared, number);
        for envelope in due {
            if send(&mut socket, &envelope).await.is_err() {
                return;
            }
        }
        tokio::select! {
            frame = socket.recv() => match frame {
                Some(Ok(Message::Text(text))) => acknowledge(&shared, &text),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return,
            },
            changed = watch.changed() => if changed.is_err() { return },
        }
    }
}

async fn send(socket: &mut WebSocket, value: &Value) -> Result<(), axum::Error> {
    socket.send(Message::Text(value.to_string().into())).await
}

fn asked_away(shared: &Shared, number: usize) -> Option<String> {
    let state = shared.lock();
    let (up_to, reason) = state.asked_away.as_ref()?;
    (number <= *up_to).then(|| reason.clone())
}

/// What is not acknowledged and was not sent on this connection, each as an envelope.
fn due(shared: &Shared, number: usize) -> Vec<Value> {
    let mut state = shared.lock();
    if state.door.is_some() {
        return Vec::new();
    }
    let mut due = Vec::new();
    for envelope in &mut state.envelopes {
        if envelope.sent_on == Some(number) {
            continue;
        }
        envelope.sent_on = Some(number);
        let mut value = json!({
            "envelope_id": envelope.id, "type": envelope.kind, "payload": envelope.payload,
            "accepts_response_payload": envelope.kind == "slash_commands",
        });
        if envelope.kind == "events_api" {
            value["retry_attempt"] = json!(envelope.tries);
            value["retry_reason"] = json!(if envelope.tries > 0 { "timeout" } else { "" });
        }
        envelope.tries += 1;
        due.push(value);
    }
    due
}

fn acknowledge(shared: &Shared, text: &str) {
    let Ok(answer) = serde_json::from_str::<Value>(text) else {
        return;
    };
    let id = answer["envelope_id"].as_str().unwrap_or("");
    let mut state = shared.lock();
    let before = state.envelopes.len();
    if let Some(told) = answer["payload"]["text"].as_str() {
        state.answers.push((200, told.to_owned()));
    }
    state.envelopes.retain(|envelope| envelope.id != id);
    state.done += before - state.envelopes.len();
    drop(state);
    shared.changed();
}
