//! What did the owner say of calls like this? Allow, ask and deny rules.

use serde::{Deserialize, Serialize};

/// One rule: a pattern and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The pattern, such as `@files write --file notes`.
    pub pattern: String,
    /// What it says.
    pub action: Action,
}

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Run it.
    Allow,
    /// Ask.
    Ask,
    /// Do not run it.
    Deny,
}

/// The rules in force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// In the order in which they are listed.
    pub rules: Vec<Rule>,
}
