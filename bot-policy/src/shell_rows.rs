//! What do rows 7 and 14 say of a command line?

use crate::decide::{Finding, Says};
use crate::rows::{Facts, finding};
use crate::shell;
use crate::tool::Origin;

/// Row 7.
pub(crate) fn command_line(facts: &Facts) -> Option<Finding> {
    if !facts.runs_commands() {
        return None;
    }
    let lines = facts.command_lines();
    if lines.is_empty() || facts.is_unreadable() {
        return Some(finding(7, Says::Deny, "the command line cannot be read"));
    }
    lines
        .iter()
        .flat_map(|judged| &judged.findings)
        .find(|found| found.immune == shell::Immune::No)
        .map(|found| finding(7, Says::Deny, found.because.clone()))
}

/// Row 14.
pub(crate) fn command_reads(facts: &Facts) -> Option<Finding> {
    facts.spec.filter(|spec| spec.origin == Origin::BuiltIn)?;
    let lines = facts.command_lines();
    let proven = lines
        .iter()
        .all(|judged| judged.read_only == shell::ReadOnly::Proven);
    (proven && !lines.is_empty())
        .then(|| finding(14, Says::Allow, "the command line provably only reads"))
}
