//! Unpairing acts at once: on what waits, on what is asked, on what is pressed.

use super::chat::{Chat, Door, Seen};
use super::house::House;

/// Two writes wait, one behind a card, and one more message behind both.
async fn in_the_middle(chat: &Chat) -> Seen {
    chat.say("write one.txt: 1\nwrite two.txt: 2").await;
    let card = chat.card().await;
    chat.say("write three.txt: 3").await;
    card
}

/// Nothing runs any more, whatever is pressed or said.
async fn nothing_runs(house: &House, chat: &Chat, card: &Seen) {
    for label in ["Allow once", "Always"] {
        chat.press_token(card, &card.token(label)).await;
    }
    house.all_heard().await;
    assert_eq!(house.count("SELECT count(*) FROM started"), 0);
    assert_eq!(
        house.count("SELECT count(*) FROM question WHERE state IN ('\"Asked\"', '\"Approved\"')"),
        0
    );
    assert_eq!(
        house.count("SELECT count(*) FROM conversation WHERE ended IS NULL"),
        0
    );
    assert_eq!(house.policy(), None);
    for file in ["one.txt", "two.txt", "three.txt"] {
        assert_eq!(house.file(file), None);
    }
}

#[tokio::test]
async fn f49_unpaired_in_the_chat_the_card_closes_and_the_person_is_a_stranger() {
    let (mut house, chat) = House::with_owner(Door::Telegram).await;
    let card = in_the_middle(&chat).await;
    chat.say("/unpair").await;
    chat.told("Unpaired. I no longer act on anything sent here.")
        .await;
    chat.closed(&card, "unpaired").await;
    nothing_runs(&house, &chat, &card).await;
    chat.say("write four.txt: 4").await;
    chat.told("This bot is private").await;
    house.kill_and_start().await;
    chat.press_token(&card, &card.token("Allow once")).await;
    nothing_runs(&house, &chat, &card).await;
    assert!(house.banner().contains("/pair "), "{}", house.banner());
    chat.say(&format!("/pair {}", house.code())).await;
    chat.told_times("You are paired", 2).await;
    chat.press_token(&card, &card.token("Allow once")).await;
    chat.settle().await;
    assert_eq!(house.file("one.txt"), None);
}

#[tokio::test]
async fn unpaired_on_the_page_the_browser_is_nobodys() {
    let (house, chat) = House::with_owner(Door::Web).await;
    let card = in_the_middle(&chat).await;
    chat.say("/unpair").await;
    let status = chat.post(
        "say",
        serde_json::json!({ "id": "late", "text": "write four.txt: 4" }),
    );
    assert_eq!(status.await, 401);
    assert_eq!(chat.try_press(&card, &card.token("Allow once")).await, 401);
    assert_eq!(chat.screen().await, []);
    assert_eq!(chat.get("events").await.status(), 401);
    nothing_runs(&house, &chat, &card).await;
}

on_both! {
    async fn unpaired_at_the_terminal_nothing_runs_afterwards(house, chat) {
        let card = in_the_middle(&chat).await;
        let status = house.cli(&["status"]).await;
        let (_, places) = status.out.split_once("owner at ").unwrap();
        let place = places.lines().next().unwrap().to_owned();
        // Typed as it is shown, which a shell takes for two words.
        let words = std::iter::once("unpair").chain(place.split(' '));
        let said = house.cli(&words.collect::<Vec<_>>()).await;
        assert_eq!(said.out, format!("{place} of owner is let go, and 1 open card withdrawn.\n"));
        assert_eq!((said.code, &*said.err), (0, ""));
        match chat.door() {
            Door::Discord | Door::Slack | Door::Telegram | Door::WhatsApp => {
                chat.closed(&card, "unpaired").await;
            }
            Door::Web => assert_eq!(chat.screen().await, []),
        }
        nothing_runs(&house, &chat, &card).await;
        let again = house.cli(&["unpair", &place]).await;
        assert_eq!(again.code, 1);
        assert!(again.err.contains("nobody has paired"), "{again:?}");
    }
}

on_both! {
    async fn a_guest_is_let_go_without_the_owner_losing_anything(house, chat) {
        let code = house.new_code(Some("Ana")).await;
        let guest = house.enter(chat.door(), 7002, &code).await;
        guest.say("remember the gate is green").await;
        guest.told("remembered").await;
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        guest.say("/unpair").await;
        match guest.door() {
            Door::Discord | Door::Slack | Door::Telegram => {
                guest.told("Unpaired.").await;
                guest.say("remember the gate is red").await;
                guest.told("This bot is private").await;
            }
            Door::WhatsApp => {
                guest.told("Unpaired.").await;
                let before = guest.screen().await;
                guest.say("remember the gate is red").await;
                house.all_heard().await;
                chat.settle().await;
                // Strangers get no answer there.
                assert_eq!(guest.screen().await, before);
            }
            Door::Web => {
                let late = serde_json::json!({ "id": "late", "text": "remember the gate is red" });
                assert_eq!(guest.post("say", late).await, 401);
            }
        }
        assert_eq!(house.count("SELECT count(*) FROM memory"), 0);
        assert_eq!(house.count("SELECT count(*) FROM pairing"), 1);
        chat.press(&card, "Allow once").await;
        chat.closed(&card, "wrote notes.txt").await;
        let everybody = house.cli(&["unpair", "--all"]).await;
        assert_eq!(everybody.out.lines().count(), 1, "{everybody:?}");
        assert_eq!(house.count("SELECT count(*) FROM pairing"), 0);
    }
}
