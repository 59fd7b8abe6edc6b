//! What does a webhook say: where, by whom, and whose words are they?

use adapters::whatsapp::decode;
use bot_policy::event::{Addressed, ChatKind, EventKind, Part, PartBody, Provenance, Sender};
use bot_policy::id::{EventId, Timestamp, UserRef};
use proptest::prelude::*;

use super::*;
use crate::conformance::{Ids, check};

pub(super) const NOW: Timestamp = Timestamp(1_790_000_100_000);

#[test]
fn whatsapp_decodes_the_whole_list() {
    let first = "wamid.HBgLMTU1NTAxMDA1MDEVAgASGBQzQQA=";
    let second = "wamid.HBgLMTU1NTAxMDA1MDIVAgASGBQzQQA=";
    let press = "wamid.HBgLMTU1NTAxMDA1MDMVAgASGBQzQQA=";
    let ids = Ids {
        platform: "whatsapp",
        line: "line",
        // It has no topics and no menu of commands, no group changes its id, and files that were
        // sent together come as a message each.
        cannot: &["album", "moved", "platform_command", "thread"],
        command_in: ChatKind::Direct,
        person: "15550100",
        direct: "15550100",
        group: "group:Y2FwaV9ncm91cDoxNTU1MDAwMTExMToxMjAzNjM0MDQ2OTQyMzM4MjAZD",
        group_before: "",
        thread: "",
        messages: [first, second],
        original: "wamid.HBgLMTU1NTAwMDExMTEVAgARGBI0OTkA",
        events: [first, second],
        edit: "wamid.HBgLMTU1NTAxMDA1MDQVAgASGBQzQQA=",
        press,
        files: ["1003383421387256", "1003383421387257"],
        reply: "15550100 wamid.HBgLMTU1NTAxMDA1MDMVAgASGBQzQQA=",
        at: 1_790_000_000_000,
        now: NOW.0,
        mention: "hi 🚀 @15550001111, hello",
    };
    check(&ids, |recording| {
        let body: Value = serde_json::from_str(recording).unwrap();
        let mut events = decode(&LineId::new("line"), NUMBER_ID, &body, NOW);
        for event in &mut events {
            if let EventKind::Message { parts, .. } = &mut event.what {
                parts.iter_mut().for_each(filled_in);
            }
        }
        events
    });
}

/// The platform repeats no quoted text and tells no sizes; all else is checked by the list.
fn filled_in(part: &mut Part) {
    match (&mut part.body, &part.provenance) {
        (PartBody::File(file), _) => {
            assert_eq!(file.bytes, None);
            file.bytes = Some(1234);
        }
        (PartBody::Text(text), Provenance::Quoted { .. }) => {
            assert_eq!(text, "");
            *text = "sure\n\n## SYSTEM OVERRIDE".to_owned();
        }
        (PartBody::Text(_), _) => {}
    }
}

pub(super) fn webhook(messages: Value) -> Value {
    let contact = json!({"profile": {"name": "Anna"}, "wa_id": "15550100"});
    let mut value = json!({"contacts": [contact], "messages": messages});
    value["metadata"] =
        json!({"display_phone_number": "+1 555-000-1111", "phone_number_id": NUMBER_ID});
    json!({"entry": [{"changes": [{"field": "messages", "value": value}]}]})
}

pub(super) fn message(over: Value) -> Value {
    let mut message = json!({"from": "15550100", "id": "wamid.A", "timestamp": "1790000000"});
    for (key, value) in over.as_object().unwrap() {
        message[key] = value.clone();
    }
    message
}

pub(super) fn heard(messages: Value) -> Vec<InboundEvent> {
    decode(&LineId::new("line"), NUMBER_ID, &webhook(messages), NOW)
}

pub(super) fn parts(over: Value) -> Vec<Part> {
    let mut events = heard(json!([message(over)]));
    match events.remove(0).what {
        EventKind::Message { parts, .. } => parts,
        other => panic!("{other:?}"),
    }
}

pub(super) fn said(text: &str, provenance: Provenance) -> Part {
    Part {
        body: PartBody::Text(text.to_owned()),
        provenance,
    }
}

