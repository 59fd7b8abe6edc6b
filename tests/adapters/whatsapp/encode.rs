//! How does a message look: what is set how, what is cut where, and can a person press it?

use bot_policy::card::{Card, Field, FieldKind};
use bot_policy::event::FileKind;
use bot_policy::message::Enclosure;
use bot_policy::visible;
use proptest::prelude::*;

use super::*;

fn texts(message: &OutboundMessage) -> Vec<String> {
    let adapter = Settings::new().built().unwrap();
    let parts = adapter.encode(message);
    parts.iter().map(|part| adapter.plain(part)).collect()
}

fn shown(markdown: &str) -> String {
    texts(&reply(markdown, Addresses::Live)).remove(0)
}

fn card(value: &str, kind: FieldKind, labels: &[&str]) -> OutboundMessage {
    let field = Field {
        kind,
        label: visible::line("path"),
        value: visible::show(value),
        cut: None,
    };
    let card = Card {
        title: visible::line("@files write"),
        reasons: vec![visible::line("it *changes* something")],
        rule: None,
        fields: vec![field],
        always: Some(visible::line("@files write --path notes.txt")),
        choices: choices(labels),
        outcome: None,
    };
    OutboundMessage {
        body: Body::Card(card),
        answers: None,
    }
}

#[test]
fn markdown_becomes_the_marks_of_the_app() {
    for (markdown, wanted) in [
        ("**bold** and *it* ~~gone~~", "*bold* and _it_ ~gone~"),
        ("**two words**", "*two words*"),
        ("`let x = 1`", "`let x = 1`"),
        ("```rust\nlet x;\nlet y;\n```", "```let x;\nlet y;```"),
        ("# Title\n\ntext", "*Title*\n\ntext"),
        ("- one\n- two", "• one\n• two"),
        ("> said\n> so", "> said\n> so"),
        (
            "[here](https://example.org/x)",
            "here (https://example.org/x)",
        ),
        ("https://example.org", "https://example.org"),
    ] {
        assert_eq!(shown(markdown), wanted, "{markdown}");
    }
}

#[test]
fn what_the_app_would_take_for_marks_is_set_so_that_it_reads_none() {
    for (markdown, wanted) in [
        ("snake_case_name and 2\\*3\\*4", "snake_case_name and 2*3*4"),
        ("run \\*args now", "run `*args` now"),
        ("a \\* b", "a * b"),
        ("\\_x\\_", "`_x_`"),
        (
            "say \\`this\\`",
            "say ```\u{60}\u{2060}this\u{60}\u{2060}```",
        ),
    ] {
        assert_eq!(shown(markdown), wanted, "{markdown}");
    }
}

#[test]
fn f31_a_long_reply_is_cut_into_texts_that_fit_and_nothing_is_lost() {
    let text: String = (0..2000).map(|n| format!("**{n:04}** ")).collect();
    let texts = texts(&reply(&text, Addresses::Live));
    assert!(texts.len() > 2);
    let mut words = Vec::new();
    for text in &texts {
        assert!(text.encode_utf16().count() <= 4096);
        let bare = text.replace(['*', '`'], "");
        words.extend(bare.split_whitespace().map(ToOwned::to_owned));
    }
    let wanted: Vec<String> = (0..2000).map(|n| format!("{n:04}")).collect();
    assert_eq!(words, wanted);
}

#[test]
fn after_outside_content_nothing_can_be_pressed() {
    let text =
        "see https://evil.example/x?k=SECRET or evil.zip, call +15550199, [go](https://e.io/)";
    let message = reply(text, Addresses::Inert);
    let text = texts(&message).remove(0);
    for pressed in ["://", "evil.", "+1555", "e.io"] {
        assert!(!text.contains(pressed), "{text}");
    }
    let plain = texts(&reply("notes.txt and docs/a.json", Addresses::Inert));
    assert_eq!(plain, ["`notes.txt` and `docs/a.json`"]);
}

#[test]
fn a_card_shows_exactly_what_would_run() {
    let message = card(
        "rm *.txt _now_ `x`",
        FieldKind::Body,
        &["Allow once", "Deny"],
    );
    let wanted = "🚪 *@files* *write*\n• it `*changes*` something\n\n*path*\n```rm *.txt _now_ `\u{2060}x`\u{2060}```\n\nAlways would save: `@files write --path notes.txt`";
    let shown = texts(&message).remove(0);
    assert_eq!(
        shown.replace("[@]", "@").replace("[.]", "."),
        wanted.replace("*@files* *write*", "`@files` *write*")
    );
}

#[test]
fn a_card_is_cut_to_stand_with_its_buttons_and_what_may_not_be_cut_goes_before() {
    let adapter = Settings::new().built().unwrap();
    let long = "word ".repeat(400);
    let one = texts(&card(&long, FieldKind::Body, &["Allow once"]));
    assert_eq!(one.len(), 1);
    assert!(one[0].encode_utf16().count() <= 1024);
    assert!(
        one[0].contains("more characters: press Show all"),
        "{}",
        one[0]
    );
    let whole = card(&long, FieldKind::Destination, &["Allow once"]);
    let parts = adapter.encode(&whole);
    assert_eq!(parts.len(), 2);
    assert!(adapter.plain(&parts[0]).matches("word").count() == 400);
    assert_eq!(adapter.plain(&parts[1]), "🚪 What this asks stands above.");
}

#[test]
fn only_a_card_begins_with_the_sign() {
    for message in [
        reply("🚪 @files write", Addresses::Live),
        notice("🚪 x", Choices::default()),
    ] {
        assert!(!texts(&message)[0].contains('🚪'));
    }
}

#[test]
fn a_caption_that_is_too_long_follows_its_file() {
    let file = |caption: &str, kind| OutboundMessage {
        body: Body::File(Enclosure {
            digest: "0".repeat(64),
            name: "a.txt".to_owned(),
            kind,
            bytes: 4,
            caption: caption.to_owned(),
            addresses: Addresses::Live,
        }),
        answers: None,
    };
    assert_eq!(texts(&file("mine", FileKind::Document)), ["mine"]);
    assert_eq!(texts(&file("mine", FileKind::Audio)), ["", "mine"]);
    let long = "word ".repeat(300);
    let parts = texts(&file(&long, FileKind::Photo));
    assert_eq!((parts[0].as_str(), parts.len()), ("", 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_text_fits_whatever_the_model_writes(markdown in "(\\PC|[*_~`>\\- \n.]){0,3000}") {
        for addresses in [Addresses::Inert, Addresses::Live] {
            for text in texts(&reply(&markdown, addresses)) {
                prop_assert!(text.encode_utf16().count() <= 4096);
                prop_assert!(!text.is_empty());
            }
        }
    }
}
