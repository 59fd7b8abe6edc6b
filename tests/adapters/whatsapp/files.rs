//! Do files come and go, with their hosts and sizes checked?

use bot_policy::event::FileKind;
use bot_policy::message::Enclosure;

use super::*;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

async fn sent(name: &str, kind: FileKind, bytes: &[u8]) -> Result<(String, String), AdapterError> {
    let (fake, adapter, anna) = started().await;
    let settings = Settings::new();
    let digest = "ab".repeat(32);
    std::fs::write(settings.folder.join(&digest), bytes).unwrap();
    adapter.set_outgoing(&settings.folder);
    let message = OutboundMessage {
        body: Body::File(Enclosure {
            digest,
            name: name.to_owned(),
            kind,
            bytes: bytes.len() as u64,
            caption: String::new(),
            addresses: Addresses::Live,
        }),
        answers: None,
    };
    let part = adapter.encode(&message).remove(0);
    adapter
        .send(&place(&anna.direct()), &part, SendKey(1))
        .await?;
    let (kind, name, there) = fake.messages(&anna.direct()).remove(0).file.unwrap();
    assert_eq!(there, bytes);
    Ok((kind, name))
}

#[tokio::test]
async fn a_file_is_sent_as_what_it_holds() {
    let ogg = [b"OggS\0\x02".as_slice(), &[0; 22], b"OpusHead"].concat();
    for (name, kind, bytes, wanted) in [
        (
            "notes.md",
            FileKind::Document,
            b"# hello".as_slice(),
            "document",
        ),
        ("p.png", FileKind::Photo, PNG, "image"),
        ("p.png", FileKind::Document, PNG, "document"),
        ("a.pdf", FileKind::Document, b"%PDF-1.7\n", "document"),
        ("voice.ogg", FileKind::Audio, &ogg, "audio"),
    ] {
        let sent = sent(name, kind, bytes).await.unwrap();
        assert_eq!(sent, (wanted.to_owned(), name.to_owned()));
    }
}

#[tokio::test]
async fn what_the_platform_does_not_take_says_what_it_takes() {
    let zip = sent("a.zip", FileKind::Document, b"PK\x03\x04\0\0\0\0")
        .await
        .unwrap_err();
    let why = "the platform refuses it: WhatsApp takes no file like a.zip; it takes text, PDF, office documents, JPEG and PNG pictures, MP4 films, and AAC, AMR, MP3, M4A and Ogg sound";
    assert_eq!(zip.to_string(), why);
    let large = [PNG, &vec![0; 6 << 20]].concat();
    let large = sent("p.png", FileKind::Photo, &large).await.unwrap_err();
    let why = "the platform refuses it: the image is larger than the 5 MB that WhatsApp takes";
    assert_eq!(large.to_string(), why);
}

#[tokio::test]
async fn a_file_that_came_is_fetched_up_to_its_limit() {
    let (fake, adapter, _) = started().await;
    let id = fake.hold("text/plain", b"hello");
    assert_eq!(adapter.fetch(&id, 100).await, Ok(b"hello".to_vec()));
    let large = adapter.fetch(&id, 4).await.unwrap_err().to_string();
    assert_eq!(
        large,
        "the platform refuses it: the file is larger than 4 bytes"
    );
    for odd in ["", "../1", "1?x=2", "no-such"] {
        let error = adapter.fetch(odd, 100).await.unwrap_err();
        assert!(matches!(error, AdapterError::Refused(_)), "{odd} {error}");
    }
}

#[tokio::test]
async fn our_token_goes_to_no_host_but_the_platforms() {
    let (fake, adapter, _) = started().await;
    let id = fake.hold("text/plain", b"hello");
    for elsewhere in [
        "https://evil.example/x",
        "http://lookaside.fbsbx.com/x",
        "https://lookaside.fbsbx.com.evil.example/x",
        "https://evilfbsbx.com/x",
        "file:///etc/passwd",
        "nonsense",
    ] {
        fake.misplace(&id, elsewhere);
        let error = adapter.fetch(&id, 100).await.unwrap_err().to_string();
        let why = "the platform refuses it: the file lies at an address that is none of WhatsApp's, so it was not fetched";
        assert_eq!(error, why, "{elsewhere}");
    }
}

#[tokio::test]
async fn an_address_that_grew_too_old_is_asked_for_again_once() {
    let (fake, adapter, _) = started().await;
    let id = fake.hold("text/plain", b"hello");
    fake.age(&id);
    assert_eq!(adapter.fetch(&id, 100).await, Ok(b"hello".to_vec()));
    fake.age(&id);
    fake.age(&id);
    let error = adapter.fetch(&id, 100).await.unwrap_err();
    assert_eq!(error, AdapterError::Refused("status 404".to_owned()));
}
