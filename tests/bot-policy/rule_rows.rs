//! The recorded calls, rules and names, judged as they should be.

use std::sync::Arc;

use bot_policy::call::Call;
use bot_policy::decide::{Says, Standing};
use bot_policy::effective::typed;
use bot_policy::grants::Grants;
use bot_policy::id::SourceName;
use bot_policy::rules::{Rule, Rules, suggestion};
use bot_policy::tool::{Change, CommandSpec, Needed, ParameterRole, Reach, ToolSpec};
use serde::Deserialize;

use crate::world::{command, judged, standing, taking, tool};

#[derive(Deserialize)]
struct Row {
    kind: String,
    input: String,
    expected: String,
    #[serde(default)]
    context: Context,
}

#[derive(Default, Deserialize)]
struct Context {
    #[serde(default)]
    rules: Vec<WrittenRule>,
    #[serde(default)]
    readonly_tools: Vec<String>,
}

/// A rule as a hand may have written it, unreadable patterns included.
#[derive(Deserialize)]
struct WrittenRule {
    pattern: String,
    action: bot_policy::rules::Action,
}

/// The table says otherwise, and it wins.
const OTHERWISE: [(&str, &str); 8] = [
    (
        r#"@coder {"cmd": "exec"}"#,
        "row 7: a command line that is not there cannot be judged",
    ),
    ("@coder readlink foo", UNKNOWN),
    ("@coder readsomething", UNKNOWN),
    ("@coder read-all x", UNKNOWN),
    ("@coder read_all x", UNKNOWN),
    (r#"@coder {"cmd": "READ", "args": {"file": "x"}}"#, UNKNOWN),
    ("@unknown", "row 1: there is no such tool"),
    (
        r#"run_command {"cmd":"go build ./..."}"#,
        "row 1: there is no such tool",
    ),
];
const UNKNOWN: &str = "row 4: an unknown command needs a permission that nobody holds";

#[test]
fn each_recorded_call_is_judged_as_it_should_be() {
    let rows = rows(include_str!("../fixtures/policy/rules.jsonl"));
    let (mut exact, mut otherwise) = (0, 0);
    let mut wrong = Vec::new();
    for row in &rows {
        let standing = world(row);
        let call = typed(&row.input, &standing.tools).unwrap();
        let got = said(judged(call.clone(), &standing).0);
        if OTHERWISE.iter().any(|(input, _)| *input == row.input) {
            assert_eq!(got, "deny", "{}", row.input);
            otherwise += 1;
        } else if got == row.expected {
            exact += 1;
        } else if row.input.contains("cat a | sh") {
            // What is an entry of the immune list asks every time.
            assert_eq!(got, "ask");
            otherwise += 1;
        } else {
            wrong.push(format!(
                "{} {:?}: {got}, not {}",
                row.input,
                judged(call, &standing).1,
                row.expected
            ));
        }
    }
    eprintln!("rules: {exact} as recorded, {otherwise} by the table");
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(exact + otherwise, 103);
}

#[test]
fn each_recorded_name_is_reduced_as_it_should_be() {
    let rows = rows(include_str!("../fixtures/policy/names.jsonl"));
    let mut wrong = Vec::new();
    for row in &rows {
        let got = match row.kind.as_str() {
            "normalize" => normal(&typed(&format!("@coder {}", row.input), &[]).unwrap()),
            _ => suggestion(&typed(&row.input, &[]).unwrap()).unwrap_or("(none offered)".into()),
        };
        let none = row.expected.is_empty() && got == "(none offered)";
        if got != row.expected && !none {
            wrong.push(format!("{}: {got}, not {}", row.input, row.expected));
        }
    }
    eprintln!("names: {} rows", rows.len());
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(rows.len(), 26);
}

fn normal(call: &Call) -> String {
    let name = call.rule_name();
    let name = match call.command.as_str() {
        "" => "",
        _ => name.strip_prefix("@coder ").unwrap(),
    };
    format!("sub={};norm={name}", call.command)
}

fn said(says: Says) -> &'static str {
    match says {
        Says::Allow => "allow",
        Says::Ask | Says::AskOnce => "ask",
        Says::Deny => "deny",
    }
}

fn rows(text: &str) -> Vec<Row> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The owner in a Code conversation, with the rules of the row.
fn world(row: &Row) -> Standing {
    let mut tools = tools();
    for name in &row.context.readonly_tools {
        tools.retain(|tool| format!("@{}", tool.name) != *name || name == "@coder");
        let plain = command("", "plain.read", Change::Nothing, Reach::Net(String::new()));
        let mut plain = taking(
            plain,
            &[
                ("query", ParameterRole::Note, Needed::No),
                ("url", ParameterRole::Destination, Needed::No),
            ],
        );
        plain.name = String::new();
        if name != "@coder" {
            tools.push(tool(name.trim_start_matches('@'), vec![plain]));
        }
    }
    let rules = row.context.rules.iter();
    let rules = rules
        .map(|rule| Rule {
            pattern: rule.pattern.clone(),
            action: rule.action,
        })
        .collect();
    Standing {
        rules: Arc::new(Rules::in_force(rules)),
        grants: Arc::new(Grants::shipped(bot_policy::access::Scope::Owner, &tools)),
        tools: Arc::new(tools),
        ..standing()
    }
}

fn tools() -> Vec<ToolSpec> {
    use ParameterRole::{Body, CommandLine, Destination, Note};
    let (yes, no) = (Needed::Yes, Needed::No);
    let files = |name: &str, change, parameters: &[(&str, ParameterRole, Needed)]| -> CommandSpec {
        let mut made = taking(
            command(name, &format!("coder.{name}"), change, Reach::Here),
            parameters,
        );
        made.resource = Some("file".into());
        made
    };
    let (reads, writes) = (Change::Nothing, Change::Something);
    let plain = |name: &str| {
        command(
            name,
            "plain.run",
            writes,
            Reach::Source(SourceName::new("other")),
        )
    };
    let mut mutate = plain("");
    mutate.name = String::new();
    let served = taking(mutate.clone(), &[("path", Note, no)]);
    vec![
        tool(
            "coder",
            vec![
                files(
                    "read",
                    reads,
                    &[
                        ("file", Destination, no),
                        ("start", Note, no),
                        ("end", Note, no),
                        ("path", Destination, no),
                    ],
                ),
                files(
                    "write",
                    writes,
                    &[
                        ("file", Destination, yes),
                        ("content", Body, no),
                        ("append", Note, no),
                    ],
                ),
                files(
                    "patch",
                    writes,
                    &[("file", Destination, yes), ("search", Body, no)],
                ),
                files("tree", reads, &[("path", Destination, no)]),
                files(
                    "search",
                    reads,
                    &[("term", Body, yes), ("path", Destination, no)],
                ),
                files("git-status", reads, &[]),
                files("git-diff", reads, &[]),
                files(
                    "exec",
                    writes,
                    &[("cmd", CommandLine, yes), ("dir", Destination, no)],
                ),
                files("test", writes, &[("cmd", CommandLine, yes)]),
            ],
        ),
        tool("mutatetool", vec![mutate]),
        tool("mcp_fs_write", vec![served]),
    ]
}
