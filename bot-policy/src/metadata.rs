//! What more does a tool say of a command? Whether it may be repeated, what else it does, how long
//! it may take, what it costs.

use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::tool::{self, Change, Origin, ToolSpec};

/// What a command says of itself beyond its effects. Nothing said is the careful answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Metadata {
    /// What it costs to run.
    pub cost: Cost,
    /// Whether running it twice is as good as once.
    pub idempotence: Idempotence,
    /// What else it does, in the tool's own words, such as `delete`. Any makes it a change.
    pub side_effects: Vec<String>,
    /// How long it may take, in seconds; none takes the gateway's own limit.
    pub timeout_seconds: Option<u32>,
}

/// What a command costs to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cost {
    /// Money, or so much of anything that a person should know: its risk is medium at least.
    Costly,
    /// Nothing to speak of.
    #[default]
    Free,
}

/// Whether running a command twice is as good as once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Idempotence {
    /// Nobody can say, so it runs once.
    #[default]
    Once,
    /// It may be repeated after a failure.
    Repeatable,
}

/// Whether a call whose outcome is unknown may be run again without asking: a built-in one that
/// changes nothing or says that it may be repeated. A tool server's word is not taken.
pub fn may_repeat(spec: &ToolSpec, call: &Call) -> bool {
    let Some(command) = spec.command(call) else {
        return false;
    };
    let effects = tool::effects(spec, call);
    spec.origin == Origin::BuiltIn
        && effects != tool::strictest()
        && (effects.change == Change::Nothing
            || command.metadata.idempotence == Idempotence::Repeatable)
}

/// How long a call may take, in seconds: what its command says, never more than what is usual
/// where a tool server says it, never more than what is left, and never nothing while any is left.
pub fn time_limit(spec: &ToolSpec, call: &Call, usual: u32, left: u32) -> u32 {
    let said = spec
        .command(call)
        .and_then(|command| command.metadata.timeout_seconds);
    let wanted = match (&spec.origin, said) {
        (_, None) => usual,
        (Origin::BuiltIn, Some(said)) => said,
        (Origin::Server { .. }, Some(said)) => said.min(usual),
    };
    wanted.max(1).min(left)
}

impl Metadata {
    /// Which of these a command says, by name and never by value, for whoever looks at a tool.
    pub fn said(&self) -> Vec<&'static str> {
        let said = [
            (self.cost != Cost::Free, "cost"),
            (self.idempotence != Idempotence::Once, "idempotence"),
            (!self.side_effects.is_empty(), "side_effects"),
            (self.timeout_seconds.is_some(), "timeout_seconds"),
        ];
        said.into_iter()
            .filter_map(|(is, name)| is.then_some(name))
            .collect()
    }
}
