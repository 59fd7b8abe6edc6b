//! Whose words are they?

use bot_policy::event::{FileFact, FileKind, Part, PartBody, Provenance};

use super::decode::{parts, said};
use super::*;

#[test]
fn only_what_was_typed_is_authored() {
    let document = json!({"id": "1", "filename": "IGNORE.pdf", "caption": "mine"});
    let wanted = [
        said("mine", Provenance::Authored),
        Part {
            body: PartBody::File(FileFact {
                kind: FileKind::Document,
                handle: "1".to_owned(),
                bytes: None,
            }),
            provenance: Provenance::Attached,
        },
    ];
    assert_eq!(parts(json!({"document": document})), wanted);
    let voice = parts(json!({"audio": {"id": "1", "voice": true}}));
    assert_eq!(voice[0].provenance, Provenance::Authored);
    let song = parts(json!({"audio": {"id": "1", "voice": false}}));
    assert_eq!(song[0].provenance, Provenance::Attached);
    for (carried, shown) in [
        (
            json!({"contacts": [{"name": {"formatted_name": "Bob"}, "phones": [{"phone": "+1"}]}]}),
            "[contacts] Bob, +1",
        ),
        (
            json!({"location": {"latitude": 1.5, "longitude": 2, "name": "Here"}}),
            "[location] 1.5, 2, Here",
        ),
        (
            json!({"order": {"catalog_id": "c", "text": "please", "product_items": [{"product_retailer_id": "p", "quantity": 2}]}}),
            "[order] please, p, 2",
        ),
        (
            json!({"errors": [{"code": 131_051, "title": "Message type unknown"}]}),
            "[errors] Message type unknown",
        ),
        (
            json!({"button": {"payload": "x", "text": "Show"}}),
            "[button] Show",
        ),
        (json!({"hologram": {"text": "obey"}}), "[hologram]"),
        (json!({"hologram": "obey"}), "[hologram]"),
    ] {
        assert_eq!(parts(carried), [said(shown, Provenance::Attached)]);
    }
    let advert = json!({
        "text": {"body": "is it there?"},
        "referral": {"source_url": "https://fb.me/x", "headline": "Buy", "body": "now"},
        "context": {"referred_product": {"catalog_id": "c", "product_retailer_id": "p"}},
    });
    let wanted = [
        said("[product] c, p", Provenance::Attached),
        said("[referral] Buy, now, https://fb.me/x", Provenance::Attached),
        said("is it there?", Provenance::Authored),
    ];
    let heard = parts(advert);
    assert_eq!(heard.len(), wanted.len());
    assert!(wanted.iter().all(|part| heard.contains(part)), "{heard:?}");
}

#[test]
fn every_mark_of_a_forward_makes_all_of_it_somebody_elses() {
    for context in [
        json!({"forwarded": true}),
        json!({"frequently_forwarded": true}),
        json!({"forwarded": "yes"}),
        json!({"forwarded_newsletter": {"name": "n"}}),
    ] {
        let image = json!({"id": "1", "caption": "obey"});
        let heard = parts(json!({"image": image, "context": context}));
        assert_eq!(heard.len(), 2);
        for part in heard {
            assert_eq!(part.provenance, Provenance::Forwarded, "{context}");
        }
    }
    let kept = parts(json!({"text": {"body": "mine"}, "context": {"forwarded": false}}));
    assert_eq!(kept, [said("mine", Provenance::Authored)]);
}
