//! One question, one answer: who may answer it, and does the answer still hold?

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::decide::{Finding, Permit, Says, Standing};
use crate::id::{PersonId, Place, QuestionId, Timestamp};
use crate::offers::Offers;
use crate::rows::Facts;
use crate::rules::Rule;
use crate::{offers, table};

/// How long a card lives in a chat or on the page, in seconds.
pub const CHAT_CARD_SECONDS: i64 = 24 * 60 * 60;

/// A call that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// What would run.
    pub call: Call,
    /// How strict the table was when it was asked.
    pub says: Says,
    /// Why it is asked, in the order in which the card shows it.
    pub reasons: Vec<Finding>,
    /// The rule that "Always" would save; none where always is not offered.
    pub always: Option<Rule>,
    /// The approval that "All like this" would keep for this conversation; none where it is not
    /// offered. Its pattern is to be printed on the card.
    #[serde(default)]
    pub alike: Option<Rule>,
    /// The deny rule that "Always block" would save; none where it is not offered.
    #[serde(default)]
    pub block: Option<Rule>,
    /// What it stands on; see [`Standing::ground`].
    pub ground: BTreeMap<String, String>,
}

/// A question as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// Which.
    pub id: QuestionId,
    /// What is asked.
    pub question: Question,
    /// Who may answer.
    pub put_to: PersonId,
    /// Where its card stands.
    pub places: Vec<Place>,
    /// How far it is.
    pub state: State,
    /// When silence becomes no.
    pub ends_at: Timestamp,
}

/// How far a question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// The person said yes; the call has not started.
    Approved,
    /// The card waits.
    Asked,
    /// Things changed before the press; a new card was put.
    Changed,
    /// The call ran and finished.
    Done,
    /// Nobody answered in time.
    Expired,
    /// The person said no.
    Refused,
    /// The call was started; never again.
    Started,
    /// It was started and nobody knows how it ended.
    Unknown,
    /// It was taken back: `/stop`, `/new`, unpaired.
    Withdrawn,
}

/// What a button of an approval card means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Choice {
    /// Run it, and keep for this conversation that all like it runs.
    AllLike,
    /// Run it, this once.
    AllowOnce,
    /// Run it, and save the rule that the card shows.
    Always,
    /// Do not run it, and save a rule that denies what is like it.
    AlwaysBlock,
    /// Do not run it.
    Deny,
    /// Show what else can be chosen.
    More,
    /// Show all of what was cut.
    ShowAll,
}

/// A press as it reached a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Press {
    /// Who pressed.
    pub by: PersonId,
    /// Where.
    pub place: Place,
    /// Which button.
    pub choice: Choice,
}

/// What a press came to.
#[derive(Debug)]
pub enum Redeemed {
    /// What it stands on changed, or the table is stricter today: ask again.
    Changed,
    /// It runs, and this is kept.
    Permitted(Permit, Kept),
    /// The person said no; with `AlwaysBlock`, this rule is saved.
    Denied(Option<Rule>),
    /// The press does not count.
    Refused(Refusal),
}

/// What a yes leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// An approval of this conversation, for [`Standing::approvals`]; never a rule of the owner's.
    Approval(Rule),
    /// Nothing.
    Nothing,
    /// A rule of the owner's.
    Rule(Rule),
}

/// Why a press does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It was answered, withdrawn or ran before.
    Closed,
    /// The table denies the call today.
    DeniedNow,
    /// It ended.
    Expired,
    /// The button is not one that decides.
    NotADecision,
    /// Someone else's.
    WrongPerson,
    /// Its card does not stand there.
    WrongPlace,
}

/// Judges a press: right person, right place, in time, and decided again with today's standing.
/// `AllLike`, `AllowOnce` and `Always` hold only while the table is no stricter than the card said.
pub fn redeem(open: &OpenQuestion, press: &Press, standing: &Standing, now: Timestamp) -> Redeemed {
    if press.by != open.put_to || standing.person.id != open.put_to {
        return Redeemed::Refused(Refusal::WrongPerson);
    }
    if !open.places.contains(&press.place) {
        return Redeemed::Refused(Refusal::WrongPlace);
    }
    match open.state {
        State::Asked => {}
        State::Expired => return Redeemed::Refused(Refusal::Expired),
        State::Approved
        | State::Changed
        | State::Done
        | State::Refused
        | State::Started
        | State::Unknown
        | State::Withdrawn => return Redeemed::Refused(Refusal::Closed),
    }
    if now >= open.ends_at {
        return Redeemed::Refused(Refusal::Expired);
    }
    let Question {
        always,
        alike,
        block,
        ..
    } = &open.question;
    let kept = match press.choice {
        Choice::AllLike => alike.clone().map(Kept::Approval),
        Choice::AllowOnce => Some(Kept::Nothing),
        Choice::Always => always.clone().map(Kept::Rule),
        Choice::AlwaysBlock => match block {
            Some(rule) => return Redeemed::Denied(Some(rule.clone())),
            None => None,
        },
        Choice::Deny => return Redeemed::Denied(None),
        Choice::More | Choice::ShowAll => None,
    };
    let Some(kept) = kept else {
        return Redeemed::Refused(Refusal::NotADecision);
    };
    match today(&open.question, standing) {
        Today::Allows(says) if still_offered(&open.question, &kept, says, standing) => {
            let call = open.question.call.clone();
            Redeemed::Permitted(Permit::new(call, standing), kept)
        }
        Today::Allows(_) => Redeemed::Changed,
        Today::Changed => Redeemed::Changed,
        Today::Denies => Redeemed::Refused(Refusal::DeniedNow),
    }
}

/// The permit of a question that was approved and not started when the program stopped. Judged
/// again: a call that the table denies today, or whose ground changed, does not run.
pub fn resume(approved: &OpenQuestion, standing: &Standing) -> Option<Permit> {
    if approved.state != State::Approved || standing.person.id != approved.put_to {
        return None;
    }
    match today(&approved.question, standing) {
        Today::Allows(_) => Some(Permit::new(approved.question.call.clone(), standing)),
        Today::Changed | Today::Denies => None,
    }
}

/// What the table says of a question's call today.
enum Today {
    Allows(Says),
    Changed,
    Denies,
}

fn today(question: &Question, standing: &Standing) -> Today {
    let judged = table::judge(&Facts::of(&question.call, standing), standing);
    // A row that asks every time and is not on the card is a reason that the person never saw.
    let unseen = judged.findings.iter().any(|finding| {
        finding.says >= Says::AskOnce && question.reasons.iter().all(|seen| seen.row != finding.row)
    });
    if judged.says == Says::Deny {
        Today::Denies
    } else if judged.says > question.says || unseen || standing.ground != question.ground {
        Today::Changed
    } else {
        Today::Allows(judged.says)
    }
}

fn still_offered(question: &Question, kept: &Kept, says: Says, standing: &Standing) -> bool {
    match (says, kept) {
        (_, Kept::Nothing) | (Says::Allow, Kept::Approval(_) | Kept::Rule(_)) => true,
        (Says::Ask, Kept::Approval(rule)) => {
            today_offers(question, standing).alike.as_ref() == Some(rule)
        }
        (Says::Ask, Kept::Rule(rule)) => {
            today_offers(question, standing).always.as_ref() == Some(rule)
        }
        (Says::AskOnce | Says::Deny, Kept::Approval(_) | Kept::Rule(_)) => false,
    }
}

fn today_offers(question: &Question, standing: &Standing) -> Offers {
    let facts = Facts::of(&question.call, standing);
    let judged = table::judge(&facts, standing);
    offers::of(&facts, &judged, standing)
}
