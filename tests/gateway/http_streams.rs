//! What an open page is sent while it stands open.

use std::time::Duration;

use adapters::web::{self, Screen};
use adapters::{Adapter, Encoded, SendKey};
use gateway::http::Desk;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::http_wire::{Answer, served};

#[tokio::test]
async fn a_stream_shows_its_own_place_and_no_other() {
    let mut page = served(&[]).await;
    let token = page.desk.paired("a");
    let mut stream = listen(&page, &token).await;
    let desk = page.desk.clone();
    let other = web::place("b");
    desk.web().typing(&other).await.unwrap();
    let part = Encoded(json!({ "kind": "notice", "text": "line\n\ndata: forged" }));
    desk.web()
        .send(&web::place("a"), &part, SendKey(7))
        .await
        .unwrap();
    let text = until(&mut stream, "forged").await;
    let shown = json!({ "what": "message", "key": "7", "body": part.0 });
    assert_eq!(
        events(&text),
        [("hello".to_owned(), json!(0)), ("screen".to_owned(), shown)]
    );

    // The end of the server is the end of the stream: it is closed as one, and not cut off.
    page.stop.take().unwrap().send(()).unwrap();
    page.task.await.unwrap().unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    let rest = String::from_utf8(rest).unwrap();
    assert!(rest.ends_with("0\r\n\r\n"), "{rest:?}");
}

#[tokio::test]
async fn a_stream_ends_at_the_first_screen_after_unpairing_and_does_not_show_it() {
    let page = served(&[]).await;
    let token = page.desk.paired("a");
    let mut stream = listen(&page, &token).await;
    page.desk.paired.lock().unwrap().clear();
    let part = Encoded(json!({ "kind": "notice", "text": "private" }));
    page.desk
        .web()
        .send(&web::place("a"), &part, SendKey(7))
        .await
        .unwrap();
    let text = until(&mut stream, "bye").await;
    assert!(!text.contains("private"), "{text}");
}

#[tokio::test]
async fn a_tab_that_fell_behind_is_told_to_load_again() {
    let page = served(&[]).await;
    let token = page.desk.paired("a");
    let mut stream = listen(&page, &token).await;
    for _ in 0..300 {
        let place = web::place("a");
        page.desk.web().show(Screen::Typing { place });
    }
    let text = until(&mut stream, "reload").await;
    assert!(!text.contains("typing"), "{text}");
}

async fn listen(page: &crate::http_wire::Served, token: &str) -> TcpStream {
    let cookie = format!("cookie: postern_session={token}");
    let host = page.host();
    let mut stream = page.open("GET /api/events", &[&host, &cookie], "").await;
    stream.flush().await.unwrap();
    wait_for(page).await;
    stream
}

/// The stream is heard once the server has subscribed.
async fn wait_for(page: &crate::http_wire::Served) {
    let web = page.desk.web();
    for _ in 0..500 {
        if web.listeners() > 0 {
            return tokio::time::sleep(Duration::from_millis(50)).await;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("nobody listens");
}

async fn until(stream: &mut TcpStream, word: &str) -> String {
    let mut all = Vec::new();
    let mut some = [0; 4096];
    while !String::from_utf8_lossy(&all).contains(word) {
        let read = tokio::time::timeout(Duration::from_secs(5), stream.read(&mut some));
        let count = read.await.expect("in time").unwrap();
        assert!(count > 0, "ended: {}", String::from_utf8_lossy(&all));
        all.extend_from_slice(&some[..count]);
    }
    Answer::parse(&all).body
}

/// The events of a stream: name and data.
fn events(text: &str) -> Vec<(String, Value)> {
    let mut found: Vec<(String, Value)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("event: ") {
            found.push((name.to_owned(), Value::Null));
        } else if let (Some(data), Some(last)) = (line.strip_prefix("data: "), found.last_mut()) {
            last.1 = serde_json::from_str(data).unwrap_or(Value::Null);
        }
    }
    found
}
