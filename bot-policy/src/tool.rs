//! What can a tool do? Its commands as data; what one call of it does follows from the arguments.

use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::id::{BotName, Place, SourceName, ToolName};

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

/// What this call does.
pub fn effects(spec: &ToolSpec, call: &Call) -> Effects {
    let _ = (spec, call);
    Effects {
        change: Change::Something,
        reach: Reach::Net(String::new()),
        reads: Reads::Outside,
    }
}

/// The permissions that this call needs. A command that is not in the spec needs one that nobody
/// can hold.
pub fn permissions(spec: &ToolSpec, call: &Call) -> Vec<Permission> {
    let _ = (spec, call);
    Vec::new()
}
