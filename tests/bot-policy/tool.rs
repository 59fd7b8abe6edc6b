//! What a call does, from its arguments.

use bot_policy::call::{Arguments, Call};
use bot_policy::id::SourceName;
use bot_policy::tool::{
    Change, Effects, Origin, Permission, Reach, Reads, ToolSpec, effects, permissions,
};
use serde_json::json;

use crate::world::{call, read_notes, tools, write_notes};

#[test]
fn a_call_as_it_is_meant_does_what_its_command_says() {
    let expected = Effects {
        change: Change::Something,
        reach: Reach::Here,
        reads: Reads::Own,
    };
    assert_eq!(effects(&spec("files"), &write_notes()), expected);
}

#[test]
fn what_cannot_be_computed_is_the_strictest() {
    for call in [
        call("files", "nothing", json!({})),
        call("files", "", json!({"file": "a"})),
        call("files", "read", json!({})),
        call("files", "read", json!({"file": null})),
        call("files", "read", json!({"file": "a", "mode": "write"})),
        call("files", "write", json!({"file": ["a"], "content": ""})),
        Call {
            arguments: Arguments::Unreadable("{".into()),
            ..read_notes()
        },
    ] {
        assert_eq!(effects(&spec("files"), &call), strictest(), "{call:?}");
    }
}

#[test]
fn the_net_is_reached_at_the_address_of_the_call() {
    let fetch = call("web", "fetch", json!({"url": "https://example.org/a"}));
    let reached = effects(&spec("web"), &fetch).reach;
    assert_eq!(reached, Reach::Net("https://example.org/a".into()));
}

#[test]
fn a_tool_servers_word_may_only_tighten() {
    let served = ToolSpec {
        origin: Origin::Server {
            name: "crm".into(),
            digest: "d".into(),
        },
        ..spec("files")
    };
    let expected = Effects {
        change: Change::Something,
        reach: Reach::Source(SourceName::new("crm")),
        reads: Reads::Source(SourceName::new("crm")),
    };
    assert_eq!(effects(&served, &read_notes()), expected);
}

#[test]
fn permissions_are_on_what_the_arguments_name() {
    let needed = permissions(&spec("files"), &read_notes());
    assert_eq!(
        needed,
        ["files.read:notes.txt".parse::<Permission>().unwrap()]
    );
    let unnamed = permissions(&spec("files"), &call("files", "read", json!({"file": 1})));
    assert_eq!(unnamed, ["files.read".parse::<Permission>().unwrap()]);
}

#[test]
fn an_unknown_command_needs_what_nobody_can_hold() {
    let needed = permissions(&spec("files"), &call("files", "nothing", json!({})));
    assert_eq!(needed.len(), 1);
    assert!(needed[0].to_string().parse::<Permission>().is_err());
}

fn spec(name: &str) -> ToolSpec {
    tools()
        .into_iter()
        .find(|spec| spec.name.as_str() == name)
        .unwrap()
}

fn strictest() -> Effects {
    Effects {
        change: Change::Something,
        reach: Reach::Net(String::new()),
        reads: Reads::Outside,
    }
}
