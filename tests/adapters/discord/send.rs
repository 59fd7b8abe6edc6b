//! What becomes of what is sent?

use std::time::Duration;

use bot_policy::event::ReplyHandle;
use bot_policy::id::{ChatId, MessageRef, Place};
use bot_policy::message::{Addresses, Body};
use serde_json::json;

use super::*;

const SEND: &str = "POST /channels/*/messages";

async fn send_one(
    adapter: &Arc<dyn Adapter>,
    at: &Place,
    key: i64,
) -> Result<MessageRef, AdapterError> {
    let parts = adapter.encode(&notice("hello"));
    adapter.send(at, &parts[0], SendKey(key)).await
}

#[tokio::test]
async fn f91_whatever_is_sent_pings_nobody_and_shows_no_preview() {
    let (fake, adapter, anna) = started().await;
    let at = place(anna.direct());
    let ids = send_all(
        &adapter,
        &at,
        &reply(
            "@everyone <@7001> https://evil.example/?k=S",
            Addresses::Live,
        ),
    )
    .await;
    let body = fake.calls_of(SEND).remove(0);
    assert_eq!(body["allowed_mentions"]["parse"], json!([]));
    assert_eq!(body["flags"], json!(4));
    assert_eq!(
        (&body["nonce"], &body["enforce_nonce"]),
        (&json!("1"), &json!(true))
    );
    let part = adapter.encode(&notice("https://evil.example")).remove(0);
    adapter.edit(&at, &ids[0], &part).await.unwrap();
    let shown = fake.messages(anna.direct()).remove(0);
    assert_eq!(
        (shown.flags, &shown.allowed_mentions["parse"]),
        (4, &json!([]))
    );
    assert_eq!(shown.before.len(), 1);
}

#[tokio::test]
async fn a_message_goes_to_its_thread_and_answers_what_it_answers() {
    let (fake, adapter, anna) = started().await;
    let room = fake.channel(8800, "room");
    let thread = fake.thread(8801, room);
    let question = fake.say(anna, thread, "what is this");
    let mut message = notice("an answer");
    message.answers = Some(MessageRef::new(question.to_string()));
    send_all(&adapter, &in_thread(room, thread), &message).await;
    assert_eq!(fake.messages(room), []);
    assert_eq!(fake.messages(thread)[0].reply_to, Some(question));
    // What it answers may be gone: it is shown all the same.
    message.answers = Some(MessageRef::new("12345"));
    let part = adapter.encode(&message).remove(0);
    adapter
        .send(&in_thread(room, thread), &part, SendKey(2))
        .await
        .unwrap();
    assert_eq!(fake.messages(thread)[1].reply_to, None);
}

#[tokio::test]
async fn buttons_carry_their_token_and_go_with_an_edit_that_has_none() {
    let (fake, adapter, anna) = started().await;
    let at = place(anna.direct());
    let mut message = notice("choose");
    if let Body::Notice(notice) = &mut message.body {
        notice.choices = choices();
    }
    let ids = send_all(&adapter, &at, &message).await;
    let shown = fake.messages(anna.direct()).remove(0);
    assert_eq!(shown.labels(), ["Allow once", "Deny"]);
    assert_eq!(shown.button("Deny"), Some("02".repeat(16).as_str()));
    adapter
        .edit(&at, &ids[0], &adapter.encode(&notice("chosen"))[0])
        .await
        .unwrap();
    let shown = fake.messages(anna.direct()).remove(0);
    assert_eq!((shown.text.as_str(), shown.labels().len()), ("chosen", 0));
}

#[tokio::test]
async fn f36_an_answer_that_is_lost_or_makes_no_sense_shows_nothing_twice() {
    let (fake, adapter, anna) = started().await;
    let at = place(anna.direct());
    for (key, fault) in [
        (1, Fault::Drop),
        (2, Fault::Garble),
        (3, Fault::Status(502)),
    ] {
        fake.inject(SEND, fault);
        let id = send_one(&adapter, &at, key).await.unwrap();
        let shown = fake.messages(anna.direct());
        assert_eq!(shown.len(), usize::try_from(key).unwrap());
        assert_eq!(id.as_str(), shown.last().unwrap().id.to_string());
    }
    // Done each time, and never said how: it was sent.
    for _ in 0..3 {
        fake.inject(SEND, Fault::Garble);
    }
    let id = send_one(&adapter, &at, 4).await.unwrap();
    assert_eq!(fake.messages(anna.direct()).len(), 4);
    let why = adapter
        .edit(&at, &id, &adapter.encode(&notice("x"))[0])
        .await
        .unwrap_err();
    assert_eq!(
        why,
        AdapterError::Refused("an id is no number of Discord's".to_owned())
    );
    for _ in 0..3 {
        fake.inject(SEND, Fault::Status(503));
    }
    assert_eq!(
        send_one(&adapter, &at, 5).await,
        Err(AdapterError::Ambiguous)
    );
}

