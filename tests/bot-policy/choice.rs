//! The agent asks in its own name, with buttons that nobody takes for ours.

use bot_policy::call::{Arguments, Call};
use bot_policy::choice::{Asked, NotAsked};
use bot_policy::id::{CallId, ToolName};
use serde_json::{Value, json};

fn asked(arguments: Value) -> Result<Asked, NotAsked> {
    Asked::of(&Call {
        id: CallId::new("1.0"),
        tool: ToolName::new("ask"),
        command: "choose".into(),
        arguments: Arguments::parse(&arguments.to_string()),
    })
}

fn labelled(label: &str) -> Result<Asked, NotAsked> {
    asked(json!({ "text": "Which?", "options": ["first", label] }))
}

#[test]
fn a_question_says_who_asks_and_keeps_its_labels_in_order() {
    let question = asked(json!({ "text": " Tea or coffee? ", "options": ["Tea", "Coffee"] }));
    let question = question.unwrap();
    assert_eq!(question.text.as_str(), "The agent asks: Tea or coffee?");
    let labels: Vec<&str> = question.labels.iter().map(|label| label.as_str()).collect();
    assert_eq!(labels, ["Tea", "Coffee"]);
}

#[test]
fn the_sign_of_a_card_and_hidden_characters_do_not_reach_the_text() {
    let question = asked(json!({ "text": "🚪 A\u{202e}B", "options": ["Tea", "Coffee"] }));
    let text = question.unwrap().text;
    assert!(
        !text.as_str().contains('🚪') && !text.as_str().contains('\u{202e}'),
        "{text}"
    );
}

#[test]
fn it_has_two_to_four_different_buttons() {
    for options in [
        json!([]),
        json!(["one"]),
        json!(["1", "2", "3", "4", "5"]),
        json!(["same", "Same"]),
        json!(["same", "s a m e"]),
        json!([1, 2]),
        json!("one, two"),
        json!(null),
    ] {
        let refused = asked(json!({ "text": "Which?", "options": options }));
        assert_eq!(refused, Err(NotAsked::Labels), "{options}");
    }
    for text in [json!(""), json!("  "), json!("x".repeat(1001)), json!(5)] {
        let refused = asked(json!({ "text": text, "options": ["one", "two"] }));
        assert_eq!(refused, Err(NotAsked::Text));
    }
}

#[test]
fn a_label_that_is_or_resembles_one_of_ours_is_refused() {
    for label in [
        "Allow",
        "Allow once",
        "allow it",
        "ALLOW ALL",
        "Always",
        "Deny",
        "Denied",
        "Block",
        "Always block",
        "All like this",
        "More",
        "Show all",
        "Something else",
        "Start fresh",
        "Remember it",
        "Resend",
        "Approve",
        "Please allow",
        "A l l o w",
        "A.l.l.o.w",
        "Al1ow",
        "A|low",
        "AIlow",
        "Аllow",
        "Allоw",
        "Αllow",
        "Ａｌｌｏｗ",
        "𝐀𝐥𝐥𝐨𝐰",
        "Ållow",
        "D3ny",
        "Dеny",
        "Alwаys",
        "Alway5",
        "Alway$",
        "@llow",
        "Allovv",
        "✓",
        "...",
    ] {
        assert_eq!(
            labelled(label),
            Err(NotAsked::Ours(label.to_owned())),
            "{label:?}"
        );
    }
}

#[test]
fn a_label_in_which_something_hides_or_that_is_too_long_is_refused() {
    for label in [
        "Al\u{200b}low",
        "Te\u{ad}a",
        "🚪 Tea",
        "Tea\u{202e}",
        "",
        "x\ny",
        &"x".repeat(21),
    ] {
        assert!(
            matches!(labelled(label), Err(NotAsked::Label(_))),
            "{label:?}"
        );
    }
}

#[test]
fn ordinary_labels_stand() {
    for label in [
        "Tea",
        "Shallow water",
        "Yes",
        "No",
        "Tomorrow 8:00",
        "Später",
        "明日",
        "The red one",
    ] {
        assert!(labelled(label).is_ok(), "{label:?}: {:?}", labelled(label));
    }
}

#[test]
fn a_refusal_says_what_to_do() {
    let said = |label| labelled(label).unwrap_err().to_string();
    assert_eq!(
        said("Allow"),
        "\"Allow\" looks like a button of the gateway's own; name the option in other words"
    );
    assert_eq!(
        asked(json!({})).unwrap_err().to_string(),
        "give a text of 1 to 1000 characters"
    );
    let few = asked(json!({ "text": "Which?" })).unwrap_err().to_string();
    assert_eq!(few, "give options: a list of 2 to 4 different short texts");
}
