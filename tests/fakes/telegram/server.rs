//! The HTTP side: which method is meant, which fault is due, what goes back.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State as Extract};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep, timeout_at};

use super::methods::{self, Refusal, refuse};
use super::state::{Call, Fault};
use super::{Shared, files};

/// Answers `/bot<token>/<method>`, GET or POST, JSON or form.
pub async fn call(
    Extract(shared): Extract<Shared>,
    Path((bot, method)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    let method = method.to_ascii_lowercase();
    match bot.strip_prefix("bot") {
        Some(token) if token == shared.lock().token => {}
        Some(token) if token.contains(':') => return refused(refuse(401, "Unauthorized")),
        _ => return refused(refuse(404, "Not Found")),
    }
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let read = match kind.and_then(|kind| multer::parse_boundary(kind).ok()) {
        Some(boundary) => files::form(&shared, boundary, bytes).await,
        None => arguments(query.as_deref(), &headers, &bytes),
    };
    let body = match read {
        Ok(body) => body,
        Err(refusal) => return refused(refusal),
    };
    let fault = {
        let mut state = shared.lock();
        let arrived = Instant::now().into_std();
        state
            .arrivals
            .entry(method.clone())
            .or_default()
            .push(arrived);
        state.calls.push(Call {
            method: method.clone(),
            body: body.clone(),
        });
        state
            .faults
            .get_mut(&method)
            .and_then(|faults| faults.pop_front())
    };
    shared.changed();
    match fault {
        None => answered(run(&shared, &method, &body).await),
        Some(Fault::Delay(time)) => {
            sleep(time).await;
            answered(run(&shared, &method, &body).await)
        }
        Some(Fault::Drop) => {
            let _ = run(&shared, &method, &body).await;
            broken()
        }
        Some(Fault::Hang) => std::future::pending().await,
        Some(Fault::Refuse { code, description }) => refused(refuse(code, description)),
        Some(Fault::Status(code)) => {
            let code = StatusCode::from_u16(code).unwrap();
            (
                code,
                [(header::CONTENT_TYPE, "text/html")],
                "<html>trouble</html>",
            )
                .into_response()
        }
        Some(Fault::TooMany { retry_after }) => refused(Refusal {
            code: 429,
            description: format!("Too Many Requests: retry after {retry_after}"),
            parameters: Some(json!({"retry_after": retry_after})),
        }),
    }
}

async fn run(shared: &Shared, method: &str, body: &Value) -> Result<Value, Refusal> {
    if method == "getupdates" {
        return updates(shared, body).await;
    }
    let result = methods::run(&mut shared.lock(), method, body);
    shared.changed();
    result
}

/// One poll is open; closes when its connection does.
struct Open<'a>(&'a Shared);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.lock().polls -= 1;
    }
}

async fn updates(shared: &Shared, body: &Value) -> Result<Value, Refusal> {
    let number = |key: &str| {
        let value = &body[key];
        value.as_i64().or_else(|| value.as_str()?.parse().ok())
    };
    let _open = {
        let mut state = shared.lock();
        if state.webhook.is_some() {
            return Err(refuse(
                409,
                "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
            ));
        }
        state.most_polls = state.most_polls.max(state.polls + 1);
        if state.polls > 0 {
            return Err(refuse(
                409,
                "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
            ));
        }
        state.polls += 1;
        let allowed = match &body["allowed_updates"] {
            Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
            other => other.clone(),
        };
        if let Some(list) = allowed.as_array() {
            let kinds = list
                .iter()
                .filter_map(|kind| Some(kind.as_str()?.to_owned()));
            state.allowed = Some(kinds.collect());
        }
        match number("offset") {
            Some(offset) if offset > 0 => state.updates.retain(|(id, _)| *id >= offset),
            Some(offset) if offset < 0 => {
                let keep = usize::try_from(-offset).unwrap();
                while state.updates.len() > keep {
                    state.updates.pop_front();
                }
            }
            _ => {}
        }
        Open(shared)
    };
    let limit = number("limit").map_or(100, |limit| limit.clamp(1, 100)) as usize;
    let seconds = number("timeout").unwrap_or(0).clamp(0, 50) as u64;
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let mut watch = shared.watch();
    loop {
        watch.borrow_and_update();
        let batch: Vec<Value> = {
            let state = shared.lock();
            let wanted = |update: &Value| match &state.allowed {
                Some(kinds) if !kinds.is_empty() => {
                    kinds.iter().any(|kind| update.get(kind).is_some())
                }
                _ => true,
            };
            let all = state.updates.iter().map(|(_, update)| update);
            all.filter(|update| wanted(update))
                .take(limit)
                .cloned()
                .collect()
        };
        if !batch.is_empty() {
            shared.lock().handed = Some(Instant::now().into_std());
            return Ok(json!(batch));
        }
        if timeout_at(deadline, watch.changed()).await.is_err() {
            return Ok(json!(batch));
        }
    }
}

fn arguments(query: Option<&str>, headers: &HeaderMap, bytes: &[u8]) -> Result<Value, Refusal> {
    let mut all = Map::new();
    let mut form = |bytes: &[u8]| {
        for (key, value) in url::form_urlencoded::parse(bytes) {
            all.insert(key.into_owned(), Value::String(value.into_owned()));
        }
    };
    form(query.unwrap_or("").as_bytes());
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    match kind {
        Some(kind) if kind.starts_with("application/json") && !bytes.is_empty() => {
            let body: Map<String, Value> = serde_json::from_slice(bytes)
                .map_err(|_| refuse(400, "Bad Request: can't parse JSON object"))?;
            all.extend(body);
        }
        Some(kind) if kind.starts_with("application/x-www-form-urlencoded") => form(bytes),
        _ => {}
    }
    Ok(Value::Object(all))
}

fn answered(result: Result<Value, Refusal>) -> Response {
    match result {
        Ok(result) => axum::Json(json!({"ok": true, "result": result})).into_response(),
        Err(refusal) => refused(refusal),
    }
}

fn refused(refusal: Refusal) -> Response {
    let mut body = json!({
        "ok": false,
        "error_code": refusal.code,
        "description": refusal.description,
    });
    if let Some(parameters) = refusal.parameters {
        body["parameters"] = parameters;
    }
    (
        StatusCode::from_u16(refusal.code).unwrap(),
        axum::Json(body),
    )
        .into_response()
}

/// An answer whose connection breaks before it is whole.
fn broken() -> Response {
    let stream = futures_util::stream::once(async {
        Err::<Bytes, _>(io::Error::other("dropped on purpose"))
    });
    Response::new(Body::from_stream(stream))
}