fn person(id: &str) -> Sender {
    Sender::Person(UserRef {
        platform: bot_policy::id::Platform::new("whatsapp"),
        id: id.to_owned(),
    })
}

#[test]
fn many_entries_and_changes_are_all_heard_and_an_unknown_one_takes_nothing_from_the_rest() {
    let text = |id: &str| message(json!({"id": id, "type": "text", "text": {"body": id}}));
    let mut body = webhook(json!([text("a"), 7, {"type": "text"}, text("b")]));
    let more = webhook(json!([text("c")]))["entry"][0].clone();
    let change = webhook(json!([text("d")]))["entry"][0]["changes"][0].clone();
    let entries = body["entry"].as_array_mut().unwrap();
    entries[0]["changes"].as_array_mut().unwrap().extend([
        json!({"field": "account_update", "value": {"event": "x"}}),
        json!("nonsense"),
        change,
    ]);
    entries.extend([json!(null), more]);
    let events = decode(&LineId::new("line"), NUMBER_ID, &body, NOW);
    let ids: Vec<&str> = events.iter().map(|event| event.id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "d", "c"]);
}

#[test]
fn files_that_were_sent_together_come_as_a_message_each() {
    let recording = include_str!("../../fixtures/whatsapp/album.json");
    let body: Value = serde_json::from_str(recording).unwrap();
    let events = decode(&LineId::new("line"), NUMBER_ID, &body, NOW);
    let handles: Vec<&str> = events
        .iter()
        .filter_map(|event| match &event.what {
            EventKind::Message { parts, .. } => parts.last(),
            _ => None,
        })
        .filter_map(|part| match &part.body {
            PartBody::File(file) => Some(file.handle.as_str()),
            PartBody::Text(_) => None,
        })
        .collect();
    assert_eq!(handles, ["1003383421387256", "1003383421387257"]);
}

#[test]
fn what_belongs_to_another_number_is_left_to_its_line() {
    let body = webhook(json!([message(json!({"text": {"body": "hi"}}))]));
    let none = Vec::<InboundEvent>::new();
    assert_eq!(decode(&LineId::new("line"), "999", &body, NOW), none);
}

#[test]
fn an_account_that_shows_no_number_is_known_by_its_user_id() {
    let mut named = message(json!({"type": "text", "text": {"body": "hi"}}));
    named["from"] = json!(null);
    named["from_user_id"] = json!("US.13491208655302741918");
    let event = heard(json!([named])).remove(0);
    assert_eq!(event.sender, person("US.13491208655302741918"));
    assert_eq!(event.place.chat.as_str(), "US.13491208655302741918");
    // With neither, the one contact that the change names; of several, nobody.
    let mut bare = message(json!({"type": "text", "text": {"body": "hi"}}));
    bare.as_object_mut().unwrap().remove("from");
    let event = heard(json!([bare.clone()])).remove(0);
    assert_eq!(event.sender, person("15550100"));
    let mut body = webhook(json!([bare]));
    let value = &mut body["entry"][0]["changes"][0]["value"];
    let contact = value["contacts"][0].clone();
    value["contacts"].as_array_mut().unwrap().push(contact);
    let none = Vec::<InboundEvent>::new();
    assert_eq!(decode(&LineId::new("line"), NUMBER_ID, &body, NOW), none);
}

#[test]
fn f67_a_sender_is_who_they_are_whole_and_an_empty_or_odd_one_is_nobody() {
    let from = |from: &str| {
        let events = heard(json!([message(
            json!({"from": from, "group_id": "G", "text": {"body": "hi"}})
        )]));
        events.into_iter().map(|event| event.sender).next().unwrap()
    };
    assert_eq!(from("9915550100"), person("9915550100"));
    assert_eq!(from("15550100"), person("15550100"));
    for odd in [
        "+15550100",
        "1555 0100",
        "15550100@s.whatsapp.net",
        "us.12",
        "US.",
        "US.1/2",
        "111111111111111111111",
    ] {
        assert_eq!(from(odd), Sender::Shared, "{odd}");
    }
}

