//! What does the page ask and post? Each answer in JSON; an error is a text that says what to do.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use adapters::web::{self, Malformed, Screen};
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_TYPE, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bot_policy::access::{Person, Role};
use bot_policy::event::{EventKind, InboundEvent, PartBody};
use bot_policy::id::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::tries::Taken;
use super::{DeskError, Shared, admin, session};

/// An answer that says what is wrong and what to do.
#[derive(Clone, Debug)]
pub struct Refusal {
    status: StatusCode,
    text: std::borrow::Cow<'static, str>,
}

impl Refusal {
    /// A refusal with a fixed text.
    pub const fn new(status: StatusCode, text: &'static str) -> Self {
        Self {
            status,
            text: std::borrow::Cow::Borrowed(text),
        }
    }

    /// A refusal for a reason that was found just now.
    pub(super) fn because(status: StatusCode, why: String) -> Self {
        Self {
            status,
            text: why.into(),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.text }))).into_response()
    }
}

impl From<DeskError> for Refusal {
    fn from(error: DeskError) -> Self {
        tracing::warn!(%error, "a browser was not served");
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "Postern could not store it; try again in a moment",
        )
    }
}

impl From<Malformed> for Refusal {
    fn from(why: Malformed) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            text: why.to_string().into(),
        }
    }
}

/// A browser whose place is paired.
pub(super) struct Paired {
    pub(super) account: String,
    pub(super) person: Person,
}

/// The paired browser of a request; none for everybody else.
pub(super) async fn paired(
    shared: &Shared,
    headers: &HeaderMap,
) -> Result<Option<Paired>, DeskError> {
    let Some(hash) = session::of(headers) else {
        return Ok(None);
    };
    let Some(account) = shared.desk.account(hash).await? else {
        return Ok(None);
    };
    let owner = shared.desk.owner_of(&web::place(&account)).await?;
    Ok(owner.map(|person| Paired { account, person }))
}

/// The owner's browser; everybody else is told that it is not theirs.
pub(super) async fn owner(shared: &Shared, headers: &HeaderMap) -> Result<Paired, Refusal> {
    let paired = paired(shared, headers).await?.ok_or(NOT_PAIRED)?;
    match paired.person.role {
        Role::Guest => Err(NOT_YOURS),
        Role::Owner => Ok(paired),
    }
}

/// Refuses whatever is not the admin token. Each try is counted, a right one too: else a wrong
/// one could be told from the limit.
fn check_admin(shared: &Shared, typed: &str) -> Result<(), Refusal> {
    let Some(token) = shared.desk.admin() else {
        return Err(NO_ADMIN);
    };
    match shared.tries.take(Instant::now()) {
        Taken::No => Err(TOO_OFTEN),
        Taken::Yes if token.is(typed) => Ok(()),
        Taken::Yes => Err(WRONG_TOKEN),
    }
}

/// What a guest is told of what is the owner's.
const NOT_YOURS: Refusal = Refusal::new(
    StatusCode::FORBIDDEN,
    "only the owner sees this; your chat is on the front page",
);

const NO_ADMIN: Refusal = Refusal::new(
    StatusCode::FORBIDDEN,
    "this Postern has no admin token; set web.admin_token_file in postern.toml, or get a link with: postern pair",
);

const WRONG_TOKEN: Refusal = Refusal::new(
    StatusCode::FORBIDDEN,
    "that is not the admin token; it stands where web.admin_token_file, or _env or _credential, says",
);

/// What everybody without a paired browser is told.
pub(super) const NOT_PAIRED: Refusal = Refusal::new(
    StatusCode::UNAUTHORIZED,
    "this browser is not paired; get a link with: postern pair",
);

const WRONG_CODE: Refusal = Refusal::new(
    StatusCode::FORBIDDEN,
    "that code is not known: it may be mistyped, used before, or older than ten minutes; postern pair makes a new one",
);

const TOO_OFTEN: Refusal = Refusal::new(
    StatusCode::TOO_MANY_REQUESTS,
    "too many tries; wait a few seconds and try again",
);

pub(super) async fn healthz(State(shared): State<Shared>) -> Response {
    if shared.desk.healthy().await {
        "ok\n".into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not working\n").into_response()
    }
}

pub(super) async fn readyz(State(shared): State<Shared>) -> Response {
    if shared.desk.ready().await {
        "ready\n".into_response()
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready\n").into_response()
    }
}

/// What was counted, for the owner's browser and for whoever carries the admin token.
pub(super) async fn metrics(
    State(shared): State<Shared>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    match admin::bearer(&headers) {
        Some(token) => check_admin(&shared, token)?,
        None => {
            owner(&shared, &headers).await?;
        }
    }
    metrics_for_all(State(shared)).await
}

pub(super) async fn metrics_for_all(State(shared): State<Shared>) -> Result<Response, Refusal> {
    let kind = [(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((kind, shared.desk.metrics().await?).into_response())
}

pub(super) async fn nothing_here() -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, "there is nothing at this address")
}

