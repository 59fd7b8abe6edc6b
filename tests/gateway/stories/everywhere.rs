//! One owner on several platforms at once: conversations apart, one set of rules, one list of what
//! waits.

use serde_json::json;

use super::chat::{Chat, Door};
use super::console::{items, standing};
use super::house::{House, OWNER};

async fn on_three(door: Door) -> (House, Chat, Chat, Chat) {
    let house = House::open_for(door).await;
    let phone = house.enter(Door::Telegram, OWNER, &house.code()).await;
    let code = house.new_code(None).await;
    let den = house.enter(door, 9001, &code).await;
    let code = house.new_code(None).await;
    let page = house.enter(Door::Web, OWNER, &code).await;
    (house, phone, den, page)
}

#[tokio::test]
async fn one_owner_has_a_conversation_in_each_place_and_one_set_of_rules_in_all() {
    for door in [Door::Discord, Door::Slack] {
        apart(door).await;
    }
}

async fn apart(door: Door) {
    let (house, phone, den, page) = on_three(door).await;
    den.say("write notes.txt: of the den").await;
    let card = den.card().await;
    den.press(&card, "Always").await;
    den.closed(&card, "Always allowed by owner").await;
    house.policy_soon().await;
    for chat in [&phone, &page] {
        chat.say("write notes.txt: of another place").await;
        chat.told("wrote notes.txt (16 bytes)").await;
        assert_eq!(chat.open_cards().await, 0);
    }
    let apart = "SELECT count(DISTINCT id) FROM conversation WHERE ended IS NULL";
    assert_eq!(house.count(apart), 3);
    assert_eq!(house.count("SELECT count(*) FROM person"), 1);
    assert_eq!(den.times("of another place").await, 0);
}

#[tokio::test]
async fn what_waits_on_one_platform_is_answered_in_the_browser_and_closes_there_too() {
    for door in [Door::Discord, Door::Slack] {
        closes(door).await;
    }
}

async fn closes(door: Door) {
    let (house, phone, den, page) = on_three(door).await;
    den.say("write notes.txt: hello").await;
    let there = den.card().await;
    phone.say("write other.txt: hello").await;
    let elsewhere = phone.card().await;
    let waiting = items(&page, "waiting").await;
    assert_eq!(waiting.len(), 2, "{waiting:?}");
    assert!(waiting.iter().all(|one| one["yours"] == json!(true)));

    // A token that stands on one platform is nothing on the other.
    phone
        .press_token(&elsewhere, &there.token("Allow once"))
        .await;
    house.all_heard().await;
    assert_eq!(den.open_cards().await, 1);

    for question in waiting.iter().map(|one| one["id"].clone()) {
        let put = json!({ "question": question });
        assert_eq!(page.post("console/card", put).await, 200);
    }
    for one in items(&page, "waiting").await {
        let here = standing(&[one]);
        page.press(&here, "Allow once").await;
        page.closed(&here, "wrote ").await;
    }
    den.closed(&there, "wrote notes.txt").await;
    phone.closed(&elsewhere, "wrote other.txt").await;
    assert_eq!(house.file("notes.txt").as_deref(), Some("hello"));
    assert_eq!(house.file("other.txt").as_deref(), Some("hello"));
    assert!(items(&page, "waiting").await.is_empty());
}
