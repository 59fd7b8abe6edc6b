//! What does one of rows 1 to 11 say? All but row 8, which is in `egress`, and row 7.

use crate::access::{Role, Scope, offers};
use crate::call::{Arguments, Call};
use crate::decide::{Finding, Says, Standing};
use crate::egress::{self, Sends};
use crate::permissive::{Extra, allowing};
use crate::rules::{Action, Named, Reach, Rule};
use crate::shell::FolderTrust;
use crate::spoken::Spoken;
use crate::taint::Origins;
use crate::tool::{
    self, AlwaysAsk, Change, CommandSpec, Effects, Origin, ParameterRole, Permission,
    Reach as Reaches, ToolSpec,
};
use crate::{mail, own, risk, shell, shell_rows, site};

/// What is looked up once for all rows.
pub(crate) struct Facts<'a> {
    pub(crate) call: &'a Call,
    pub(crate) spec: Option<&'a ToolSpec>,
    pub(crate) command: Option<&'a CommandSpec>,
    pub(crate) effects: Effects,
    pub(crate) permissions: Vec<Permission>,
    pub(crate) spoken: Spoken<'a>,
    /// The rules that could speak of it.
    pub(crate) rules: Named<'a>,
}

impl<'a> Facts<'a> {
    pub(crate) fn of(call: &'a Call, standing: &'a Standing) -> Self {
        let mut named = standing.tools.iter().filter(|spec| spec.name == call.tool);
        // Two tools of one name: which would run cannot be told.
        let spec = match (named.next(), named.next()) {
            (Some(spec), None) => Some(spec),
            (None | Some(_), _) => None,
        };
        Self {
            call,
            spec,
            command: spec.and_then(|spec| spec.command(call)),
            effects: spec.map_or_else(tool::strictest, |spec| tool::effects(spec, call)),
            permissions: spec.map_or_else(
                || vec![tool::nobodys()],
                |spec| tool::permissions(spec, call),
            ),
            spoken: Spoken::under(
                call,
                &standing.denylist,
                where_it_runs(call, standing.folder),
            ),
            rules: standing.rules.named(call),
        }
    }

    /// The text arguments with what they are; what the command does not know is a note.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (ParameterRole, &'a str)> {
        let map = match &self.call.arguments {
            Arguments::Readable(map) => Some(map),
            Arguments::Unreadable(_) => None,
        };
        map.into_iter().flatten().filter_map(|(name, value)| {
            let role = self
                .command
                .and_then(|command| command.parameter(name))
                .map_or(ParameterRole::Note, |parameter| parameter.role);
            Some((role, value.as_str()?))
        })
    }

    pub(crate) fn runs_commands(&self) -> bool {
        self.command.is_some_and(|command| {
            command
                .parameters
                .iter()
                .any(|parameter| parameter.role == ParameterRole::CommandLine)
        })
    }

    /// Whether the call runs what it is given: a command line, or a command named so.
    pub(crate) fn runs(&self) -> bool {
        let named = |name: &&str| name.eq_ignore_ascii_case(&self.call.command);
        self.runs_commands() || RUNS.iter().any(named)
    }

    fn has(&self, name: &str) -> bool {
        match &self.call.arguments {
            Arguments::Readable(map) => map.get(name).is_some_and(|value| !value.is_null()),
            Arguments::Unreadable(_) => true,
        }
    }

    /// What the call's command lines would do.
    pub(crate) fn command_lines(&self) -> impl Iterator<Item = &shell::Judged> {
        self.texts()
            .filter(|(role, _)| *role == ParameterRole::CommandLine)
            .filter_map(|(_, line)| self.spoken.judged(line))
    }

    pub(crate) fn is_unreadable(&self) -> bool {
        match &self.call.arguments {
            Arguments::Readable(_) => false,
            Arguments::Unreadable(_) => true,
        }
    }
}

/// Only the folder itself was vouched for: one below may be a repository that was put there.
fn where_it_runs(call: &Call, folder: FolderTrust) -> FolderTrust {
    match call.text("dir").unwrap_or_default() {
        "" | "." => folder,
        _ => FolderTrust::Untrusted,
    }
}

