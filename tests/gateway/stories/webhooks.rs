//! Telegram comes to a door: what is acknowledged is kept, and nobody else gets in.

use fakes::telegram::{Fault, User, WAIT};
use reqwest::StatusCode;
use serde_json::json;

use super::chat::{Chat, Door};
use super::house::{House, OWNER, PUBLIC, soon};

const ANNA: User = User(OWNER);

async fn open() -> (House, Chat) {
    let mut house = House::build().await;
    house.with_webhook();
    house.start().await;
    registered(&house).await;
    let chat = house.enter(Door::Telegram, OWNER, &house.code()).await;
    (house, chat)
}

async fn registered(house: &House) {
    let fake = house.fake();
    let set = fake.wait_until(WAIT, || fake.webhook());
    let wanted = format!("{PUBLIC}/hooks/phone");
    assert_eq!(set.await, Some(wanted), "{}", house.errors());
}

/// Posts an update as somebody who knows the address.
async fn knock(house: &House, secrets: &[&str]) -> StatusCode {
    let from = json!({"id": OWNER, "is_bot": false, "first_name": "Anna"});
    let chat = json!({"id": OWNER, "type": "private"});
    let message = json!({"message_id": 9, "from": from, "chat": chat, "date": 1, "text": "remember the forged"});
    let mut request = house
        .world
        .http
        .post(format!("{}/hooks/phone", house.doors()))
        .json(&json!({"update_id": 9, "message": message}));
    for secret in secrets {
        request = request.header("x-telegram-bot-api-secret-token", *secret);
    }
    request.send().await.unwrap().status()
}

#[tokio::test]
async fn a_chat_goes_on_through_a_door_as_it_does_by_polling() {
    let (house, chat) = open().await;
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "Allowed").await;
    assert_eq!(
        house.fake().calls_of("getUpdates"),
        Vec::<serde_json::Value>::new()
    );
    let set = house.fake().calls_of("setWebhook").remove(0);
    assert_eq!(
        (&set["max_connections"], &set["drop_pending_updates"]),
        (&json!(1), &json!(false))
    );
}

#[tokio::test]
async fn f85_without_the_secret_nothing_is_taken_and_no_setting_makes_one_up() {
    let (house, chat) = open().await;
    let secret = house.fake().webhook_secret().unwrap();
    assert_eq!(secret.len(), 64);
    let mut wrong = secret.clone();
    wrong.replace_range(..1, if secret.starts_with('0') { "1" } else { "0" });
    for tried in [
        &[][..],
        &[""],
        &[&wrong[..]],
        &[&secret[..63]],
        &[&secret, &secret],
    ] {
        assert_eq!(knock(&house, tried).await, StatusCode::UNAUTHORIZED);
    }
    let key = house.home.data().join("webhook.key");
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(key).unwrap());
    assert_eq!(mode & 0o777, 0o600);
    chat.settle().await;
    assert_eq!(house.count("SELECT count(*) FROM memory"), 0);
    assert!(!house.errors().contains(&secret));
    assert_eq!(knock(&house, &[&secret]).await, StatusCode::OK);
    chat.told("remembered").await;
}

#[tokio::test]
async fn f89_an_empty_or_open_key_keeps_the_program_from_starting() {
    let house = House::build().await;
    house.with_webhook();
    let data = house.home.data();
    std::fs::create_dir_all(&data).unwrap();
    std::fs::set_permissions(&data, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let key = house.home.data().join("webhook.key");
    for (bytes, mode, says) in [
        (vec![], 0o600, "it does not hold 32 bytes"),
        (vec![0; 32], 0o600, "it is empty"),
        (vec![7; 32], 0o644, "others can read it"),
    ] {
        std::fs::write(&key, bytes).unwrap();
        std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        let printed = house.cli(&[]).await;
        assert_eq!(printed.code, 1, "{printed:?}");
        assert!(
            printed.err.contains(says) && printed.err.contains("rm "),
            "{printed:?}"
        );
    }
}

#[tokio::test]
async fn f07_what_was_answered_with_200_is_there_after_a_crash_and_comes_once() {
    let (mut house, chat) = open().await;
    house.fake().repeat_deliveries(1);
    chat.say("write notes.txt: hello").await;
    house.all_heard().await;
    house.kill_and_start().await;
    registered(&house).await;
    let card = chat.card().await;
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "Allowed").await;
    let written = soon(|| house.file("notes.txt").filter(|text| !text.is_empty())).await;
    assert_eq!(written.as_deref(), Some("hello"));
    assert_eq!(house.count("SELECT count(*) FROM question"), 1);
}

