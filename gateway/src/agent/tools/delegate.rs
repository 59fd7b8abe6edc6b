//! How does the agent hand work to workers of its own?

use bot_policy::call::{Arguments, Call};
use bot_policy::id::ToolName;
use bot_policy::metadata::Metadata;
use bot_policy::tool::{
    AlwaysAsk, Change, CommandSpec, Needed, Origin, Parameter, ParameterRole, Reach, Reads,
    ToolSpec,
};

/// The name of the tool.
pub const NAME: &str = "delegate";
/// How many workers one call has at most.
const WORKERS: usize = 4;
/// The longest task, in characters.
const TASK_CHARACTERS: usize = 4000;

/// What it can be told to do. It runs nothing: its workers are conversations of their own, and
/// each of their calls is judged like any other.
pub fn spec() -> ToolSpec {
    ToolSpec {
        name: ToolName::new(NAME),
        origin: Origin::BuiltIn,
        description: "lets up to four workers do separate tasks at the same time".into(),
        commands: vec![CommandSpec {
            name: "run".into(),
            description: "starts one worker for each task and gives back what they say".into(),
            parameters: vec![Parameter {
                name: "tasks".into(),
                description: "a list of 1 to 4 texts; a worker sees its own and nothing else"
                    .into(),
                role: ParameterRole::Body,
                needed: Needed::Yes,
            }],
            change: Change::Nothing,
            reach: Reach::Here,
            reads: Reads::Own,
            permission: "delegate.run".into(),
            resource: None,
            always_ask: AlwaysAsk::No,
            metadata: Metadata::default(),
        }],
    }
}

/// The tasks of a call, if they can be given out.
pub fn tasks(call: &Call) -> Option<Vec<String>> {
    let Arguments::Readable(map) = &call.arguments else {
        return None;
    };
    let tasks: Vec<String> = map
        .get("tasks")?
        .as_array()?
        .iter()
        .map(|task| task.as_str().map(|task| task.trim().to_owned()))
        .collect::<Option<_>>()?;
    let fit = |task: &String| !task.is_empty() && task.chars().count() <= TASK_CHARACTERS;
    ((1..=WORKERS).contains(&tasks.len()) && tasks.iter().all(fit)).then_some(tasks)
}
