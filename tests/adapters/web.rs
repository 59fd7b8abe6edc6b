//! What the web chat's adapter promises.

use adapters::web::{self, MAX_ID, MAX_TEXT, Malformed, Screen, Web};
use adapters::{Adapter, AdapterError, Encoded, SendKey};
use bot_policy::event::{
    Addressed, ChatKind, EventKind, InboundEvent, Part, PartBody, Provenance, ReplyHandle, Sender,
};
use bot_policy::id::{ChatId, EventId, LineId, MessageRef, Place, Platform, Timestamp, UserRef};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::conformance::{Ids, check};

mod encode;

const NOW: Timestamp = Timestamp(1_790_000_000_000);

#[test]
fn the_page_decodes_what_can_happen_on_it() {
    let ids = Ids {
        platform: "web",
        line: "web",
        // One person, one text field, one chat; a post with names in it is not the page's.
        cannot: &[
            "group",
            "group_mention",
            "thread",
            "forwarded",
            "quoted",
            "attachment",
            "album",
            "platform_command",
            "own_message",
            "edited",
            "shared_sender",
            "moved",
            "hostile_names",
        ],
        command_in: ChatKind::Direct,
        person: "acc1",
        direct: "acc1",
        group: "",
        group_before: "",
        thread: "",
        messages: ["m-501", "m-502"],
        original: "499",
        events: ["acc1/say/m-501", "acc1/say/m-502"],
        files: ["", ""],
        edit: "",
        press: "acc1/press/p-1",
        reply: "acc1",
        at: NOW.0,
        now: NOW.0,
        mention: "",
    };
    check(&ids, |recording| {
        let posted = recording.as_bytes();
        let event = web::press(posted, "acc1", NOW).or_else(|_| web::say(posted, "acc1", NOW));
        event.into_iter().collect()
    });
}

#[test]
fn names_in_a_post_are_refused_with_it() {
    let posted = include_bytes!("../fixtures/web/hostile_names.json");
    assert_eq!(web::say(posted, "acc1", NOW), Err(Malformed::Shape));
}

#[test]
fn what_was_typed_is_the_persons_own_words_in_their_own_place() {
    let posted = r#"{"id":"0b1c-77","text":"/pair is not a code\n"}"#;
    assert_eq!(
        web::say(posted.as_bytes(), "acc1", NOW),
        Ok(message("acc1", "0b1c-77", "/pair is not a code\n"))
    );
}

#[test]
fn a_press_carries_its_token_as_it_was_and_the_message_it_stood_under() {
    let press = |posted: Value| web::press(posted.to_string().as_bytes(), "acc1", NOW);
    let event = |on| InboundEvent {
        id: EventId::new("acc1/press/9"),
        what: EventKind::Press {
            token: "ab".repeat(16),
            on,
            reply: ReplyHandle("acc1".to_owned()),
        },
        ..message("acc1", "9", "")
    };
    let token = "ab".repeat(16);
    assert_eq!(
        press(json!({ "id": "9", "token": token, "on": "41" })),
        Ok(event(Some(MessageRef::new("41"))))
    );
    assert_eq!(press(json!({ "id": "9", "token": token })), Ok(event(None)));
}

#[test]
fn a_pairing_code_becomes_the_command_that_carries_it() {
    assert_eq!(
        web::pair_event("acc1", " K7QM-2XPD ", "1", NOW),
        Ok(message("acc1", "1", "/pair K7QM-2XPD"))
    );
    for code in [
        "",
        "a b",
        "a\nb",
        "/new",
        "\u{202e}AB",
        &"A".repeat(MAX_ID + 1),
    ] {
        assert_eq!(
            web::pair_event("acc1", code, "1", NOW),
            Err(Malformed::Id("the code")),
            "{code:?}"
        );
    }
}

#[test]
fn one_browser_cannot_use_up_the_id_of_another() {
    let posted = br#"{"id":"1","text":"hello"}"#;
    let one = web::say(posted, "acc1", NOW).unwrap();
    let two = web::say(posted, "acc2", NOW).unwrap();
    assert_ne!(one.id, two.id);
}

