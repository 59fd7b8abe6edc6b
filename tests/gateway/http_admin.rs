//! What the admin token opens, and what is counted.

use std::os::unix::fs::PermissionsExt;

use bot_policy::access::{Person, Role};
use bot_policy::id::PersonId;
use gateway::config::SecretSource;
use gateway::http::admin::AdminToken;
use gateway::secrets::Secrets;
use serde_json::json;

use crate::http_wire::{Served, served};
use crate::keeper::Home;
use crate::stories::house::House;

const TOKEN: &str = "correct-horse-battery-staple";

#[tokio::test]
async fn the_admin_token_signs_a_browser_in_as_the_owner_and_stands_in_no_answer() {
    let (page, _folder) = with_token().await;
    let typed = json!({ "token": TOKEN }).to_string();
    let answer = page.post("/api/sign-in", "", &typed).await;
    let cookie = answer.header("set-cookie").expect("a cookie").to_owned();
    let token = cookie.split(['=', ';']).nth(1).unwrap();
    let chat = page.get("/api/chat", token).await.json();
    assert_eq!(
        (answer.status, chat["who"].clone()),
        (200, json!({ "name": "Anna", "role": "owner" }))
    );
    assert!(!format!("{}{}", answer.head, answer.body).contains(TOKEN));
}

#[tokio::test]
async fn a_wrong_admin_token_opens_nothing_and_may_be_tried_a_few_times() {
    let (page, _folder) = with_token().await;
    let wrong = "that is not the admin token; it stands where web.admin_token_file, or _env or _credential, says";
    for token in ["", "correct-horse", "correct-horse-battery-staplE"] {
        let typed = json!({ "token": token }).to_string();
        let answer = page.post("/api/sign-in", "", &typed).await;
        assert_eq!(answer.error(), (403, wrong.to_owned()));
        assert_eq!(answer.header("set-cookie"), None);
    }
    let mut last = (0, String::new());
    for _ in 0..40 {
        let typed = json!({ "token": "guess" }).to_string();
        last = page.post("/api/sign-in", "", &typed).await.error();
    }
    let often = "too many tries; wait a few seconds and try again";
    assert_eq!(last, (429, often.to_owned()));
    assert_eq!(page.desk.written(), (0, 0));
}

#[tokio::test]
async fn without_an_admin_token_nobody_signs_in_with_one() {
    let page = served(&[]).await;
    let none = "this Postern has no admin token; set web.admin_token_file in postern.toml, or get a link with: postern pair";
    for token in ["", TOKEN] {
        let typed = json!({ "token": token }).to_string();
        let answer = page.post("/api/sign-in", "", &typed).await;
        assert_eq!(answer.error(), (403, none.to_owned()));
    }
}

#[tokio::test]
async fn what_was_counted_is_for_the_owner_and_for_the_admin_token() {
    let (page, _folder) = with_token().await;
    let owner = page.desk.paired("a");
    let guest = page.desk.paired("b");
    page.desk.paired.lock().unwrap().insert(
        adapters::web::place("b"),
        Person {
            id: PersonId(2),
            role: Role::Guest,
            name: "Ben".to_owned(),
        },
    );
    let host = page.host();
    let bearer = |token: &str| format!("authorization: Bearer {token}");
    let read = [
        page.get("/metrics", &owner).await,
        page.raw("GET /metrics", &[&host, &bearer(TOKEN)], "").await,
    ];
    for answer in read {
        assert_eq!(
            (answer.status, answer.header("content-type"), &*answer.body),
            (
                200,
                Some("text/plain; version=0.0.4; charset=utf-8"),
                "postern_up_seconds 5\n"
            )
        );
    }
    let refused = [
        (403, page.get("/metrics", &guest).await),
        (401, page.get("/metrics", "").await),
        (
            403,
            page.raw("GET /metrics", &[&host, &bearer("x")], "").await,
        ),
        (
            401,
            page.raw(&format!("GET /metrics?token={TOKEN}"), &[&host], "")
                .await,
        ),
        (403, {
            let cookie = format!("cookie: postern_session={owner}");
            let headers = [host.as_str(), &cookie, "sec-fetch-site: same-site"];
            page.raw("GET /metrics", &headers, "").await
        }),
        (
            421,
            page.raw("GET /metrics", &["host: evil.example"], "").await,
        ),
    ];
    for (status, answer) in refused {
        assert_eq!(answer.status, status, "{}", answer.body);
        assert!(!answer.body.contains("postern_up"), "{}", answer.body);
    }
}

#[tokio::test]
async fn what_happens_is_counted_and_no_name_is_in_it() {
    let mut house = House::build().await;
    let folder = house.home.path().to_owned();
    let token = folder.join("admin");
    write_private(&token, TOKEN);
    let port = free_port();
    let known = std::fs::read_to_string(house.home.config().join("postern.toml")).unwrap();
    house.home.configure(&known.replace(
        "[web]\n",
        &format!("[metrics]\nlisten = \"127.0.0.1:{port}\"\n[web]\nadmin_token_file = {token:?}\n"),
    ));
    house.start().await;
    let chat = house
        .enter(crate::stories::chat::Door::Web, 0, &house.code())
        .await;
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "wrote notes.txt").await;
    house.all_sent().await;

    let at = format!("http://127.0.0.1:{port}/metrics");
    let text = house.world.http.get(at).send().await.unwrap();
    let text = text.text().await.unwrap();
    for line in [
        "postern_decisions_total{action=\"asked\"} 1",
        "postern_questions_total{state=\"asked\"} 1",
        "postern_questions_total{state=\"approved\"} 1",
        "postern_questions_total{state=\"done\"} 1",
        "postern_deeds_total{how=\"done\"} 1",
        "postern_events_total{kind=\"press\"} 1",
        "postern_open_questions 0",
        "postern_deed_seconds_count 1",
        "postern_deed_seconds_bucket{le=\"+Inf\"} 1",
        "# TYPE postern_model_seconds histogram",
    ] {
        assert!(
            text.lines().any(|found| found == line),
            "{line} not in\n{text}"
        );
    }
    for name in ["phone", "owner", "notes", "hello", TOKEN] {
        assert!(!text.contains(name), "{name} in\n{text}");
    }
    let base = house.world.base.lock().unwrap().clone();
    for path in ["healthz", "readyz"] {
        let answer = house.world.http.get(format!("{base}/{path}")).send();
        assert_eq!(answer.await.unwrap().status(), 200);
    }
}

