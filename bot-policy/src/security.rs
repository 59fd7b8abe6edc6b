//! What was decided, for the event stream, the audit and the metrics? Without a secret.

use serde::Serialize;
use serde_json::Value;

use crate::call::{Arguments, Call};
use crate::decide::{Decision, Finding, Verdict};
use crate::risk::Risk;
use crate::secret::Redactor;

/// One decision about one call.
///
/// A call is judged when it is made; one that asks is judged again at the press and, where the
/// program stopped in between, once more before it runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SecurityEvent {
    /// The tool and its command, as rules name them.
    pub tool: String,
    /// What it was called with, secrets cut out.
    pub arguments: Value,
    /// How bad it could be.
    pub risk: Risk,
    /// What was done.
    pub action: Act,
    /// When it was judged.
    pub when: Moment,
    /// Every row that spoke, secrets cut out.
    pub reasons: Vec<Finding>,
}

/// When a call was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Moment {
    /// When the model made it.
    Call,
    /// When somebody pressed a button of its card.
    Press,
    /// Before it ran, after it was approved.
    Resume,
}

/// What was done with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Act {
    /// It runs.
    Allowed,
    /// A person is asked.
    Asked,
    /// It does not run.
    Denied,
}

impl SecurityEvent {
    /// The event of a decision about this call.
    pub fn of(call: &Call, decision: &Decision, risk: Risk, redactor: &Redactor) -> Self {
        let arguments = match &call.arguments {
            Arguments::Readable(map) => redactor.cut_value(&Value::Object(map.clone())),
            Arguments::Unreadable(text) => Value::String(redactor.cut(text)),
        };
        Self {
            tool: redactor.cut(&call.head()),
            arguments,
            risk,
            action: match &decision.verdict {
                Verdict::Allow(_) => Act::Allowed,
                Verdict::Ask(_) => Act::Asked,
                Verdict::Deny(_) => Act::Denied,
            },
            when: Moment::Call,
            reasons: decision
                .trace
                .iter()
                .map(|finding| Finding {
                    because: redactor.cut(&finding.because),
                    ..finding.clone()
                })
                .collect(),
        }
    }

    /// The event of a later judgement of the same call, and what was done then.
    #[must_use]
    pub fn again(self, when: Moment, action: Act) -> Self {
        Self {
            action,
            when,
            ..self
        }
    }
}
