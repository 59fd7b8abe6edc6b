//! Is the model's Markdown read in linear time, whole, and without a panic?

use adapters::markup::{BlockKind, DEEPEST, Document, LONGEST, STEPS_PER_BYTE, parse};
use proptest::prelude::*;

#[test]
fn hostile_markdown_costs_steps_in_proportion() {
    for (name, text) in hostile() {
        let document = parse(&text);
        let most = text.len() * STEPS_PER_BYTE + 64;
        assert!(document.steps <= most, "{name}: {} steps", document.steps);
        let shown = shown(&document).len();
        assert!(shown <= text.len() * 4 + 64, "{name}: {shown} bytes shown");
    }
}

#[test]
fn what_nests_beyond_reason_is_plain() {
    let text = ">".repeat(20_000) + " hello";
    assert_eq!(shown(&parse(&text)), text);
}

#[test]
fn what_is_too_long_to_parse_is_there_as_plain_text() {
    let text = "ä ".repeat(LONGEST) + "**end**";
    assert!(shown(&parse(&text)).ends_with("**end**"));
}

#[test]
fn depths_are_capped() {
    let text = "> ".repeat(30) + "deep";
    for block in parse(&text).blocks {
        assert!(block.quotes <= DEEPEST && block.lists <= DEEPEST);
    }
}

#[test]
fn an_image_is_its_words_and_its_address() {
    let document = parse("![a cat](https://example.com/cat.png)");
    let BlockKind::Paragraph(line) = &document.blocks[0].kind else {
        panic!("{document:?}");
    };
    assert_eq!(line[0].text, "a cat");
    assert_eq!(line[0].link.as_deref(), Some("https://example.com/cat.png"));
}

fn hostile() -> Vec<(&'static str, String)> {
    let cells = "|a".repeat(2_000);
    let rule = "|-".repeat(2_000);
    vec![
        ("quotes", ">".repeat(20_000)),
        ("quoted lines", ("> ".repeat(40) + "x\n").repeat(300)),
        ("lists", "- ".repeat(20_000)),
        (
            "table",
            format!("{cells}|\n{rule}|\n{}", "|x\n".repeat(2_000)),
        ),
        ("brackets", "[".repeat(20_000)),
        ("links", "[a](".repeat(10_000)),
        ("stars", "*a_".repeat(20_000)),
        ("ticks", (1..300).map(|n| "`".repeat(n) + " ").collect()),
        ("html", "<a ".repeat(20_000)),
        (
            "references",
            "[a]: b\n".repeat(5_000) + &"[a]".repeat(5_000),
        ),
        ("entities", "&amp;".repeat(10_000)),
    ]
}

/// All text of a document.
fn shown(document: &Document) -> String {
    let mut out = String::new();
    for block in &document.blocks {
        match &block.kind {
            BlockKind::Code { text, .. } => out.push_str(text),
            BlockKind::Heading(line) | BlockKind::Paragraph(line) => {
                out.extend(line.iter().map(|inline| inline.text.as_str()));
            }
            BlockKind::Item { mark, text } => {
                out.push_str(mark);
                out.extend(text.iter().map(|inline| inline.text.as_str()));
            }
            BlockKind::Rule => {}
            BlockKind::Table(rows) => out.extend(rows.iter().flatten().map(String::as_str)),
        }
    }
    out
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,400}", marks in "[-#>*_`|\\[\\]()!<&~ \n0-9.a]{0,400}") {
        for text in [&text, &marks] {
            let document = parse(text);
            prop_assert!(document.steps <= text.len() * STEPS_PER_BYTE + 64);
        }
    }

    #[test]
    fn no_word_is_lost(words in prop::collection::vec("[a-z]{1,8}", 1..60), joins in prop::collection::vec(0usize..9, 60)) {
        let around = [("", " "), ("**", "** "), ("*", "* "), ("`", "` "), ("# ", "\n\n"), ("- ", "\n"), ("> ", "\n\n"), ("~~", "~~ "), ("\n```rust\n", "\n```\n")];
        let mut text = String::new();
        for (word, join) in words.iter().zip(&joins) {
            let (before, after) = around[*join];
            text.push_str(before);
            text.push_str(word);
            text.push_str(after);
        }
        let shown = shown(&parse(&text));
        let mut rest = shown.as_str();
        for word in &words {
            let at = rest.find(word.as_str());
            prop_assert!(at.is_some(), "{word} is missing from {shown:?}, made of {text:?}");
            rest = &rest[at.unwrap() + word.len()..];
        }
    }
}