/// Row 1.
pub(crate) fn offered(facts: &Facts, standing: &Standing) -> Option<Finding> {
    let role_fits = match (standing.scope, standing.person.role) {
        (Scope::Owner | Scope::OwnerIncognito, Role::Guest) => false,
        (Scope::Group | Scope::Guest, Role::Guest | Role::Owner)
        | (Scope::Owner | Scope::OwnerIncognito, Role::Owner) => true,
    };
    let offered = facts
        .spec
        .is_some_and(|spec| role_fits && offers(standing.scope, spec));
    (!offered).then(|| {
        finding(
            1,
            Says::Deny,
            format!("there is no tool @{} in this chat", facts.call.tool),
        )
    })
}

/// Row 2.
pub(crate) fn own_things(facts: &Facts) -> Option<Finding> {
    own::touched(facts.command, &facts.effects, facts.call).map(|argument| {
        finding(
            2,
            Says::Deny,
            format!(
                "\"{argument}\" names Postern's own rules, configuration or data, which only the owner changes by hand"
            ),
        )
    })
}

/// Row 3.
pub(crate) fn limits(facts: &Facts, standing: &Standing) -> Option<Finding> {
    let limits = standing.limits;
    let because = if limits.calls_left == 0 {
        "this turn has made all the calls that it may"
    } else if limits.refusals_in_a_row >= REFUSALS {
        "three calls in a row were refused, so this turn ends"
    } else if limits.emails_left == 0 && facts.call.tool.as_str() == EMAIL {
        "this chat has sent all the emails that it may today"
    } else {
        return None;
    };
    Some(finding(3, Says::Deny, because))
}

/// Row 4.
pub(crate) fn granted(facts: &Facts, standing: &Standing) -> Option<Finding> {
    let missing = facts
        .permissions
        .iter()
        .find(|permission| !standing.grants.cover(permission));
    match missing {
        Some(permission) => Some(finding(
            4,
            Says::Deny,
            format!("the permission {permission} is not granted here"),
        )),
        None if facts.permissions.is_empty() => {
            Some(finding(4, Says::Deny, "it names no permission"))
        }
        None => None,
    }
}

/// Row 5.
pub(crate) fn denied(facts: &Facts, standing: &Standing) -> Option<Finding> {
    let because = |rule: &Rule, does: &str| {
        if names_rules(standing) {
            format!("the rule \"{}\" {does}", rule.pattern)
        } else {
            format!("a rule {does}")
        }
    };
    if let Some(rule) = facts.rules.denial(&facts.spoken) {
        return Some(finding(5, Says::Deny, because(rule, "denies it")));
    }
    if let Some(because) = odd_address(facts) {
        return Some(finding(5, Says::Deny, because));
    }
    let (reach, rule) = facts.rules.reached(&facts.spoken, Action::Deny)?;
    match reach {
        Reach::Names => Some(finding(
            5,
            Says::Deny,
            because(rule, "denies the file that it names"),
        )),
        Reach::Around => Some(once(5, because(rule, "denies a file that this may show"))),
        // The owner allowed this very line, and knew what they denied.
        Reach::Untold if allowing(facts, standing, Extra::Nothing).is_some() => None,
        Reach::Untold => Some(once(
            5,
            because(
                rule,
                "denies a file, and nobody can tell which files this line opens",
            ),
        )),
    }
}

/// What is wrong with the address that the call would read at: where readers take it apart
/// differently, no rule can surely speak of it. None such is fetched.
fn odd_address(facts: &Facts) -> Option<&'static str> {
    let spec = facts.spec?;
    match (&facts.effects.reach, facts.effects.change) {
        (Reaches::Net(address), Change::Nothing)
            if spec.origin == Origin::BuiltIn && !address.is_empty() =>
        {
            site::oddity(address.trim())
        }
        (Reaches::Net(_), Change::NewMemory | Change::Nothing | Change::Something)
        | (
            Reaches::Agent(_)
            | Reaches::Here
            | Reaches::Household
            | Reaches::Nowhere
            | Reaches::Place(_)
            | Reaches::Source(_),
            _,
        ) => None,
    }
}