#[tokio::test]
async fn a_token_that_replaced_another_is_cut_before_the_next_start() {
    let mut house = House::build().await;
    let token = house.home.path().join("admin");
    write_private(&token, TOKEN);
    let known = std::fs::read_to_string(house.home.config().join("postern.toml")).unwrap();
    house
        .home
        .configure(&known.replace("[web]\n", &format!("[web]\nadmin_token_file = {token:?}\n")));
    house.start().await;
    let chat = house
        .enter(crate::stories::chat::Door::Web, 0, &house.code())
        .await;
    chat.settle().await;
    let other = "another-token-of-28-letters!";
    write_private(&token, other);
    let mut cut = false;
    for _ in 0..50 {
        house.write_outside("notes.txt", other);
        chat.say("read notes.txt").await;
        chat.settle().await;
        cut = house.count("SELECT count(*) FROM entry WHERE body LIKE '%<redacted>%'") > 0;
        if cut {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert!(cut, "the new token was never cut");
    // The old one may still stand in what was written before.
    house.write_outside("notes.txt", TOKEN);
    chat.say("read notes.txt").await;
    chat.settle().await;
    let held = format!("SELECT count(*) FROM entry WHERE body LIKE '%{TOKEN}%'");
    assert_eq!(house.count(&held), 0);
}

#[test]
fn what_is_wrong_with_the_file_of_the_admin_token_is_said() {
    let home = Home::new();
    let token = home.path().join("admin");
    let named = format!("web.admin_token_file {}", token.display());
    let how = "as from: openssl rand -hex 32";
    home.configure(&format!("[web]\nadmin_token_file = {token:?}\n"));
    let check = || String::from_utf8(home.command(&["config", "check"]).output().unwrap().stdout);
    let says = |text: String| {
        let said = check().unwrap();
        assert!(
            said.contains(&format!("fail  configuration: {text}\n")),
            "{said}"
        );
    };
    says(format!(
        "{named} cannot be read (there is no such file); write one word of 24 to 1024 characters ({how}) into it"
    ));
    write_private(&token, "too-short");
    let nothing =
        format!("{named} holds no token; write one word of 24 to 1024 characters into it, {how}");
    says(nothing.clone());
    write_private(&token, "two words of twenty-four characters and more");
    says(nothing);
    write_private(&token, TOKEN);
    assert!(
        check()
            .unwrap()
            .contains("ok    admin token: it can be used\n")
    );
    std::fs::set_permissions(&token, PermissionsExt::from_mode(0o644)).unwrap();
    says(format!(
        "{named} can be read by others; make it yours alone with: chmod 600 {}",
        token.display()
    ));
}

#[tokio::test]
async fn f96_a_token_that_was_replaced_opens_nothing_from_then_on() {
    let (page, folder) = with_token().await;
    let file = folder.path().join("admin");
    let status = async |token: &str| {
        let (host, bearer) = (page.host(), format!("authorization: Bearer {token}"));
        page.raw("GET /metrics", &[&host, &bearer], "").await.status
    };
    assert_eq!(status(TOKEN).await, 200);
    let other = "another-admin-token-0123456789";
    write_private(&file, other);
    assert_eq!((status(TOKEN).await, status(other).await), (403, 200));
    // What cannot be used opens nothing at all.
    write_private(&file, "too-short");
    assert_eq!((status("too-short").await, status(other).await), (403, 403));
}

#[test]
fn metrics_are_served_on_this_machine_alone() {
    let home = Home::new();
    home.configure("[metrics]\nlisten = \"0.0.0.0:9464\"\n");
    let said = home.command(&["config", "check"]).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let text = "postern.toml:2:10: metrics.listen: 0.0.0.0:9464 is reached by other machines, and nobody is asked who they are there; use 127.0.0.1:9464, or read /metrics of the web chat with the admin token\n";
    assert!(said.contains(text), "{said}");
}

/// A page with an admin token, and the folder of its file.
async fn with_token() -> (Served, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("admin");
    write_private(&file, &format!("{TOKEN}\n"));
    let source = SecretSource::one_of("web.admin_token", Some(&file), None, None);
    let source = source.unwrap().unwrap();
    let page = served(&[]).await;
    page.desk
        .admin
        .set(AdminToken::read(&source, &Secrets::default()).unwrap())
        .unwrap();
    (page, folder)
}

pub fn write_private(file: &std::path::Path, text: &str) {
    std::fs::write(file, text).unwrap();
    std::fs::set_permissions(file, PermissionsExt::from_mode(0o600)).unwrap();
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
