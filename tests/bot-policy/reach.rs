//! A rule on one file holds however a call comes to it.

use std::sync::Arc;

use bot_policy::decide::{Mode, Says, Standing};
use bot_policy::grants::Grants;
use bot_policy::rules::{Action, Rules, explain};
use bot_policy::shell::FolderTrust;
use bot_policy::tool::{Change, Needed, ParameterRole, Reach};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::world::{call, command, judged, rule, standing, taking, tool};

#[test]
fn a_file_that_may_not_be_read_is_shown_by_no_other_command() {
    let standing = ruled(&[("@coder read --file a/secret.txt", Action::Deny)]);
    for (command, arguments, says) in [
        ("git-diff", json!({"file": "a/secret.txt"}), Says::Deny),
        ("git-log", json!({"file": "./a//SECRET.txt"}), Says::Deny),
        (
            "patch",
            json!({"file": "a/secret.txt", "old": "x", "new": "y"}),
            Says::Deny,
        ),
        (
            "search",
            json!({"text": "x", "folder": "a/secret.txt"}),
            Says::Deny,
        ),
        ("git-diff", json!({}), Says::AskOnce),
        ("git-diff", json!({"file": "a"}), Says::AskOnce),
        ("git-diff", json!({"file": "b"}), Says::Allow),
        ("search", json!({"text": "x"}), Says::AskOnce),
        ("search", json!({"text": "x", "folder": "a"}), Says::AskOnce),
        ("search", json!({"text": "x", "folder": "b"}), Says::Allow),
        ("tree", json!({}), Says::AskOnce),
        ("tree", json!({"folder": "b"}), Says::Allow),
        ("git-log", json!({}), Says::Allow),
        ("read", json!({"file": "secret.txt"}), Says::Allow),
        (
            "write",
            json!({"file": "a/secret.txt", "content": "x"}),
            Says::Ask,
        ),
    ] {
        let said = judged(call("coder", command, arguments.clone()), &standing).0;
        assert_eq!(said, says, "{command} {arguments}");
    }
}

#[test]
fn a_file_that_may_not_be_read_is_shown_by_no_command_line() {
    let standing = ruled(&[("@coder read --file a/secret.txt", Action::Deny)]);
    for (line, says) in [
        ("cat a/secret.txt", Says::Deny),
        ("cat ./a//secret.txt", Says::Deny),
        ("cat 'a'/sec\"ret\".txt", Says::Deny),
        ("cat < a/secret.txt", Says::Deny),
        ("head -n 1 a/b/../secret.txt", Says::Deny),
        ("cat b && tail a/secret.txt", Says::Deny),
        ("grep -r x a/secret.txt", Says::Deny),
        ("git show HEAD:a/secret.txt", Says::Deny),
        ("git diff -- a/secret.txt", Says::Deny),
        ("cp a/secret.txt b", Says::Deny),
        ("cat /work/a/secret.txt", Says::Deny),
        ("sh -c 'cat a/secret.txt'", Says::Deny),
        ("dd if=a/secret.txt", Says::Deny),
        ("grep -r x .", Says::AskOnce),
        ("grep -rn x", Says::AskOnce),
        ("grep -R x a", Says::AskOnce),
        ("rg x", Says::AskOnce),
        ("rg x a", Says::AskOnce),
        ("rg -g '*.txt' x", Says::AskOnce),
        ("rg x -t txt", Says::AskOnce),
        ("grep -r -m 1 x", Says::AskOnce),
        ("grep -r --include '*.txt' x", Says::AskOnce),
        ("find", Says::AskOnce),
        ("find a -type f", Says::AskOnce),
        ("du -a", Says::AskOnce),
        ("tree", Says::AskOnce),
        ("find . -name x", Says::AskOnce),
        ("ls -R", Says::AskOnce),
        ("diff -r a b", Says::AskOnce),
        ("git diff", Says::AskOnce),
        ("git log -p", Says::AskOnce),
        ("git -C a show HEAD", Says::AskOnce),
        ("cat a/*", Says::AskOnce),
        ("cd a && cat secret.txt", Says::AskOnce),
        ("python3 b.py", Says::AskOnce),
        ("cat b/secret.txt", Says::Allow),
        ("cat a/other.txt", Says::Allow),
        ("grep -r x b", Says::Allow),
        ("grep -rn --include='*.txt' x b", Says::Allow),
        ("find b -name a", Says::Allow),
        ("rg -n x b/c", Says::Allow),
        ("grep a/secret.txt b/c", Says::Allow),
        ("ls a", Says::Allow),
        ("git status", Says::Allow),
        ("echo a/secret.txt", Says::Allow),
    ] {
        assert_eq!(exec(line, &standing), says, "{line}");
    }
}

