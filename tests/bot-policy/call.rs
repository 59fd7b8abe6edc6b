//! The one name that rules know a call by.

use bot_policy::call::{ARGUMENT_BYTES, ARGUMENT_DEPTH, Arguments, Call};
use serde_json::json;

use crate::world::call;

#[test]
fn a_rule_name_has_sorted_keys_and_no_payload() {
    let arguments = json!({"to": "b", "content": "long", "file": "a b", "all": true, "no": false, "n": 3, "x": null});
    let call = call("files", "copy", arguments);
    assert_eq!(
        call.rule_name(),
        "@files copy --all --file \"a b\" --n 3 --to b"
    );
}

#[test]
fn a_call_without_a_command_is_named_by_its_tool() {
    assert_eq!(call("web", "", json!({})).rule_name(), "@web");
}

#[test]
fn unreadable_arguments_are_kept_and_named_by_the_command_alone() {
    let call = Call {
        arguments: Arguments::parse("[1]"),
        ..call("web", "fetch", json!({}))
    };
    assert_eq!(call.arguments, Arguments::Unreadable("[1]".into()));
    assert_eq!(call.rule_name(), "@web fetch");
    assert_eq!(call.text("url"), None);
}

#[test]
fn no_arguments_are_empty_arguments() {
    assert_eq!(Arguments::parse(" "), Arguments::parse("{}"));
}

#[test]
fn length_and_depth_are_capped_before_the_parser() {
    let nested = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    assert!(matches!(
        Arguments::parse(&nested(ARGUMENT_DEPTH - 1)),
        Arguments::Readable(_)
    ));
    assert!(matches!(
        Arguments::parse(&nested(ARGUMENT_DEPTH)),
        Arguments::Unreadable(_)
    ));
    let brackets_in_text = format!("{{\"a\":\"\\\"{}\"}}", "[".repeat(500));
    assert!(matches!(
        Arguments::parse(&brackets_in_text),
        Arguments::Readable(_)
    ));
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(ARGUMENT_BYTES));
    assert!(matches!(Arguments::parse(&long), Arguments::Unreadable(_)));
}

#[test]
fn a_typed_call_may_hold_quotes_within_quotes() {
    let typed = |text: &str| bot_policy::effective::typed(text, &[]).unwrap();
    for (text, meant) in [
        (
            r#"@x go --cmd "git commit -m \"fix it\"""#,
            r#"git commit -m "fix it""#,
        ),
        (
            r#"@x go --cmd 'git commit -m "fix it"'"#,
            r#"git commit -m "fix it""#,
        ),
        (r#"@x go --cmd "it's""#, "it's"),
        (r"@x go --cmd 'it'\''s'", "it's"),
        (r"@x go --cmd a\ b", "a b"),
        (r#"@x go --cmd "a\\""#, r"a\"),
        (r"@x go --cmd '\d+\.txt'", r"\d+\.txt"),
        (r#"@x go --cmd "\d+""#, r"\d+"),
        (r"@x go --cmd C:\notes", r"C:\notes"),
    ] {
        assert_eq!(typed(text).text("cmd"), Some(meant), "{text}");
    }
    // What is left open is not guessed at.
    for text in [
        r#"@x go --cmd "a\""#,
        r"@x go --cmd 'a",
        r"@x go --cmd a\'b'",
    ] {
        let call = typed(text);
        assert!(matches!(call.arguments, Arguments::Unreadable(_)), "{text}");
    }
}
