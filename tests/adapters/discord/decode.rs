//! What do events of the gateway become?

use adapters::discord::{Channels, Me, decode};
use bot_policy::event::{Addressed, ChatKind, EventKind, InboundEvent, Sender};
use bot_policy::id::{LineId, Timestamp};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::conformance::{Ids, check};

const NOW: Timestamp = Timestamp(1_790_000_900_000);
pub const BOT: &str = "777123456";
pub const DIRECT: &str = "507001";
pub const ROOM: &str = "8800";
pub const THREAD: &str = "8801";

pub fn channels() -> Channels {
    let mut channels = Channels::default();
    let guild = json!({
        "id": "900000001",
        "channels": [{"id": ROOM, "type": 0}, {"id": "8802", "type": 15}],
        "threads": [{"id": THREAD, "type": 11, "parent_id": ROOM}],
    });
    channels.learn_event("GUILD_CREATE", &guild);
    channels.learn(
        &json!({"id": DIRECT, "type": 1, "recipients": [{"id": "7001"}]}),
        None,
    );
    channels.learn(
        &json!({"id": "55", "type": 3, "recipients": [{"id": "1"}, {"id": "2"}]}),
        None,
    );
    channels
}

pub fn heard(name: &str, data: &Value) -> Vec<InboundEvent> {
    let me = Me {
        user: BOT.to_owned(),
        application: "777000111".to_owned(),
    };
    decode(&LineId::new("line"), &me, &channels(), name, data, NOW)
}

pub fn one(name: &str, data: &Value) -> InboundEvent {
    let mut events = heard(name, data);
    assert_eq!(events.len(), 1, "{events:#?}");
    events.remove(0)
}

