//! Does the page stand, and stay small, under requests that mean it harm?

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use crate::disk::Disk;
use crate::figure::{Aim, print};
use crate::person::paired;

/// Sends so many requests; false when the page does not answer afterwards.
pub async fn run(program: &Path, requests: usize) -> bool {
    let paired = paired(program).await;
    let mut disk = Disk::new(paired.home.folder());
    disk.probe(50);
    let before = paired.running.memory("Rss");
    let at = paired.home.at;
    // Heads that never end, held open while the rest comes in.
    let stalled: Vec<TcpStream> = (0..STALLED)
        .filter_map(|_| {
            let mut stream = TcpStream::connect(at).ok()?;
            stream.write_all(b"GET / HTTP/1.1\r\nhost: ").ok()?;
            Some(stream)
        })
        .collect();
    let crowd: Vec<_> = (0..CROWD)
        .map(|one| std::thread::spawn(move || attack(at, one, requests)))
        .collect();
    while crowd.iter().any(|one| !one.is_finished()) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut answers: BTreeMap<u16, usize> = BTreeMap::new();
    for one in crowd {
        for (status, count) in one.join().expect("a thread that ends") {
            *answers.entry(status).or_default() += count;
        }
    }
    drop(stalled);
    let after = paired.running.memory("Rss");
    let stands = paired.home.healthy();
    paired.ask("hello").await;
    disk.probe(50);
    for (status, count) in &answers {
        let name = match status {
            0 => "hostile_closed_without_answer".to_owned(),
            status => format!("hostile_answered_{status}"),
        };
        print(&name, *count as f64, "count", Aim::None, &disk);
    }
    print("hostile_rss_before", before, "MiB", Aim::None, &disk);
    print("hostile_rss_after", after, "MiB", Aim::None, &disk);
    let taken = answers.get(&200).copied().unwrap_or(0);
    if !stands || taken > 0 {
        eprintln!("bench: after hostile requests: page answers: {stands}, requests taken: {taken}");
    }
    stands && taken == 0
}

/// One thread's share of the requests, by the status that each got.
fn attack(at: SocketAddr, one: usize, requests: usize) -> BTreeMap<u16, usize> {
    let mut answers = BTreeMap::new();
    for n in (one..requests).step_by(CROWD) {
        *answers.entry(status(at, &request(at, n))).or_default() += 1;
    }
    answers
}

/// The status of the answer; 0 when the connection ended without one.
fn status(at: SocketAddr, request: &[u8]) -> u16 {
    let Ok(mut stream) = TcpStream::connect(at) else {
        return 0;
    };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
    // The page may answer and close before it has read everything.
    let _ = stream.write_all(request);
    let mut head = [0; 12];
    let whole = stream.read_exact(&mut head).is_ok();
    let status = std::str::from_utf8(&head[9..]).ok();
    status
        .filter(|_| whole)
        .and_then(|status| status.parse().ok())
        .unwrap_or(0)
}

fn request(at: SocketAddr, n: usize) -> Vec<u8> {
    let post = |path: &str, origin: &str, body: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nhost: {at}\r\norigin: {origin}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    };
    let head = |line: &str, rest: &str| {
        format!("{line} HTTP/1.1\r\nhost: {at}\r\n{rest}connection: close\r\n\r\n").into_bytes()
    };
    let own = format!("http://{at}");
    match n % 16 {
        0 => b"GET / HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n".to_vec(),
        1 => head("GET /../../etc/passwd", ""),
        2 => head("GET /%2e%2e/%2e%2e/etc/passwd", ""),
        3 => post(
            "/api/say",
            "https://evil.example",
            "{\"text\":\"hi\",\"id\":\"1\"}",
        ),
        4 => post("/api/say", &own, "{\"text\":\"hi\",\"id\":\"1\"}"),
        5 => post("/api/press", &own, "[[[[[[[[[[[["),
        6 => post("/api/pair", &own, &"[".repeat(60_000)),
        7 => post("/api/pair", &own, &format!("{{\"code\":\"{n:08}\"}}")),
        8 => head(
            "POST /api/say",
            &format!("origin: {own}\r\ncontent-length: 99999999999\r\n"),
        ),
        9 => head("GET /", &format!("x: {}\r\n", "a".repeat(20_000))),
        10 => head("GET /", &"a: b\r\n".repeat(300)),
        11 => {
            let mut bytes = head(
                "POST /api/say",
                &format!("origin: {own}\r\ntransfer-encoding: chunked\r\n"),
            );
            bytes.extend(b"FFFFFFFFFFFFFFFFF\r\n");
            bytes
        }
        12 => b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00\x00\x00\x00\r\n\r\n".to_vec(),
        13 => head("DELETE /api/chat", "x: \u{1b}[2J\r\n"),
        14 => head(
            "GET /api/events",
            "cookie: postern_session=AAAA; postern_session=BBBB\r\n",
        ),
        _ => format!(
            "GET /healthz HTTP/1.1\r\nhost: {at}\r\nhost: evil.example\r\nconnection: close\r\n\r\n"
        )
        .into_bytes(),
    }
}

const STALLED: usize = 64;
const CROWD: usize = 4;
