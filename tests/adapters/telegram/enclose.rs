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
