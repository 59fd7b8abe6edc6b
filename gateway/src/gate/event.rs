//! What does the audit hold of a decision? What was wanted and why it went so, and nothing of what
//! would be said or written.

use bot_policy::access::Scope;
use bot_policy::call::{Arguments, Call};
use bot_policy::decide::{Decision, Finding, Reason, Says, Standing, Verdict, decide};
use bot_policy::id::ToolName;
use bot_policy::risk::{Risk, assess};
use bot_policy::security::{Act, Moment, SecurityEvent};
use bot_policy::tool::{ParameterRole, ToolSpec};
use serde_json::{Map, Value};

use crate::store::{AuditEntry, Loaded};
use crate::{House, digest};

/// The longest value that is kept, in characters; a longer one is content, whatever its name.
const KEPT_CHARACTERS: usize = 200;
/// The row that a denial stands under where the rules cannot be read.
const RULES_ROW: u8 = 5;

/// The entry of a decision about a call.
pub(super) fn judged(
    house: &House,
    loaded: &Loaded,
    call: &Call,
    decision: &Decision,
) -> AuditEntry {
    entry(loaded, call, of(house, loaded, call, decision))
}

fn entry(loaded: &Loaded, call: &Call, event: SecurityEvent) -> AuditEntry {
    AuditEntry::Judged {
        conversation: loaded.id,
        call: call.id.to_string(),
        event,
    }
}

fn of(house: &House, loaded: &Loaded, call: &Call, decision: &Decision) -> SecurityEvent {
    let spec = house.tools.spec(call);
    let risk = spec.map_or(Risk::Unknown, |spec| assess(spec, call));
    let risk = risk.raised_by(house.second.said(loaded.id, &call.id));
    let bare = without_payload(spec, call);
    let event = house.secrets.event(&bare, decision, risk);
    match loaded.scope {
        Scope::OwnerIncognito => unkept(&house.audit_key, spec, call, event),
        Scope::Group | Scope::Guest | Scope::Owner => event,
    }
}

/// The entry of a later judgement of a call that was asked about, and of what was done then.
pub(super) fn judged_again(
    house: &House,
    loaded: &Loaded,
    call: &Call,
    standing: &Standing,
    (when, action): (Moment, Act),
) -> AuditEntry {
    let event = of(house, loaded, call, &decide(call.clone(), standing));
    entry(loaded, call, event.again(when, action))
}

/// The event of a conversation that is not kept: what was decided by which rows, and a digest by
/// which whoever knows the call can tell it again.
fn unkept(key: &str, spec: Option<&ToolSpec>, call: &Call, event: SecurityEvent) -> SecurityEvent {
    let known = spec.is_some_and(|spec| spec.command(call).is_some());
    let arguments = match &call.arguments {
        Arguments::Readable(map) => Value::Object(map.clone()).to_string(),
        Arguments::Unreadable(text) => text.clone(),
    };
    let text = format!("{}\n{}\n{arguments}", call.tool, call.command);
    SecurityEvent {
        tool: if known {
            event.tool
        } else {
            "(not kept)".to_owned()
        },
        arguments: serde_json::json!({ "digest": digest::keyed(key, text.as_bytes()) }),
        reasons: event
            .reasons
            .into_iter()
            .map(|finding| Finding {
                because: String::new(),
                ..finding
            })
            .collect(),
        ..event
    }
}

/// The decision where the rules cannot be read.
pub(super) fn not_judged(why: &str) -> Decision {
    let finding = Finding {
        row: RULES_ROW,
        says: Says::Deny,
        because: why.to_owned(),
    };
    let reason = Reason {
        row: RULES_ROW,
        text: why.to_owned(),
    };
    Decision {
        verdict: Verdict::Deny(reason),
        trace: vec![finding],
    }
}

/// The call with the size of each argument in place of the argument, but for destinations, command
/// lines, numbers and switches. Parameters that the command does not have are only counted: their
/// names are the model's own words.
fn without_payload(spec: Option<&ToolSpec>, call: &Call) -> Call {
    let command = spec.and_then(|spec| spec.command(call));
    let role = |name: &str| {
        let known = command?.parameters.iter().find(|known| known.name == name);
        known.map(|known| known.role)
    };
    let arguments = match &call.arguments {
        Arguments::Unreadable(text) => Arguments::Unreadable(size(text)),
        Arguments::Readable(map) => {
            let mut kept = Map::new();
            let mut others = 0_u64;
            for (name, value) in map {
                match role(name) {
                    None => others += 1,
                    Some(role) => {
                        kept.insert(name.clone(), bare(role, value));
                    }
                }
            }
            if others > 0 {
                kept.insert("(others)".to_owned(), others.into());
            }
            Arguments::Readable(kept)
        }
    };
    let (tool, name) = match (spec, command) {
        (Some(_), Some(_)) => (call.tool.clone(), call.command.clone()),
        (Some(_), None) => (call.tool.clone(), size(&call.command)),
        (None, _) => (ToolName::new("(unknown)"), String::new()),
    };
    Call {
        id: call.id.clone(),
        tool,
        command: name,
        arguments,
    }
}

fn bare(role: ParameterRole, value: &Value) -> Value {
    match (role, value) {
        (_, Value::Bool(_) | Value::Null | Value::Number(_)) => value.clone(),
        (ParameterRole::CommandLine | ParameterRole::Destination, Value::String(text))
            if text.chars().count() <= KEPT_CHARACTERS =>
        {
            value.clone()
        }
        (_, Value::String(text)) => size(text).into(),
        (_, Value::Array(_) | Value::Object(_)) => size(&value.to_string()).into(),
    }
}

fn size(text: &str) -> String {
    format!("({} bytes)", text.len())
}
