//! The HTTP side: who asks, which fault is due, what goes back.

use std::io;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State as Extract};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::checks::{self, Refusal, refuse};
use super::state::{Chat, Fault, Held, Shown, State, Window};
use super::{NUMBER_ID, OUR_NUMBER, Shared};

/// `GET /<version>/<id>`: our number, or a file.
pub async fn about(
    Extract(shared): Extract<Shared>,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    if let Some(response) = unknown(&shared, &headers) {
        return response;
    }
    if let Some(response) = faulty(&shared) {
        return response;
    }
    let state = shared.lock();
    if id == NUMBER_ID {
        let shown = format!("+{OUR_NUMBER}");
        return answered(Ok(json!({
            "display_phone_number": shown, "verified_name": "Postern", "id": NUMBER_ID,
        })));
    }
    let Some(held) = state.media.get(&id) else {
        return answered(Err(refuse(
            400,
            100,
            format!("Unsupported get request. Object with ID '{id}' does not exist"),
        )));
    };
    let here = format!("{}/files/{id}/{}", state.url, held.ticket);
    answered(Ok(json!({
        "messaging_product": "whatsapp",
        "url": held.elsewhere.clone().unwrap_or(here),
        "mime_type": held.kind,
        "sha256": "0".repeat(64),
        "file_size": held.bytes.len(),
        "id": id,
    })))
}

