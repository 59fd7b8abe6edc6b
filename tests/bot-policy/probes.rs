//! What a reference does wrong with calls, gates, secrets and limits, turned round.

use std::sync::Arc;

use bot_policy::approval::{Choice, OpenQuestion, Press, Redeemed, State, redeem};
use bot_policy::call::{Arguments, Call};
use bot_policy::decide::{CanAsk, Dangerous, Limits, Mode, Says, Standing, Verdict, decide};
use bot_policy::grants::Grants;
use bot_policy::id::{CallId, PersonId, QuestionId, Timestamp, ToolName};
use bot_policy::secret::{MARKER, Redactor, Secret};
use bot_policy::tool::{Change, Reach};
use serde_json::{Value, json};

use crate::world::{
    asked, call, command, judged, place, read_notes, standing, tool, tools, write_notes,
};

/// Each probe that shows a weakness, with the test below that holds the opposite; or whose it is.
const TURNED_ROUND: [(&str, &str); 20] = [
    ("no perms under empty GrantPolicy", NO_PERMISSION),
    ("no perms under DenyAll", NO_PERMISSION),
    (
        "args outside declared scope",
        "arguments_decide_the_resource",
    ),
    ("gate returns 'no'", "a_gate_is_a_verdict_and_never_a_word"),
    ("gate returns None", "a_gate_is_a_verdict_and_never_a_word"),
    ("gate raises", "a_gate_is_a_verdict_and_never_a_word"),
    ("gate mutates args", "what_is_approved_is_what_runs"),
    (
        "policy returns None",
        "a_gate_is_a_verdict_and_never_a_word",
    ),
    (
        "policy allowed='no'",
        "a_gate_is_a_verdict_and_never_a_word",
    ),
    (
        "string permissions",
        "grants_are_lists_of_well_formed_texts",
    ),
    (
        "malformed permission at construction",
        "grants_are_lists_of_well_formed_texts",
    ),
    ("malformed permission no policy", NO_PERMISSION),
    (
        "approval_required='no'",
        "grants_are_lists_of_well_formed_texts",
    ),
    (
        "success content NOT redacted",
        "an_answer_is_cut_like_an_error",
    ),
    (
        "traceback of raise_on_error leaks via __cause__",
        "an_answer_is_cut_like_an_error",
    ),
    ("after deny used", "refusals_are_counted"),
    ("wall 0.5s fresh (1s headroom quirk)", GATEWAY),
    ("2-tuple output split", GATEWAY),
    ("replay NULL response, fallback=error", GATEWAY),
    ("replay forged status", GATEWAY),
];
const NO_PERMISSION: &str = "a_call_that_names_no_permission_is_denied";
const GATEWAY: &str = "the gateway runs, times, records and replays; nothing of it is judged here";

