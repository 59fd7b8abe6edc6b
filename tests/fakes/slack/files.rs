//! Files, both ways: three steps to hand one in, and a token to read one.

use axum::body::Bytes;
use axum::extract::{Path, State as Extract};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::Shared;
use super::methods::{channel, thread, word};
use super::state::{Kept, Sent, State};

pub fn begin(state: &mut State, body: &Value) -> Result<Value, String> {
    let name = word(body, "filename").filter(|name| !name.is_empty());
    let name = name.ok_or("invalid_arguments")?;
    let length = word(body, "length").and_then(|length| length.parse().ok());
    let length: usize = length
        .filter(|length| *length > 0)
        .ok_or("invalid_arguments")?;
    let id = state.next("F");
    state.files.insert(
        id.clone(),
        Kept {
            name,
            mime: "application/octet-stream".to_owned(),
            bytes: Vec::new(),
            uploaded: false,
            shared: false,
            length,
        },
    );
    let url = format!("http://{}/upload/{id}", state.address);
    Ok(json!({"upload_url": url, "file_id": id}))
}

/// Takes the bytes as they are, or as the one file of a form; Slack takes both.
pub async fn upload(
    Extract(shared): Extract<Shared>,
    Path(id): Path<String>,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok());
    let bytes = match kind.and_then(|kind| multer::parse_boundary(kind).ok()) {
        None => bytes,
        Some(boundary) => {
            let whole = futures_util::stream::once(async { Ok::<_, std::io::Error>(bytes) });
            let mut form = multer::Multipart::new(whole, boundary);
            match form.next_field().await {
                Ok(Some(field)) => field.bytes().await.unwrap_or_default(),
                Ok(None) | Err(_) => Bytes::new(),
            }
        }
    };
    let mut state = shared.lock();
    let Some(kept) = state.files.get_mut(&id) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if bytes.len() != kept.length {
        return StatusCode::BAD_REQUEST.into_response();
    }
    kept.bytes = bytes.to_vec();
    kept.uploaded = true;
    format!("OK - {}", bytes.len()).into_response()
}

pub fn complete(state: &mut State, body: &Value) -> Result<Value, String> {
    let channel = channel(state, &body["channel_id"])?;
    thread(state, &channel, body)?;
    let files = body["files"].as_array().cloned().unwrap_or_default();
    if files.is_empty() || files.len() > 10 {
        return Err("invalid_arguments".to_owned());
    }
    let mut sent = Vec::new();
    for file in &files {
        let id = word(file, "id").unwrap_or_default();
        let kept = state.files.get_mut(&id).ok_or("file_not_found")?;
        if !kept.uploaded || std::mem::replace(&mut kept.shared, true) {
            return Err("internal_error".to_owned());
        }
        sent.push(Sent {
            name: word(file, "title").unwrap_or_else(|| kept.name.clone()),
            bytes: kept.bytes.clone(),
        });
    }
    let posted = state.post(
        &channel,
        &json!({"thread_ts": body["thread_ts"], "text": ""}),
    );
    state.message(&channel, &posted.ts).unwrap().files = sent;
    Ok(json!({"files": files}))
}

/// Whoever has no token is shown a page to sign in on, as a success.
pub async fn download(
    Extract(shared): Extract<Shared>,
    Path((id, _)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let state = shared.lock();
    let bearer = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    if bearer != Some(&format!("Bearer {}", state.bot_token)) {
        let page = "<!DOCTYPE html><html>Sign in</html>";
        return ([(header::CONTENT_TYPE, "text/html")], page).into_response();
    }
    match state.files.get(&id) {
        Some(kept) => kept.bytes.clone().into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
