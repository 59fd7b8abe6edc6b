//! `postern tools`: what the agent can be told to do, and what each command says of itself.

use std::fmt::Write;

use bot_policy::sensitive::{Looks, looks};
use bot_policy::tool::{
    AlwaysAsk, Change, CommandSpec, Origin, ParameterRole, Reach, Reads, ToolSpec,
};

use super::screen::{Screen, Stop, outside};
use crate::agent::tools::specs;

pub(super) fn run(screen: &Screen) -> Result<(), Stop> {
    screen.show(&render(&specs()));
    Ok(())
}

/// The tools, one line for each command. What a command says of itself is shown by its name: a
/// value is the tool's own word, and acted on only where it is stricter.
pub fn render(tools: &[ToolSpec]) -> String {
    let mut text = String::new();
    for tool in tools {
        let _ = writeln!(
            text,
            "@{}: {}",
            outside(tool.name.as_str()),
            outside(&tool.description)
        );
        if let Some(suggested) = suggested(tool) {
            let _ = writeln!(text, "  {suggested}");
        }
        for command in &tool.commands {
            let _ = writeln!(text, "  {}", line(command));
        }
    }
    text
}

fn line(command: &CommandSpec) -> String {
    let mut does = vec![match command.change {
        Change::NewMemory => "saves a memory",
        Change::Nothing => "only reads",
        Change::Something => "changes something",
    }];
    does.extend(match command.reach {
        Reach::Here | Reach::Nowhere => None,
        Reach::Net(_) => Some("reaches the net"),
        Reach::Agent(_) => Some("reaches another agent"),
        Reach::Household => Some("reaches the household"),
        Reach::Place(_) => Some("reaches another chat"),
        Reach::Source(_) => Some("reaches its server"),
    });
    does.extend(match command.reads {
        Reads::Own => None,
        Reads::Outside | Reads::Source(_) => Some("brings outside content"),
        Reads::Private => Some("brings private data"),
    });
    let runs = |role| role == ParameterRole::CommandLine;
    if command.parameters.iter().any(|known| runs(known.role)) {
        does.push("runs a command line");
    }
    if command.always_ask == AlwaysAsk::Yes {
        does.push("asks every time");
    }
    let on = command
        .resource
        .as_ref()
        .map(|name| format!(" on its {name}"));
    let said = command.metadata.said();
    let said = match said.as_slice() {
        [] => String::new(),
        said => format!("; says of itself: {}", said.join(", ")),
    };
    format!(
        "{:<9} {}; needs {}{}{said}",
        outside(&command.name).to_string(),
        does.join(", "),
        outside(&command.permission),
        on.unwrap_or_default(),
    )
}

/// What the owner might want to mark; nothing is marked for them.
fn suggested(tool: &ToolSpec) -> Option<String> {
    let Origin::Server { name, .. } = &tool.origin else {
        return None;
    };
    let like = match looks(name)? {
        Looks::Health => "a health service",
        Looks::Money => "a bank",
    };
    Some(format!(
        "named like {like}; if it is one, mark it: [sensitive] servers = [\"{}\"]",
        outside(name)
    ))
}
