//! What more than "this once" may a card offer? Rules that a button would keep.

use crate::access::Scope;
use crate::decide::{Says, Standing};
use crate::permissive::{self, Extra};
use crate::rows::{self, Facts};
use crate::rules::pattern::Pattern;
use crate::rules::{Action, Rule};
use crate::table::Judged;
use crate::tool::ParameterRole;
use crate::{path, visible};

/// The rules that the buttons of a card would keep; none where a button is not offered.
#[derive(Default)]
pub(crate) struct Offers {
    /// Saved by "Always".
    pub(crate) always: Option<Rule>,
    /// An approval of this conversation, by "All like this".
    pub(crate) alike: Option<Rule>,
    /// Saved by "Always block".
    pub(crate) block: Option<Rule>,
}

/// What may be offered for a call that asks. What would allow is offered only if the table with it
/// would allow this very call. Nothing for a command line, nor for unreadable arguments, nor where
/// the owner's own word does not speak or nothing is saved.
pub(crate) fn of(facts: &Facts, judged: &Judged, standing: &Standing) -> Offers {
    let asks = match judged.says {
        Says::Ask | Says::AskOnce => true,
        Says::Allow | Says::Deny => false,
    };
    let keeps = match standing.scope {
        Scope::Guest | Scope::OwnerIncognito => false,
        Scope::Group | Scope::Owner => !rows::is_guests(standing),
    };
    if !asks || !keeps || facts.runs() {
        return Offers::default();
    }
    let rule = |ends: Ends, action| pattern(facts, ends).map(|pattern| Rule { pattern, action });
    let block = rule(Ends::AtTheThing, Action::Deny);
    // What a row before these says, no rule lifts.
    if judged.says != Says::Ask || judged.findings.iter().any(|said| said.row < 12) {
        return Offers {
            block,
            ..Offers::default()
        };
    }
    let allows = |extra: Extra| match permissive::say(facts, standing, extra).says {
        Says::Allow => true,
        Says::Ask | Says::AskOnce | Says::Deny => false,
    };
    Offers {
        always: rule(Ends::AtTheThing, Action::Allow).filter(|rule| allows(Extra::Rule(rule))),
        alike: rule(Ends::AtItsFolder, Action::Allow).filter(|rule| allows(Extra::Approval(rule))),
        block,
    }
}

/// How much of where a call goes a pattern says.
#[derive(Clone, Copy)]
enum Ends {
    /// The folder that the file lies in; the file itself where it lies in none.
    AtItsFolder,
    /// The file or address itself.
    AtTheThing,
}

/// A rule that speaks of this call and of little else: its command and where it goes.
fn pattern(facts: &Facts, ends: Ends) -> Option<String> {
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
            let value = destination(value, ends)?;
            pattern.push_str(&format!(" --{} \"{value}\"", parameter.name));
        }
    }
    Pattern::read(&pattern).map(|_| pattern)
}

/// Where a call goes, as a rule can say it without saying more: a path in its normal form, never
/// all that there is; nothing that hides or ends the quotes.
fn destination(value: &str, ends: Ends) -> Option<String> {
    let value = if value.contains("://") {
        value.to_owned()
    } else {
        path::normal(value)?
    };
    let folder = match ends {
        Ends::AtItsFolder if !value.contains("://") => value.rsplit_once('/'),
        Ends::AtItsFolder | Ends::AtTheThing => None,
    };
    let value = match folder {
        Some((folder, _)) if !folder.is_empty() => folder.to_owned(),
        Some(_) | None => value,
    };
    let is_plain = !value.contains('"') && visible::line(&value).as_str() == value;
    (is_plain && !matches!(value.as_str(), "" | "/")).then_some(value)
}
