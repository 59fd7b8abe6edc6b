//! Does what is sent stand in the chat as meant, and does each failure say what may be done?

use super::*;

#[tokio::test]
async fn a_reply_stands_in_the_chat_with_its_entities_and_no_preview() {
    let (fake, adapter, anna) = started().await;
    let asked = fake.private_message(anna, "hi");
    let mut message = reply("**bold** and `code`", Addresses::Live);
    message.answers = Some(MessageRef::new(asked.to_string()));
    let id = send_all(&adapter, &place(anna.direct()), &message)
        .await
        .pop()
        .unwrap();
    let shown = Shown {
        id: id.as_str().parse().unwrap(),
        text: "bold and code".to_owned(),
        entities: vec![
            json!({"type": "bold", "offset": 0, "length": 4}),
            json!({"type": "code", "offset": 9, "length": 4}),
        ],
        buttons: Vec::new(),
        before: Vec::new(),
        reply_to: Some(asked),
        thread: None,
        no_preview: true,
        file: None,
    };
    assert_eq!(fake.messages(anna.direct()), [shown]);
}

#[tokio::test]
async fn f28_f29_what_the_platform_cannot_parse_is_sent_plain_once() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let description = "Bad Request: can't parse entities: at byte 9".to_owned();
    fake.inject(
        "sendMessage",
        Fault::Refuse {
            code: 400,
            description,
        },
    );
    let message = reply(
        "Sure! **Step 1** - snake_case_name and *half bold",
        Addresses::Live,
    );
    send_all(&adapter, &place(anna.direct()), &message).await;
    let shown = &fake.messages(anna.direct())[0];
    assert_eq!(shown.text, "Sure! Step 1 - snake_case_name and *half bold");
    assert_eq!(shown.entities, Vec::<serde_json::Value>::new());
    assert!(shown.no_preview);
    assert_eq!(fake.calls_of("sendMessage").len(), 2);
}

#[tokio::test]
async fn f28_a_plain_text_that_is_refused_is_not_tried_again() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    for _ in 0..3 {
        let description = "Bad Request: can't parse entities: never".to_owned();
        fake.inject(
            "sendMessage",
            Fault::Refuse {
                code: 400,
                description,
            },
        );
    }
    let part = &adapter.encode(&reply("**a**", Addresses::Live))[0];
    let sent = adapter.send(&place(anna.direct()), part, SendKey(1)).await;
    let why = "Bad Request: can't parse entities: never".to_owned();
    assert_eq!(sent, Err(AdapterError::Refused(why)));
    assert_eq!(fake.calls_of("sendMessage").len(), 2);
}

#[tokio::test]
async fn addresses_stay_inert_even_when_entities_are_refused() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let description = "Bad Request: can't parse entities".to_owned();
    fake.inject(
        "sendMessage",
        Fault::Refuse {
            code: 400,
            description,
        },
    );
    let message = reply("see https://evil.example/x?k=SECRET", Addresses::Inert);
    send_all(&adapter, &place(anna.direct()), &message).await;
    let text = &fake.messages(anna.direct())[0].text;
    assert_eq!(text, "see https[:][/][/]evil[.]example[/]x?k=SECRET");
}

#[tokio::test]
async fn f31_a_long_reply_arrives_whole_and_in_order() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let text: String = (0..1140).map(|n| format!("{n:04} ")).collect();
    send_all(
        &adapter,
        &place(anna.direct()),
        &reply(&text, Addresses::Live),
    )
    .await;
    let shown = fake.messages(anna.direct());
    assert_eq!(shown.len(), 2);
    let joined: Vec<&str> = shown
        .iter()
        .flat_map(|part| part.text.split_whitespace())
        .collect();
    assert_eq!(joined, text.split_whitespace().collect::<Vec<_>>());
}

#[tokio::test]
async fn f18_where_topics_were_switched_off_a_message_is_tried_once_without() {
    let (fake, adapter, _) = started().await;
    let chat = fake.group(-100_200, "Family");
    fake.topic(chat, 7);
    let mut place = place(chat);
    place.thread = Some(ThreadId::new("7"));
    let message = notice("hello");
    send_all(&adapter, &place, &message).await;
    fake.topics_off(chat);
    send_all(&adapter, &place, &message).await;
    let threads: Vec<_> = fake
        .messages(chat)
        .iter()
        .map(|shown| shown.thread)
        .collect();
    assert_eq!(threads, [Some(7), None]);
    assert_eq!(fake.calls_of("sendMessage").len(), 3);
}

#[tokio::test]
async fn f19_what_was_meant_for_a_deleted_topic_stands_in_no_other() {
    let (fake, adapter, _) = started().await;
    let chat = fake.group(-100_200, "Family");
    fake.topic(chat, 7);
    fake.topic(chat, 8);
    fake.delete_topic(chat, 7);
    let mut place = place(chat);
    place.thread = Some(ThreadId::new("7"));
    let part = &adapter.encode(&notice("hello"))[0];
    let sent = adapter.send(&place, part, SendKey(1)).await;
    let why = "the topic is not there any more".to_owned();
    assert_eq!(sent, Err(AdapterError::Refused(why)));
    assert_eq!(fake.messages(chat), []);
}

#[tokio::test]
async fn f19_a_thread_that_is_no_number_is_an_error() {
    let (fake, adapter, _) = started().await;
    let mut place = place(fake.group(-100_200, "Family"));
    place.thread = Some(ThreadId::new("general"));
    let part = &adapter.encode(&notice("hello"))[0];
    let sent = adapter.send(&place, part, SendKey(1)).await;
    let why = "an id is no number of Telegram's".to_owned();
    assert_eq!(sent, Err(AdapterError::Refused(why)));
    assert_eq!(fake.calls(), []);
}

