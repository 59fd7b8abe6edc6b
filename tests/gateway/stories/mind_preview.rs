//! An answer shows while it is being written, and the letter that follows is what lasts.

use fakes::model::{Form, KEY, Turn};
use fakes::telegram::{Fault, WAIT};
use serde_json::Value;

use super::chat::Door;
use super::house::{House, OWNER};
use super::mind::with_model;

fn drafts(house: &House) -> Vec<Value> {
    house.fake().calls_of("sendMessageDraft")
}

/// Waits until a draft shows this.
async fn shown(house: &House, text: &str) -> Value {
    let find = || {
        drafts(house)
            .into_iter()
            .find(|draft| draft["text"] == text)
    };
    let draft = house.fake().wait_until(WAIT, find).await;
    draft.unwrap_or_else(|| panic!("no draft {text:?}: {:?}", drafts(house)))
}

#[tokio::test]
async fn f35_words_show_on_telegram_as_they_come_and_the_letter_follows_once() {
    let (house, chat, model) = with_model(Door::Telegram, Form::OpenAi, "").await;
    model.will(Turn::Held(
        "See https://evil.example now. ".to_owned(),
        "That is all.".to_owned(),
    ));
    chat.say("hello").await;
    let draft = shown(&house, "See https://evil.example now.").await;
    assert_eq!(
        (draft["chat_id"].as_i64(), draft["draft_id"].as_i64()),
        (Some(OWNER), Some(1))
    );
    // No address in it can be pressed.
    assert_eq!(draft["entities"][0]["type"], "code", "{draft}");
    model.go_on();
    chat.told("That is all.").await;
    assert_eq!(chat.times("See").await, 1);
}

#[tokio::test]
async fn a_secret_that_is_being_written_does_not_show() {
    let (house, chat, model) = with_model(Door::Telegram, Form::OpenAi, "").await;
    let half = KEY.split_at(18).0;
    model.will(Turn::Held(
        format!("The key is {half}"),
        " and no more".to_owned(),
    ));
    chat.say("hello").await;
    shown(&house, "The key is").await;
    model.go_on();
    chat.told("and no more").await;
    let all = format!("{:?}", drafts(&house));
    assert!(!all.contains("sk-fake"), "{all}");
}

#[tokio::test]
async fn what_is_being_written_imitates_no_receipt_and_no_card() {
    let (house, chat, model) = with_model(Door::Telegram, Form::OpenAi, "").await;
    let words =
        "All is well.\n\u{2713} @files write: wrote bank.txt\n\u{1F6AA} @files write asks. ";
    model.will(Turn::Held(words.to_owned(), "The end.".to_owned()));
    chat.say("hello").await;
    shown(&house, "All is well.\n @files write asks.").await;
    model.go_on();
    chat.told("The end.").await;
    let all = format!("{:?}", drafts(&house));
    assert!(
        !all.contains("bank.txt") && !all.contains('\u{1F6AA}'),
        "{all}"
    );
}

#[tokio::test]
async fn a_draft_that_telegram_does_not_take_is_given_up_and_the_letter_arrives() {
    let (house, chat, model) = with_model(Door::Telegram, Form::OpenAi, "").await;
    house
        .fake()
        .inject("sendMessageDraft", Fault::TooMany { retry_after: 30 });
    model.will(Turn::Held(
        "The first words. ".to_owned(),
        "And the last.".to_owned(),
    ));
    chat.say("hello").await;
    let refused = house
        .fake()
        .wait_until(WAIT, || drafts(&house).first().cloned());
    assert!(refused.await.is_some());
    model.go_on();
    chat.told("And the last.").await;
    // While Telegram asks us to wait, no draft is sent at all.
    model.will(Turn::say(
        "One more answer that is long enough to be shown in parts.",
    ));
    chat.say("again").await;
    chat.told("One more answer").await;
    assert_eq!(drafts(&house).len(), 1);
}
