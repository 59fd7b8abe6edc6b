//! The recorded calls, answers and thresholds, judged as they should be.

use bot_policy::call::{Arguments, Call};
use bot_policy::decide::{Mode, Says};
use bot_policy::grants::Grants;
use bot_policy::metadata::Metadata;
use bot_policy::risk::{Risk, Threshold, assess, reply};
use bot_policy::rules::Action;
use bot_policy::tool::{Change, Needed, Origin, ParameterRole, Permission, Reach, ToolSpec};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::world::{call, command, judged, rule, standing, taking, tool, with_rules, write_notes};

#[derive(Deserialize)]
struct Row {
    id: u32,
    kind: String,
    input: Value,
    expected: Value,
}

/// Judged otherwise, or said by a type.
const OTHERWISE: [(u32, &str); 20] = [
    (8, "there is no such program where command lines run"),
    (90, "writing a file changes something, which is medium"),
    (99, "what cannot be read is of unknown risk"),
    (102, "what the command does not take makes its risk unknown"),
    (123, "there is no order to contradict"),
    (124, "there is no order to contradict"),
    (122, "there is no order to contradict"),
    (126, "there is no order to contradict"),
    (128, "a risk has no number"),
    (130, "a risk has no number"),
    (131, "a risk has no number"),
    (172, "medium would let no rule allow a write"),
    (235, "how a model is called is the gateway's"),
    (
        244,
        "a built-in tool of low risk only reads, which row 15 allows",
    ),
    (
        247,
        "row 11: unknown asks, and is refused where nobody answers",
    ),
    (
        248,
        "row 11: unknown asks, and is refused where nobody answers",
    ),
    (253, "an event is made only of a decision"),
    (254, "an event is made only of a decision"),
    (255, "an event is made only of a decision"),
    (
        238,
        "a rule cannot fail; unknown stands for what it cannot say",
    ),
];

/// Command lines that are judged more strictly, because the table asks for it.
const STRICTER: [(u32, &str); 10] = [
    (
        17,
        "git takes settings from a folder that nobody vouched for",
    ),
    (80, "make runs what a file says"),
    (
        85,
        "git takes settings from a folder that nobody vouched for",
    ),
    (86, "git reaches the net"),
    (88, "a forced push is dangerous, with a lease too"),
    (94, "an unknown program is no proven read"),
    (95, "an unknown program is no proven read"),
    (96, "an unknown program is no proven read"),
    (98, "an unknown program is no proven read"),
    (266, "a deny rule is read as widely as it may be meant"),
];

