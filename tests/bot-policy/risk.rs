//! How bad a call could be.

use bot_policy::risk::{Risk, Threshold, assess};
use bot_policy::tool::Origin;
use serde_json::json;

use crate::world::{call, tools};

#[test]
fn our_own_tools_are_known_and_nothing_else_is() {
    for (tool, command, arguments, risk) in [
        ("files", "read", json!({"file": "a"}), Risk::Low),
        ("memory", "save", json!({"text": "a"}), Risk::Low),
        (
            "files",
            "write",
            json!({"file": "a", "content": ""}),
            Risk::Medium,
        ),
        ("share", "post", json!({}), Risk::Medium),
        ("files", "read", json!({}), Risk::Unknown),
        (
            "files",
            "read",
            json!({"file": "a", "mode": "w"}),
            Risk::Unknown,
        ),
        ("files", "nothing", json!({}), Risk::Unknown),
        ("coder", "exec", json!({"cmd": "ls"}), Risk::Low),
    ] {
        let mut spec = tools()
            .into_iter()
            .find(|spec| spec.name.as_str() == tool)
            .unwrap();
        let call = call(tool, command, arguments);
        assert_eq!(assess(&spec, &call), risk, "{}", call.rule_name());
        spec.origin = Origin::Server {
            name: "s".into(),
            digest: "d".into(),
        };
        assert_eq!(assess(&spec, &call), Risk::Unknown);
    }
}

#[test]
fn a_threshold_asks_from_its_risk_on_and_unknown_is_high() {
    let asks = |threshold: Threshold| {
        [Risk::Low, Risk::Medium, Risk::High, Risk::Unknown].map(|risk| threshold.asks(risk))
    };
    assert_eq!(asks(Threshold::Never), [false, false, false, false]);
    assert_eq!(asks(Threshold::High), [false, false, true, true]);
    assert_eq!(asks(Threshold::Medium), [false, true, true, true]);
    assert_eq!(asks(Threshold::Always), [true, true, true, true]);
}
