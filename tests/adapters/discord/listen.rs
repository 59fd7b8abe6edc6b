//! Is everything heard, once, whatever becomes of the connection?

use std::time::Duration;

use adapters::Menus;
use bot_policy::event::{ChatKind, EventKind};
use serde_json::json;

use super::*;

async fn hearing() -> (
    Fake,
    Arc<dyn Adapter>,
    User,
    Arc<Heard>,
    tokio::task::JoinHandle<AdapterError>,
) {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    let listening = listen(&adapter, &heard);
    fake.heard().await;
    (fake, adapter, anna, heard, listening)
}

#[tokio::test]
async fn messages_are_heard_in_order_compressed_or_not() {
    let (fake, _adapter, anna, heard, _listening) = hearing().await;
    for n in 0..20 {
        fake.say(anna, anna.direct(), &format!("word {n}"));
    }
    let wanted: Vec<String> = (0..20).map(|n| format!("word {n}")).collect();
    assert_eq!(heard.texts(20).await, wanted);
    assert!(
        heard
            .events()
            .iter()
            .all(|event| event.kind_of_chat == ChatKind::Direct)
    );
    let identify = fake.calls_of("WS 2").remove(0);
    assert_eq!(identify["compress"], json!(true));
    assert_eq!(
        identify["intents"],
        json!((1 << 0) | (1 << 9) | (1 << 12) | (1 << 15))
    );
    // The channel was asked for once.
    assert_eq!(fake.calls_of("GET /channels/*").len(), 1);
}

