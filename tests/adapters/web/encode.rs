//! What stands on the page of a message.

use adapters::web::{self, Web};
use adapters::{Adapter, Encoded};
use bot_policy::card::{Card, Field, FieldKind};
use bot_policy::id::{ButtonToken, MessageRef};
use bot_policy::message::{Addresses, Body, Button, Choices, Notice, OutboundMessage, Reply};
use bot_policy::visible::show;
use serde_json::{Value, json};

#[test]
fn a_reply_is_text_and_never_begins_like_a_card() {
    let reply = |addresses| OutboundMessage {
        body: Body::Reply(Reply {
            markdown: "🚪 <img src=x onerror=alert(1)> \u{1F6AA}ok".to_owned(),
            footer: Some("practice model".to_owned()),
            addresses,
        }),
        answers: Some(MessageRef::new("u-1")),
    };
    for (addresses, name) in [(Addresses::Inert, "inert"), (Addresses::Live, "live")] {
        let shown = web::encode(&reply(addresses));
        assert_eq!(
            (
                &shown["kind"],
                &shown["text"],
                &shown["footer"],
                &shown["addresses"]
            ),
            (
                &json!("reply"),
                &json!(" <img src=x onerror=alert(1)> ok"),
                &json!("practice model"),
                &json!(name)
            )
        );
        assert_eq!(shown["answers"], json!("u-1"));
    }
}

#[test]
fn a_reply_becomes_a_flat_tree_of_text() {
    let shown = blocks(
        "# Two *things*\n\n- `a` **b** ~~c~~\n\n> quoted\n\n```sh\nls <b>\n```\n\n|x|y|\n|-|-|\n|1|2|",
        Addresses::Live,
    );
    let plain = json!({
        "text": "", "bold": false, "code": false, "italic": false, "strike": false, "link": null,
    });
    let piece = |text: &str, style: &str| {
        let mut piece = plain.clone();
        piece["text"] = json!(text);
        if !style.is_empty() {
            piece[style] = json!(true);
        }
        piece
    };
    assert_eq!(
        shown,
        json!([
            { "kind": "heading", "quotes": 0, "lists": 0,
              "text": [piece("Two ", ""), piece("things", "italic")] },
            { "kind": "item", "mark": "•", "quotes": 0, "lists": 1,
              "text": [piece("a", "code"), piece(" ", ""), piece("b", "bold"), piece(" ", ""),
                       piece("c", "strike")] },
            { "kind": "paragraph", "quotes": 1, "lists": 0, "text": [piece("quoted", "")] },
            { "kind": "code", "language": "sh", "quotes": 0, "lists": 0, "text": "ls <b>\n" },
            { "kind": "table", "quotes": 0, "lists": 0, "rows": [["x", "y"], ["1", "2"]] },
        ])
    );
}

#[test]
fn only_web_addresses_can_be_pressed_and_none_after_outside_content() {
    let links = |markdown: &str, addresses| {
        let shown = blocks(markdown, addresses);
        let pieces = shown[0]["text"].as_array().unwrap().clone();
        let text: String = pieces
            .iter()
            .map(|piece| piece["text"].as_str().unwrap())
            .collect();
        let pressed = pieces.iter().find_map(|piece| piece["link"].as_str());
        (text, pressed.map(str::to_owned))
    };
    let address = "[my bank](https://evil.example/?k=1)";
    assert_eq!(
        links(address, Addresses::Live),
        (
            "my bank".to_owned(),
            Some("https://evil.example/?k=1".to_owned())
        )
    );
    assert_eq!(
        links(address, Addresses::Inert),
        ("my bank (https://evil.example/?k=1)".to_owned(), None)
    );
    for odd in [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//evil.example",
    ] {
        assert_eq!(
            links(&format!("[x]({odd})"), Addresses::Live),
            (format!("x ({odd})"), None)
        );
    }
}

#[test]
fn no_spelling_of_the_cards_sign_reaches_a_reply() {
    for markdown in [
        "🚪 x",
        "&#x1F6AA; x",
        "```\n🚪\n```",
        "|🚪|\n|-|\n|&#x1F6AA;|",
        "[&#128682;](/)",
    ] {
        let shown = blocks(markdown, Addresses::Inert).to_string();
        assert!(!shown.contains('🚪'), "{markdown}: {shown}");
    }
}

#[test]
fn a_notice_keeps_its_lines_and_buttons() {
    let notice = OutboundMessage {
        body: Body::Notice(Notice {
            addresses: bot_policy::message::Addresses::Live,
            text: "one\ntwo".to_owned(),
            choices: choices(),
        }),
        answers: None,
    };
    assert_eq!(
        Web::default().encode(&notice),
        [Encoded(json!({
            "kind": "notice",
            "text": "one\ntwo",
            "choices": [{ "label": "Allow once", "token": "07".repeat(16) }],
        }))]
    );
}

#[test]
fn a_card_shows_every_field_in_its_order_and_what_is_cut() {
    let field = |kind, label: &str, value: &str, cut| Field {
        kind,
        label: show(label),
        value: show(value),
        cut,
    };
    let card = Card {
        title: show("@files write"),
        reasons: vec![show("it changes a file"), show("a rule asks")],
        rule: Some(show("a rule asks")),
        fields: vec![
            field(FieldKind::Destination, "path", "notes.txt", None),
            field(FieldKind::Body, "text", "**not bold**\n<b>x</b>", Some(120)),
            field(FieldKind::Note, "mode", "append", None),
        ],
        always: Some(show("allow @files write --file notes.txt")),
        choices: choices(),
        outcome: None,
    };
    let shown = web::encode(&OutboundMessage {
        body: Body::Card(card),
        answers: None,
    });
    assert_eq!(
        shown,
        json!({
            "kind": "card",
            "title": "@files write",
            "reasons": ["it changes a file", "a rule asks"],
            "rule": "a rule asks",
            "fields": [
                { "kind": "destination", "label": "path", "value": "notes.txt", "cut": null },
                { "kind": "body", "label": "text", "value": "**not bold**\n<b>x</b>", "cut": 120 },
                { "kind": "note", "label": "mode", "value": "append", "cut": null },
            ],
            "always": "allow @files write --file notes.txt",
            "choices": [{ "label": "Allow once", "token": "07".repeat(16) }],
            "outcome": null,
        })
    );
}

fn blocks(markdown: &str, addresses: Addresses) -> Value {
    let message = OutboundMessage {
        body: Body::Reply(Reply {
            markdown: markdown.to_owned(),
            footer: None,
            addresses,
        }),
        answers: None,
    };
    web::encode(&message)["blocks"].clone()
}

fn choices() -> Choices {
    Choices(vec![Button {
        label: "Allow once".to_owned(),
        token: ButtonToken::from_random([7; 16]),
    }])
}
