//! What did the owner mark as sensitive? `[sensitive]`.

use std::collections::BTreeSet;

use bot_policy::access::{Person, Role};
use bot_policy::id::ToolName;
use serde::Deserialize;

use crate::agent::tools::specs;

/// What the owner marked as sensitive. Nothing is but by them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sensitive {
    /// Whose memory: `owner`, or names given at pairing.
    pub memories: BTreeSet<String>,
    /// Tool servers.
    pub servers: BTreeSet<String>,
    /// Single tools.
    pub tools: BTreeSet<KnownTool>,
}

/// A tool that there is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct KnownTool(ToolName);

impl Sensitive {
    /// As it counts where this person speaks.
    pub(crate) fn of(&self, person: &Person) -> bot_policy::sensitive::Sensitive {
        let is_named = match person.role {
            Role::Guest => self.memories.contains(&person.name),
            Role::Owner => self.memories.contains(OWNER),
        };
        bot_policy::sensitive::Sensitive {
            memories: is_named.then_some(person.id).into_iter().collect(),
            servers: self.servers.clone(),
            tools: self.tools.iter().map(|tool| tool.0.clone()).collect(),
        }
    }

    /// The names in it that nobody bears, so that they mark nothing yet.
    pub(crate) fn unknown(&self, borne: impl Fn(&str) -> bool) -> Vec<&str> {
        let names = self.memories.iter().map(String::as_str);
        names
            .filter(|name| *name != OWNER && !borne(name))
            .collect()
    }
}

/// Under which name the owner's own memory is marked.
const OWNER: &str = "owner";

impl TryFrom<String> for KnownTool {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let specs = specs();
        let known = specs.iter().map(|spec| spec.name.as_str());
        let wanted = name.strip_prefix('@').unwrap_or(&name);
        if known.clone().any(|tool| tool == wanted) {
            return Ok(Self(ToolName::new(wanted)));
        }
        let known: Vec<&str> = known.collect();
        Err(format!(
            "there is no tool {name:?}, so nothing would be marked; there is: {}",
            known.join(", ")
        ))
    }
}
