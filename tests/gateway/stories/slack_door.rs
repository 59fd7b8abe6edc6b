//! Slack comes to a door: what it signed is let in once, and nothing else.

use fakes::slack::{User, signed};
use reqwest::StatusCode;
use serde_json::json;

use super::house::soon;
use super::slack::{Office, SIGNING, Way};

#[tokio::test]
async fn a_chat_goes_on_through_a_door_as_it_does_through_a_socket() {
    let office = Office::open(Way::Door).await;
    let direct = office.anna.direct();
    office
        .fake
        .say(&office.anna, &direct, "write notes.txt: hello");
    let card = office.card(&direct).await;
    office
        .fake
        .press(&office.anna, &direct, &card.ts, "Allow once");
    office.told(&direct, "wrote notes.txt").await;
    assert_eq!(office.fake.linked(), 0);
    office.all_heard().await;
    let statuses: Vec<u16> = office
        .fake
        .answers()
        .into_iter()
        .map(|(status, _)| status)
        .collect();
    assert_eq!(statuses, [200; 3]);
}

/// Knocks with a body and these headers; what was answered.
async fn knock(office: &Office, body: &str, headers: &[(&str, &str)]) -> (StatusCode, String) {
    let at = format!("{}/hooks/work", office.house.doors());
    let mut request = office.house.world.http.post(at).body(body.to_owned());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.unwrap();
    (answer.status(), answer.text().await.unwrap())
}

fn now() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(now.unwrap().as_secs()).unwrap()
}

#[tokio::test]
async fn f90_only_what_slack_signed_now_is_let_in_and_the_challenge_too() {
    let office = Office::open(Way::Door).await;
    let body = json!({"type": "url_verification", "challenge": "abc"}).to_string();
    let signature = "x-slack-signature";
    let stamp = "x-slack-request-timestamp";
    for (offset, right) in [
        (0, true),
        (-290, true),
        (290, true),
        (-301, false),
        (310, false),
    ] {
        let time = now() + offset;
        let (sign, time_text) = (signed(SIGNING, time, body.as_bytes()), time.to_string());
        let headers = [(signature, sign.as_str()), (stamp, time_text.as_str())];
        let (status, answer) = knock(&office, &body, &headers).await;
        if right {
            assert_eq!(
                (status, answer.as_str()),
                (StatusCode::OK, "abc"),
                "{offset}"
            );
        } else {
            assert_eq!(
                (status, answer.as_str()),
                (StatusCode::UNAUTHORIZED, ""),
                "{offset}"
            );
        }
    }
    let time = now();
    let (right, wrong) = (
        signed(SIGNING, time, body.as_bytes()),
        signed("other", time, body.as_bytes()),
    );
    let time_text = time.to_string();
    let at = (stamp, time_text.as_str());
    for headers in [
        vec![],
        vec![at],
        vec![(signature, right.as_str())],
        vec![(signature, wrong.as_str()), at],
        vec![(signature, right.as_str()), (signature, right.as_str()), at],
        vec![(signature, right.as_str()), at, at],
        vec![(signature, &right[3..]), at],
        vec![(signature, "v0="), at],
    ] {
        let (status, answer) = knock(&office, &body, &headers).await;
        assert_eq!(
            (status, answer.as_str()),
            (StatusCode::UNAUTHORIZED, ""),
            "{headers:?}"
        );
    }
}

/// Knocks as Slack does, for the second time as its header says; the status of the answer.
async fn retried(office: &Office, body: &str) -> StatusCode {
    let time = now();
    let (sign, time) = (signed(SIGNING, time, body.as_bytes()), time.to_string());
    let headers = [
        ("x-slack-signature", sign.as_str()),
        ("x-slack-request-timestamp", &time),
        ("x-slack-retry-num", "1"),
        ("x-slack-retry-reason", "http_timeout"),
    ];
    knock(office, body, &headers).await.0
}

fn written(user: &User, id: &str, text: &str) -> String {
    let event = json!({
        "type": "message", "user": user.0, "ts": format!("179000{id}.000100"), "text": text,
        "channel": user.direct().id, "channel_type": "im",
    });
    json!({"type": "event_callback", "event_id": format!("Ev{id}"), "event_time": 1_790_000_100, "event": event})
        .to_string()
}

