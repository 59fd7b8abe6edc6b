//! What can the tool `files` be told to do?

use bot_policy::id::ToolName;
use bot_policy::metadata::Metadata;
use bot_policy::tool::{
    AlwaysAsk, Change, CommandSpec, Needed, Origin, Parameter, ParameterRole, Reach, Reads,
    ToolSpec,
};

/// Its name.
pub(crate) const NAME: &str = "files";

/// What it can be told to do.
pub(crate) fn spec() -> ToolSpec {
    use Needed::{No, Yes};
    use ParameterRole::{Body, Destination, Note};
    let file = || parameter("file", "path inside the workspace", Destination, Yes);
    let folder = || {
        let about = "path of a folder inside the workspace; left out for all of it";
        parameter("folder", about, Destination, No)
    };
    ToolSpec {
        name: ToolName::new(NAME),
        origin: Origin::BuiltIn,
        description: "reads, searches and writes text files in this chat's own workspace; what people send lies in its folder inbox".into(),
        commands: vec![
            command(
                "read",
                "reads a file",
                vec![file()],
                Change::Nothing,
                "files.read",
            ),
            command(
                "write",
                "writes a file, replacing it",
                vec![
                    file(),
                    parameter("content", "the whole new text of the file", Body, Yes),
                ],
                Change::Something,
                "files.write",
            ),
            command(
                "patch",
                "replaces one passage of a file",
                vec![
                    file(),
                    parameter("old", "the passage, exactly as it stands once in the file", Body, Yes),
                    parameter("new", "what to put in its place", Body, Yes),
                ],
                Change::Something,
                "files.write",
            ),
            command(
                "send",
                "sends a file to this chat",
                vec![
                    file(),
                    parameter("caption", "words that go with it", Body, No),
                ],
                Change::Something,
                "files.send",
            ),
            command(
                "tree",
                "lists files and folders",
                vec![folder()],
                Change::Nothing,
                "files.read",
            ),
            command(
                "search",
                "finds the lines of all files that hold a text",
                vec![
                    parameter("text", "what to look for", Note, Yes),
                    parameter("kind", "literal (unless given) or regex", Note, No),
                    folder(),
                ],
                Change::Nothing,
                "files.read",
            ),
        ],
    }
}

fn parameter(name: &str, description: &str, role: ParameterRole, needed: Needed) -> Parameter {
    Parameter {
        name: name.into(),
        description: description.into(),
        role,
        needed,
    }
}

fn command(
    name: &str,
    description: &str,
    parameters: Vec<Parameter>,
    change: Change,
    permission: &str,
) -> CommandSpec {
    let names_one = |parameters: &[Parameter], name: &str| {
        parameters.iter().any(|parameter| parameter.name == name)
    };
    let resource = if names_one(&parameters, "file") {
        "file"
    } else {
        "folder"
    };
    CommandSpec {
        name: name.into(),
        description: description.into(),
        parameters,
        change,
        reach: Reach::Here,
        reads: Reads::Own,
        permission: permission.into(),
        resource: Some(resource.into()),
        always_ask: AlwaysAsk::No,
        metadata: Metadata::default(),
    }
}