#[test]
fn where_a_line_runs_counts_for_what_it_names() {
    let standing = ruled(&[("@coder read --file a/secret.txt", Action::Deny)]);
    let at = |dir: &str, line: &str| {
        judged(
            call("coder", "exec", json!({"cmd": line, "dir": dir})),
            &standing,
        )
        .0
    };
    assert_eq!(at("a", "cat secret.txt"), Says::Deny);
    assert_eq!(at("b", "cat secret.txt"), Says::Allow);
    assert_eq!(at("a", "rg x"), Says::AskOnce);
    assert_eq!(at("b", "rg x"), Says::Allow);
}

#[test]
fn a_rule_on_what_lies_outside_holds_for_command_lines() {
    let auto = Standing {
        mode: Mode::Auto,
        ..ruled(&[
            ("@coder read --file ../notes", Action::Deny),
            ("@coder read --file /home/me/plan", Action::Deny),
        ])
    };
    for (line, says) in [
        ("cat ../notes", Says::Deny),
        ("cat ../../notes/a", Says::Deny),
        ("cat /home/me/plan", Says::Deny),
        ("cat ~/plan", Says::AskOnce),
        ("ls ..", Says::AskOnce),
    ] {
        assert_eq!(exec(line, &auto), says, "{line}");
    }
}

#[test]
fn many_rules_on_files_are_each_held_against_a_long_line() {
    let patterns: Vec<String> = (0..2_000)
        .map(|n| format!("@coder read --file a/b{n}.txt"))
        .collect();
    let rules: Vec<(&str, Action)> = patterns
        .iter()
        .map(|pattern| (pattern.as_str(), Action::Deny))
        .collect();
    let standing = ruled(&rules);
    let line = format!("cat {}", "c/d.txt ".repeat(1_500));
    assert_eq!(exec(&line, &standing), Says::Allow);
    assert_eq!(exec(&format!("{line} a/b1999.txt"), &standing), Says::Deny);
}

#[test]
fn asks_are_not_switched_off_where_a_denied_file_may_be_opened() {
    let auto = Standing {
        mode: Mode::Auto,
        ..ruled(&[("@coder read --file secret.txt", Action::Deny)])
    };
    assert_eq!(exec("python3 b.py", &auto), Says::AskOnce);
    let allowed = ruled(&[
        ("@coder read --file secret.txt", Action::Deny),
        ("@coder exec --cmd 'cargo test'", Action::Allow),
    ]);
    assert_eq!(exec("cargo test", &allowed), Says::Allow);
    assert_eq!(exec("cargo test secret.txt", &allowed), Says::Deny);
}

#[test]
fn a_file_that_may_not_be_written_is_replaced_by_no_other_command() {
    let standing = ruled(&[("@coder write --file a/b.txt", Action::Deny)]);
    let patch = json!({"file": "a/b.txt", "old": "x", "new": "y"});
    assert_eq!(
        judged(call("coder", "patch", patch), &standing).0,
        Says::Deny
    );
    for (line, says) in [
        ("cp c a/b.txt", Says::Deny),
        ("make > a/b.txt", Says::Deny),
        ("sed -i s/a/b/ a/b.txt", Says::Deny),
        ("make", Says::AskOnce),
        ("cat a/b.txt", Says::Allow),
        ("rg x", Says::Allow),
    ] {
        assert_eq!(exec(line, &standing), says, "{line}");
    }
}

#[test]
fn a_rule_that_asks_about_a_file_takes_the_proof_of_reading_away() {
    let standing = ruled(&[("@coder read --file a", Action::Ask)]);
    assert_eq!(exec("cat a/b", &standing), Says::Ask);
    assert_eq!(exec("cat b", &standing), Says::Allow);
    let diff =
        |standing: &Standing| judged(call("coder", "git-diff", json!({"file": "a/b"})), standing).0;
    assert_eq!(diff(&standing), Says::Ask);
    let own = ruled(&[
        ("@coder read --file a", Action::Ask),
        ("@coder git-diff --file a", Action::Allow),
    ]);
    assert_eq!(diff(&own), Says::Allow);
}

#[test]
fn an_explanation_names_the_rule_on_the_file() {
    let standing = ruled(&[("@coder read --file secret.txt", Action::Deny)]);
    let told = explain(
        &call("coder", "exec", json!({"cmd": "cat secret.txt"})),
        &standing,
    );
    assert_eq!(
        told,
        [
            "@coder exec --cmd \"cat secret.txt\" would be refused",
            "because the rule \"@coder read --file secret.txt\" denies the file that it names (row 5)",
        ]
    );
    let told = explain(&call("coder", "exec", json!({"cmd": "rg x"})), &standing);
    assert_eq!(
        told.get(1).map(String::as_str),
        Some(
            "because the rule \"@coder read --file secret.txt\" denies a file that this may show (row 5)"
        )
    );
}

