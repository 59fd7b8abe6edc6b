//! How many connections at once, from whom, and how slow may they be? The accept loop, its limits,
//! and the number under which the log knows each request.
//!
//! ```text
//!  accept -> places of all -> places of one source -> TLS, in time -> head, in time -> router
//! ```

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv6Addr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, StatusCode};
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::net::sockopt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::Instrument;

use super::front::{Front, Proxies};
use super::seats::Seats;

/// How many connections to a page may be open. A further one waits in the kernel's queue.
pub(super) const PAGE: usize = 256;

/// How many connections to the doors may be open.
pub(super) const DOORS: usize = 1024;

/// How many connections one source may have open, and how many requests it may have under way
/// through proxies. This machine itself and the proxies are not counted.
const EACH: usize = 64;

/// How long a client may take to send the head of a request, and stay connected without one; and
/// as long for TLS.
const HEAD_TIME: Duration = Duration::from_secs(15);

/// How long bytes of ours may stay unread, or a quiet connection unheard of, before it is taken
/// for gone, in milliseconds.
const GONE: u32 = 60_000;

/// The largest head of a request, in bytes.
const HEAD_LIMIT: usize = 16 * 1024;

/// How long requests that are being answered may take once we stop.
pub const LAST_ANSWERS: Duration = Duration::from_secs(10);

/// How long to wait when the system gives no connection, mostly because files ran out.
const BREATH: Duration = Duration::from_millis(100);

/// What every connection of one listener shares.
struct Shared {
    router: Router,
    proxies: Arc<Proxies>,
    held: Arc<Seats<IpAddr>>,
}

/// Accepts until `shutdown`, then drops `closing`, by which streams end.
pub(super) async fn serve(
    front: Front,
    most: usize,
    router: Router,
    closed: watch::Receiver<()>,
    shutdown: impl Future,
    closing: watch::Sender<()>,
) {
    let Front {
        listener,
        tls,
        proxies,
    } = front;
    let places = Arc::new(Semaphore::new(most));
    let shared = Arc::new(Shared {
        router,
        proxies,
        held: Seats::new(EACH),
    });
    let mut open = JoinSet::new();
    let accept = async {
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else {
                return;
            };
            let Ok((stream, peer)) = listener.accept().await else {
                sleep(BREATH).await;
                continue;
            };
            while open.try_join_next().is_some() {}
            let peer = peer.ip().to_canonical();
            let counted = !peer.is_loopback() && !shared.proxies.believed(peer);
            let seat = counted.then(|| shared.held.take(one(peer)));
            if let Some(None) = seat {
                tracing::debug!("a source has too many connections");
                continue;
            }
            let (shared, tls, closed) = (shared.clone(), tls.clone(), closed.clone());
            open.spawn(async move {
                let answered = async {
                    watch_over(&stream)?;
                    match tls {
                        None => answer(stream, peer, shared, closed).await,
                        Some(tls) => {
                            let stream = timeout(HEAD_TIME, tls.accept(stream)).await??;
                            answer(stream, peer, shared, closed).await
                        }
                    }
                };
                if let Err(error) = answered.await {
                    tracing::debug!(%error, "a connection broke off");
                }
                drop((place, seat));
            });
        }
    };
    tokio::select! {
        () = accept => {}
        _ = shutdown => {}
    }
    drop(listener);
    drop(closing);
    let _ = timeout(LAST_ANSWERS, async {
        while open.join_next().await.is_some() {}
    })
    .await;
}

/// Has the system end a connection whose other side went away or takes nothing more.
fn watch_over(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, Duration::from_secs(30))?;
    sockopt::set_tcp_keepintvl(stream, Duration::from_secs(10))?;
    sockopt::set_tcp_user_timeout(stream, GONE)?;
    Ok(())
}

async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: IpAddr,
    shared: Arc<Shared>,
    mut closed: watch::Receiver<()>,
) -> io::Result<()> {
    let router = TowerToHyperService::new(shared.router.clone());
    let service = service_fn(move |request: Request<Incoming>| {
        let (shared, router) = (shared.clone(), router.clone());
        async move {
            let source = shared.proxies.source(peer, request.headers());
            // Those who came without a proxy were counted when they came.
            let seat = (source != peer).then(|| shared.held.take(one(source)));
            if let Some(None) = seat {
                return Ok::<_, Infallible>(TOO_MANY.into_response());
            }
            Ok(noted(source, request, &router).await)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_LIMIT)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        _ = closed.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    ended.map_err(io::Error::other)
}

const TOO_MANY: (StatusCode, &str) = (
    StatusCode::TOO_MANY_REQUESTS,
    "too many requests at once from this address; try again when some are answered\n",
);

/// Answers a request, under a number of its own in the log.
async fn noted(
    source: IpAddr,
    request: Request<Incoming>,
    router: &TowerToHyperService<Router>,
) -> Response<Body> {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    let span = tracing::info_span!("request", number);
    let begun = Instant::now();
    let answering = async {
        tracing::debug!(method = %request.method(), path = request.uri().path(), %source, "asked");
        let response = router.call(request).await;
        let response = response.unwrap_or_else(|never| match never {});
        let status = response.status().as_u16();
        let took = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        tracing::info!(status, took_us = took, "answered");
        response
    };
    answering.instrument(span).await
}

/// What counts as one source: an address, or the network that one customer is given (RFC 6177).
fn one(source: IpAddr) -> IpAddr {
    match source {
        IpAddr::V4(_) => source,
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64)),
    }
}
