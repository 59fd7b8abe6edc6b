//! What do the owner's programs reach with their tokens, and what never?

use std::path::PathBuf;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::http_admin::write_private;
use crate::stories::chat::{Chat, Door};
use crate::stories::house::{House, soon};

const ADMIN: &str = "correct-horse-battery-staple";

/// A house with an owner, and the file of its admin token.
async fn open() -> (House, Chat, PathBuf) {
    let mut house = House::build().await;
    let file = house.home.path().join("admin");
    write_private(&file, ADMIN);
    let known = std::fs::read_to_string(house.home.config().join("postern.toml")).unwrap();
    let with = format!("[web]\nadmin_token_file = {file:?}\n");
    house.home.configure(&known.replace("[web]\n", &with));
    house.start().await;
    let chat = house.enter(Door::Web, 0, &house.code()).await;
    (house, chat, file)
}

async fn ask(
    house: &House,
    method: Method,
    path: &str,
    token: &str,
    body: Option<Value>,
) -> (StatusCode, Value) {
    let base = house.world.base.lock().unwrap().clone();
    let mut request = house.world.http.request(method, format!("{base}{path}"));
    if !token.is_empty() {
        request = request.bearer_auth(token);
    }
    if let Some(body) = body {
        request = request.json(&body);
    }
    let answer = request.send().await.unwrap();
    let status = answer.status();
    (status, answer.json().await.unwrap_or(Value::Null))
}

async fn say(house: &House, token: &str, id: &str, text: &str) -> (StatusCode, Value) {
    let body = json!({ "id": id, "text": text });
    ask(house, Method::POST, "/api/v1/chat", token, Some(body)).await
}

/// A token made at the terminal.
async fn made(house: &House, arguments: &[&str]) -> String {
    let said = house.cli(&[&["token", "make"], arguments].concat()).await;
    let token = said
        .out
        .split_whitespace()
        .find(|word| word.starts_with("postern_"));
    token.unwrap_or_else(|| panic!("{said:?}")).to_owned()
}

