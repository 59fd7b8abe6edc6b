//! Why would this call run, ask or be refused here? In plain words, for the owner.

use crate::call::Call;
use crate::decide::{Says, Standing};
use crate::rows::{self, Facts};
use crate::rules::Action;
use crate::{offers, table};

/// What the command says of itself beyond its effects, by name.
fn said(call: &Call, standing: &Standing) -> Option<String> {
    let spec = standing.tools.iter().find(|spec| spec.name == call.tool)?;
    let said = spec.command(call)?.metadata.said();
    (!said.is_empty()).then(|| format!("the command says of itself: {}", said.join(", ")))
}

/// What would become of the call, why, and which rules speak of it, one line each. In a guest's
/// place or a group no rule is named.
pub fn explain(call: &Call, standing: &Standing) -> Vec<String> {
    let facts = Facts::of(call, standing);
    let judged = table::judge(&facts, standing);
    let verdict = match judged.says {
        Says::Allow => "would run without a question",
        Says::Ask => "would ask",
        Says::AskOnce => "would ask, every time",
        Says::Deny => "would be refused",
    };
    let mut lines = vec![format!("{} {verdict}", call.rule_name())];
    for finding in &judged.findings {
        let weight = if finding.says == judged.says {
            "because"
        } else {
            "besides"
        };
        lines.push(format!(
            "{weight} {} (row {})",
            finding.because, finding.row
        ));
    }
    if let Some(said) = said(call, standing) {
        lines.push(said);
    }
    if !rows::names_rules(standing) {
        return lines;
    }
    for rule in facts.rules.speaking(&facts.spoken) {
        let says = match rule.action {
            Action::Allow => "allows",
            Action::Ask => "asks",
            Action::Deny => "denies",
        };
        lines.push(format!("the rule \"{}\" {says}", rule.pattern));
    }
    match offers::of(&facts, &judged, standing).always {
        Some(rule) => lines.push(format!(
            "an \"Always\" would save the rule \"{}\"",
            rule.pattern
        )),
        None if judged.says == Says::Ask => {
            lines.push("no rule that could be saved here would allow this very call".to_owned());
        }
        None => {}
    }
    lines
}