#[tokio::test]
async fn f23_f24_a_retry_that_never_came_before_is_done_and_one_that_came_is_not() {
    let office = Office::open(Way::Door).await;
    let body = written(&office.anna, "5001", "remember the gate is green");
    for _ in 0..3 {
        assert_eq!(retried(&office, &body).await, StatusCode::OK);
    }
    let direct = office.anna.direct();
    office.told(&direct, "remembered").await;
    // The same message under another number is the same message.
    let again = body.replace("Ev5001", "Ev5002");
    assert_eq!(retried(&office, &again).await, StatusCode::OK);
    office.fake.say(&office.anna, &direct, "read no-more.txt");
    office.told(&direct, "no-more.txt").await;
    assert_eq!(office.house.count("SELECT count(*) FROM memory"), 1);
}

#[tokio::test]
async fn f07_what_was_answered_with_200_is_done_after_a_crash_and_what_was_not_stored_is_not_answered()
 {
    let mut office = Office::open(Way::Door).await;
    let body = written(&office.anna, "6001", "remember the gate is green");
    assert_eq!(retried(&office, &body).await, StatusCode::OK);
    office.house.kill_and_start().await;
    office.told(&office.anna.direct(), "remembered").await;
    assert_eq!(office.house.count("SELECT count(*) FROM memory"), 1);
    let refuse =
        "CREATE TRIGGER full BEFORE INSERT ON event BEGIN SELECT RAISE (ABORT, 'full'); END";
    office.house.database().execute_batch(refuse).unwrap();
    let lost = written(&office.anna, "6002", "remember the gate is red");
    let status = retried(&office, &lost).await;
    assert!(status.is_server_error(), "{status}");
    let database = office.house.database();
    database.execute_batch("DROP TRIGGER full").unwrap();
    assert_eq!(retried(&office, &lost).await, StatusCode::OK);
    let both = soon(|| (office.house.count("SELECT count(*) FROM memory") == 2).then_some(()));
    assert!(both.await.is_some(), "{}", office.house.errors());
}

#[tokio::test]
async fn f53_f71_what_nobody_may_press_or_hand_in_changes_nothing() {
    let office = Office::open(Way::Door).await;
    let (fake, direct) = (&office.fake, office.anna.direct());
    fake.say(&office.anna, &direct, "write notes.txt: hello");
    let card = office.card(&direct).await;
    let token = card.button("Allow once").unwrap().to_owned();
    let press = |over: serde_json::Value| {
        let mut press = json!({
            "type": "block_actions", "trigger_id": "t", "user": {"id": "U7001"},
            "container": {"type": "message", "message_ts": card.ts, "channel_id": direct.id},
            "channel": {"id": direct.id}, "message": {"ts": card.ts, "user": "U01POSTERN"},
            "actions": [{"action_id": "press", "type": "button", "value": token, "action_ts": "1790000999.000001"}],
        });
        for (key, value) in over.as_object().unwrap() {
            match value {
                serde_json::Value::Null => drop(press.as_object_mut().unwrap().remove(key)),
                value => press[key] = value.clone(),
            }
        }
        let payload = press.to_string();
        url::form_urlencoded::Serializer::new(String::new())
            .append_pair("payload", &payload)
            .finish()
    };
    let elsewhere = json!({"type": "message", "message_ts": card.ts, "channel_id": "C8800"});
    let home = json!({"type": "view", "view_id": "V1"});
    for over in [
        json!({"user": null}),
        json!({"user": {"id": ""}}),
        json!({"user": {"id": "USLACKBOT"}}),
        json!({"user": {"id": "U8001", "name": "Anna"}}),
        json!({"user": {"id": "u7001"}}),
        json!({"container": elsewhere}),
        json!({"container": home}),
        json!({"type": "view_submission"}),
        json!({"type": "block_suggestion"}),
        json!({"actions": []}),
        json!({"actions": [{"value": &token[1..], "action_ts": "1790000999.000002"}]}),
        json!({"actions": [{"value": format!("{token}x"), "action_ts": "1790000999.000003"}]}),
    ] {
        assert_eq!(retried(&office, &press(over)).await, StatusCode::OK);
    }
    fake.say(&office.anna, &direct, "read no-more.txt");
    office.told(&direct, "no-more.txt").await;
    assert_eq!(office.house.file("notes.txt"), None);
    assert_eq!(retried(&office, &press(json!({}))).await, StatusCode::OK);
    office.told(&direct, "wrote notes.txt").await;
    // The same press, replayed.
    office.house.write_outside("notes.txt", "mine");
    for _ in 0..20 {
        assert_eq!(retried(&office, &press(json!({}))).await, StatusCode::OK);
    }
    fake.say(&office.anna, &direct, "read nothing-more.txt");
    office.told(&direct, "nothing-more.txt").await;
    assert_eq!(office.house.file("notes.txt").as_deref(), Some("mine"));
}
