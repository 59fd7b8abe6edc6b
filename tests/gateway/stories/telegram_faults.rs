//! Faults that people met with bots on Telegram, told through the real program.

use fakes::telegram::{BOT_NAME, Fault, User, WAIT};
use serde_json::json;

use super::chat::{Chat, Door};
use super::house::{House, OWNER};
use super::telegram::group;

const ANNA: User = User(OWNER);

async fn owner() -> (House, Chat) {
    House::with_owner(Door::Telegram).await
}

#[tokio::test]
async fn f27_bots_are_nobody_whether_they_speak_answer_or_are_spoken_through() {
    let (house, owner) = owner().await;
    let room = group(&house, &owner).await;
    let bot = json!({"id": 9001, "is_bot": true, "first_name": "Echo", "username": "echo_bot"});
    let text = format!("@{BOT_NAME}\nremember the bot");
    for round in 0..5 {
        house
            .fake()
            .message(ANNA, room, &text, json!({"from": bot}));
        house.fake().message(
            ANNA,
            ANNA.direct(),
            "remember the bot",
            json!({"from": bot}),
        );
        house.fake().message(
            ANNA,
            ANNA.direct(),
            "remember the bot",
            json!({"via_bot": bot}),
        );
        let ours = house.fake().messages(room).first().unwrap().id;
        let answered = json!({"from": bot, "reply_to_message": {
            "message_id": ours, "chat": {"id": room.0}, "from": {"id": 777_123_456, "is_bot": true},
        }});
        house
            .fake()
            .message(ANNA, room, &format!("remember round {round}"), answered);
    }
    house.all_heard().await;
    owner.settle().await;
    assert_eq!(house.count("SELECT count(*) FROM memory"), 0);
    assert_eq!(
        house.fake().messages(room).len(),
        2,
        "{:?}",
        house.fake().messages(room)
    );
}

#[tokio::test]
async fn f34_too_many_requests_for_what_is_only_nice_to_have_stop_nothing() {
    let (house, chat) = owner().await;
    for method in [
        "sendChatAction",
        "sendMessageDraft",
        "setMyCommands",
        "answerCallbackQuery",
    ] {
        for _ in 0..3 {
            house
                .fake()
                .inject(method, Fault::TooMany { retry_after: 198 });
        }
    }
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    house
        .fake()
        .inject("editMessageText", Fault::TooMany { retry_after: 1 });
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "wrote notes.txt").await;
    chat.say("wait 1\nsay still here").await;
    chat.told("still here").await;
}

#[tokio::test]
async fn f45_a_late_press_shows_what_became_of_the_card_and_not_what_was_pressed() {
    let (house, chat) = owner().await;
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    chat.say("/stop").await;
    let closed = chat.closed(&card, "").await;
    let on = card.key.parse().unwrap();
    let query = house
        .fake()
        .press_token(ANNA, ANNA.direct(), on, &card.token("Allow once"));
    let answer = house.fake().wait_until(WAIT, || {
        let answers = house.fake().answers();
        answers.into_iter().find(|answer| answer.query == query)
    });
    let told = answer
        .await
        .unwrap()
        .text
        .unwrap_or_default()
        .to_lowercase();
    assert!(
        !told.contains("allowed") && !told.contains("approved"),
        "{told}"
    );
    chat.settle().await;
    assert_eq!(chat.closed(&card, "").await, closed);
    assert!(!closed.text.contains("Allowed"), "{closed:?}");
    assert_eq!(house.file("notes.txt"), None);
}

#[tokio::test]
async fn f49_a_card_ends_with_its_turn_its_conversation_and_its_pairing() {
    let (house, chat) = owner().await;
    let mut card = None;
    for end in ["/stop", "/new", "/unpair"] {
        chat.say("write notes.txt: hello").await;
        let asked = match &card {
            None => chat.card().await,
            Some(before) => chat.next_card(before).await,
        };
        chat.say(end).await;
        chat.closed(&asked, "").await;
        card = Some(asked);
    }
    let open = "SELECT count(*) FROM question WHERE state IN ('\"Asked\"', '\"Approved\"')";
    assert_eq!(house.count(open), 0);
    assert_eq!(house.file("notes.txt"), None);
}

#[tokio::test]
async fn f55_whoever_was_let_go_of_presses_in_vain_though_the_buttons_still_stand() {
    let (house, chat) = owner().await;
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    house.all_sent().await;
    for _ in 0..40 {
        house
            .fake()
            .inject("editMessageText", Fault::TooMany { retry_after: 60 });
    }
    let said = house.cli(&["unpair", &format!("phone {OWNER}")]).await;
    assert_eq!(said.code, 0, "{said:?}");
    let on = card.key.parse().unwrap();
    let query = house
        .fake()
        .press_token(ANNA, ANNA.direct(), on, &card.token("Allow once"));
    let answer = house.fake().wait_until(WAIT, || {
        let answers = house.fake().answers();
        answers.into_iter().find(|answer| answer.query == query)
    });
    let told = answer.await.unwrap().text.unwrap();
    assert_eq!(told, "Only the person who paired this chat can press here.");
    assert_eq!(house.file("notes.txt"), None);
}

#[tokio::test]
async fn f60_a_card_stands_in_the_chat_that_asked_whatever_else_is_open() {
    let (house, chat) = owner().await;
    let code = house.new_code(None).await;
    let page = house.enter(Door::Web, OWNER, &code).await;
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    assert_eq!(page.open_cards().await, 0);
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "wrote notes.txt").await;
}

#[tokio::test]
async fn f65_f66_neither_a_user_name_nor_a_first_name_makes_anybody_the_owner() {
    let (house, owner) = owner().await;
    let named = |id: i64| json!({"id": id, "is_bot": false, "first_name": "Anna", "last_name": "Owner", "username": "anna"});
    house.fake().message(
        ANNA,
        ANNA.direct(),
        "remember one",
        json!({"from": named(OWNER)}),
    );
    owner.told("remembered").await;
    let other = house.fake().person(8001, "Anna");
    house.fake().message(
        other,
        other.direct(),
        "remember two",
        json!({"from": named(8001)}),
    );
    let chat = house.chat_of(other, other.direct());
    chat.told("This bot is private.").await;
    owner.settle().await;
    assert_eq!(house.count("SELECT count(*) FROM memory"), 1);
}
