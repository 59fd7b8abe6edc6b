//! A press counts once, for the one person it was put to, while it still means what it said.

use fakes::telegram::{User, WAIT};
use serde_json::json;

use super::chat::{Chat, Door, Seen, fresh};
use super::house::{House, OWNER};

const ANNA: User = User(OWNER);

on_both! {
    async fn f48_f54_whoever_may_write_answers_no_card_of_another(house, chat) {
        let code = house.new_code(Some("Ana")).await;
        let guest = house.enter(chat.door(), 7002, &code).await;
        let theirs = guest.told("You are paired").await;
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        for label in ["Allow once", "Always", "Deny"] {
            guest.press_token(&theirs, &card.token(label)).await;
        }
        guest.say("/why").await;
        guest.told("This conversation is fresh").await;
        assert_eq!(chat.open_cards().await, 1);
        assert_eq!(house.file("notes.txt"), None);
        chat.press(&card, "Allow once").await;
        chat.closed(&card, "Allowed once by owner").await;
        chat.told_times("wrote notes.txt", 2).await;
    }
}

#[tokio::test]
async fn f50_a_press_by_another_account_in_the_same_chat_is_told_off_in_private() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    let stranger = house.fake().person(8001, "Mallory");
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    let on = card.key.parse().unwrap();
    let query = house
        .fake()
        .press(stranger, ANNA.direct(), on, "Allow once");
    let told = house.fake().wait_until(WAIT, || {
        let answers = house.fake().answers();
        answers.into_iter().find(|answer| answer.query == query)
    });
    let told = told.await.expect("an answer to the press");
    assert_eq!(
        (told.text.as_deref(), told.alert),
        (
            Some("Only the person who paired this chat can press here."),
            true
        )
    );
    assert_eq!(chat.open_cards().await, 1);
    assert_eq!(house.file("notes.txt"), None);
}

on_both! {
    async fn a_press_on_an_answered_card_changes_nothing(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        chat.press(&card, "Deny").await;
        let closed = chat.closed(&card, "Denied by owner").await;
        chat.told("denied, so it did not run").await;
        for label in ["Allow once", "Always", "Deny"] {
            chat.press_token(&card, &card.token(label)).await;
        }
        chat.settle().await;
        assert_eq!(house.file("notes.txt"), None);
        assert_eq!(house.policy(), None);
        assert_eq!(chat.closed(&card, "").await, closed);
    }
}

on_both! {
    async fn a_press_on_a_card_of_before_new_changes_nothing(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        chat.say("/new").await;
        chat.closed(&card, "a fresh conversation was started").await;
        chat.press_token(&card, &card.token("Allow once")).await;
        chat.press_token(&card, &card.token("Always")).await;
        chat.settle().await;
        assert_eq!(house.file("notes.txt"), None);
        assert_eq!(house.policy(), None);
    }
}

on_both! {
    async fn a_made_up_token_means_nothing(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        let real = card.token("Allow once");
        let other = if real.starts_with('0') { '1' } else { '0' };
        for token in [format!("{other}{}", &real[1..]), "approve".into(), "1".into(), real[1..].into()] {
            chat.press_token(&card, &token).await;
        }
        chat.say("good morning").await;
        chat.told("waits on its card: only a press answers it").await;
        assert_eq!(chat.open_cards().await, 1);
        assert_eq!(house.file("notes.txt"), None);
    }
}

on_both! {
    async fn a_press_sent_many_times_runs_once(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        let token = card.token("Allow once");
        for _ in 0..8 {
            chat.press_token(&card, &token).await;
        }
        chat.closed(&card, "wrote notes.txt").await;
        chat.told_times("wrote notes.txt", 2).await;
        chat.settle().await;
        assert_eq!(house.count("SELECT count(*) FROM started WHERE call = '2.0'"), 1);
        assert_eq!(house.count("SELECT count(*) FROM audit WHERE what LIKE '%Started%'"), 2);
        assert_eq!(chat.times("wrote notes.txt").await, 2);
    }
}

#[tokio::test]
async fn f05_the_same_callback_delivered_twice_is_one_press() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    let message = json!({
        "message_id": card.key.parse::<i64>().unwrap(),
        "date": 1_790_000_000,
        "chat": {"id": OWNER, "type": "private", "first_name": "Anna"},
    });
    let query = json!({
        "id": "4400000000000009999",
        "from": {"id": OWNER, "is_bot": false, "first_name": "Anna"},
        "chat_instance": "-34",
        "message": message,
        "data": card.token("Allow once"),
    });
    house.fake().update("callback_query", query.clone());
    house.fake().update("callback_query", query);
    chat.closed(&card, "wrote notes.txt").await;
    chat.told_times("wrote notes.txt", 2).await;
    house.all_heard().await;
    assert_eq!(house.count("SELECT count(*) FROM started"), 1);
}

