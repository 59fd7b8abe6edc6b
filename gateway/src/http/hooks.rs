//! May this request reach its adapter? Each door is checked in the same order, the cheapest first,
//! and a request that is refused is not read.
//!
//! ```text
//!  path -> method -> header, once -> secret -> size -> body, in time -> signature -> Porter::deliver
//! ```

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use adapters::{Arrived, Check, Door, DoorAnswer, DoorMethod};
use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::{connection, signature};

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
    /// When it could not be stored; the platform is told to send it again.
    async fn deliver(&self, request: Arrived) -> Result<DoorAnswer, Undelivered>;
}

/// What a request held could not be stored now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what a platform sent could not be stored")]
pub struct Undelivered;

struct Doors {
    by_path: BTreeMap<String, Door>,
    porter: Arc<dyn Porter>,
}

/// Serves the doors until `shutdown`, then gives requests that are being answered two seconds.
pub async fn serve_doors(listener: TcpListener, porter: Arc<dyn Porter>, shutdown: impl Future) {
    let doors = Doors {
        by_path: porter
            .doors()
            .into_iter()
            .map(|door| (door.path.clone(), door))
            .collect(),
        porter,
    };
    let router = Router::new().fallback(knock).with_state(Arc::new(doors));
    let (closing, closed) = watch::channel(());
    connection::serve(listener, router, closed, shutdown, closing).await;
}

async fn knock(State(doors): State<Arc<Doors>>, request: Request) -> Response {
    match let_in(&doors, request).await {
        Ok(DoorAnswer { kind: None, .. }) => StatusCode::OK.into_response(),
        Ok(DoorAnswer {
            kind: Some(kind),
            body,
        }) => ([(CONTENT_TYPE, kind)], body).into_response(),
        Err(status) => status.into_response(),
    }
}

async fn let_in(doors: &Doors, request: Request) -> Result<DoorAnswer, StatusCode> {
    let (head, body) = request.into_parts();
    let door = doors.by_path.get(head.uri.path());
    let door = door.ok_or(StatusCode::NOT_FOUND)?;
    let wanted = match door.method {
        DoorMethod::Get => Method::GET,
        DoorMethod::Post => Method::POST,
    };
    if head.method != wanted {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    let proof = the_only(&head.headers, door.header).ok_or(StatusCode::UNAUTHORIZED)?;
    if let Check::Secret(secret) = &door.check {
        let secret = secret.reveal().as_bytes();
        let right: bool = proof.ct_eq(secret).into();
        if secret.is_empty() || !right {
            return Err(StatusCode::UNAUTHORIZED);
        }
    }
    let body = read(&head.headers, body, door.cap).await?;
    signature::check(&door.check, proof, &head.headers, &body)
        .map_err(|signature::Wrong| StatusCode::UNAUTHORIZED)?;
    let request = Arrived {
        path: door.path.clone(),
        query: head.uri.query().map(ToOwned::to_owned),
        body: body.into(),
    };
    doors
        .porter
        .deliver(request)
        .await
        .map_err(|Undelivered| StatusCode::SERVICE_UNAVAILABLE)
}

async fn read(headers: &HeaderMap, body: Body, cap: usize) -> Result<Bytes, StatusCode> {
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok())
        .and_then(|length| length.parse::<usize>().ok());
    if announced.is_some_and(|length| length > cap) {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    match tokio::time::timeout(BODY_TIME, to_bytes(body, cap)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
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
