//! What does each row of the table say of a call? Rows 1 to 11 are all heard and the strictest
//! wins; where none speaks, the first of rows 12 to 16 that does.

use crate::decide::{Finding, Says, Standing};
use crate::permissive::{self, Extra};
use crate::rows::{self, Facts};
use crate::{egress, shell_rows};

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
        findings.push(permissive::say(facts, standing, Extra::Nothing));
    }
    let says = findings
        .iter()
        .map(|finding| finding.says)
        .max()
        .unwrap_or(Says::Deny);
    Judged { says, findings }
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

/// Whether a row says what the rules say of a call: that one denies it, that one asks, or that none
/// allows it.
pub(crate) fn is_of_rules(row: u8) -> bool {
    matches!(row, 5 | 13 | 16)
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
