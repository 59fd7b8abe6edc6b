//! The HTTP side: which call is meant, which fault is due, what goes back.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State as Extract};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::Shared;
use super::calls::{self, Refusal, refuse};
use super::seen::{Call, Fault, Sent};

/// What a call carries.
pub(super) struct Asked {
    pub method: Method,
    /// Without the version: `/channels/1/messages`.
    pub path: String,
    pub query: Vec<(String, String)>,
    pub body: Value,
    pub files: Vec<Sent>,
}

/// Answers `/api/v10/...`.
pub async fn call(
    Extract(shared): Extract<Shared>,
    Path((version, path)): Path<(String, String)>,
    method: Method,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    let header = |name: header::HeaderName| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("")
    };
    if !matches!(version.as_str(), "v9" | "v10") {
        return refused(refuse(400, 50041, "Invalid API version"));
    }
    if !header(header::USER_AGENT).starts_with("DiscordBot (") {
        return refused(refuse(403, 40333, "internal network error"));
    }
    let path = format!("/{path}");
    let kind = format!("{method} {}", shape(&path));
    let by_token = path.starts_with("/interactions/") || path.starts_with("/webhooks/");
    let right = header(header::AUTHORIZATION) == format!("Bot {}", shared.lock().token);
    if !by_token && !right {
        return refused(refuse(401, 0, "401: Unauthorized"));
    }
    let (body, files) = match multer::parse_boundary(header(header::CONTENT_TYPE)) {
        Ok(boundary) => form(&boundary, bytes).await,
        Err(_) if bytes.is_empty() => (Value::Null, Vec::new()),
        Err(_) => match serde_json::from_slice(&bytes) {
            Ok(body) => (body, Vec::new()),
            Err(_) => {
                return refused(refuse(
                    400,
                    50109,
                    "The request body contains invalid JSON.",
                ));
            }
        },
    };
    let query = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes())
        .into_owned()
        .collect();
    let fault = {
        let mut state = shared.lock();
        state.calls.push(Call {
            kind: kind.clone(),
            path: path.clone(),
            body: body.clone(),
        });
        state
            .faults
            .get_mut(&kind)
            .and_then(|faults| faults.pop_front())
    };
    let asked = Asked {
        method,
        path,
        query,
        body,
        files,
    };
    shared.changed();
    let run = |asked: Asked| {
        let result = calls::run(&mut shared.lock(), asked);
        shared.changed();
        result
    };
    match fault {
        None => answered(run(asked)),
        Some(Fault::Delay(time)) => {
            sleep(time).await;
            answered(run(asked))
        }
        Some(Fault::Drop) => {
            let _ = run(asked);
            broken()
        }
        Some(Fault::Garble) => {
            let _ = run(asked);
            (StatusCode::OK, "<html>fine</html>").into_response()
        }
        Some(Fault::Refuse {
            status,
            code,
            message,
        }) => refused(refuse(status, code, &message)),
        Some(Fault::Status(status)) => {
            let status = StatusCode::from_u16(status).unwrap();
            (status, "<html>trouble</html>").into_response()
        }
        Some(Fault::TooMany {
            retry_after,
            global,
        }) => refused(too_many(retry_after, global)),
    }
}

/// A file, under the address that its message named.
pub async fn attachment(Extract(shared): Extract<Shared>, Path(path): Path<String>) -> Response {
    let found = shared.lock().files.get(&path).cloned();
    match found {
        Some(bytes) => bytes.into_response(),
        None => (
            StatusCode::NOT_FOUND,
            "This content is no longer available.",
        )
            .into_response(),
    }
}

/// The path with its numbers and tokens as stars.
fn shape(path: &str) -> String {
    let star = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty() || part.len() > 20
    };
    let parts = path
        .split('/')
        .map(|part| if star(part) { "*" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

async fn form(boundary: &str, bytes: Bytes) -> (Value, Vec<Sent>) {
    let stream = futures_util::stream::once(async { Ok::<_, io::Error>(bytes) });
    let mut parts = multer::Multipart::new(stream, boundary);
    let (mut body, mut files) = (Value::Null, Vec::new());
    while let Ok(Some(part)) = parts.next_field().await {
        let name = part.name().unwrap_or("").to_owned();
        let file = part.file_name().map(ToOwned::to_owned);
        let bytes = part.bytes().await.unwrap_or_default().to_vec();
        match file {
            Some(name) => files.push(Sent { name, bytes }),
            None if name == "payload_json" => {
                body = serde_json::from_slice(&bytes).unwrap_or_default();
            }
            None => {}
        }
    }
    (body, files)
}

pub(super) fn too_many(retry_after: f64, global: bool) -> Refusal {
    Refusal {
        status: 429,
        body: json!({
            "message": "You are being rate limited.", "retry_after": retry_after, "global": global,
        }),
        headers: vec![
            ("retry-after", retry_after.ceil().to_string()),
            (
                "x-ratelimit-scope",
                if global { "global" } else { "user" }.to_owned(),
            ),
            ("x-ratelimit-reset-after", retry_after.to_string()),
        ],
    }
}

fn answered(result: Result<calls::Answer, Refusal>) -> Response {
    match result {
        Ok(answer) => {
            let mut response = match answer.body {
                Value::Null => StatusCode::NO_CONTENT.into_response(),
                body => axum::Json(body).into_response(),
            };
            lay(&mut response, &answer.headers);
            response
        }
        Err(refusal) => refused(refusal),
    }
}

fn refused(refusal: Refusal) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap();
    let mut response = (status, axum::Json(refusal.body)).into_response();
    lay(&mut response, &refusal.headers);
    response
}

fn lay(response: &mut Response, headers: &[(&'static str, String)]) {
    for (name, value) in headers {
        response.headers_mut().insert(*name, value.parse().unwrap());
    }
}

/// An answer whose connection breaks before it is whole.
fn broken() -> Response {
    let stream = futures_util::stream::once(async {
        sleep(Duration::from_millis(1)).await;
        Err::<Bytes, _>(io::Error::other("dropped on purpose"))
    });
    Response::new(Body::from_stream(stream))
}
