//! What do the doors let in, and what does a refusal cost?

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use adapters::{Arrived, Check, Door, DoorAnswer, DoorMethod, Signed};
use async_trait::async_trait;
use bot_policy::secret::Secret;
use gateway::http::{Front, Porter, Proxies, Undelivered, serve_doors};
use ring::hmac;
use ring::signature::{Ed25519KeyPair, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

pub const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// Remembers what came through.
pub struct Remembers {
    doors: Vec<Door>,
    pub came: Mutex<Vec<Arrived>>,
}

#[async_trait]
impl Porter for Remembers {
    fn doors(&self) -> Vec<Door> {
        self.doors.clone()
    }

    async fn deliver(&self, request: Arrived) -> Result<DoorAnswer, Undelivered> {
        match &request.body[..] {
            b"broken" => return Err(Undelivered::Now),
            b"none of ours" => return Err(Undelivered::Never),
            _ => {}
        }
        if request.method == DoorMethod::Get {
            return Ok(DoorAnswer {
                kind: Some("text/plain"),
                body: "challenge".to_owned(),
            });
        }
        self.came.lock().unwrap().push(request);
        Ok(DoorAnswer {
            kind: Some("application/json"),
            body: "{}".to_owned(),
        })
    }
}

pub struct Gate {
    pub at: std::net::SocketAddr,
    pub porter: Arc<Remembers>,
    /// Ends it when it is dropped.
    pub stop: Option<oneshot::Sender<()>>,
}

impl Gate {
    async fn open(check: Check) -> Self {
        Self::with(vec![door(DoorMethod::Post, 1000, check)]).await
    }

    pub async fn with(doors: Vec<Door>) -> Self {
        Self::behind(doors, &[]).await
    }

    /// Behind these proxies.
    pub async fn behind(doors: Vec<Door>, proxies: &[&str]) -> Self {
        let porter = Arc::new(Remembers {
            doors,
            came: Mutex::default(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = listener.local_addr().unwrap();
        let trusted = proxies.iter().map(|one| one.parse().unwrap()).collect();
        let front = Front {
            listener,
            tls: None,
            proxies: Arc::new(Proxies::new(trusted)),
        };
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(serve_doors(front, porter.clone(), stopped));
        let stop = Some(stop);
        Self { at, porter, stop }
    }

    /// The status that is answered to these bytes, with nothing sent after them.
    pub async fn answers(&self, head: &str, body: &[u8]) -> u16 {
        let mut stream = TcpStream::connect(self.at).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body).await.unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.unwrap();
        let text = std::str::from_utf8(&answer).unwrap();
        text.strip_prefix("HTTP/1.1 ").unwrap().parse().unwrap()
    }

    async fn posted(&self, headers: &[(&str, &str)], body: &[u8]) -> u16 {
        let mut head = format!(
            "POST /hooks/line HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        self.answers(&head, body).await
    }

    pub fn came(&self) -> usize {
        self.porter.came.lock().unwrap().len()
    }
}

pub fn door(method: DoorMethod, cap: usize, check: Check) -> Door {
    Door {
        path: "/hooks/line".to_owned(),
        method,
        cap,
        check,
    }
}

pub fn secret() -> Check {
    Check::Secret {
        header: "x-proof",
        secret: Secret::new(SECRET.to_owned()),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap().as_secs()
}

#[tokio::test]
async fn only_the_one_path_method_and_header_lead_in() {
    let gate = Gate::open(secret()).await;
    let right = format!("x-proof: {SECRET}\r\n");
    let ask = |start: &str, headers: &str| format!("{start} HTTP/1.1\r\nhost: a\r\n{headers}\r\n");
    for (head, status) in [
        (ask("POST /hooks/other", &right), 404),
        (ask("POST /", &right), 404),
        (ask("GET /hooks/line", &right), 405),
        (ask("PUT /hooks/line", &right), 405),
        (ask("POST /hooks/line", ""), 401),
        (ask("POST /hooks/line", "x-proof: wrong\r\n"), 401),
        (ask("POST /hooks/line", &format!("{right}{right}")), 401),
        (ask("POST /hooks/line?x-proof=1", &right), 200),
    ] {
        assert_eq!(gate.answers(&head, b"").await, status, "{head}");
    }
    assert_eq!(gate.came(), 1);
    let came = gate.porter.came.lock().unwrap();
    assert_eq!(came[0].query.as_deref(), Some("x-proof=1"));
}

#[tokio::test]
async fn f86_a_large_body_with_a_wrong_secret_is_refused_without_reading_it() {
    let gate = Gate::open(secret()).await;
    let large = "content-length: 104857600\r\n";
    let chunked = "transfer-encoding: chunked\r\n";
    let ask = |headers: String| format!("POST /hooks/line HTTP/1.1\r\nhost: a\r\n{headers}\r\n");
    for size in [large, chunked] {
        // Nothing of the body is ever sent: whoever waited for it would not answer.
        let wrong = ask(format!("{size}x-proof: wrong\r\n"));
        assert_eq!(gate.answers(&wrong, b"").await, 401, "{size}");
    }
    let right = ask(format!("{large}x-proof: {SECRET}\r\n"));
    assert_eq!(gate.answers(&right, b"").await, 413);
    let chunk = format!("7d0\r\n{}\r\n0\r\n\r\n", "x".repeat(2000));
    let right = ask(format!("{chunked}x-proof: {SECRET}\r\n"));
    assert_eq!(gate.answers(&right, chunk.as_bytes()).await, 413);
    assert_eq!(gate.came(), 0);
}

#[tokio::test]
async fn f89_a_blank_secret_or_key_lets_nothing_in() {
    let gate = Gate::open(Check::Secret {
        header: "x-proof",
        secret: Secret::new(String::new()),
    })
    .await;
    assert_eq!(gate.posted(&[("x-proof", "")], b"{}").await, 401);
    let blank = hmac::Key::new(hmac::HMAC_SHA256, b"");
    let signed = hex(hmac::sign(&blank, b"{}").as_ref());
    for keys in [vec![], vec![Secret::new(String::new())]] {
        let gate = Gate::open(Check::HmacSha256 {
            header: "x-proof",
            keys,
            prefix: "sha256=",
            over: Signed::Body,
        })
        .await;
        for proof in ["sha256=", &format!("sha256={signed}")] {
            assert_eq!(gate.posted(&[("x-proof", proof)], b"{}").await, 401);
        }
    }
}

fn handshake() -> Door {
    let check = Check::Query {
        name: "hub.verify_token",
        secret: Secret::new("open & \u{e9}".to_owned()),
    };
    door(DoorMethod::Get, 0, check)
}

#[tokio::test]
async fn f88_a_handshake_needs_its_word_once_and_opens_nothing_else() {
    let gate = Gate::with(vec![handshake(), door(DoorMethod::Post, 1000, secret())]).await;
    let right = "hub.verify_token=open+%26+%C3%A9";
    for (query, status) in [
        (format!("?hub.mode=subscribe&{right}&hub.challenge=5"), 200),
        (format!("?{right}&{right}"), 403),
        ("?hub.verify_token=open".to_owned(), 403),
        ("?hub.verify_token=".to_owned(), 403),
        ("?hub%2Everify_token".to_owned(), 403),
        ("?".to_owned(), 403),
        (String::new(), 403),
    ] {
        let head = format!("GET /hooks/line{query} HTTP/1.1\r\nhost: a\r\n\r\n");
        assert_eq!(gate.answers(&head, b"").await, status, "{query}");
    }
    // The word of the handshake is no secret of what is posted.
    let head = format!("POST /hooks/line?{right} HTTP/1.1\r\nhost: a\r\n\r\n");
    assert_eq!(gate.answers(&head, b"").await, 401);
    assert_eq!(gate.posted(&[("x-proof", SECRET)], b"{}").await, 200);
    let head = "DELETE /hooks/line HTTP/1.1\r\nhost: a\r\n\r\n";
    assert_eq!(gate.answers(head, b"").await, 405);
    let blank = Check::Query {
        name: "hub.verify_token",
        secret: Secret::new(String::new()),
    };
    let gate = Gate::with(vec![door(DoorMethod::Get, 0, blank)]).await;
    let head = "GET /hooks/line?hub.verify_token= HTTP/1.1\r\nhost: a\r\n\r\n";
    assert_eq!(gate.answers(head, b"").await, 403);
}

#[tokio::test]
async fn what_slow_senders_hold_has_an_end_and_others_come_in_after_it() {
    let large = 3 << 20;
    let gate = Gate::with(vec![door(DoorMethod::Post, large, secret())]).await;
    let head = format!(
        "POST /hooks/line HTTP/1.1\r\nhost: a\r\ncontent-length: {large}\r\nx-proof: {SECRET}\r\n\r\n"
    );
    // All but the last byte of each: what they sent is held, so there is no room for all.
    let most = vec![b'x'; large - 1];
    let mut turned_away = 0;
    let mut waiting = Vec::new();
    for _ in 0..12 {
        let mut stream = TcpStream::connect(gate.at).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let _ = stream.write_all(&most).await;
        let mut answer = [0; 12];
        let wait = tokio::time::timeout(Duration::from_millis(300), stream.read(&mut answer));
        match wait.await {
            Ok(Ok(_)) => turned_away += usize::from(&answer == b"HTTP/1.1 503"),
            Ok(Err(_)) => turned_away += 1,
            Err(_) => waiting.push(stream),
        }
    }
    assert!(turned_away > 0, "all {} were held", waiting.len());
    assert!(!waiting.is_empty());
    drop(waiting);
    let mut last = 0;
    for _ in 0..100 {
        last = gate.posted(&[("x-proof", SECRET)], b"{}").await;
        if last == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(last, 200);
}

#[tokio::test]
async fn what_cannot_be_stored_is_to_be_sent_again() {
    let gate = Gate::open(secret()).await;
    assert_eq!(gate.posted(&[("x-proof", SECRET)], b"broken").await, 503);
    let never = gate.posted(&[("x-proof", SECRET)], b"none of ours").await;
    assert_eq!(never, 403);
    assert_eq!(gate.posted(&[("x-proof", SECRET)], b"{}").await, 200);
}

#[tokio::test]
async fn f87_an_hmac_is_over_the_raw_bytes_by_any_of_the_keys() {
    let gate = Gate::open(Check::HmacSha256 {
        header: "x-proof",
        keys: ["Jefe", "another"]
            .map(|key| Secret::new(key.to_owned()))
            .into(),
        prefix: "sha256=",
        over: Signed::Body,
    })
    .await;
    // RFC 4231, test case 2.
    let vector = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
    let what = b"what do ya want for nothing?";
    let with = |digits: &str| format!("sha256={digits}");
    assert_eq!(gate.posted(&[("x-proof", &with(vector))], what).await, 200);
    for (proof, body) in [
        (with(vector), &b"what do ya want for nothing!"[..]),
        (vector.to_owned(), what),
        (with(&vector[..62]), what),
        (with(&vector.to_uppercase()), what),
        (with(&"0".repeat(1000)), what),
    ] {
        assert_eq!(
            gate.posted(&[("x-proof", &proof)], body).await,
            401,
            "{proof}"
        );
    }
    let key = hmac::Key::new(hmac::HMAC_SHA256, b"another");
    for body in ["J'ai mangé des pâtes", r#"{"a":"@ \/ \u00e9"}"#, "🚪"] {
        let proof = with(&hex(hmac::sign(&key, body.as_bytes()).as_ref()));
        assert_eq!(
            gate.posted(&[("x-proof", &proof)], body.as_bytes()).await,
            200
        );
    }
}

#[tokio::test]
async fn f90_a_signed_time_may_not_be_far_from_ours_and_stands_once() {
    let gate = Gate::open(Check::HmacSha256 {
        header: "x-proof",
        keys: vec![Secret::new("key".to_owned())],
        prefix: "v0=",
        over: Signed::Timed {
            time: "x-time",
            before: "v0:",
            after: ":",
            within: Duration::from_secs(300),
        },
    })
    .await;
    let key = hmac::Key::new(hmac::HMAC_SHA256, b"key");
    let proof = |time: &str| {
        let tag = hmac::sign(&key, format!("v0:{time}:{{}}").as_bytes());
        format!("v0={}", hex(tag.as_ref()))
    };
    for (time, status) in [
        (now().to_string(), 200),
        ((now() - 290).to_string(), 200),
        ((now() - 310).to_string(), 401),
        ((now() + 310).to_string(), 401),
        ("soon".to_owned(), 401),
    ] {
        let headers = [("x-proof", &*proof(&time)), ("x-time", &*time)];
        assert_eq!(gate.posted(&headers, b"{}").await, status, "{time}");
    }
    let time = now().to_string();
    let proof = proof(&time);
    let once = ("x-time", &*time);
    assert_eq!(gate.posted(&[("x-proof", &proof)], b"{}").await, 401);
    assert_eq!(
        gate.posted(&[("x-proof", &proof), once, once], b"{}").await,
        401
    );
}

#[tokio::test]
async fn ed25519_agrees_with_rfc_8032() {
    // RFC 8032, 7.1, test 2.
    let seed = [
        0x4c, 0xcd, 0x08, 0x9b, 0x28, 0xff, 0x96, 0xda, 0x9d, 0xb6, 0xc3, 0x46, 0xec, 0x11, 0x4e,
        0x0f, 0x5b, 0x8a, 0x31, 0x9f, 0x35, 0xab, 0xa6, 0x24, 0xda, 0x8c, 0xf6, 0xed, 0x4f, 0xb8,
        0xa6, 0xfb,
    ];
    let vector = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
    let pair = Ed25519KeyPair::from_seed_unchecked(&seed).unwrap();
    let key: [u8; 32] = pair.public_key().as_ref().try_into().unwrap();
    let gate = Gate::open(Check::Ed25519 {
        header: "x-proof",
        key,
        over: Signed::Body,
    })
    .await;
    assert_eq!(gate.posted(&[("x-proof", vector)], b"r").await, 200);
    assert_eq!(gate.posted(&[("x-proof", vector)], b"s").await, 401);
    assert_eq!(gate.posted(&[("x-proof", &vector[2..])], b"r").await, 401);
    assert_eq!(gate.posted(&[("x-proof", "")], b"r").await, 401);
}
