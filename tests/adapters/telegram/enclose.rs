//! Does a file stand in the chat with its caption, and does nothing fetch an address by itself?

use bot_policy::event::FileKind;
use bot_policy::message::Enclosure;

use super::*;

const LINK: &str = "https://evil.example/x?k=SECRET";

fn file(digest: &str, kind: FileKind, bytes: u64, caption: String) -> OutboundMessage {
    let file = Enclosure {
        digest: digest.to_owned(),
        name: "notes.txt".to_owned(),
        kind,
        bytes,
        caption,
        addresses: Addresses::Inert,
    };
    OutboundMessage {
        body: Body::File(file),
        answers: None,
    }
}

#[tokio::test]
async fn f91_nothing_that_is_sent_has_a_preview_and_no_caption_a_link() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let folder = std::env::temp_dir().join(format!("postern-enclose-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (text, picture) = ("a".repeat(64), "b".repeat(64));
    std::fs::write(folder.join(&text), "hello").unwrap();
    std::fs::write(folder.join(&picture), b"\x89PNG").unwrap();
    adapter.set_outgoing(&folder);
    let long = format!("{LINK} {}", "word ".repeat(300));
    let messages = [
        reply(LINK, Addresses::Inert),
        reply(LINK, Addresses::Live),
        notice(LINK),
        file(&text, FileKind::Document, 5, LINK.to_owned()),
        file(&picture, FileKind::Photo, 4, LINK.to_owned()),
        file(&text, FileKind::Document, 5, long),
    ];
    for message in &messages {
        send_all(&adapter, &place(anna.direct()), message).await;
    }
    std::fs::remove_dir_all(&folder).unwrap();
    let mut texts = 0;
    for call in fake.calls() {
        match call.method.as_str() {
            "sendmessage" => {
                texts += 1;
                let options = &call.body["link_preview_options"];
                assert_eq!(options["is_disabled"], true, "{call:?}");
            }
            // No app previews a caption, so the platform has no such option there.
            "senddocument" | "sendphoto" => {
                let caption = call.body["caption"].as_str().unwrap_or("");
                let entities = call.body["caption_entities"].as_str().unwrap_or("[]");
                let entities: serde_json::Value = serde_json::from_str(entities).unwrap();
                let fixed = json!([{"type": "code", "offset": 0, "length": LINK.len()}]);
                let none = caption.is_empty();
                assert_eq!(entities, if none { json!([]) } else { fixed });
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(texts, 4);
    let shown = fake.messages(anna.direct());
    assert_eq!(shown.iter().filter(|shown| shown.file.is_some()).count(), 3);
}

fn part(adapter: &Arc<dyn Adapter>, digit: char, kind: FileKind, bytes: u64) -> Encoded {
    let digest = digit.to_string().repeat(64);
    let message = file(&digest, kind, bytes, "words".to_owned());
    adapter.encode(&message).remove(0)
}

#[tokio::test]
async fn what_goes_together_is_alike_ten_at_most_and_no_larger_than_one_file_may_be() {
    let (_fake, adapter, _) = started().await;
    let of = |kind, bytes| part(&adapter, 'a', kind, bytes);
    let photo = || of(FileKind::Photo, 5);
    let note = || of(FileKind::Document, 5);
    let words = adapter.encode(&notice("hello")).remove(0);
    let large = || of(FileKind::Document, 30_000_000);
    for (parts, together) in [
        (vec![], 0),
        (vec![photo()], 1),
        (vec![photo(), photo(), note()], 2),
        (vec![note(), note(), photo()], 2),
        (vec![photo(), words.clone(), photo()], 1),
        (vec![words.clone(), photo()], 1),
        (vec![Encoded(json!({"text": 7})), photo()], 1),
        (vec![of(FileKind::Voice, 5), of(FileKind::Voice, 5)], 1),
        // A picture that is too large to be shown as one goes as a file.
        (vec![of(FileKind::Photo, 10_000_001), note()], 2),
        (vec![large(), large()], 1),
        (vec![photo(); 12], 10),
    ] {
        assert_eq!(adapter.together(&parts), together, "{parts:?}");
    }
}

#[tokio::test]
async fn an_album_stands_in_its_topic_under_its_names_and_each_outcome_says_what_may_be_done() {
    let (fake, adapter, _) = started().await;
    let folder = std::env::temp_dir().join(format!("postern-album-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for digit in ["a", "b"] {
        std::fs::write(folder.join(digit.repeat(64)), b"\x89PNG").unwrap();
    }
    adapter.set_outgoing(&folder);
    let chat = fake.group(-100_200, "Family");
    fake.topic(chat, 7);
    let mut place = place(chat);
    place.thread = Some(ThreadId::new("7"));
    let parts = ['a', 'b'].map(|digit| part(&adapter, digit, FileKind::Photo, 4));
    let names = adapter.send_together(&place, &parts, SendKey(1)).await;
    let shown = fake.messages(chat);
    let stands: Vec<_> = shown
        .iter()
        .map(|shown| MessageRef::new(shown.id.to_string()))
        .collect();
    assert_eq!(names, Ok(stands));
    assert!(
        shown.iter().all(|shown| shown.thread == Some(7)),
        "{shown:?}"
    );
    assert!(shown.iter().all(|shown| shown.text == "words"), "{shown:?}");
    let send = async |fault: Fault| {
        fake.inject("sendMediaGroup", fault);
        adapter.send_together(&place, &parts, SendKey(1)).await
    };
    assert_eq!(send(Fault::Drop).await, Err(AdapterError::Ambiguous));
    assert_eq!(send(Fault::Status(502)).await, Err(AdapterError::Ambiguous));
    let slow = send(Fault::TooMany { retry_after: 3 }).await;
    assert!(
        matches!(slow, Err(AdapterError::Retry { after: Some(_), .. })),
        "{slow:?}"
    );
    fake.delete_topic(chat, 7);
    fake.topic(chat, 8);
    let gone = adapter.send_together(&place, &parts, SendKey(1)).await;
    let why = "the topic is not there any more".to_owned();
    assert_eq!(gone, Err(AdapterError::Refused(why)));
    std::fs::remove_file(folder.join("b".repeat(64))).unwrap();
    let gone = adapter.send_together(&place, &parts, SendKey(1)).await;
    let why = "the copy of the file is not there any more".to_owned();
    assert_eq!(gone, Err(AdapterError::Refused(why)));
    std::fs::remove_dir_all(&folder).unwrap();
}
