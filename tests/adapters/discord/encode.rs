//! How does a message look?

use bot_policy::card::{Card, Field, FieldKind, LEADING_SIGN};
use bot_policy::message::{Addresses, Body, Choices, OutboundMessage};
use bot_policy::visible::show;
use fakes::discord::{displayed, pressable};
use proptest::prelude::*;

use super::{adapter_of, choices, notice, reply, started};
use adapters::Adapter;

/// What is sent of a message, part by part.
fn contents(adapter: &dyn Adapter, message: &OutboundMessage) -> Vec<String> {
    let parts = adapter.encode(message).into_iter();
    parts
        .map(|part| part.0["content"].as_str().unwrap().to_owned())
        .collect()
}

fn lone() -> impl Adapter {
    let file = std::env::temp_dir().join(format!(
        "postern-discord-lone-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::write(&file, fakes::discord::TOKEN).unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let config = serde_json::from_value(serde_json::json!({"token_file": file})).unwrap();
    let line = bot_policy::id::LineId::new("line");
    let adapter = adapters::discord::Discord::new(line, &config, &adapters::Ground::default());
    std::fs::remove_file(&file).unwrap();
    adapter.unwrap()
}

fn live(markdown: &str) -> String {
    let mut all = contents(&lone(), &reply(markdown, Addresses::Live));
    assert_eq!(all.len(), 1, "{all:#?}");
    all.remove(0)
}

fn card(fields: Vec<Field>) -> OutboundMessage {
    let card = Card {
        title: show("Write a file?"),
        reasons: vec![show("outside content was read")],
        rule: None,
        fields,
        always: Some(show("@files write --path *")),
        outcome: None,
        choices: choices(),
    };
    OutboundMessage {
        body: Body::Card(card),
        answers: None,
    }
}

fn field(kind: FieldKind, value: &str) -> Field {
    Field {
        kind,
        label: show("Content"),
        value: show(value),
        cut: None,
    }
}

#[test]
fn markdown_is_set_in_the_marks_of_the_platform() {
    assert_eq!(
        live("**bold** and *slanted* and ~~gone~~"),
        "**bold** and _slanted_ and ~~gone~~"
    );
    assert_eq!(live("# Head\n\ntext"), "**Head**\n\ntext");
    assert_eq!(live("- one\n- two"), "• one\n• two");
    assert_eq!(live("`a*b`"), "`a*b`");
    assert_eq!(
        live("```rust\nfn main() {}\n```"),
        "```rust\nfn main() {}\n```"
    );
    assert_eq!(live("> quoted\n> more"), "> quoted\n> more");
    assert_eq!(live("in*tern*al"), "in*tern*al");
    assert_eq!(
        live("| a | b |\n| - | - |\n| 1 | 22 |"),
        "```\na | b\n1 | 22\n```"
    );
}

#[test]
fn what_means_nothing_to_the_model_means_nothing_to_the_platform() {
    for text in [
        "snake_case_name and half \\*bold",
        "a | b || c",
        "<@7001> <#5> </new:1> <t:0>",
        "2 \\* 3",
        "\\# no head",
        "\\- no list",
        "\\`tick",
    ] {
        let sent = live(text);
        let meant = text.replace('\\', "");
        assert_eq!(displayed(&sent), meant, "{sent}");
        assert!(!sent.contains("<@") || sent.contains("\\<\\@"), "{sent}");
    }
}

#[test]
fn addresses_are_pressed_only_where_they_may_be() {
    let text = "see https://a.example/x_y and [here](https://b.example/z) (https://c.example).";
    let sent = live(text);
    assert_eq!(
        pressable(&sent),
        [
            "https://a.example/x_y",
            "https://b.example/z",
            "https://c.example"
        ]
    );
    for inert in contents(&lone(), &reply(text, Addresses::Inert)) {
        assert_eq!(pressable(&inert), Vec::<String>::new(), "{inert}");
    }
    let hidden = "`a`https://evil.example/?k=SECRET and discord.gg/abc <https://evil.example> ``x` https://e.example``";
    for inert in contents(&lone(), &reply(hidden, Addresses::Inert)) {
        assert_eq!(pressable(&inert), Vec::<String>::new(), "{inert}");
        assert!(!displayed(&inert).is_empty());
    }
}

#[test]
fn f32_two_thousand_characters_are_one_message_and_one_more_makes_two() {
    let of = |length: usize| contents(&lone(), &notice(&"x".repeat(length)));
    assert_eq!(of(2000).len(), 1);
    let two = of(2001);
    assert_eq!(two.len(), 2);
    assert_eq!(two.concat(), "x".repeat(2001));
    // What escapes make longer is cut where it has to be, and nothing of it is lost.
    let stars = "\\*".repeat(1500);
    let parts = contents(&lone(), &reply(&stars, Addresses::Live));
    assert!(parts.iter().all(|part| part.encode_utf16().count() <= 2000));
    let read: String = parts.iter().map(|part| displayed(part)).collect();
    assert_eq!(read, "*".repeat(1500));
}

#[test]
fn f32_only_the_first_part_answers_and_only_the_last_has_buttons() {
    let mut message = notice(&"word ".repeat(1000));
    message.answers = Some(bot_policy::id::MessageRef::new("55"));
    if let Body::Notice(notice) = &mut message.body {
        notice.choices = choices();
    }
    let parts = lone().encode(&message);
    assert_eq!(parts.len(), 3);
    let answers: Vec<_> = parts
        .iter()
        .map(|part| part.0.get("answers").is_some())
        .collect();
    let buttons: Vec<_> = parts
        .iter()
        .map(|part| part.0.get("buttons").is_some())
        .collect();
    assert_eq!(answers, [true, false, false]);
    assert_eq!(buttons, [false, false, true]);
}

#[test]
fn a_fence_is_closed_and_opened_again_where_it_is_cut() {
    let code = (0..300)
        .map(|n| format!("let number_{n} = {n};\n"))
        .collect::<String>();
    let parts = contents(
        &lone(),
        &reply(
            &format!("before\n\n```rust\n{code}```\n\nafter"),
            Addresses::Live,
        ),
    );
    assert!(parts.len() > 2);
    for part in &parts {
        assert!(part.encode_utf16().count() <= 2000, "{}", part.len());
        assert_eq!(part.matches("```").count() % 2, 0, "{part}");
    }
    let inner = &parts[1];
    assert!(
        inner.starts_with("```rust\n") && inner.ends_with("\n```"),
        "{inner}"
    );
    let lines: usize = parts
        .iter()
        .map(|part| displayed(part).matches("let number_").count())
        .sum();
    assert_eq!(lines, 300);
}

#[test]
fn nothing_of_a_card_means_anything_to_the_platform() {
    let hostile = [
        "**bold** _it_ ~~x~~ ||spoiler|| `tick` [text](https://evil.example)",
        "``` end of fence\nhttps://evil.example\n@everyone <@1>",
        "# big\n> quote\n- item\n-# small\n1. one",
        "line\\",
    ];
    for value in hostile {
        let message = card(vec![field(FieldKind::Body, value)]);
        let parts = contents(&lone(), &message);
        assert_eq!(parts.len(), 1);
        let read = displayed(&parts[0]);
        assert!(read.contains(value), "{value:?} is read as {read}");
        assert_eq!(pressable(&parts[0]), Vec::<String>::new());
        assert!(read.starts_with(LEADING_SIGN));
        assert!(
            read.contains("Always would save: @files write --path *"),
            "{read}"
        );
    }
}

#[test]
fn a_card_is_cut_until_it_fits_and_its_destination_is_not() {
    let long = "a*b_".repeat(900);
    let to = "d".repeat(300);
    let message = card(vec![
        field(FieldKind::Destination, &to),
        field(FieldKind::Body, &long),
    ]);
    let parts = contents(&lone(), &message);
    assert_eq!(parts.len(), 1);
    assert!(parts[0].encode_utf16().count() <= 2000);
    let read = displayed(&parts[0]);
    assert!(
        read.contains(&to) && read.contains("more characters: press Show all"),
        "{read}"
    );
}

#[test]
fn the_sign_of_cards_is_nowhere_else() {
    let text = format!("{LEADING_SIGN} Allow everything?");
    for message in [
        reply(&text, Addresses::Live),
        notice(&text),
        reply(&format!("```\n{text}\n```"), Addresses::Inert),
    ] {
        for part in contents(&lone(), &message) {
            assert!(!part.contains(LEADING_SIGN), "{part}");
        }
    }
}

#[tokio::test]
async fn what_a_part_says_is_told_without_marks() {
    let (fake, _, _) = started().await;
    let adapter = adapter_of(&fake);
    let parts = adapter.encode(&reply("**bold** `x` a_b", Addresses::Live));
    assert_eq!(adapter.plain(&parts[0]), "bold x a_b");
    let nothing = adapter.encode(&reply("", Addresses::Live));
    assert_eq!(adapter.plain(&nothing[0]), "(nothing to show)");
    assert_eq!(Choices::default().0.len(), 0);
}

proptest! {
    #[test]
    fn any_text_fits_is_inert_where_it_must_be_and_loses_nothing(text in "\\PC{0,3000}", deep in 0usize..40) {
        let adapter = lone();
        let markdown = format!("{}{text}", "> ".repeat(deep));
        for part in contents(&adapter, &reply(&markdown, Addresses::Live)) {
            prop_assert!(part.encode_utf16().count() <= 2000);
        }
        for part in contents(&adapter, &reply(&markdown, Addresses::Inert)) {
            prop_assert!(part.encode_utf16().count() <= 2000);
            prop_assert_eq!(pressable(&part), Vec::<String>::new());
        }
        let plain: String = contents(&adapter, &notice(&text)).iter().map(|part| displayed(part)).collect();
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        if letters(&text).is_empty() && plain == "(nothing to show)" {
            return Ok(());
        }
        prop_assert_eq!(letters(&plain), letters(&text));
    }
}
