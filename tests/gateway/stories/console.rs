//! What the owner's console shows of a real house, and what it cannot be made to do.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::chat::{Chat, Door, Seen};
use super::house::{House, OWNER};

async fn list(chat: &Chat, view: &str) -> Value {
    let answer = chat.get(&format!("console/{view}")).await;
    assert_eq!(answer.status(), 200, "{view}");
    answer.json().await.unwrap()
}

pub(super) async fn items(chat: &Chat, view: &str) -> Vec<Value> {
    list(chat, view).await["items"].as_array().unwrap().clone()
}

/// The owner's browser, beside their chat on Telegram.
async fn browser(house: &House) -> Chat {
    let code = house.new_code(None).await;
    house.enter(Door::Web, OWNER, &code).await
}

/// The card of the one question that waits, as it stands in this browser.
pub(super) fn standing(waiting: &[Value]) -> Seen {
    let card = &waiting[0]["card"];
    let choices = card["body"]["choices"].as_array().unwrap().iter();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    Seen {
        key: word(&card["key"]),
        text: String::new(),
        buttons: choices
            .map(|choice| (word(&choice["label"]), word(&choice["token"])))
            .collect(),
    }
}

#[tokio::test]
async fn law_3_f61_a_card_of_another_chat_is_answered_here_only_where_it_stands_with_its_own_token()
{
    let (house, phone) = House::with_owner(Door::Telegram).await;
    let page = browser(&house).await;
    phone.say("write notes.txt: hello").await;
    let there = phone.card().await;

    let waiting = items(&page, "waiting").await;
    let question = waiting[0]["id"].clone();
    assert_eq!(
        (
            &waiting[0]["title"],
            &waiting[0]["yours"],
            &waiting[0]["card"]
        ),
        (&json!("@files write"), &json!(true), &Value::Null)
    );
    page.press_token(&there, &there.token("Allow once")).await;
    page.settle().await;
    assert_eq!(house.file("notes.txt"), None);

    for _ in 0..2 {
        let put = page
            .post("console/card", json!({ "question": question }))
            .await;
        assert_eq!(put, 200);
    }
    let here = standing(&items(&page, "waiting").await);
    assert_ne!(here.token("Allow once"), there.token("Allow once"));
    assert_eq!(page.open_cards().await, 1);
    phone.press_token(&there, &here.token("Allow once")).await;
    house.all_heard().await;
    phone.say("/why").await;
    phone.told("It has read no outside content").await;
    assert_eq!(house.file("notes.txt"), None);

    page.press(&here, "Allow once").await;
    phone.closed(&there, "Allowed once by").await;
    page.closed(&here, "wrote notes.txt").await;
    assert_eq!(house.file("notes.txt").as_deref(), Some("hello"));
    phone.press_token(&there, &there.token("Deny")).await;
    assert!(items(&page, "waiting").await.is_empty());
    let late = page
        .post("console/card", json!({ "question": question }))
        .await;
    assert_eq!(late, 409);
}

#[tokio::test]
async fn a_guests_question_and_words_are_the_guests_and_the_owner_sees_only_that_it_waits() {
    let house = House::build().await;
    let rules = house.home.config().join("policy.json");
    std::fs::create_dir_all(house.home.config()).unwrap();
    let ask = json!({ "rules": [{ "pattern": "@memory save", "action": "ask" }] });
    std::fs::write(rules, ask.to_string()).unwrap();
    let mut house = house;
    house.start().await;
    let owner = house.enter(Door::Web, OWNER, &house.code()).await;
    let code = house.new_code(Some("Zoe")).await;
    let guest = house.enter(Door::Telegram, 7002, &code).await;
    guest.say("remember the word is lavender").await;
    guest.card().await;

    let waiting = items(&owner, "waiting").await;
    assert_eq!(
        (
            &waiting[0]["yours"],
            &waiting[0]["title"],
            &waiting[0]["card"],
            &waiting[0]["who"]
        ),
        (
            &json!(false),
            &Value::Null,
            &Value::Null,
            &json!({ "name": "Zoe", "role": "guest" })
        )
    );
    let asked = json!({ "question": waiting[0]["id"] });
    assert_eq!(owner.post("console/card", asked).await, 409);
    let mut shown = String::new();
    for view in [
        "chats", "waiting", "memories", "files", "audit", "people", "status",
    ] {
        shown.push_str(&list(&owner, view).await.to_string());
    }
    assert!(!shown.contains("lavender"), "{shown}");
    let chats = items(&owner, "chats").await;
    let theirs = chats
        .iter()
        .find(|chat| chat["who"]["name"] == "Zoe")
        .unwrap();
    assert_eq!(
        (&theirs["state"], &theirs["last"]),
        (&json!("a card waits"), &Value::Null)
    );
}