#[tokio::test]
async fn f20_a_session_is_taken_up_where_it_was_and_what_was_missed_is_told_again() {
    let (fake, _adapter, anna, heard, _listening) = hearing().await;
    fake.say(anna, anna.direct(), "before");
    heard.texts(1).await;
    fake.refuse_connections(1, 4000);
    fake.hang_up();
    fake.say(anna, anna.direct(), "meanwhile");
    assert_eq!(heard.texts(2).await, ["before", "meanwhile"]);
    assert_eq!(fake.calls_of("WS 2").len(), 1);
    let resumes: Vec<_> = fake
        .calls()
        .into_iter()
        .filter(|call| call.kind == "WS 6")
        .collect();
    assert_eq!(resumes.len(), 1);
    assert_eq!(resumes[0].path, "/resume");
    let again = || heard.troubles.lock().unwrap().last() == Some(&None);
    for _ in 0..500 {
        if again() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(again(), "{:?}", heard.troubles);
    let first = heard.troubles.lock().unwrap()[0].clone();
    assert_eq!(
        first.as_deref(),
        Some("the platform is not answering: its gateway closed the connection")
    );
}

#[tokio::test]
async fn f20_another_program_goes_on_from_what_was_stored() {
    let (fake, _adapter, anna, heard, listening) = hearing().await;
    fake.say(anna, anna.direct(), "before");
    heard.texts(1).await;
    listening.abort();
    let _ = listening.await;
    fake.say(anna, anna.direct(), "while nothing ran");
    let next = adapter_of(&fake);
    let listening = listen(&next, &heard);
    assert_eq!(heard.texts(2).await, ["before", "while nothing ran"]);
    assert_eq!(fake.calls_of("WS 2").len(), 1);
    listening.abort();
}

#[tokio::test]
async fn f20_after_a_new_session_what_was_missed_is_fetched_unless_it_is_old() {
    let (fake, _adapter, anna, heard, listening) = hearing().await;
    let bob = fake.person(7002, "Bob");
    fake.direct(bob);
    let room = fake.channel(8800, "room");
    fake.say(anna, anna.direct(), "before");
    fake.mention(anna, room, "in the room");
    heard.texts(2).await;
    listening.abort();
    let _ = listening.await;
    fake.forget_sessions();
    for n in 0..150 {
        fake.say(anna, anna.direct(), &format!("missed {n}"));
    }
    fake.say(anna, room, "said there too");
    // Who never spoke to us before is not looked for; what is older than a day is not taken up.
    fake.say(bob, bob.direct(), "never heard of");
    let old = json!({"id": "1420000000000000000"});
    fake.message(anna, room, "long ago", old);
    let next = adapter_of(&fake);
    let listening = listen(&next, &heard);
    let said = heard.texts(153).await;
    assert_eq!(said.len(), 153, "{said:?}");
    assert!((0..150).all(|n| said.contains(&format!("missed {n}"))));
    assert!(said.contains(&"said there too".to_owned()));
    assert_eq!(fake.calls_of("WS 2").len(), 2);
    // Once more: nothing is fetched twice.
    listening.abort();
    let _ = listening.await;
    fake.forget_sessions();
    let listening = listen(&adapter_of(&fake), &heard);
    fake.heard().await;
    fake.say(anna, anna.direct(), "after");
    let said = heard.texts(154).await;
    assert_eq!(said.last().unwrap(), "after");
    assert_eq!(heard.events().len(), 154);
    listening.abort();
}

#[tokio::test]
async fn a_session_that_is_invalid_is_opened_anew_or_taken_up_as_it_says() {
    let (fake, _adapter, anna, heard, _listening) = hearing().await;
    fake.invalidate(true);
    let resumed = fake
        .wait_until(WAIT, || (fake.calls_of("WS 6").len() == 1).then_some(()))
        .await;
    assert!(resumed.is_some());
    fake.heard().await;
    fake.invalidate(false);
    let opened = fake
        .wait_until(WAIT, || (fake.calls_of("WS 2").len() == 2).then_some(()))
        .await;
    assert!(opened.is_some());
    fake.heard().await;
    fake.say(anna, anna.direct(), "still there");
    assert_eq!(heard.texts(1).await, ["still there"]);
}

#[tokio::test]
async fn asked_to_come_again_it_takes_up_its_session() {
    let (fake, _adapter, anna, heard, _listening) = hearing().await;
    fake.ask_to_reconnect();
    let resumed = fake
        .wait_until(WAIT, || (fake.calls_of("WS 6").len() == 1).then_some(()))
        .await;
    assert!(resumed.is_some());
    fake.say(anna, anna.direct(), "hello");
    assert_eq!(heard.texts(1).await, ["hello"]);
    assert_eq!(fake.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_answers_no_heartbeat_is_left() {
    let (fake, adapter, anna) = started().await;
    fake.beat_every(150);
    let heard = Arc::new(Heard::default());
    let _listening = listen(&adapter, &heard);
    fake.heard().await;
    fake.fall_silent();
    let resumed = fake
        .wait_until(WAIT, || (fake.calls_of("WS 6").len() == 1).then_some(()))
        .await;
    assert!(resumed.is_some());
    fake.say(anna, anna.direct(), "hello");
    assert_eq!(heard.texts(1).await, ["hello"]);
}

#[tokio::test]
async fn f21_a_close_that_waiting_does_not_mend_stops_and_names_the_setting() {
    for (code, says) in [
        (
            4004,
            "the platform refuses the credentials: close 4004: the token is not known",
        ),
        (4010, "close 4010: the bot is in more servers"),
        (4011, "close 4011: the bot is in more servers"),
        (4012, "close 4012: it does not speak version 10"),
        (4013, "close 4013: it does not know an intent"),
        (
            4014,
            "close 4014: Message Content Intent is not allowed to this bot; switch it on at discord.com/developers (Bot, Privileged Gateway Intents, Message Content Intent)",
        ),
    ] {
        let (fake, adapter, _) = started().await;
        fake.refuse_connections(9, code);
        let heard = Arc::new(Heard::default());
        let ended = tokio::time::timeout(WAIT, listen(&adapter, &heard)).await;
        let why = ended.expect("it stops").unwrap();
        assert!(
            matches!(why, AdapterError::Setup(_) | AdapterError::Credentials(_)),
            "{why}"
        );
        assert!(why.to_string().contains(says), "{why}");
        tokio::time::sleep(Duration::from_millis(700)).await;
        assert_eq!(fake.connects(), 1, "after {code}");
    }
}

#[tokio::test]
async fn f21_without_the_intent_it_hears_direct_messages_and_mentions() {
    let (fake, adapter, anna) = started().await;
    fake.allow_content(false);
    let room = fake.channel(8800, "room");
    let heard = Arc::new(Heard::default());
    let _listening = listen(&adapter, &heard);
    fake.heard().await;
    fake.say(anna, anna.direct(), "in private");
    fake.say(anna, room, "to nobody");
    fake.mention(anna, room, "to you");
    assert_eq!(heard.texts(2).await, ["in private", "to you"]);
    let identify = fake.calls_of("WS 2").remove(0);
    assert_eq!(identify["intents"].as_u64().unwrap() & (1 << 15), 0);
}

#[tokio::test]
async fn f63_presses_are_answered_before_anything_else_is_done() {
    let (fake, _adapter, anna, heard, _listening) = hearing().await;
    let card = fake.say(anna, anna.direct(), "card");
    heard.texts(1).await;
    // Whatever is asked about the channel of what came before takes its time.
    fake.inject("GET /channels/*", Fault::Delay(Duration::from_secs(2)));
    let room = fake.channel(8800, "room");
    let bob = fake.person(7002, "Bob");
    fake.say(bob, fake.direct(bob), "first");
    let press = fake.press_token(anna, anna.direct(), card, "t");
    let answered = fake
        .wait_until(WAIT, || fake.answers().pop())
        .await
        .unwrap();
    assert_eq!((answered.interaction, answered.kind), (press, Some(6)));
    let pressed = |event: &InboundEvent| matches!(event.what, EventKind::Press { .. });
    assert!(
        !heard.events().iter().any(pressed),
        "it was stored before it was answered"
    );
    assert_eq!(heard.texts(2).await, ["card", "first"]);
    let stored = fake
        .wait_until(WAIT, || heard.events().iter().any(pressed).then_some(()))
        .await;
    assert!(
        stored.is_some() || heard.events().iter().any(pressed),
        "{room:?}"
    );
}

#[tokio::test]
async fn f64_an_interaction_that_is_too_old_is_carried_out_all_the_same() {
    let (fake, adapter, anna, heard, _listening) = hearing().await;
    let menus = Menus {
        all: vec![("new", "start fresh"), ("pair", "let me in")],
        ..Menus::default()
    };
    adapter.announce(&menus).await.unwrap();
    fake.inject(
        "POST /interactions/*/*/callback",
        Fault::Refuse {
            status: 404,
            code: 10062,
            message: "Unknown interaction".to_owned(),
        },
    );
    fake.command(anna, anna.direct(), "new", "");
    let command = |event: &InboundEvent| matches!(&event.what, EventKind::Command { name, .. } if name == "new");
    for _ in 0..500 {
        if heard.events().iter().any(command) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(heard.events().iter().any(command));
    fake.command(anna, anna.direct(), "pair", "ABCD-EFGH");
    let answered = fake
        .wait_until(WAIT, || fake.answers().pop())
        .await
        .unwrap();
    assert_eq!((answered.kind, answered.private), (Some(4), true));
}

#[tokio::test]
async fn what_cannot_be_stored_is_not_taken_as_heard() {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    let listening = listen(&adapter, &heard);
    fake.heard().await;
    fake.say(anna, anna.direct(), "stored");
    heard.texts(1).await;
    *heard.broken.lock().unwrap() = true;
    fake.say(anna, anna.direct(), "not lost");
    let why = tokio::time::timeout(WAIT, listening)
        .await
        .unwrap()
        .unwrap();
    assert!(matches!(why, AdapterError::Stored(_)), "{why}");
    *heard.broken.lock().unwrap() = false;
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(2).await, ["stored", "not lost"]);
    listening.abort();
}

#[tokio::test]
async fn f70_a_channel_that_is_not_known_is_asked_for_until_it_is_said() {
    let (fake, _adapter, anna, heard, _listening) = hearing().await;
    fake.inject("GET /channels/*", Fault::Status(503));
    fake.say(anna, anna.direct(), "hello");
    assert_eq!(heard.texts(1).await, ["hello"]);
    assert_eq!(heard.events()[0].kind_of_chat, ChatKind::Direct);
    let several = fake.group_direct(66, &[anna]);
    fake.say(anna, several, "one recipient, and several may come");
    heard.texts(2).await;
    assert_eq!(heard.events()[1].kind_of_chat, ChatKind::Group);
    let hidden = fake.channel(8899, "hidden");
    fake.shut(hidden);
    fake.event("MESSAGE_CREATE", json!({"id": "5", "channel_id": "424242", "author": {"id": "7001"}, "content": "from nowhere"}));
    heard.texts(3).await;
    assert_eq!(heard.events()[2].kind_of_chat, ChatKind::Group);
}

#[tokio::test]
async fn hostile_payloads_end_nothing() {
    let (fake, _adapter, anna, heard, _listening) = hearing().await;
    for data in [
        json!(null),
        json!([]),
        json!("x"),
        json!({"id": 5}),
        json!({"channel_id": "507001"}),
        json!({"id": "x".repeat(70_000), "author": 3}),
    ] {
        for name in [
            "MESSAGE_CREATE",
            "MESSAGE_UPDATE",
            "INTERACTION_CREATE",
            "GUILD_CREATE",
            "CHANNEL_DELETE",
            "NEVER_HEARD_OF",
        ] {
            fake.event(name, data.clone());
        }
    }
    fake.say(anna, anna.direct(), "still there");
    assert_eq!(heard.texts(1).await, ["still there"]);
    assert_eq!(fake.connects(), 1);
}

#[tokio::test]
async fn only_one_connection_hears_at_a_time() {
    let (fake, adapter, _anna, heard, _listening) = hearing().await;
    let second = listen(&adapter, &heard);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(fake.connects(), 1);
    assert!(!second.is_finished());
    second.abort();
}

#[tokio::test]
async fn f20_what_is_older_than_a_day_is_not_fetched_any_more() {
    let (fake, adapter, anna) = started().await;
    let old = json!({"id": "1420000000000000000"});
    fake.message(anna, anna.direct(), "long ago", old);
    fake.say(anna, anna.direct(), "just now");
    let heard = Arc::new(Heard::default());
    let seen = json!({"session": null, "seen": {anna.direct().0.to_string(): 5}});
    *heard.cursor.lock().unwrap() = Some(Cursor(seen.to_string()));
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(1).await, ["just now"]);
    fake.say(anna, anna.direct(), "after");
    assert_eq!(heard.texts(2).await, ["just now", "after"]);
    listening.abort();
}
