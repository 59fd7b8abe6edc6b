//! All like this, and always block: what the buttons keep, and what they never lift.

use std::collections::BTreeMap;
use std::sync::Arc;

use bot_policy::access::Scope;
use bot_policy::approval::{Choice, Kept, OpenQuestion, Press, Redeemed, Refusal, State, redeem};
use bot_policy::call::Call;
use bot_policy::decide::{Says, Standing};
use bot_policy::id::{PersonId, QuestionId, Timestamp};
use bot_policy::rules::{Action, Rule, Rules};
use bot_policy::taint::Taint;
use serde_json::json;

use crate::world::{as_guest, asked, call, judged, place, rule, standing, with_rules, write_notes};

#[test]
fn all_like_this_names_tool_command_and_folder_and_lets_only_those_run() {
    let question = asked(write("notes/a.txt"), &standing());
    let alike = rule("@files write --file \"notes\"", Action::Allow);
    assert_eq!(question.alike, Some(alike.clone()));
    let kept = with(alike);
    for (file, says) in [
        ("notes/b.txt", Says::Allow),
        ("notes/deep/c.txt", Says::Allow),
        ("notes/../letters/a.txt", Says::Ask),
        ("notes.txt", Says::Ask),
        ("Notes/b.txt", Says::Ask),
    ] {
        assert_eq!(judged(write(file), &kept).0, says, "{file}");
    }
    let more = call(
        "files",
        "write",
        json!({"file": "notes/b.txt", "content": "", "mode": "777"}),
    );
    assert_eq!(judged(more, &kept).0, Says::Ask, "an argument nobody knows");
}

#[test]
fn all_like_this_outside_any_folder_names_the_very_thing() {
    let pattern = |call: Call| asked(call, &standing()).alike.map(|rule| rule.pattern);
    let named = "@files write --file \"notes.txt\"".to_owned();
    assert_eq!(pattern(write_notes()), Some(named.clone()));
    assert_eq!(pattern(write("./a/../notes.txt")), Some(named));
    for file in ["", ".", "/", "../a", "a\"b/c"] {
        assert_eq!(pattern(write(file)), None, "{file}");
    }
    let top = "@files write --file \"/a\"".to_owned();
    assert_eq!(pattern(write("/a")), Some(top));
    let post = call("share", "post", json!({}));
    assert_eq!(pattern(post), Some("@share post".to_owned()));
}

#[test]
fn an_approval_lifts_an_ask_rule_but_no_row_before_it() {
    let ruled = Standing {
        approvals: vec![rule("@files write", Action::Allow)],
        ..with_rules(vec![rule("@files write --file notes.txt", Action::Ask)])
    };
    assert_eq!(judged(write_notes(), &ruled), (Says::Allow, vec![12]));
    let marked = Standing {
        taint: Taint::outside("a page"),
        ..ruled.clone()
    };
    assert_eq!(judged(write_notes(), &marked), (Says::AskOnce, vec![9]));
    let denied = Standing {
        rules: Arc::new(Rules::in_force(vec![rule("@files", Action::Deny)])),
        ..ruled
    };
    assert_eq!(judged(write_notes(), &denied), (Says::Deny, vec![5]));
}

#[test]
fn no_approval_is_offered_for_or_lifts_what_runs_commands() {
    let make = || call("coder", "exec", json!({"cmd": "make"}));
    let question = asked(make(), &standing());
    assert_eq!((question.alike, question.block), (None, None));
    let approved = with(rule("@coder", Action::Allow));
    assert_eq!(judged(make(), &approved), (Says::Ask, vec![16]));
    let held = Standing {
        approvals: vec![rule("@files write", Action::Allow)],
        ..with_rules(vec![rule("@files exec --file x", Action::Ask)])
    };
    let nameless = call("files", "EXEC", json!({"file": "x"}));
    assert_ne!(judged(nameless, &held).0, Says::Allow);
}

#[test]
fn neither_a_guest_nor_an_incognito_chat_nor_an_ask_once_is_offered_more_than_once() {
    let marked = Standing {
        taint: Taint::outside("a page"),
        ..standing()
    };
    let question = asked(write_notes(), &marked);
    assert_eq!((question.says, question.alike), (Says::AskOnce, None));
    let search = call("memory", "search", json!({"query": "x"}));
    let guests = as_guest(with_rules(vec![rule("@memory search", Action::Ask)]));
    let question = asked(search, &guests);
    assert_eq!((question.alike, question.block), (None, None));
    let incognito = Standing {
        scope: Scope::OwnerIncognito,
        ..with_rules(vec![rule("@web", Action::Ask)])
    };
    let fetch = call("web", "fetch", json!({"url": "https://example.org/a"}));
    let question = asked(fetch, &incognito);
    assert_eq!((question.alike, question.block), (None, None));
}

#[test]
fn the_press_gives_what_the_card_showed_and_nothing_where_it_was_not_offered() {
    match press(Choice::AllLike, |_| {}, &standing()) {
        Redeemed::Permitted(_, kept) => assert_eq!(
            kept,
            Kept::Approval(rule("@files write --file \"notes.txt\"", Action::Allow))
        ),
        other => panic!("{other:?}"),
    }
    match press(Choice::AlwaysBlock, |_| {}, &standing()) {
        Redeemed::Denied(saved) => assert_eq!(
            saved,
            Some(rule("@files write --file \"notes.txt\"", Action::Deny))
        ),
        other => panic!("{other:?}"),
    }
    for choice in [Choice::AllLike, Choice::AlwaysBlock] {
        let bare = |open: &mut OpenQuestion| {
            open.question.alike = None;
            open.question.block = None;
        };
        match press(choice, bare, &standing()) {
            Redeemed::Refused(refusal) => assert_eq!(refusal, Refusal::NotADecision),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn all_like_this_is_not_kept_once_it_could_not_be_offered_any_more() {
    let gone = Standing {
        scope: Scope::OwnerIncognito,
        ..standing()
    };
    let denied = press(Choice::AllLike, |_| {}, &gone);
    assert!(matches!(denied, Redeemed::Refused(Refusal::DeniedNow)));
    let other = |open: &mut OpenQuestion| {
        open.question.alike = Some(rule("@files write", Action::Allow));
    };
    assert!(matches!(
        press(Choice::AllLike, other, &standing()),
        Redeemed::Changed
    ));
}

#[test]
fn what_always_block_saves_denies_this_very_call() {
    let marked = Standing {
        taint: Taint::outside("a page"),
        ..standing()
    };
    let saved = asked(write_notes(), &marked).block.unwrap();
    assert_eq!(
        judged(write_notes(), &with_rules(vec![saved])),
        (Says::Deny, vec![5])
    );
}

fn write(file: &str) -> Call {
    call("files", "write", json!({"file": file, "content": "x"}))
}

fn with(approval: Rule) -> Standing {
    Standing {
        approvals: vec![approval],
        ..standing()
    }
}

fn press(choice: Choice, change: fn(&mut OpenQuestion), standing: &Standing) -> Redeemed {
    let mut open = OpenQuestion {
        id: QuestionId(1),
        question: asked(write_notes(), &crate::world::standing()),
        put_to: PersonId(1),
        places: vec![place("home")],
        state: State::Asked,
        ends_at: Timestamp(10),
    };
    change(&mut open);
    open.question.ground = BTreeMap::new();
    let press = Press {
        by: PersonId(1),
        place: place("home"),
        choice,
    };
    redeem(&open, &press, standing, Timestamp(5))
}
