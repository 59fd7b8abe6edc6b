//! Does what is sent stand in the chat as meant, and does each failure say what may be done?

use std::time::Duration;

use bot_policy::card::Card;
use bot_policy::event::ReplyHandle;
use bot_policy::visible;
use fakes::whatsapp::{Fault, Shown};

use super::*;

#[tokio::test]
async fn a_text_stands_in_the_chat_without_a_preview_and_answers_what_it_answers() {
    let (fake, adapter, anna) = started().await;
    let asked = fake.say(&anna, &anna.direct(), "hello?");
    let mut message = reply("see https://example.org", Addresses::Live);
    message.answers = Some(MessageRef::new(&*asked));
    let ids = send_all(&adapter, &place(&anna.direct()), &message).await;
    let shown = Shown {
        id: ids[0].to_string(),
        text: "see https://example.org".to_owned(),
        answers: Some(asked),
        ..Shown::default()
    };
    assert_eq!(fake.messages(&anna.direct()), [shown]);
}

#[tokio::test]
async fn up_to_three_buttons_are_buttons_and_more_are_a_list() {
    let (fake, adapter, anna) = started().await;
    let chat = place(&anna.direct());
    let labels: Vec<String> = (0..12).map(|n| format!("Button number {n:02}")).collect();
    for count in [1, 3, 4, 10, 12] {
        let labels: Vec<&str> = labels.iter().take(count).map(String::as_str).collect();
        send_all(&adapter, &chat, &notice("choose", choices(&labels))).await;
    }
    let counts: Vec<usize> = fake
        .messages(&anna.direct())
        .iter()
        .map(|shown| shown.buttons.len())
        .collect();
    assert_eq!(counts, [1, 3, 4, 10, 10, 2]);
    let call = fake.calls().remove(2);
    assert_eq!(call["interactive"]["type"], "list");
    let token = "00".repeat(16);
    let first = &fake.messages(&anna.direct())[0].buttons[0];
    assert_eq!(first, &("Button number 00".to_owned(), token));
}

#[tokio::test]
async fn an_account_without_a_number_and_a_group_are_written_to() {
    let (fake, adapter, _) = started().await;
    let bob = fake.person("US.13491208655302741918", "Bob");
    fake.say(&bob, &bob.direct(), "hi");
    let group = fake.group("Y2FwaV9ncm91cDox");
    fake.say(&bob, &group, "hi");
    for chat in [bob.direct(), group] {
        send_all(
            &adapter,
            &place(&chat),
            &notice("hello", Choices::default()),
        )
        .await;
        assert_eq!(fake.messages(&chat)[0].text, "hello");
    }
    let nowhere = place(&Chat::Direct("../evil".to_owned()));
    let part = adapter
        .encode(&notice("hello", Choices::default()))
        .remove(0);
    let sent = adapter.send(&nowhere, &part, SendKey(1)).await;
    let why = "the chat's id names nobody there".to_owned();
    assert_eq!(sent, Err(AdapterError::Refused(why)));
}

#[tokio::test]
async fn what_would_change_a_card_is_said_in_answer_to_it() {
    let (fake, adapter, anna) = started().await;
    let chat = place(&anna.direct());
    let card = |labels: &[&str], outcome: Option<&str>| OutboundMessage {
        body: Body::Card(Card {
            title: visible::line("@files write"),
            reasons: Vec::new(),
            rule: None,
            fields: Vec::new(),
            always: None,
            choices: choices(labels),
            outcome: outcome.map(visible::line),
        }),
        answers: None,
    };
    let on = send_all(&adapter, &chat, &card(&["Allow once", "Deny"], None)).await;
    for message in [
        card(&["Always block", "Deny"], None),
        card(&[], Some("Allowed once by owner, 12:03")),
        notice("Which one?\n\nAnswered: red", Choices::default()),
    ] {
        let part = adapter.encode(&message).pop().unwrap();
        adapter.edit(&chat, &on[0], &part).await.unwrap();
    }
    let said: Vec<Shown> = fake.messages(&anna.direct()).split_off(1);
    assert!(
        said.iter()
            .all(|shown| shown.answers == Some(on[0].to_string()))
    );
    assert_eq!(said[0].buttons.len(), 2);
    assert_eq!(said[1].text, "Allowed once by owner, 12:03");
    assert_eq!(said[2].text, "Answered: red");
}

