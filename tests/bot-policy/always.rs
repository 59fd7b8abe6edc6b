//! Always: which rule it would save, and where it is not offered.

use bot_policy::decide::{Mode, Says, Standing};
use bot_policy::rules::Action;
use bot_policy::taint::Taint;
use serde_json::json;

use crate::decide::unreadable;
use crate::world::{as_guest, asked, call, judged, rule, standing, with_rules, write_notes};

#[test]
fn always_prints_the_rule_that_would_allow_this_very_call() {
    let question = asked(write_notes(), &standing());
    let rule = rule("@files write --file \"notes.txt\"", Action::Allow);
    assert_eq!(question.always, Some(rule.clone()));
    assert_eq!(
        judged(write_notes(), &with_rules(vec![rule])),
        (Says::Allow, vec![13])
    );
}

#[test]
fn always_is_not_offered_where_it_could_not_be_kept() {
    let ruled = with_rules(vec![rule(
        "@files write --file notes.txt --content hello",
        Action::Ask,
    )]);
    assert_eq!(asked(write_notes(), &ruled).always, None);
    let marked = Standing {
        taint: Taint::outside("a page"),
        ..standing()
    };
    assert_eq!(asked(write_notes(), &marked).always, None);
    assert_eq!(asked(unreadable(), &standing()).always, None);
    let strange = call(
        "files",
        "write",
        json!({"file": "a\u{202e}b", "content": ""}),
    );
    assert_eq!(asked(strange, &standing()).always, None);
}

#[test]
fn always_says_a_path_in_its_normal_form_and_never_all_that_there_is() {
    let offered = |file: &str| {
        let write = call("files", "write", json!({"file": file, "content": ""}));
        asked(write, &standing()).always.map(|rule| rule.pattern)
    };
    let normal = Some("@files write --file \"a/c\"".to_owned());
    assert_eq!(offered("./a//b/../c"), normal);
    for file in [".", "a/..", "", "../a", "a\"b", "a  b"] {
        assert_eq!(offered(file), None, "{file}");
    }
}

#[test]
fn in_a_guests_place_the_owners_allows_plans_and_auto_do_not_speak() {
    let search = || call("memory", "search", json!({"query": "x"}));
    let mut standing = as_guest(with_rules(vec![
        rule("@memory search", Action::Ask),
        rule("@memory search --query x", Action::Allow),
    ]));
    standing.mode = Mode::Auto;
    standing.approvals = vec![rule("@memory", Action::Allow)];
    let question = asked(search(), &standing);
    assert_eq!((question.says, question.always), (Says::Ask, None));
    assert_eq!(question.reasons[0].because, "a rule asks");
    let shipped = as_guest(crate::world::standing());
    assert_eq!(judged(search(), &shipped), (Says::Allow, vec![13]));
}

/// What was always allowed of one command line would speak of the next: a shell in front of it
/// hides what runs, so nothing is kept at all.
#[test]
fn f58_nothing_is_kept_of_a_command_line_and_a_rule_for_one_speaks_of_no_other() {
    let run = |cmd: &str| call("coder", "exec", json!({"cmd": cmd}));
    let lines = [
        "env sh -c 'make a'",
        "zsh -lc 'make a'",
        "nice -n 5 timeout 3 make a",
        "busybox sh -c 'make a'",
        "command exec make a",
        "make a",
    ];
    for line in lines {
        let question = asked(run(line), &standing());
        assert_eq!((question.always, question.alike), (None, None), "{line}");
        let ruled = with_rules(vec![rule(
            &format!("@coder exec --cmd \"{line}\""),
            Action::Allow,
        )]);
        let other = line.replace("make a", "make b");
        let (says, _) = judged(run(&other), &ruled);
        assert_eq!(says, Says::Ask, "{line}, then {other}");
    }
}