#[tokio::test]
async fn f17_a_moved_group_says_where_it_is() {
    let (fake, adapter, anna) = started().await;
    let old = fake.group(-123, "Family");
    fake.upgrade(anna, old, -100_123);
    let part = &adapter.encode(&notice("hello"))[0];
    let sent = adapter.send(&place(old), part, SendKey(1)).await;
    assert_eq!(sent, Err(AdapterError::Moved(ChatId::new("-100123"))));
}

#[tokio::test]
async fn each_outcome_of_a_send_says_what_may_be_done() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let refuse = |code, description: &str| Fault::Refuse {
        code,
        description: description.to_owned(),
    };
    let slow = AdapterError::Retry {
        after: Some(Duration::from_secs(33)),
        why: "it asks us to slow down".to_owned(),
    };
    let cases = [
        (Fault::TooMany { retry_after: 33 }, slow),
        (Fault::Status(500), AdapterError::Ambiguous),
        (Fault::Status(502), AdapterError::Ambiguous),
        (Fault::Drop, AdapterError::Ambiguous),
        (
            refuse(401, "Unauthorized"),
            AdapterError::Credentials("Unauthorized".to_owned()),
        ),
        (
            refuse(403, "Forbidden: x"),
            AdapterError::Refused("Forbidden: x".to_owned()),
        ),
        (
            refuse(404, "Not Found"),
            AdapterError::Credentials("Not Found".to_owned()),
        ),
        (refuse(409, "Conflict"), AdapterError::Conflict),
    ];
    let part = &adapter.encode(&notice("hello"))[0];
    for (fault, error) in cases {
        fake.inject("sendMessage", fault.clone());
        let sent = adapter.send(&place(anna.direct()), part, SendKey(1)).await;
        assert_eq!(sent, Err(error), "{fault:?}");
    }
    // Only the dropped one was done, and nothing was repeated.
    assert_eq!(fake.messages(anna.direct()).len(), 1);
    assert_eq!(fake.calls_of("sendMessage").len(), 8);
}

#[tokio::test]
async fn f37_without_a_connection_nothing_was_done() {
    let (fake, adapter, anna) = started().await;
    drop(fake);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let part = &adapter.encode(&notice("hello"))[0];
    let sent = adapter.send(&place(anna.direct()), part, SendKey(1)).await;
    let why = "no connection to it".to_owned();
    assert_eq!(sent, Err(AdapterError::Retry { after: None, why }));
}

#[tokio::test]
async fn an_edit_is_harmless_to_repeat_and_the_same_text_is_success() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let chat = place(anna.direct());
    let mut first = notice("Sure?");
    first.body = Body::Notice(Notice {
        addresses: bot_policy::message::Addresses::Live,
        text: "Sure?".to_owned(),
        choices: choices(),
    });
    let id = send_all(&adapter, &chat, &first).await.pop().unwrap();
    assert_eq!(
        fake.messages(anna.direct())[0].labels(),
        ["Allow once", "Deny"]
    );
    let after = &adapter.encode(&notice("Done."))[0];
    for fault in [Fault::Status(503), Fault::Drop] {
        fake.inject("editMessageText", fault);
        let edited = adapter.edit(&chat, &id, after).await;
        assert!(
            matches!(edited, Err(AdapterError::Retry { .. })),
            "{edited:?}"
        );
    }
    adapter.edit(&chat, &id, after).await.unwrap();
    let shown = &fake.messages(anna.direct())[0];
    assert_eq!((shown.text.as_str(), shown.labels()), ("Done.", Vec::new()));
    let gone = adapter.edit(&chat, &MessageRef::new("5"), after).await;
    let why = "Bad Request: message to edit not found".to_owned();
    assert_eq!(gone, Err(AdapterError::Refused(why)));
}

#[tokio::test]
async fn f46_a_press_is_answered_shortly_and_too_late_is_no_failure() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let body = Body::Notice(Notice {
        addresses: bot_policy::message::Addresses::Live,
        text: "Sure?".to_owned(),
        choices: choices(),
    });
    let asked = OutboundMessage {
        body,
        answers: None,
    };
    send_all(&adapter, &place(anna.direct()), &asked).await;
    let card = fake.messages(anna.direct())[0].id;
    let press = fake.press(anna, anna.direct(), card, "Deny");
    let long = "🚪".repeat(300);
    adapter
        .acknowledge(&ReplyHandle(press.clone()), Some(&long))
        .await
        .unwrap();
    let answers = fake.answers();
    assert_eq!(answers.len(), 1);
    assert_eq!(
        (answers[0].text.as_deref(), answers[0].alert),
        (Some("🚪".repeat(100).as_str()), true)
    );
    adapter
        .acknowledge(&ReplyHandle(press), None)
        .await
        .unwrap();
}

#[tokio::test]
async fn typing_is_shown_in_the_topic() {
    let (fake, adapter, _) = started().await;
    let chat = fake.group(-100_200, "Family");
    fake.topic(chat, 7);
    let mut place = place(chat);
    place.thread = Some(ThreadId::new("7"));
    adapter.typing(&place).await.unwrap();
    let wanted = json!({"chat_id": -100_200, "action": "typing", "message_thread_id": 7});
    assert_eq!(fake.calls_of("sendChatAction"), [wanted]);
}
