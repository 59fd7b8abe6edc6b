//! What whoever comes over the network holds, through the real program: slow and half-open
//! connections, many from one source, and what is under way when the program is stopped.

use std::net::{IpAddr, UdpSocket};
use std::time::Duration;

use fakes::whatsapp::signature;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::chat::Door;
use super::house::{House, OWNER, PUBLIC};
use super::whatsapp::APP_SECRET;
use super::whatsapp_door::webhook;

/// How long one source may hold more than it should: longer than any limit on slowness.
const END: Duration = Duration::from_secs(40);

async fn connected(at: &str) -> TcpStream {
    let at = at.strip_prefix("http://").unwrap();
    TcpStream::connect(at).await.unwrap()
}

/// A signed webhook in which the owner writes this, as bytes on the wire: its head and its body.
fn signed(id: &str, text: &str) -> (String, Vec<u8>) {
    let body = webhook(&OWNER.to_string(), id, text).to_string();
    let proof = signature(APP_SECRET, body.as_bytes());
    let head = format!(
        "POST /hooks/other HTTP/1.1\r\nhost: a\r\nx-hub-signature-256: {proof}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    (head, body.into_bytes())
}

#[tokio::test]
async fn what_is_under_way_when_the_program_is_stopped_is_taken_and_done_after_the_next_start() {
    let (mut house, chat) = House::with_owner(Door::WhatsApp).await;
    let doors = house.doors();
    let (head, body) = signed("wamid.last", "read no-last.txt");
    let (first, rest) = body.split_at(body.len() / 2);
    let mut stream = connected(&doors).await;
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(first).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let finish = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        stream.write_all(rest).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let ((), answer) = tokio::join!(house.stop(), finish);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let stored = "SELECT count(*) FROM event WHERE id = 'wamid.last'";
    assert_eq!(house.count(stored), 1);
    house.start().await;
    chat.told("there is no file no-last.txt").await;
}

#[tokio::test]
async fn f86_who_never_ends_a_request_is_let_go_of_and_keeps_nobody_else_out() {
    let (house, chat) = House::with_owner(Door::WhatsApp).await;
    let (head, body) = signed("wamid.slow", "read no-slow.txt");
    let half_a_head = head.as_bytes()[..head.len() / 2].to_vec();
    let half_a_body = [head.as_bytes(), &body[..body.len() / 2]].concat();
    let mut waiting = Vec::new();
    for n in 0..150 {
        let mut stream = connected(&house.doors()).await;
        let sent: &[u8] = match n % 3 {
            0 => b"",
            1 => &half_a_head,
            _ => &half_a_body,
        };
        stream.write_all(sent).await.unwrap();
        waiting.push(stream);
    }
    chat.settle().await;
    let ended = waiting.into_iter().map(|mut stream| async move {
        let mut answer = Vec::new();
        let read = tokio::time::timeout(END, stream.read_to_end(&mut answer)).await;
        assert!(read.is_ok(), "a slow connection is still held");
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{answer:?}");
    });
    futures_util::future::join_all(ended).await;
    let stored = "SELECT count(*) FROM event WHERE id = 'wamid.slow'";
    assert_eq!(house.count(stored), 0);
    chat.settle().await;
}

/// An address of this machine that is not its loopback. Nothing is sent to find it.
fn address() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let ours = socket.local_addr().ok()?.ip();
    (!ours.is_loopback() && !ours.is_unspecified()).then_some(ours)
}

#[tokio::test]
async fn one_source_without_a_proxy_cannot_take_what_is_there_for_all() {
    let Some(ours) = address() else {
        // Where there is no other, nobody else can come.
        return;
    };
    let mut house = House::build().await;
    house.with_webhook();
    let known = std::fs::read_to_string(house.home.config().join("postern.toml")).unwrap();
    let open = format!("[webhooks]\nlisten = \"{ours}:0\"\npublic = \"{PUBLIC}\"\n");
    let (line, _) = known.split_once("[webhooks]").unwrap();
    house.home.configure(&format!("{line}{open}"));
    house.start().await;
    let mut held = Vec::new();
    for _ in 0..64 {
        held.push(connected(&house.doors()).await);
    }
    // One more is closed at once, without an answer.
    let mut more = connected(&house.doors()).await;
    let closed = tokio::time::timeout(END, more.read(&mut [0; 1]))
        .await
        .unwrap();
    assert!(matches!(closed, Ok(0) | Err(_)), "{closed:?}");
    // Those that it has are still there, and once one is given back another comes in.
    held.pop();
    let back = async {
        loop {
            let mut stream = connected(&house.doors()).await;
            let _ = stream
                .write_all(b"GET /nothing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
                .await;
            let mut answer = String::new();
            let _ = stream.read_to_string(&mut answer).await;
            if answer.starts_with("HTTP/1.1 404") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    assert!(tokio::time::timeout(END, back).await.is_ok());
    drop(held);
}