/// Row 6.
pub(crate) fn always_ask(facts: &Facts, standing: &Standing) -> Option<Finding> {
    let gated = |permission: &&Permission| standing.grants.asks_every_time(permission);
    if let Some(permission) = facts.permissions.iter().find(gated) {
        return Some(once(
            6,
            format!("the permission {permission} asks every time"),
        ));
    }
    if facts.call.tool.as_str() == EMAIL
        && let Err(why) = mail::of(facts.call)
    {
        return Some(finding(6, Says::Deny, why.to_string()));
    }
    if facts
        .command
        .is_some_and(|command| command.always_ask == AlwaysAsk::Yes)
        || facts.call.tool.as_str() == EMAIL
    {
        return Some(once(6, "this asks every time"));
    }
    facts
        .texts()
        .filter(|(role, _)| match role {
            ParameterRole::Body | ParameterRole::CommandLine => false,
            ParameterRole::Destination | ParameterRole::Note => true,
        })
        .find_map(|(_, text)| shell::immune::path(text))
        .map(ToOwned::to_owned)
        .or_else(|| {
            let mut found = facts.command_lines().flat_map(|judged| &judged.findings);
            found
                .find(|found| match found.immune {
                    shell::Immune::No => false,
                    shell::Immune::Only | shell::Immune::Yes => true,
                })
                .map(|found| found.because.clone())
        })
        .map(|why| once(6, format!("{why}, which asks every time")))
}

/// Row 9.
pub(crate) fn outside_changes(facts: &Facts, standing: &Standing) -> Option<Finding> {
    let what = match &standing.taint.outside {
        Origins::None => return None,
        Origins::Few(origins) => origins.iter().cloned().collect::<Vec<_>>().join(", "),
        Origins::Many => "many sources".to_owned(),
    };
    match facts.effects.change {
        Change::Something => Some(once(
            9,
            format!("outside content was read ({what}), and this changes something"),
        )),
        Change::NewMemory | Change::Nothing => None,
    }
}

/// Row 10.
pub(crate) fn carries_out(facts: &Facts, standing: &Standing) -> Option<Finding> {
    let body = facts.command.is_some_and(|command| {
        let bodies = command
            .parameters
            .iter()
            .filter(|one| one.role == ParameterRole::Body);
        bodies.map(|body| &body.name).any(|name| facts.has(name))
    });
    let sends = if body { Sends::More } else { Sends::Address };
    egress::carries_out(
        &facts.effects,
        &standing.taint,
        &standing.place,
        &standing.known,
        facts.texts().map(|(_, text)| text),
        sends,
    )
    .map(|because| once(10, because))
}

/// Row 11.
pub(crate) fn risky(facts: &Facts, standing: &Standing) -> Option<Finding> {
    // A proof is worth more than a guess.
    let risk = match shell_rows::command_reads(facts) {
        Some(_) => risk::Risk::Low,
        None => facts.spec.map_or(risk::Risk::Unknown, |spec| {
            risk::of(spec, &facts.spoken, &facts.effects)
        }),
    };
    let (own, risk) = (risk, risk.raised_by(standing.second));
    standing.threshold.asks(risk).then(|| {
        let how = match risk {
            risk::Risk::High => "its risk is high",
            risk::Risk::Low => "its risk is low, and every call asks",
            risk::Risk::Medium => "its risk is medium",
            risk::Risk::Unknown => "nobody can say what its risk is",
        };
        if risk.is_riskier_than(own) {
            return finding(11, Says::Ask, format!("{how}, as a second judge says"));
        }
        finding(11, Says::Ask, how)
    })
}

/// Whether the owner's rules may be named here: in a guest's place and in a group they are not.
pub(crate) fn names_rules(standing: &Standing) -> bool {
    !is_guests(standing) && standing.scope != Scope::Group
}

/// Whether the place is a guest's, where the owner's own allows do not speak.
pub(crate) fn is_guests(standing: &Standing) -> bool {
    match (standing.scope, standing.person.role) {
        (Scope::Guest, Role::Guest | Role::Owner)
        | (Scope::Group | Scope::Owner | Scope::OwnerIncognito, Role::Guest) => true,
        (Scope::Group | Scope::Owner | Scope::OwnerIncognito, Role::Owner) => false,
    }
}

pub(crate) fn finding(row: u8, says: Says, because: impl Into<String>) -> Finding {
    Finding {
        row,
        says,
        because: because.into(),
    }
}

pub(crate) fn once(row: u8, because: impl Into<String>) -> Finding {
    finding(row, Says::AskOnce, because)
}

const REFUSALS: u32 = 3;
const EMAIL: &str = "email";
/// Commands that run what they are given.
pub(crate) const RUNS: [&str; 2] = ["exec", "test"];
