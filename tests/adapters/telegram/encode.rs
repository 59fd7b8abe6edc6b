//! Does everything fit, and can nothing in it be pressed that should not be?

use std::sync::{Arc, OnceLock};

use adapters::{Adapter, Encoded};
use bot_policy::card::{Card, Field, FieldKind, LEADING_SIGN};
use bot_policy::id::{ButtonToken, LineId};
use bot_policy::message::{Addresses, Body, Button, Choices, Notice, OutboundMessage, Reply};
use bot_policy::visible::{line, show};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn f30_lists_headings_and_tables_are_plain_text_in_a_chat() {
    let markdown = "# Plan\n\n1. one\n2. two\n   - deep\n\n| a | long |\n|---|---|\n| x | y |\n\n> said\n\n---\n<p>Hi—yes</p>";
    let part = only(reply(markdown, Addresses::Live));
    let text =
        "Plan\n\n1. one\n2. two\n  • deep\n\na | long\nx | y\n\nsaid\n\n———\n\n<p>Hi—yes</p>";
    assert_eq!(part["text"], text);
    let entities = json!([
        {"type": "bold", "offset": 0, "length": 4},
        {"type": "pre", "offset": 30, "length": 14},
        {"type": "blockquote", "offset": 46, "length": 4},
    ]);
    assert_eq!(part["entities"], entities);
}

#[test]
fn links_that_are_live_can_be_pressed_and_other_schemes_cannot() {
    let part = only(reply(
        "[site](https://example.com/a) [x](javascript:alert(1))",
        Addresses::Live,
    ));
    assert_eq!(part["text"], "site x (javascript:alert(1))");
    let link =
        json!([{"type": "text_link", "url": "https://example.com/a", "offset": 0, "length": 4}]);
    assert_eq!(part["entities"], link);
}

#[test]
fn f91_inert_addresses_are_fixed_width_and_nothing_is_a_link() {
    let cases = [
        (
            "see https://evil.example/x?k=1 now",
            vec!["https://evil.example/x?k=1"],
        ),
        (
            "[click](https://evil.example) x",
            vec!["(https://evil.example)"],
        ),
        (
            "![cat](https://evil.example/c.png)",
            vec!["(https://evil.example/c.png)"],
        ),
        ("evil.**example**/x", vec!["evil.example/x"]),
        ("`evil`.example", vec!["evil.example"]),
        ("<https://evil.example>", vec!["https://evil.example"]),
        (
            "mail a@evil.example or @evil_bot",
            vec!["a@evil.example", "@evil_bot"],
        ),
        ("press /new or (/stop)", vec!["/new", "(/stop)"]),
        ("call +49123456789", vec!["+49123456789"]),
        (
            "tg:resolve?domain=evil mailto:x",
            vec!["tg:resolve?domain=evil", "mailto:x"],
        ),
        ("go to 10.0.0.1 please", vec!["10.0.0.1"]),
        (
            "bücher.example and аpple.com",
            vec!["bücher.example", "аpple.com"],
        ),
        ("3.14 and 1/2, e.g and so. On", vec!["e.g"]),
    ];
    for (markdown, wanted) in cases {
        let part = only(reply(markdown, Addresses::Inert));
        let mut fixed = Vec::new();
        for entity in entities(&part) {
            assert_ne!(entity["type"], "text_link", "{markdown}");
            if entity["type"] == "code" {
                fixed.push(covered(&part, &entity));
            }
        }
        assert_eq!(fixed, wanted, "{markdown}");
    }
}

#[test]
fn addresses_past_the_hundredth_are_protected_too() {
    let markdown: String = (0..350).map(|n| format!("e{n}.example ")).collect();
    let parts = encoded(reply(&markdown, Addresses::Inert));
    assert_eq!(parts.len(), 4);
    for part in &parts {
        let words = part["text"].as_str().unwrap().split_whitespace().count();
        assert_eq!(entities(part).len(), words);
        assert!(words <= 100);
    }
}

#[test]
fn the_cards_sign_is_taken_out_of_everything_else() {
    for markdown in [
        format!("{LEADING_SIGN} approved"),
        "&#128682; approved".to_owned(),
        format!("```\n{LEADING_SIGN}x\n```"),
    ] {
        let part = only(reply(&markdown, Addresses::Live));
        assert!(
            !part["text"].as_str().unwrap().contains(LEADING_SIGN),
            "{markdown}"
        );
    }
    let part = only(notice(&format!("{LEADING_SIGN} approved"), 0));
    assert_eq!(part["text"], " approved");
}

#[test]
fn the_footer_stands_under_the_reply() {
    let reply = Reply {
        markdown: "hello".to_owned(),
        footer: Some("practice *model*".to_owned()),
        addresses: Addresses::Live,
    };
    let part = only(OutboundMessage {
        body: Body::Reply(reply),
        answers: None,
    });
    assert_eq!(part["text"], "hello\n\npractice *model*");
    assert_eq!(
        part["entities"],
        json!([{"type": "italic", "offset": 7, "length": 16}])
    );
}

