//! May this request reach its adapter? Each door is checked in the same order, the cheapest first.
//! All that the head can tell is judged before a byte of the body is read, and what is read counts
//! against one room for all.
//!
//! ```text
//!  path -> method -> proof, once -> secret -> size -> body, in time -> signature -> Porter::deliver
//! ```

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use adapters::{Arrived, Check, Door, DoorAnswer, DoorMethod};
use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, X_CONTENT_TYPE_OPTIONS};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use tokio::sync::watch;
use tokio::time::timeout;

use super::front::Front;
use super::room::{Full, Held, Room};
use super::{connection, proof};

/// How long a platform may take to send a body.
const BODY_TIME: Duration = Duration::from_secs(10);

/// Who takes in what a door let through.
#[async_trait]
pub trait Porter: Send + Sync {
    /// Every door, in no order.
    fn doors(&self) -> Vec<Door>;

    /// Stores what a request holds. Once it returns, the platform is told that it arrived.
    ///
    /// # Errors
    /// When it was not stored.
    async fn deliver(&self, request: Arrived) -> Result<DoorAnswer, Undelivered>;
}

/// What a request held was not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undelivered {
    /// It is none of ours: it is refused.
    #[error("what a platform sent is none of ours")]
    Never,
    /// It cannot be stored now: the platform is told to send it again.
    #[error("what a platform sent could not be stored")]
    Now,
}

struct Doors {
    by_path: BTreeMap<String, Vec<Door>>,
    porter: Arc<dyn Porter>,
    room: Room,
}

/// Serves the doors until `shutdown`, then lets requests that came be answered.
pub async fn serve_doors(front: impl Into<Front>, porter: Arc<dyn Porter>, shutdown: impl Future) {
    let mut by_path = BTreeMap::<String, Vec<Door>>::new();
    for door in porter.doors() {
        by_path.entry(door.path.clone()).or_default().push(door);
    }
    let doors = Doors {
        by_path,
        porter,
        room: Room::default(),
    };
    let router = Router::new().fallback(knock).with_state(Arc::new(doors));
    let (closing, closed) = watch::channel(());
    connection::serve(
        front.into(),
        connection::DOORS,
        router,
        closed,
        shutdown,
        closing,
    )
    .await;
}

async fn knock(State(doors): State<Arc<Doors>>, request: Request) -> Response {
    match let_in(&doors, request).await {
        Ok(DoorAnswer { kind: None, .. }) => StatusCode::OK.into_response(),
        Ok(DoorAnswer {
            kind: Some(kind),
            body,
        }) => {
            let headers = [(CONTENT_TYPE, kind), (X_CONTENT_TYPE_OPTIONS, "nosniff")];
            (headers, body).into_response()
        }
        Err(status) => status.into_response(),
    }
}

async fn let_in(doors: &Doors, request: Request) -> Result<DoorAnswer, StatusCode> {
    let (head, body) = request.into_parts();
    let door = doors.door(&head)?;
    let proof = proof::of(&door.check, &head).map_err(|proof::Wrong| refused(&door.check))?;
    let (body, _held) = doors.read(&head.headers, body, door.cap).await?;
    proof::check(&door.check, proof, &head.headers, &body)
        .map_err(|proof::Wrong| refused(&door.check))?;
    let request = Arrived {
        path: door.path.clone(),
        method: door.method,
        query: head.uri.query().map(ToOwned::to_owned),
        body,
    };
    doors
        .porter
        .deliver(request)
        .await
        .map_err(|undelivered| match undelivered {
            Undelivered::Never => StatusCode::FORBIDDEN,
            Undelivered::Now => StatusCode::SERVICE_UNAVAILABLE,
        })
}

fn refused(check: &Check) -> StatusCode {
    match check {
        Check::Ed25519 { .. } | Check::HmacSha256 { .. } | Check::Secret { .. } => {
            StatusCode::UNAUTHORIZED
        }
        Check::Query { .. } => StatusCode::FORBIDDEN,
    }
}

impl Doors {
    fn door(&self, head: &Parts) -> Result<&Door, StatusCode> {
        let there = self.by_path.get(head.uri.path());
        let there = there.ok_or(StatusCode::NOT_FOUND)?;
        let asked = |door: &&Door| match door.method {
            DoorMethod::Get => head.method == Method::GET,
            DoorMethod::Post => head.method == Method::POST,
        };
        let door = there.iter().find(asked);
        door.ok_or(StatusCode::METHOD_NOT_ALLOWED)
    }

    /// Reads a body, and holds the room that it takes. Nothing is set aside for what was only
    /// announced: who sends slowly takes the room of what has come.
    async fn read(
        &self,
        headers: &HeaderMap,
        body: Body,
        cap: usize,
    ) -> Result<(Vec<u8>, Held<'_>), StatusCode> {
        let announced = headers
            .get(CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok())
            .and_then(|length| length.parse::<usize>().ok());
        if announced.is_some_and(|length| length > cap) {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        let whole = async {
            let (mut whole, mut held) = (Vec::new(), self.room.enter());
            let mut pieces = body.into_data_stream();
            while let Some(piece) = pieces.next().await {
                let piece = piece.map_err(|_| StatusCode::BAD_REQUEST)?;
                if whole.len().saturating_add(piece.len()) > cap {
                    return Err(StatusCode::PAYLOAD_TOO_LARGE);
                }
                let room = held.take(piece.len());
                room.map_err(|Full| StatusCode::SERVICE_UNAVAILABLE)?;
                whole.extend_from_slice(&piece);
            }
            Ok((whole, held))
        };
        timeout(BODY_TIME, whole)
            .await
            .unwrap_or(Err(StatusCode::REQUEST_TIMEOUT))
    }
}

/// The value of a header that is there exactly once.
pub(super) fn the_only<'a>(headers: &'a HeaderMap, name: &'static str) -> Option<&'a [u8]> {
    let mut values = headers.get_all(HeaderName::from_static(name)).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => Some(value.as_bytes()),
        (_, _) => None,
    }
}
