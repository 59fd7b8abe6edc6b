//! What a card shows of a call.

use bot_policy::approval::Question;
use bot_policy::call::{Arguments, Call};
use bot_policy::card::{Card, Field, FieldKind, card};
use bot_policy::decide::{Finding, Says};
use bot_policy::message::Choices;
use bot_policy::tool::ToolSpec;
use bot_policy::visible::{line, show};
use serde_json::json;

use crate::world::{asked, call, standing, tools, write_notes};

#[test]
fn a_card_shows_the_call_whole() {
    let question = asked(write_notes(), &standing());
    let expected = Card {
        title: line("@files write"),
        reasons: vec![line("no rule allows this without asking")],
        rule: Some(line("no rule allows this without asking")),
        fields: vec![
            field(FieldKind::Destination, "file", "notes.txt"),
            field(FieldKind::Body, "content", "hello"),
        ],
        always: Some(line("@files write --file \"notes.txt\"")),
        choices: Choices::default(),
        outcome: None,
    };
    assert_eq!(shown(&question, 100), expected);
}

#[test]
fn what_the_command_does_not_know_is_shown_as_a_note_and_never_dropped() {
    let arguments =
        json!({"bcc": ["x@example.org"], "content": "hi", "file": "a", "deep": {"k": 1}});
    let fields = shown(&question(call("files", "write", arguments)), 100).fields;
    assert_eq!(
        fields,
        [
            field(FieldKind::Destination, "file", "a"),
            field(FieldKind::Body, "content", "hi"),
            field(FieldKind::Note, "\"bcc\"", "[\"x@example.org\"]"),
            field(FieldKind::Note, "\"deep\"", "{\"k\":1}"),
        ]
    );
}

#[test]
fn a_patch_is_shown_as_what_goes_and_what_comes_and_is_never_cut() {
    let mut tools = tools();
    let files = tools
        .iter_mut()
        .find(|tool| tool.name.as_str() == "files")
        .unwrap();
    let mut patch = files
        .commands
        .iter()
        .find(|command| command.name == "write")
        .unwrap()
        .clone();
    patch.name = "patch".into();
    let mut passage = patch
        .parameters
        .iter()
        .find(|parameter| parameter.name == "content")
        .unwrap()
        .clone();
    passage.name = "old".into();
    patch.parameters.push(passage.clone());
    passage.name = "new".into();
    patch.parameters.push(passage);
    files.commands.push(patch);
    let arguments = json!({"file": "a", "old": "one\ntwo", "new": "2\u{200b}"});
    let question = question(call("files", "patch", arguments));
    let spec = tools.iter().find(|tool| tool.name.as_str() == "files");
    let change = Field {
        kind: FieldKind::Body,
        label: line("change"),
        value: show("- one\n- two\n+ 2\u{200b}"),
        cut: None,
    };
    assert_eq!(
        card(&question, spec, Choices::default(), 3).fields,
        [field(FieldKind::Destination, "file", "a"), change]
    );
}

#[test]
fn a_name_that_was_made_up_carries_none_of_the_cards_own_labels() {
    let arguments = json!({"file": "a", "content": "hi", "for whom": "you", "x to deny": "@files read", "site": "ok"});
    let fields = shown(&question(call("files", "write", arguments)), 100).fields;
    let labels: Vec<&str> = fields.iter().map(|field| field.label.as_str()).collect();
    let ours = ["file", "content"];
    let quoted = |label: &&str| label.starts_with('"') && label.ends_with('"');
    assert_eq!(labels.len(), 5);
    assert!(
        labels
            .iter()
            .all(|label| ours.contains(label) || quoted(label)),
        "{labels:?}"
    );
}

#[test]
fn without_a_spec_everything_is_a_note() {
    let card = card(&question(write_notes()), None, Choices::default(), 100);
    assert_eq!(
        card.fields,
        [
            field(FieldKind::Note, "\"content\"", "hello"),
            field(FieldKind::Note, "\"file\"", "notes.txt"),
        ]
    );
}

#[test]
fn unreadable_arguments_are_shown_whole() {
    let call = Call {
        arguments: Arguments::Unreadable("{\"file\": \u{202e}".repeat(50)),
        ..write_notes()
    };
    let text = show(&"{\"file\": \u{202e}".repeat(50));
    let fields = shown(&question(call), 10).fields;
    assert_eq!(
        fields,
        [Field {
            value: text,
            ..field(FieldKind::Body, "unreadable arguments", "")
        }]
    );
}

#[test]
fn a_body_is_cut_with_what_is_missing_and_a_destination_never() {
    let arguments = json!({"file": "f".repeat(300), "content": format!("{}{}", "a".repeat(100), "z".repeat(100))});
    let fields = shown(&question(call("files", "write", arguments)), 40).fields;
    let cut = Field {
        cut: Some(160),
        ..field(
            FieldKind::Body,
            "content",
            &format!("{}\n\u{2026}\n{}", "a".repeat(30), "z".repeat(10)),
        )
    };
    assert_eq!(
        fields,
        [field(FieldKind::Destination, "file", &"f".repeat(300)), cut]
    );
}

#[test]
fn f56_hidden_characters_are_visible_in_every_field() {
    let arguments =
        json!({"file": "a\u{202e}txt\nb", "content": "x\u{e0100}", "n\u{200b}": "\u{3164}"});
    let fields = shown(&question(call("files", "write", arguments)), 100).fields;
    let texts: Vec<_> = fields
        .iter()
        .map(|field| (field.label.as_str(), field.value.as_str()))
        .collect();
    assert_eq!(
        texts,
        [
            ("file", "a\\u{202e}txt\\u{a}b"),
            ("content", "x\\u{e0100}"),
            ("\"n\\u{200b}\"", "\\u{3164}"),
        ]
    );
}

#[test]
fn reasons_come_in_the_order_of_the_card_whatever_order_they_were_stored_in() {
    let mut question = question(write_notes());
    question.reasons = [16, 11, 7, 6, 10, 9, 8]
        .map(|row| Finding {
            row,
            says: Says::AskOnce,
            because: row.to_string(),
        })
        .to_vec();
    let reasons = shown(&question, 100).reasons;
    assert_eq!(reasons, ["8", "9", "10", "6", "7", "11", "16"].map(line));
}

#[test]
fn a_card_names_what_the_rules_say_by_who_said_it_and_not_by_its_words() {
    let mut question = question(write_notes());
    let says = |row: u8, because: &str| Finding {
        row,
        says: Says::AskOnce,
        because: because.to_owned(),
    };
    question.reasons = vec![says(9, "outside content was read (a page about rules)")];
    assert_eq!(shown(&question, 100).rule, None);
    question.reasons.push(says(13, "the one for writing asks"));
    let card = shown(&question, 100);
    assert_eq!(card.rule, Some(line("the one for writing asks")));
    assert_eq!(card.reasons.len(), 2);
}

fn question(call: Call) -> Question {
    Question {
        call,
        ..asked(write_notes(), &standing())
    }
}

fn shown(question: &Question, limit: usize) -> Card {
    let tools = tools();
    let spec: Option<&ToolSpec> = tools.iter().find(|tool| tool.name == question.call.tool);
    card(question, spec, Choices::default(), limit)
}

fn field(kind: FieldKind, label: &str, value: &str) -> Field {
    Field {
        kind,
        label: line(label),
        value: show(value),
        cut: None,
    }
}
