//! Does everything fit, and can nothing in it be pressed that should not be?

use bot_policy::card::{Card, Field, FieldKind, LEADING_SIGN};
use bot_policy::id::ButtonToken;
use bot_policy::message::Button;
use bot_policy::visible::{line, show};
use fakes::slack::fault_of_blocks;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn adapter() -> Arc<dyn Adapter> {
    static ONE: std::sync::OnceLock<Arc<dyn Adapter>> = std::sync::OnceLock::new();
    let made = || {
        let (token_file, app_token_file) = (kept("bot", BOT), kept("app", APP));
        built(json!({"token_file": token_file, "app_token_file": app_token_file})).unwrap()
    };
    ONE.get_or_init(made).clone()
}

fn parts(message: &OutboundMessage) -> Vec<Value> {
    adapter()
        .encode(message)
        .into_iter()
        .map(|part| part.0)
        .collect()
}

fn only(message: &OutboundMessage) -> Value {
    let mut parts = parts(message);
    assert_eq!(parts.len(), 1, "{parts:?}");
    parts.remove(0)
}

fn card(fields: Vec<Field>) -> OutboundMessage {
    let buttons = (0..7).map(|n| Button {
        label: format!("Choice {n}"),
        token: ButtonToken::from_random([n; 16]),
    });
    let card = Card {
        title: line("@files write"),
        reasons: vec![line("it changes a file")],
        rule: None,
        fields,
        always: None,
        choices: Choices(buttons.collect()),
        outcome: None,
    };
    OutboundMessage {
        body: Body::Card(card),
        answers: None,
    }
}

fn field(kind: FieldKind, value: &str) -> Field {
    Field {
        kind,
        label: line("body"),
        value: show(value),
        cut: None,
    }
}

#[test]
fn markdown_becomes_rich_text_in_which_nothing_is_markup() {
    let markdown = "# Plan\n\nsome **bold** and `code` *x*\n\n> said\n\n```rust\nlet a = 1;\n```\n\n1. one\n2. two <b> & *";
    let part = only(&reply(markdown, Addresses::Live));
    let text = |text: &str| json!({"type": "text", "text": text});
    let styled =
        |text: &str, style: &str| json!({"type": "text", "text": text, "style": {style: true}});
    let elements = json!([
        {"type": "rich_text_section", "elements": [
            styled("Plan", "bold"), text("\n\nsome "), styled("bold", "bold"), text(" and "),
            styled("code", "code"), text(" "), styled("x", "italic"), text("\n"),
        ]},
        {"type": "rich_text_quote", "elements": [text("said")]},
        {"type": "rich_text_preformatted", "elements": [text("let a = 1;")]},
        {"type": "rich_text_section", "elements": [text("\n1. one\n2. two <b> & *")]},
    ]);
    assert_eq!(part["blocks"][0]["elements"], elements);
    assert_eq!(part["blocks"].as_array().unwrap().len(), 1);
}

#[test]
fn links_that_are_live_can_be_pressed_and_other_schemes_cannot() {
    let part = only(&reply(
        "[site](https://example.com/a) [x](javascript:alert(1))",
        Addresses::Live,
    ));
    assert_eq!(
        part["blocks"][0]["elements"][0]["elements"],
        json!([
            {"type": "link", "url": "https://example.com/a", "text": "site"},
            {"type": "text", "text": " x (javascript:alert(1))"},
        ])
    );
}

#[test]
fn f91_inert_addresses_are_fixed_width_and_nothing_is_a_link() {
    let part = only(&reply(
        "see https://evil.example/x?k=1 [now](https://evil.example)",
        Addresses::Inert,
    ));
    let elements = part["blocks"][0]["elements"][0]["elements"]
        .as_array()
        .unwrap();
    let fixed: Vec<&str> = elements
        .iter()
        .filter(|element| element["style"]["code"] == true)
        .map(|element| element["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        fixed,
        ["https://evil.example/x?k=1", "(https://evil.example)"]
    );
    assert!(elements.iter().all(|element| element["type"] == "text"));
}

#[test]
fn a_card_has_its_sign_its_fields_and_each_button_with_its_token_alone() {
    let part = only(&card(vec![
        field(FieldKind::Destination, "notes.txt"),
        field(FieldKind::Body, "hello"),
    ]));
    let text = part["text"].as_str().unwrap();
    assert!(text.starts_with(LEADING_SIGN), "{text}");
    assert_eq!(fault_of_blocks(&part["blocks"]), None);
    let buttons = part["blocks"][1]["elements"].as_array().unwrap();
    assert_eq!(buttons.len(), 7);
    assert_eq!(
        buttons[1],
        json!({
            "type": "button", "action_id": "press-0-1", "value": "01".repeat(16),
            "text": {"type": "plain_text", "text": "Choice 1", "emoji": false},
        })
    );
}

#[test]
fn a_card_is_one_part_however_long_and_its_destination_stays_whole() {
    let path = "d/".repeat(500);
    let part = only(&card(vec![
        field(FieldKind::Destination, &path),
        field(FieldKind::Body, &"long ".repeat(5000)),
    ]));
    let text = part["text"].as_str().unwrap();
    assert!(text.contains(&path));
    assert!(text.encode_utf16().count() <= 3900, "{}", text.len());
    assert!(text.contains("more characters: press Show all"), "{text}");
}

#[test]
fn the_sign_of_cards_is_in_nothing_else() {
    let text = format!("{LEADING_SIGN} @files write");
    for message in [reply(&text, Addresses::Live), notice(&text)] {
        assert!(!only(&message).to_string().contains(LEADING_SIGN));
    }
}

#[test]
fn a_long_answer_is_cut_between_words_and_loses_none() {
    let words: Vec<String> = (0..3000).map(|n| format!("word{n}")).collect();
    let parts = parts(&reply(&words.join(" "), Addresses::Live));
    assert!(parts.len() > 4);
    let again: Vec<String> = parts
        .iter()
        .flat_map(|part| {
            part["text"]
                .as_str()
                .unwrap()
                .split_whitespace()
                .map(str::to_owned)
        })
        .collect();
    assert_eq!(again, words);
}

#[test]
fn nothing_to_show_is_said() {
    assert_eq!(
        only(&reply("", Addresses::Live))["text"],
        "(nothing to show)"
    );
}

proptest! {
    #[test]
    fn whatever_the_model_writes_slack_takes(text in "[\\PC\n\t*_`>#|<&-]{0,400}", live in any::<bool>()) {
        let addresses = if live { Addresses::Live } else { Addresses::Inert };
        for part in parts(&reply(&text, addresses)) {
            prop_assert_eq!(fault_of_blocks(&part["blocks"]), None, "{}", part);
        }
    }

    #[test]
    fn whatever_stands_on_a_card_slack_takes(value in "\\PC{0,400}") {
        let part = only(&card(vec![field(FieldKind::Body, &value), field(FieldKind::Note, &value)]));
        prop_assert_eq!(fault_of_blocks(&part["blocks"]), None, "{}", part);
    }
}