#[test]
fn a_fence_that_is_cut_goes_on_in_the_next_part() {
    let code: String = (0..900).map(|n| format!("let x{n} = 1;\n")).collect();
    let parts = encoded(reply(&format!("```rust\n{code}```"), Addresses::Live));
    assert!(parts.len() > 2);
    for part in &parts {
        let length = units(part["text"].as_str().unwrap());
        let whole = json!([{"type": "pre", "language": "rust", "offset": 0, "length": length}]);
        assert_eq!(part["entities"], whole);
    }
    let joined: Vec<&str> = parts
        .iter()
        .map(|part| part["text"].as_str().unwrap())
        .collect();
    assert_eq!(joined.join("\n"), code.trim_end());
}

#[test]
fn an_empty_reply_still_shows_something() {
    for markdown in ["", " \n", "[a]: b"] {
        assert_eq!(
            only(reply(markdown, Addresses::Live))["text"],
            "(nothing to show)"
        );
    }
}

#[test]
fn buttons_stand_two_in_a_row_under_the_last_part() {
    let parts = encoded(notice(&"word ".repeat(1_000), 3));
    assert_eq!(parts.len(), 2);
    assert_eq!(parts[0].get("rows"), None);
    let token = |byte: u8| format!("{byte:02x}").repeat(16);
    let rows = json!([
        [["Button 0", token(0)], ["Button 1", token(1)]],
        [["Button 2", token(2)]]
    ]);
    assert_eq!(parts[1]["rows"], rows);
}

#[test]
fn a_card_shows_what_would_run_and_never_as_markup() {
    let part = only(asked(card(vec![
        field(FieldKind::Destination, "path", "notes **x**.txt", None),
        field(
            FieldKind::Body,
            "content",
            "<b>hi</b> https://a.example",
            Some(1234),
        ),
    ])));
    let text = format!(
        "{LEADING_SIGN} @files write\n• read evil.example\n\npath\nnotes **x**.txt\n\ncontent\n<b>hi</b> https://a.example\n… 1,234 more characters: press Show all\n\nAlways would save: @files write notes"
    );
    assert_eq!(part["text"], text.as_str());
    let shown: Vec<(String, String)> = entities(&part)
        .iter()
        .map(|entity| {
            (
                entity["type"].as_str().unwrap().to_owned(),
                covered(&part, entity),
            )
        })
        .collect();
    let wanted = [
        // A tool is written like a person's name, which an app would make a link.
        ("code", "@files"),
        ("bold", " write"),
        ("code", "evil.example"),
        ("bold", "path"),
        ("pre", "notes **x**.txt"),
        ("bold", "content"),
        ("pre", "<b>hi</b> https://a.example"),
        ("code", "@files write notes"),
    ];
    let wanted: Vec<_> = wanted
        .map(|(kind, text)| (kind.to_owned(), text.to_owned()))
        .to_vec();
    assert_eq!(shown, wanted);
}

#[test]
fn f57_a_long_card_fits_one_message_and_says_what_is_cut() {
    let parts = encoded(asked(card(vec![
        field(FieldKind::Destination, "to", &"d".repeat(1_000), None),
        field(FieldKind::Body, "body", &"b".repeat(9_000), Some(10)),
        field(FieldKind::Note, "note", &"n".repeat(3_000), None),
    ])));
    assert_eq!(parts.len(), 1);
    let text = parts[0]["text"].as_str().unwrap();
    assert!(units(text) <= 4096);
    assert!(text.contains(&"d".repeat(1_000)));
    let shown = text.matches('b').count() - text.matches("bo").count();
    assert!(
        shown > 200 && text.contains("more characters: press Show all"),
        "{text}"
    );
}

#[test]
fn destinations_that_fill_a_message_are_never_cut() {
    let parts = encoded(asked(card(vec![
        field(FieldKind::Destination, "to", &"ß".repeat(6_000), None),
        field(FieldKind::Body, "body", "hi", None),
    ])));
    let all: String = parts
        .iter()
        .map(|part| part["text"].as_str().unwrap())
        .collect();
    assert_eq!(all.matches('ß').count(), 6_000);
    assert!(parts.last().unwrap().get("rows").is_some());
    assert!(
        parts[..parts.len() - 1]
            .iter()
            .all(|part| part.get("rows").is_none())
    );
}

#[test]
fn a_hostile_megabyte_fills_every_message_so_that_little_is_looked_at_twice() {
    for piece in ["a.bc ", "**a** `b` ", "x", "> - ", "e\u{301}"] {
        let text = piece.repeat((1 << 20) / piece.len());
        for message in [reply(&text, Addresses::Inert), notice(&text, 0)] {
            let parts = encoded(message);
            let (_, full) = parts.split_last().unwrap();
            for part in full {
                let (units, marks) = (units(part["text"].as_str().unwrap()), entities(part).len());
                assert!(units > 2_000 || marks > 48, "{piece:?}: {units}, {marks}");
            }
        }
    }
}

