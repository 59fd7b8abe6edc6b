//! What changes on the screen of this browser's place? One stream for each open tab.

use std::convert::Infallible;
use std::time::Duration;

use adapters::web::{self, Screen};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use bot_policy::id::Place;
use futures_util::stream::{self, StreamExt};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::Shared;
use super::api::{NOT_PAIRED, Refusal, paired};
use super::seats::Seat;

/// How often a quiet stream says that it is alive; the page gives it up after three times that.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Streams the screens of the browser's place. It begins with `hello`, at which the page loads
/// the transcript; it ends with `reload` when the tab fell behind, and with `bye` when the place
/// is no longer paired.
pub(super) async fn events(
    State(shared): State<Shared>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let screens = shared.desk.web().subscribe();
    let paired = paired(&shared, &headers).await?.ok_or(NOT_PAIRED)?;
    let seat = shared.seats.take(paired.account.clone()).ok_or(TOO_MANY)?;
    let mut closed = shared.closed.clone();
    let tab = Tab {
        place: web::place(&paired.account),
        screens,
        shared,
        open: Open::Yes,
        _seat: seat,
    };
    let hello = stream::once(async { signal("hello") });
    let stream = hello
        .chain(stream::unfold(tab, next))
        .take_until(async move {
            let _ = closed.changed().await;
        })
        .map(Ok::<_, Infallible>);
    let alive = KeepAlive::new().interval(HEARTBEAT).event(signal("beat"));
    Ok(Sse::new(stream).keep_alive(alive).into_response())
}

struct Tab {
    place: Place,
    screens: Receiver<Screen>,
    shared: Shared,
    open: Open,
    _seat: Seat<String>,
}

const TOO_MANY: Refusal = Refusal::new(
    StatusCode::TOO_MANY_REQUESTS,
    "this browser has too many tabs open here; close some of them",
);

enum Open {
    No,
    Yes,
}

async fn next(mut tab: Tab) -> Option<(Event, Tab)> {
    if matches!(tab.open, Open::No) {
        return None;
    }
    loop {
        match tab.screens.recv().await {
            Ok(screen) if *screen.place() == tab.place => {
                return Some(tab.show(&screen).await);
            }
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => return Some(tab.last("reload")),
            Err(RecvError::Closed) => return None,
        }
    }
}

impl Tab {
    /// A place that was unpaired while the tab was open shows nothing more; neither does one of
    /// which that cannot be told.
    async fn show(self, screen: &Screen) -> (Event, Self) {
        match self.shared.desk.owner_of(&self.place).await {
            Ok(Some(_)) => match Event::default().event("screen").json_data(screen) {
                Ok(event) => (event, self),
                Err(_) => self.last("reload"),
            },
            Ok(None) => self.last("bye"),
            Err(_) => self.last("reload"),
        }
    }

    fn last(mut self, name: &str) -> (Event, Self) {
        self.open = Open::No;
        (signal(name), self)
    }
}

/// An event that says no more than its name. Browsers drop one whose data is empty (HTML
/// standard, "server-sent events", dispatching the event), so it has some.
fn signal(name: &str) -> Event {
    Event::default().event(name).data("0")
}
