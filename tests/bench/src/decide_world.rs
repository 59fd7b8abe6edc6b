//! What do the decisions stand on that are timed? An owner's chat with a few tools.

use std::collections::BTreeMap;
use std::sync::Arc;

use bot_policy::access::{Person, Role, Scope};
use bot_policy::decide::{CanAsk, Dangerous, Limits, Mode, Standing, Surface};
use bot_policy::grants::Grants;
use bot_policy::id::{BotName, ChatId, LineId, PersonId, Place, ToolName};
use bot_policy::metadata::Metadata;
use bot_policy::risk::{Risk, Threshold};
use bot_policy::rules::Rules;
use bot_policy::shell::FolderTrust;
use bot_policy::taint::Taint;
use bot_policy::tool::{
    AlwaysAsk, Change, CommandSpec, Needed, Origin, Parameter, ParameterRole, Reach, Reads,
    ToolSpec,
};

/// The owner's direct chat, clean, with the shipped rules and grants.
pub fn standing() -> Standing {
    use ParameterRole::{Body, CommandLine, Destination, Note};
    let tools = vec![
        tool(
            "coder",
            vec![command("exec", Change::Something, &[("cmd", CommandLine)])],
        ),
        tool(
            "files",
            vec![
                command("read", Change::Nothing, &[("file", Note)]),
                command(
                    "write",
                    Change::Something,
                    &[("file", Destination), ("content", Body)],
                ),
            ],
        ),
        tool(
            "memory",
            vec![command("search", Change::Nothing, &[("query", Note)])],
        ),
    ];
    Standing {
        person: Person {
            id: PersonId(1),
            role: Role::Owner,
            name: "Ada".to_owned(),
        },
        bot: BotName::new("bot"),
        place: Place {
            line: LineId::new("line"),
            chat: ChatId::new("home"),
            thread: None,
        },
        scope: Scope::Owner,
        surface: Surface::Chat,
        taint: Taint::default(),
        mode: Mode::Interactive,
        rules: Arc::new(Rules::shipped()),
        grants: Arc::new(Grants::shipped(Scope::Owner, &tools)),
        tools: Arc::new(tools),
        known: Arc::default(),
        approvals: Vec::new(),
        limits: Limits {
            calls_left: 10,
            refusals_in_a_row: 0,
            emails_left: 20,
        },
        threshold: Threshold::High,
        second: Risk::Low,
        denylist: Arc::default(),
        folder: FolderTrust::Untrusted,
        dangerous: Dangerous::Deny,
        can_ask: CanAsk::Yes,
        ground: BTreeMap::new(),
    }
}

fn tool(name: &str, commands: Vec<CommandSpec>) -> ToolSpec {
    let commands = commands
        .into_iter()
        .map(|command| CommandSpec {
            permission: format!("{name}.{}", command.name),
            ..command
        })
        .collect();
    ToolSpec {
        name: ToolName::new(name),
        origin: Origin::BuiltIn,
        description: String::new(),
        commands,
    }
}

fn command(name: &str, change: Change, parameters: &[(&str, ParameterRole)]) -> CommandSpec {
    let parameters = parameters.iter().map(|(name, role)| Parameter {
        name: (*name).to_owned(),
        description: String::new(),
        role: *role,
        needed: Needed::Yes,
    });
    CommandSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: parameters.collect(),
        change,
        reach: Reach::Here,
        reads: Reads::Own,
        permission: String::new(),
        resource: None,
        always_ask: AlwaysAsk::No,
        metadata: Metadata::default(),
    }
}
