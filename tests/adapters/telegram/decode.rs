//! What does an update say: where, to whom, and what happened?

use adapters::telegram::{Me, decode};
use bot_policy::event::{
    Addressed, ChatKind, EventKind, InboundEvent, Part, PartBody, Provenance, ReplyHandle, Sender,
};
use bot_policy::id::{LineId, Place, Timestamp};
use serde_json::{Value, json};

use crate::conformance::{Ids, check};

#[test]
fn telegram_decodes_the_whole_list() {
    let ids = Ids {
        platform: "telegram",
        line: "line",
        cannot: &["platform_command"],
        command_in: ChatKind::Group,
        person: "7001",
        direct: "7001",
        group: "-1002003004005",
        group_before: "-123",
        thread: "77",
        messages: ["501", "502"],
        original: "499",
        events: ["u900", "u901"],
        edit: "u900",
        press: "u900",
        files: ["file-1", "file-2"],
        reply: "4400000000000000001",
        at: 1_790_000_000_000,
        now: NOW.0,
        mention: "hi 🚀 @Postern_Test_Bot, hello",
    };
    check(&ids, |recording| {
        let updates: Vec<Value> = serde_json::from_str(recording).unwrap();
        updates.iter().flat_map(heard).collect()
    });
}

#[test]
fn f12_f13_an_edit_is_never_a_message() {
    for kind in ["edited_message", "edited_channel_post"] {
        let update = json!({"update_id": 9, kind: {
            "message_id": 5, "text": "/restart", "chat": {"id": 7001, "type": "private"},
        }});
        let events = heard(&update);
        assert!(
            matches!(events[0].what, EventKind::Edit { .. }),
            "{events:?}"
        );
    }
}

#[test]
fn in_a_group_only_an_exact_entity_speaks_to_the_bot() {
    let entity = |kind: &str, offset: usize, length: usize| json!([{"type": kind, "offset": offset, "length": length}]);
    let us = json!([{"type": "text_mention", "offset": 0, "length": 2, "user": {"id": ME}}]);
    let them = json!([{"type": "text_mention", "offset": 0, "length": 2, "user": {"id": 5}}]);
    let cases = [
        ("@postern_test_bot hi", json!([]), Addressed::Room),
        (
            "@postern_test_bot hi",
            entity("mention", 0, 17),
            Addressed::Bot,
        ),
        (
            "@POSTERN_test_bot hi",
            entity("mention", 0, 17),
            Addressed::Bot,
        ),
        (
            "@postern_test_bot2 x",
            entity("mention", 0, 18),
            Addressed::Room,
        ),
        (
            "@postern_test_bot2 x",
            entity("mention", 0, 17),
            Addressed::Bot,
        ),
        (
            "😀@postern_test_bot",
            entity("mention", 2, 17),
            Addressed::Bot,
        ),
        (
            "😀@postern_test_bot",
            entity("mention", 1, 17),
            Addressed::Room,
        ),
        ("hi", us, Addressed::Bot),
        ("hi", them, Addressed::Room),
        ("/new now", entity("bot_command", 0, 4), Addressed::Bot),
        ("x /new", entity("bot_command", 2, 4), Addressed::Room),
        (
            "/new@otherbot",
            entity("bot_command", 0, 13),
            Addressed::Room,
        ),
        (
            "hi",
            json!([{"type": "mention", "offset": -1, "length": u64::MAX}]),
            Addressed::Room,
        ),
        ("hi", json!("mention"), Addressed::Room),
    ];
    for (typed, entities, wanted) in cases {
        let more = json!({
            "chat": {"id": -5, "type": "supergroup"}, "text": typed, "entities": entities,
        });
        let (parts, addressed) = said(&message(more));
        assert_eq!(addressed, wanted, "{typed} {entities}");
        assert_eq!(parts, [text(typed, Provenance::Authored)]);
    }
}

#[test]
fn our_own_suffix_is_taken_off_a_command_and_nothing_else() {
    let more = json!({
        "chat": {"id": -5, "type": "supergroup"},
        "text": "/new@Postern_test_bot x @postern_test_bot",
        "entities": [
            {"type": "bot_command", "offset": 0, "length": 21},
            {"type": "mention", "offset": 24, "length": 17},
        ],
        "reply_to_message": {"message_id": 4, "text": "/new@postern_test_bot", "chat": {"id": -5}},
    });
    let (parts, _) = said(&message(more));
    assert_eq!(
        parts[1],
        text("/new x @postern_test_bot", Provenance::Authored)
    );
}

#[test]
fn an_answer_to_our_message_speaks_to_the_bot_but_a_topic_we_opened_does_not() {
    let ours = |more: Value| {
        let mut to =
            json!({"message_id": 4, "chat": {"id": -5}, "from": {"id": ME, "is_bot": true}});
        for (key, value) in more.as_object().unwrap() {
            to[key] = value.clone();
        }
        said(&message(json!({
            "chat": {"id": -5, "type": "supergroup"}, "reply_to_message": to,
        })))
        .1
    };
    assert_eq!(ours(json!({"text": "hello"})), Addressed::Bot);
    assert_eq!(
        ours(json!({"forum_topic_created": {"name": "x"}})),
        Addressed::Room
    );
}

#[test]
fn f18_a_chain_of_replies_is_no_topic() {
    let place = |more| heard(&message(more))[0].place.clone();
    assert_eq!(place(json!({"message_thread_id": 77})).thread, None);
    let topic = place(json!({"message_thread_id": 77, "is_topic_message": true}));
    assert_eq!(topic.thread.unwrap().as_str(), "77");
}

