//! Is everything heard once, in order, and acknowledged only after it is stored?

use super::*;

#[tokio::test]
async fn what_was_said_is_heard_in_order_and_acknowledged_after_it_is_stored() {
    let (fake, adapter, anna) = started().await;
    for word in ["one", "two", "three"] {
        fake.private_message(anna, word);
    }
    let heard = Arc::new(Heard::default());
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 3).await, ["one", "two", "three"]);
    fake.wait_until(WAIT, || (fake.waiting() == 0).then_some(()))
        .await
        .unwrap();
    assert_eq!(heard.cursor(), Some(Cursor("1002".to_owned())));
    listening.abort();
}

#[tokio::test]
async fn f04_what_could_not_be_stored_is_not_acknowledged() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "keep me");
    let heard = Arc::new(Heard::default());
    *heard.broken.lock().unwrap() = true;
    let ended = listen(&adapter, &heard).await.unwrap();
    assert_eq!(ended, AdapterError::Stored(NotStored("disk".to_owned())));
    assert_eq!(fake.waiting(), 1);
    *heard.broken.lock().unwrap() = false;
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 1).await, ["keep me"]);
    listening.abort();
}

#[tokio::test]
async fn f05_f06_a_restart_goes_on_from_the_stored_cursor() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "before");
    fake.private_message(anna, "after");
    let heard = Arc::new(Heard::default());
    *heard.cursor.lock().unwrap() = Some(Cursor("1000".to_owned()));
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 1).await, ["after"]);
    assert_eq!(fake.calls_of("getUpdates")[0]["offset"], 1001);
    listening.abort();
}

#[tokio::test]
async fn after_a_quiet_week_lower_numbers_are_heard_too() {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    *heard.cursor.lock().unwrap() = Some(Cursor("727334707".to_owned()));
    let listening = listen(&adapter, &heard);
    let polls = || (!fake.calls_of("getUpdates").is_empty()).then_some(());
    fake.wait_until(WAIT, polls).await.unwrap();
    fake.private_message(anna, "one");
    assert_eq!(heard.texts(&fake, 1).await, ["one"]);
    fake.private_message(anna, "two");
    assert_eq!(heard.texts(&fake, 2).await, ["one", "two"]);
    assert_eq!(heard.cursor(), Some(Cursor("1001".to_owned())));
    listening.abort();
}

#[tokio::test]
async fn f01_there_is_one_poll_at_a_time_over_ten_restarts() {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    for round in 1..=10 {
        let listening = listen(&adapter, &heard);
        let polls = || (fake.calls_of("getUpdates").len() >= round).then_some(());
        fake.wait_until(WAIT, polls).await.unwrap();
        listening.abort();
        let _ = listening.await;
        // The server sees the connection close a moment later.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let _first = listen(&adapter, &heard);
    let _second = listen(&adapter, &heard);
    fake.private_message(anna, "once");
    assert_eq!(heard.texts(&fake, 1).await, ["once"]);
    assert_eq!(fake.most_polls(), 1);
}

#[tokio::test]
async fn f02_a_conflict_is_waited_out() {
    let (fake, adapter, anna) = started().await;
    for _ in 0..2 {
        let description = "Conflict: terminated by other getUpdates request".to_owned();
        fake.inject(
            "getUpdates",
            Fault::Refuse {
                code: 409,
                description,
            },
        );
    }
    fake.private_message(anna, "still here");
    let heard = Arc::new(Heard::default());
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 1).await, ["still here"]);
    listening.abort();
}

#[tokio::test]
async fn f02_a_refused_token_ends_the_hearing() {
    let (fake, adapter, _) = started().await;
    fake.rotate("123456789:another");
    let heard = Arc::new(Heard::default());
    let ended = listen(&adapter, &heard).await.unwrap();
    assert_eq!(ended, AdapterError::Credentials("Unauthorized".to_owned()));
}

#[tokio::test]
async fn f03_an_update_that_cannot_be_read_is_passed_over_once() {
    let (fake, adapter, anna) = started().await;
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    fake.update(
        "message",
        json!({"message_id": "no number", "chat": [], "deep": deep}),
    );
    fake.private_message(anna, "good");
    let heard = Arc::new(Heard::default());
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 1).await, ["good"]);
    fake.wait_until(WAIT, || (fake.waiting() == 0).then_some(()))
        .await
        .unwrap();
    listening.abort();
}

#[tokio::test]
async fn trouble_while_polling_is_waited_out() {
    let (fake, adapter, anna) = started().await;
    fake.inject("getMe", Fault::Status(502));
    fake.inject("getUpdates", Fault::Drop);
    fake.inject("getUpdates", Fault::TooMany { retry_after: 1 });
    fake.private_message(anna, "hello");
    let heard = Arc::new(Heard::default());
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 1).await, ["hello"]);
    listening.abort();
}
