//! The laws of design, over many made-up worlds.

use std::sync::Arc;

use bot_policy::access::Scope;
use bot_policy::approval::{
    Choice, Kept, OpenQuestion, Press, Question, Redeemed, State, redeem, resume,
};
use bot_policy::decide::{CanAsk, Says, Standing, Surface, Verdict, decide};
use bot_policy::id::{PersonId, QuestionId, Timestamp};
use bot_policy::risk::Risk;
use bot_policy::rules::{Action, Rules};
use bot_policy::visible::show;
use proptest::prelude::*;
use proptest::sample::select;

use crate::decide::sensitive;
use crate::world::{as_guest, judged, place, rule};
use crate::worlds::{calls, patterns, standings, taints};

proptest! {
    #[test]
    fn law_1_more_taint_never_loosens(call in calls(), standing in standings(), more in taints()) {
        let marked = Standing { taint: standing.taint.clone().join(&more), ..standing.clone() };
        let before = judged(call.clone(), &standing).0;
        let after = judged(call, &marked).0;
        prop_assert!(after >= before, "{before:?} became {after:?}");
    }

    #[test]
    fn law_1_a_sensitive_mark_more_loosens_no_row_of_the_marks(
        call in calls(),
        standing in standings(),
        source in select(vec!["bank", "crm", "other"]),
    ) {
        let marked = Standing { taint: standing.taint.clone().join(&sensitive(source)), ..standing.clone() };
        let row = |standing: &Standing, row| {
            let trace = decide(call.clone(), standing).trace;
            trace.iter().filter(|finding| finding.row == row).map(|finding| finding.says).max()
        };
        for number in 8..=10 {
            let (before, after) = (row(&standing, number), row(&marked, number));
            prop_assert!(after >= before, "row {number}: {before:?} became {after:?}");
        }
    }

    #[test]
    fn law_1_a_second_judge_of_risk_never_loosens(
        call in calls(),
        standing in standings(),
        second in select(vec![Risk::Low, Risk::Medium, Risk::High, Risk::Unknown]),
    ) {
        let before = judged(call.clone(), &standing).0;
        let after = judged(call, &Standing { second, ..standing }).0;
        prop_assert!(after >= before, "{before:?} became {after:?}");
    }

    #[test]
    fn law_1_a_guest_is_never_allowed_what_the_owner_is_asked(
        call in calls(),
        standing in standings(),
    ) {
        let standing = Standing { scope: Scope::Owner, ..standing };
        let owners = judged(call.clone(), &standing).0;
        let guests = judged(call, &as_guest(standing)).0;
        prop_assert!(guests >= owners, "owner {owners:?}, guest {guests:?}");
    }

    #[test]
    fn law_3_only_the_right_press_in_time_runs(
        call in calls(),
        standing in standings(),
        today in standings(),
        state in states(),
        by in 1_i64..3,
        place_is in select(vec!["home", "page", "other"]),
        now in 0_i64..4,
        choice in select(vec![Choice::AllLike, Choice::AllowOnce, Choice::Always, Choice::AlwaysBlock, Choice::Deny, Choice::More, Choice::ShowAll]),
    ) {
        let Verdict::Ask(question) = decide(call, &standing).verdict else { return Ok(()) };
        let open = open(question, state);
        let press = Press { by: PersonId(by), place: place(place_is), choice };
        if let Redeemed::Permitted(permit, saved) = redeem(&open, &press, &today, Timestamp(now)) {
            prop_assert_eq!((by, state), (1, State::Asked));
            prop_assert!(place_is != "other" && now < 2);
            prop_assert_eq!(permit.call(), &open.question.call);
            let today = judged(permit.redeem(), &Standing { can_ask: CanAsk::Yes, surface: Surface::Chat, ..today });
            prop_assert!(today.0 <= open.question.says);
            match choice {
                Choice::AllLike => prop_assert_eq!(Some(saved), open.question.alike.map(Kept::Approval)),
                Choice::AllowOnce => prop_assert_eq!(saved, Kept::Nothing),
                Choice::Always => prop_assert_eq!(Some(saved), open.question.always.map(Kept::Rule)),
                Choice::AlwaysBlock | Choice::Deny | Choice::More | Choice::ShowAll => prop_assert!(false, "it is no yes"),
            }
        }
    }

    #[test]
    fn law_4_what_started_never_runs_again(call in calls(), standing in standings(), state in states()) {
        let Verdict::Ask(question) = decide(call, &standing).verdict else { return Ok(()) };
        let resumed = resume(&open(question, state), &standing);
        prop_assert!(resumed.is_none() || state == State::Approved);
    }

    #[test]
    fn law_5_what_is_decided_is_decided_again_alike(call in calls(), standing in standings()) {
        let one = decide(call.clone(), &standing);
        let other = decide(call, &standing);
        prop_assert_eq!(one.trace, other.trace);
        prop_assert_eq!(format!("{:?}", one.verdict), format!("{:?}", other.verdict));
    }

    #[test]
    fn law_8_what_is_permitted_is_the_very_call(call in calls(), standing in standings()) {
        if let Verdict::Allow(permit) = decide(call.clone(), &standing).verdict {
            prop_assert_eq!(permit.redeem(), call);
        }
    }

    #[test]
    fn an_approval_more_never_lifts_what_asks_once_or_is_denied(
        call in calls(),
        standing in standings(),
        pattern in patterns(),
    ) {
        let before = judged(call.clone(), &standing).0;
        let mut approvals = standing.approvals.clone();
        approvals.push(rule(&pattern, Action::Allow));
        let after = judged(call, &Standing { approvals, ..standing }).0;
        prop_assert!(after == before || (before == Says::Ask && after == Says::Allow));
    }

    #[test]
    fn what_a_card_offers_would_allow_or_deny_this_very_call(
        call in calls(),
        standing in standings(),
    ) {
        let Verdict::Ask(question) = decide(call.clone(), &standing).verdict else { return Ok(()) };
        let ruled = |rule| {
            let mut owners = standing.rules.owners().to_vec();
            owners.push(rule);
            Standing { rules: Arc::new(Rules::in_force(owners)), ..standing.clone() }
        };
        if let Some(rule) = question.always {
            prop_assert_eq!(judged(call.clone(), &ruled(rule)).0, Says::Allow);
        }
        if let Some(rule) = question.block {
            prop_assert_eq!(judged(call.clone(), &ruled(rule)).0, Says::Deny);
        }
        if let Some(rule) = question.alike {
            let mut approvals = standing.approvals.clone();
            approvals.push(rule);
            prop_assert_eq!(judged(call, &Standing { approvals, ..standing }).0, Says::Allow);
        }
    }

    #[test]
    fn law_5_without_grants_rules_or_tools_nothing_runs(call in calls(), standing in standings()) {
        let nobody = Standing { grants: Arc::default(), ..standing.clone() };
        prop_assert_eq!(judged(call.clone(), &nobody).0, Says::Deny);
        let bare = Standing { tools: Arc::default(), ..standing };
        prop_assert_eq!(judged(call, &bare).0, Says::Deny);
    }

    #[test]
    fn ask_once_is_never_more_than_once(call in calls(), standing in standings()) {
        if let Verdict::Ask(question) = decide(call, &standing).verdict {
            let more = question.always.is_some() || question.alike.is_some();
            prop_assert!(question.says == Says::Ask || !more);
        }
    }

    #[test]
    fn nobody_is_asked_who_is_not_there(call in calls(), standing in standings()) {
        let away = Standing { surface: Surface::Unattended, ..standing };
        prop_assert!(!matches!(decide(call, &away).verdict, Verdict::Ask(_)));
    }

    #[test]
    fn a_deny_rule_more_never_loosens(call in calls(), standing in standings(), pattern in patterns()) {
        let mut owners = standing.rules.owners().to_vec();
        owners.push(rule(&pattern, Action::Deny));
        let stricter = Standing { rules: Arc::new(Rules::in_force(owners)), ..standing.clone() };
        prop_assert!(judged(call.clone(), &stricter).0 >= judged(call, &standing).0);
    }

    #[test]
    fn marks_only_grow(one in taints(), two in taints(), three in taints()) {
        prop_assert_eq!(one.clone().join(&two), two.clone().join(&one));
        prop_assert_eq!(one.clone().join(&one), one.clone());
        prop_assert_eq!(
            one.clone().join(&two).join(&three),
            one.clone().join(&two.clone().join(&three))
        );
        let both = one.clone().join(&two);
        prop_assert_eq!(both.clone().join(&one), both.clone());
        prop_assert!(both.outside.is_marked() || !one.outside.is_marked());
        prop_assert!(both.private.is_marked() || !two.private.is_marked());
        prop_assert!(both.sensitive.is_superset(&one.sensitive));
    }

    #[test]
    fn law_8_what_is_shown_hides_nothing(text in any::<String>()) {
        let hidden = |c: char| {
            (c.is_control() && c != '\n' && c != '\t')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
                || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}' | '\u{1f6aa}')
        };
        prop_assert!(!show(&text).as_str().chars().any(hidden));
    }
}

fn open(question: Question, state: State) -> OpenQuestion {
    OpenQuestion {
        id: QuestionId(1),
        question,
        put_to: PersonId(1),
        places: vec![place("home"), place("page")],
        state,
        ends_at: Timestamp(2),
    }
}

fn states() -> impl Strategy<Value = State> {
    select(vec![
        State::Approved,
        State::Asked,
        State::Changed,
        State::Done,
        State::Expired,
        State::Refused,
        State::Started,
        State::Unknown,
        State::Withdrawn,
    ])
}
