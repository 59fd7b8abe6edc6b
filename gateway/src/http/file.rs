//! How does a browser get a file? To save it, or as a picture; never as a page of ours.

use adapters::web;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bot_policy::event::FileKind;

use super::Shared;
use super::api::{NOT_PAIRED, Refusal, paired};

/// Opened for itself, it may do nothing at all.
const NOTHING: HeaderValue = HeaderValue::from_static("default-src 'none'; sandbox");

/// A file that was sent to the browser's own place.
pub(super) async fn file(
    State(shared): State<Shared>,
    Path(digest): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let paired = paired(&shared, &headers).await?.ok_or(NOT_PAIRED)?;
    let named = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let gone = Refusal::new(StatusCode::NOT_FOUND, "there is no such file in this chat");
    let found = match named {
        true => {
            let place = web::place(&paired.account);
            shared.desk.file(&place, &digest).await?
        }
        false => None,
    };
    let (name, kind, bytes) = found.ok_or(gone)?;
    let kind = match kind {
        FileKind::Photo => picture(&bytes),
        FileKind::Audio | FileKind::Document | FileKind::Video | FileKind::Voice => OTHER,
    };
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CONTENT_SECURITY_POLICY, NOTHING);
    headers.insert(CONTENT_DISPOSITION, saved_as(&name));
    Ok(response)
}

const OTHER: &str = "application/octet-stream";

fn picture(bytes: &[u8]) -> &'static str {
    match infer::get(bytes).map(|kind| kind.mime_type()) {
        Some("image/jpeg") => "image/jpeg",
        Some("image/png") => "image/png",
        Some("image/webp") => "image/webp",
        Some(_) | None => OTHER,
    }
}

/// The name in the form that takes any sign (RFC 6266, RFC 8187).
fn saved_as(name: &str) -> HeaderValue {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let name: String = name
        .bytes()
        .map(|byte| {
            if plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect();
    HeaderValue::from_str(&format!("attachment; filename*=UTF-8''{name}"))
        .unwrap_or(HeaderValue::from_static("attachment"))
}