/// The bytes of a file, for whoever has the token and an address that is not too old.
pub async fn download(
    Extract(shared): Extract<Shared>,
    Path((_, id, ticket)): Path<(String, String, u64)>,
    headers: HeaderMap,
) -> Response {
    if let Some(response) = unknown(&shared, &headers) {
        return response;
    }
    let mut state = shared.lock();
    match state.media.get_mut(&id) {
        Some(held) if held.old > 0 => {
            held.old -= 1;
            held.ticket += 1;
            StatusCode::NOT_FOUND.into_response()
        }
        Some(held) if held.ticket == ticket => held.bytes.clone().into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// `POST /<version>/<number>/media`.
pub async fn hand_in(
    Extract(shared): Extract<Shared>,
    Path((_, number)): Path<(String, String)>,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    if let Some(response) = unknown(&shared, &headers) {
        return response;
    }
    if let Some(response) = faulty(&shared) {
        return response;
    }
    let read = form(&headers, bytes).await.filter(|_| number == NUMBER_ID);
    let Some((fields, file)) = read else {
        return answered(Err(refuse(
            400,
            100,
            "(#100) The parameter file is required.",
        )));
    };
    let kind = file.kind.clone();
    let right = fields
        .iter()
        .any(|field| field == &("messaging_product".to_owned(), "whatsapp".to_owned()));
    let checked = if right {
        checks::accepted(&kind, file.bytes.len())
    } else {
        Err(refuse(
            400,
            100,
            "(#100) The parameter messaging_product is required.",
        ))
    };
    let mut state = shared.lock();
    let result = checked.map(|()| {
        let id = format!("10379{}", state.number());
        state.media.insert(id.clone(), file);
        json!({"id": id})
    });
    answered(result)
}

/// `POST /<version>/<number>/messages`: something is said, or was read.
pub async fn send(
    Extract(shared): Extract<Shared>,
    Path((_, number)): Path<(String, String)>,
    headers: HeaderMap,
    bytes: Bytes,
) -> Response {
    if let Some(response) = unknown(&shared, &headers) {
        return response;
    }
    let Ok(body) = serde_json::from_slice::<Value>(&bytes) else {
        return answered(Err(refuse(400, 100, "(#100) Invalid JSON")));
    };
    if number != NUMBER_ID || !body.is_object() {
        return answered(Err(refuse(400, 100, "(#100) Invalid parameter")));
    }
    if body["status"] == "read" {
        let result = read(&mut shared.lock(), &body);
        shared.changed();
        return answered(result);
    }
    let fault = {
        let mut state = shared.lock();
        state.calls.push(body.clone());
        state.faults.pop_front()
    };
    let response = match fault {
        Some(Fault::Drop) => {
            let _ = say(&mut shared.lock(), &body);
            broken()
        }
        Some(Fault::Hang) => std::future::pending().await,
        Some(fault) => failed(fault),
        None => answered(say(&mut shared.lock(), &body)),
    };
    shared.changed();
    response
}

fn say(state: &mut State, body: &Value) -> Result<Value, Refusal> {
    let chat = checks::recipient(state, body)?;
    let shown = checks::shown(state, &chat, body)?;
    let open = shown.template.is_some() || state.window(&chat) == Window::Open;
    if !open && state.window(&chat) == Window::RefusesAtOnce {
        let mut refusal = refuse(400, 131_047, "(#131047) Re-engagement message");
        refusal.details = Some(LATE.to_owned());
        return Err(refusal);
    }
    let id = state.wamid();
    let shown = Shown {
        id: id.clone(),
        ..shown
    };
    let mut carried = json!({});
    if let Some(data) = body["biz_opaque_callback_data"].as_str() {
        carried["biz_opaque_callback_data"] = json!(data);
    }
    if !open {
        carried["errors"] = json!([{
            "code": 131_047, "title": "Re-engagement message", "message": "Re-engagement message",
            "error_data": {"details": LATE},
        }]);
        state.status(&chat, &id, "failed", carried);
    } else {
        if state.tells_statuses {
            state.status(&chat, &id, "sent", carried.clone());
            state.status(&chat, &id, "delivered", carried);
        }
        state.screens.entry(chat.clone()).or_default().push(shown);
    }
    let contact = match &chat {
        Chat::Direct(to) if to.contains('.') => json!({"input": to, "user_id": to}),
        Chat::Direct(to) => json!({"input": to, "wa_id": to}),
        Chat::Group(to) => json!({"input": to, "wa_id": to}),
    };
    Ok(json!({"messaging_product": "whatsapp", "contacts": [contact], "messages": [{"id": id}]}))
}

fn read(state: &mut State, body: &Value) -> Result<Value, Refusal> {
    let id = body["message_id"].as_str().unwrap_or("");
    if !state.said.contains_key(id) {
        return Err(refuse(
            400,
            131_009,
            "(#131009) Parameter value is not valid",
        ));
    }
    if body["typing_indicator"]["type"] == "text" {
        state.typing += 1;
    }
    state.read.push(id.to_owned());
    Ok(json!({"success": true}))
}

/// The refusal of whoever does not bring our token.
fn unknown(shared: &Shared, headers: &HeaderMap) -> Option<Response> {
    let proof = headers
        .get(header::AUTHORIZATION)
        .and_then(|proof| proof.to_str().ok());
    let wanted = format!("Bearer {}", shared.lock().token);
    if proof == Some(wanted.as_str()) && headers.contains_key(header::USER_AGENT) {
        return None;
    }
    Some(answered(Err(refuse(
        401,
        190,
        "Error validating access token: the session has been invalidated",
    ))))
}

fn faulty(shared: &Shared) -> Option<Response> {
    let fault = shared.lock().faults.pop_front()?;
    Some(failed(fault))
}

fn failed(fault: Fault) -> Response {
    match fault {
        Fault::Drop | Fault::Hang => broken(),
        Fault::Refuse {
            status,
            code,
            message,
        } => answered(Err(refuse(status, code, message))),
        Fault::Status(status) => {
            let status = StatusCode::from_u16(status).unwrap();
            (status, "<html>trouble</html>").into_response()
        }
    }
}

fn answered(result: Result<Value, Refusal>) -> Response {
    match result {
        Ok(result) => axum::Json(result).into_response(),
        Err(refusal) => {
            let status = StatusCode::from_u16(refusal.status).unwrap();
            (status, axum::Json(refusal.body())).into_response()
        }
    }
}

/// An answer whose connection breaks before it is whole.
fn broken() -> Response {
    let stream = futures_util::stream::once(async {
        Err::<Bytes, _>(io::Error::other("dropped on purpose"))
    });
    Response::new(Body::from_stream(stream))
}

async fn form(headers: &HeaderMap, bytes: Bytes) -> Option<(Vec<(String, String)>, Held)> {
    let kind = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let boundary = multer::parse_boundary(kind).ok()?;
    let whole = futures_util::stream::once(async move { Ok::<_, io::Error>(bytes) });
    let mut form = multer::Multipart::new(whole, boundary);
    let (mut fields, mut file) = (Vec::new(), None);
    while let Some(field) = form.next_field().await.ok()? {
        let name = field.name()?.to_owned();
        if name == "file" {
            file = Some(Held {
                kind: field.content_type()?.to_string(),
                name: field.file_name()?.to_owned(),
                bytes: field.bytes().await.ok()?.to_vec(),
                ticket: 1,
                old: 0,
                elsewhere: None,
            });
        } else {
            fields.push((name, field.text().await.ok()?));
        }
    }
    Some((fields, file?))
}

const LATE: &str = "Message failed to send because more than 24 hours have passed since the customer last replied to this number.";