#[test]
fn each_recorded_judgement_of_risk_is_as_it_should_be() {
    let rows: Vec<Row> = include_str!("../fixtures/policy/risk.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (mut right, mut otherwise, mut stricter) = (0, 0, 0);
    let mut wrong = Vec::new();
    for row in &rows {
        if OTHERWISE.iter().any(|(id, _)| *id == row.id) {
            otherwise += 1;
            continue;
        }
        match judge(row) {
            Judged::Right => right += 1,
            Judged::Stricter if STRICTER.iter().any(|(id, _)| *id == row.id) => stricter += 1,
            Judged::Stricter => wrong.push(format!("{} {}: stricter", row.id, row.input)),
            Judged::Wrong(got) => wrong.push(format!(
                "{} {}: {got}, not {}",
                row.id, row.input, row.expected
            )),
        }
    }
    eprintln!(
        "risk: {right} as recorded, {otherwise} otherwise or by a type, {stricter} command lines stricter"
    );
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(stricter, STRICTER.len());
    assert_eq!(right + otherwise + stricter, 207);
}

enum Judged {
    Right,
    Stricter,
    Wrong(String),
}

fn judge(row: &Row) -> Judged {
    let is = |got: Value| {
        if got == row.expected {
            Judged::Right
        } else {
            Judged::Wrong(got.to_string())
        }
    };
    match row.kind.as_str() {
        "rule" => of_rule(row),
        "is_riskier_than" => {
            let (one, other) = (level(&row.input["self"]), level(&row.input["other"]));
            is(one.is_riskier_than(other).into())
        }
        "threshold" => {
            let threshold = match row.input["threshold"].as_str().unwrap() {
                "LOW" => Threshold::Always,
                "MEDIUM" => Threshold::Medium,
                // Unknown counts as high wherever it stands.
                _ => Threshold::High,
            };
            is(threshold.asks(level(&row.input["risk"])).into())
        }
        "never" => is(Threshold::Never.asks(level(&row.input)).into()),
        "always" => is(Threshold::Always.asks(level(&row.input)).into()),
        "llm_parse" => is(json!(reply(row.input.as_str()))),
        "composite" => {
            let rule = level(&row.input["rule"]);
            let said = reply(row.input["llm_reply"].as_str());
            let calls = u8::from(rule.can_be_raised());
            let got = json!(rule.raised_by(said));
            let same_calls = row
                .expected
                .get("llm_calls")
                .is_none_or(|expected| *expected == calls);
            if got == row.expected["risk"] && same_calls {
                Judged::Right
            } else {
                Judged::Wrong(got.to_string())
            }
        }
        "batch" => is(json!(bot_policy::risk::assess_all([]))),
        "checker" => is_behaviour(row),
        "sandbox_path" => {
            let grants =
                Grants::read(&json!(["fs.read", "fs.write:/workspace/**"]), &json!([])).unwrap();
            let wanted = Permission {
                name: format!("fs.{}", row.input["access"].as_str().unwrap()),
                resource: Some(row.input["path"].as_str().unwrap().into()),
            };
            is(grants.cover(&wanted).into())
        }
        "sandbox_command" => {
            let standing = with_rules(vec![rule("@coder exec --cmd rm", Action::Deny)]);
            let exec = call("coder", "exec", json!({"cmd": row.input}));
            let runs = !judged(exec, &standing).1.contains(&5);
            if row.expected == true && !runs {
                Judged::Stricter
            } else {
                is(runs.into())
            }
        }
        kind => panic!("{kind}"),
    }
}

fn of_rule(row: &Row) -> Judged {
    let name = row.input["tool"].as_str().unwrap();
    let spec = tools()
        .into_iter()
        .find(|spec| spec.name.as_str() == name)
        .unwrap();
    let arguments = match &row.input["arguments"] {
        Value::Object(map) => Arguments::Readable(map.clone()),
        other => Arguments::Unreadable(other.to_string()),
    };
    let call = Call {
        arguments,
        ..call(name, "", json!({}))
    };
    let got = assess(&spec, &call);
    let expected = level(&row.expected);
    if !got.is_riskier_than(expected) && !expected.is_riskier_than(got) {
        Judged::Right
    } else if got.is_riskier_than(expected) && name == "bash" {
        Judged::Stricter
    } else {
        Judged::Wrong(format!("{got:?}"))
    }
}

fn is_behaviour(row: &Row) -> Judged {
    let mut standing = match row.input.get("ask_rule") {
        None => standing(),
        Some(_) => with_rules(vec![rule("@files", Action::Ask)]),
    };
    standing.mode = match row.input.get("mode").and_then(Value::as_str) {
        Some("auto" | "bypass") => Mode::Auto,
        _ => Mode::Interactive,
    };
    standing.threshold = Threshold::Medium;
    let mut call = write_notes();
    match row.input["analyzer"].as_str().unwrap() {
        "HIGH" => {
            call = crate::world::call("files", "write", json!({"file": "/etc/x", "content": ""}))
        }
        "UNKNOWN" => {
            let mut tools = standing.tools.to_vec();
            for tool in &mut tools {
                tool.origin = Origin::Server {
                    name: "s".into(),
                    digest: "d".into(),
                };
            }
            standing.tools = std::sync::Arc::new(tools);
        }
        _ => {}
    }
    let got = match judged(call, &standing).0 {
        Says::Allow => "allow",
        Says::Ask | Says::AskOnce => "ask",
        Says::Deny => "deny",
    };
    if row.expected["behavior"] == got {
        Judged::Right
    } else {
        Judged::Wrong(got.into())
    }
}

fn level(value: &Value) -> Risk {
    serde_json::from_value(value.clone()).unwrap()
}

fn tools() -> Vec<ToolSpec> {
    use ParameterRole::{Body, CommandLine, Destination, Note};
    let one = |name: &str, change, parameters: &[(&str, ParameterRole)]| {
        let parameters: Vec<_> = parameters
            .iter()
            .map(|(name, role)| (*name, *role, Needed::No))
            .collect();
        tool(
            name,
            vec![taking(
                command("", "t.run", change, Reach::Here),
                &parameters,
            )],
        )
    };
    let mut delete = one(
        "delete_directory",
        Change::Something,
        &[("path", Destination), ("recursive", Note)],
    );
    delete.commands[0].metadata = Metadata {
        side_effects: vec!["delete".into()],
        ..Metadata::default()
    };
    vec![
        one("bash", Change::Something, &[("command", CommandLine)]),
        one("note", Change::NewMemory, &[("text", Body)]),
        one("read_file", Change::Nothing, &[("path", Destination)]),
        one("search", Change::Nothing, &[("query", Note)]),
        one(
            "write_file",
            Change::Something,
            &[("path", Destination), ("content", Body)],
        ),
        delete,
    ]
}
