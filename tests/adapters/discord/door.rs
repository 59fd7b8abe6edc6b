//! What comes through our own door, and how is it answered?

use std::sync::Arc;

use adapters::{Adapter, AdapterError, Arrived, Check, DoorMethod, Ground, Signed, Webhooks};
use bot_policy::event::{ChatKind, EventKind};
use bot_policy::secret::Secret;
use fakes::discord::{Fake, TOKEN};
use serde_json::{Value, json};

use super::decode::recorded;
use super::{Heard, with_token};

async fn behind_a_door() -> (Fake, Arc<dyn Adapter>) {
    let fake = Fake::start(TOKEN).await;
    let anna = fake.person(7001, "Anna");
    fake.direct(anna);
    let ground = Ground {
        webhooks: Some(Webhooks {
            public: "https://bot.example.org".parse().unwrap(),
            secret: Secret::new("0".repeat(64)),
        }),
    };
    let settings = json!({
        "api": fake.url(), "interactions": "webhook", "public_key": "ab".repeat(32),
    });
    let adapter = with_token(TOKEN, settings, &ground);
    (fake, adapter)
}

async fn knock(
    adapter: &Arc<dyn Adapter>,
    heard: &Heard,
    body: &Value,
) -> Result<Value, AdapterError> {
    let request = Arrived {
        path: "/hooks/line".to_owned(),
        method: DoorMethod::Post,
        query: None,
        body: body.to_string().into_bytes(),
    };
    let answer = adapter.webhook(request, heard).await?;
    assert_eq!(answer.kind, Some("application/json"));
    Ok(serde_json::from_str(&answer.body).unwrap())
}

#[tokio::test]
async fn the_door_asks_for_a_signature_over_the_time_and_the_body() {
    let (_fake, adapter) = behind_a_door().await;
    let doors = adapter.doors();
    assert_eq!(doors.len(), 1);
    assert_eq!(doors[0].path, "/hooks/line");
    assert_eq!(doors[0].method, DoorMethod::Post);
    let Check::Ed25519 { header, key, over } = &doors[0].check else {
        panic!("{:?}", doors[0].check);
    };
    assert_eq!((*header, *key), ("x-signature-ed25519", [0xab; 32]));
    assert!(matches!(
        over,
        Signed::Timed {
            time: "x-signature-timestamp",
            before: "",
            after: "",
            ..
        }
    ));
}

#[tokio::test]
async fn a_ping_is_answered_by_a_pong_and_nothing_is_stored() {
    let (_fake, adapter) = behind_a_door().await;
    let heard = Heard::default();
    let pong = knock(
        &adapter,
        &heard,
        &json!({"type": 1, "id": "1", "token": "x"}),
    )
    .await;
    assert_eq!(pong.unwrap(), json!({"type": 1}));
    assert_eq!(heard.events(), []);
}

#[tokio::test]
async fn a_press_and_a_command_are_stored_and_answered_in_the_same_breath() {
    let (_fake, adapter) = behind_a_door().await;
    let heard = Heard::default();
    let answer = knock(&adapter, &heard, &recorded("press", json!({})))
        .await
        .unwrap();
    assert_eq!(answer, json!({"type": 6}));
    let answer = knock(&adapter, &heard, &recorded("platform_command", json!({})))
        .await
        .unwrap();
    assert_eq!(
        (&answer["type"], &answer["data"]["flags"]),
        (&json!(4), &json!(68))
    );
    let events = heard.events();
    assert_eq!(events.len(), 2);
    assert!(matches!(events[0].what, EventKind::Press { .. }));
    assert!(matches!(events[1].what, EventKind::Command { .. }));
    // The channel was asked for: its kind is not taken from the request.
    assert!(
        events
            .iter()
            .all(|event| event.kind_of_chat == ChatKind::Direct)
    );
    let elsewhere = recorded("press", json!({"channel_id": "4242", "id": "5"}));
    knock(&adapter, &heard, &elsewhere).await.unwrap();
    assert_eq!(heard.events()[2].kind_of_chat, ChatKind::Group);
}

#[tokio::test]
async fn what_cannot_be_stored_or_read_is_not_answered_as_heard() {
    let (_fake, adapter) = behind_a_door().await;
    let heard = Heard::default();
    *heard.broken.lock().unwrap() = true;
    let why = knock(&adapter, &heard, &recorded("press", json!({})))
        .await
        .unwrap_err();
    assert!(matches!(why, AdapterError::Stored(_)), "{why}");
    let request = Arrived {
        path: "/hooks/line".to_owned(),
        method: DoorMethod::Post,
        query: None,
        body: b"{\"type\": 3".to_vec(),
    };
    let why = adapter.webhook(request, &heard).await.unwrap_err();
    assert_eq!(
        why,
        AdapterError::Refused("an interaction that is no JSON".to_owned())
    );
}
