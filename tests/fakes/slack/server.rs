//! The HTTP side: which method is meant, which fault is due, what goes back.

use std::io;

use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State as Extract};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use super::state::{Call, Fault};
use super::{Shared, methods};

/// Methods that only read, which take no JSON.
const NO_JSON: [&str; 5] = [
    "conversations.history",
    "conversations.info",
    "conversations.replies",
    "files.getUploadURLExternal",
    "files.info",
];

/// Answers `/api/<method>`: JSON or a form by POST, or a query by GET.
pub async fn call(
    Extract(shared): Extract<Shared>,
    Path(method): Path<String>,
    http: Method,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    let body = match arguments(&method, &http, query.as_deref(), &headers, &bytes) {
        Ok(body) => body,
        Err(error) => return refused(error),
    };
    let bearer = headers.get(header::AUTHORIZATION);
    let bearer = bearer.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let token = bearer.or_else(|| body["token"].as_str()).map(str::to_owned);
    let fault = {
        let mut state = shared.lock();
        let mut said = body.clone();
        said.as_object_mut().map(|said| said.remove("token"));
        state.calls.push(Call {
            method: method.clone(),
            body: said,
        });
        let faults = state.faults.get_mut(&method);
        faults.and_then(|faults| faults.pop_front())
    };
    shared.changed();
    let run = || {
        let result = methods::run(&mut shared.lock(), &method, token.as_deref(), &body);
        shared.changed();
        result
    };
    match fault {
        None => answered(&shared, run()),
        Some(Fault::Delay(time)) => {
            tokio::time::sleep(time).await;
            answered(&shared, run())
        }
        Some(Fault::Drop) => {
            let _ = run();
            broken()
        }
        Some(Fault::Refuse(error)) => refused(error),
        Some(Fault::Status(code)) => {
            let code = StatusCode::from_u16(code).unwrap();
            (
                code,
                [(header::CONTENT_TYPE, "text/html")],
                "<html>trouble</html>",
            )
                .into_response()
        }
        Some(Fault::TooMany(seconds)) => {
            let body = axum::Json(json!({"ok": false, "error": "ratelimited"}));
            let after = [(header::RETRY_AFTER, seconds.to_string())];
            (StatusCode::TOO_MANY_REQUESTS, after, body).into_response()
        }
    }
}

fn arguments(
    method: &str,
    http: &Method,
    query: Option<&str>,
    headers: &HeaderMap,
    bytes: &[u8],
) -> Result<Value, &'static str> {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or("");
    if *http == Method::GET {
        return Ok(form(query.unwrap_or("").as_bytes()));
    }
    if kind.starts_with("application/json") {
        if NO_JSON.contains(&method) {
            return Err("invalid_arguments");
        }
        return match serde_json::from_slice(bytes) {
            Ok(Value::Object(body)) => Ok(Value::Object(body)),
            _ => Err("invalid_json"),
        };
    }
    if bytes.is_empty() || kind.starts_with("application/x-www-form-urlencoded") {
        return Ok(form(bytes));
    }
    Err("invalid_post_type")
}

/// The fields of a form; those that hold JSON are read as such, as Slack does.
fn form(bytes: &[u8]) -> Value {
    let mut all = Map::new();
    for (key, value) in url::form_urlencoded::parse(bytes) {
        let nested = ["blocks", "files", "metadata", "view"].contains(&&*key);
        let read = nested.then(|| serde_json::from_str(&value).ok()).flatten();
        let flag = match &*value {
            "true" => Some(json!(true)),
            "false" => Some(json!(false)),
            _ => None,
        };
        let value = read.or(flag).unwrap_or_else(|| json!(value));
        all.insert(key.into_owned(), value);
    }
    Value::Object(all)
}

fn answered(shared: &Shared, result: Result<Value, String>) -> Response {
    match result {
        Ok(mut result) => {
            result["ok"] = json!(true);
            let scopes = shared.lock().scopes.join(",");
            ([("x-oauth-scopes", scopes)], axum::Json(result)).into_response()
        }
        Err(error) => refused(&error),
    }
}

/// Slack says no with status 200.
fn refused(error: &str) -> Response {
    let mut body = json!({"ok": false, "error": error});
    if let Some(scope) = error.strip_prefix("missing_scope ") {
        body = json!({"ok": false, "error": "missing_scope", "needed": scope, "provided": ""});
    }
    axum::Json(body).into_response()
}

/// An answer whose connection breaks before it is whole.
fn broken() -> Response {
    let stream = futures_util::stream::once(async {
        Err::<Bytes, _>(io::Error::other("dropped on purpose"))
    });
    Response::new(Body::from_stream(stream))
}