#[tokio::test]
async fn f06_what_is_said_while_nothing_runs_and_across_both_switches_is_done_once() {
    let (mut house, chat) = open().await;
    house.stop().await;
    chat.say("remember the first").await;
    house.with_polling();
    house.start().await;
    chat.told_times("remembered", 1).await;
    assert_eq!(house.fake().webhook(), None);
    let left = house.fake().calls_of("deleteWebhook").remove(0);
    assert_eq!(left["drop_pending_updates"], false);
    chat.say("remember the second").await;
    chat.told_times("remembered", 2).await;
    house.kill();
    chat.say("remember the third").await;
    let known = std::fs::read_to_string(house.home.config().join("postern.toml")).unwrap();
    house
        .home
        .configure(&known.replace("\"polling\"", "\"webhook\""));
    house.start().await;
    chat.told_times("remembered", 3).await;
    house.all_heard().await;
    assert_eq!(house.count("SELECT count(*) FROM memory"), 3);
}

#[tokio::test]
async fn f100_a_webhook_that_does_not_stick_is_taken_back_and_the_status_says_so() {
    let mut house = House::build().await;
    house.with_webhook();
    house.fake().forget_webhooks();
    house.start().await;
    let says = soon_status(&house, "it took our webhook and names another").await;
    assert!(says.contains("trying again"), "{says}");
    assert_eq!(house.fake().calls_of("deleteWebhook").len(), 1);
}

#[tokio::test]
async fn f100_a_refused_webhook_is_said_in_the_status() {
    let mut house = House::build().await;
    house.with_webhook();
    let description = "Bad Request: bad webhook: Failed to resolve host".to_owned();
    let fault = Fault::Refuse {
        code: 400,
        description,
    };
    house.fake().inject("setWebhook", fault);
    house.start().await;
    soon_status(&house, "bad webhook: Failed to resolve host").await;
    assert_eq!(house.fake().webhook(), None);
}

async fn soon_status(house: &House, text: &str) -> String {
    let mut last = String::new();
    for _ in 0..200 {
        last = house.cli(&["status"]).await.out;
        if last.contains(text) {
            return last;
        }
    }
    panic!("no {text:?} in {last}{}", house.errors());
}

#[tokio::test]
async fn an_update_that_cannot_be_read_is_passed_over_and_the_next_is_heard() {
    let (house, chat) = open().await;
    let secret = house.fake().webhook_secret().unwrap();
    let posted = house
        .world
        .http
        .post(format!("{}/hooks/phone", house.doors()))
        .header("x-telegram-bot-api-secret-token", secret)
        .body("{\"update_id\":")
        .send()
        .await
        .unwrap();
    assert_eq!(posted.status(), StatusCode::OK);
    house.fake().update("message", json!({"chat": []}));
    chat.settle().await;
}

#[tokio::test]
async fn a_group_is_spoken_to_through_the_door_and_a_stranger_gets_one_answer() {
    let (house, _) = open().await;
    let bob = house.fake().person(8001, "Bob");
    let room = house.fake().group(-1001, "Friends");
    house.fake().say(ANNA, room, "/pair");
    house.fake().private_message(bob, "hello");
    house.fake().private_message(bob, "hello again");
    let seen = house.chat_of(bob, bob.direct());
    seen.told("This bot is private").await;
    house.all_heard().await;
    assert_eq!(seen.screen().await.len(), 1);
    let asked = soon(|| (house.count("SELECT count(*) FROM claim") == 1).then_some(()));
    assert!(asked.await.is_some());
}