proptest! {
    #[test]
    fn a_rule_more_on_a_file_or_address_never_loosens(
        pattern in select(PATTERNS.to_vec()),
        action in select(vec![Action::Ask, Action::Deny]),
        other in select(PATTERNS.to_vec()),
        other_action in select(vec![Action::Allow, Action::Ask, Action::Deny]),
        asked in calls(),
    ) {
        let before = ruled(&[(other, other_action)]);
        let after = ruled(&[(other, other_action), (pattern, action)]);
        prop_assert!(judged(asked.clone(), &after).0 >= judged(asked, &before).0);
    }

    #[test]
    fn what_a_rule_denies_is_denied_beside_any_other_command(
        line in select(vec!["cat secret.txt", "head < secret.txt", "git show HEAD:secret.txt"]),
        other in select(vec!["ls", "cat b", "make", "python3 x.py", "cd a"]),
    ) {
        let standing = ruled(&[("@coder read --file secret.txt", Action::Deny)]);
        for joined in [format!("{line}; {other}"), format!("{other} && {line}"), format!("{line} | {other}")] {
            prop_assert_eq!(exec(&joined, &standing), Says::Deny, "{}", joined);
        }
    }
}

const PATTERNS: [&str; 10] = [
    "@coder",
    "@coder exec",
    "@coder exec --cmd cat",
    "@coder read --file a",
    "@coder search --folder a",
    "@coder write --file a/b",
    "@coder --file a",
    "@web fetch --url https://evil.example",
    "@web --url https://b.example/a",
    "@coder git-diff",
];

fn calls() -> impl Strategy<Value = bot_policy::call::Call> {
    let lines = select(vec![
        "cat a/b",
        "cat b",
        "rg x",
        "make",
        "sh -c 'cat a'",
        "cat $x",
    ]);
    let files = select(vec!["a", "a/b", "b", "../a", "/x/a", "."]);
    let urls = select(vec![
        "https://evil.example/a",
        "http://b.example/a",
        "https:evil.example",
    ]);
    let commands = select(vec!["read", "write", "patch", "git-diff", "git-log"]);
    prop_oneof![
        lines.prop_map(|line| call("coder", "exec", json!({"cmd": line}))),
        (commands, files.clone()).prop_map(|(name, file)| call(
            "coder",
            name,
            json!({"file": file})
        )),
        files.prop_map(|folder| call("coder", "search", json!({"text": "x", "folder": folder}))),
        urls.prop_map(|url| call("web", "fetch", json!({"url": url}))),
    ]
}

pub fn exec(line: &str, standing: &Standing) -> Says {
    judged(call("coder", "exec", json!({"cmd": line})), standing).0
}

/// The tool of Code conversations beside the web, in a folder of the owner's.
pub fn ruled(rules: &[(&str, Action)]) -> Standing {
    use ParameterRole::{Body, CommandLine, Destination, Note};
    let reads = |name: &str, parameters: &[(&str, ParameterRole, Needed)]| {
        taking(
            command(name, "coder.read", Change::Nothing, Reach::Here),
            parameters,
        )
    };
    let changes = |name: &str, parameters: &[(&str, ParameterRole, Needed)]| {
        taking(
            command(name, "coder.write", Change::Something, Reach::Here),
            parameters,
        )
    };
    let (yes, no) = (Needed::Yes, Needed::No);
    let coder = tool(
        "coder",
        vec![
            reads("read", &[("file", Destination, yes)]),
            reads(
                "search",
                &[("text", Note, yes), ("folder", Destination, no)],
            ),
            reads("tree", &[("folder", Destination, no)]),
            reads("git-diff", &[("file", Destination, no)]),
            reads("git-log", &[("file", Destination, no)]),
            reads("git-status", &[]),
            changes(
                "write",
                &[("file", Destination, yes), ("content", Body, yes)],
            ),
            changes(
                "patch",
                &[
                    ("file", Destination, yes),
                    ("old", Body, yes),
                    ("new", Body, yes),
                ],
            ),
            changes("exec", &[("cmd", CommandLine, yes), ("dir", Note, no)]),
        ],
    );
    let base = standing();
    let mut tools: Vec<_> = base
        .tools
        .iter()
        .filter(|tool| tool.name.as_str() != "coder")
        .cloned()
        .collect();
    tools.push(coder);
    let rules = rules.iter().map(|(pattern, action)| rule(pattern, *action));
    Standing {
        rules: Arc::new(Rules::in_force(rules.collect())),
        grants: Arc::new(Grants::shipped(base.scope, &tools)),
        tools: Arc::new(tools),
        folder: FolderTrust::Trusted,
        ..base
    }
}
