//! People who want more than they were given, and what they get.

use std::time::Duration;

use fakes::telegram::{BOT_NAME, Fault, User};
use reqwest::StatusCode;
use serde_json::json;

use crate::stories::chat::{Chat, Door, fresh};
use crate::stories::house::{House, OWNER};

const ANNA: User = User(OWNER);
const MARK: &str = "This conversation has read outside content";

/// A group that the owner has paired from this account.
async fn paired_group(house: &House, owner: &Chat, user: User) -> fakes::telegram::Chat {
    let room = house.fake().group(-1001, "Friends");
    house.fake().say(user, room, "/pair");
    let asked = owner.told("wants to use me in the group").await;
    owner.press(&asked, "Allow this group").await;
    let chat = house.chat_of(user, room);
    chat.told("This group is paired with").await;
    room
}

#[tokio::test]
async fn an_account_whose_chat_was_let_go_of_acts_nowhere_any_more() {
    let (house, lost) = House::with_owner(Door::Telegram).await;
    let room = paired_group(&house, &lost, ANNA).await;
    let code = house.new_code(None).await;
    let kept = house.enter(Door::Telegram, 7005, &code).await;
    let said = house.cli(&["unpair", &format!("phone {OWNER}")]).await;
    assert_eq!(said.code, 0, "{said:?}");
    house.fake().say(
        ANNA,
        room,
        &format!("@{BOT_NAME}\nremember the gate is red"),
    );
    let second = house.fake().group(-1002, "More");
    house.fake().say(ANNA, second, "/pair");
    house.all_heard().await;
    kept.settle().await;
    assert_eq!(
        (
            house.count("SELECT count(*) FROM memory"),
            house.count("SELECT count(*) FROM claim"),
            house.count("SELECT count(*) FROM account"),
        ),
        (0, 1, 1)
    );
    let other = house.chat_of(User(7005), room);
    house.fake().say(
        User(7005),
        room,
        &format!("@{BOT_NAME}\nremember the gate is green"),
    );
    other.told("remembered").await;
}

#[tokio::test]
async fn an_account_with_a_chat_on_another_line_stays_when_one_is_let_go_of() {
    let (house, owner) = House::with_owner(Door::Telegram).await;
    let room = paired_group(&house, &owner, ANNA).await;
    house
        .database()
        .execute(
            "INSERT INTO pairing SELECT 'desk', chat, kind, person, platform, since, user FROM pairing WHERE chat = ?1",
            [OWNER.to_string()],
        )
        .unwrap();
    owner.say("/unpair").await;
    owner.told("Unpaired.").await;
    house.fake().say(
        ANNA,
        room,
        &format!("@{BOT_NAME}\nremember the gate is green"),
    );
    house.chat_of(ANNA, room).told("remembered").await;
}

#[tokio::test]
async fn a_group_that_is_claimed_over_and_over_asks_the_owner_once() {
    let (house, owner) = House::with_owner(Door::Telegram).await;
    let code = house.new_code(Some("Ana")).await;
    let guest = house.enter(Door::Telegram, 7002, &code).await;
    let room = house.fake().group(-1001, "Friends");
    for _ in 0..8 {
        house.fake().say(User(7002), room, "/pair");
    }
    house.all_heard().await;
    guest.say("/why").await;
    guest.told("it has read nothing").await;
    owner.settle().await;
    assert_eq!(owner.times("Ana wants to use me in the group").await, 1);
    let answers = house.chat_of(User(7002), room).screen().await.len();
    assert_eq!(answers, 1);
}

#[tokio::test]
async fn a_guest_who_was_let_go_gets_no_group() {
    let (house, owner) = House::with_owner(Door::Telegram).await;
    let code = house.new_code(Some("Ana")).await;
    let guest = house.enter(Door::Telegram, 7002, &code).await;
    let room = house.fake().group(-1001, "Friends");
    house.fake().say(User(7002), room, "/pair");
    let asked = owner.told("Ana wants to use me in the group").await;
    guest.say("/unpair").await;
    guest.told("Unpaired.").await;
    owner.press(&asked, "Allow this group").await;
    owner.settle().await;
    assert_eq!(house.count("SELECT count(*) FROM pairing"), 1);
}

#[tokio::test]
async fn a_guest_hears_nothing_of_the_owners_rule_file_even_when_it_is_broken() {
    let (house, _owner) = House::with_owner(Door::Telegram).await;
    let code = house.new_code(Some("Ana")).await;
    let guest = house.enter(Door::Telegram, 7002, &code).await;
    std::fs::write(
        house.home.config().join("policy.json"),
        "{\"rules\": [{\"pattern\": \"@secretive thing\"}]}",
    )
    .unwrap();
    guest.say("remember the gate is green").await;
    guest.told("not run: ").await;
    let all: String = guest.screen().await.into_iter().map(|s| s.text).collect();
    assert!(!all.contains("policy.json"), "{all}");
    assert!(
        !all.contains(house.home.config().to_str().unwrap()),
        "{all}"
    );
    assert_eq!(house.count("SELECT count(*) FROM memory"), 0);
}

