//! What can a tool do? Its commands as data; what one call of it does follows from the arguments.

use serde::{Deserialize, Serialize};

use crate::call::{Arguments, Call};
use crate::id::{BotName, Place, SourceName, ToolName};
use crate::metadata::Metadata;

/// A tool as it is offered to a model and judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name, as rules write it after `@`.
    pub name: ToolName,
    /// Who made it.
    pub origin: Origin,
    /// One sentence for the model.
    pub description: String,
    /// What it can be told to do.
    pub commands: Vec<CommandSpec>,
}

/// Who made a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// Part of Postern.
    BuiltIn,
    /// Offered by a tool server, whose description had this digest when the owner confirmed it.
    Server {
        /// The server, as configured.
        name: String,
        /// Digest of the description.
        digest: String,
    },
}

/// One command of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CommandSpec {
    /// Its name.
    pub name: String,
    /// One sentence for the model.
    pub description: String,
    /// What it takes.
    pub parameters: Vec<Parameter>,
    /// What it changes.
    pub change: Change,
    /// How far it reaches.
    pub reach: Reach,
    /// What it brings in. A result may carry further marks (a marked file).
    pub reads: Reads,
    /// The permission that it needs, such as `files.write`.
    pub permission: String,
    /// The parameter that names the resource of that permission.
    pub resource: Option<String>,
    /// Whether it asks every time, whatever the rules say.
    pub always_ask: AlwaysAsk,
    /// What more it says of itself.
    #[serde(default)]
    pub metadata: Metadata,
}

/// Whether a command asks every time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AlwaysAsk {
    /// Rules decide.
    #[default]
    No,
    /// Asked every time.
    Yes,
}

/// One parameter of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// One sentence for the model.
    pub description: String,
    /// What it is to the person who is asked.
    pub role: ParameterRole,
    /// Whether a call without it is refused.
    pub needed: Needed,
}

/// Whether a parameter may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Needed {
    /// It may.
    No,
    /// It may not.
    Yes,
}

/// What a parameter is to the person who is asked; destinations come first on a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParameterRole {
    /// What is sent or written; long text may be cut on the card, with a note that says so.
    Body,
    /// A command line: judged by the shell rows.
    CommandLine,
    /// Where it goes: recipient, address, path. Never cut.
    Destination,
    /// Anything else.
    Note,
}

/// What a call does, computed from its arguments; what cannot be computed is the strictest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effects {
    /// What it changes.
    pub change: Change,
    /// How far it reaches.
    pub reach: Reach,
    /// What it brings in.
    pub reads: Reads,
}

/// What a call changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// It saves a new memory, which stays unconfirmed after outside content.
    NewMemory,
    /// Nothing.
    Nothing,
    /// Something.
    Something,
}

/// How far a call reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reach {
    /// Another bot or an outside agent.
    Agent(BotName),
    /// The place of the conversation and what belongs to its person.
    Here,
    /// What every guest of the household reads.
    Household,
    /// An address on the net.
    Net(String),
    /// Nothing leaves.
    Nowhere,
    /// Another place.
    Place(Place),
    /// A source of data, such as a tool server.
    Source(SourceName),
}

/// What a call brings in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reads {
    /// Nothing, or only what the person owns and what carries its own marks.
    Own,
    /// Outside content.
    Outside,
    /// Private data.
    Private,
    /// A source that may be marked sensitive; outside content too.
    Source(SourceName),
}

/// A permission that a call needs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Permission {
    /// Its name, such as `files.write`.
    pub name: String,
    /// On what; none means on anything.
    pub resource: Option<String>,
}

impl ToolSpec {
    /// The command that a call names.
    pub fn command(&self, call: &Call) -> Option<&CommandSpec> {
        self.commands
            .iter()
            .find(|command| command.name == call.command)
    }
}

impl CommandSpec {
    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters
            .iter()
            .find(|parameter| parameter.name == name)
    }
}

/// What this call does. A tool server's word on its own tools may only tighten: its tools always
/// count as changing something and as reaching and reading their server.
pub fn effects(spec: &ToolSpec, call: &Call) -> Effects {
    let Some(command) = spec.command(call).filter(|command| fits(command, call)) else {
        return strictest();
    };
    let reach = match &command.reach {
        Reach::Net(_) => Reach::Net(destination(command, call).unwrap_or_default().to_owned()),
        Reach::Agent(_)
        | Reach::Here
        | Reach::Household
        | Reach::Nowhere
        | Reach::Place(_)
        | Reach::Source(_) => command.reach.clone(),
    };
    match &spec.origin {
        Origin::BuiltIn => Effects {
            change: match command.change {
                Change::NewMemory | Change::Nothing
                    if !command.metadata.side_effects.is_empty() =>
                {
                    Change::Something
                }
                change => change,
            },
            reach,
            reads: command.reads.clone(),
        },
        Origin::Server { name, .. } => Effects {
            change: Change::Something,
            reach: match reach {
                Reach::Here | Reach::Nowhere => Reach::Source(SourceName::new(name.clone())),
                Reach::Agent(_)
                | Reach::Household
                | Reach::Net(_)
                | Reach::Place(_)
                | Reach::Source(_) => reach,
            },
            reads: match &command.reads {
                Reads::Outside | Reads::Own => Reads::Source(SourceName::new(name.clone())),
                Reads::Private | Reads::Source(_) => command.reads.clone(),
            },
        },
    }
}

/// The permissions that this call needs. A command that is not in the spec needs one that nobody
/// can hold. Arguments that cannot be read need the command's permission on anything.
pub fn permissions(spec: &ToolSpec, call: &Call) -> Vec<Permission> {
    let Some(command) = spec.command(call) else {
        return vec![nobodys()];
    };
    let resource = command
        .resource
        .as_ref()
        .and_then(|parameter| call.text(parameter))
        .map(ToOwned::to_owned);
    vec![Permission {
        name: command.permission.clone(),
        resource,
    }]
}

/// A permission that no grant can name.
pub(crate) fn nobodys() -> Permission {
    Permission {
        name: "(unknown)".to_owned(),
        resource: None,
    }
}

/// What a call does of which nothing is known.
pub(crate) fn strictest() -> Effects {
    Effects {
        change: Change::Something,
        reach: Reach::Net(String::new()),
        reads: Reads::Outside,
    }
}

/// Whether the arguments are the ones that the command takes, so that its effects can be told.
fn fits(command: &CommandSpec, call: &Call) -> bool {
    let Arguments::Readable(map) = &call.arguments else {
        return false;
    };
    let known = map.keys().all(|name| command.parameter(name).is_some());
    let right = command.parameters.iter().all(|parameter| {
        let value = map.get(&parameter.name).filter(|value| !value.is_null());
        match (value, parameter.needed, parameter.role) {
            (None, Needed::No, _) => true,
            (None, Needed::Yes, _) => false,
            (Some(value), _, ParameterRole::CommandLine | ParameterRole::Destination) => {
                value.is_string()
            }
            (Some(_), _, ParameterRole::Body | ParameterRole::Note) => true,
        }
    });
    known && right
}

fn destination<'a>(command: &CommandSpec, call: &'a Call) -> Option<&'a str> {
    command
        .parameters
        .iter()
        .filter(|parameter| parameter.role == ParameterRole::Destination)
        .find_map(|parameter| call.text(&parameter.name))
}
