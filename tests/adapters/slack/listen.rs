//! What is heard, and when is Slack told that it arrived?

use adapters::{Arrived, DoorAnswer, DoorMethod};
use fakes::slack::Fault;
use serde_json::json;

use super::*;

#[tokio::test]
async fn what_people_write_is_heard_once_in_order_and_acknowledged() {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    fake.say(&anna, &anna.direct(), "before");
    let task = listen(&adapter, &heard);
    fake.say(&anna, &anna.direct(), "one");
    fake.say(&anna, &anna.direct(), "two");
    assert_eq!(heard.texts(&fake, 3).await, ["before", "one", "two"]);
    fake.wait_until(WAIT, || (fake.waiting() == 0).then_some(()))
        .await
        .unwrap();
    assert_eq!((fake.linked(), fake.acknowledged()), (1, 3));
    task.abort();
}

#[tokio::test]
async fn what_could_not_be_stored_is_not_acknowledged_and_comes_again() {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    *heard.broken.lock().unwrap() = true;
    fake.say(&anna, &anna.direct(), "kept");
    let error = listen(&adapter, &heard).await.unwrap();
    assert_eq!(error, AdapterError::Stored(NotStored("disk".to_owned())));
    assert_eq!((fake.waiting(), fake.acknowledged()), (1, 0));
    *heard.broken.lock().unwrap() = false;
    let task = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 1).await, ["kept"]);
    task.abort();
}

#[tokio::test]
async fn f23_f24_a_repetition_has_the_id_of_the_first_and_no_mark_decides() {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    let task = listen(&adapter, &heard);
    fake.say(&anna, &anna.direct(), "once");
    assert_eq!(heard.texts(&fake, 1).await, ["once"]);
    fake.deliver_again();
    fake.wait_until(WAIT, || (fake.acknowledged() == 2).then_some(()))
        .await
        .unwrap();
    let ids: Vec<_> = heard
        .events
        .lock()
        .unwrap()
        .iter()
        .map(|event| event.id.clone())
        .collect();
    assert_eq!(ids.len(), 2);
    assert_eq!(ids[0], ids[1]);
    task.abort();
}

#[tokio::test]
async fn f22_a_connection_on_which_nothing_is_heard_is_given_up_for_another() {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    let task = listen(&adapter, &heard);
    fake.say(&anna, &anna.direct(), "one");
    assert_eq!(heard.texts(&fake, 1).await, ["one"]);
    fake.cut();
    fake.say(&anna, &anna.direct(), "two");
    let again = fake.wait_until(WAIT * 5, || (fake.linked() >= 2).then_some(()));
    again.await.expect("another connection");
    assert_eq!(heard.texts(&fake, 2).await, ["one", "two"]);
    let trouble = heard.trouble.lock().unwrap().clone();
    assert_eq!(
        trouble,
        [
            "hears",
            "the platform is not answering: nothing is heard from it any more",
            "hears"
        ]
    );
    task.abort();
}

#[tokio::test]
async fn a_connection_that_greets_nobody_is_given_up_too() {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    fake.fall_silent(1);
    fake.say(&anna, &anna.direct(), "one");
    let task = listen(&adapter, &heard);
    let again = fake.wait_until(WAIT * 5, || (fake.linked() >= 2).then_some(()));
    again.await.expect("another connection");
    assert_eq!(heard.texts(&fake, 1).await, ["one"]);
    task.abort();
}

#[tokio::test]
async fn asked_to_come_again_it_does_and_slower_each_time_that_it_is_asked_at_once() {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    let task = listen(&adapter, &heard);
    for connection in 1..=3 {
        fake.wait_until(WAIT, || (fake.linked() == connection).then_some(()))
            .await
            .unwrap();
        fake.disconnect("refresh_requested");
    }
    fake.wait_until(WAIT, || (fake.linked() == 4).then_some(()))
        .await
        .unwrap();
    fake.say(&anna, &anna.direct(), "still there");
    assert_eq!(heard.texts(&fake, 1).await, ["still there"]);
    // Three renewals right after each other were answered with growing patience.
    assert_eq!(fake.calls_of("apps.connections.open").len(), 4);
    task.abort();
}

#[tokio::test]
async fn sockets_that_are_switched_off_stop_the_line_with_the_setting_named() {
    let (fake, adapter, _) = started().await;
    let heard = Arc::new(Heard::default());
    let task = listen(&adapter, &heard);
    fake.wait_until(WAIT, || (fake.linked() == 1).then_some(()))
        .await
        .unwrap();
    fake.disconnect("link_disabled");
    assert_eq!(
        task.await.unwrap().to_string(),
        "the platform does not let it in: Socket Mode is off; turn it on in the app's settings, or set mode to \"webhook\""
    );
}

#[tokio::test]
async fn tokens_that_do_not_count_stop_the_line_and_trouble_is_waited_for() {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    for fault in [Fault::Status(503), Fault::TooMany(1), Fault::Drop] {
        fake.inject("apps.connections.open", fault);
    }
    fake.say(&anna, &anna.direct(), "one");
    let task = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 1).await, ["one"]);
    task.abort();
    let _ = task.await;
    fake.inject("apps.connections.open", Fault::Refuse("invalid_auth"));
    let error = listen(&adapter, &heard).await.unwrap();
    assert_eq!(error, AdapterError::Credentials("invalid_auth".to_owned()));
}

