//! Does the door shake hands, and is what comes through it stored before it is acknowledged?

use adapters::{Check, DoorAnswer, Signed};

use super::*;

async fn shake(query: &str) -> Result<DoorAnswer, AdapterError> {
    let adapter = Settings::new().built().unwrap();
    let request = Arrived {
        path: "/hooks/line".to_owned(),
        method: DoorMethod::Get,
        query: Some(query.to_owned()),
        body: Vec::new(),
    };
    adapter.webhook(request, &Heard::default()).await
}

#[tokio::test]
async fn a_handshake_is_answered_with_its_challenge_as_plain_text() {
    let answer = shake("hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=x").await;
    let wanted = DoorAnswer {
        kind: Some("text/plain"),
        body: "1158201444".to_owned(),
    };
    assert_eq!(answer, Ok(wanted));
    for odd in [
        "",
        "hub.mode=subscribe",
        "hub.mode=unsubscribe&hub.challenge=1",
        "hub.mode=subscribe&hub.challenge=",
        "hub.mode=subscribe&hub.challenge=%3Cscript%3E%20x",
    ] {
        let error = shake(odd).await.unwrap_err();
        assert_eq!(
            error,
            AdapterError::Refused("this is no handshake".to_owned()),
            "{odd}"
        );
    }
}

#[test]
fn f88_its_doors_let_in_only_what_is_signed_with_one_of_two_secrets_or_shakes_hands() {
    let mut settings = Settings::new();
    let other = "fedcba9876543210fedcba9876543210";
    settings.secret("app_secret", &format!("{APP_SECRET}\n{other}\n"));
    let doors = settings.built().unwrap().doors();
    let [shake, post] = doors.as_slice() else {
        panic!("{doors:?}");
    };
    assert_eq!(
        (shake.path.as_str(), post.path.as_str()),
        ("/hooks/line", "/hooks/line")
    );
    assert_eq!((shake.method, shake.cap), (DoorMethod::Get, 0));
    assert_eq!((post.method, post.cap), (DoorMethod::Post, 3 << 20));
    match &shake.check {
        Check::Query { name, secret } => {
            assert_eq!(
                (*name, secret.reveal().as_str()),
                ("hub.verify_token", VERIFY)
            );
        }
        other => panic!("{other:?}"),
    }
    match &post.check {
        Check::HmacSha256 {
            header,
            keys,
            prefix,
            over,
        } => {
            assert_eq!(
                (*header, *prefix, *over),
                ("x-hub-signature-256", "sha256=", Signed::Body)
            );
            let keys: Vec<&String> = keys.iter().map(Secret::reveal).collect();
            assert_eq!(keys, [APP_SECRET, other]);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_could_not_be_stored_is_not_acknowledged_and_what_cannot_be_read_is() {
    let (_fake, adapter, _) = started().await;
    let heard = Heard::default();
    let deep = "[".repeat(100_000);
    for garbage in [
        b"".as_slice(),
        b"\xff\xfe",
        b"{\"entry\":[{",
        deep.as_bytes(),
        b"7",
    ] {
        assert_eq!(post(&adapter, &heard, garbage).await, Ok(()));
    }
    assert!(heard.events.lock().unwrap().is_empty());
    *heard.broken.lock().unwrap() = true;
    // A recording ages; a message without its time is taken for one of now.
    let recording = include_str!("../../fixtures/whatsapp/direct.json");
    let recording = recording.replace("\"timestamp\"", "\"recorded\"");
    let taken = post(&adapter, &heard, recording.as_bytes()).await;
    let full = NotStored("the disk is full".to_owned());
    assert_eq!(taken, Err(AdapterError::Stored(full)));
    *heard.broken.lock().unwrap() = false;
    assert_eq!(post(&adapter, &heard, recording.as_bytes()).await, Ok(()));
    assert_eq!(heard.events.lock().unwrap().len(), 1);
}
