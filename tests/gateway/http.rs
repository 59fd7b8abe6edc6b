//! What the page's server promises.

use std::sync::atomic::Ordering;

use adapters::web;
use bot_policy::event::{EventKind, ReplyHandle};
use bot_policy::id::MessageRef;
use gateway::http::{BODY_LIMIT, ScreenItem, SessionHash, Speaker};
use serde_json::json;

use crate::http_desk::{GOOD, typed};
use crate::http_wire::served;

const ELSEWHERE: &str =
    "only Postern's own page may do this; open it by the link that Postern printed";
const NOT_PAIRED: &str = "this browser is not paired; get a link with: postern pair";
const WRONG_CODE: &str = "that code is not known: it may be mistyped, used before, or older than ten minutes; postern pair makes a new one";

#[tokio::test]
async fn every_answer_carries_the_security_headers() {
    let page = served(&[]).await;
    let (host, origin) = (page.host(), page.origin());
    let get = |path: &'static str| format!("GET {path}");
    let answers = [
        (200, page.raw(&get("/"), &[&host], "").await),
        (200, page.raw(&get("/app.js"), &[&host], "").await),
        (200, page.raw(&get("/draw.js"), &[&host], "").await),
        (200, page.raw(&get("/style.css"), &[&host], "").await),
        (200, page.raw(&get("/icon.svg"), &[&host], "").await),
        (200, page.raw(&get("/healthz"), &[&host], "").await),
        (200, page.raw(&get("/api/chat"), &[&host], "").await),
        (401, page.raw(&get("/api/events"), &[&host], "").await),
        (404, page.raw(&get("/nothing"), &[&host], "").await),
        (405, page.raw(&get("/api/say"), &[&host], "").await),
        (421, page.raw(&get("/"), &["host: evil.example"], "").await),
        (403, page.raw("POST /api/say", &[&host], "").await),
        (415, page.raw("PUT /", &[&host, &origin], "").await),
    ];
    for (status, answer) in answers {
        let carried = [
            "content-security-policy",
            "x-frame-options",
            "x-content-type-options",
            "referrer-policy",
            "cache-control",
            "cross-origin-opener-policy",
            "cross-origin-resource-policy",
        ]
        .map(|name| answer.header(name));
        assert_eq!(answer.status, status, "{}", answer.head);
        assert_eq!(
            carried,
            [
                Some(
                    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                     connect-src 'self'; form-action 'none'; frame-ancestors 'none'; \
                     base-uri 'none'"
                ),
                Some("DENY"),
                Some("nosniff"),
                Some("no-referrer"),
                Some("no-store"),
                Some("same-origin"),
                Some("same-origin"),
            ],
            "{}",
            answer.head
        );
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[tokio::test]
async fn a_name_that_is_not_ours_is_refused_on_every_request() {
    let page = served(&["chat.example", "https://tls.example"]).await;
    let port = page.at.port();
    let cases = [
        (200, vec![format!("host: 127.0.0.1:{port}")]),
        (200, vec![format!("host: localhost:{port}")]),
        (200, vec![format!("Host: LOCALHOST:{port}")]),
        (200, vec!["host: chat.example".to_owned()]),
        (200, vec!["host: tls.example".to_owned()]),
        (421, vec![format!("host: evil.example:{port}")]),
        (421, vec![format!("host: 127.0.0.1:{port}.evil.example")]),
        (421, vec![format!("host: chat.example:{port}")]),
        (421, vec!["host: 127.0.0.1".to_owned()]),
        (421, vec!["host: ".to_owned()]),
        (421, vec![]),
        (421, vec![page.host(), "host: evil.example".to_owned()]),
        (421, vec![page.host(), page.host()]),
    ];
    for (status, headers) in cases {
        let lines: Vec<&str> = headers.iter().map(String::as_str).collect();
        let answer = page.raw("GET /healthz", &lines, "").await;
        assert_eq!(answer.status, status, "{headers:?}");
    }
    let host = page.host();
    let absolute = page
        .raw("GET http://evil.example/healthz", &[&host], "")
        .await;
    assert_eq!(absolute.status, 421);
}

#[tokio::test]
async fn f97_a_post_from_anywhere_but_our_page_is_refused() {
    let page = served(&["https://tls.example"]).await;
    let token = page.desk.paired("a");
    let (host, origin) = (page.host(), page.origin());
    let port = page.at.port();
    let body = r#"{"id":"1","text":"hello"}"#;
    let other_name = format!("origin: http://localhost:{port}");
    let other_scheme = format!("origin: https://127.0.0.1:{port}");
    let refused: [&[&str]; 9] = [
        &[&host],
        &[&host, "origin: null"],
        &[&host, "origin: https://evil.example"],
        &[&host, "origin: http://127.0.0.1"],
        &[&host, "origin: http://127.0.0.1:1"],
        &[&host, &other_name],
        &[&host, &other_scheme],
        &[&host, &origin, &origin],
        &[&host, &origin, "sec-fetch-site: same-site"],
    ];
    for path in ["/api/say", "/api/press", "/api/pair"] {
        for who in refused {
            let answer = page.post_as(path, &token, who, body).await;
            assert_eq!(answer.error(), (403, ELSEWHERE.to_owned()), "{who:?}");
        }
    }
    let plain = ["host: tls.example", "origin: http://tls.example"];
    let answer = page.post_as("/api/say", &token, &plain, body).await;
    assert_eq!(answer.error(), (403, ELSEWHERE.to_owned()));
    assert_eq!(page.desk.written(), (1, 0));

    let ours: [&[&str]; 3] = [
        &[&host, &origin],
        &[&host, &origin, "sec-fetch-site: same-origin"],
        &["host: tls.example", "origin: https://tls.example"],
    ];
    for who in ours {
        assert_eq!(
            page.post_as("/api/say", &token, who, body).await.status,
            200
        );
    }
    assert_eq!(page.desk.written(), (1, 3));
}

#[tokio::test]
async fn another_local_port_cannot_read_the_chat() {
    let page = served(&[]).await;
    let token = page.desk.paired("a");
    let (host, cookie) = (page.host(), format!("cookie: postern_session={token}"));
    for path in ["/api/chat", "/api/events"] {
        let headers = [host.as_str(), &cookie, "sec-fetch-site: same-site"];
        let answer = page.raw(&format!("GET {path}"), &headers, "").await;
        assert_eq!(answer.error(), (403, ELSEWHERE.to_owned()));
    }
}

#[tokio::test]
async fn get_changes_nothing_and_takes_nothing_from_the_address() {
    let page = served(&[]).await;
    let paths = [
        format!("/?code={GOOD}"),
        format!("/api/pair?code={GOOD}"),
        format!("/api/chat?code={GOOD}&session=x&server=evil.example"),
        "/api/say?id=1&text=hello".to_owned(),
        "/api/press?token=1".to_owned(),
        "/api/events".to_owned(),
    ];
    for path in paths {
        for method in ["GET", "HEAD"] {
            let host = page.host();
            let answer = page.raw(&format!("{method} {path}"), &[&host], "").await;
            assert_eq!(answer.header("set-cookie"), None, "{path}");
        }
    }
    assert_eq!(page.desk.written(), (0, 0));
}

#[tokio::test]
async fn a_good_code_pairs_and_gives_a_session_that_only_the_browser_holds() {
    let page = served(&["https://tls.example"]).await;
    let code = format!(r#"{{"code":"{GOOD}"}}"#);
    let answer = page.post("/api/pair", "", &code).await;
    assert_eq!(answer.status, 200, "{}", answer.body);

    let cookie = answer.header("set-cookie").expect("a cookie");
    let (pair, flags) = cookie.split_once("; ").unwrap();
    let (name, token) = pair.split_once('=').unwrap();
    let port = page.host().rsplit_once(':').unwrap().1.to_owned();
    assert_eq!(
        (name, token.len()),
        (&*format!("postern_session_{port}"), 64)
    );
    assert_eq!(flags, "HttpOnly; SameSite=Strict; Path=/; Max-Age=34560000");

    let hash = SessionHash::of(token).unwrap();
    assert_ne!(hash.as_str(), token);
    assert!(page.desk.sessions.lock().unwrap().contains_key(&hash));
    let chat = page.get("/api/chat", token).await.json();
    assert_eq!(
        chat,
        json!({ "who": { "name": "Anna", "role": "owner" }, "items": [] })
    );
}

#[tokio::test]
async fn behind_tls_the_cookie_never_travels_without_it() {
    let page = served(&["https://tls.example"]).await;
    let code = format!(r#"{{"code":"{GOOD}"}}"#);
    let who = ["host: tls.example", "origin: https://tls.example"];
    let answer = page.post_as("/api/pair", "", &who, &code).await;
    let cookie = answer.header("set-cookie").expect("a cookie");
    assert!(cookie.ends_with("; Max-Age=34560000; Secure"), "{cookie}");
}

#[tokio::test]
async fn a_code_that_does_not_pair_is_refused_and_leaves_no_session() {
    let page = served(&[]).await;
    let codes = [
        r#"{"code":"WRNG2345"}"#,
        r#"{"code":""}"#,
        r#"{"code":"a b"}"#,
        r#"{"code":"x\n/new"}"#,
        r#"{"code":"😀"}"#,
    ];
    for code in codes {
        let answer = page.post("/api/pair", "", code).await;
        assert_eq!(answer.error(), (403, WRONG_CODE.to_owned()), "{code}");
        assert_eq!(answer.header("set-cookie"), None);
    }
    let good = format!(r#"{{"code":"{GOOD}"}}"#);
    assert_eq!(page.post("/api/pair", "", &good).await.status, 200);
    let again = page.post("/api/pair", "", &good).await;
    assert_eq!(again.error(), (403, WRONG_CODE.to_owned()));
    assert_eq!(page.desk.sessions.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_planted_cookie_is_not_let_in_by_somebody_elses_pairing() {
    let page = served(&[]).await;
    let planted = "b".repeat(64);
    let code = format!(r#"{{"code":"{GOOD}"}}"#);
    let answer = page.post("/api/pair", &planted, &code).await;
    assert_eq!(answer.status, 200);
    let chat = page.get("/api/chat", &planted).await.json();
    assert_eq!(chat, json!({ "who": null, "items": [] }));
}

#[tokio::test]
async fn two_session_cookies_are_none() {
    let page = served(&[]).await;
    let token = page.desk.paired("a");
    let twice = format!("{token}; postern_session={token}");
    let chat = page.get("/api/chat", &twice).await.json();
    assert_eq!(chat, json!({ "who": null, "items": [] }));
}

#[tokio::test]
async fn what_is_said_is_stored_before_it_is_confirmed_and_keeps_its_id() {
    let page = served(&[]).await;
    let token = page.desk.paired("a");
    let said = r#"{"id":"0b1c-7","text":"write notes.txt: hello"}"#;
    let answer = page.post("/api/say", &token, said).await;
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "taken": true }))
    );
    let pressed = r#"{"id":"9","token":"00ff","on":"41"}"#;
    assert_eq!(page.post("/api/press", &token, pressed).await.status, 200);

    let events = page.desk.accepted.lock().unwrap().clone();
    assert_eq!(events[0].id.as_str(), "a/say/0b1c-7");
    assert_eq!(typed(&events[0]).unwrap(), "write notes.txt: hello");
    assert_eq!(events[0].place, web::place("a"));
    assert_eq!(
        events[1].what,
        EventKind::Press {
            token: "00ff".to_owned(),
            on: Some(MessageRef::new("41")),
            reply: ReplyHandle("a".to_owned()),
        }
    );
}

#[tokio::test]
async fn a_browser_that_is_not_paired_says_and_hears_nothing() {
    let page = served(&[]).await;
    let token = page.desk.paired("a");
    page.desk.paired.lock().unwrap().clear();
    page.desk.shown.lock().unwrap().push(item(1, "private"));
    for token in [token.as_str(), "", "x", &"c".repeat(64)] {
        for path in ["/api/say", "/api/press"] {
            let answer = page.post(path, token, r#"{"id":"1","text":"hello"}"#).await;
            assert_eq!(answer.error(), (401, NOT_PAIRED.to_owned()));
        }
        let stream = page.get("/api/events", token).await;
        assert_eq!(stream.error(), (401, NOT_PAIRED.to_owned()));
        let chat = page.get("/api/chat", token).await.json();
        assert_eq!(chat, json!({ "who": null, "items": [] }));
    }
    assert_eq!(page.desk.written().1, 0);
}

#[tokio::test]
async fn the_transcript_comes_in_order_with_keys_that_a_browser_can_hold() {
    let page = served(&[]).await;
    let token = page.desk.paired("a");
    let big = ScreenItem {
        from: Speaker::Mine,
        body: web::said("u-1", "hello"),
        ..item(i64::MAX, "")
    };
    *page.desk.shown.lock().unwrap() = vec![item(1, "welcome"), big];
    let items = page.get("/api/chat", &token).await.json()["items"].clone();
    assert_eq!(
        items,
        json!([
            { "key": "1", "at": 5, "from": "postern",
              "body": { "kind": "notice", "text": "welcome" } },
            { "key": "9223372036854775807", "at": 5, "from": "mine",
              "body": { "kind": "said", "id": "u-1", "text": "hello" } },
        ])
    );
}

#[tokio::test]
async fn too_much_is_refused_before_it_is_read() {
    let page = served(&[]).await;
    let token = page.desk.paired("a");
    let (host, origin) = (page.host(), page.origin());
    let kind = "content-type: application/json";
    let announced = format!("content-length: {}", BODY_LIMIT + 1);
    let answer = page
        .raw("POST /api/say", &[&host, &origin, kind, &announced], "")
        .await;
    assert_eq!(answer.error().0, 413);

    let chunk = format!("{:x}\r\n{}\r\n", 40_000, "x".repeat(40_000));
    let chunks = format!("{chunk}{chunk}0\r\n\r\n");
    let chunked = "transfer-encoding: chunked";
    let answer = page
        .raw("POST /api/say", &[&host, &origin, kind, chunked], &chunks)
        .await;
    assert_eq!(answer.error().0, 413);

    let long = json!({ "id": "1", "text": "x".repeat(web::MAX_TEXT + 1) }).to_string();
    assert_eq!(
        page.post("/api/say", &token, &long).await.error(),
        (
            400,
            "the message has 16385 bytes and 16384 fit; send it in parts".to_owned()
        )
    );
    assert_eq!(page.desk.written().1, 0);
}

#[tokio::test]
async fn only_json_is_taken() {
    let page = served(&[]).await;
    let (host, origin) = (page.host(), page.origin());
    for kind in [
        "content-type: text/plain",
        "content-type: application/x-www-form-urlencoded",
    ] {
        let headers = [host.as_str(), &origin, kind, "content-length: 2"];
        let answer = page.raw("POST /api/say", &headers, "{}").await;
        assert_eq!(answer.error().0, 415);
    }
}

#[tokio::test]
async fn trouble_inside_is_a_plain_503_that_tells_nothing_of_it() {
    let page = served(&[]).await;
    let token = page.desk.paired("a");
    assert_eq!(page.get("/healthz", "").await.status, 200);
    page.desk.broken.store(true, Ordering::SeqCst);
    let text = "Postern could not store it; try again in a moment".to_owned();
    let body = r#"{"id":"1","text":"hello"}"#;
    let answer = page.post("/api/say", &token, body).await;
    assert_eq!(answer.error(), (503, text));
    assert_eq!(page.get("/healthz", "").await.status, 503);
}

fn item(key: i64, text: &str) -> ScreenItem {
    ScreenItem {
        key,
        at: 5,
        from: Speaker::Postern,
        body: json!({ "kind": "notice", "text": text }),
    }
}
