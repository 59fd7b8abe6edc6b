//! Which calls a rule speaks of.

use bot_policy::rules::{Action, NotRules, Rules};
use serde_json::{Value, json};

use crate::world::{call, rule};

#[test]
fn an_allow_rule_ends_at_a_path_segment() {
    for (file, allowed) in [
        ("src", true),
        ("src/a.rs", true),
        ("./src//a.rs", true),
        ("x/../src/a", true),
        ("src.rs", false),
        ("src-old", false),
        ("src/../a", false),
        ("../src", false),
        ("/src/a", false),
        ("SRC/a", false),
    ] {
        assert_eq!(
            speaks(
                "@files write --file src",
                Action::Allow,
                "file",
                json!(file)
            ),
            allowed,
            "{file}"
        );
    }
}

#[test]
fn a_rule_that_denies_or_asks_matches_what_a_call_means() {
    for (file, held) in [
        ("secrets", true),
        ("secrets/a", true),
        ("./secrets", true),
        ("a/../secrets/b", true),
        ("/secrets", true),
        ("//secrets//b", true),
        ("SECRETS/b", true),
        ("a\\..\\secrets", true),
        ("secrets.txt", true),
        ("../anywhere", true),
        ("secretsauce", false),
        ("a/secrets", false),
    ] {
        for action in [Action::Ask, Action::Deny] {
            assert_eq!(
                speaks("@files write --file secrets", action, "file", json!(file)),
                held,
                "{file}"
            );
        }
    }
    assert!(speaks(
        "@files write --file secrets",
        Action::Deny,
        "FILE",
        json!("secrets")
    ));
    assert!(speaks(
        "@files write --file secrets",
        Action::Deny,
        "file",
        json!(["secrets"])
    ));
    assert!(!speaks(
        "@files write --file secrets",
        Action::Allow,
        "file",
        json!(["secrets"])
    ));
}

#[test]
fn commands_match_whole() {
    let matches = |pattern: &str, action, command: &str| {
        rule(pattern, action).matches(&call("coder", command, json!({})))
    };
    for action in [Action::Allow, Action::Ask, Action::Deny] {
        assert!(matches("@coder read", action, "read"));
        assert!(!matches("@coder read", action, "readlink"));
        assert!(!matches("@coder read", action, "read-all"));
        assert!(matches("@coder", action, "anything"));
        assert!(!matches("@code", action, "read"));
    }
    assert!(!matches("@coder read", Action::Allow, "READ"));
    assert!(matches("@coder read", Action::Deny, "READ"));
}

#[test]
fn every_condition_must_hold_in_any_order() {
    let two = rule("@mail send --to a --cc b", Action::Allow);
    let send = |arguments: Value| two.matches(&call("mail", "send", arguments));
    assert!(send(json!({"cc": "b", "to": "a", "body": "x"})));
    assert!(!send(json!({"to": "a"})));
    assert!(!send(json!({"to": "a", "cc": "c"})));
}

#[test]
fn a_quoted_value_is_read_without_its_quotes() {
    for pattern in [
        "@files write --file 'a b'",
        "@files write --file \"a b\"",
        "@files write --file a b",
    ] {
        assert!(
            speaks(pattern, Action::Allow, "file", json!("a b/c")),
            "{pattern}"
        );
    }
    assert!(speaks(
        "@files write --file 'a --b c'",
        Action::Allow,
        "file",
        json!("a --b c")
    ));
}

#[test]
fn an_empty_value_allows_nothing_but_itself() {
    let pattern = "@files write --file ''";
    assert!(speaks(pattern, Action::Allow, "file", json!("")));
    assert!(!speaks(pattern, Action::Allow, "file", json!("a")));
}

#[test]
fn a_flag_matches_only_where_it_is_set() {
    assert!(speaks(
        "@files write --force",
        Action::Allow,
        "force",
        json!(true)
    ));
    assert!(!speaks(
        "@files write --force",
        Action::Deny,
        "force",
        json!(false)
    ));
    assert!(!speaks(
        "@files write --force",
        Action::Deny,
        "other",
        json!(true)
    ));
}

#[test]
fn an_address_is_allowed_only_whole() {
    let pattern = "@web fetch --url https://example.org/a";
    let fetch = |url: &str| {
        rule(pattern, Action::Allow).matches(&call("web", "fetch", json!({ "url": url })))
    };
    assert!(fetch("https://example.org/a"));
    assert!(!fetch("https://example.org/a/b"));
    assert!(!fetch("https://example.org/a/../b"));
}

#[test]
fn a_pattern_that_cannot_be_read_never_allows_and_always_holds_back() {
    for pattern in [
        "",
        "--files write",
        "@",
        "@files write --",
        "@files write a --file b",
        "@f --a 'b",
    ] {
        assert!(
            !speaks(pattern, Action::Allow, "file", json!("a")),
            "{pattern}"
        );
        assert!(
            speaks(pattern, Action::Deny, "file", json!("a")),
            "{pattern}"
        );
    }
}

#[test]
fn what_comes_with_postern_allows_reading_and_new_memories_and_no_exec() {
    let shipped = Rules::shipped();
    assert_eq!(shipped.owners(), []);
    assert!(
        shipped
            .with_postern()
            .iter()
            .all(|rule| rule.action == Action::Allow)
    );
    let allowed = |tool: &str, command: &str| {
        let call = call(tool, command, json!({}));
        shipped
            .with_postern()
            .iter()
            .any(|rule| rule.matches(&call))
    };
    for (tool, command) in [
        ("files", "read"),
        ("memory", "search"),
        ("memory", "save"),
        ("web", "fetch"),
        ("coder", "git-diff"),
    ] {
        assert!(allowed(tool, command), "{tool} {command}");
    }
    for (tool, command) in [
        ("files", "write"),
        ("coder", "exec"),
        ("coder", "test"),
        ("coder", "write"),
    ] {
        assert!(!allowed(tool, command), "{tool} {command}");
    }
}

#[test]
fn a_rule_file_is_read_beside_the_shipped_rules() {
    let text = r#"{"rules": [{"pattern": "@files write", "action": "ask"}]}"#;
    let expected = Rules::in_force(vec![rule("@files write", Action::Ask)]);
    assert_eq!(Rules::parse(text), Ok(expected));
}

#[test]
fn a_wrong_rule_file_is_refused_with_its_place() {
    let place =
        |text: &str| Rules::parse(text).map_err(|NotRules { line, column, .. }| (line, column));
    assert_eq!(place("{\n \"rules\": [,]}"), Err((2, 12)));
    for text in [
        "",
        "{}",
        r#"{"rules": [], "merge": true}"#,
        r#"{"rules": [{"pattern": "@a", "action": "permit"}]}"#,
        r#"{"rules": [{"pattern": "", "action": "allow"}]}"#,
        r#"{"rules": [{"pattern": "@a", "action": "allow", "origin": "shipped"}]}"#,
        r#"{"rules": [], "shipped": []}"#,
    ] {
        assert!(Rules::parse(text).is_err(), "{text}");
    }
    let told =
        Rules::parse("{\"rules\": [\n{\"pattern\": \"!\", \"action\": \"allow\"}]}").unwrap_err();
    assert_eq!(
        told.to_string(),
        "line 2, column 15: a pattern is `@tool command --key value`, at most 500 bytes"
    );
}

fn speaks(pattern: &str, action: Action, key: &str, value: Value) -> bool {
    rule(pattern, action).matches(&call("files", "write", json!({ key: value })))
}
