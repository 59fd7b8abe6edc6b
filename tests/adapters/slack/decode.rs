//! What becomes of what Slack sends?

use adapters::slack::{Me, decode};
use bot_policy::event::{
    Addressed, ChatKind, EventKind, InboundEvent, Part, Provenance, ReplyHandle, Sender,
};
use bot_policy::id::{ChatId, EventId, LineId, MessageRef, Platform, ThreadId, Timestamp, UserRef};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::words::{own, parts, texts};
use crate::conformance::{Ids, Own, check_with};

const NOW: Timestamp = Timestamp(1_790_000_200_500);
const TS: &str = "1790000100.000200";

fn me() -> Me {
    Me {
        user: "U01POSTERN".to_owned(),
        bot: "B01POSTERN".to_owned(),
        team: Some("T01TEAM".to_owned()),
    }
}

fn read(payload: &Value) -> Vec<InboundEvent> {
    decode(&LineId::new("line"), &me(), payload, NOW)
}

pub(super) fn recording(name: &str) -> Value {
    let folder = env!("CARGO_MANIFEST_DIR");
    let path = format!("{folder}/../tests/fixtures/slack/{name}.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// A recording of an event with these keys laid over it; a null takes a key away.
pub(super) fn event_with(name: &str, over: Value) -> Value {
    let mut recording = recording(name);
    let event = recording["event"].as_object_mut().unwrap();
    for (key, value) in over.as_object().unwrap() {
        match value {
            Value::Null => drop(event.remove(key)),
            value => drop(event.insert(key.clone(), value.clone())),
        }
    }
    recording
}

pub(super) fn only(payload: &Value) -> InboundEvent {
    let mut events = read(payload);
    assert_eq!(events.len(), 1, "{events:?}");
    events.remove(0)
}

#[test]
fn everything_in_the_list_becomes_what_it_is() {
    let ids = Ids {
        platform: "slack",
        line: "line",
        // One message carries all its files.
        cannot: &["album"],
        command_in: ChatKind::Direct,
        person: "U01ANNA",
        direct: "D01ANNA",
        group: "C01TEAM",
        group_before: "C00TEAM",
        thread: "1789999999.000100",
        messages: [TS, "1790000101.000200"],
        original: "1790000000.000100",
        events: ["D01ANNA:1790000100.000200", "D01ANNA:1790000101.000200"],
        files: ["F01ONE", "F01TWO"],
        press: "D01ANNA:1790000000.000100:U01ANNA:1790000200.123456",
        edit: "D01ANNA:1790000100.000200:1790000130.000000",
        reply: "D01ANNA U01ANNA",
        at: 1_790_000_100_000,
        now: NOW.0,
        mention: "hello there",
    };
    let own = Own {
        called: &[
            ("group", "C01TEAM:1790000100.000200"),
            ("group_mention", "C01TEAM:1790000100.000200"),
            ("thread", "C01TEAM:1790000100.000200"),
            ("shared_sender", "C01TEAM:1790000100.000200"),
            ("platform_command", "56.78.gone"),
            ("moved", "Ev01MOVED"),
        ],
        by_nobody: &["moved"],
        root: Some(TS),
    };
    check_with(&ids, &own, |recording| {
        read(&serde_json::from_str(recording).unwrap())
    });
}

#[test]
fn f25_the_message_and_what_names_us_in_it_are_one_event() {
    let message = only(&recording("group_mention"));
    let mention = only(&recording("app_mention"));
    assert_eq!(message, mention);
}

#[test]
fn f27_what_bots_and_apps_write_is_nobodys() {
    for over in [
        json!({"bot_id": "B01OTHER"}),
        json!({"app_id": "A01OTHER"}),
        json!({"bot_profile": {"id": "B01OTHER"}}),
        json!({"username": "anna"}),
        json!({"subtype": "bot_message"}),
        json!({"subtype": "never_seen_before"}),
        json!({"user": null}),
        json!({"user": ""}),
        json!({"user": "USLACKBOT"}),
    ] {
        let event = only(&event_with("direct", over.clone()));
        assert_eq!(event.sender, Sender::Shared, "{over}");
        let told = |part: &Part| part.provenance == Provenance::Authored;
        let typed = parts(event).iter().any(told);
        // A person's own marks stay where only the sender is in doubt.
        assert!(!typed, "{over}");
    }
    let ours = json!({"bot_id": "B01POSTERN", "user": "U01OTHER"});
    assert_eq!(read(&event_with("direct", ours)), []);
}

#[test]
fn f41_f42_the_root_of_a_thread_and_what_is_said_in_it_have_one_place() {
    let root = only(&recording("group_mention")).place;
    let below = json!({"ts": "1790000105.000100", "thread_ts": TS, "text": "and more"});
    let answer = only(&event_with("group", below));
    assert_eq!(answer.place, root);
    assert_eq!(root.thread, Some(ThreadId::new(TS)));
    let changed = json!({
        "subtype": "message_changed", "channel": "C01TEAM", "channel_type": "channel",
        "message": {"type": "message", "user": "U01ANNA", "text": "x", "ts": TS, "edited": {"ts": "1790000130.000000"}},
    });
    assert_eq!(only(&event_with("group", changed)).place, root);
}

#[test]
fn a_thread_below_a_message_of_ours_speaks_to_us_and_one_below_anothers_does_not() {
    let below = |parent: &str| {
        let over = json!({"thread_ts": "1789999999.000100", "parent_user_id": parent});
        match only(&event_with("group", over)).what {
            EventKind::Message { addressed, .. } => addressed,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(below("U01POSTERN"), Addressed::Bot);
    assert_eq!(below("U01BORIS"), Addressed::Room);
}

#[test]
fn a_direct_chat_is_known_by_its_id_and_doubt_makes_a_group_of_it() {
    let kind = |over| only(&event_with("direct", over)).kind_of_chat;
    assert_eq!(kind(json!({})), ChatKind::Direct);
    assert_eq!(kind(json!({"channel_type": null})), ChatKind::Direct);
    assert_eq!(kind(json!({"channel_type": "mpim"})), ChatKind::Group);
    assert_eq!(kind(json!({"channel": "G01MANY"})), ChatKind::Group);
    assert_eq!(
        kind(json!({"channel": "C01TEAM", "channel_type": null})),
        ChatKind::Group
    );
}

#[test]
fn f66_f69_only_the_id_says_who_somebody_is() {
    let anna = only(&recording("hostile_names"));
    let owner = UserRef {
        platform: Platform::new("slack"),
        id: "U01ANNA".to_owned(),
    };
    assert_eq!(anna.sender, Sender::Person(owner.clone()));
    let renamed =
        json!({"user": "U01MALLORY", "user_profile": {"display_name": "U01ANNA", "name": "anna"}});
    let mallory = only(&event_with("direct", renamed));
    assert_ne!(mallory.sender, Sender::Person(owner));
    assert_eq!(texts(mallory), own("hello there"));
}

#[test]
fn f53_f71_a_press_names_who_pressed_and_a_form_that_nobody_opened_says_nothing() {
    let mut press = recording("press");
    press["user"]["id"] = json!("U01MALLORY");
    let Sender::Person(user) = only(&press).sender else {
        panic!("nobody")
    };
    assert_eq!(user.id, "U01MALLORY");
    press.as_object_mut().unwrap().remove("user");
    assert_eq!(only(&press).sender, Sender::Shared);
    assert_eq!(read(&recording("view_submission")), []);
    let mut view = recording("press");
    view["container"] = json!({"type": "view", "view_id": "V01"});
    assert_eq!(read(&view), []);
}

#[test]
fn a_press_in_a_thread_belongs_to_it_and_one_on_a_root_to_the_chat() {
    let place = |thread: Option<&str>| {
        let mut press = recording("press");
        press["container"]["channel_id"] = json!("C01TEAM");
        press["message"]["thread_ts"] = json!(thread);
        only(&press).place.thread
    };
    assert_eq!(place(None), None);
    assert_eq!(place(Some("1790000000.000100")), None);
    assert_eq!(place(Some(TS)), Some(ThreadId::new(TS)));
}

#[test]
fn a_slash_command_is_ours_behind_its_one_name() {
    let event = only(&recording("slash"));
    let what = EventKind::Command {
        name: "policy".to_owned(),
        argument: "ask".to_owned(),
        reply: ReplyHandle("C01TEAM U01ANNA".to_owned()),
    };
    assert_eq!(event.what, what);
    assert_eq!(event.id, EventId::new("56.78.gone"));
    assert_eq!(event.place.chat, ChatId::new("C01TEAM"));
    assert_eq!(event.kind_of_chat, ChatKind::Group);
    let mut bare = recording("slash");
    bare["text"] = json!("");
    let EventKind::Command { name, .. } = only(&bare).what else {
        panic!("no command")
    };
    assert_eq!(name, "help");
}

#[test]
fn a_deletion_names_the_message_and_nobody_who_did_it() {
    let event = only(&recording("deleted"));
    let message = MessageRef::new(TS);
    assert_eq!(event.what, EventKind::Delete { message });
    assert_eq!(event.sender, Sender::Shared);
}

#[test]
fn what_slack_says_of_a_chat_is_nobodys_message() {
    for subtype in [
        "channel_join",
        "channel_topic",
        "group_leave",
        "pinned_item",
    ] {
        let said = event_with("group", json!({"subtype": subtype}));
        assert_eq!(read(&said), [], "{subtype}");
    }
}

#[test]
fn deep_wide_and_broken_payloads_are_read_to_their_end() {
    // As deep as the parser lets anything be.
    let mut deep = json!({"type": "section", "text": "bottom"});
    for _ in 0..50 {
        deep = json!({ "inside": [deep] });
    }
    let blocks: Vec<Value> = vec![json!({"type": "section", "elements": "none"}); 5000];
    assert_eq!(
        texts(only(&event_with("direct", json!({"blocks": [deep]})))).pop(),
        Some(("bottom".to_owned(), Provenance::Attached))
    );
    assert_eq!(
        read(&event_with("direct", json!({"blocks": blocks}))).len(),
        1
    );
    let text = "<".repeat(200_000);
    assert_eq!(
        texts(only(&event_with("direct", json!({"text": text})))),
        own(&text)
    );
}

proptest! {
    #[test]
    fn any_text_is_read(text in ".*") {
        read(&event_with("direct", json!({"text": text})));
    }

    #[test]
    fn a_recording_with_anything_taken_away_or_broken_is_read(at in 0usize..2000, what in 0u8..4) {
        for name in ["direct", "forwarded", "press", "slash", "edited", "attachment"] {
            let whole = recording(name).to_string();
            let mut text = whole.into_bytes();
            let at = at % text.len();
            match what {
                0 => text.truncate(at),
                1 => drop(text.remove(at)),
                2 => text[at] = b'0',
                _ => text.insert(at, b'"'),
            }
            if let Ok(payload) = serde_json::from_slice(&text) {
                read(&payload);
            }
        }
    }
}

#[test]
fn the_home_tab_is_opened_by_a_person_and_the_other_tabs_are_nothing() {
    let opened = |tab: &str| {
        let event = json!({
            "type": "app_home_opened", "user": "U01ANNA", "channel": "D01ANNA", "tab": tab,
            "event_ts": TS,
        });
        read(&json!({
            "type": "event_callback", "event_id": "Ev07", "event_time": 1_790_000_100, "event": event,
        }))
    };
    let heard = opened("home").remove(0);
    let reply = ReplyHandle("D01ANNA U01ANNA".to_owned());
    assert_eq!(heard.what, EventKind::Opened { reply });
    assert_eq!(
        (heard.kind_of_chat, heard.sender, heard.place.chat),
        (
            ChatKind::Direct,
            Sender::Person(UserRef {
                platform: Platform::new("slack"),
                id: "U01ANNA".to_owned()
            }),
            ChatId::new("D01ANNA")
        )
    );
    assert_eq!(opened("messages"), []);
}

#[test]
fn what_is_told_to_another_workspace_is_not_heard_here() {
    for recording in [
        include_str!("../../fixtures/slack/direct.json"),
        include_str!("../../fixtures/slack/press.json"),
        include_str!("../../fixtures/slack/slash.json"),
    ] {
        let ours: Value = serde_json::from_str(recording).unwrap();
        assert_eq!(read(&ours).len(), 1, "{ours}");
        let theirs = recording.replace("T01TEAM", "T02OTHER");
        let theirs: Value = serde_json::from_str(&theirs).unwrap();
        assert_eq!(read(&theirs), [], "{theirs}");
    }
}
