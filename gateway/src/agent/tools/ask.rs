//! How does the agent ask a person, and take back what waits for one?

use bot_policy::id::ToolName;
use bot_policy::metadata::Metadata;
use bot_policy::tool::{
    AlwaysAsk, Change, CommandSpec, Needed, Origin, Parameter, ParameterRole, Reach, Reads,
    ToolSpec,
};

/// The name of the tool.
pub const NAME: &str = "ask";

/// What it can be told to do. It runs nothing: its question waits on disk.
pub fn spec() -> ToolSpec {
    let parameter = |name: &str, description: &str, role| Parameter {
        name: name.into(),
        description: description.into(),
        role,
        needed: Needed::Yes,
    };
    let command = |name: &str, description: &str, parameters| CommandSpec {
        name: name.into(),
        description: description.into(),
        parameters,
        change: Change::Nothing,
        reach: Reach::Here,
        reads: Reads::Own,
        permission: format!("ask.{name}"),
        resource: None,
        always_ask: AlwaysAsk::No,
        metadata: Metadata::default(),
    };
    ToolSpec {
        name: ToolName::new(NAME),
        origin: Origin::BuiltIn,
        description: "asks the person something with buttons, or takes back a call of yours that waits on its card".into(),
        commands: vec![
            command(
                "choose",
                "asks a question; the person presses one of the options or writes something else",
                vec![
                    parameter("text", "the question", ParameterRole::Body),
                    parameter("options", "a list of 2 to 4 short texts", ParameterRole::Note),
                ],
            ),
            command(
                "withdraw",
                "takes back a call that waits on its card",
                vec![parameter("call", "the id of the call", ParameterRole::Note)],
            ),
        ],
    }
}
