//! Which sources did the owner mark as sensitive, and which should they be asked about?

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::id::{PersonId, SourceName, ToolName};
use crate::taint::Taint;
use crate::tool::{self, Origin, Reads, ToolSpec};

/// What the owner marked. Nothing is marked but by them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sensitive {
    /// People whose memory is sensitive.
    pub memories: BTreeSet<PersonId>,
    /// Tool servers, by their configured name.
    pub servers: BTreeSet<String>,
    /// Single tools.
    pub tools: BTreeSet<ToolName>,
}

/// Of what kind a source looks, by its name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    /// A doctor's, a hospital's, a pharmacy's.
    Health,
    /// A bank's, a payment service's, a tax office's.
    Money,
}

impl Sensitive {
    /// What the result of this call marks: the server of a marked tool, since data may go back to
    /// where it came from; a marked person's memory.
    pub fn marks(&self, spec: &ToolSpec, call: &Call, person: PersonId) -> Taint {
        let effects = tool::effects(spec, call);
        let own = self.tools.contains(&spec.name);
        let mut sensitive = BTreeSet::new();
        match &spec.origin {
            Origin::BuiltIn if spec.name.as_str() == MEMORY => {
                sensitive.extend(self.memory(person));
            }
            Origin::BuiltIn => {}
            Origin::Server { name, .. } if own || self.servers.contains(name) => {
                sensitive.insert(SourceName::new(name.clone()));
            }
            Origin::Server { .. } => {}
        }
        if own && spec.origin == Origin::BuiltIn {
            sensitive.insert(SourceName::new(spec.name.as_str()));
        }
        if let Reads::Source(source) = effects.reads
            && self.servers.contains(source.as_str())
        {
            sensitive.insert(source);
        }
        Taint {
            sensitive,
            ..Taint::default()
        }
    }

    /// What standing instructions mark at the start of a conversation of this person, when they
    /// hold their memory.
    pub fn at_start(&self, person: PersonId) -> Taint {
        Taint {
            sensitive: self.memory(person).into_iter().collect(),
            ..Taint::default()
        }
    }

    fn memory(&self, person: PersonId) -> Option<SourceName> {
        let is_marked = self.memories.contains(&person);
        is_marked.then(|| SourceName::new(format!("the memory of person {person}")))
    }
}

/// What a source of this name looks like, for a suggestion to the owner; nothing is marked by it.
pub fn looks(name: &str) -> Option<Looks> {
    let mut words = name
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| !word.is_empty());
    words.find_map(|word| {
        let is = |list: &[&str]| {
            let single = word.strip_suffix('s').unwrap_or(&word);
            list.iter().any(|known| *known == word || *known == single)
        };
        if is(&MONEY) || MONEY_ENDS.iter().any(|end| word.ends_with(end)) {
            Some(Looks::Money)
        } else if is(&HEALTH) || HEALTH_STARTS.iter().any(|start| word.starts_with(start)) {
            Some(Looks::Health)
        } else {
            None
        }
    })
}

const MEMORY: &str = "memory";

const MONEY: [&str; 22] = [
    "banking",
    "billing",
    "broker",
    "brokerage",
    "credit",
    "crypto",
    "finance",
    "fintech",
    "iban",
    "invoice",
    "loan",
    "mortgage",
    "n26",
    "payment",
    "payroll",
    "paypal",
    "plaid",
    "revolut",
    "stripe",
    "tax",
    "wallet",
    "wise",
];
const MONEY_ENDS: [&str; 3] = ["bank", "banking", "kasse"];

const HEALTH: [&str; 16] = [
    "clinic",
    "dental",
    "dentist",
    "diagnosis",
    "doctor",
    "ehr",
    "fhir",
    "fitness",
    "hospital",
    "klinik",
    "lab",
    "patient",
    "pharma",
    "prescription",
    "therapist",
    "therapy",
];
const HEALTH_STARTS: [&str; 4] = ["gesundheit", "health", "medic", "pharmac"];