/// What the token's chat shows, once it shows this.
async fn told(house: &House, token: &str, text: &str) -> String {
    for _ in 0..200 {
        let (_, chat) = ask(house, Method::GET, "/api/v1/chat", token, None).await;
        let shown = chat.to_string();
        if shown.contains(text) {
            return shown;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    panic!("never told {text:?}: {}", house.errors());
}

#[tokio::test]
async fn a_program_speaks_in_a_chat_of_its_own_and_its_words_are_outside() {
    let (house, owner, _) = open().await;
    let token = made(&house, &["ci"]).await;
    let other = made(&house, &["cron"]).await;
    assert_eq!(
        say(&house, &token, "1", "good morning").await.0,
        StatusCode::ACCEPTED
    );
    // The same id again is the same message.
    assert_eq!(
        say(&house, &token, "1", "good morning").await.0,
        StatusCode::ACCEPTED
    );
    let shown = told(&house, &token, "has read outside content").await;
    assert_eq!(
        shown.matches("\"text\":\"good morning\"").count(),
        1,
        "{shown}"
    );
    let (_, empty) = ask(&house, Method::GET, "/api/v1/chat", &other, None).await;
    assert_eq!(empty, json!({ "items": [] }));
    owner.settle().await;
    assert_eq!(owner.times("good morning").await, 0);
    assert_eq!(owner.times("has read outside content").await, 0);
}

#[tokio::test]
async fn own_words_are_given_at_the_terminal_alone() {
    let (house, _, _) = open().await;
    let token = made(&house, &["notes", "--own-words"]).await;
    say(&house, &token, "1", "hello").await;
    let shown = told(&house, &token, "I heard you").await;
    assert!(!shown.contains("outside content"), "{shown}");
    let wanted = json!({ "name": "mine", "words": "own" });
    let path = "/api/v1/tokens";
    let (status, said) = ask(&house, Method::POST, path, ADMIN, Some(wanted)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{said}");
    let wanted = json!({ "name": "mine" });
    let (status, made) = ask(&house, Method::POST, path, ADMIN, Some(wanted.clone())).await;
    assert_eq!(
        (status, &made["words"]),
        (StatusCode::CREATED, &json!("outside"))
    );
    let (status, said) = ask(&house, Method::POST, path, ADMIN, Some(wanted)).await;
    assert_eq!(status, StatusCode::CONFLICT);
    let says = "there is a token called mine; choose another name, or revoke it first";
    assert_eq!(said["error"], says);
    let listed = house.cli(&["token", "list"]).await.out;
    assert!(listed.contains("notes  your own words, made "), "{listed}");
    assert!(listed.contains("mine  outside content, made "), "{listed}");
}

#[tokio::test]
async fn a_program_never_commands_pairs_or_presses() {
    let (house, owner, _) = open().await;
    for arguments in [&["own", "--own-words"][..], &["outside"]] {
        let token = made(&house, arguments).await;
        let code = house.new_code(None).await;
        let pair = format!("/pair {code}");
        for text in ["/new", "/policy auto", "/unpair", "/start x", &pair] {
            let (status, said) = say(&house, &token, "c", text).await;
            assert_eq!(status, StatusCode::BAD_REQUEST, "{text}");
            let says = "a token sends no commands; type them in a chat of your own";
            assert_eq!(said["error"], says);
        }
        say(&house, &token, "w", "write notes.txt: hello").await;
        let shown = told(&house, &token, "Allow once").await;
        let (_, chat) = ask(&house, Method::GET, "/api/v1/chat", &token, None).await;
        let button = find_token(&chat).unwrap_or_else(|| panic!("a button in {shown}"));
        let body = json!({ "id": "p", "token": button });
        for path in ["/api/press", "/api/v1/press"] {
            let (status, _) = ask(&house, Method::POST, path, &token, Some(body.clone())).await;
            assert_eq!(status, StatusCode::FORBIDDEN, "{path}");
        }
        let base = house.world.base.lock().unwrap().clone();
        let pressed = house
            .world
            .http
            .post(format!("{base}/api/press"))
            .json(&body);
        let pressed = pressed
            .header("origin", &base)
            .bearer_auth(&token)
            .send()
            .await;
        assert_eq!(pressed.unwrap().status(), StatusCode::UNAUTHORIZED);
    }
    owner.settle().await;
    assert_eq!(house.file("notes.txt"), None);
    assert_eq!(
        house.count("SELECT count(*) FROM question WHERE state = '\"Asked\"'"),
        2
    );
    assert_eq!(house.count("SELECT count(*) FROM code"), 2);
}

/// The first button's token in what a chat shows.
fn find_token(value: &Value) -> Option<String> {
    match value {
        Value::Array(items) => items.iter().find_map(find_token),
        Value::Object(map) => map
            .get("token")
            .and_then(Value::as_str)
            .map(ToOwned::to_owned)
            .or_else(|| map.values().find_map(find_token)),
        _ => None,
    }
}

#[tokio::test]
async fn f96_tokens_are_looked_up_at_each_request() {
    let (house, _, file) = open().await;
    let token = made(&house, &["ci"]).await;
    let chat = || ask(&house, Method::GET, "/api/v1/chat", &token, None);
    let status = |token: &'static str| ask(&house, Method::GET, "/api/v1/status", token, None);
    assert_eq!(chat().await.0, StatusCode::OK);
    assert_eq!(status(ADMIN).await.0, StatusCode::OK);
    say(&house, &token, "w", "write notes.txt: hello").await;
    told(&house, &token, "Allow once").await;

    let gone = house.cli(&["token", "revoke", "ci"]).await;
    assert_eq!(gone.out, "Token ci is revoked.\n");
    assert_eq!(chat().await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(
        say(&house, &token, "2", "hello").await.0,
        StatusCode::UNAUTHORIZED
    );
    let open = "SELECT count(*) FROM question WHERE state = '\"Asked\"'";
    assert!(
        soon(|| (house.count(open) == 0).then_some(()))
            .await
            .is_some()
    );
    let again = house.cli(&["token", "revoke", "ci"]).await;
    assert!(
        again.err.contains("there is no token called \"ci\""),
        "{again:?}"
    );

    const NEXT: &str = "another-horse-another-staple";
    std::fs::write(&file, NEXT).unwrap();
    assert_eq!(status(ADMIN).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(status(NEXT).await.0, StatusCode::OK);
    std::fs::write(&file, "short").unwrap();
    assert_eq!(status("short").await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(status(NEXT).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn f97_each_token_opens_its_own_and_none_is_taken_from_an_address() {
    let (house, _, _) = open().await;
    let token = made(&house, &["ci"]).await;
    let get = |path: &'static str, token: &str| {
        let token = token.to_owned();
        let house = &house;
        async move { ask(house, Method::GET, path, &token, None).await }
    };
    for (path, token, status) in [
        ("/api/v1/status", "", StatusCode::UNAUTHORIZED),
        ("/api/v1/status", "postern_", StatusCode::UNAUTHORIZED),
        ("/api/v1/status", &token, StatusCode::FORBIDDEN),
        ("/api/v1/tokens", &token, StatusCode::FORBIDDEN),
        ("/api/v1/chat", ADMIN, StatusCode::FORBIDDEN),
        ("/api/v1/chat", "", StatusCode::UNAUTHORIZED),
        ("/api/v1/nothing", "", StatusCode::UNAUTHORIZED),
        ("/api/v1/nothing", ADMIN, StatusCode::NOT_FOUND),
        ("/api/v1/openapi.json", "", StatusCode::OK),
        ("/api/chat", &token, StatusCode::OK),
    ] {
        let (said, body) = get(path, token).await;
        assert_eq!(said, status, "{path} {body}");
        if path == "/api/chat" {
            // The page's own way knows nothing of tokens: a stranger's empty chat.
            assert_eq!(body, json!({ "who": null, "items": [] }));
        }
    }
    let base = house.world.base.lock().unwrap().clone();
    for asked in [
        format!("status?token={ADMIN}"),
        format!("status?access_token={ADMIN}&scope=admin"),
        format!("status?authorization=Bearer+{ADMIN}"),
    ] {
        let answer = house.world.http.get(format!("{base}/api/v1/{asked}"));
        assert_eq!(
            answer.send().await.unwrap().status(),
            StatusCode::UNAUTHORIZED
        );
    }
    let elsewhere = house.world.http.get(format!("{base}/api/v1/status"));
    let elsewhere = elsewhere
        .bearer_auth(ADMIN)
        .header("origin", "https://evil.example");
    assert_eq!(
        elsewhere.send().await.unwrap().status(),
        StatusCode::FORBIDDEN
    );
    let twice = house.world.http.get(format!("{base}/api/v1/status"));
    let twice = twice.bearer_auth(ADMIN).bearer_auth(ADMIN).send().await;
    assert_eq!(twice.unwrap().status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_wrong_token_is_refused_before_the_body_is_read() {
    let (house, _, _) = open().await;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let base = house.world.base.lock().unwrap().clone();
    let host = base.trim_start_matches("http://");
    for path in ["/api/v1/chat", "/api/v1/tokens"] {
        let mut stream = tokio::net::TcpStream::connect(host).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer wrong\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 401", "{path}");
    }
}

#[tokio::test]
async fn f98_no_way_over_the_network_changes_a_setting() {
    let (house, _, _) = open().await;
    let config = house.home.config().join("postern.toml");
    let before = std::fs::read_to_string(&config).unwrap();
    let body = json!({ "search": { "engine": "/bin/sh" }, "program": "/bin/sh" });
    for path in [
        "/api/v1/settings",
        "/api/v1/config",
        "/api/v1/",
        "/api/console/settings",
    ] {
        for method in [Method::POST, Method::PUT, Method::PATCH] {
            let asked = ask(&house, method.clone(), path, ADMIN, Some(body.clone())).await;
            let refused = [
                StatusCode::FORBIDDEN,
                StatusCode::METHOD_NOT_ALLOWED,
                StatusCode::NOT_FOUND,
            ];
            assert!(refused.contains(&asked.0), "{method} {path}: {asked:?}");
        }
    }
    assert_eq!(std::fs::read_to_string(&config).unwrap(), before);
    // All that changes anything is what the document says.
    let (_, document) = ask(&house, Method::GET, "/api/v1/openapi.json", "", None).await;
    let mut changing = Vec::new();
    for (path, ways) in document["paths"].as_object().unwrap() {
        let ways = ways.as_object().unwrap().keys();
        changing.extend(
            ways.filter(|way| *way != "get")
                .map(|way| format!("{way} {path}")),
        );
    }
    let known = [
        "post /api/v1/chat",
        "post /api/v1/tokens",
        "delete /api/v1/tokens/{name}",
    ];
    assert_eq!(changing, known);
}

#[tokio::test]
async fn nothing_of_a_token_but_its_hash_is_kept_and_its_chat_is_none_of_the_owners_own() {
    let (mut house, owner, _) = open().await;
    let token = made(&house, &["ci"]).await;
    say(&house, &token, "1", "hello").await;
    told(&house, &token, "I heard you").await;
    // What the terminal says goes to a chat of the owner's, though the program spoke last.
    let sent = house.cli(&["send", "good morning"]).await;
    assert!(sent.code == 0 && !sent.out.contains("token-"), "{sent:?}");
    owner.told("I heard you").await;
    let status = house.cli(&["status"]).await.out;
    assert!(!status.contains("token-ci"), "{status}");
    house.stop().await;
    let (digits, mut looked) = (&token.as_bytes()[8..], 0);
    for file in std::fs::read_dir(house.home.data()).unwrap() {
        let file = file.unwrap().path();
        if file.is_file() {
            let bytes = std::fs::read(&file).unwrap();
            assert!(!bytes.windows(64).any(|part| part == digits), "{file:?}");
            looked += 1;
        }
    }
    assert!(looked > 0);
    assert!(!house.errors().contains(&token));
}
