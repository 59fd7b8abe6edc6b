//! May this call run? The table of judgements, row by row.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::access::{Person, Scope};
use crate::approval::Question;
use crate::call::Call;
use crate::egress::Known;
use crate::grants::Grants;
use crate::id::{BotName, Place};
use crate::risk::{Risk, Threshold};
use crate::rows::Facts;
use crate::rules::{Rule, Rules};
use crate::shell::{Denylist, FolderTrust};
use crate::taint::Taint;
use crate::tool::ToolSpec;
use crate::{offers, table};

/// Everything that a decision about one call stands on; read afresh for every call.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// For whom.
    pub person: Person,
    /// By which bot.
    pub bot: BotName,
    /// Where.
    pub place: Place,
    /// What that place may use.
    pub scope: Scope,
    /// On what kind of screen a question would be asked.
    pub surface: Surface,
    /// What the conversation has read.
    pub taint: Taint,
    /// Whether asks are asked.
    pub mode: Mode,
    /// The rules in force, shipped ones included: [`Rules::in_force`].
    pub rules: Arc<Rules>,
    /// The grants in force.
    pub grants: Arc<Grants>,
    /// The tools that this bot has.
    pub tools: Arc<Vec<ToolSpec>>,
    /// The addresses and memories that the conversation knows.
    pub known: Arc<Known>,
    /// This conversation's own approvals, row 12: for each press of "All like this" the rule that
    /// came as [`Kept::Approval`](crate::approval::Kept), for each step of an approved plan one
    /// allow rule. They end with the conversation, and are read as narrowly as any allow rule.
    /// What they never lift is left to the table: a caller passes all of them, for every call.
    pub approvals: Vec<Rule>,
    /// What is used up.
    pub limits: Limits,
    /// At which risk it asks.
    pub threshold: Threshold,
    /// What another judge says of this very call's risk. It only raises: low where none was asked.
    pub second: Risk,
    /// What the owner forbids in command lines, whatever they switched on.
    pub denylist: Arc<Denylist>,
    /// Whether the owner vouched for the folder that command lines run in.
    pub folder: FolderTrust,
    /// What row 7 says of a dangerous command line.
    pub dangerous: Dangerous,
    /// Whether somebody is there to answer.
    pub can_ask: CanAsk,
    /// What this very call stands on outside the rules, such as the digest of the file that it
    /// would replace; a change between question and press closes the question.
    pub ground: BTreeMap<String, String>,
}

/// On what kind of screen a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Surface {
    /// A chat or the page: a card lives 24 hours.
    Chat,
    /// An IDE: 600 seconds.
    Ide,
    /// No one is there: an ask is a no, and the model is told so.
    Unattended,
    /// A terminal: until its process ends.
    Terminal,
}

/// Whether asks are asked (`/policy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// The asks of rows 13 and 16 are allowed, for this conversation.
    Auto,
    /// Asks are asked.
    #[default]
    Interactive,
}

/// What row 7 says of a dangerous command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dangerous {
    /// It asks, each time: the owner switched that on. Not in a guest's place.
    AskOnce,
    /// It is denied.
    #[default]
    Deny,
}

/// What is used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Calls that this turn may still make.
    pub calls_left: u32,
    /// Refusals in a row within this turn; three end it.
    pub refusals_in_a_row: u32,
    /// Emails that this place may still send today.
    pub emails_left: u32,
}

/// Whether somebody is there to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CanAsk {
    /// Nobody can, so an ask is a no.
    No,
    /// Somebody can.
    Yes,
}

/// A judgement with what led to it.
#[derive(Debug)]
pub struct Decision {
    /// What is to be done.
    pub verdict: Verdict,
    /// Every row that spoke, in order.
    pub trace: Vec<Finding>,
}

/// What is to be done with a call.
#[derive(Debug)]
pub enum Verdict {
    /// Run it, once.
    Allow(Permit),
    /// Ask the person.
    Ask(Question),
    /// Do not run it.
    Deny(Reason),
}

/// One row of the table that spoke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The row's number.
    pub row: u8,
    /// What it said.
    pub says: Says,
    /// Why, in words for a person.
    pub because: String,
}

/// What a row says; later is stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Says {
    /// Run it.
    Allow,
    /// Ask.
    Ask,
    /// Ask, and never turn the answer into more than this once.
    AskOnce,
    /// Do not run it.
    Deny,
}

/// Why a call does not run, in words for the model and for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The row that decided.
    pub row: u8,
    /// Words.
    pub text: String,
}

/// Proof that one call may run once. Owns its call; cannot be copied, stored or made up.
///
/// ```compile_fail
/// fn forge(call: bot_policy::call::Call) -> bot_policy::decide::Permit {
///     bot_policy::decide::Permit { call, ground: Default::default() }
/// }
/// ```
#[derive(Debug)]
pub struct Permit {
    call: Call,
    ground: BTreeMap<String, String>,
}

impl Permit {
    pub(crate) fn new(call: Call, standing: &Standing) -> Self {
        let ground = standing.ground.clone();
        Self { call, ground }
    }

    /// What the call stood on when it was judged; see [`Standing::ground`]. What it stands on at
    /// last may differ by then.
    pub fn ground(&self) -> &BTreeMap<String, String> {
        &self.ground
    }

    /// The call that may run.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Uses the permit up.
    pub fn redeem(self) -> Call {
        self.call
    }
}

/// Judges one call.
pub fn decide(call: Call, standing: &Standing) -> Decision {
    let facts = Facts::of(&call, standing);
    let judged = table::judge(&facts, standing);
    let offers = offers::of(&facts, &judged, standing);
    drop(facts);
    let (says, trace) = (judged.says, judged.findings);
    let verdict = match says {
        Says::Allow => Verdict::Allow(Permit::new(call, standing)),
        Says::Deny => Verdict::Deny(reason(&trace, Says::Deny)),
        Says::Ask | Says::AskOnce => match nobody_there(standing) {
            Some(why) => Verdict::Deny(Reason {
                text: format!(
                    "it needs an approval ({}), and {why}",
                    reason(&trace, says).text
                ),
                row: reason(&trace, says).row,
            }),
            None => Verdict::Ask(Question {
                says,
                always: offers.always,
                alike: offers.alike,
                block: offers.block,
                reasons: table::reasons(&trace),
                ground: standing.ground.clone(),
                call,
            }),
        },
    };
    Decision { verdict, trace }
}

/// The first row that spoke as strictly as the verdict.
fn reason(trace: &[Finding], says: Says) -> Reason {
    trace.iter().find(|finding| finding.says == says).map_or(
        Reason {
            row: 16,
            text: "nothing allows it".to_owned(),
        },
        |finding| Reason {
            row: finding.row,
            text: finding.because.clone(),
        },
    )
}

fn nobody_there(standing: &Standing) -> Option<&'static str> {
    match (standing.surface, standing.can_ask) {
        (Surface::Unattended, CanAsk::No | CanAsk::Yes) => {
            Some("this runs unattended, so nobody can give it")
        }
        (Surface::Chat | Surface::Ide | Surface::Terminal, CanAsk::No) => {
            Some("there is no way to ask here, so nobody can give it")
        }
        (Surface::Chat | Surface::Ide | Surface::Terminal, CanAsk::Yes) => None,
    }
}
