//! Whose words does an update hold? Everything that is not typed by the sender says so.

use bot_policy::event::{Addressed, EventKind, FileKind, Part, PartBody, Provenance, Sender};
use bot_policy::id::MessageRef;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::decode::{heard, message, parts, said, text};

#[test]
fn f92_every_mark_of_a_forward_makes_every_part_forwarded() {
    let marks = [
        ("forward_origin", json!({"type": "a kind of tomorrow"})),
        ("forward_origin", Value::Null),
        ("forward_from", json!({"id": 1})),
        ("forward_from_chat", json!({})),
        ("forward_sender_name", json!("x")),
        ("forward_signature", json!("x")),
        ("forward_date", json!(1)),
        ("is_automatic_forward", json!(true)),
    ];
    for (key, value) in marks {
        let mut more = json!({
            "caption": "look",
            "voice": {"file_id": "f"},
            "contact": {"first_name": "Eve"},
            "reply_to_message": {"message_id": 4, "chat": {"id": 7001}, "text": "x"},
        });
        more[key] = value;
        let parts = parts(&message(more));
        assert_eq!(parts.len(), 5, "{key}: {parts:?}");
        for part in parts {
            assert_eq!(part.provenance, Provenance::Forwarded, "{key}");
        }
    }
}

#[test]
fn a_forwarded_command_and_mention_speak_to_nobody_in_a_group() {
    let more = json!({
        "chat": {"id": -5, "type": "group"},
        "text": "/new@postern_test_bot",
        "entities": [{"type": "bot_command", "offset": 0, "length": 21}],
        "forward_date": 1,
    });
    let (parts, addressed) = said(&message(more));
    assert_eq!(
        parts,
        [text("/new@postern_test_bot", Provenance::Forwarded)]
    );
    assert_eq!(addressed, Addressed::Room);
}

#[test]
fn whoever_is_not_plainly_a_person_is_shared() {
    let anna = || json!({"id": 7001, "is_bot": false, "first_name": "Anna"});
    let cases = [
        json!({"sender_chat": {"id": -100}}),
        json!({"sender_chat": null}),
        json!({"via_bot": {"id": 5}}),
        json!({"sender_business_bot": {"id": 5}}),
        json!({"author_signature": "x"}),
        json!({"from": {"id": 9, "is_bot": true}}),
        json!({"from": {"id": 9}}),
        json!({"from": {"id": 1_087_968_824, "is_bot": false}}),
        json!({"from": {"id": 136_817_688, "is_bot": false}}),
        json!({"from": {"id": 777_000, "is_bot": false}}),
        json!({"from": {"id": "7001", "is_bot": false}}),
        json!({"from": {"id": -7001, "is_bot": false}}),
        json!({"from": {"id": 7001.0, "is_bot": false}}),
        json!({"from": [anna()]}),
        json!({"from": null}),
    ];
    for case in cases {
        let events = heard(&message(case.clone()));
        assert_eq!(events.len(), 1, "{case}");
        assert_eq!(events[0].sender, Sender::Shared, "{case}");
        let EventKind::Message { parts, .. } = &events[0].what else {
            panic!("{events:?}");
        };
        assert_eq!(*parts, [text("hi", Provenance::Attached)], "{case}");
    }
}

#[test]
fn f51_a_press_without_a_presser_is_nobodys() {
    let press = json!({"update_id": 9, "callback_query": {
        "id": "1", "data": "t",
        "message": {"message_id": 3, "chat": {"id": 7001, "type": "private"}},
    }});
    let events = heard(&press);
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].sender, Sender::Shared);
}

#[test]
fn quotes_are_parts_of_their_own() {
    let outside = |original| Provenance::Quoted { original };
    let same = json!({"message_id": 4, "chat": {"id": 7001}, "text": "all of it"});
    let other = json!({"message_id": 4, "chat": {"id": -9}, "text": "all of it"});
    let four = Some(MessageRef::new("4"));
    let cases = [
        (
            json!({"reply_to_message": same}),
            text("all of it", outside(four.clone())),
        ),
        (
            json!({"reply_to_message": other}),
            text("all of it", outside(None)),
        ),
        (
            json!({"reply_to_message": same, "quote": {"text": "of"}}),
            text("of", outside(four)),
        ),
        (
            json!({"external_reply": {}, "quote": {"text": "of"}}),
            text("of", outside(None)),
        ),
        (
            json!({"external_reply": {"origin": {}}, "reply_to_message": same}),
            text("[a message from another chat]", outside(None)),
        ),
        (json!({"quote": 5}), text("[a quote]", outside(None))),
    ];
    for (case, quote) in cases {
        let wanted = vec![quote, text("hi", Provenance::Authored)];
        assert_eq!(parts(&message(case.clone())), wanted, "{case}");
    }
}

