//! What was changed or deleted after it was sent: replaced where nobody read it, told where
//! somebody did, and never run.

use fakes::telegram::User;
use serde_json::json;

use super::chat::{Chat, Door};
use super::house::{House, OWNER, soon};

const ANNA: User = User(OWNER);
const TOLD: &str = "You changed a message that I had answered.";

async fn owner() -> (House, Chat) {
    House::with_owner(Door::Telegram).await
}

fn edit(house: &House, message: i64, text: &str) {
    house.fake().edit(ANNA, ANNA.direct(), message, text);
}

/// Everything in the history that the person said.
fn said(house: &House) -> i64 {
    house.count("SELECT count(*) FROM entry WHERE body LIKE '{\"Person\"%'")
}

#[tokio::test]
async fn f14_words_that_are_still_thought_about_are_replaced_and_thought_about_anew() {
    let (house, chat) = owner().await;
    let message = house
        .fake()
        .private_message(ANNA, "wait 50\nremember the first");
    house.thinks().await;
    edit(&house, message, "remember the second");
    chat.told("remembered").await;
    chat.told("Changing course…").await;
    let kept: String = house
        .database()
        .query_row("SELECT group_concat(text) FROM memory", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(kept, "the second");
    assert_eq!(said(&house), 1);
    assert_eq!(chat.times(TOLD).await, 0);
}

#[tokio::test]
async fn f14_words_that_wait_behind_a_card_are_told_as_changed_and_the_card_stands() {
    let (house, chat) = owner().await;
    let message = house.fake().private_message(ANNA, "write notes.txt: hello");
    let card = chat.card().await;
    edit(&house, message, "write notes.txt: goodbye");
    chat.told("waits on its card: only a press answers it")
        .await;
    assert_eq!(chat.open_cards().await, 1);
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "wrote notes.txt").await;
    assert_eq!(house.file("notes.txt").as_deref(), Some("hello"));
}

#[tokio::test]
async fn f12_a_change_of_what_was_answered_is_kept_for_the_next_message_and_told_once() {
    let (house, chat) = owner().await;
    let message = house.fake().private_message(ANNA, "good morning");
    chat.told("I heard you.").await;
    edit(&house, message, "/unpair");
    chat.told(TOLD).await;
    edit(&house, message, "write notes.txt: hello\nremember it");
    chat.settle().await;
    assert_eq!(chat.times(TOLD).await, 1);
    assert_eq!(chat.times("I heard you.").await, 1);
    assert_eq!(chat.open_cards().await, 0);
    assert_eq!(house.count("SELECT count(*) FROM memory"), 0);
    let kept =
        "SELECT count(*) FROM entry WHERE body LIKE '%| write notes.txt: hello\\n| remember it%'";
    assert_eq!(house.count(kept), 1);
    // What was replaced before anybody read it is nowhere.
    let gone = "SELECT count(*) FROM entry WHERE body LIKE '%/unpair%'";
    assert_eq!(house.count(gone), 0);
}

#[tokio::test]
async fn f13_an_edit_that_changes_no_word_is_none() {
    let (house, chat) = owner().await;
    let message = house.fake().private_message(ANNA, "wait 3\nread a.txt");
    house.thinks().await;
    edit(&house, message, "wait 3\nread a.txt");
    chat.told("there is no file a.txt").await;
    edit(&house, message, "wait 3\nread a.txt");
    edit(&house, message, "read b.txt");
    edit(&house, message, "read b.txt");
    chat.told(TOLD).await;
    house.all_heard().await;
    assert_eq!(said(&house), 2);
    assert_eq!(chat.times("Changing course…").await, 0);
}

#[tokio::test]
async fn an_edit_of_a_command_or_of_an_ended_conversation_is_nothing() {
    let (house, chat) = owner().await;
    let command = house.fake().private_message(ANNA, "/why");
    let message = house.fake().private_message(ANNA, "good morning");
    chat.told("I heard you.").await;
    chat.say("/new").await;
    chat.told("A fresh conversation").await;
    edit(&house, command, "remember one");
    edit(&house, message, "remember two");
    chat.settle().await;
    assert_eq!(house.count("SELECT count(*) FROM memory"), 0);
    assert_eq!(chat.times(TOLD).await, 0);
}

#[tokio::test]
async fn what_is_forwarded_into_an_edit_marks_the_conversation() {
    let (house, chat) = owner().await;
    let message = house.fake().private_message(ANNA, "good morning");
    chat.told("I heard you.").await;
    let origin = json!({"type": "hidden_user", "sender_user_name": "S", "date": 1_780_000_000});
    let over = json!({"message_id": message, "edit_date": 1_790_000_100, "forward_origin": origin});
    let body = house
        .fake()
        .body(ANNA, ANNA.direct(), "remember this", over);
    house.fake().update("edited_message", body);
    chat.settle().await;
    // Words that somebody else wrote are no change of the person's own.
    assert_eq!(said(&house), 2);
}

/// Puts an event into the inbox, as a platform would that tells of deletions.
async fn deleted(house: &House, id: &str, message: i64, sender: &serde_json::Value) {
    let place = json!({"line": "phone", "chat": OWNER.to_string(), "thread": null});
    let event = json!({
        "id": id, "at": 1_790_000_000_000_i64, "place": place, "kind_of_chat": "Direct",
        "sender": sender, "what": {"Delete": {"message": message.to_string()}},
    });
    house
        .database()
        .execute(
            "INSERT INTO event (line, id, body, untaken) VALUES ('phone', ?1, ?2, 1)",
            [id, &event.to_string()],
        )
        .unwrap();
    let taken = soon(|| {
        (house.count("SELECT count(*) FROM event WHERE body IS NOT NULL") == 0).then_some(())
    });
    assert!(taken.await.is_some(), "{}", house.errors());
}

#[tokio::test]
async fn what_is_deleted_is_read_by_nobody_any_more() {
    let (house, chat) = owner().await;
    let read = house.fake().private_message(ANNA, "my secret is zebra");
    chat.told("I heard you.").await;
    let queued = house
        .fake()
        .private_message(ANNA, "wait 50\nremember the first");
    house.thinks().await;
    deleted(&house, "d1", queued, &json!("Shared")).await;
    chat.told_times("I heard you.", 2).await;
    let stranger = json!({"Person": {"platform": "telegram", "id": "8001"}});
    let other = house.fake().private_message(ANNA, "good evening");
    chat.told_times("I heard you.", 3).await;
    deleted(&house, "d2", other, &stranger).await;
    let own = json!({"Person": {"platform": "telegram", "id": OWNER.to_string()}});
    deleted(&house, "d3", read, &own).await;
    chat.settle().await;
    assert_eq!(house.count("SELECT count(*) FROM memory"), 0);
    let holds = |text: &str| {
        house.count(&format!(
            "SELECT count(*) FROM entry WHERE body LIKE '%{text}%'"
        ))
    };
    assert_eq!(
        (
            holds("zebra"),
            holds("remember the first"),
            holds("good evening")
        ),
        (0, 0, 1)
    );
    assert_eq!(holds("the person deleted these words"), 2);
}
