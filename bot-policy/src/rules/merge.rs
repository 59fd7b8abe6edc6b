//! What holds inside a project that brings its own rules? The owner's denials always do.

use std::collections::BTreeSet;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::rules::{Action, NotRules, Rule, Rules, read};

/// A project's rule file: `{"merge": true, "rules": [..]}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectRules {
    /// Whether the owner's rules hold beside these; if not, only their denials do.
    #[serde(default)]
    merge: bool,
    rules: Vec<Rule>,
}

/// Whether the owner trusted this very file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// They did, so it may loosen.
    Trusted,
    /// They did not, so it may only tighten.
    Untrusted,
}

impl ProjectRules {
    /// Reads a project's rule file.
    ///
    /// # Errors
    /// As for [`Rules::parse`]; whoever cannot read a project's file must not work in it.
    pub fn parse(text: &str) -> Result<Self, NotRules> {
        read(text)
    }
}

/// What a project's file would change for the looser once it is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Loosening {
    /// Its allow rules that the owner does not have.
    pub allows: Vec<Rule>,
    /// The owner's ask rules that would not hold there.
    pub lifts: Vec<Rule>,
    /// Whether only the owner's denials would hold, whatever they add later.
    pub stands_alone: bool,
}

impl Loosening {
    /// Whether trusting the file would change nothing today.
    pub fn is_empty(&self) -> bool {
        self.allows.is_empty() && self.lifts.is_empty()
    }
}

/// Whether this text is one of those that the owner trusted, named by SHA-256 in hexadecimal.
pub fn trust(text: &str, trusted: &BTreeSet<String>) -> Trust {
    let digest = Sha256::digest(text.as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    if trusted.contains(&digest) {
        Trust::Trusted
    } else {
        Trust::Untrusted
    }
}

/// What trusting the file would loosen, whole, for the owner to judge.
pub fn loosening(global: &Rules, project: &ProjectRules) -> Loosening {
    let trusted = merge(global, project, Trust::Trusted);
    let lost = |rule: &&Rule| rule.action == Action::Ask && !trusted.owners().contains(rule);
    let gained = |rule: &&Rule| rule.action == Action::Allow && !global.owners().contains(rule);
    Loosening {
        allows: project.rules.iter().filter(gained).cloned().collect(),
        lifts: global.owners().iter().filter(lost).cloned().collect(),
        stands_alone: !project.merge,
    }
}

/// The rules in force inside a project. The owner's denials always stand. An untrusted file adds
/// what asks and denies and, where it does not merge, takes the owner's allows away; a trusted one
/// speaks as the owner does, its word on the same pattern standing for theirs.
pub fn merge(global: &Rules, project: &ProjectRules, trust: Trust) -> Rules {
    let theirs: BTreeSet<&str> = project
        .rules
        .iter()
        .map(|rule| rule.pattern.as_str())
        .collect();
    let kept = global.owners().iter().filter(|rule| {
        let merged = project.merge;
        match (rule.action, trust) {
            (Action::Deny, Trust::Trusted | Trust::Untrusted) | (Action::Ask, Trust::Untrusted) => {
                true
            }
            (Action::Allow, Trust::Untrusted) => merged || project.rules.contains(rule),
            (Action::Allow | Action::Ask, Trust::Trusted) => {
                merged && !theirs.contains(rule.pattern.as_str())
            }
        }
    });
    let added = project
        .rules
        .iter()
        .filter(|rule| match (rule.action, trust) {
            (Action::Ask | Action::Deny, Trust::Trusted | Trust::Untrusted)
            | (Action::Allow, Trust::Trusted) => true,
            (Action::Allow, Trust::Untrusted) => false,
        });
    Rules::in_force(kept.chain(added).cloned().collect())
}
