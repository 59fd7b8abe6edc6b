//! Who sees the console? The owner's browser, from our own page, and nobody else.

use bot_policy::access::{Person, Role};
use bot_policy::id::PersonId;

use crate::http_wire::{Served, served};

const VIEWS: [&str; 8] = [
    "audit", "chats", "files", "memories", "people", "rules", "status", "waiting",
];
const POSTS: [(&str, &str); 3] = [
    ("/api/console/card", r#"{"question":7}"#),
    ("/api/console/memory", r#"{"memory":3,"word":"keep"}"#),
    ("/api/console/unpair", r#"{"place":"web a"}"#),
];

#[tokio::test]
async fn the_owner_gets_every_list_and_its_pages() {
    let page = served(&[]).await;
    let owner = page.desk.paired("a");
    for view in VIEWS {
        let path = format!("/api/console/{view}?from=50");
        let answer = page.get(&path, &owner).await;
        let shown = answer.json()["items"][0].as_str().unwrap().to_lowercase();
        assert_eq!(
            (answer.status, shown),
            (200, format!("{view} from 50 for anna"))
        );
    }
    let file = "/api/console/file?workspace=1&path=a%2Fl%C3%A4rm%0d%0a%22.html";
    let answer = page.get(file, &owner).await;
    assert_eq!(
        (
            answer.status,
            answer.header("content-type"),
            answer.header("content-disposition"),
            answer.header("x-content-type-options"),
            answer.body.len(),
        ),
        (
            200,
            Some("application/octet-stream"),
            Some("attachment; filename*=UTF-8''l%C3%A4rm%0D%0A%22.html"),
            Some("nosniff"),
            2,
        )
    );
    for (path, body) in POSTS {
        let answer = page.post(path, &owner, body).await;
        assert_eq!(answer.error(), (409, "not now; try again".to_owned()));
    }
    assert_eq!(
        *page.desk.deeds.lock().unwrap(),
        ["stand 7", "Keep 3", "let go web a"]
    );
}

#[tokio::test]
async fn f98_a_guest_a_stranger_another_page_and_another_name_get_nothing_of_it() {
    let page = served(&[]).await;
    let owner = page.desk.paired("a");
    let guest = guest(&page);
    let mut gets: Vec<String> = VIEWS
        .iter()
        .map(|view| format!("/api/console/{view}"))
        .collect();
    gets.push("/api/console/file?workspace=1&path=notes.txt".to_owned());
    gets.push("/metrics".to_owned());
    let theirs = "only the owner sees this; your chat is on the front page";
    let nobodys = "this browser is not paired; get a link with: postern pair";
    let elsewhere = "only Postern's own page may do this; open it by the link that Postern printed";
    let (host, cookie) = (page.host(), format!("cookie: postern_session={owner}"));
    for path in &gets {
        let get = format!("GET {path}");
        let unlike = [host.as_str(), &cookie, "sec-fetch-site: cross-site"];
        let near = [host.as_str(), &cookie, "sec-fetch-site: same-site"];
        let named = ["host: evil.example", &cookie];
        assert_eq!(
            page.get(path, &guest).await.error(),
            (403, theirs.to_owned()),
            "{path}"
        );
        for token in ["", "x", &"c".repeat(64)] {
            assert_eq!(
                page.get(path, token).await.error(),
                (401, nobodys.to_owned()),
                "{path}"
            );
        }
        for headers in [unlike, near] {
            let answer = page.raw(&get, &headers, "").await;
            assert_eq!(answer.error(), (403, elsewhere.to_owned()), "{path}");
        }
        assert_eq!(page.raw(&get, &named, "").await.status, 421, "{path}");
    }
    for (path, body) in POSTS {
        assert_eq!(
            page.post(path, &guest, body).await.error(),
            (403, theirs.to_owned())
        );
        assert_eq!(
            page.post(path, "", body).await.error(),
            (401, nobodys.to_owned())
        );
        for origin in ["origin: null", "origin: https://evil.example"] {
            let answer = page.post_as(path, &owner, &[&host, origin], body).await;
            assert_eq!(answer.error(), (403, elsewhere.to_owned()), "{path}");
        }
        let named = ["host: evil.example", "origin: http://evil.example"];
        assert_eq!(page.post_as(path, &owner, &named, body).await.status, 421);
        assert_eq!(page.get(path, &owner).await.status, 405);
    }
    assert!(page.desk.deeds.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_is_not_understood_is_said_so() {
    let page = served(&[]).await;
    let owner = page.desk.paired("a");
    let nothing = (404, "there is nothing at this address".to_owned());
    for path in [
        "/api/console/secrets",
        "/api/console/..",
        "/api/console/Audit",
    ] {
        assert_eq!(page.get(path, &owner).await.error(), nothing, "{path}");
    }
    for path in [
        "/api/console/audit?from=x",
        "/api/console/audit?from=1&person=2",
        "/api/console/file?workspace=1",
        "/api/console/file?workspace=x&path=y",
    ] {
        assert_eq!(page.get(path, &owner).await.error().0, 400, "{path}");
    }
    for body in [
        "",
        "{}",
        r#"{"question":"7"}"#,
        r#"{"question":7,"person":1}"#,
    ] {
        assert_eq!(
            page.post("/api/console/card", &owner, body).await.error().0,
            400,
            "{body}"
        );
    }
    for body in [
        "{}",
        r#"{"memory":3}"#,
        r#"{"memory":3,"word":"show"}"#,
        r#"{"memory":3,"word":"keep","person":1}"#,
    ] {
        let answer = page.post("/api/console/memory", &owner, body).await;
        assert_eq!(answer.error().0, 400, "{body}");
    }
}

fn guest(page: &Served) -> String {
    let token = page.desk.paired("b");
    let guest = Person {
        id: PersonId(2),
        role: Role::Guest,
        name: "Ben".to_owned(),
    };
    let place = adapters::web::place("b");
    page.desk.paired.lock().unwrap().insert(place, guest);
    token
}
