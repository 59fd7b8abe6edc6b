//! The laws of design, over many made-up worlds.

use std::collections::BTreeSet;
use std::sync::Arc;

use bot_policy::access::Scope;
use bot_policy::approval::{
    Choice, Kept, OpenQuestion, Press, Question, Redeemed, State, redeem, resume,
};
use bot_policy::call::Call;
use bot_policy::decide::{CanAsk, Mode, Says, Standing, Surface, Verdict, decide};
use bot_policy::grants::Grants;
use bot_policy::id::{PersonId, QuestionId, SourceName, Timestamp};
use bot_policy::risk::Threshold;
use bot_policy::rules::{Action, Rule, Rules};
use bot_policy::taint::{Origins, Taint};
use bot_policy::visible::show;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::world::{as_guest, call, judged, place, rule, standing};

proptest! {
    #[test]
    fn law_1_more_taint_never_loosens(call in calls(), standing in standings(), more in taints()) {
        let marked = Standing { taint: standing.taint.clone().join(&more), ..standing.clone() };
        let before = judged(call.clone(), &standing).0;
        let after = judged(call, &marked).0;
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
        choice in select(vec![Choice::AllLike, Choice::AllowOnce, Choice::Always, Choice::AlwaysBlock, Choice::Deny, Choice::ShowAll]),
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
                Choice::AlwaysBlock | Choice::Deny | Choice::ShowAll => prop_assert!(false, "it is no yes"),
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
        owners.push(rule(pattern, Action::Deny));
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

fn calls() -> impl Strategy<Value = Call> {
    select(vec![
        call("files", "read", json!({"file": "a/b.txt"})),
        call("files", "read", json!({"file": "../b"})),
        call("files", "write", json!({"file": "a/b.txt", "content": "x"})),
        call(
            "files",
            "write",
            json!({"file": "policy.json", "content": "x"}),
        ),
        call("files", "write", json!({"file": 3})),
        call("files", "wipe", json!({})),
        call("files", "nothing", json!({})),
        call("coder", "exec", json!({"cmd": "ls"})),
        call("email", "send", json!({"to": "a", "body": "b"})),
        call("memory", "save", json!({"text": "x"})),
        call("memory", "search", json!({"query": "x"})),
        call("share", "look", json!({})),
        call("share", "post", json!({})),
        call("share", "tell", json!({})),
        call("web", "fetch", json!({"url": "https://example.org"})),
        call("unknown", "", json!({})),
    ])
}

fn patterns() -> impl Strategy<Value = &'static str> {
    select(vec![
        "@files",
        "@files write",
        "@files write --file a",
        "@files read --file a/b.txt",
        "@memory search",
        "@memory search --query x",
        "@memory save",
        "@share",
        "@share post",
        "@web fetch",
        "@email",
        "@coder exec",
    ])
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    let action = select(vec![
        Action::Allow,
        Action::Allow,
        Action::Ask,
        Action::Deny,
    ]);
    let one = (patterns(), action).prop_map(|(pattern, action)| rule(pattern, action));
    proptest::collection::vec(one, 0..4)
}

fn origins() -> impl Strategy<Value = Origins> {
    prop_oneof![
        Just(Origins::None),
        Just(Origins::Many),
        proptest::collection::btree_set("[a-f]{1,2}", 1..9).prop_map(Origins::Few),
    ]
}

fn taints() -> impl Strategy<Value = Taint> {
    let sensitive =
        proptest::collection::btree_set(select(vec!["bank", "crm"]), 0..2).prop_map(|names| {
            names
                .into_iter()
                .map(SourceName::new)
                .collect::<BTreeSet<_>>()
        });
    (origins(), origins(), sensitive).prop_map(|(outside, private, sensitive)| Taint {
        outside,
        private,
        sensitive,
    })
}

fn standings() -> impl Strategy<Value = Standing> {
    let clean_or_not = prop_oneof![Just(Taint::default()), taints()];
    let threshold = select(vec![
        Threshold::Always,
        Threshold::High,
        Threshold::Medium,
        Threshold::Never,
    ]);
    let mode = select(vec![Mode::Auto, Mode::Interactive, Mode::Interactive]);
    let scope = select(vec![
        Scope::Owner,
        Scope::Owner,
        Scope::Group,
        Scope::OwnerIncognito,
    ]);
    (
        rules(),
        rules(),
        clean_or_not,
        threshold,
        mode,
        scope,
        any::<bool>(),
    )
        .prop_map(
            |(owners, approvals, taint, threshold, mode, scope, narrow)| {
                let base = standing();
                let grants = if narrow {
                    Arc::new(Grants::shipped(Scope::Guest, &base.tools))
                } else {
                    base.grants.clone()
                };
                Standing {
                    rules: Arc::new(Rules::in_force(owners)),
                    approvals,
                    taint,
                    threshold,
                    mode,
                    scope,
                    grants,
                    ..base
                }
            },
        )
}
