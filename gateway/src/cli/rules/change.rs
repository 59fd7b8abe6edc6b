//! `postern rules allow`, `ask`, `deny` and `forget`: what changes, and is it meant?

use std::fmt::Write;
use std::path::Path;

use bot_policy::rules::pattern::Pattern;
use bot_policy::rules::{Action, Breadth, Rule, Rules, breadth};
use bot_policy::tool::ToolSpec;

use super::super::screen::{Screen, Stop, outside};
use super::consent::Consent;
use super::word;
use crate::agent::tools::specs;
use crate::rulebook::{Rulebook, tidy};
use adapters::quoted;

pub(super) fn set(
    screen: &Screen,
    book: &Rulebook,
    pattern: &str,
    action: Action,
    consent: Consent,
) -> Result<(), Stop> {
    let pattern = tidy(pattern);
    let Some(read) = Pattern::read(&pattern) else {
        return Err(Stop::Because(format!(
            "\"{pattern}\" is no pattern; write '@tool command --key value' in quotes, at most 500 bytes, and close what you quote inside"
        )));
    };
    let rules = book.in_force()?;
    let stands = rules
        .owners()
        .iter()
        .find(|rule| tidy(&rule.pattern) == pattern)
        .map(|rule| rule.action);
    let what = word(action);
    if stands == Some(action) {
        screen.show(&format!(
            "It stands already: {what} {}\n",
            outside(&pattern)
        ));
        return Ok(());
    }
    let mut because = Vec::new();
    if let Some(before) = stands {
        because.push(format!("it replaces your rule that says {}", word(before)));
    }
    match action {
        Action::Allow | Action::Ask => {}
        Action::Deny => {
            because.push("such calls are refused, and no card can let one through".into())
        }
    }
    match breadth(&pattern) {
        Breadth::Broad(why) => because.push(why.to_owned()),
        Breadth::Narrow => {}
    }
    if !because.is_empty() {
        consent.to(screen, (what, &pattern), &because.join("; "))?;
    }
    let mut text = format!("Saved: {what} {}\n", outside(&pattern));
    if let Some(note) = unknown(&read, &specs()) {
        let _ = writeln!(text, "Note: {}", outside(&note));
    }
    book.add(Rule { pattern, action })?;
    screen.show(&text);
    Ok(())
}

pub(super) fn forget(
    screen: &Screen,
    book: &Rulebook,
    pattern: &str,
    consent: Consent,
) -> Result<(), Stop> {
    let pattern = tidy(pattern);
    let rules = book.in_force()?;
    let is_it = |rule: &&Rule| tidy(&rule.pattern) == pattern;
    let Some(rule) = rules.owners().iter().find(is_it) else {
        let shipped = Rules::shipped()
            .with_postern()
            .iter()
            .any(|rule| is_it(&rule));
        return Err(Stop::Because(if shipped {
            format!(
                "the rule \"{pattern}\" comes with Postern and stays; to be asked all the same: postern rules ask {}",
                quoted(Path::new(&pattern))
            )
        } else {
            format!("you have no rule \"{pattern}\"; see those that you have with: postern rules")
        }));
    };
    let because = match rule.action {
        Action::Allow => "such calls ask again, unless another rule allows them",
        Action::Ask => "such calls may then run without a question",
        Action::Deny => "such calls are then refused no more",
    };
    consent.to(screen, ("forget", &pattern), because)?;
    book.forget(&pattern)?;
    screen.show(&format!(
        "Forgotten: {} {}\n",
        word(rule.action),
        outside(&pattern)
    ));
    Ok(())
}

/// What of the pattern none of the tools knows, so that it is not written in vain.
fn unknown(pattern: &Pattern, specs: &[ToolSpec]) -> Option<String> {
    let tool = pattern.tool();
    let Some(spec) = specs
        .iter()
        .find(|spec| spec.name.as_str().eq_ignore_ascii_case(tool))
    else {
        return Some(format!(
            "there is no tool @{tool} here, so the rule speaks of nothing yet"
        ));
    };
    let name = pattern.command()?;
    let Some(command) = spec
        .commands
        .iter()
        .find(|command| command.name.eq_ignore_ascii_case(name))
    else {
        let names: Vec<&str> = spec.commands.iter().map(|one| one.name.as_str()).collect();
        return Some(format!(
            "@{tool} has no command {name}, so the rule speaks of nothing yet; it has: {}",
            names.join(", ")
        ));
    };
    let (key, _) = pattern
        .conditions()
        .iter()
        .find(|(key, _)| command.parameter(key).is_none())?;
    let names: Vec<String> = command
        .parameters
        .iter()
        .map(|one| format!("--{}", one.name))
        .collect();
    Some(format!(
        "@{tool} {name} has no --{key}, so the rule may speak of nothing; it takes: {}",
        names.join(", ")
    ))
}
