//! What cannot be handled holds nothing up, and what comes twice is done once.

use fakes::telegram::{Fault, User};
use serde_json::{Value, json};

use super::chat::{Chat, Door};
use super::house::{House, OWNER, TOKEN, soon};
use super::wrong::{Call, Wrong};

const ANNA: User = User(OWNER);

async fn owner(door: Door) -> (House, Chat) {
    let (house, chat) = House::with_owner(door).await;
    chat.told("You are paired").await;
    (house, chat)
}

/// From now on the store refuses to write what holds this word.
fn poison(house: &House, table: &str, column: &str, word: &str) {
    let trigger = format!(
        "CREATE TRIGGER poison_{table} BEFORE INSERT ON {table} WHEN NEW.{column} LIKE '%{word}%' BEGIN SELECT RAISE (ABORT, 'poison'); END"
    );
    house.database().execute_batch(&trigger).unwrap();
}

on_platforms! {
    async fn f03_a_message_that_always_fails_is_set_aside_after_three_tries_and_shown(door) {
        let (house, chat) = owner(door).await;
        poison(&house, "entry", "body", "brew the poison");
        chat.say("brew the poison").await;
        chat.say("remember the gate is green").await;
        chat.told("remembered").await;
        chat.told("I could not handle your last message: something in me fails on it. I tried three times and set it aside; please say it another way.").await;
        house.all_heard().await;
        let status = house.cli(&["status"]).await;
        let note = "1 set aside in the last week, the last a message that was tried 3 times; poison";
        let note = format!("{}: {note}", door.line());
        assert!(status.out.contains(&note), "{status:?}");
        assert_eq!(
            house.count("SELECT count(*) FROM event WHERE body IS NOT NULL"),
            0
        );
        let kept = house.database().query_row(
            "SELECT line || ' ' || kind || ' ' || tries || ' ' || why FROM dead_letter",
            [],
            |row| row.get::<_, String>(0),
        );
        assert_eq!(kept.unwrap(), format!("{} message 3 poison", door.line()));
    }
}

on_platforms! {
    async fn f03_what_fails_for_a_guest_is_told_to_them_and_once_to_the_owner(door) {
        let (house, chat) = owner(door).await;
        let code = house.new_code(Some("Ana")).await;
        let guest = house.enter(door, 7002, &code).await;
        poison(&house, "entry", "body", "brew the poison");
        guest.say("brew the poison").await;
        guest.say("brew the poison again").await;
        guest
            .told_times("I could not handle your last message", 2)
            .await;
        let aside = format!("Something that came in on {} could not be handled, so it was set aside.", door.line());
        chat.told(&aside).await;
        chat.settle().await;
        assert_eq!(chat.times("could not be handled").await, 1);
    }
}

on_platforms! {
    async fn f03_what_fails_for_a_while_is_handled_after_it(door) {
        let (house, chat) = owner(door).await;
        poison(&house, "entry", "body", "gate is green");
        chat.say("remember the gate is green").await;
        let tried =
            soon(|| (house.count("SELECT coalesce(max(tries), 0) FROM event") > 0).then_some(()));
        assert!(tried.await.is_some());
        house
            .database()
            .execute_batch("DROP TRIGGER poison_entry")
            .unwrap();
        chat.told("remembered").await;
        assert_eq!(house.count("SELECT count(*) FROM dead_letter"), 0);
    }
}

on_platforms! {
    async fn f03_what_fails_waits_through_a_restart_and_is_then_handled(door) {
        let (mut house, chat) = owner(door).await;
        poison(&house, "entry", "body", "gate is green");
        chat.say("remember the gate is green").await;
        let tried =
            soon(|| (house.count("SELECT coalesce(max(tries), 0) FROM event") > 0).then_some(()));
        assert!(tried.await.is_some());
        house.kill();
        house
            .database()
            .execute_batch("DROP TRIGGER poison_entry")
            .unwrap();
        house.start().await;
        chat.told("remembered").await;
        assert_eq!(house.count("SELECT count(*) FROM memory"), 1);
    }
}

