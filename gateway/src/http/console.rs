//! What does the owner see and do beside the chat? Nobody else sees that there is anything.

use async_trait::async_trait;
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bot_policy::access::Person;
use bot_policy::id::Place;
use futures_util::stream;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use adapters::web::{self, Malformed};

use super::api::{Refusal, owner};
use super::{DeskError, Shared};

/// What the console shows. Each is one page of one list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// What was decided and done.
    Audit,
    /// Every chat that somebody paired.
    Chats,
    /// The files of the owner's chats.
    Files,
    /// What is remembered of and for the owner.
    Memories,
    /// Who is paired, and where.
    People,
    /// What runs, asks and is refused.
    Rules,
    /// Lines, model and numbers.
    Status,
    /// The questions that wait.
    Waiting,
}

/// What the owner says of a memory that waits for their word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// It goes.
    Forget,
    /// It stays, and is confirmed.
    Keep,
}

/// Whose console it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Owner {
    /// The owner.
    pub person: Person,
    /// The place of their browser.
    pub place: Place,
}

/// A file to be handed out.
#[derive(Debug)]
pub struct Download {
    /// Its name, without folders.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// What is in it.
    pub file: tokio::fs::File,
}

/// What came of something that the owner wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// It is done.
    Yes,
    /// It is not; the text says why and what to do.
    No(String),
}

/// What the console needs of the gateway. All of it is asked for the owner only.
#[async_trait]
pub trait Console: Send + Sync {
    /// One page of a list: `items`, and `next` to ask for the page after it, where there is one.
    async fn view(&self, owner: &Owner, view: View, from: i64) -> Result<Value, DeskError>;

    /// A file of one of the owner's workspaces; none where there is no such file.
    async fn file(
        &self,
        owner: &Owner,
        workspace: i64,
        path: &str,
    ) -> Result<Option<Download>, DeskError>;

    /// Puts the card of a question that waits for the owner up in their browser.
    async fn stand(&self, owner: &Owner, question: i64) -> Result<Done, DeskError>;

    /// Lets go of a place, named as the list of people names it.
    async fn let_go(&self, place: &str) -> Result<Done, DeskError>;

    /// Decides about a memory of the owner's that waits for their word.
    async fn remember(&self, owner: &Owner, memory: i64, word: Word) -> Result<Done, DeskError>;
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Start {
    #[serde(default)]
    from: i64,
}

pub(super) async fn view(
    State(shared): State<Shared>,
    headers: HeaderMap,
    view: Result<Path<View>, axum::extract::rejection::PathRejection>,
    from: Result<Query<Start>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Value>, Refusal> {
    let owner = the_owner(&shared, &headers).await?;
    let Path(view) = view.map_err(|_| NOTHING_HERE)?;
    let Query(start) = from.map_err(|_| Malformed::Shape)?;
    let page = shared.desk.console().view(&owner, view, start.from.max(0));
    Ok(Json(page.await?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    workspace: i64,
    path: String,
}

/// Hands a file out as one to be kept: no browser shows it as a page of ours.
pub(super) async fn file(
    State(shared): State<Shared>,
    headers: HeaderMap,
    named: Result<Query<Named>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Refusal> {
    let owner = the_owner(&shared, &headers).await?;
    let Query(named) = named.map_err(|_| Malformed::Shape)?;
    let found = shared
        .desk
        .console()
        .file(&owner, named.workspace, &named.path);
    let found = found.await?.ok_or(NO_FILE)?;
    let headers = [
        (CONTENT_TYPE, "application/octet-stream".to_owned()),
        (CONTENT_LENGTH, found.size.to_string()),
        (CONTENT_DISPOSITION, attachment(&found.name)),
    ];
    // No more than was announced, should the file grow meanwhile.
    let bytes = stream::try_unfold(found.file.take(found.size), |mut file| async move {
        let mut bytes = vec![0; 64 * 1024];
        let read = file.read(&mut bytes).await?;
        bytes.truncate(read);
        Ok::<_, std::io::Error>((read > 0).then_some((bytes, file)))
    });
    Ok((headers, Body::from_stream(bytes)).into_response())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    question: i64,
}

pub(super) async fn stand(
    State(shared): State<Shared>,
    headers: HeaderMap,
    posted: Bytes,
) -> Result<Json<Value>, Refusal> {
    let owner = the_owner(&shared, &headers).await?;
    let asked: Asked = serde_json::from_slice(&posted).map_err(|_| Malformed::Shape)?;
    done(shared.desk.console().stand(&owner, asked.question).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LetGo {
    place: String,
}

pub(super) async fn let_go(
    State(shared): State<Shared>,
    headers: HeaderMap,
    posted: Bytes,
) -> Result<Json<Value>, Refusal> {
    the_owner(&shared, &headers).await?;
    let asked: LetGo = serde_json::from_slice(&posted).map_err(|_| Malformed::Shape)?;
    done(shared.desk.console().let_go(&asked.place).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decided {
    memory: i64,
    word: Word,
}

pub(super) async fn remember(
    State(shared): State<Shared>,
    headers: HeaderMap,
    posted: Bytes,
) -> Result<Json<Value>, Refusal> {
    let owner = the_owner(&shared, &headers).await?;
    let Decided { memory, word } = serde_json::from_slice(&posted).map_err(|_| Malformed::Shape)?;
    done(shared.desk.console().remember(&owner, memory, word).await?)
}

fn done(done: Done) -> Result<Json<Value>, Refusal> {
    match done {
        Done::Yes => Ok(Json(json!({ "done": true }))),
        Done::No(why) => Err(Refusal::because(StatusCode::CONFLICT, why)),
    }
}

async fn the_owner(shared: &Shared, headers: &HeaderMap) -> Result<Owner, Refusal> {
    let paired = owner(shared, headers).await?;
    Ok(Owner {
        place: web::place(&paired.account),
        person: paired.person,
    })
}

/// The name as RFC 6266 has it: letters, digits and few signs stand, every other byte is escaped.
fn attachment(name: &str) -> String {
    let mut text = String::from("attachment; filename*=UTF-8''");
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => text.push(byte.into()),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

const NOTHING_HERE: Refusal =
    Refusal::new(StatusCode::NOT_FOUND, "there is nothing at this address");

const NO_FILE: Refusal = Refusal::new(
    StatusCode::NOT_FOUND,
    "there is no such file any more; load the list of files again",
);
