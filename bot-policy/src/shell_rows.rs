//! What do rows 7 and 14 say of a command line?

use crate::decide::{Dangerous, Finding, Says, Standing};
use crate::rows::{self, Facts, finding, once};
use crate::shell;
use crate::tool::{Origin, Reach};

/// Row 7. The owner's switch frees no line that they forbade themselves, and none in a guest's
/// place.
pub(crate) fn command_line(facts: &Facts, standing: &Standing) -> Option<Finding> {
    if !facts.runs_commands() {
        return None;
    }
    if facts.is_unreadable() || facts.command_lines().next().is_none() {
        return Some(finding(7, Says::Deny, "the command line cannot be read"));
    }
    let dangers = || {
        facts
            .command_lines()
            .flat_map(|judged| &judged.findings)
            .filter(|found| found.immune == shell::Immune::No)
    };
    let asks = match standing.dangerous {
        Dangerous::AskOnce => !rows::is_guests(standing),
        Dangerous::Deny => false,
    };
    let forbidden = dangers().find(|found| !asks || found.kind == shell::Kind::Denylisted);
    match (forbidden, dangers().next()) {
        (Some(found), _) => Some(finding(7, Says::Deny, found.because.clone())),
        (None, found) => found.map(|found| once(7, found.because.clone())),
    }
}

/// Row 14. What only reads may still send away what it reads, where it reaches the net.
pub(crate) fn command_reads(facts: &Facts) -> Option<Finding> {
    facts.spec.filter(|spec| spec.origin == Origin::BuiltIn)?;
    if !matches!(facts.effects.reach, Reach::Here | Reach::Nowhere) {
        return None;
    }
    let mut lines = facts.command_lines().peekable();
    lines.peek()?;
    lines
        .all(|judged| judged.read_only == shell::ReadOnly::Proven)
        .then(|| finding(14, Says::Allow, "the command line provably only reads"))
}