#[test]
fn hostile_posts_are_refused_with_what_to_do() {
    let long = |count: usize| json!({ "id": "1", "text": "x".repeat(count) }).to_string();
    let id = |id: &str| json!({ "id": id, "text": "hello" }).to_string();
    let deep = "[".repeat(100_000);
    let cases = [
        (String::new(), Malformed::Shape),
        (deep, Malformed::Shape),
        ("[]".to_owned(), Malformed::Shape),
        (r#"{"id":"1"}"#.to_owned(), Malformed::Shape),
        (r#"{"id":1,"text":"x"}"#.to_owned(), Malformed::Shape),
        (r#"{"id":"1","text":"\ud800"}"#.to_owned(), Malformed::Shape),
        (
            r#"{"id":"1","text":"a","text":"b"}"#.to_owned(),
            Malformed::Shape,
        ),
        (
            r#"{"id":"1","text":"a","account":"acc2"}"#.to_owned(),
            Malformed::Shape,
        ),
        (r#"{"id":"1","text":" \n\t"}"#.to_owned(), Malformed::Blank),
        (
            long(MAX_TEXT + 1),
            Malformed::TooLong {
                bytes: MAX_TEXT + 1,
            },
        ),
        (id(""), Malformed::Id("the id")),
        (id("a/say/1"), Malformed::Id("the id")),
        (id("a b"), Malformed::Id("the id")),
        (id("é"), Malformed::Id("the id")),
        (id(&"1".repeat(MAX_ID + 1)), Malformed::Id("the id")),
    ];
    for (posted, why) in cases {
        let start: String = posted.chars().take(60).collect();
        assert_eq!(
            web::say(posted.as_bytes(), "acc1", NOW),
            Err(why),
            "{start}"
        );
    }
    assert!(web::say(long(MAX_TEXT).as_bytes(), "acc1", NOW).is_ok());
    assert!(web::say(id(&"1".repeat(MAX_ID)).as_bytes(), "acc1", NOW).is_ok());
    assert_eq!(
        web::say(b"\xff\xfe", "acc1", NOW).unwrap_err().to_string(),
        "this is not the JSON that belongs here; in a browser, load the page again"
    );
}

#[tokio::test]
async fn every_open_tab_sees_what_is_sent_edited_and_noticed() {
    let web = Web::default();
    let (mut one, mut two) = (web.subscribe(), web.subscribe());
    let place = web::place("acc1");
    let part = Encoded(json!({ "kind": "notice" }));
    let key = web.send(&place, &part, SendKey(41)).await;
    assert_eq!(key, Ok(MessageRef::new("41")));
    web.edit(&place, &MessageRef::new("41"), &part)
        .await
        .unwrap();
    web.typing(&place).await.unwrap();
    let handle = ReplyHandle("acc1".to_owned());
    web.acknowledge(&handle, None).await.unwrap();
    web.acknowledge(&handle, Some("not yours")).await.unwrap();

    let expected = [
        Screen::Message {
            place: place.clone(),
            key: MessageRef::new("41"),
            body: part.0.clone(),
        },
        Screen::Edit {
            place: place.clone(),
            on: MessageRef::new("41"),
            body: part.0.clone(),
        },
        Screen::Typing {
            place: place.clone(),
        },
        Screen::Notice {
            place,
            text: "not yours".to_owned(),
        },
    ];
    for screen in expected {
        assert_eq!(one.recv().await, Ok(screen.clone()));
        assert_eq!(two.recv().await, Ok(screen));
    }
}

#[tokio::test]
async fn a_message_that_nobody_watches_counts_as_sent() {
    let sent: Result<MessageRef, AdapterError> = Web::default()
        .send(&web::place("acc1"), &Encoded(Value::Null), SendKey(1))
        .await;
    assert_eq!(sent, Ok(MessageRef::new("1")));
}

#[test]
fn the_code_of_a_link_stands_where_a_browser_never_sends_it() {
    let web = Web::default();
    assert_eq!(web.pair_link("K7QM2XPD"), None);
    web.set_base("http://127.0.0.1:8787/");
    assert_eq!(
        web.pair_link("K7QM2XPD").as_deref(),
        Some("http://127.0.0.1:8787/#K7QM2XPD")
    );
}

proptest! {
    #[test]
    fn decoding_answers_for_any_bytes(posted in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = web::say(&posted, "acc1", NOW);
        let _ = web::press(&posted, "acc1", NOW);
    }

    #[test]
    fn any_text_within_the_limit_arrives_unchanged(text in "\\PC{1,200}") {
        prop_assume!(!text.trim().is_empty());
        let posted = json!({ "id": "1", "text": text }).to_string();
        prop_assert_eq!(
            web::say(posted.as_bytes(), "acc1", NOW),
            Ok(message("acc1", "1", &text))
        );
    }
}

fn message(account: &str, id: &str, text: &str) -> InboundEvent {
    InboundEvent {
        id: EventId::new(format!("{account}/say/{id}")),
        at: NOW,
        place: Place {
            line: LineId::new("web"),
            chat: ChatId::new(account),
            thread: None,
        },
        kind_of_chat: ChatKind::Direct,
        sender: Sender::Person(UserRef {
            platform: Platform::new("web"),
            id: account.to_owned(),
        }),
        what: EventKind::Message {
            message: MessageRef::new(id),
            parts: vec![Part {
                body: PartBody::Text(text.to_owned()),
                provenance: Provenance::Authored,
            }],
            addressed: Addressed::Bot,
            album: None,
        },
    }
}