#[tokio::test]
async fn a_guests_browser_sees_nothing_of_the_console() {
    let (house, owner) = House::with_owner(Door::Web).await;
    owner.say("remember the safe is green").await;
    owner.told("remembered").await;
    let code = house.new_code(Some("Zoe")).await;
    let guest = house.enter(Door::Web, 0, &code).await;
    for view in [
        "audit",
        "chats",
        "files",
        "memories",
        "people",
        "rules",
        "status",
        "waiting",
        "file?workspace=1&path=notes.txt",
    ] {
        let answer = guest.get(&format!("console/{view}")).await;
        assert_eq!(answer.status(), 403, "{view}");
        let said: Value = answer.json().await.unwrap();
        let text = "only the owner sees this; your chat is on the front page";
        assert_eq!(said, json!({ "error": text }));
    }
    let people = items(&owner, "people").await;
    let place = people
        .iter()
        .find(|seen| seen["who"]["name"] == "owner")
        .unwrap();
    let unpair = json!({ "place": place["name"] });
    assert_eq!(guest.post("console/unpair", unpair).await, 403);
    assert_eq!(
        guest.post("console/card", json!({ "question": 1 })).await,
        403
    );
    assert_eq!(items(&owner, "people").await, people);
}

#[tokio::test]
async fn letting_go_on_the_console_closes_the_door_there() {
    let (house, phone) = House::with_owner(Door::Telegram).await;
    let page = browser(&house).await;
    phone.say("write notes.txt: hello").await;
    let card = phone.card().await;
    let people = items(&page, "people").await;
    // Which of them is this very browser is said.
    for seen in &people {
        let is_page = seen["name"].as_str().unwrap().starts_with("web ");
        assert_eq!(seen["here"], json!(is_page), "{seen}");
    }
    let place = people
        .iter()
        .find(|seen| seen["name"].as_str().unwrap().starts_with("phone "));
    let name = place.unwrap()["name"].clone();
    assert_eq!(
        page.post("console/unpair", json!({ "place": name })).await,
        200
    );
    phone.closed(&card, "unpaired").await;
    assert_eq!(
        page.post("console/unpair", json!({ "place": name })).await,
        409
    );
    assert_eq!(items(&page, "people").await.len(), 1);
}

