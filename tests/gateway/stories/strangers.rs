//! Whom the door lets in, and what everybody else hears.

use reqwest::StatusCode;
use serde_json::json;

use super::chat::{Chat, Door};
use super::house::{House, OWNER, soon};

const NOT_VALID: &str = "That code is not valid";

#[tokio::test]
async fn f76_a_stranger_hears_one_short_answer_and_then_silence() {
    let (house, owner) = House::with_owner(Door::Telegram).await;
    let stranger = house.fake().person(8001, "Mallory");
    for message in 0..30 {
        house
            .fake()
            .private_message(stranger, &format!("write f{message}.txt: hello"));
    }
    house.all_heard().await;
    owner.settle().await;
    let chat = house.chat_of(stranger, stranger.direct());
    let said: Vec<String> = chat
        .screen()
        .await
        .into_iter()
        .map(|seen| seen.text)
        .collect();
    assert_eq!(
        said,
        ["This bot is private. If its owner gave you a code, send: /pair CODE"]
    );
    assert_eq!(
        house.count("SELECT count(*) FROM conversation WHERE person <> 1"),
        0
    );
}

#[tokio::test]
async fn a_telegram_link_pairs_like_a_typed_code_in_any_spelling() {
    let house = House::open().await;
    let code = house.code();
    let owner = house.fake().person(OWNER, "Anna");
    house
        .fake()
        .private_message(owner, &format!("/start {code}"));
    house
        .chat_of(owner, owner.direct())
        .told("paired as the owner")
        .await;
    let second = house.new_code(None).await;
    let (head, tail) = second.split_at(4);
    let other = house.fake().person(7003, "Anna at work");
    let spelled = format!("/pair {}-{}", head.to_lowercase(), tail);
    house.fake().private_message(other, &spelled);
    house
        .chat_of(other, other.direct())
        .told("paired as the owner")
        .await;
    house.terminal_says("owner is paired.").await;
}

#[tokio::test]
async fn a_web_link_carries_its_code_in_the_fragment_and_lets_in_one_browser() {
    let house = House::open().await;
    let code = house.code();
    let base = house.world.base.lock().unwrap().clone();
    assert!(
        house.banner().contains(&format!("{base}/#{code}")),
        "{}",
        house.banner()
    );
    let page = house
        .world
        .http
        .get(format!("{base}/"))
        .send()
        .await
        .unwrap();
    assert_eq!(page.status(), StatusCode::OK);
    let foreign = house
        .world
        .http
        .post(format!("{base}/api/pair"))
        .header("origin", "https://evil.example")
        .json(&json!({ "code": code }))
        .send()
        .await
        .unwrap();
    assert_eq!(foreign.status(), StatusCode::FORBIDDEN);
    let chat = Chat::web(house.world.clone(), &code).await.unwrap();
    chat.told("paired as the owner").await;
    assert!(Chat::web(house.world.clone(), &code).await.is_none());
    let stranger = house
        .world
        .http
        .get(format!("{base}/api/chat"))
        .send()
        .await
        .unwrap();
    let seen: serde_json::Value = stranger.json().await.unwrap();
    assert_eq!(seen, json!({ "who": null, "items": [] }));
}

#[tokio::test]
async fn used_unknown_and_ended_codes_let_nobody_in() {
    let (house, _owner) = House::with_owner(Door::Telegram).await;
    let used = house.code();
    let ended = house.new_code(None).await;
    house
        .database()
        .execute("UPDATE code SET ends_at = 1", [])
        .unwrap();
    let stranger = house.fake().person(8001, "Mallory");
    let chat = house.chat_of(stranger, stranger.direct());
    for (tries, code) in [used, ended, "22222222".to_owned()].into_iter().enumerate() {
        house
            .fake()
            .private_message(stranger, &format!("/pair {code}"));
        chat.told_times(NOT_VALID, tries + 1).await;
        assert!(Chat::web(house.world.clone(), &code).await.is_none());
    }
    assert_eq!(house.count("SELECT count(*) FROM account"), 1);
}

#[tokio::test]
async fn f72_five_wrong_codes_silence_their_sender_and_nobody_else() {
    let house = House::open().await;
    let code = house.code();
    let stranger = house.fake().person(8001, "Mallory");
    for guess in ["22222222", "33333333", "nonsense", "ABCD-EFGH", "44444444"] {
        house
            .fake()
            .private_message(stranger, &format!("/pair {guess}"));
    }
    // Even the right one is not looked at any more.
    house
        .fake()
        .private_message(stranger, &format!("/pair {code}"));
    house.fake().private_message(stranger, "/pair 55555555");
    house.all_heard().await;
    let owner = house.enter(Door::Telegram, OWNER, &code).await;
    owner.settle().await;
    let chat = house.chat_of(stranger, stranger.direct());
    chat.told_times(NOT_VALID, 5).await;
    assert_eq!(chat.screen().await.len(), 5);
    assert_eq!(house.count("SELECT count(*) FROM account"), 1);
}

