//! What is outside content.

use std::collections::BTreeSet;

use bot_policy::event::{FileFact, FileKind, Part, PartBody, Provenance};
use bot_policy::id::MessageRef;
use bot_policy::taint::{ORIGINS_KEPT, Origins, Taint, Unmarked, label};

#[test]
fn only_what_the_sender_typed_or_recorded_is_their_own() {
    assert_eq!(of(text(Provenance::Authored)), Taint::default());
    assert_eq!(
        of(file(FileKind::Voice, Provenance::Authored)),
        Taint::default()
    );
    for provenance in [
        Provenance::Attached,
        Provenance::Forwarded,
        Provenance::Previewed,
        Provenance::Quoted { original: None },
        Provenance::Unmarked,
    ] {
        for part in [
            text(provenance.clone()),
            file(FileKind::Voice, provenance.clone()),
        ] {
            assert!(of(part).outside.is_marked(), "{provenance:?}");
        }
    }
    for kind in [
        FileKind::Audio,
        FileKind::Document,
        FileKind::Photo,
        FileKind::Video,
    ] {
        assert!(
            of(file(kind, Provenance::Authored)).outside.is_marked(),
            "{kind:?}"
        );
    }
    assert_eq!(
        of(text(Provenance::Forwarded)),
        Taint::outside("a forwarded message")
    );
}

#[test]
fn unmarked_text_is_ones_own_only_where_the_owner_vouches() {
    let labelled = |part| {
        label(&[part], Unmarked::OwnWords, |_| None)[0]
            .taint
            .clone()
    };
    assert_eq!(labelled(text(Provenance::Unmarked)), Taint::default());
    assert!(
        labelled(file(FileKind::Voice, Provenance::Unmarked))
            .outside
            .is_marked()
    );
    assert!(labelled(text(Provenance::Forwarded)).outside.is_marked());
}

#[test]
fn a_quote_takes_the_label_of_its_stored_original() {
    let original = |name: &str| match name {
        "clean" => Some(Taint::default()),
        "private" => Some(Taint::private("email")),
        _ => None,
    };
    let labelled = |name: &str| {
        let quoted = Provenance::Quoted {
            original: Some(MessageRef::new(name)),
        };
        label(&[text(quoted)], Unmarked::Outside, |message| {
            original(message.as_str())
        })[0]
            .taint
            .clone()
    };
    assert_eq!(labelled("clean"), Taint::default());
    assert_eq!(labelled("private"), Taint::private("email"));
    assert_eq!(labelled("lost"), Taint::outside("a quoted message"));
}

#[test]
fn parts_keep_their_order_and_their_own_labels() {
    let parts = [text(Provenance::Authored), text(Provenance::Forwarded)];
    let labels: Vec<bool> = label(&parts, Unmarked::Outside, |_| None)
        .iter()
        .map(|labelled| labelled.taint.is_clean())
        .collect();
    assert_eq!(labels, [true, false]);
}

#[test]
fn more_origins_than_are_kept_are_many() {
    let all = (0..ORIGINS_KEPT).fold(Origins::None, |all, n| {
        all.join(&Origins::one(n.to_string()))
    });
    let names: BTreeSet<String> = (0..ORIGINS_KEPT).map(|n| n.to_string()).collect();
    assert_eq!(all, Origins::Few(names));
    assert_eq!(all.join(&Origins::one("one more")), Origins::Many);
}

#[test]
fn an_origin_is_short() {
    let long = Origins::one("x".repeat(1000));
    assert_eq!(long, Origins::one("x".repeat(80)));
}

fn of(part: Part) -> Taint {
    label(&[part], Unmarked::Outside, |_| None)[0].taint.clone()
}

fn text(provenance: Provenance) -> Part {
    Part {
        body: PartBody::Text("x".into()),
        provenance,
    }
}

fn file(kind: FileKind, provenance: Provenance) -> Part {
    Part {
        body: PartBody::File(FileFact {
            kind,
            handle: "f".into(),
            bytes: None,
        }),
        provenance,
    }
}
