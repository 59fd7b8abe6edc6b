//! Do the rules say what their owner means? A person's own cases, run against them.

use serde::Deserialize;

use crate::call::Call;
use crate::decide::{Says, Standing};
use crate::rows::Facts;
use crate::rules::{Action, NotRules, read};
use crate::{effective, table};

/// One case: `{"call": "@files write --file a", "expect": "ask"}`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The call, as rules write it.
    pub call: String,
    /// What is expected of it.
    pub expect: Action,
}

/// What came of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The case.
    pub case: Case,
    /// What the rules say; none where the text names no call.
    pub got: Option<Action>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    cases: Vec<Case>,
}

/// Reads a file of cases, `{"cases": [..]}`.
///
/// # Errors
/// As for [`crate::rules::Rules::parse`].
pub fn cases(text: &str) -> Result<Vec<Case>, NotRules> {
    read::<File>(text).map(|file| file.cases)
}

/// Judges each case where the owner stands.
pub fn run(cases: &[Case], standing: &Standing) -> Vec<Outcome> {
    cases
        .iter()
        .map(|case| Outcome {
            case: case.clone(),
            got: effective::typed(&case.call, &standing.tools).map(|call| word(&call, standing)),
        })
        .collect()
}

impl Outcome {
    /// Whether the rules say what was expected.
    pub fn is_met(&self) -> bool {
        self.got == Some(self.case.expect)
    }
}

fn word(call: &Call, standing: &Standing) -> Action {
    match table::judge(&Facts::of(call, standing), standing).says {
        Says::Allow => Action::Allow,
        Says::Ask | Says::AskOnce => Action::Ask,
        Says::Deny => Action::Deny,
    }
}