/// A recording with keys laid over what it tells.
pub fn recorded(name: &str, over: Value) -> Value {
    let path = format!(
        "{}/../tests/fixtures/discord/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let events: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut data = events[0]["d"].clone();
    for (key, value) in over.as_object().unwrap() {
        data[key] = value.clone();
    }
    data
}

#[test]
fn every_recording_becomes_its_events() {
    let ids = Ids {
        platform: "discord",
        line: "line",
        // One message holds all files, and channels keep their numbers.
        cannot: &["album", "moved"],
        command_in: ChatKind::Direct,
        person: "7001",
        direct: DIRECT,
        group: ROOM,
        group_before: "",
        thread: THREAD,
        messages: ["1551597200998400001", "1551597200998400002"],
        original: "1551596949340160007",
        events: ["m1551597200998400001", "m1551597200998400002"],
        edit: "e1551597200998400001-1790000030000",
        press: "i1551597200998400002",
        files: ["507001/1551597200998400001/9001", ""],
        reply: "1551597200998400002/aW50ZXJhY3Rpb24",
        at: 1_790_000_000_000,
        now: NOW.0,
        mention: "hi 🚀, hello",
    };
    check(&ids, |recording| {
        let events: Vec<Value> = serde_json::from_str(recording).unwrap();
        let named = |event: &Value| heard(event["t"].as_str().unwrap(), &event["d"]);
        events.iter().flat_map(named).collect()
    });
}

#[test]
fn f70_only_a_channel_that_is_known_to_be_direct_is_direct() {
    let kind = |channel: &str, over: Value| {
        let mut data = recorded("direct", over);
        data["channel_id"] = json!(channel);
        one("MESSAGE_CREATE", &data).kind_of_chat
    };
    assert_eq!(kind(DIRECT, json!({})), ChatKind::Direct);
    // Never heard of, several people, and one that says it is in a server.
    assert_eq!(kind("1234", json!({})), ChatKind::Group);
    assert_eq!(kind("55", json!({})), ChatKind::Group);
    assert_eq!(
        kind(DIRECT, json!({"guild_id": "900000001"})),
        ChatKind::Group
    );

    let pressed = |over: Value| one("INTERACTION_CREATE", &recorded("press", over)).kind_of_chat;
    assert_eq!(pressed(json!({})), ChatKind::Direct);
    assert_eq!(pressed(json!({"context": 2})), ChatKind::Group);
    assert_eq!(pressed(json!({"channel_id": "1234"})), ChatKind::Group);
    assert_eq!(pressed(json!({"channel_id": "55"})), ChatKind::Group);
}

#[test]
fn f70_a_press_in_a_thread_stays_in_its_thread_without_the_channel_object() {
    let mut data = recorded(
        "press",
        json!({"channel_id": THREAD, "guild_id": "900000001"}),
    );
    data.as_object_mut().unwrap().remove("channel");
    let event = one("INTERACTION_CREATE", &data);
    assert_eq!(event.place.chat.as_str(), ROOM);
    assert_eq!(event.place.thread.unwrap().as_str(), THREAD);
    // A thread that does not say where it hangs is described by nobody.
    let mut channels = channels();
    channels.learn(&json!({"id": "77", "type": 12}), None);
    let me = Me {
        user: BOT.to_owned(),
        application: "1".to_owned(),
    };
    data["channel_id"] = json!("77");
    let events = decode(
        &LineId::new("line"),
        &me,
        &channels,
        "INTERACTION_CREATE",
        &data,
        NOW,
    );
    assert_eq!(events[0].place.thread, None);
}

#[test]
fn f70_whoever_presses_is_named_by_the_platform_and_nobody_else_is_a_person() {
    let who = |over: Value| one("INTERACTION_CREATE", &recorded("press", over)).sender;
    assert!(matches!(who(json!({})), Sender::Person(user) if user.id == "7001"));
    let member = json!({"user": {"id": "8", "username": "bob"}});
    assert!(
        matches!(who(json!({"member": member, "user": null})), Sender::Person(user) if user.id == "8")
    );
    assert_eq!(who(json!({"user": null})), Sender::Shared);
    assert_eq!(
        who(json!({"user": {"id": "7001", "bot": true}})),
        Sender::Shared
    );
    assert_eq!(who(json!({"user": {"id": 7001}})), Sender::Shared);
    assert_eq!(who(json!({"user": {"username": "owner"}})), Sender::Shared);
}

#[test]
fn f66_names_never_tell_who_somebody_is() {
    let renamed = json!({"id": "666", "username": "anna", "global_name": "Anna"});
    let event = one(
        "MESSAGE_CREATE",
        &recorded("direct", json!({"author": renamed})),
    );
    assert!(matches!(event.sender, Sender::Person(user) if user.id == "666"));
}

#[test]
fn webhooks_bots_apps_and_the_platform_are_nobody() {
    let shared = [
        json!({"webhook_id": "9"}),
        json!({"application_id": "9"}),
        json!({"interaction_metadata": {"id": "9"}}),
        json!({"interaction": {"id": "9"}}),
        json!({"author": {"id": "9", "bot": true}}),
        json!({"author": {"id": "9", "bot": "true"}}),
        json!({"author": {"id": "9", "system": true}}),
        json!({"author": {"id": "not a number"}}),
        json!({"author": null}),
    ];
    for over in shared {
        let event = one("MESSAGE_CREATE", &recorded("direct", over.clone()));
        assert_eq!(event.sender, Sender::Shared, "{over}");
    }
    // Joins, pins, boosts and other notes of the platform's are nobody's words at all.
    for kind in [1, 6, 7, 8, 18, 21, 46] {
        assert_eq!(
            heard("MESSAGE_CREATE", &recorded("direct", json!({"type": kind}))),
            []
        );
    }
}

#[test]
fn in_a_room_it_is_spoken_to_by_its_number_or_by_an_answer_to_it() {
    let addressed = |over: Value| {
        let event = one("MESSAGE_CREATE", &recorded("group", over));
        match event.what {
            EventKind::Message { addressed, .. } => addressed,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(addressed(json!({})), Addressed::Room);
    assert_eq!(
        addressed(json!({"mentions": [{"id": BOT}]})),
        Addressed::Bot
    );
    assert_eq!(
        addressed(json!({"mentions": [{"id": "5", "username": BOT}]})),
        Addressed::Room
    );
    assert_eq!(
        addressed(json!({"content": format!("<@{BOT}> hi")})),
        Addressed::Room
    );
    assert_eq!(
        addressed(json!({"mention_everyone": true})),
        Addressed::Room
    );
    let ours = json!({"type": 19, "referenced_message": {"id": "1", "author": {"id": BOT}}});
    assert_eq!(addressed(ours), Addressed::Bot);
    let theirs = json!({"type": 19, "referenced_message": {"id": "1", "author": {"id": "5"}}});
    assert_eq!(addressed(theirs), Addressed::Room);
    let forward = json!({"mentions": [{"id": BOT}], "message_reference": {"type": 1}});
    assert_eq!(addressed(forward), Addressed::Room);
}

#[test]
fn our_own_name_before_a_text_is_no_part_of_it() {
    let text = |content: String| {
        let over = json!({"content": content, "mentions": [{"id": BOT}]});
        let event = one("MESSAGE_CREATE", &recorded("group", over));
        super::text_of(&event).unwrap()
    };
    assert_eq!(text(format!("<@{BOT}> /new")), "/new");
    assert_eq!(text(format!("  <@!{BOT}>\nremember me")), "remember me");
    assert_eq!(
        text(format!("say <@{BOT}> twice")),
        format!("say <@{BOT}> twice")
    );
    assert_eq!(text(format!("<@{BOT}> <@{BOT}>")), format!("<@{BOT}>"));
}

#[test]
fn an_edit_that_nobody_made_is_none() {
    let unfurled = recorded(
        "edited",
        json!({"edited_timestamp": null, "embeds": [{"title": "x"}]}),
    );
    assert_eq!(heard("MESSAGE_UPDATE", &unfurled), []);
}

#[test]
fn a_channel_a_thread_and_a_server_that_are_gone_are_left() {
    let left = |name: &str, id: &str| {
        let events = heard(name, &json!({"id": id, "parent_id": ROOM}));
        let place = |event: &InboundEvent| {
            assert_eq!(event.what, EventKind::Left);
            (
                event.place.chat.to_string(),
                event.place.thread.clone().map(|id| id.to_string()),
            )
        };
        events.iter().map(place).collect::<Vec<_>>()
    };
    let thread = (ROOM.to_owned(), Some(THREAD.to_owned()));
    assert_eq!(left("CHANNEL_DELETE", ROOM), [(ROOM.to_owned(), None)]);
    assert_eq!(left("THREAD_DELETE", THREAD), std::slice::from_ref(&thread));
    let all = left("GUILD_DELETE", "900000001");
    assert_eq!(
        all,
        [(ROOM.to_owned(), None), thread, ("8802".to_owned(), None)]
    );
    assert_eq!(
        heard(
            "GUILD_DELETE",
            &json!({"id": "900000001", "unavailable": true})
        ),
        []
    );
}

#[test]
fn other_interactions_and_other_commands_are_none() {
    assert_eq!(
        heard("INTERACTION_CREATE", &recorded("press", json!({"type": 4}))),
        []
    );
    assert_eq!(
        heard("INTERACTION_CREATE", &recorded("press", json!({"type": 5}))),
        []
    );
    let menu = json!({"data": {"name": "new", "type": 3}});
    assert_eq!(
        heard("INTERACTION_CREATE", &recorded("platform_command", menu)),
        []
    );
    // What would lead an address elsewhere is no token.
    for token in ["../../users", "a/b", "", "a?b", "a..b"] {
        assert_eq!(
            heard(
                "INTERACTION_CREATE",
                &recorded("press", json!({"token": token}))
            ),
            []
        );
    }
}

#[test]
fn whatever_is_cut_off_or_nests_too_deep_gives_events_or_none() {
    let whole = serde_json::to_string(&recorded("quoted", json!({}))).unwrap();
    for end in 0..whole.len() {
        if let Some(part) = whole.get(..end) {
            let data = serde_json::from_str(part).unwrap_or(Value::Null);
            heard("MESSAGE_CREATE", &data);
        }
    }
    let mut deep = json!({"type": 10, "content": "at the bottom"});
    for _ in 0..60 {
        deep = json!({"type": 17, "components": [deep]});
    }
    let event = one(
        "MESSAGE_CREATE",
        &recorded("direct", json!({"components": [deep]})),
    );
    assert_eq!(super::text_of(&event).unwrap(), "hello there");
    let many: Vec<Value> = (0..5000)
        .map(|n| json!({"id": n.to_string(), "size": 1}))
        .collect();
    let event = one(
        "MESSAGE_CREATE",
        &recorded("direct", json!({"attachments": many})),
    );
    assert!(matches!(event.what, EventKind::Message { parts, .. } if parts.len() < 200));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "[0-9]{1,20}".prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let key = prop::sample::select(vec![
            "id",
            "type",
            "content",
            "author",
            "channel_id",
            "guild_id",
            "message_reference",
            "message_snapshots",
            "message",
            "embeds",
            "attachments",
            "components",
            "poll",
            "flags",
            "referenced_message",
            "mentions",
            "data",
            "token",
            "user",
            "member",
            "edited_timestamp",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(key.prop_map(ToOwned::to_owned), inner, 0..8)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_gives_events_or_none(mut data in any_json(), over in any_json()) {
        for name in ["MESSAGE_CREATE", "MESSAGE_UPDATE", "INTERACTION_CREATE", "GUILD_DELETE"] {
            heard(name, &data);
        }
        if let (Value::Object(data), Value::Object(over)) = (&mut data, over) {
            let base = recorded("direct", json!({}));
            data.extend(base.as_object().unwrap().clone());
            data.extend(over);
        }
        let mut channels = Channels::default();
        channels.learn_event("GUILD_CREATE", &data);
        heard("MESSAGE_CREATE", &data);
    }
}