/// What the place shows, and to whom it belongs; nothing for a browser that is not paired.
pub(super) async fn chat(
    State(shared): State<Shared>,
    headers: HeaderMap,
) -> Result<Json<Value>, Refusal> {
    let Some(paired) = paired(&shared, &headers).await? else {
        return Ok(Json(json!({ "who": null, "items": [] })));
    };
    let items = shared.desk.transcript(&web::place(&paired.account)).await?;
    let role = match paired.person.role {
        Role::Guest => "guest",
        Role::Owner => "owner",
    };
    let who = json!({ "name": paired.person.name, "role": role });
    Ok(Json(json!({ "who": who, "items": items })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Code {
    code: String,
}

/// Redeems a code for a new account and, only if that worked, gives the browser a session. A
/// session that the browser already has is never used: whoever planted it would be let in too.
pub(super) async fn pair(
    State(shared): State<Shared>,
    headers: HeaderMap,
    posted: Bytes,
) -> Result<Response, Refusal> {
    let typed: Code = serde_json::from_slice(&posted).map_err(|_| Malformed::Shape)?;
    match shared.tries.take(Instant::now()) {
        Taken::No => return Err(TOO_OFTEN),
        Taken::Yes => {}
    }
    let_in(&shared, &headers, &typed.code).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Token {
    token: String,
}

/// Lets in whoever has the admin token, by a code of its own: there is one way to be paired.
pub(super) async fn sign_in(
    State(shared): State<Shared>,
    headers: HeaderMap,
    posted: Bytes,
) -> Result<Response, Refusal> {
    let typed: Token = serde_json::from_slice(&posted).map_err(|_| Malformed::Shape)?;
    check_admin(&shared, typed.token.trim())?;
    let code = shared.desk.owner_code().await?;
    let_in(&shared, &headers, &code).await
}

async fn let_in(shared: &Shared, headers: &HeaderMap, code: &str) -> Result<Response, Refusal> {
    let account = session::random::<16>()?;
    let id = session::random::<16>()?;
    let event = web::pair_event(&account, code, &id, now()).map_err(|_| WRONG_CODE)?;
    let place = event.place.clone();
    shared.desk.accept(event).await?;
    if shared.desk.owner_of(&place).await?.is_none() {
        return Err(WRONG_CODE);
    }
    let fresh = session::fresh(shared.hosts.travel(headers), headers)?;
    shared.desk.open_session(fresh.hash, &account).await?;
    let cookie = [(SET_COOKIE, fresh.cookie)];
    Ok((cookie, Json(json!({ "paired": true }))).into_response())
}

pub(super) async fn say(
    State(shared): State<Shared>,
    headers: HeaderMap,
    posted: Bytes,
) -> Result<Json<Value>, Refusal> {
    let paired = paired(&shared, &headers).await?.ok_or(NOT_PAIRED)?;
    let event = web::say(&posted, &paired.account, now())?;
    let said = screen_of(&event);
    shared.desk.accept(event).await?;
    if let Some(said) = said {
        shared.desk.web().show(said);
    }
    Ok(Json(json!({ "taken": true })))
}

pub(super) async fn press(
    State(shared): State<Shared>,
    headers: HeaderMap,
    posted: Bytes,
) -> Result<Json<Value>, Refusal> {
    let paired = paired(&shared, &headers).await?.ok_or(NOT_PAIRED)?;
    let event = web::press(&posted, &paired.account, now())?;
    shared.desk.accept(event).await?;
    Ok(Json(json!({ "taken": true })))
}

/// A file, as it is: the guard has asked who sends it before it was read.
pub(super) async fn upload(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    headers: HeaderMap,
    posted: Bytes,
) -> Result<Json<Value>, Refusal> {
    let paired = paired(&shared, &headers).await?.ok_or(NOT_PAIRED)?;
    if posted.is_empty() {
        return Err(Malformed::Blank.into());
    }
    let file = shared.desk.upload(posted.to_vec()).await?;
    let event = web::upload(&id, file, &paired.account, now())?;
    let said = Screen::Said {
        place: event.place.clone(),
        body: web::said(&id, "(a file)"),
    };
    shared.desk.accept(event).await?;
    shared.desk.web().show(said);
    Ok(Json(json!({ "taken": true })))
}

/// What the other tabs of the same browser show of a message that was said in one.
pub(super) fn screen_of(event: &InboundEvent) -> Option<Screen> {
    let EventKind::Message { message, parts, .. } = &event.what else {
        return None;
    };
    parts.iter().find_map(|part| match &part.body {
        PartBody::File(_) => None,
        PartBody::Text(text) => Some(Screen::Said {
            place: event.place.clone(),
            body: web::said(message.as_str(), text),
        }),
    })
}

pub(super) fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