#[tokio::test]
async fn a_press_is_answered_with_one_line_under_it_or_with_nothing() {
    let (fake, adapter, anna) = started().await;
    let press = fake.say(&anna, &anna.direct(), "a press");
    let reply = ReplyHandle(format!("15550100 {press}"));
    adapter.acknowledge(&reply, None).await.unwrap();
    assert_eq!(fake.messages(&anna.direct()), []);
    let notice = "I do not know this button any more.";
    adapter.acknowledge(&reply, Some(notice)).await.unwrap();
    let shown = fake.messages(&anna.direct()).remove(0);
    assert_eq!((shown.text.as_str(), shown.answers), (notice, Some(press)));
}

#[tokio::test]
async fn what_was_said_last_is_marked_as_read_while_an_answer_is_written() {
    let (fake, adapter, anna) = started().await;
    let chat = place(&anna.direct());
    adapter.typing(&chat).await.unwrap();
    assert_eq!(fake.typing(), 0);
    let id = fake.say(&anna, &anna.direct(), "hello?");
    let message = json!({"from": anna.0, "id": id, "text": {"body": "hello?"}});
    let value = json!({
        "metadata": {"display_phone_number": "15550001111", "phone_number_id": NUMBER_ID},
        "messages": [message],
    });
    let body = fakes::whatsapp::wrapped(&[json!({"field": "messages", "value": value})]);
    post(&adapter, &Heard::default(), body.to_string().as_bytes())
        .await
        .unwrap();
    adapter.typing(&chat).await.unwrap();
    assert_eq!((fake.typing(), fake.read()), (1, vec![id]));
}

#[tokio::test]
async fn each_failure_says_what_may_be_done() {
    let (fake, adapter, anna) = started().await;
    let chat = place(&anna.direct());
    let part = adapter
        .encode(&notice("hello", Choices::default()))
        .remove(0);
    let refuse = |status, code, message: &str| Fault::Refuse {
        status,
        code,
        message: message.to_owned(),
    };
    let retry = |seconds, why: &str| AdapterError::Retry {
        after: Some(Duration::from_secs(seconds)),
        why: why.to_owned(),
    };
    for (fault, wanted) in [
        (Fault::Drop, AdapterError::Ambiguous),
        (Fault::Status(502), AdapterError::Ambiguous),
        (
            refuse(400, 130_429, "(#130429) Rate limit hit"),
            retry(30, "it asks us to slow down"),
        ),
        (
            refuse(400, 131_056, "(#131056) pair rate limit"),
            retry(6, "it asks us to write less in this chat"),
        ),
        (
            refuse(401, 190, "Session has expired"),
            AdapterError::Credentials("Session has expired".to_owned()),
        ),
        (
            refuse(400, 131_026, "(#131026) Message undeliverable"),
            AdapterError::Refused("(#131026) Message undeliverable".to_owned()),
        ),
        (
            refuse(500, 131_000, "(#131000) Something went wrong"),
            AdapterError::Ambiguous,
        ),
    ] {
        fake.inject(fault.clone());
        let sent = adapter.send(&chat, &part, SendKey(1)).await;
        assert_eq!(sent, Err(wanted), "{fault:?}");
    }
    drop(fake);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let sent = adapter.send(&chat, &part, SendKey(1)).await.unwrap_err();
    let why = "no connection to it".to_owned();
    assert_eq!(sent, AdapterError::Retry { after: None, why });
}
