//! What a tool says of its commands, and what is made of it.

use bot_policy::metadata::{Cost, Idempotence, Metadata, may_repeat, time_limit};
use bot_policy::risk::{Risk, assess};
use bot_policy::tool::{Change, Origin, Reach, ToolSpec, effects};
use serde_json::json;

use crate::world::{call, command, tool};

fn spec(change: Change, metadata: Metadata) -> ToolSpec {
    let mut run = command("run", "t.run", change, Reach::Here);
    run.metadata = metadata;
    tool("t", vec![run])
}

fn served(spec: &ToolSpec) -> ToolSpec {
    let origin = Origin::Server {
        name: "s".into(),
        digest: "d".into(),
    };
    ToolSpec {
        origin,
        ..spec.clone()
    }
}

#[test]
fn only_what_is_harmless_twice_is_repeated() {
    let run = call("t", "run", json!({}));
    let repeatable = Metadata {
        idempotence: Idempotence::Repeatable,
        ..Metadata::default()
    };
    let once = spec(Change::Something, Metadata::default());
    let twice = spec(Change::Something, repeatable);
    let reads = spec(Change::Nothing, Metadata::default());
    assert_eq!(
        [&once, &twice, &reads].map(|spec| may_repeat(spec, &run)),
        [false, true, true]
    );
    assert_eq!(
        [&twice, &reads].map(|spec| may_repeat(&served(spec), &run)),
        [false, false]
    );
    assert!(!may_repeat(&reads, &call("t", "run", json!({"more": 1}))));
}

#[test]
fn a_side_effect_is_a_change() {
    let metadata = Metadata {
        side_effects: vec!["log".into()],
        ..Metadata::default()
    };
    let spec = spec(Change::Nothing, metadata);
    assert_eq!(
        effects(&spec, &call("t", "run", json!({}))).change,
        Change::Something
    );
}

#[test]
fn what_costs_is_worth_a_look() {
    let metadata = Metadata {
        cost: Cost::Costly,
        ..Metadata::default()
    };
    let run = call("t", "run", json!({}));
    assert_eq!(assess(&spec(Change::Nothing, metadata), &run), Risk::Medium);
    assert_eq!(
        assess(&spec(Change::Nothing, Metadata::default()), &run),
        Risk::Low
    );
}

#[test]
fn no_call_takes_longer_than_what_is_left() {
    let run = call("t", "run", json!({}));
    let with = |seconds| {
        spec(
            Change::Nothing,
            Metadata {
                timeout_seconds: seconds,
                ..Metadata::default()
            },
        )
    };
    for (said, left, limit, of_server) in [
        (None, 100, 60, 60),
        (Some(90), 100, 90, 60),
        (Some(90), 5, 5, 5),
        (Some(0), 100, 1, 1),
        (Some(3), 0, 0, 0),
    ] {
        let spec = with(said);
        assert_eq!(time_limit(&spec, &run, 60, left), limit);
        assert_eq!(time_limit(&served(&spec), &run, 60, left), of_server);
    }
}

#[test]
fn it_is_shown_by_name_and_never_by_value() {
    let metadata: Metadata = serde_json::from_value(
        json!({"cost": "costly", "side_effects": ["delete"], "timeout_seconds": 5}),
    )
    .unwrap();
    assert_eq!(metadata.said(), ["cost", "side_effects", "timeout_seconds"]);
    assert_eq!(Metadata::default().said(), [""; 0]);
    assert!(serde_json::from_value::<Metadata>(json!({"idempotent": true})).is_err());
}