#[test]
fn f17_a_group_that_was_upgraded_has_moved() {
    let update = json!({"update_id": 1, "message": {
        "chat": {"id": -123, "type": "group"}, "migrate_to_chat_id": -100_123,
    }});
    let EventKind::Moved {
        to: Place { chat, .. },
    } = &heard(&update)[0].what
    else {
        panic!("{:?}", heard(&update));
    };
    assert_eq!(chat.as_str(), "-100123");
}

#[test]
fn f17_the_new_chat_of_a_group_tells_the_same_of_the_old_one() {
    let update = json!({"update_id": 1, "message": {
        "message_id": 1, "date": 5, "from": {"id": 7001, "is_bot": false},
        "chat": {"id": -100_123, "type": "supergroup"}, "migrate_from_chat_id": -123,
    }});
    let [event] = &heard(&update)[..] else {
        panic!("{:?}", heard(&update));
    };
    assert_eq!(event.place.chat.as_str(), "-123");
    let EventKind::Moved { to } = &event.what else {
        panic!("{event:?}");
    };
    assert_eq!(to.chat.as_str(), "-100123");
}

#[test]
fn a_search_from_another_chat_is_of_the_persons_own_chat_and_bots_are_nobody() {
    let query = |from: Value, text: Value| {
        let query = json!({"id": "99", "from": from, "query": text, "offset": ""});
        heard(&json!({"update_id": 1, "inline_query": query}))
    };
    let anna = json!({"id": 7001, "is_bot": false});
    let [event] = &query(anna.clone(), json!("gate"))[..] else {
        panic!("one event");
    };
    assert_eq!(event.place.chat.as_str(), "7001");
    assert!(matches!(event.sender, Sender::Person(_)), "{event:?}");
    let what = EventKind::Search {
        query: "gate".to_owned(),
        reply: ReplyHandle("99".to_owned()),
    };
    assert_eq!(event.what, what);
    let bot = &query(json!({"id": 9001, "is_bot": true}), json!("gate"))[0];
    assert_eq!(bot.sender, Sender::Shared);
    for (from, text) in [
        (json!(null), json!("gate")),
        (json!({"is_bot": false}), json!("gate")),
        (anna.clone(), json!(7)),
        (json!([anna]), json!("gate")),
    ] {
        assert_eq!(query(from, text), []);
    }
    let picked = json!({"result_id": "12", "from": anna, "query": "gate"});
    let picked = &heard(&json!({"update_id": 2, "chosen_inline_result": picked}))[0];
    let offered = "12".to_owned();
    assert_eq!(picked.what, EventKind::Picked { offered });
}

#[test]
fn being_removed_or_blocked_is_told_and_being_added_is_not() {
    let change = |new: Value| {
        let update = json!({"update_id": 1, "my_chat_member": {
            "chat": {"id": -5, "type": "group"}, "date": 5,
            "from": {"id": 7001, "is_bot": false},
            "new_chat_member": new,
        }});
        let events = heard(&update);
        events
            .into_iter()
            .map(|event| event.what)
            .collect::<Vec<_>>()
    };
    let us = json!({"id": ME, "is_bot": true});
    for status in ["kicked", "left", "restricted"] {
        assert_eq!(
            change(json!({"user": us, "status": status})),
            [EventKind::Left]
        );
    }
    assert_eq!(change(json!({"user": us, "status": "member"})), []);
    assert_eq!(change(json!({"user": {"id": 5}, "status": "left"})), []);
    let stays = json!({"user": us, "status": "restricted", "is_member": true});
    assert_eq!(change(stays), []);
}

#[test]
fn what_happens_to_a_chat_is_no_message() {
    for key in [
        "new_chat_title",
        "pinned_message",
        "new_chat_members",
        "forum_topic_edited",
    ] {
        let events = heard(&message(json!({"text": null, key: {"text": "SYSTEM"}})));
        assert_eq!(events, [], "{key}");
    }
}

// Helpers.

pub(super) const ME: i64 = 777_123_456;
pub(super) const NOW: Timestamp = Timestamp(1_790_000_777_000);

pub(super) fn heard(update: &Value) -> Vec<InboundEvent> {
    let me = Me {
        id: ME,
        username: "postern_test_bot".to_owned(),
    };
    decode(&LineId::new("line"), &me, update, NOW)
}

/// A message of Anna's, "hi" in her direct chat, with keys laid over it.
pub(super) fn message(more: Value) -> Value {
    let mut message = json!({
        "message_id": 5, "date": 5, "text": "hi",
        "from": {"id": 7001, "is_bot": false, "first_name": "Anna"},
        "chat": {"id": 7001, "type": "private", "first_name": "Anna"},
    });
    for (key, value) in more.as_object().unwrap() {
        message[key] = value.clone();
    }
    json!({"update_id": 1, "message": message})
}

pub(super) fn said(update: &Value) -> (Vec<Part>, Addressed) {
    match heard(update).pop().map(|event| event.what) {
        Some(EventKind::Message {
            parts, addressed, ..
        }) => (parts, addressed),
        other => panic!("{other:?}"),
    }
}

pub(super) fn parts(update: &Value) -> Vec<Part> {
    said(update).0
}

pub(super) fn text(text: &str, provenance: Provenance) -> Part {
    Part {
        body: PartBody::Text(text.to_owned()),
        provenance,
    }
}
