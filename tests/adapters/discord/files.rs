//! What becomes of files, on their way out and in?

use bot_policy::event::FileKind;
use bot_policy::message::{Addresses, Body, Enclosure, OutboundMessage};
use serde_json::json;

use super::*;

const SEND: &str = "POST /channels/*/messages";

/// A folder of copies that holds these bytes under one digest, and is gone with this.
struct Copies(std::path::PathBuf);

impl Copies {
    fn of(bytes: &[u8]) -> Self {
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("postern-discord-out-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(digest()), bytes).unwrap();
        Self(folder)
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn digest() -> String {
    "a".repeat(64)
}

fn file(name: &str, bytes: u64, caption: &str) -> OutboundMessage {
    OutboundMessage {
        body: Body::File(Enclosure {
            digest: digest(),
            name: name.to_owned(),
            kind: FileKind::Document,
            bytes,
            caption: caption.to_owned(),
            addresses: Addresses::Inert,
        }),
        answers: None,
    }
}

#[tokio::test]
async fn a_file_goes_with_its_caption_and_comes_as_it_was() {
    let (fake, adapter, anna) = started().await;
    let copies = Copies::of(b"the file");
    adapter.set_outgoing(&copies.0);
    let file = |bytes, caption: &str| file("notes.txt", bytes, caption);
    let at = place(anna.direct());
    fake.inject(SEND, Fault::Drop);
    send_all(&adapter, &at, &file(8, "*here* https://evil.example")).await;
    let shown = fake.messages(anna.direct());
    assert_eq!(shown.len(), 1);
    let sent = shown[0].files[0].clone();
    assert_eq!(
        (sent.name.as_str(), sent.bytes.as_slice()),
        ("notes.txt", &b"the file"[..])
    );
    assert_eq!(shown[0].text, "*here* https://evil.example");
    assert_eq!((shown[0].flags, shown[0].links().len()), (4, 0));
    let long = adapter.encode(&file(8, &"word ".repeat(900)));
    assert_eq!(long.len(), 4);
    let part = adapter.encode(&file(9, "x")).remove(0);
    let why = adapter
        .send(&at, &part, SendKey(7))
        .await
        .unwrap_err()
        .to_string();
    assert_eq!(
        why,
        "the platform refuses it: the copy of the file is not there any more"
    );
    let part = adapter.encode(&file(11 << 20, "x")).remove(0);
    let why = adapter
        .send(&at, &part, SendKey(8))
        .await
        .unwrap_err()
        .to_string();
    assert_eq!(
        why,
        "the platform refuses it: the file is larger than 10 MB"
    );
}

#[tokio::test]
async fn f94_a_file_is_fetched_from_the_platform_and_from_nowhere_else() {
    let (fake, adapter, anna) = started().await;
    let direct = anna.direct();
    let message = fake.send_file(anna, direct, "keep this", "text/plain", b"what it holds");
    let id = fake.attachment_of(direct, message);
    let handle = format!("{}/{message}/{id}", direct.0);
    assert_eq!(adapter.fetch(&handle, 100).await.unwrap(), b"what it holds");
    let why = adapter.fetch(&handle, 5).await.unwrap_err().to_string();
    assert_eq!(
        why,
        "the platform refuses it: the file is larger than 5 bytes"
    );
    for wrong in [
        "",
        "1/2",
        "1/2/3/4",
        "../../users/@me/1/2",
        &format!("{}/{message}/5", direct.0),
    ] {
        let why = adapter.fetch(wrong, 100).await.unwrap_err();
        assert!(matches!(why, AdapterError::Refused(_)), "{wrong}: {why}");
    }
    for elsewhere in [
        "http://169.254.169.254/latest",
        "http://127.0.0.1:9/x",
        "https://cdn.discordapp.com.evil.example/x",
        "file:///etc/passwd",
    ] {
        let attachment =
            json!({"id": "5", "size": 3, "url": elsewhere, "filename": "../../etc/cron.d/x"});
        let message = fake.message(anna, direct, "", json!({"attachments": [attachment]}));
        let why = adapter
            .fetch(&format!("{}/{message}/5", direct.0), 100)
            .await
            .unwrap_err();
        assert_eq!(
            why,
            AdapterError::Refused("the file does not lie with the platform".to_owned())
        );
    }
}

#[tokio::test]
async fn several_files_go_as_one_message_ten_at_most_and_no_larger_than_one_may_be() {
    let (fake, adapter, anna) = started().await;
    let copies = Copies::of(b"the file");
    adapter.set_outgoing(&copies.0);
    let parts = |files: &[(u64, &str)]| -> Vec<Encoded> {
        let one = |(bytes, caption): &(u64, &str)| adapter.encode(&file("x.txt", *bytes, caption));
        files.iter().flat_map(one).collect()
    };
    let words = adapter.encode(&notice("words"));
    for (parts, together) in [
        (Vec::new(), 0),
        (words.clone(), 1),
        (parts(&[(8, "")]), 1),
        (parts(&[(8, "these"), (8, ""), (8, "")]), 3),
        (parts(&[(8, ""), (8, "this"), (8, "")]), 1),
        ([parts(&[(8, ""), (8, "")]), words].concat(), 2),
        (parts(&[(8, ""); 12]), 10),
        (parts(&[(6 << 20, ""), (4 << 20, ""), (1, "")]), 2),
        (parts(&[(11 << 20, ""), (1, "")]), 1),
    ] {
        assert_eq!(adapter.together(&parts), together, "{}", parts.len());
    }
    let at = place(anna.direct());
    let three = parts(&[(8, "*these*"), (8, ""), (8, "")]);
    fake.inject(SEND, Fault::Drop);
    let names = adapter
        .send_together(&at, &three, SendKey(1))
        .await
        .unwrap();
    let shown = fake.messages(anna.direct());
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert_eq!(
        (shown[0].text.as_str(), shown[0].files.len()),
        ("*these*", 3)
    );
    assert!(shown[0].files.iter().all(|file| file.bytes == b"the file"));
    assert_eq!(names, vec![MessageRef::new(shown[0].id.to_string()); 3]);
    let refusal = Fault::Refuse {
        status: 413,
        code: 40005,
        message: "Request entity too large".to_owned(),
    };
    fake.inject(SEND, refusal);
    let why = adapter
        .send_together(&at, &three, SendKey(2))
        .await
        .unwrap_err();
    assert!(matches!(why, AdapterError::Refused(_)), "{why}");
    for _ in 0..3 {
        fake.inject(SEND, Fault::Status(502));
    }
    let lost = adapter.send_together(&at, &three, SendKey(3)).await;
    assert_eq!(lost, Err(AdapterError::Ambiguous));
}