#[tokio::test]
async fn f26_what_a_browser_posts_twice_is_taken_once() {
    let (house, chat) = House::with_owner(Door::Web).await;
    let said = json!({ "id": fresh(), "text": "remember the gate is green" });
    for _ in 0..3 {
        assert_eq!(chat.post("say", said.clone()).await, 200);
    }
    chat.told("remembered").await;
    chat.settle().await;
    assert_eq!(house.count("SELECT count(*) FROM memory"), 1);
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    let pressed = json!({ "id": fresh(), "token": card.token("Allow once"), "on": card.key });
    for _ in 0..3 {
        assert_eq!(chat.post("press", pressed.clone()).await, 200);
    }
    chat.closed(&card, "wrote notes.txt").await;
    assert_eq!(
        house.count("SELECT count(*) FROM started WHERE call LIKE '%.0'"),
        3
    );
}

/// A card that was pressed after its file had changed, and the one that came in its place.
pub async fn changed_under_the_card(house: &House, chat: &Chat) -> (Seen, Seen) {
    chat.say("write notes.txt: hello").await;
    let first = chat.card().await;
    chat.press(&first, "Allow once").await;
    chat.closed(&first, "wrote notes.txt").await;
    chat.told_times("wrote notes.txt", 2).await;
    chat.say("write notes.txt: goodbye").await;
    let card = chat.next_card(&first).await;
    house.write_outside("notes.txt", "something that nobody has seen");
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "Things changed").await;
    let anew = chat.next_card(&card).await;
    (card, anew)
}

on_both! {
    async fn when_the_file_changed_under_the_card_the_press_asks_anew(house, chat) {
        let (card, anew) = changed_under_the_card(&house, &chat).await;
        assert_eq!(house.file("notes.txt").as_deref(), Some("something that nobody has seen"));
        chat.press_token(&card, &card.token("Allow once")).await;
        chat.press(&anew, "Allow once").await;
        chat.closed(&anew, "wrote notes.txt").await;
        assert_eq!(house.file("notes.txt").as_deref(), Some("goodbye"));
    }
}

on_both! {
    async fn when_a_rule_forbids_it_meanwhile_the_press_runs_nothing(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        let rule = r#"{"rules": [{"pattern": "@files write", "action": "deny"}]}"#;
        std::fs::write(house.home.config().join("policy.json"), rule).unwrap();
        chat.press(&card, "Allow once").await;
        chat.closed(&card, "did not run").await;
        chat.settle().await;
        assert_eq!(house.file("notes.txt"), None);
    }
}

#[tokio::test]
async fn f84_two_chats_of_one_owner_have_a_card_each_and_a_press_answers_its_own() {
    let (house, phone) = House::with_owner(Door::Telegram).await;
    let code = house.new_code(None).await;
    let page = house.enter(Door::Web, OWNER, &code).await;
    phone.say("write notes.txt: from the phone").await;
    let first = phone.card().await;
    page.say("write notes.txt: from the page").await;
    let second = page.card().await;
    assert!(!second.text.contains("from the phone"), "{second:?}");
    // The owner's, but its card does not stand here.
    page.press_token(&second, &first.token("Allow once")).await;
    page.press(&second, "Allow once").await;
    page.closed(&second, "wrote notes.txt").await;
    page.told_times("wrote notes.txt", 2).await;
    assert_eq!(phone.open_cards().await, 1);
    assert_eq!(house.count("SELECT count(*) FROM started"), 1);
    phone.press(&first, "Deny").await;
    phone.closed(&first, "Denied by owner").await;
    assert_eq!(house.file("notes.txt").as_deref(), Some("from the page"));
}

#[tokio::test]
async fn f48_two_people_have_a_conversation_each() {
    let (house, anna) = House::with_owner(Door::Telegram).await;
    let code = house.new_code(Some("Ana")).await;
    let guest = house.enter(Door::Telegram, 7002, &code).await;
    anna.say("write notes.txt: hello").await;
    let card = anna.card().await;
    guest.say("good morning").await;
    guest.told("I heard you.").await;
    assert_eq!(guest.open_cards().await, 0);
    guest.say("/new").await;
    guest.told("A fresh conversation").await;
    assert_eq!(anna.card().await, card);
}

on_both! {
    async fn f47_a_press_is_answered_while_messages_wait_behind_the_card(house, chat) {
        chat.say("write one.txt: 1\nwrite two.txt: 2").await;
        let first = chat.card().await;
        for _ in 0..3 {
            chat.say("write three.txt: 3").await;
        }
        assert!(first.text.contains("one.txt"), "{first:?}");
        chat.press(&first, "Allow once").await;
        chat.closed(&first, "wrote one.txt").await;
        let second = chat.next_card(&first).await;
        assert!(second.text.contains("two.txt"), "{second:?}");
        chat.press(&second, "Deny").await;
        chat.closed(&second, "Denied by owner").await;
        assert_eq!(house.file("one.txt").as_deref(), Some("1"));
        assert_eq!((house.file("two.txt"), house.file("three.txt")), (None, None));
    }
}
