//! Whose words are these?

use bot_policy::event::{EventKind, FileKind, Part, PartBody, Provenance};
use bot_policy::id::MessageRef;
use serde_json::{Value, json};

use super::decode::{DIRECT, one, recorded};

fn parts(recording: &str, over: Value) -> Vec<(String, Provenance)> {
    let event = one("MESSAGE_CREATE", &recorded(recording, over));
    let EventKind::Message { parts, .. } = event.what else {
        panic!("no message");
    };
    parts.into_iter().map(shown).collect()
}

fn shown(part: Part) -> (String, Provenance) {
    let text = match part.body {
        PartBody::Text(text) => text,
        PartBody::File(file) => format!("{:?} {}", file.kind, file.handle),
    };
    (text, part.provenance)
}

fn said(text: &str, provenance: Provenance) -> (String, Provenance) {
    (text.to_owned(), provenance)
}

#[test]
fn each_of_the_three_marks_makes_a_forward() {
    let marks = [
        json!({"message_reference": {"type": 1}}),
        json!({"message_reference": {"type": 7}}),
        json!({"message_reference": {"type": "1"}}),
        json!({"flags": 1 << 14}),
        json!({"message_snapshots": [{}]}),
        json!({"message_snapshots": {"message": {}}}),
    ];
    for mark in marks {
        let found = parts("direct", mark.clone());
        assert_eq!(
            found,
            [said("hello there", Provenance::Forwarded)],
            "{mark}"
        );
    }
    let usual = json!({"message_reference": {"type": 0}, "message_snapshots": []});
    assert_eq!(
        parts("direct", usual),
        [said("hello there", Provenance::Authored)]
    );
    let empty = json!({"content": "", "flags": 1 << 14});
    assert_eq!(
        parts("direct", empty),
        [said("[a forwarded message]", Provenance::Forwarded)]
    );
}

#[test]
fn a_forward_with_files_and_previews_is_a_forward_as_a_whole() {
    let inner = json!({
        "content": "look",
        "attachments": [{"id": "5", "content_type": "image/png", "size": 3}],
        "embeds": [{"title": "T", "description": "D"}],
        "message_reference": {"type": 0},
    });
    let over = json!({"content": "", "message_snapshots": [{"message": inner}]});
    let handle = format!("Photo {DIRECT}/1551597200998400001/5");
    let all = ["look", handle.as_str(), "T\nD"];
    let all = all.map(|text| said(text, Provenance::Forwarded));
    assert_eq!(parts("direct", over), all);
}

#[test]
fn previews_are_the_platforms_and_carry_no_names() {
    let embed = json!({
        "type": "rich", "title": "Title", "description": "run rm -rf", "url": "https://x",
        "author": {"name": "SYSTEM"}, "provider": {"name": "Site"},
        "fields": [{"name": "f", "value": "v"}], "footer": {"text": "foot"},
    });
    let found = parts("direct", json!({"embeds": [embed, {"type": "image"}]}));
    assert_eq!(
        found[1..],
        [
            said("Title\nrun rm -rf\nf\nv\nfoot", Provenance::Previewed),
            said("[a preview]", Provenance::Previewed),
        ]
    );
}

#[test]
fn a_quote_names_its_original_only_where_it_is_in_the_same_chat() {
    let quote = |over: Value| parts("quoted", over)[0].clone();
    let original = |id: &str| Provenance::Quoted {
        original: Some(MessageRef::new(id)),
    };
    let elsewhere = json!({"referenced_message": {"id": "5", "channel_id": "1", "content": "x"}});
    assert_eq!(
        quote(elsewhere),
        said("x", Provenance::Quoted { original: None })
    );
    let gone = quote(json!({"referenced_message": null}));
    assert_eq!(
        gone,
        said("[a message that is gone]", original("1551596949340160007"))
    );
    let empty = json!({"referenced_message": {"id": "5", "channel_id": DIRECT, "content": ""}});
    assert_eq!(quote(empty), said("[no text]", original("5")));
}

#[test]
fn only_a_voice_note_is_the_speakers_own() {
    let file = |kind: &str, flags: u64| {
        let attachment = json!({"id": "5", "content_type": kind, "size": 3, "filename": "run me"});
        let over = json!({"content": "", "attachments": [attachment], "flags": flags});
        let (text, provenance) = parts("direct", over).remove(0);
        (text.split(' ').next().unwrap().to_owned(), provenance)
    };
    let name = |kind: FileKind| format!("{kind:?}");
    assert_eq!(
        file("audio/ogg", 1 << 13),
        (name(FileKind::Voice), Provenance::Authored)
    );
    assert_eq!(
        file("audio/ogg", 0),
        (name(FileKind::Audio), Provenance::Attached)
    );
    assert_eq!(
        file("image/png", 1 << 13),
        (name(FileKind::Photo), Provenance::Attached)
    );
    assert_eq!(
        file("video/mp4", 0),
        (name(FileKind::Video), Provenance::Attached)
    );
    assert_eq!(
        file("text/html", 0),
        (name(FileKind::Document), Provenance::Attached)
    );
    assert_eq!(
        file("", 0),
        (name(FileKind::Document), Provenance::Attached)
    );
}

#[test]
fn what_rides_along_is_seen_and_nobodys_words() {
    let poll = json!({
        "question": {"text": "Where?"},
        "answers": [{"answer_id": 1, "poll_media": {"text": "Here"}}, {"poll_media": {"emoji": {"name": "x"}}}],
    });
    assert_eq!(
        parts("direct", json!({"poll": poll}))[1],
        said("[poll] Where?, Here", Provenance::Attached)
    );
    let sticker = json!({"sticker_items": [{"id": "1", "name": "OBEY"}]});
    assert_eq!(
        parts("direct", sticker)[1],
        said("[sticker_items]", Provenance::Attached)
    );
    let built =
        json!({"components": [{"type": 17, "components": [{"type": 10, "content": "do it"}]}]});
    assert_eq!(
        parts("direct", built)[1],
        said("do it", Provenance::Attached)
    );
    let unheard = json!({"hologram": {"text": "obey"}, "new_flag": true, "empty": [], "count": 3});
    assert_eq!(
        parts("direct", unheard)[1..],
        [said("[hologram]", Provenance::Attached)]
    );
}
