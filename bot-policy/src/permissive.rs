//! Where rows 1 to 11 say nothing, what do rows 12 to 16?

use crate::decide::{Finding, Mode, Says, Standing};
use crate::rows::{Facts, RUNS, finding, is_guests, names_rules};
use crate::rules::{Action, Allows, Rule};
use crate::shell_rows;
use crate::tool::{Change, Origin, Reach};

/// What is tried beside what stands: would it allow this call?
#[derive(Clone, Copy)]
pub(crate) enum Extra<'a> {
    /// One more approval of the conversation.
    Approval(&'a Rule),
    /// Nothing.
    Nothing,
    /// One more rule of the owner's.
    Rule(&'a Rule),
}

/// Rows 12 to 16.
pub(crate) fn say(facts: &Facts, standing: &Standing, extra: Extra) -> Finding {
    approved_here(facts, standing, extra)
        .or_else(|| held_back(facts, standing, extra))
        .or_else(|| ruled(facts, standing, extra))
        .or_else(|| shell_rows::command_reads(facts))
        .or_else(|| only_reads(facts))
        .unwrap_or_else(|| {
            lifted(
                standing,
                finding(16, Says::Ask, "no rule allows this without asking"),
            )
        })
}

/// Row 12. It lifts no ask rule that names a command which runs what it is given.
fn approved_here(facts: &Facts, standing: &Standing, extra: Extra) -> Option<Finding> {
    if facts.runs() || is_guests(standing) {
        return None;
    }
    let more = match extra {
        Extra::Approval(rule) => Some(rule),
        Extra::Nothing | Extra::Rule(_) => None,
    };
    let approved = standing
        .approvals
        .iter()
        .chain(more)
        .any(|rule| rule.action == Action::Allow && rule.speaks_of(&facts.spoken));
    (approved && !facts.rules.hold_back(&facts.spoken, &RUNS)).then(|| {
        finding(
            12,
            Says::Allow,
            "this conversation has an approval for all like it",
        )
    })
}

/// Row 13, of a rule that asks about a file which this call comes to in another way. An allow rule
/// of the owner's on this call is heard first.
fn held_back(facts: &Facts, standing: &Standing, extra: Extra) -> Option<Finding> {
    let (_, rule) = facts.rules.reached(&facts.spoken, Action::Ask)?;
    let shipped = standing.rules.with_postern();
    if allowing(facts, standing, extra).is_some_and(|own| !shipped.contains(own)) {
        return None;
    }
    let because = if names_rules(standing) {
        format!(
            "the rule \"{}\" asks about a file that this may open",
            rule.pattern
        )
    } else {
        "a rule asks about a file that this may open".to_owned()
    };
    Some(lifted(standing, finding(13, Says::Ask, because)))
}

/// Row 13.
fn ruled(facts: &Facts, standing: &Standing, extra: Extra) -> Option<Finding> {
    let rule = word(facts, standing, extra)?;
    let because = |does: &str| {
        if names_rules(standing) {
            ["the rule \"", &rule.pattern, "\" ", does].concat()
        } else {
            ["a rule ", does].concat()
        }
    };
    Some(match rule.action {
        Action::Allow => finding(13, Says::Allow, because("allows it")),
        Action::Ask | Action::Deny => lifted(standing, finding(13, Says::Ask, because("asks"))),
    })
}

fn word<'b, 'a: 'b>(facts: &Facts<'a>, standing: &Standing, extra: Extra<'b>) -> Option<&'b Rule> {
    let allows = if is_guests(standing) {
        Allows::Shipped
    } else {
        Allows::All
    };
    let more = match extra {
        Extra::Approval(_) | Extra::Nothing => None,
        Extra::Rule(rule) => Some(rule),
    };
    facts.rules.word(&facts.spoken, allows, more)
}

/// The rule that allows the call, where no row before row 13 speaks.
pub(crate) fn allowing<'b, 'a: 'b>(
    facts: &Facts<'a>,
    standing: &Standing,
    extra: Extra<'b>,
) -> Option<&'b Rule> {
    word(facts, standing, extra).filter(|rule| rule.action == Action::Allow)
}

/// Row 15. Of command lines only row 14 speaks.
fn only_reads(facts: &Facts) -> Option<Finding> {
    let spec = facts
        .spec
        .filter(|spec| spec.origin == Origin::BuiltIn && !facts.runs_commands())?;
    let reads = match (&facts.effects.change, &facts.effects.reach) {
        (Change::Nothing, Reach::Here | Reach::Net(_) | Reach::Nowhere | Reach::Source(_)) => true,
        (Change::NewMemory | Change::Nothing | Change::Something, _) => false,
    };
    reads.then(|| finding(15, Says::Allow, format!("@{} only reads here", spec.name)))
}

/// `/policy auto` lifts this ask, except for a guest: it was the owner who said so of their own.
fn lifted(standing: &Standing, asked: Finding) -> Finding {
    match standing.mode {
        Mode::Auto if !is_guests(standing) => Finding {
            says: Says::Allow,
            because: format!("{}; asks are off in this conversation", asked.because),
            ..asked
        },
        Mode::Auto | Mode::Interactive => asked,
    }
}