#[tokio::test]
async fn a_limit_is_kept_and_what_waits_long_is_given_back_with_its_time() {
    let (fake, adapter, anna) = started().await;
    let at = place(anna.direct());
    fake.inject(
        SEND,
        Fault::TooMany {
            retry_after: 33.2,
            global: false,
        },
    );
    let why = send_one(&adapter, &at, 1).await.unwrap_err();
    assert!(
        matches!(why, AdapterError::Retry { after: Some(after), .. } if after >= Duration::from_secs(33))
    );
    // Nothing is sent there until then, and elsewhere it is.
    let why = send_one(&adapter, &at, 2).await.unwrap_err();
    assert!(
        matches!(why, AdapterError::Retry { after: Some(after), .. } if after > Duration::from_secs(30))
    );
    adapter.typing(&at).await.unwrap();
    assert_eq!(fake.calls_of(SEND).len(), 1);
    let room = fake.channel(8800, "room");
    send_one(&adapter, &place(room), 3).await.unwrap();
    fake.inject(
        "POST /channels/*/typing",
        Fault::TooMany {
            retry_after: 60.0,
            global: true,
        },
    );
    adapter.typing(&place(room)).await.unwrap_err();
    assert!(send_one(&adapter, &place(room), 4).await.is_err());
    assert_eq!(fake.calls_of(SEND).len(), 2);
}

#[tokio::test]
async fn a_share_that_is_used_up_is_waited_for_without_a_refusal() {
    let (fake, adapter, anna) = started().await;
    fake.limit(2, 0.4);
    let at = place(anna.direct());
    for key in 1..=5 {
        send_one(&adapter, &at, key).await.unwrap();
    }
    assert_eq!(fake.calls_of(SEND).len(), 5);
    assert_eq!(fake.messages(anna.direct()).len(), 5);
}

#[tokio::test]
async fn what_can_never_work_says_why_in_the_platforms_words() {
    let (fake, adapter, anna) = started().await;
    let refused = |why: &str| Err(AdapterError::Refused(why.to_owned()));
    fake.shut(anna.direct());
    let why = "Cannot send messages to this user (code 50007)";
    assert_eq!(
        send_one(&adapter, &place(anna.direct()), 1).await,
        refused(why)
    );
    let nowhere = place(Channel(4242));
    assert_eq!(
        send_one(&adapter, &nowhere, 2).await,
        refused("Unknown Channel (code 10003)")
    );
    let bad = Place {
        chat: ChatId::new("../users/@me"),
        ..nowhere
    };
    assert_eq!(
        send_one(&adapter, &bad, 3).await,
        refused("an id is no number of Discord's")
    );
    fake.inject(
        SEND,
        Fault::Refuse {
            status: 400,
            code: 1,
            message: format!("token {TOKEN} is\nbad"),
        },
    );
    let why = send_one(&adapter, &place(fake.channel(8800, "room")), 4)
        .await
        .unwrap_err()
        .to_string();
    assert_eq!(
        why,
        "the platform refuses it: token <redacted> is bad (code 1)"
    );
    fake.rotate("another");
    let why = send_one(&adapter, &place(anna.direct()), 5)
        .await
        .unwrap_err();
    assert!(matches!(why, AdapterError::Credentials(_)), "{why}");
    assert_keeps_the_token(&format!("{why:?} {adapter}", adapter = why));
}

#[tokio::test]
async fn no_answer_is_no_connection_and_may_work_later() {
    let (fake, adapter, anna) = started().await;
    drop(fake);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let why = send_one(&adapter, &place(anna.direct()), 1)
        .await
        .unwrap_err();
    assert!(
        matches!(
            why,
            AdapterError::Retry { after: None, .. } | AdapterError::Ambiguous
        ),
        "{why}"
    );
    assert_keeps_the_token(&why.to_string());
}

#[tokio::test]
async fn a_notice_to_a_presser_is_seen_by_nobody_else_and_one_that_is_too_late_is_no_error() {
    let (fake, adapter, anna) = started().await;
    let ids = send_all(&adapter, &place(anna.direct()), &notice("card")).await;
    let card = ids[0].as_str().parse().unwrap();
    let heard = Arc::new(Heard::default());
    let listening = listen(&adapter, &heard);
    fake.heard().await;
    let press = fake.press_token(anna, anna.direct(), card, "t");
    let answered = fake
        .wait_until(WAIT, || (!fake.answers().is_empty()).then_some(()))
        .await;
    assert!(answered.is_some());
    let event = fake.wait_until(WAIT, || heard.events().pop()).await;
    let reply = match event.or_else(|| heard.events().pop()).unwrap().what {
        EventKind::Press { reply, .. } => reply,
        other => panic!("{other:?}"),
    };
    adapter.acknowledge(&reply, None).await.unwrap();
    adapter
        .acknowledge(&reply, Some("*Only* the owner"))
        .await
        .unwrap();
    let answers = fake.answers();
    assert_eq!(answers.len(), 2);
    assert_eq!((answers[0].interaction, answers[0].kind), (press, Some(6)));
    assert_eq!(
        (answers[1].text.as_deref(), answers[1].private),
        (Some("*Only* the owner"), true)
    );
    adapter
        .acknowledge(&ReplyHandle("1/gone".to_owned()), Some("x"))
        .await
        .unwrap();
    listening.abort();
}