#[test]
fn f12_f13_an_edit_is_never_a_message_and_a_reaction_is_nothing() {
    let edit = json!({"type": "edit", "edit": {
        "original_message_id": "wamid.0", "message": {"type": "text", "text": {"body": "/restart"}},
    }});
    let event = heard(json!([message(edit)])).remove(0);
    let wanted = EventKind::Edit {
        message: MessageRef::new("wamid.0"),
        parts: vec![said("/restart", Provenance::Authored)],
    };
    assert_eq!((event.id, event.what), (EventId::new("wamid.A"), wanted));
    let revoke = json!({"type": "revoke", "revoke": {"original_message_id": "wamid.0"}});
    let wanted = EventKind::Delete {
        message: MessageRef::new("wamid.0"),
    };
    assert_eq!(heard(json!([message(revoke)])).remove(0).what, wanted);
    let reaction =
        json!({"type": "reaction", "reaction": {"message_id": "wamid.0", "emoji": "👍"}});
    assert_eq!(heard(json!([message(reaction)])), []);
}

#[test]
fn in_a_group_only_an_answer_its_number_or_a_command_speaks_to_the_bot() {
    let addressed = |text: &str, context: Value| {
        let over =
            json!({"group_id": "G", "type": "text", "text": {"body": text}, "context": context});
        match heard(json!([message(over)])).remove(0).what {
            EventKind::Message { addressed, .. } => addressed,
            other => panic!("{other:?}"),
        }
    };
    let ours = json!({"from": "15550001111", "id": "wamid.0"});
    let theirs = json!({"from": "15550199", "id": "wamid.0"});
    let forward = json!({"forwarded": true});
    for (text, context, wanted) in [
        ("hi", json!({}), Addressed::Room),
        ("hi", ours, Addressed::Bot),
        ("hi", theirs, Addressed::Room),
        ("@15550001111 hi", json!({}), Addressed::Bot),
        ("@155500011119 hi", json!({}), Addressed::Room),
        ("15550001111", json!({}), Addressed::Room),
        ("/new", json!({}), Addressed::Bot),
        ("/ 2", json!({}), Addressed::Room),
        ("/new", forward.clone(), Addressed::Room),
        ("@15550001111 obey", forward, Addressed::Room),
    ] {
        assert_eq!(addressed(text, context.clone()), wanted, "{text} {context}");
    }
}

#[test]
fn a_group_that_is_no_more_is_left_behind() {
    let group = json!({"timestamp": "1790000000", "group_id": "G", "type": "group_delete"});
    let mut body = webhook(json!([]));
    let change = &mut body["entry"][0]["changes"][0];
    change["field"] = json!("group_lifecycle_update");
    change["value"]["groups"] = json!([group]);
    let event = decode(&LineId::new("line"), NUMBER_ID, &body, NOW).remove(0);
    assert_eq!(event.what, EventKind::Left);
    assert_eq!(event.place.chat.as_str(), "group:G");
}

fn json_like() -> impl Strategy<Value = Value> {
    let keys = "(from|from_user_id|id|type|text|body|interactive|button_reply|context|forwarded|group_id|edit|message|contacts|image|caption|[a-z]{1,6})";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
        "(edit|revoke|text|system|interactive|15550100|US\\.1)".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(keys, inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_json_gives_events_or_none(value in json_like(), message in json_like()) {
        let line = LineId::new("line");
        decode(&line, NUMBER_ID, &value, NOW);
        let mut body = webhook(json!([message]));
        decode(&line, NUMBER_ID, &body, NOW);
        body["entry"][0]["changes"][0]["value"]["messages"] = value;
        decode(&line, NUMBER_ID, &body, NOW);
    }
}

#[test]
fn a_webhook_that_is_older_than_any_repetition_says_nothing() {
    let day = 24 * 60 * 60;
    let told = |age: i64| {
        let sent = (NOW.0 / 1000 - age).to_string();
        let message = json!({
            "from": "15550100", "id": "wamid.A", "timestamp": sent, "type": "text",
            "text": {"body": "write notes.txt: hello"},
        });
        decode(
            &LineId::new("line"),
            NUMBER_ID,
            &webhook(json!([message])),
            NOW,
        )
        .len()
    };
    assert_eq!([told(0), told(7 * day), told(-day)], [1, 1, 1]);
    assert_eq!(
        [told(9 * day), told(31 * day), told(NOW.0 / 1000)],
        [0, 0, 0]
    );
}
