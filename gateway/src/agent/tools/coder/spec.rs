//! What can the tool `coder` be told to do?

use bot_policy::id::ToolName;
use bot_policy::metadata::Metadata;
use bot_policy::tool::{
    AlwaysAsk, Change, CommandSpec, Needed, Origin, Parameter, ParameterRole, Reach, Reads,
    ToolSpec,
};

use super::Network;
use super::exec::MOST_SECONDS;

/// Its name.
pub(crate) const NAME: &str = "coder";
/// Its commands that run what they are given.
const RUNS: [&str; 2] = ["exec", "test"];

/// What it can be told to do.
pub(crate) fn spec(network: Network) -> ToolSpec {
    use Change::{Nothing, Something};
    use Needed::{No, Yes};
    use ParameterRole::{Body, CommandLine, Destination, Note};
    let file = || parameter("file", "path inside the folder", Destination, Yes);
    let some_file = || {
        parameter(
            "file",
            "path inside the folder; left out for all",
            Destination,
            No,
        )
    };
    let folder = || {
        parameter(
            "folder",
            "path of a folder inside; left out for all of it",
            Destination,
            No,
        )
    };
    let note = |name, about| parameter(name, about, Note, No);
    let line = |about| parameter("cmd", about, CommandLine, Yes);
    let runs = |name, about, of_line| {
        let more = [
            note("dir", "path of a folder inside, to run it in"),
            note(
                "timeout",
                "seconds that it may take; 120 unless given, 1800 at most",
            ),
        ];
        let parameters = [line(of_line)].into_iter().chain(more).collect();
        let reach = match network {
            Network::Cut => Reach::Here,
            Network::Open => Reach::Net(String::new()),
        };
        CommandSpec {
            reach,
            metadata: Metadata {
                // It ends its command itself, a little sooner.
                timeout_seconds: u32::try_from(MOST_SECONDS + 30).ok(),
                ..Metadata::default()
            },
            ..command(name, about, parameters, Something, "coder.exec")
        }
    };
    let reads = |name, about, parameters| command(name, about, parameters, Nothing, "coder.read");
    ToolSpec {
        name: ToolName::new(NAME),
        origin: Origin::BuiltIn,
        description: "works in the folder of this Code conversation: reads, searches and changes its files, asks git, runs commands and tests; what people send lies in .inbox".into(),
        commands: vec![
            reads("read", "reads a file, whole or some lines of it", vec![
                file(),
                note("start", "the first line, counted from 1"),
                note("end", "the last line"),
            ]),
            command("write", "writes a file, replacing it", vec![
                file(),
                parameter("content", "the whole new text of the file", Body, Yes),
            ], Something, "coder.write"),
            command("patch", "replaces one passage of a file", vec![
                file(),
                parameter("old", "the passage, exactly as it stands once in the file", Body, Yes),
                parameter("new", "what to put in its place", Body, Yes),
            ], Something, "coder.write"),
            reads("tree", "lists files and folders", vec![folder()]),
            reads("search", "finds the lines of all files that hold a text", vec![
                parameter("text", "what to look for", Note, Yes),
                note("kind", "literal (unless given) or regex"),
                folder(),
            ]),
            reads("git-status", "what git sees changed, and the branch", Vec::new()),
            reads("git-diff", "the changes since the last commit, or since a revision", vec![
                note("revision", "since this one, or between two: one..other"),
                some_file(),
            ]),
            reads("git-log", "the last commits", vec![
                note("count", "how many; 20 unless given"),
                some_file(),
            ]),
            reads("git-changed", "the names of the files that changed since the last commit", Vec::new()),
            reads("git-branch", "the branches", Vec::new()),
            runs("test", "runs the tests", "the command line that runs them"),
            runs("exec", "runs a command line", "the command line"),
        ],
    }
}

/// The same without what runs commands.
pub(crate) fn without_commands(mut spec: ToolSpec) -> ToolSpec {
    spec.commands
        .retain(|command| !RUNS.contains(&command.name.as_str()));
    spec
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
    let resource = ["file", "folder", "cmd"]
        .into_iter()
        .find(|name| parameters.iter().any(|parameter| parameter.name == *name));
    CommandSpec {
        name: name.into(),
        description: description.into(),
        parameters,
        change,
        reach: Reach::Here,
        reads: Reads::Own,
        permission: permission.into(),
        resource: resource.map(ToOwned::to_owned),
        always_ask: AlwaysAsk::No,
        metadata: Metadata::default(),
    }
}
