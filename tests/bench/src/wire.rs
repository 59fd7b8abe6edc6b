//! Who knocks at a door? Connections that send whole requests and read whole answers, as fast as
//! they are answered.

use std::cell::Cell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio::time::timeout;

use crate::figure::ms;

/// What came of many requests.
pub struct Load {
    /// How long all of them took.
    pub took: Duration,
    /// How long each answer took, in milliseconds.
    pub times: Vec<f64>,
    /// The ids that were answered with the wanted status.
    pub answered: Vec<i64>,
}

impl Load {
    /// How many were answered in a second.
    pub fn per_second(&self) -> f64 {
        self.answered.len() as f64 / self.took.as_secs_f64().max(f64::EPSILON)
    }
}

/// Sends requests over so many connections at once, made from the ids of `range`, and counts those
/// that are answered with `status`. Ends early when the program goes away.
pub async fn load(
    at: SocketAddr,
    connections: usize,
    range: std::ops::Range<i64>,
    status: u16,
    request: impl Fn(i64) -> Vec<u8> + 'static,
) -> Load {
    let (next, request) = (Rc::new(Cell::new(range.start)), Rc::new(request));
    let all = LocalSet::new();
    let begun = Instant::now();
    let crowd: Vec<_> = (0..connections)
        .map(|_| {
            let (next, request, end) = (next.clone(), request.clone(), range.end);
            all.spawn_local(async move {
                let mut done = Vec::new();
                let Ok(mut stream) = TcpStream::connect(at).await else {
                    return done;
                };
                let _ = stream.set_nodelay(true);
                while next.get() < end {
                    let id = next.replace(next.get() + 1);
                    let bytes = request(id);
                    let begun = Instant::now();
                    if stream.write_all(&bytes).await.is_err() {
                        break;
                    }
                    let Some(said) = answer(&mut stream).await else {
                        break;
                    };
                    if said == status {
                        done.push((id, ms(begun.elapsed())));
                    }
                }
                done
            })
        })
        .collect();
    let mut done = Vec::new();
    all.run_until(async {
        for one in crowd {
            done.extend(one.await.expect("a connection's end"));
        }
    })
    .await;
    Load {
        took: begun.elapsed(),
        times: done.iter().map(|(_, time)| *time).collect(),
        answered: done.into_iter().map(|(id, _)| id).collect(),
    }
}

/// The status of an answer without a body that counts; none when the connection ended.
pub async fn answer(stream: &mut TcpStream) -> Option<u16> {
    let mut held = [0; 1024];
    let mut length = 0;
    loop {
        let room = held.get_mut(length..).filter(|room| !room.is_empty())?;
        let read = timeout(PATIENCE, stream.read(room)).await.ok()?.ok()?;
        length += read;
        let head = held.get(..length)?;
        if head.windows(4).any(|end| end == b"\r\n\r\n") {
            return std::str::from_utf8(head.get(9..12)?).ok()?.parse().ok();
        }
        if read == 0 {
            return None;
        }
    }
}

/// One update of Telegram's, as somebody says something in a group that is nobody's.
pub fn update(id: i64) -> Vec<u8> {
    let from = 9_000 + id % 50;
    json!({"update_id": id, "message": {
        "message_id": id,
        "from": {"id": from, "is_bot": false, "first_name": "Ben"},
        "chat": {"id": -1001, "type": "supergroup", "title": "Friends"},
        "date": 1_700_000_000,
        "text": format!("what was said as number {id}"),
    }})
    .to_string()
    .into_bytes()
}

/// A request to the door with this secret.
pub fn knock(secret: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /hooks/telegram HTTP/1.1\r\nhost: bot.example.org\r\ncontent-type: application/json\r\nx-telegram-bot-api-secret-token: {secret}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

const PATIENCE: Duration = Duration::from_secs(20);