#[test]
fn what_is_carried_along_is_attached_and_its_kind_is_named() {
    let cases = [
        (
            json!({"contact": {"first_name": "Eve", "phone_number": "+1555"}}),
            "[contact] Eve, +1555",
        ),
        (
            json!({"location": {"latitude": 1.5, "longitude": 2}}),
            "[location] 1.5, 2",
        ),
        (
            json!({"venue": {"title": "Inn", "address": "Road 1"}, "location": {}}),
            "[venue] Inn, Road 1",
        ),
        (
            json!({"poll": {"question": "Tea?", "options": [{"text": "yes\nno"}]}}),
            "[poll] Tea?, yes no",
        ),
        (json!({"dice": {"emoji": "🎲", "value": 3}}), "[dice] 🎲, 3"),
        (json!({"story": {"chat": {"title": "SYSTEM"}}}), "[story]"),
        (
            json!({"a_kind_of_tomorrow\u{202e}": {"text": "SYSTEM"}}),
            "[a_kind_of_tomorrow]",
        ),
    ];
    for (case, wanted) in cases {
        let mut more = case.clone();
        more["text"] = Value::Null;
        assert_eq!(
            parts(&message(more)),
            [text(wanted, Provenance::Attached)],
            "{case}"
        );
    }
}

#[test]
fn a_flag_of_tomorrow_does_not_spoil_a_command() {
    let more = json!({"is_shiny": true, "shine": 5, "sender_tag": "SYSTEM"});
    assert_eq!(parts(&message(more)), [text("hi", Provenance::Authored)]);
}

#[test]
fn files_are_attached_and_only_a_voice_note_is_the_speakers() {
    let file = json!({"file_id": "f", "file_size": 10, "file_name": "SYSTEM.txt"});
    let cases = [
        ("audio", FileKind::Audio, Provenance::Attached),
        ("document", FileKind::Document, Provenance::Attached),
        ("sticker", FileKind::Photo, Provenance::Attached),
        ("video", FileKind::Video, Provenance::Attached),
        ("video_note", FileKind::Video, Provenance::Attached),
        ("voice", FileKind::Voice, Provenance::Authored),
    ];
    for (key, kind, provenance) in cases {
        let parts = parts(&message(json!({"text": null, key: file})));
        let [
            Part {
                body: PartBody::File(fact),
                provenance: found,
            },
        ] = &parts[..]
        else {
            panic!("{parts:?}");
        };
        assert_eq!(
            (fact.kind, fact.handle.as_str(), fact.bytes),
            (kind, "f", Some(10))
        );
        assert_eq!(*found, provenance);
    }
}

proptest! {
    #[test]
    fn any_json_gives_some_events_or_none(value in any_json(), key in "[a-z_]{1,20}") {
        for kind in ["message", "edited_message", "callback_query", "my_chat_member", "channel_post"] {
            heard(&json!({"update_id": 1, kind: value}));
            heard(&message(json!({"text": value, "entities": value})));
            let mut more = json!({});
            more[&key] = value.clone();
            heard(&message(more));
            heard(&json!({kind: value}));
        }
        heard(&value);
    }

    #[test]
    fn a_wrong_type_anywhere_never_makes_words_the_senders_own(value in any_json(), at in 0usize..5) {
        prop_assume!(value != Value::Bool(false));
        let key = ["forward_origin", "forward_from", "via_bot", "sender_chat", "forward_x"][at];
        let mut more = json!({});
        more[key] = value;
        for part in parts(&message(more)) {
            prop_assert_ne!(part.provenance, Provenance::Authored);
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("id".to_owned()),
        Just("chat".to_owned()),
        Just("from".to_owned()),
        Just("text".to_owned()),
        Just("type".to_owned()),
        Just("message".to_owned()),
        Just("offset".to_owned()),
        Just("length".to_owned()),
        Just("photo".to_owned()),
        Just("data".to_owned()),
        Just("quote".to_owned()),
        Just("reply_to_message".to_owned()),
        Just("message_id".to_owned()),
        Just("new_chat_member".to_owned()),
        "[a-z_]{1,8}",
    ];
    leaf.prop_recursive(4, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}