#[tokio::test]
async fn f72_twenty_wrong_codes_void_all_and_the_terminal_says_so() {
    let house = House::open().await;
    let code = house.code();
    for stranger in 8001..8005 {
        let stranger = house.fake().person(stranger, "Mallory");
        for guess in ["22222222", "33333333", "44444444", "55555555", "66666666"] {
            house
                .fake()
                .private_message(stranger, &format!("/pair {guess}"));
        }
    }
    house.terminal_says("every pairing code is void").await;
    let late = house.fake().person(OWNER, "Anna");
    house.fake().private_message(late, &format!("/pair {code}"));
    house.chat_of(late, late.direct()).told(NOT_VALID).await;
    let fresh = house.new_code(None).await;
    house.enter(Door::Telegram, OWNER, &fresh).await;
}

#[tokio::test]
async fn f72_browsers_that_guess_use_up_the_same_twenty() {
    let house = House::open().await;
    let code = house.code();
    for _ in 0..20 {
        assert!(Chat::web(house.world.clone(), "22222222").await.is_none());
    }
    house.terminal_says("every pairing code is void").await;
    assert!(Chat::web(house.world.clone(), &code).await.is_none());
    let fresh = house.new_code(None).await;
    house.enter(Door::Web, OWNER, &fresh).await;
}

#[tokio::test]
async fn a_code_that_a_group_saw_is_burnt() {
    let (house, _owner) = House::with_owner(Door::Telegram).await;
    let anna = fakes::telegram::User(OWNER);
    let group = house.fake().group(-1001, "Friends");
    let said = house.new_code(None).await;
    house
        .fake()
        .say(anna, group, &format!("my code is {said}, keep it"));
    let tried = house.new_code(None).await;
    house.fake().say(anna, group, &format!("/pair {tried}"));
    let room = house.chat_of(anna, group);
    room.told("That code was shown to a group, so it is void now")
        .await;
    let late = house.fake().person(7003, "Bob");
    let chat = house.chat_of(late, late.direct());
    for (tries, code) in [said, tried].into_iter().enumerate() {
        house.fake().private_message(late, &format!("/pair {code}"));
        chat.told_times(NOT_VALID, tries + 1).await;
    }
    assert_eq!(house.count("SELECT count(*) FROM code"), 0);
}

on_both! {
    async fn a_guest_has_no_files_and_hears_nothing_of_the_owners_rules(house, chat) {
        chat.say("write secret.txt: hello").await;
        let card = chat.card().await;
        chat.press(&card, "Always").await;
        chat.closed(&card, "wrote secret.txt").await;
        let code = house.new_code(Some("Ana")).await;
        let guest = house.enter(chat.door(), 7002, &code).await;
        guest.told("You are paired as the guest Ana").await;
        guest.say("write mine.txt: mine now").await;
        guest.told("there is no tool @files in this chat").await;
        guest.say("remember the gate is green").await;
        guest.told("remembered").await;
        for command in ["/rules", "/status", "/policy auto", "/link"] {
            guest.say(command).await;
            let name = command.split(' ').next().unwrap();
            guest.told(&format!("{name} is not something I do here")).await;
        }
        guest.say("/why").await;
        guest.told("@memory save").await;
        let all: String = guest.screen().await.into_iter().map(|seen| seen.text).collect();
        assert!(!all.contains("secret.txt"), "{all}");
        assert_eq!(house.file("secret.txt").as_deref(), Some("hello"));
        assert_eq!(guest.open_cards().await, 0);
        chat.say("recall gate").await;
        chat.told("nothing was remembered about that").await;
        guest.say("recall gate").await;
        guest.told("the gate is green").await;
    }
}

#[tokio::test]
async fn f75_each_of_several_codes_that_were_shown_lets_somebody_in() {
    let (house, _owner) = House::with_owner(Door::Web).await;
    let mut codes = Vec::new();
    for name in ["Ana", "Ben", "Cleo"] {
        codes.push((name, house.new_code(Some(name)).await));
    }
    // The oldest last, so that none is lost by one that was made after it.
    for (account, (name, code)) in (7002..).zip(codes.into_iter().rev()) {
        let guest = house.enter(Door::Telegram, account, &code).await;
        guest
            .told(&format!("You are paired as the guest {name}"))
            .await;
    }
}

#[tokio::test]
async fn a_browser_that_is_not_let_in_can_do_nothing() {
    let (house, owner) = House::with_owner(Door::Web).await;
    let base = house.world.base.lock().unwrap().clone();
    for (what, body) in [
        (
            "say",
            json!({ "id": "one", "text": "write notes.txt: hello" }),
        ),
        ("press", json!({ "id": "one", "token": "A".repeat(22) })),
    ] {
        let request = house.world.http.post(format!("{base}/api/{what}"));
        let request = request.header("origin", &base).json(&body);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{what}");
    }
    let events = house.world.http.get(format!("{base}/api/events"));
    assert_eq!(
        events.send().await.unwrap().status(),
        StatusCode::UNAUTHORIZED
    );
    owner.settle().await;
    let quiet = soon(|| (house.count("SELECT count(*) FROM question") == 0).then_some(())).await;
    assert!(quiet.is_some());
}
