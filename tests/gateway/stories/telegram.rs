//! What only Telegram does: topics, several bots, and offers in other chats.

use std::os::unix::fs::PermissionsExt;

use fakes::telegram::{BOT_NAME, Chat as Room, Fake, User, WAIT};
use serde_json::{Value, json};

use super::chat::{Chat, Door};
use super::house::{House, OWNER, soon};

const ANNA: User = User(OWNER);
const OTHER_TOKEN: &str = "654321:OTHER";

async fn owner() -> (House, Chat) {
    House::with_owner(Door::Telegram).await
}

/// A group that belongs to the owner.
pub async fn group(house: &House, owner: &Chat) -> Room {
    let room = house.fake().group(-1001, "Friends");
    house.fake().say(ANNA, room, "/pair");
    let asked = owner.told("wants to use me in the group").await;
    owner.press(&asked, "Allow this group").await;
    let chat = house.chat_of(ANNA, room);
    chat.told("This group is paired with owner").await;
    room
}

/// Says something to the bot in a topic of a group.
fn says(house: &House, room: Room, topic: Option<i64>, text: &str) {
    let over = match topic {
        Some(topic) => json!({"message_thread_id": topic, "is_topic_message": true}),
        None => json!({}),
    };
    let text = format!("@{BOT_NAME}\n{text}");
    house.fake().message(ANNA, room, &text, over);
}

/// Waits for a message that holds this text, and tells in which topic it stands.
async fn stands_in(house: &House, room: Room, text: &str) -> Option<i64> {
    let shown = house
        .fake()
        .wait_for(room, |shown| shown.text.contains(text), WAIT);
    shown.await.thread
}

#[tokio::test]
async fn f18_each_topic_and_the_general_one_has_a_conversation_of_its_own() {
    let (house, owner) = owner().await;
    let room = group(&house, &owner).await;
    house.fake().topic(room, 7);
    house.fake().topic(room, 8);
    for (topic, word) in [(Some(7), "seven"), (Some(8), "eight"), (None, "general")] {
        says(&house, room, topic, &format!("say this is {word}"));
        let text = format!("this is {word}");
        assert_eq!(stands_in(&house, room, &text).await, topic);
    }
    let running = "SELECT count(*) FROM place WHERE chat = '-1001' AND conversation IS NOT NULL";
    assert_eq!(house.count(running), 3);
    // A chain of replies outside of topics carries the key of one.
    let over = json!({"message_thread_id": 7});
    let text = format!("@{BOT_NAME}\nsay a chain");
    house.fake().message(ANNA, room, &text, over);
    assert_eq!(stands_in(&house, room, "a chain").await, None);
    assert_eq!(house.count(running), 3);
}

#[tokio::test]
async fn f18_f19_a_topic_that_is_gone_is_answered_nowhere_else_and_topics_that_are_off_are_no_loss()
{
    let (house, owner) = owner().await;
    let room = group(&house, &owner).await;
    house.fake().topic(room, 7);
    house.fake().topic(room, 8);
    says(&house, room, Some(7), "wait 2\nsay for seven");
    house.thinks().await;
    house.fake().delete_topic(room, 7);
    let told = owner.told("where it could not be shown").await;
    assert!(
        told.text.contains("the topic is not there any more"),
        "{told:?}"
    );
    assert!(told.text.contains("for seven"), "{told:?}");
    says(&house, room, Some(8), "wait 2\nsay for eight");
    house.thinks().await;
    house.fake().topics_off(room);
    assert_eq!(stands_in(&house, room, "for eight").await, None);
    let shown = house.fake().messages(room);
    assert!(!shown.iter().any(|shown| shown.text.contains("for seven")));
}