proptest! {
    #[test]
    fn every_part_fits_and_no_text_is_lost(
        pieces in prop::collection::vec("[a-zé🚀 .@/\n*`_\\[\\]#>|-]{0,300}", 0..30),
        inert in any::<bool>(),
    ) {
        let markdown = pieces.concat();
        let addresses = if inert { Addresses::Inert } else { Addresses::Live };
        let parts = encoded(reply(&markdown, addresses));
        prop_assert!(!parts.is_empty());
        for part in &parts {
            let text = part["text"].as_str().unwrap();
            let length = units(text);
            prop_assert!((1..=4096).contains(&length) && !text.trim().is_empty());
            prop_assert!(entities(part).len() <= 100);
            for entity in entities(part) {
                let end = entity["offset"].as_u64().unwrap() + entity["length"].as_u64().unwrap();
                prop_assert!(entity["length"].as_u64().unwrap() > 0 && end <= length as u64);
            }
        }
        prop_assert_eq!(encoded(reply(&markdown, addresses)), parts);
    }

    #[test]
    fn plain_words_arrive_all_and_in_order(words in prop::collection::vec("[a-zé🚀]{1,40}", 1..900)) {
        let markdown = words.join(" ");
        let parts = encoded(reply(&markdown, Addresses::Live));
        let shown: Vec<&str> = parts.iter().flat_map(|part| part["text"].as_str().unwrap().split_whitespace()).collect();
        prop_assert_eq!(shown, words);
    }

    #[test]
    fn any_text_is_encoded_without_a_panic(text in "\\PC{0,9000}") {
        encoded(reply(&text, Addresses::Inert));
        encoded(notice(&text, 1));
    }
}

// Helpers.

fn adapter() -> Arc<dyn Adapter> {
    static ADAPTER: OnceLock<Arc<dyn Adapter>> = OnceLock::new();
    let build = || {
        let file = std::env::temp_dir().join(format!("postern-encode-{}", std::process::id()));
        std::fs::write(&file, "123456789:AAExample-not-a-token").unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .unwrap();
        let config = serde_json::from_value(json!({"platform": "telegram", "token_file": file}));
        let adapter = adapters::build(
            LineId::new("line"),
            &config.unwrap(),
            &adapters::Ground::default(),
        )
        .unwrap();
        std::fs::remove_file(&file).unwrap();
        adapter
    };
    ADAPTER.get_or_init(build).clone()
}

fn encoded(message: OutboundMessage) -> Vec<Value> {
    let parts = adapter().encode(&message).into_iter();
    parts.map(|Encoded(value)| value).collect()
}

fn only(message: OutboundMessage) -> Value {
    let mut parts = encoded(message);
    assert_eq!(parts.len(), 1, "{parts:?}");
    parts.remove(0)
}

fn entities(part: &Value) -> Vec<Value> {
    part["entities"].as_array().cloned().unwrap_or_default()
}

fn covered(part: &Value, entity: &Value) -> String {
    let text: Vec<u16> = part["text"].as_str().unwrap().encode_utf16().collect();
    let from = entity["offset"].as_u64().unwrap() as usize;
    let to = from + entity["length"].as_u64().unwrap() as usize;
    String::from_utf16(&text[from..to]).unwrap()
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn reply(markdown: &str, addresses: Addresses) -> OutboundMessage {
    let reply = Reply {
        markdown: markdown.to_owned(),
        footer: None,
        addresses,
    };
    OutboundMessage {
        body: Body::Reply(reply),
        answers: None,
    }
}

fn choices(count: u8) -> Choices {
    let button = |byte| Button {
        label: format!("Button {byte}"),
        token: ButtonToken::from_random([byte; 16]),
    };
    Choices((0..count).map(button).collect())
}

fn notice(text: &str, buttons: u8) -> OutboundMessage {
    let notice = Notice {
        addresses: bot_policy::message::Addresses::Live,
        text: text.to_owned(),
        choices: choices(buttons),
    };
    OutboundMessage {
        body: Body::Notice(notice),
        answers: None,
    }
}

fn field(kind: FieldKind, label: &str, value: &str, cut: Option<usize>) -> Field {
    Field {
        kind,
        label: line(label),
        value: show(value),
        cut,
    }
}

fn card(fields: Vec<Field>) -> Card {
    Card {
        title: line("@files write"),
        reasons: vec![line("read evil.example")],
        rule: None,
        fields,
        always: Some(line("@files write notes")),
        choices: choices(4),
        outcome: None,
    }
}

fn asked(card: Card) -> OutboundMessage {
    OutboundMessage {
        body: Body::Card(card),
        answers: None,
    }
}
