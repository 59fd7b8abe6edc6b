//! Presses, and questions that a restart found approved.

use std::collections::BTreeMap;
use std::sync::Arc;

use bot_policy::approval::{
    Choice, Kept, OpenQuestion, Press, Redeemed, Refusal, State, redeem, resume,
};
use bot_policy::decide::Standing;
use bot_policy::grants::Grants;
use bot_policy::id::{PersonId, QuestionId, Timestamp};
use bot_policy::rules::Action;
use bot_policy::taint::Taint;

use crate::world::{asked, guest, place, rule, standing, with_rules, write_notes};

#[test]
fn the_right_press_runs_the_call_that_was_shown() {
    match press(|_| {}, |_| {}, &standing()) {
        Redeemed::Permitted(permit, Kept::Nothing) => assert_eq!(permit.redeem(), write_notes()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn always_gives_the_rule_that_the_card_showed() {
    match press(|_| {}, |press| press.choice = Choice::Always, &standing()) {
        Redeemed::Permitted(_, Kept::Rule(saved)) => {
            assert_eq!(
                saved,
                rule("@files write --file \"notes.txt\"", Action::Allow)
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_no_is_a_no() {
    let pressed = press(|_| {}, |press| press.choice = Choice::Deny, &standing());
    assert!(matches!(pressed, Redeemed::Denied(None)));
}

#[test]
fn show_all_and_an_always_that_was_not_offered_decide_nothing() {
    let shown = press(|_| {}, |press| press.choice = Choice::ShowAll, &standing());
    assert_eq!(refusal(shown), Refusal::NotADecision);
    let always = press(
        |open| open.question.always = None,
        |press| press.choice = Choice::Always,
        &standing(),
    );
    assert_eq!(refusal(always), Refusal::NotADecision);
}

#[test]
fn only_the_person_it_was_put_to_answers() {
    let pressed = press(|_| {}, |press| press.by = PersonId(2), &standing());
    assert_eq!(refusal(pressed), Refusal::WrongPerson);
    let judged_for_another = Standing {
        person: guest(),
        ..standing()
    };
    let pressed = press(|_| {}, |_| {}, &judged_for_another);
    assert_eq!(refusal(pressed), Refusal::WrongPerson);
}

#[test]
fn a_press_counts_only_where_the_card_stands() {
    let pressed = press(
        |_| {},
        |press| press.place = place("elsewhere"),
        &standing(),
    );
    assert_eq!(refusal(pressed), Refusal::WrongPlace);
}

#[test]
fn a_question_is_answered_once() {
    for state in [
        State::Approved,
        State::Changed,
        State::Done,
        State::Refused,
        State::Started,
        State::Unknown,
        State::Withdrawn,
    ] {
        let pressed = press(|open| open.state = state, |_| {}, &standing());
        assert_eq!(refusal(pressed), Refusal::Closed, "{state:?}");
    }
}

#[test]
fn silence_is_no() {
    let late = press(|open| open.ends_at = NOW, |_| {}, &standing());
    assert_eq!(refusal(late), Refusal::Expired);
    let closed = press(|open| open.state = State::Expired, |_| {}, &standing());
    assert_eq!(refusal(closed), Refusal::Expired);
}

#[test]
fn what_the_table_denies_today_does_not_run() {
    let denied = with_rules(vec![rule("@files", Action::Deny)]);
    assert_eq!(refusal(press(|_| {}, |_| {}, &denied)), Refusal::DeniedNow);
    let unpaired = Standing {
        grants: Arc::new(Grants::default()),
        ..standing()
    };
    assert_eq!(
        refusal(press(|_| {}, |_| {}, &unpaired)),
        Refusal::DeniedNow
    );
}

#[test]
fn what_is_stricter_today_is_asked_again() {
    let marked = Standing {
        taint: Taint::outside("a page"),
        ..standing()
    };
    assert!(matches!(press(|_| {}, |_| {}, &marked), Redeemed::Changed));
}

#[test]
fn a_changed_ground_is_asked_again() {
    let moved = Standing {
        ground: BTreeMap::from([("notes.txt".into(), "another digest".into())]),
        ..standing()
    };
    assert!(matches!(press(|_| {}, |_| {}, &moved), Redeemed::Changed));
    assert!(resume(&approved(), &moved).is_none());
}

#[test]
fn what_is_milder_today_runs() {
    let allowed = with_rules(vec![rule("@files write", Action::Allow)]);
    let pressed = press(|_| {}, |_| {}, &allowed);
    assert!(matches!(pressed, Redeemed::Permitted(_, Kept::Nothing)));
}

#[test]
fn an_always_that_could_not_be_kept_today_is_asked_again() {
    let ruled = with_rules(vec![rule(
        "@files write --file notes.txt --content hello",
        Action::Ask,
    )]);
    let pressed = press(|_| {}, |press| press.choice = Choice::Always, &ruled);
    assert!(matches!(pressed, Redeemed::Changed));
}

#[test]
fn after_a_restart_only_an_approved_question_runs_and_only_if_it_still_holds() {
    let permit = resume(&approved(), &standing()).expect("it was approved");
    assert_eq!(permit.redeem(), write_notes());
    assert!(resume(&open(), &standing()).is_none());
    let denied = with_rules(vec![rule("@files", Action::Deny)]);
    assert!(resume(&approved(), &denied).is_none());
    let marked = Standing {
        taint: Taint::outside("a page"),
        ..standing()
    };
    assert!(resume(&approved(), &marked).is_none());
    let started = OpenQuestion {
        state: State::Started,
        ..open()
    };
    assert!(resume(&started, &standing()).is_none());
}

const NOW: Timestamp = Timestamp(1_000);

fn open() -> OpenQuestion {
    OpenQuestion {
        id: QuestionId(1),
        question: asked(write_notes(), &standing()),
        put_to: PersonId(1),
        places: vec![place("home"), place("page")],
        state: State::Asked,
        ends_at: NOW.plus_seconds(1),
    }
}

fn approved() -> OpenQuestion {
    OpenQuestion {
        state: State::Approved,
        ..open()
    }
}

fn press(
    question: impl FnOnce(&mut OpenQuestion),
    pressed: impl FnOnce(&mut Press),
    standing: &Standing,
) -> Redeemed {
    let mut open = open();
    question(&mut open);
    let mut press = Press {
        by: PersonId(1),
        place: place("page"),
        choice: Choice::AllowOnce,
    };
    pressed(&mut press);
    redeem(&open, &press, standing, NOW)
}

fn refusal(redeemed: Redeemed) -> Refusal {
    match redeemed {
        Redeemed::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}
