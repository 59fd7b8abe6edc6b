//! Do the doors stand, and stay small, under requests that mean them harm? Somebody goes on talking
//! meanwhile, and nothing of the harm is stored.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use crate::disk::Disk;
use crate::figure::{Aim, percentile, print};
use crate::person::with_door;
use crate::webhooks::{door, kept};
use crate::wire::{knock, update};

/// Sends so many requests; false when something of them was stored, or somebody was not answered.
pub async fn run(program: &Path, requests: usize) -> bool {
    let paired = with_door(program).await;
    let (at, secret) = door(&paired);
    let mut disk = Disk::new(paired.home.folder());
    disk.probe(50);
    paired.say_and_hear().await;
    let before = paired.running.memory("Rss");
    // Slow ones: heads and bodies that go on for ever, a byte now and then.
    let slow: Vec<TcpStream> = (0..SLOW)
        .filter_map(|n| {
            let mut stream = TcpStream::connect(at).ok()?;
            let whole = knock(&secret, &update(n));
            let part = if n % 2 == 0 { 20 } else { whole.len() - 5 };
            stream.write_all(whole.get(..part)?).ok()?;
            Some(stream)
        })
        .collect();
    let large = (requests / 1_000).max(1);
    let crowd: Vec<_> = (0..CROWD)
        .map(|one| {
            let secret = secret.clone();
            std::thread::spawn(move || attack(at, &secret, one, requests, large))
        })
        .collect();
    let (mut times, mut talked, mut peak) = (Vec::new(), 0, before);
    while crowd.iter().any(|one| !one.is_finished()) {
        times.push(paired.ask("hello").await);
        talked += 1;
        peak = peak.max(paired.running.memory("Rss"));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let mut answers: BTreeMap<u16, usize> = BTreeMap::new();
    for one in crowd {
        for (status, count) in one.join().expect("a thread that ends") {
            *answers.entry(status).or_default() += count;
        }
    }
    drop(slow);
    paired.ask("hello").await;
    disk.probe(50);
    for (status, count) in &answers {
        let name = match status {
            0 => "doors_closed_without_answer".to_owned(),
            status => format!("doors_answered_{status}"),
        };
        print(&name, *count as f64, "count", Aim::None, &disk);
    }
    let after = paired.running.memory("Rss");
    print("doors_rss_before", before, "MiB", Aim::None, &disk);
    print("doors_rss_peak", peak, "MiB", Aim::None, &disk);
    print("doors_rss_after", after, "MiB", Aim::None, &disk);
    print(
        "doors_legitimate",
        f64::from(talked),
        "count",
        Aim::None,
        &disk,
    );
    let reply = percentile(&times, 99);
    print("doors_legitimate_reply_p99", reply, "ms", Aim::None, &disk);
    let (stored, _) = kept(&paired.home.database());
    let flat = after < before + FLAT;
    if stored > 0 || !flat {
        eprintln!(
            "bench: of hostile requests {stored} were stored; memory {before} to {after} MiB"
        );
    }
    stored == 0 && flat
}

/// One thread's share of the requests, by the status that each got.
fn attack(
    at: SocketAddr,
    secret: &str,
    one: usize,
    requests: usize,
    large: usize,
) -> BTreeMap<u16, usize> {
    let mut answers = BTreeMap::new();
    for n in (one..requests).step_by(CROWD) {
        let status = if n < large * CROWD {
            flood(at, if n % 2 == 0 { secret } else { "wrong" })
        } else {
            status(at, &request(secret, n))
        };
        *answers.entry(status).or_default() += 1;
    }
    answers
}

fn request(secret: &str, n: usize) -> Vec<u8> {
    let body = update(i64::try_from(n).unwrap_or_default());
    let mut right = secret.to_owned();
    match n % 10 {
        0 => knock("", &body),
        1 => knock("wrong", &body),
        2 => knock(secret.get(1..).unwrap_or_default(), &body),
        3 => knock(&right.repeat(2), &body),
        4 => {
            right.push_str("\r\nx-telegram-bot-api-secret-token: ");
            right.push_str(secret);
            knock(&right, &body)
        }
        5 => {
            let whole = String::from_utf8(knock(secret, &body)).unwrap_or_default();
            whole.replace("x-telegram", "x-other").into_bytes()
        }
        6 => knock(secret, b"{\"update_id\": 1, \"message\": {\"chat\""),
        7 => knock(secret, "[".repeat(100_000).as_bytes()),
        8 => [b"PUT ", knock(secret, &body).get(5..).unwrap_or_default()].concat(),
        _ => knock(secret, &[0xff; 400]),
    }
}

/// Sends 100 MB, as much of it as is taken.
fn flood(at: SocketAddr, secret: &str) -> u16 {
    let Ok(mut stream) = TcpStream::connect(at) else {
        return 0;
    };
    let _ = stream.set_write_timeout(Some(PATIENCE));
    let head = format!(
        "POST /hooks/telegram HTTP/1.1\r\nhost: a\r\nx-telegram-bot-api-secret-token: {secret}\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    let _ = stream.write_all(head.as_bytes());
    let piece = [b"10000\r\n", &[b'x'; 0x10000][..], b"\r\n"].concat();
    for _ in 0..1_600 {
        if stream.write_all(&piece).is_err() {
            break;
        }
    }
    read(stream)
}

fn status(at: SocketAddr, request: &[u8]) -> u16 {
    let Ok(mut stream) = TcpStream::connect(at) else {
        return 0;
    };
    let _ = stream.write_all(request);
    read(stream)
}

/// The status of the answer; 0 when the connection ended without one.
fn read(mut stream: TcpStream) -> u16 {
    let _ = stream.set_read_timeout(Some(PATIENCE));
    let mut head = [0; 12];
    match stream.read_exact(&mut head) {
        Ok(()) => head
            .get(9..)
            .and_then(|status| std::str::from_utf8(status).ok())
            .and_then(|status| status.parse().ok())
            .unwrap_or(0),
        Err(_) => 0,
    }
}

const SLOW: i64 = 200;
const CROWD: usize = 4;
const PATIENCE: Duration = Duration::from_secs(20);
/// By how much memory may be larger afterwards, in MiB.
const FLAT: f64 = 12.0;