#[tokio::test]
async fn f03_a_command_of_which_slack_does_not_tell_where_it_was_given_ends_no_connection() {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    let task = listen(&adapter, &heard);
    let asked = "conversations.open";
    for (n, (fault, says)) in [
        (Fault::Refuse("user_disabled"), "I am not in this chat."),
        (Fault::Status(503), "Try again in a minute."),
        (Fault::TooMany(30), "Try again in a minute."),
    ]
    .into_iter()
    .enumerate()
    {
        fake.inject(asked, fault);
        fake.command(&anna, &anna.direct(), "status");
        let answered = || fake.answers().get(n).cloned();
        let answered = fake.wait_until(WAIT, answered).await.unwrap();
        assert!(answered.1.contains(says), "{answered:?}");
    }
    assert!(heard.events.lock().unwrap().is_empty());
    fake.say(&anna, &anna.direct(), "still here?");
    assert_eq!(heard.texts(&fake, 1).await, ["still here?"]);
    assert_eq!(fake.linked(), 1);
    task.abort();
}

#[tokio::test]
async fn a_command_between_two_people_is_not_ours() {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    let task = listen(&adapter, &heard);
    fake.command(&anna, &Chat::at("D01BETWEEN"), "status");
    fake.wait_until(WAIT, || (fake.acknowledged() == 1).then_some(()))
        .await
        .unwrap();
    assert_eq!(
        fake.answers(),
        [(
            200,
            "I am not in this chat. Open a chat with me under Apps and try again there.".to_owned()
        )]
    );
    assert!(heard.events.lock().unwrap().is_empty());
    fake.command(&anna, &anna.direct(), "status");
    fake.wait_until(WAIT, || (fake.acknowledged() == 2).then_some(()))
        .await
        .unwrap();
    assert_eq!(heard.events.lock().unwrap().len(), 1);
    task.abort();
}

// The door.

async fn knock(adapter: &Arc<dyn Adapter>, heard: &Heard, body: &str) -> DoorAnswer {
    let request = Arrived {
        path: "/hooks/line".to_owned(),
        method: DoorMethod::Post,
        query: None,
        body: body.as_bytes().to_vec(),
    };
    adapter.webhook(request, heard).await.unwrap()
}

async fn with_a_door() -> (Fake, Arc<dyn Adapter>) {
    let fake = Fake::start(BOT, APP).await;
    let adapter = built(json!({
        "token_file": kept("bot", BOT), "mode": "webhook",
        "signing_secret_file": kept("signing", SIGNING), "api": fake.url(),
    }));
    (fake, adapter.unwrap())
}

#[tokio::test]
async fn a_door_takes_events_presses_and_commands_and_passes_over_what_it_cannot_read() {
    let (_fake, adapter) = with_a_door().await;
    let heard = Heard::default();
    let event = json!({"type": "event_callback", "event_id": "Ev1", "event": {
        "type": "message", "user": "U01ANNA", "ts": "1790000100.000200", "text": "hello",
        "channel": "D01ANNA", "channel_type": "im",
    }});
    assert_eq!(
        knock(&adapter, &heard, &event.to_string()).await,
        DoorAnswer::default()
    );
    let press = json!({"type": "block_actions", "user": {"id": "U01ANNA"},
        "container": {"type": "message", "message_ts": "1.2", "channel_id": "D01ANNA"},
        "actions": [{"value": "00", "action_ts": "3.4"}]});
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("payload", &press.to_string());
    knock(&adapter, &heard, &form.finish()).await;
    let command = "command=%2Fpostern&text=new&channel_id=C01TEAM&user_id=U01ANNA&trigger_id=5.6";
    knock(&adapter, &heard, command).await;
    for nonsense in ["", "{", "payload=%7B", "a=b", "[1]", "\u{0}"] {
        assert_eq!(
            knock(&adapter, &heard, nonsense).await,
            DoorAnswer::default()
        );
    }
    let kinds: Vec<_> = heard
        .events
        .lock()
        .unwrap()
        .iter()
        .map(|event| event.id.to_string())
        .collect();
    assert_eq!(
        kinds,
        [
            "D01ANNA:1790000100.000200",
            "D01ANNA:1.2:U01ANNA:3.4",
            "5.6"
        ]
    );
}

#[tokio::test]
async fn a_door_answers_the_challenge_that_its_signature_let_in() {
    let (_fake, adapter) = with_a_door().await;
    let body = json!({"type": "url_verification", "challenge": "abc", "token": "gone"});
    let answer = knock(&adapter, &Heard::default(), &body.to_string()).await;
    assert_eq!(
        (answer.kind, answer.body.as_str()),
        (Some("text/plain"), "abc")
    );
}

#[test]
fn f90_slacks_own_vector_is_what_the_door_and_the_crate_check() {
    use slack_morphism::SlackSigningSecret;
    use slack_morphism::signature_verifier::SlackEventSignatureVerifier;
    let body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    let signed = fakes::slack::signed(SIGNING, 1_531_420_618, body.as_bytes());
    assert_eq!(
        signed,
        "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    );
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let verifier = SlackEventSignatureVerifier::new(&SlackSigningSecret(SIGNING.to_owned()));
    for (offset, right) in [
        (0, true),
        (-290, true),
        (290, true),
        (-310, false),
        (310, false),
    ] {
        let time = i64::try_from(now).unwrap() + offset;
        let ours = fakes::slack::signed(SIGNING, time, body.as_bytes());
        let theirs = verifier.verify(&ours, body, &time.to_string());
        assert_eq!(theirs.is_ok(), right, "{offset}");
    }
}
