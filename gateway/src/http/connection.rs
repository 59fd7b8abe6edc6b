//! How many connections at once, and how slow may they be? The accept loop and its limits.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// How many connections may be open. A further one waits in the kernel's queue.
const CONNECTIONS: usize = 256;

/// How long a browser may take to send the head of a request, and stay connected without one.
const HEAD_TIME: Duration = Duration::from_secs(15);

/// The largest head of a request, in bytes.
const HEAD_LIMIT: usize = 16 * 1024;

/// How long requests that are being answered may take once we stop.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// How long to wait when the system gives no connection, mostly because files ran out.
const BREATH: Duration = Duration::from_millis(100);

/// Accepts until `shutdown`, then drops `closing`, by which streams end.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    closed: watch::Receiver<()>,
    shutdown: impl Future,
    closing: watch::Sender<()>,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut open = JoinSet::new();
    let accept = async {
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else {
                return;
            };
            let Ok((stream, _)) = listener.accept().await else {
                sleep(BREATH).await;
                continue;
            };
            while open.try_join_next().is_some() {}
            let (router, closed) = (router.clone(), closed.clone());
            open.spawn(async move {
                answer(stream, router, closed).await;
                drop(place);
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

async fn answer(stream: TcpStream, router: Router, mut closed: watch::Receiver<()>) {
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_LIMIT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        _ = closed.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a browser's connection broke off");
    }
}