#[test]
fn each_weakness_is_a_probe_of_the_reference() {
    let probes: Value =
        serde_json::from_str(include_str!("../fixtures/policy/executor_probes.json")).unwrap();
    let probes = probes.as_object().unwrap();
    let missing: Vec<&str> = TURNED_ROUND
        .iter()
        .map(|(probe, _)| *probe)
        .filter(|probe| !probes.contains_key(*probe))
        .collect();
    let here = TURNED_ROUND.iter().filter(|(_, by)| *by != GATEWAY).count();
    eprintln!("probes: {} read, {here} turned round here", probes.len());
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn a_call_that_names_no_permission_is_denied() {
    let bare = tool(
        "bare",
        vec![command("run", "", Change::Nothing, Reach::Nowhere)],
    );
    let mut tools = tools();
    tools.push(bare);
    for grants in [Grants::default(), standing().grants.as_ref().clone()] {
        let standing = Standing {
            tools: Arc::new(tools.clone()),
            grants: Arc::new(grants),
            ..standing()
        };
        let (says, rows) = judged(call("bare", "run", json!({})), &standing);
        assert_eq!((says, rows), (Says::Deny, vec![4]));
    }
}

#[test]
fn arguments_decide_the_resource() {
    let standing = Standing {
        grants: Arc::new(Grants {
            grants: vec!["files.write:workspace/**".parse().unwrap()],
            approval_required: Vec::new(),
        }),
        ..standing()
    };
    for (file, says) in [
        ("workspace/a.txt", Says::Ask),
        ("workspace/../secrets.txt", Says::Deny),
        ("/workspace/a.txt", Says::Deny),
        ("other/a.txt", Says::Deny),
        ("workspace/**", Says::Deny),
    ] {
        let write = call("files", "write", json!({"file": file, "content": "x"}));
        assert_eq!(judged(write, &standing).0, says, "{file}");
    }
    let nowhere = call("files", "write", json!({"content": "x"}));
    assert_eq!(judged(nowhere, &standing).0, Says::Deny);
}

#[test]
fn a_gate_is_a_verdict_and_never_a_word() {
    let nobody = Standing {
        can_ask: CanAsk::No,
        ..standing()
    };
    let wipe = || call("files", "wipe", json!({}));
    assert!(matches!(
        decide(wipe(), &standing()).verdict,
        Verdict::Ask(_)
    ));
    assert!(matches!(decide(wipe(), &nobody).verdict, Verdict::Deny(_)));
    for mode in [Mode::Auto, Mode::Interactive] {
        let standing = Standing {
            mode,
            dangerous: Dangerous::AskOnce,
            ..standing()
        };
        assert_eq!(judged(wipe(), &standing).0, Says::AskOnce);
    }
}

#[test]
fn what_is_approved_is_what_runs() {
    let open = OpenQuestion {
        id: QuestionId(1),
        question: asked(write_notes(), &standing()),
        put_to: PersonId(1),
        places: vec![place("home")],
        state: State::Asked,
        ends_at: Timestamp(10),
    };
    let press = Press {
        by: PersonId(1),
        place: place("home"),
        choice: Choice::AllowOnce,
    };
    match redeem(&open, &press, &standing(), Timestamp(1)) {
        Redeemed::Permitted(permit, _) => assert_eq!(permit.redeem(), write_notes()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn grants_are_lists_of_well_formed_texts() {
    let fine = json!(["fs.write"]);
    for wrong in [
        json!("fs.write"),
        json!("no"),
        json!(null),
        json!([""]),
        json!([" : "]),
        json!([5]),
        json!({"fs.write": true}),
    ] {
        assert!(Grants::read(&wrong, &json!([])).is_err(), "{wrong}");
        assert!(Grants::read(&fine, &wrong).is_err(), "{wrong}");
    }
}

#[test]
fn an_answer_is_cut_like_an_error() {
    let redactor = Redactor::new([&Secret::new("s3cret-value".to_owned())]).unwrap();
    for text in ["got s3cret-value", "failed: bad s3cret-value"] {
        assert!(!redactor.cut(text).contains("s3cret"));
    }
    assert_eq!(
        redactor.cut_value(&json!({"v": "s3cret-value", "password": "p"})),
        json!({"v": MARKER, "password": MARKER})
    );
}

#[test]
fn refusals_are_counted() {
    let tired = Standing {
        limits: Limits {
            refusals_in_a_row: 3,
            ..standing().limits
        },
        ..standing()
    };
    assert_eq!(judged(read_notes(), &tired), (Says::Deny, vec![3]));
}

#[test]
fn arguments_that_are_no_object_are_kept_for_the_person_and_grant_nothing() {
    for text in ["\"a\"", "[1]", "null", "{\"file\": \"a\"", "{'file': 'a'}"] {
        let call = Call {
            id: CallId::new("1"),
            tool: ToolName::new("files"),
            command: "write".into(),
            arguments: Arguments::parse(text),
        };
        assert_eq!(call.arguments, Arguments::Unreadable(text.into()));
        assert_eq!(judged(call, &standing()).0, Says::Ask, "{text}");
    }
}
