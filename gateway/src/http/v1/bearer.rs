//! Who may ask this of the API? Judged by the token of the request alone, before anything of its
//! body is read; never by its address. Tokens are looked up at each request, so that a changed or
//! revoked one is worth nothing from then on.

use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};

use super::super::Shared;
use super::super::admin::bearer;
use super::super::api::Refusal;
use crate::token::{self, ChatToken};

/// Who asks.
#[derive(Clone, Debug)]
pub(in crate::http) enum Bearer {
    /// The owner, by the admin token.
    Admin,
    /// Whoever: what is asked for is no secret.
    Anybody,
    /// A program of the owner's, by its own token.
    Program(ChatToken),
}

/// Whose token opens this path. What is not named here is the owner's.
enum Opens {
    Admin,
    Anybody,
    Program,
}

fn opens(path: &str) -> Opens {
    match path {
        "/api/v1/chat" => Opens::Program,
        "/api/v1/openapi.json" => Opens::Anybody,
        _ => Opens::Admin,
    }
}

/// Whoever asks, if they may ask this.
pub(in crate::http) async fn admit(shared: &Shared, head: &Parts) -> Result<Bearer, Refusal> {
    match opens(head.uri.path()) {
        Opens::Admin => {
            if shared.desk.admin().is_none() {
                return Err(NO_ADMIN);
            }
            if is_admin(shared, &head.headers) {
                return Ok(Bearer::Admin);
            }
            match program(shared, &head.headers).await? {
                Some(_) => Err(CHAT_ALONE),
                None => Err(NO_TOKEN),
            }
        }
        Opens::Anybody => Ok(Bearer::Anybody),
        Opens::Program => match program(shared, &head.headers).await? {
            Some(token) => Ok(Bearer::Program(token)),
            None if is_admin(shared, &head.headers) => Err(NO_CHAT),
            None => Err(NO_TOKEN),
        },
    }
}

fn is_admin(shared: &Shared, headers: &HeaderMap) -> bool {
    let typed = bearer(headers);
    let admin = shared.desk.admin().zip(typed);
    admin.is_some_and(|(admin, typed)| admin.is(typed))
}

async fn program(shared: &Shared, headers: &HeaderMap) -> Result<Option<ChatToken>, Refusal> {
    match bearer(headers).and_then(token::hash) {
        None => Ok(None),
        Some(hash) => Ok(shared.desk.program(&hash).await?),
    }
}

const NO_TOKEN: Refusal = Refusal::new(
    StatusCode::UNAUTHORIZED,
    "send a token that is valid here, as Authorization: Bearer TOKEN",
);

const NO_ADMIN: Refusal = Refusal::new(
    StatusCode::UNAUTHORIZED,
    "this Postern has no admin token, so nobody may ask this; set web.admin_token_file in postern.toml",
);

const CHAT_ALONE: Refusal = Refusal::new(
    StatusCode::FORBIDDEN,
    "this token opens its own chat alone; this is asked with the admin token",
);

const NO_CHAT: Refusal = Refusal::new(
    StatusCode::FORBIDDEN,
    "the admin token has no chat; make a token for this program with: postern token make NAME",
);
