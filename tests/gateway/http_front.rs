//! How are the listeners reached: with TLS of their own, through proxies, slowly, and at the end?

use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use adapters::DoorMethod;
use axum::http::{HeaderMap, HeaderValue};
use gateway::config::Config;
use gateway::http::Proxies;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::http_doors::{Gate, SECRET, door, secret};
use crate::stories::house::House;

const HELLO: &str = "POST /hooks/line HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n";

#[test]
fn f97_only_a_named_proxy_says_for_whom_it_asks() {
    let proxies = Proxies::new(vec![
        "127.0.0.1/32".parse().unwrap(),
        "10.0.0.0/8".parse().unwrap(),
        "fd00::/8".parse().unwrap(),
    ]);
    for (peer, said, source) in [
        ("203.0.113.9", &["198.51.100.1"][..], "203.0.113.9"),
        ("127.0.0.1", &[], "127.0.0.1"),
        ("127.0.0.1", &["198.51.100.1"], "198.51.100.1"),
        ("::ffff:127.0.0.1", &["198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", &["198.51.100.1, 10.1.2.3"], "198.51.100.1"),
        ("127.0.0.1", &["198.51.100.1", "10.1.2.3"], "198.51.100.1"),
        // What the client wrote stands before what the proxy added, and means nothing.
        ("127.0.0.1", &["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", &["1.1.1.1", "198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", &["unknown"], "127.0.0.1"),
        ("127.0.0.1", &["8.8.8.8, x, 10.0.0.9"], "10.0.0.9"),
        ("127.0.0.1", &["2001:db8::1 , fd00::5"], "2001:db8::1"),
    ] {
        let mut headers = HeaderMap::new();
        for line in said {
            headers.append("x-forwarded-for", HeaderValue::from_static(line));
        }
        let peer: IpAddr = peer.parse().unwrap();
        let source: IpAddr = source.parse().unwrap();
        assert_eq!(proxies.source(peer, &headers), source, "{peer} {said:?}");
    }
}

#[tokio::test]
async fn one_source_behind_a_proxy_cannot_take_what_is_there_for_all() {
    let doors = vec![door(DoorMethod::Post, 1000, secret())];
    let gate = Gate::behind(doors, &["127.0.0.1/32"]).await;
    let head =
        |source: &str| format!("{HELLO}x-proof: {SECRET}\r\nx-forwarded-for: {source}\r\n\r\n");
    let mut waiting = Vec::new();
    for _ in 0..64 {
        let mut stream = TcpStream::connect(gate.at).await.unwrap();
        stream
            .write_all(head("203.0.113.9").as_bytes())
            .await
            .unwrap();
        waiting.push(stream);
    }
    let mut last = 0;
    for _ in 0..100 {
        last = gate.answers(&head("203.0.113.9"), b"{}").await;
        if last == 429 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(last, 429);
    assert_eq!(gate.answers(&head("203.0.113.10"), b"{}").await, 200);
    // A forged hop before the proxy's own makes nobody else of it.
    let forged = gate
        .answers(&head("198.51.100.7, 203.0.113.9"), b"{}")
        .await;
    assert_eq!(forged, 429);
    drop(waiting);
}

#[tokio::test]
async fn what_came_before_the_end_is_answered() {
    let doors = vec![door(DoorMethod::Post, 1000, secret())];
    let mut gate = Gate::with(doors).await;
    let mut stream = TcpStream::connect(gate.at).await.unwrap();
    let head = format!("{HELLO}x-proof: {SECRET}\r\n\r\n{{");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut idle = TcpStream::connect(gate.at).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    drop(gate.stop.take());
    // Who has sent nothing is let go of at once; nobody new comes in.
    assert_eq!(idle.read(&mut [0; 1]).await.unwrap_or(0), 0);
    assert!(TcpStream::connect(gate.at).await.is_err());
    stream.write_all(b"}").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(gate.came(), 1);
}

/// Puts a certificate where the program looks for it.
fn lay(house: &House, name: &str, key: &str) -> (PathBuf, PathBuf) {
    let from = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/fixtures/tls"
    ));
    let to = house.home.path();
    let (certificate, key_at) = (to.join("cert.pem"), to.join("key.pem"));
    std::fs::copy(from.join(format!("{name}.pem")), &certificate).unwrap();
    std::fs::copy(from.join(format!("{key}.key")), &key_at).unwrap();
    std::fs::set_permissions(&key_at, PermissionsExt::from_mode(0o600)).unwrap();
    (certificate, key_at)
}

fn set(house: &House, certificate: &Path, key: &Path) {
    let known = std::fs::read_to_string(house.home.config().join("postern.toml")).unwrap();
    let tls = format!(
        "[web]\ntls = {{ certificate_file = \"{}\", key_file = \"{}\" }}",
        certificate.display(),
        key.display()
    );
    house.home.configure(&known.replace("[web]", &tls));
}

/// Whether a client that trusts this certificate alone is served.
async fn served_by(name: &str, base: &str) -> bool {
    let file = format!(
        "{}/../tests/fixtures/tls/{name}.pem",
        env!("CARGO_MANIFEST_DIR")
    );
    let root = reqwest::Certificate::from_pem(&std::fs::read(file).unwrap()).unwrap();
    let client = reqwest::Client::builder()
        .no_proxy()
        .tls_built_in_root_certs(false)
        .add_root_certificate(root)
        .build()
        .unwrap();
    let answer = client.get(format!("{base}/healthz")).send().await;
    answer.is_ok_and(|answer| answer.status() == 200)
}

#[tokio::test]
async fn the_page_speaks_tls_and_shows_a_renewed_certificate_without_a_restart() {
    let mut house = House::build().await;
    let (certificate, key) = lay(&house, "one", "one");
    set(&house, &certificate, &key);
    house.start().await;
    let base = house.world.base.lock().unwrap().clone();
    assert!(base.starts_with("https://127.0.0.1:"), "{base}");
    assert!(served_by("one", &base).await, "{}", house.errors());
    assert!(!served_by("two", &base).await);
    assert!(reqwest::get(base.replace("https", "http")).await.is_err());

    // Half of a renewal changes nothing; the whole of it does.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    std::fs::write(&certificate, "-----BEGIN").unwrap();
    assert!(served_by("one", &base).await, "{}", house.errors());
    lay(&house, "two", "two");
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert!(served_by("two", &base).await, "{}", house.errors());
    assert!(!served_by("one", &base).await);
    let said = house.cli(&["doctor"]).await;
    assert!(
        said.out.contains("ok    web: its certificate can be shown"),
        "{said:?}"
    );
}

#[tokio::test]
async fn files_that_cannot_be_shown_keep_the_program_from_starting() {
    let house = House::build().await;
    let (certificate, key) = lay(&house, "one", "two");
    set(&house, &certificate, &key);
    let says = async |what: &str| {
        let printed = house.cli(&[]).await;
        assert!(
            printed.code == 1 && printed.err.contains(what),
            "{printed:?}"
        );
    };
    says("that were made together").await;
    std::fs::set_permissions(&key, PermissionsExt::from_mode(0o644)).unwrap();
    says("make it yours alone with: chmod 600").await;
    lay(&house, "one", "one");
    std::fs::write(&certificate, "no certificate").unwrap();
    says("web.tls.certificate_file").await;
    std::fs::remove_file(&certificate).unwrap();
    says("there is no such file").await;
}

#[test]
fn names_are_reached_over_tls_alone_where_there_is_tls() {
    let file = Path::new("postern.toml");
    let of = |text: &str| Config::parse(file, text).unwrap().origins();
    let hosts = "[web]\nhosts = [\"chat.example\"]\n";
    assert_eq!(of(hosts), ["https://chat.example", "http://chat.example"]);
    let proxied = format!("{hosts}[proxies]\ntrusted = [\"127.0.0.1\", \"10.0.0.0/8\"]");
    assert_eq!(of(&proxied), ["https://chat.example"]);
    for (wrong, says) in [
        ("\"0.0.0.0/0\"", "is everybody"),
        ("\"::/0\"", "is everybody"),
        ("\"proxy\"", "write it like 127.0.0.1 or 10.0.0.0/8"),
    ] {
        let text = format!("[proxies]\ntrusted = [{wrong}]");
        let said = Config::parse(file, &text).unwrap_err().to_string();
        assert!(said.contains(says), "{said}");
    }
}
