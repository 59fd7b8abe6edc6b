//! What a person reads of the tools.

use bot_policy::id::{SourceName, ToolName};
use bot_policy::metadata::{Cost, Idempotence, Metadata};
use bot_policy::tool::{
    AlwaysAsk, Change, CommandSpec, Needed, Origin, Parameter, ParameterRole, Reach, Reads,
    ToolSpec,
};
use gateway::cli::tools::render;

use crate::keeper::{Home, read};

#[test]
fn each_command_is_shown_with_what_it_does_and_needs() {
    let home = Home::new();
    let output = home.command(&["tools"]).output().unwrap();
    let (code, out, err) = read(&output);
    assert_eq!((code, err), (0, ""));
    for line in [
        "@web: reads pages of the web and searches it",
        "  fetch     only reads, reaches the net, brings outside content; needs web.fetch; says of itself: timeout_seconds",
        "  forget    changes something; needs memory.forget",
        "  save      saves a memory; needs memory.save",
    ] {
        assert!(
            out.lines().any(|shown| shown == line),
            "{line} not in {out}"
        );
    }
}

#[test]
fn what_a_server_says_of_its_tool_is_shown_by_name_and_a_bank_is_only_suggested() {
    let pay = CommandSpec {
        name: "pay".into(),
        description: "pays".into(),
        parameters: vec![Parameter {
            name: "line".into(),
            description: "what to run".into(),
            role: ParameterRole::CommandLine,
            needed: Needed::Yes,
        }],
        change: Change::Something,
        reach: Reach::Source(SourceName::new("savings-bank")),
        reads: Reads::Private,
        permission: "bank.pay".into(),
        resource: Some("account".into()),
        always_ask: AlwaysAsk::Yes,
        metadata: Metadata {
            cost: Cost::Costly,
            idempotence: Idempotence::Repeatable,
            side_effects: vec!["moves\u{202e}money".into()],
            timeout_seconds: Some(7),
        },
    };
    let server = |name: &str| ToolSpec {
        name: ToolName::new("pay"),
        origin: Origin::Server {
            name: name.into(),
            digest: "d".into(),
        },
        description: "says\nwhat it likes".into(),
        commands: vec![pay.clone()],
    };
    let shown = render(&[server("savings-bank")]);
    let lines: Vec<&str> = shown.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "  named like a bank; if it is one, mark it: [sensitive] servers = [\"savings-bank\"]",
            "  pay       changes something, reaches its server, brings private data, runs a command line, asks every time; needs bank.pay on its account; says of itself: cost, idempotence, side_effects, timeout_seconds",
        ]
    );
    // No value of it.
    assert!(!shown.contains('7') && !shown.contains("money"), "{shown}");
    assert!(render(&[server("city-hospital")]).contains("named like a health service"));
    assert!(!render(&[server("weather")]).contains("named like"));
}