#[tokio::test]
async fn files_are_listed_and_handed_out_and_no_path_leads_elsewhere() {
    let (house, owner) = House::with_owner(Door::Web).await;
    owner.say("write notes.txt: hello").await;
    let card = owner.card().await;
    owner.press(&card, "Allow once").await;
    owner.closed(&card, "wrote notes.txt").await;
    house.write_outside("a\u{202E}txt.html", "<script>alert(1)</script>");
    let workspaces = house.home.data().join("workspaces");
    let mut rooms = std::fs::read_dir(&workspaces).unwrap();
    let room = rooms.next().unwrap().unwrap().path();
    symlink("/etc/passwd", room.join("link")).unwrap();
    symlink("..", room.join("up")).unwrap();

    let files = items(&owner, "files").await;
    let names: Vec<&str> = files
        .iter()
        .map(|file| file["shown"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a\\u{202e}txt.html", "notes.txt"]);
    let id = files[0]["workspace"].as_i64().unwrap();
    let file = async |id: i64, path: &str| {
        let path: String = url_encoded(path);
        owner
            .get(&format!("console/file?workspace={id}&path={path}"))
            .await
    };
    let got = file(id, "a\u{202E}txt.html").await;
    let header = |name: &str| got.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(
        (header("content-type"), header("content-disposition")),
        (
            "application/octet-stream".to_owned(),
            "attachment; filename*=UTF-8''a%E2%80%AEtxt.html".to_owned()
        )
    );
    assert_eq!(got.text().await.unwrap(), "<script>alert(1)</script>");
    for path in [
        "link",
        "up/postern.db",
        "../../postern.db",
        "/etc/passwd",
        "..",
        "",
        ".",
        "no.txt",
        "notes.txt/",
        "up",
        "notes.txt\0",
    ] {
        assert_eq!(file(id, path).await.status(), 404, "{path:?}");
    }
    assert_eq!(file(id + 1, "notes.txt").await.status(), 404);
    assert_eq!(file(-1, "notes.txt").await.status(), 404);
}

#[tokio::test]
async fn hostile_texts_are_short_and_plain_in_lists_and_a_memory_is_shown_whole() {
    let (_house, owner) = House::with_owner(Door::Web).await;
    let long = "x".repeat(4000);
    owner
        .say(&format!(
            "remember <script>alert(1)</script> \u{202E}\u{200B}{long}"
        ))
        .await;
    owner.told("remembered").await;
    owner.say("recall script").await;
    let mut last = String::new();
    for _ in 0..1000 {
        let chats = items(&owner, "chats").await;
        last = chats[0]["last"]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        if last.contains("<script>") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(last.chars().count(), 201, "{last}");
    assert!(
        last.contains("<script>alert(1)</script> \\u{202e}\\u{200b}x"),
        "{last}"
    );
    for view in ["chats", "memories", "audit", "people", "files"] {
        let shown = list(&owner, view).await.to_string();
        assert!(!shown.contains(['\u{202E}', '\u{200B}']), "{view}: {shown}");
    }
    let memories = items(&owner, "memories").await;
    assert!(memories[0]["text"].as_str().unwrap().ends_with(&long));
}

#[tokio::test]
async fn the_audit_is_paged_newest_first_and_shows_where_it_was_changed() {
    let (house, owner) = House::with_owner(Door::Web).await;
    for number in 0..30 {
        owner.say(&format!("remember thing {number}")).await;
        owner.told_times("remembered", number + 1).await;
    }
    let first = list(&owner, "audit").await;
    let next = first["next"].as_i64().expect("more than one page");
    let second = list(&owner, &format!("audit?from={next}")).await;
    let numbers = |page: &Value| -> Vec<i64> {
        let items = page["items"].as_array().unwrap().iter();
        items.map(|item| item["seq"].as_i64().unwrap()).collect()
    };
    let (newest, older) = (numbers(&first), numbers(&second));
    assert_eq!(newest.len(), 50);
    assert!(newest.is_sorted_by(|one, other| one > other), "{newest:?}");
    assert_eq!(older[0], newest[49] - 1);
    let broken = |page: &Value| -> Vec<i64> {
        let items = page["items"].as_array().unwrap().iter();
        let broken = items.filter(|item| item["chained"] == json!(false));
        broken.map(|item| item["seq"].as_i64().unwrap()).collect()
    };
    assert!(broken(&first).is_empty() && broken(&second).is_empty());
    let changed = newest[10];
    house
        .database()
        .execute_batch(&format!(
            "DROP TRIGGER audit_stands;
             UPDATE audit SET what = replace(what, 'allowed', 'denied'), at = at + 1 WHERE seq = {changed}"
        ))
        .unwrap();
    assert_eq!(broken(&list(&owner, "audit").await), [changed]);
}

#[tokio::test]
async fn the_audit_says_in_words_what_allowed_a_call_and_which_rules_hold() {
    let (_house, owner) = House::with_owner(Door::Web).await;
    owner.say("write notes.txt: hello").await;
    let card = owner.card().await;
    owner.press(&card, "Allow once").await;
    owner.told("wrote notes.txt").await;
    let shown = list(&owner, "audit").await;
    let texts: Vec<&str> = shown["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["text"].as_str().unwrap())
        .collect();
    let why = "no rule allows this without asking";
    for said in [
        format!("asked @files write: {why}"),
        format!("allowed @files write by the answer on its card, asked for: {why}"),
    ] {
        assert!(texts.contains(&said.as_str()), "{said}: {texts:?}");
    }
    for begins in ["started with the settings ", "the owner's rules are now "] {
        assert!(
            texts.iter().any(|text| text.starts_with(begins)),
            "{begins}: {texts:?}"
        );
    }
}

fn url_encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
