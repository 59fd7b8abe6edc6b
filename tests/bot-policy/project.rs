//! A project's own rules, a person's cases, and what the rules say of themselves.

use std::collections::BTreeSet;
use std::sync::Arc;

use bot_policy::access::Scope;
use bot_policy::call::{Arguments, Call};
use bot_policy::decide::{Says, Standing};
use bot_policy::effective::typed;
use bot_policy::rules::{
    Action, Breadth, Loosening, NotRules, ProjectRules, Rule, Rules, Trust, breadth, cases,
    explain, loosening, merge, run, trust,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::world::{call, judged, rule, standing, with_rules, write_notes};

proptest! {
    #[test]
    fn an_untrusted_project_never_loosens(
        owners in rules(), theirs in rules(), merges in any::<bool>(), call in calls(),
    ) {
        let global = Rules::in_force(owners);
        let merged = merge(&global, &project(merges, &theirs), Trust::Untrusted);
        prop_assert!(says(&merged, &call) >= says(&global, &call));
    }

    #[test]
    fn the_owners_denials_always_stand(
        owners in rules(), theirs in rules(), merges in any::<bool>(), call in calls(),
    ) {
        let denials = owners.iter().filter(|rule| rule.action == Action::Deny).cloned().collect();
        let merged = merge(&Rules::in_force(owners), &project(merges, &theirs), Trust::Trusted);
        if says(&Rules::in_force(denials), &call) == Says::Deny {
            prop_assert_eq!(says(&merged, &call), Says::Deny);
        }
    }

    #[test]
    fn any_text_is_read_and_explained_without_a_panic(text in "\\PC{0,60}", tail in any::<String>()) {
        let standing = standing();
        for text in [format!("@files {text}"), format!("@files {{{tail}"), tail] {
            if let Some(call) = typed(&text, &standing.tools) {
                prop_assert!(!explain(&call, &standing).is_empty());
            }
            let _ = (breadth(&text), ProjectRules::parse(&text), cases(&text));
        }
    }
}

#[test]
fn a_trusted_project_speaks_as_the_owner_does() {
    let global = Rules::in_force(vec![
        rule("@files write", Action::Ask),
        rule("@memory save", Action::Ask),
        rule("@share", Action::Deny),
    ]);
    let theirs = [rule("@files write", Action::Allow)];
    let merged = merge(&global, &project(true, &theirs), Trust::Trusted);
    assert_eq!(
        merged.owners(),
        [
            rule("@memory save", Action::Ask),
            rule("@share", Action::Deny),
            rule("@files write", Action::Allow)
        ]
    );
    let alone = merge(&global, &project(false, &theirs), Trust::Trusted);
    assert_eq!(
        alone.owners(),
        [rule("@share", Action::Deny), theirs[0].clone()]
    );
    let untrusted = merge(&global, &project(false, &theirs), Trust::Untrusted);
    assert_eq!(untrusted.owners(), global.owners());
}

#[test]
fn what_trust_would_loosen_is_told_whole_and_nothing_else() {
    let global = Rules::in_force(vec![
        rule("@files write", Action::Ask),
        rule("@memory save", Action::Ask),
        rule("@files read", Action::Allow),
        rule("@share", Action::Deny),
    ]);
    let theirs = [
        rule("@files write", Action::Allow),
        rule("@files read", Action::Allow),
        rule("@share", Action::Allow),
        rule("@web", Action::Deny),
    ];
    let beside = Loosening {
        allows: vec![theirs[0].clone(), theirs[2].clone()],
        lifts: vec![rule("@files write", Action::Ask)],
        stands_alone: false,
    };
    assert_eq!(loosening(&global, &project(true, &theirs)), beside);
    let alone = Loosening {
        lifts: global.owners()[..2].to_vec(),
        stands_alone: true,
        ..beside
    };
    assert_eq!(loosening(&global, &project(false, &theirs)), alone);
    assert!(loosening(&global, &project(true, &[theirs[3].clone()])).is_empty());
}

#[test]
fn a_project_without_merge_takes_the_owners_allows_away() {
    let global = Rules::in_force(vec![rule("@files write", Action::Allow)]);
    let merged = merge(&global, &project(false, &[]), Trust::Untrusted);
    assert_eq!(says(&merged, &write_notes()), Says::Ask);
}

#[test]
fn trust_is_of_the_very_text() {
    let text = r#"{"rules": []}"#;
    let right = sha(text);
    let all = BTreeSet::from(["0".into(), right.clone()]);
    assert_eq!(trust(text, &all), Trust::Trusted);
    assert_eq!(trust(text, &BTreeSet::new()), Trust::Untrusted);
    assert_eq!(
        trust("{\"rules\":[]}", &BTreeSet::from([right])),
        Trust::Untrusted
    );
}

#[test]
fn a_wrong_project_file_is_refused_with_its_place() {
    let at = |text: &str| match ProjectRules::parse(text) {
        Err(NotRules { line, column, .. }) => Some((line, column)),
        Ok(_) => None,
    };
    assert_eq!(at(r#"{"merge": true, "rules": []}"#), None);
    assert_eq!(at("{\"merge\": 1,\n \"rules\": []}"), Some((1, 11)));
    assert_eq!(at("{\"rules\": [],\n \"allow\": []}"), Some((2, 8)));
    assert_eq!(at(r#"{"merge": true}"#), Some((1, 15)));
}

#[test]
fn a_call_that_names_no_command_is_held_by_each_denial_of_its_tool() {
    let deny = with_rules(vec![rule("@files write --file secrets", Action::Deny)]);
    for text in [
        "@files",
        "@files {\"args\": {\"file\": \"a\"}}",
        "@files {\"cmd\": ",
        "@files write --file a --file b",
    ] {
        let call = typed(text, &deny.tools).unwrap();
        assert!(judged(call, &deny).1.contains(&5), "{text}");
    }
    let call = typed("@files write --file a --content b", &deny.tools).unwrap();
    assert_eq!(judged(call, &deny), (Says::Ask, vec![16]));
}

#[test]
fn other_names_of_a_file_are_seen_by_what_holds_back_and_not_by_what_allows() {
    let read = |key: &str| call("files", "read", json!({ key: "/etc/hosts" }));
    for key in ["file", "path", "FILE_PATH", "target"] {
        assert!(
            rule("@files read --file /etc", Action::Deny).matches(&read(key)),
            "{key}"
        );
    }
    assert!(!rule("@files read --file /etc", Action::Allow).matches(&read("path")));
    assert!(!rule("@files read --file /etc", Action::Deny).matches(&read("start")));
}

#[test]
fn the_rules_say_in_plain_words_what_they_make_of_a_call() {
    let standing = with_rules(vec![
        rule("@files write", Action::Ask),
        rule("@files", Action::Allow),
    ]);
    assert_eq!(
        explain(&write_notes(), &standing),
        [
            "@files write --file notes.txt would ask",
            "because the rule \"@files write\" asks (row 13)",
            "the rule \"@files write\" asks",
            "the rule \"@files\" allows",
            "an \"Always\" would save the rule \"@files write --file \"notes.txt\"\"",
        ]
    );
    let group = Standing {
        scope: Scope::Group,
        ..standing
    };
    let told = explain(&call("memory", "search", json!({"query": "x"})), &group);
    assert_eq!(told.len(), 2);
    assert!(told.iter().all(|line| !line.contains('"')), "{told:?}");
}

#[test]
fn a_persons_own_cases_are_run() {
    let text = r#"{"cases": [
        {"call": "@files write --file notes.txt --content x", "expect": "deny"},
        {"call": "@files read --file a", "expect": "ask"},
        {"call": "@", "expect": "allow"}
    ]}"#;
    let standing = with_rules(vec![rule("@files write", Action::Deny)]);
    let outcomes = run(&cases(text).unwrap(), &standing);
    let got: Vec<_> = outcomes.iter().map(|one| (one.got, one.is_met())).collect();
    assert_eq!(
        got,
        [
            (Some(Action::Deny), true),
            (Some(Action::Allow), false),
            (None, false)
        ]
    );
    assert!(cases(r#"{"cases": [{"call": "@a"}]}"#).is_err());
}

#[test]
fn a_pattern_that_covers_much_is_told() {
    for broad in [
        "@files",
        "@files write",
        "@coder exec",
        "@coder exec --cmd git",
        "@coder TEST",
        "@files write --file /",
        "@files write --file .",
        "@files write --file ..",
        "",
        "mcp_fs",
        "@files read --file ~",
    ] {
        assert!(matches!(breadth(broad), Breadth::Broad(_)), "{broad}");
    }
    for narrow in [
        "@files write --file notes",
        "@coder exec --cmd go test",
        "@web fetch --url https://a.b/",
    ] {
        assert_eq!(breadth(narrow), Breadth::Narrow, "{narrow}");
    }
}

#[test]
fn unreadable_arguments_are_allowed_by_no_rule() {
    let call = Call {
        arguments: Arguments::parse("["),
        ..write_notes()
    };
    assert!(!rule("@files", Action::Allow).matches(&call));
    assert!(rule("@files write --file x", Action::Ask).matches(&call));
}

fn sha(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn says(rules: &Rules, call: &Call) -> Says {
    let standing = Standing {
        rules: Arc::new(rules.clone()),
        ..standing()
    };
    judged(call.clone(), &standing).0
}

fn project(merge: bool, rules: &[Rule]) -> ProjectRules {
    ProjectRules::parse(&json!({"merge": merge, "rules": rules}).to_string()).unwrap()
}

fn calls() -> impl Strategy<Value = Call> {
    select(vec![
        write_notes(),
        call("files", "write", json!({"file": "a/b", "content": ""})),
        call("files", "read", json!({"file": "a/b"})),
        call("files", "", json!({})),
        call("memory", "save", json!({"text": "x"})),
        call("web", "fetch", json!({"url": "https://example.org"})),
    ])
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let patterns = vec![
        "@files",
        "@files write",
        "@files write --file a",
        "@files read",
        "@memory",
        "@web fetch",
    ];
    let actions = vec![Action::Allow, Action::Ask, Action::Deny];
    let one = (select(patterns), select(actions)).prop_map(|(text, action)| rule(text, action));
    proptest::collection::vec(one, 0..5)
}