#[tokio::test]
async fn a_chat_that_changes_hands_keeps_no_button_of_its_former_person() {
    let (house, owner) = House::with_owner(Door::Telegram).await;
    owner.say("write notes.txt: hello").await;
    let card = owner.card().await;
    let code = house.new_code(Some("Ana")).await;
    house.fake().private_message(ANNA, &format!("/pair {code}"));
    let guest = house.chat_of(ANNA, ANNA.direct());
    guest.told("You are paired as the guest Ana").await;
    guest.press_token(&card, &card.token("Allow once")).await;
    guest.say("write mine.txt: x").await;
    guest.told("there is no tool @files in this chat").await;
    house.all_heard().await;
    assert_eq!(house.file("notes.txt"), None);
    guest.closed(&card, "the chat was paired anew").await;
}

#[tokio::test]
async fn browsers_that_guess_are_slowed_down_and_leave_little_behind() {
    let (house, owner) = House::with_owner(Door::Web).await;
    let base = house.world.base.lock().unwrap().clone();
    let mut refused = 0;
    for _ in 0..200 {
        let answer = house
            .world
            .http
            .post(format!("{base}/api/pair"))
            .header("origin", &base)
            .json(&json!({ "code": "22222222" }))
            .send()
            .await
            .unwrap();
        match answer.status() {
            StatusCode::TOO_MANY_REQUESTS => refused += 1,
            status => assert_eq!(status, StatusCode::FORBIDDEN),
        }
    }
    assert!(refused > 120, "{refused}");
    assert!(house.count("SELECT count(*) FROM event") < 100);
    owner.settle().await;
    assert_eq!(
        owner
            .post("say", json!({ "id": fresh(), "text": "hello" }))
            .await,
        StatusCode::OK
    );
}

#[tokio::test]
async fn a_chat_that_is_told_to_wait_does_not_make_another_wait() {
    let (house, owner) = House::with_owner(Door::Telegram).await;
    let code = house.new_code(Some("Ana")).await;
    let guest = house.enter(Door::Telegram, 7002, &code).await;
    house
        .fake()
        .inject("sendMessage", Fault::TooMany { retry_after: 30 });
    let before = house.fake().calls_of("sendMessage").len();
    guest.say("remember the gate is green").await;
    let tried = house.fake().wait_until(Duration::from_secs(10), || {
        (house.fake().calls_of("sendMessage").len() > before).then_some(())
    });
    assert!(tried.await.is_some());
    owner.say("good morning").await;
    owner.told("I heard you.").await;
    assert_eq!(guest.times("remembered").await, 0);
}

#[tokio::test]
async fn a_quote_of_what_a_marked_conversation_answered_marks_the_next_one() {
    let (house, owner) = House::with_owner(Door::Telegram).await;
    house.fake().forward(ANNA, "a letter");
    owner.told(MARK).await;
    let answer = owner.told("I heard you.").await;
    owner.say("/new").await;
    owner.told("A fresh conversation").await;
    let on = answer.key.parse().unwrap();
    house.fake().reply(ANNA, ANNA.direct(), on, "go on");
    owner.told_times(MARK, 2).await;
}

#[tokio::test]
async fn of_many_presses_at_once_one_counts() {
    let (house, owner) = House::with_owner(Door::Web).await;
    for round in 0..5 {
        owner.say(&format!("write notes-{round}.txt: hello")).await;
        let card = owner
            .sees("card", |seen| {
                seen.labels().contains(&"Deny") && seen.text.contains(&format!("notes-{round}"))
            })
            .await;
        let (yes, no) = (card.token("Allow once"), card.token("Deny"));
        let presses = (0..12).map(|at| {
            let token = if at % 2 == 0 { &yes } else { &no };
            owner.try_press(&card, token)
        });
        futures_util::future::join_all(presses).await;
        let closed = owner
            .sees("end of the card", |seen| {
                seen.key == card.key
                    && (seen.text.contains("it did not run") || seen.text.contains("wrote notes"))
            })
            .await;
        let ran = house.file(&format!("notes-{round}.txt")).is_some();
        assert_eq!(ran, closed.text.contains("Allowed once"), "{closed:?}");
        assert!(
            !(closed.text.contains("Allowed") && closed.text.contains("Denied")),
            "{closed:?}"
        );
    }
}

#[tokio::test]
async fn a_guest_with_tabs_without_end_leaves_room_for_the_owner() {
    let (house, owner) = House::with_owner(Door::Web).await;
    let code = house.new_code(Some("Ana")).await;
    let guest = house.enter(Door::Web, 0, &code).await;
    let mut tabs = Vec::new();
    for _ in 0..40 {
        let tab = guest.get("events").await;
        if tab.status() == StatusCode::OK {
            tabs.push(tab);
        } else {
            assert_eq!(tab.status(), StatusCode::TOO_MANY_REQUESTS);
        }
    }
    assert_eq!(tabs.len(), 16);
    owner.say("good morning").await;
    owner.told("I heard you.").await;
    assert_eq!(owner.get("events").await.status(), StatusCode::OK);
    drop(tabs);
    for _ in 0..100 {
        if guest.get("events").await.status() == StatusCode::OK {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("closed tabs give nothing back");
}