#[tokio::test]
async fn two_bots_are_two_lines_and_the_token_of_one_is_never_shown_to_the_other() {
    let mut house = House::build().await;
    let other = Fake::start(OTHER_TOKEN).await;
    other.call_it("postern_work_bot");
    let token = house.home.path().join("other-token");
    std::fs::write(&token, OTHER_TOKEN).unwrap();
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o600)).unwrap();
    house.configure_more(&format!(
        "[lines.work]\nplatform = \"telegram\"\ntoken_file = \"{}\"\napi = \"{}\"\n",
        token.display(),
        other.url()
    ));
    house.start().await;
    let chat = house.enter(Door::Telegram, OWNER, &house.code()).await;
    let code = house.new_code(None).await;
    let anna = other.person(OWNER, "Anna");
    // The pairing of one line says nothing on another.
    other.private_message(anna, "remember at work");
    let limit = WAIT;
    other
        .wait_for(anna.direct(), |shown| shown.text.contains("private"), limit)
        .await;
    other.private_message(anna, &format!("/pair {code}"));
    other
        .wait_for(
            anna.direct(),
            |shown| shown.text.contains("You are paired"),
            limit,
        )
        .await;
    other.private_message(anna, "say at work");
    chat.say("say at home").await;
    other
        .wait_for(anna.direct(), |shown| shown.text.contains("at work"), limit)
        .await;
    chat.told("at home").await;
    assert_eq!(chat.times("at work").await, 0);
    // One that loses its token stops; the other goes on.
    other.rotate("654321:NEXT");
    other.private_message(anna, "say nobody hears this");
    let status = soon_status(&house, "the platform refuses the credentials").await;
    assert!(
        !status.contains("STORY") && !status.contains("OTHER"),
        "{status}"
    );
    chat.say("say still here").await;
    chat.told("still here").await;
    let shown = format!("{}{}", house.banner(), house.errors());
    assert!(
        !shown.contains("STORY") && !shown.contains(":OTHER"),
        "{shown}"
    );
    let bodies = |fake: &Fake| format!("{:?}", fake.calls());
    assert!(!bodies(&other).contains("STORY") && !bodies(house.fake()).contains("OTHER"));
}

async fn soon_status(house: &House, text: &str) -> String {
    for _ in 0..100 {
        let said = house.cli(&["status"]).await.out;
        if said.contains(text) {
            return said;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("no {text:?} in the status")
}

#[tokio::test]
async fn only_the_owner_is_offered_answers_elsewhere_and_what_they_send_is_noted() {
    let (house, chat) = owner().await;
    chat.say("say the gate is green").await;
    chat.told("the gate is green").await;
    chat.say("say see https://evil.example/x").await;
    chat.told("evil.example").await;
    house.all_sent().await;
    let offered = async |user: User, words: &str| -> Vec<String> {
        let query = house.fake().inline(user, words);
        let found = house
            .fake()
            .wait_until(WAIT, || house.fake().offered(&query));
        found
            .await
            .unwrap_or_else(|| panic!("{words:?} was not answered"))
    };
    assert_eq!(offered(ANNA, "GATE").await, ["the gate is green"]);
    assert_eq!(offered(ANNA, "zebra").await, Vec::<String>::new());
    assert_eq!(offered(ANNA, "").await.len(), 2);
    // Nobody else gets anything, be they a guest or a stranger.
    let code = house.new_code(Some("Ben")).await;
    house.enter(Door::Telegram, 7002, &code).await;
    let stranger = house.fake().person(8001, "Mallory");
    let queries = [User(7002), stranger].map(|user| house.fake().inline(user, "gate"));
    house.all_heard().await;
    let query = house.fake().inline(ANNA, "gate");
    let answered = house
        .fake()
        .wait_until(WAIT, || house.fake().offered(&query));
    assert!(answered.await.is_some());
    for query in &queries {
        assert_eq!(house.fake().offered(query), None);
    }
    house.fake().pick(ANNA, &query, 0);
    let noted = "SELECT count(*) FROM audit WHERE what LIKE '%\"picked\"%'";
    assert!(
        soon(|| (house.count(noted) == 1).then_some(()))
            .await
            .is_some()
    );
    house.fake().update(
        "chosen_inline_result",
        json!({"result_id": "1", "query": "", "from": {"id": 8001, "is_bot": false}}),
    );
    // What is kept nowhere is offered nowhere, and no link of an offer can be pressed.
    chat.say("/incognito").await;
    chat.told("Incognito").await;
    chat.say("say the gate is secret").await;
    chat.told("the gate is secret").await;
    house.all_sent().await;
    assert_eq!(offered(ANNA, "gate").await, ["the gate is green"]);
    let calls = house.fake().calls_of("answerInlineQuery");
    let linked: Vec<&Value> = calls
        .iter()
        .flat_map(|call| call["results"].as_array().unwrap())
        .filter(|result| result["title"].as_str().unwrap().contains("evil"))
        .collect();
    assert!(!linked.is_empty());
    for result in linked {
        let content = &result["input_message_content"];
        assert_eq!(content["entities"][0]["type"], "code", "{result}");
        assert_eq!(content["link_preview_options"]["is_disabled"], true);
    }
    for call in &calls {
        assert_eq!(
            (&call["is_personal"], &call["cache_time"]),
            (&json!(true), &json!(0))
        );
    }
    assert_eq!(house.count(noted), 1);
}
