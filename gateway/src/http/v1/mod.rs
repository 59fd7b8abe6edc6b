//! What can a program ask? The API of the owner's programs, as its own document describes it.
//!
//! Nothing here presses a button, pairs, sends a command or changes a setting: a token speaks in its
//! chat, and the admin token makes and revokes tokens.

use adapters::web;
use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get};
use axum::{Json, Router};
use bot_policy::access::admits_of_program;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Shared;
use super::api::{Refusal, now, screen_of};
use crate::socket::{KeeperError, Status};
use crate::token::{ChatToken, NewToken, TokenName, Words};

mod bearer;

pub(super) use bearer::{Bearer, admit};

/// Where all of it is.
pub(super) const UNDER: &str = "/api/v1/";

/// The document that describes it (OpenAPI 3.1).
const DOCUMENT: &str = include_str!("openapi.json");

pub(super) fn routes() -> Router<Shared> {
    Router::new()
        .route("/api/v1/chat", get(chat).post(say))
        .route("/api/v1/openapi.json", get(document))
        .route("/api/v1/status", get(status))
        .route("/api/v1/tokens", get(tokens).post(make))
        .route("/api/v1/tokens/{name}", delete(revoke))
}

/// Whether something is posted there.
pub(super) fn takes_a_body(path: &str) -> bool {
    matches!(path, "/api/v1/chat" | "/api/v1/tokens")
}

async fn document() -> Response {
    ([(CONTENT_TYPE, "application/json")], DOCUMENT).into_response()
}

/// The chat of whoever asks; the guard has asked who they are.
fn own(bearer: Bearer) -> Result<ChatToken, Refusal> {
    match bearer {
        Bearer::Program(token) => Ok(token),
        Bearer::Admin | Bearer::Anybody => Err(NOBODY),
    }
}

async fn chat(
    State(shared): State<Shared>,
    Extension(bearer): Extension<Bearer>,
) -> Result<Json<Value>, Refusal> {
    let place = web::place(&own(bearer)?.account);
    let items = shared.desk.transcript(&place).await?;
    Ok(Json(json!({ "items": items })))
}

async fn say(
    State(shared): State<Shared>,
    Extension(bearer): Extension<Bearer>,
    posted: Bytes,
) -> Result<Response, Refusal> {
    let token = own(bearer)?;
    let provenance = token.words.provenance();
    let event = web::say_as(&posted, &token.account, provenance, now())?;
    if !admits_of_program(&event) {
        return Err(NO_COMMANDS);
    }
    let said = screen_of(&event);
    shared.desk.accept(event).await?;
    if let Some(said) = said {
        shared.desk.web().show(said);
    }
    Ok((StatusCode::ACCEPTED, Json(json!({ "taken": true }))).into_response())
}

async fn status(State(shared): State<Shared>) -> Result<Json<Status>, Refusal> {
    Ok(Json(shared.desk.keeper().status().await?))
}

async fn tokens(State(shared): State<Shared>) -> Result<Json<Value>, Refusal> {
    let known = shared.desk.keeper().tokens().await?;
    let shown = known.into_iter().map(|token| {
        let ChatToken {
            name, words, since, ..
        } = token;
        json!({ "name": name, "words": words, "since": since })
    });
    Ok(Json(json!({ "tokens": shown.collect::<Vec<_>>() })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    name: TokenName,
}

/// Makes a token whose words are outside content: own words are the owner's to give, at the
/// terminal.
async fn make(
    State(shared): State<Shared>,
    posted: Bytes,
) -> Result<(StatusCode, Json<NewToken>), Refusal> {
    let Wanted { name } = serde_json::from_slice(&posted).map_err(|why| {
        Refusal::because(
            StatusCode::BAD_REQUEST,
            format!("post {{\"name\": \"NAME\"}}: {why}"),
        )
    })?;
    let made = shared
        .desk
        .keeper()
        .make_token(name, Words::Outside)
        .await?;
    Ok((StatusCode::CREATED, Json(made)))
}

async fn revoke(
    State(shared): State<Shared>,
    Path(name): Path<String>,
) -> Result<StatusCode, Refusal> {
    match shared.desk.keeper().revoke_token(&name).await {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(KeeperError::Refused(why)) => Err(Refusal::because(StatusCode::NOT_FOUND, why)),
        Err(why @ KeeperError::Unavailable(_)) => Err(why.into()),
    }
}

impl From<KeeperError> for Refusal {
    fn from(why: KeeperError) -> Self {
        match why {
            KeeperError::Refused(why) => Self::because(StatusCode::CONFLICT, why),
            KeeperError::Unavailable(why) => {
                tracing::warn!(why, "a program was not served");
                Self::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "Postern could not do it now; try again in a moment",
                )
            }
        }
    }
}

const NO_COMMANDS: Refusal = Refusal::new(
    StatusCode::BAD_REQUEST,
    "a token sends no commands; type them in a chat of your own",
);

const NOBODY: Refusal = Refusal::new(
    StatusCode::FORBIDDEN,
    "only a program with a token of its own has a chat here",
);