#[tokio::test]
async fn f03_an_update_that_cannot_be_read_is_passed_over_and_shown() {
    let (house, chat) = owner(Door::Telegram).await;
    let mut deep = json!("well");
    for _ in 0..200 {
        deep = json!([deep]);
    }
    house.fake().update("message", json!({ "deep": deep }));
    chat.settle().await;
    chat.told("Something that came in on phone could not be handled")
        .await;
    let status = house.cli(&["status"]).await;
    let note = "the last a piece that was tried once; what the platform sent cannot be read";
    assert!(status.out.contains(note), "{status:?}");
    house.all_heard().await;
}

on_platforms! {
    async fn f03_a_turn_that_always_fails_ends_and_says_so_and_the_next_one_works(door) {
        let (house, chat) = owner(door).await;
        chat.settle().await;
        poison(&house, "entry", "body", "\"text\":\"I heard you");
        chat.say("good morning").await;
        chat.told("Something in me failed while I worked on this, so I stopped.")
            .await;
        chat.say("remember the gate is green").await;
        chat.told("remembered").await;
    }
}

on_platforms! {
    async fn f03_a_conversation_that_cannot_be_read_back_ends_and_the_next_one_works(door) {
        let (house, chat) = owner(door).await;
        chat.settle().await;
        let broken = house.database().execute("UPDATE entry SET body = '{'", []);
        assert!(broken.unwrap() > 0);
        chat.say("good morning").await;
        chat.told("this conversation cannot go on").await;
        chat.say("remember the gate is green").await;
        chat.told("remembered").await;
    }
}

on_platforms! {
    async fn a_press_that_fails_for_a_while_counts_without_a_restart(door) {
        let (house, chat) = owner(door).await;
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        poison(&house, "audit", "what", "\"state\":\"approved\"");
        chat.press(&card, "Allow once").await;
        let tried =
            soon(|| (house.count("SELECT coalesce(max(tries), 0) FROM event") > 0).then_some(()));
        assert!(tried.await.is_some());
        house
            .database()
            .execute_batch("DROP TRIGGER poison_audit")
            .unwrap();
        chat.closed(&card, "wrote notes.txt").await;
        assert_eq!(house.count("SELECT count(*) FROM started"), 1);
    }
}

on_platforms! {
    async fn a_press_that_always_fails_is_set_aside_and_the_card_stands(door) {
        let (house, chat) = owner(door).await;
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        poison(&house, "audit", "what", "\"state\":\"approved\"");
        chat.press(&card, "Allow once").await;
        chat.told("I could not handle your last press").await;
        assert_eq!(house.file("notes.txt"), None);
        chat.press(&card, "Deny").await;
        chat.closed(&card, "Denied").await;
    }
}

#[tokio::test]
async fn f09_a_message_that_comes_again_under_another_number_is_handled_once() {
    let (mut house, chat) = owner(Door::Telegram).await;
    let said = house
        .fake()
        .private_message(ANNA, "remember the gate is green");
    chat.told("remembered").await;
    let again = |house: &House| {
        let over = json!({ "message_id": said });
        house
            .fake()
            .message(ANNA, ANNA.direct(), "remember the gate is green", over);
    };
    again(&house);
    chat.settle().await;
    house.kill_and_start().await;
    again(&house);
    chat.settle().await;
    assert_eq!(house.count("SELECT count(*) FROM memory"), 1);
    assert_eq!(chat.times("remembered").await, 1);
}

on_platforms! {
    async fn f10_two_restarts_in_a_row_double_nothing(door) {
        let (mut house, chat) = owner(door).await;
        for _ in 0..2 {
            house.stop().await;
            house.start().await;
        }
        chat.say("remember the gate is green").await;
        chat.told("remembered").await;
        chat.settle().await;
        assert_eq!(chat.times("remembered").await, 1);
    }
}

on_platforms! {
    async fn f11_a_chat_whose_platform_never_answers_holds_up_no_other(door) {
        let (house, chat) = owner(door).await;
        let code = house.new_code(Some("Ana")).await;
        let guest = house.enter(door, 7002, &code).await;
        house.goes_wrong(door, Call::Send, Wrong::Hang);
        chat.say("good morning").await;
        house.went_wrong(door, Call::Send).await;
        for times in 1..=3 {
            guest.say("good morning").await;
            guest.told_times("I heard you.", times).await;
        }
    }
}

