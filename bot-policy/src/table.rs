//! What does each row of the table say of a call? Rows 1 to 11 are all heard and the strictest
//! wins; where none speaks, the first of rows 12 to 16 that does.

use crate::access::Scope;
use crate::decide::{Finding, Says, Standing};
use crate::rows::{self, Facts, RUNS};
use crate::rules::pattern::Pattern;
use crate::rules::{Action, Rule};
use crate::tool::ParameterRole;
use crate::{egress, path, shell_rows, visible};

/// What the table says, and every row that spoke, in order.
pub(crate) struct Judged {
    pub(crate) says: Says,
    pub(crate) findings: Vec<Finding>,
}

/// Judges a call.
pub(crate) fn judge(facts: &Facts, standing: &Standing) -> Judged {
    let mut findings: Vec<Finding> = [
        rows::offered(facts, standing),
        rows::own_things(facts),
        rows::limits(facts, standing),
        rows::granted(facts, standing),
        rows::denied(facts, standing),
        rows::always_ask(facts, standing),
        shell_rows::command_line(facts, standing),
        egress::leaks_sensitive(&facts.effects, &standing.taint, &standing.place)
            .map(|because| rows::once(8, because)),
        rows::outside_changes(facts, standing),
        rows::carries_out(facts, standing),
        rows::risky(facts, standing),
    ]
    .into_iter()
    .flatten()
    .collect();
    if findings.is_empty() {
        findings.push(rows::permissive(facts, standing, None));
    }
    let says = findings
        .iter()
        .map(|finding| finding.says)
        .max()
        .unwrap_or(Says::Deny);
    Judged { says, findings }
}

/// The rule that "Always" would save, where it may be offered: it would allow this very call, and
/// neither a command line nor unreadable arguments are in it.
pub(crate) fn always(facts: &Facts, judged: &Judged, standing: &Standing) -> Option<Rule> {
    // What a row before these says, no rule lifts.
    if judged.says != Says::Ask || judged.findings.iter().any(|said| said.row < 12) {
        return None;
    }
    let saves = match standing.scope {
        Scope::Guest | Scope::OwnerIncognito => false,
        Scope::Group | Scope::Owner => !rows::is_guests(standing),
    };
    let runs = facts.runs_commands() || RUNS.contains(&facts.call.command.as_str());
    if !saves || runs {
        return None;
    }
    let rule = Rule {
        pattern: pattern(facts)?,
        action: Action::Allow,
    };
    match rows::permissive(facts, standing, Some(&rule)).says {
        Says::Allow => Some(rule),
        Says::Ask | Says::AskOnce | Says::Deny => None,
    }
}

/// The rows that ask, in the order in which a card shows them.
pub(crate) fn reasons(findings: &[Finding]) -> Vec<Finding> {
    let mut reasons: Vec<Finding> = findings
        .iter()
        .filter(|finding| finding.says != Says::Allow)
        .cloned()
        .collect();
    reasons.sort_by_key(|finding| place_on_card(finding.row));
    reasons
}

/// Sensitive, outside, always-ask, danger, risk, rule.
pub(crate) fn place_on_card(row: u8) -> u8 {
    match row {
        8 => 0,
        9 => 1,
        10 => 2,
        6 => 3,
        7 => 4,
        11 => 5,
        _ => 6,
    }
}

/// The narrowest rule that speaks of this call: its command and where it goes.
fn pattern(facts: &Facts) -> Option<String> {
    if facts.is_unreadable() {
        return None;
    }
    let command = facts.command?;
    let mut pattern = facts.call.head();
    for parameter in &command.parameters {
        if parameter.role != ParameterRole::Destination {
            continue;
        }
        if let Some(value) = facts.call.text(&parameter.name) {
            let value = destination(value)?;
            pattern.push_str(&format!(" --{} \"{value}\"", parameter.name));
        }
    }
    Pattern::read(&pattern).map(|_| pattern)
}

/// Where a call goes, as a rule can say it without saying more: a path in its normal form, never
/// all that there is; nothing that hides or ends the quotes.
fn destination(value: &str) -> Option<String> {
    let value = if value.contains("://") {
        value.to_owned()
    } else {
        path::normal(value)?
    };
    let is_plain = !value.contains('"') && visible::line(&value).as_str() == value;
    (is_plain && !matches!(value.as_str(), "" | "/")).then_some(value)
}