#[tokio::test]
async fn f01_a_line_that_is_restarted_again_and_again_never_polls_twice_at_once() {
    let (mut house, chat) = owner(Door::Telegram).await;
    for _ in 0..10 {
        house.stop().await;
        house.start().await;
    }
    chat.settle().await;
    assert_eq!(house.fake().most_polls(), 1);
    let lease = "SELECT count(*) FROM lease WHERE name LIKE 'telegram/%' AND holder = 'phone'";
    assert_eq!(house.count(lease), 1);
}

#[tokio::test]
async fn f01_what_a_line_hears_after_another_took_its_account_over_is_left_to_that_one() {
    let (house, chat) = owner(Door::Telegram).await;
    let database = house.database();
    let taken = "UPDATE lease SET holder = 'elsewhere', epoch = epoch + 1, until = 9e15 WHERE holder = 'phone'";
    assert_eq!(database.execute(taken, []).unwrap(), 1);
    let heard = house.count("SELECT count(*) FROM event");
    let cursor = "SELECT CAST(cursor AS INTEGER) FROM heard WHERE line = 'phone'";
    let before = house.count(cursor);
    chat.say("remember the keys").await;
    let mut status = house.cli(&["status"]).await;
    for _ in 0..400 {
        if status.out.contains("another line hears") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        status = house.cli(&["status"]).await;
    }
    assert!(status.out.contains("another line hears"), "{status:?}");
    assert_eq!(house.count("SELECT count(*) FROM event"), heard);
    assert_eq!(house.count(cursor), before);
    // It lets go, and what was left is heard, once.
    database.execute("UPDATE lease SET until = 0", []).unwrap();
    chat.told("remembered").await;
    house.all_heard().await;
    chat.settle().await;
    assert_eq!(house.count("SELECT count(*) FROM memory"), 1);
    assert!(house.count(cursor) > before);
}

#[tokio::test]
async fn f01_two_lines_with_one_token_poll_once_and_the_status_says_so() {
    let mut house = House::build().await;
    let settings = house.home.config().join("postern.toml");
    let text = std::fs::read_to_string(&settings).unwrap();
    let (_, line) = text.split_once("[lines.phone]").unwrap();
    let twice = format!("{text}[lines.second]{line}");
    house.home.configure(&twice);
    house.start().await;
    let chat = house.enter(Door::Telegram, OWNER, &house.code()).await;
    let mut status = None;
    for _ in 0..100 {
        let said = house.cli(&["status"]).await;
        let told = said.out.contains(
            "another line hears @postern_test_bot already; take one of the two out of postern.toml",
        );
        status = Some(said);
        if told {
            break;
        }
    }
    let status = status.unwrap();
    assert!(status.out.contains("another line hears"), "{status:?}");
    chat.settle().await;
    assert_eq!(house.fake().most_polls(), 1);
    assert!(!status.out.contains(TOKEN));
}

#[tokio::test]
async fn f02_conflicts_are_waited_out_again_and_again() {
    let (house, chat) = owner(Door::Telegram).await;
    for _ in 0..2 {
        let description = "Conflict: terminated by other getUpdates request".into();
        let conflict = Fault::Refuse {
            code: 409,
            description,
        };
        house.fake().inject("getUpdates", conflict);
    }
    chat.settle().await;
    chat.settle().await;
}

/// Takes as long as the line waits for a poll; nothing is asserted about how long that is.
#[tokio::test]
async fn f22_a_connection_that_only_seems_open_is_given_up_and_the_line_hears_again() {
    let (house, chat) = owner(Door::Telegram).await;
    house.fake().inject("getUpdates", Fault::Hang);
    chat.settle().await;
    chat.say("remember the gate is green").await;
    let heard = std::time::Duration::from_secs(90);
    let remembered = |shown: &fakes::telegram::Shown| shown.text.contains("remembered");
    house
        .fake()
        .wait_for(ANNA.direct(), remembered, heard)
        .await;
    assert_eq!(
        house
            .fake()
            .calls_of("sendMessage")
            .iter()
            .filter(|body| holds(body, "remembered"))
            .count(),
        1
    );
}

fn holds(body: &Value, text: &str) -> bool {
    body["text"]
        .as_str()
        .is_some_and(|said| said.contains(text))
}
