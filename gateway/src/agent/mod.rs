//! What does the conversation do next? The turn as a pure function of what is on disk.
//!
//! ```text
//!  entries, questions, started calls --next--> Think | Judge(call) | Resume | Interrupted | Rest
//!          ^                                        |
//!          +------- one transaction per step -------+
//! ```
//!
//! Nothing of a turn lives in memory only: after a crash the same rows give the same next step.

use std::collections::{BTreeMap, BTreeSet};

use bot_policy::approval::{OpenQuestion, State};
use bot_policy::call::Call;
use bot_policy::event::PartBody;
use bot_policy::id::{CallId, MessageRef};
use bot_policy::taint::Labelled;
use serde::{Deserialize, Serialize};

pub mod deeds;
pub mod model;
mod pace;
pub mod prompt;
pub mod tools;

pub use pace::Pace;

/// Calls that one turn may make.
pub const CALLS_PER_TURN: u32 = 16;
/// Times that the model is asked within one turn.
pub const THOUGHTS_PER_TURN: usize = 24;

/// One line of a conversation's history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Entry {
    /// What the model said and what it wants done.
    Model {
        /// Its words, for the person.
        text: String,
        /// Its calls, in order.
        calls: Vec<Call>,
        /// The last entry that it had seen.
        seen: i64,
    },
    /// What the person sent.
    Person {
        /// Its parts with their labels.
        parts: Vec<Labelled<PartBody>>,
        /// What the platform calls the message.
        message: MessageRef,
        /// Which of the parts the person typed, counted from 0; a clean quote is not theirs.
        #[serde(default)]
        typed: Vec<usize>,
    },
    /// How a call ended.
    Result {
        /// Which call.
        call: CallId,
        /// How.
        ended: Ended,
        /// What the model is told.
        told: Labelled<String>,
        /// What came of it, in a few words for the person.
        #[serde(default)]
        outcome: String,
        /// Why it ran: a rule, a card.
        #[serde(default)]
        because: String,
    },
    /// The person ended the turn.
    Stopped,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// The rules, a limit or the person said no, or nobody answered.
    Denied,
    /// It ran.
    Done,
    /// It ran and failed.
    Failed,
    /// It needed an approval, and nobody was there to give it.
    Unapproved,
    /// It was started and nobody knows how it ended.
    Unknown,
    /// It was taken back before it ran.
    Withdrawn,
}

/// A conversation as far as the next step needs it.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// The history, oldest first, each with its number.
    pub entries: Vec<(i64, Entry)>,
    /// The newest question of each call that was asked about.
    pub questions: BTreeMap<CallId, OpenQuestion>,
    /// Calls that were started.
    pub started: BTreeSet<CallId>,
    /// Those of them that wait for workers of this conversation.
    pub working: BTreeSet<CallId>,
    /// How much it may do.
    pub pace: Pace,
}

/// The next step.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Nobody knows how this call ended: it was started, and this is not the run that started it.
    Interrupted(Call),
    /// Judge this call; when it would ask while another card stands, it waits its turn.
    Judge(Call, CardStands),
    /// The person wrote before these calls started, and the model has not seen it: it decides
    /// again.
    Reconsider(Vec<CallId>),
    /// Nothing to do until something comes in.
    Rest,
    /// The person said yes to this one, and it has not started.
    Resume(Box<OpenQuestion>),
    /// Ask the model.
    Think,
    /// The model was asked too often within this turn.
    TooLong,
}

/// Whether another card of the conversation waits for its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardStands {
    /// None.
    No,
    /// One does.
    Yes,
}

impl Turn {
    /// The next step of this conversation.
    pub fn next(&self) -> Next {
        let mut waiting = None;
        let mut stands = CardStands::No;
        for (number, call) in self.unfinished() {
            if self.working.contains(&call.id) {
                waiting = waiting.or(Some(number));
                continue;
            }
            if self.started.contains(&call.id) {
                return Next::Interrupted(call.clone());
            }
            let question = self.questions.get(&call.id);
            match question.map(|question| question.state) {
                Some(State::Approved) => {
                    if let Some(question) = question {
                        return Next::Resume(Box::new(question.clone()));
                    }
                }
                Some(State::Asked) => {
                    stands = CardStands::Yes;
                    waiting = waiting.or(Some(number));
                }
                None if waiting.is_none() && self.unseen_words().is_some() => {
                    return Next::Reconsider(self.never_asked());
                }
                None
                | Some(
                    State::Changed
                    | State::Done
                    | State::Expired
                    | State::Refused
                    | State::Started
                    | State::Unknown
                    | State::Withdrawn,
                ) => match waiting {
                    None => return Next::Judge(call.clone(), CardStands::No),
                    // Calls of one reply run in their order; those of a later one may pass a card.
                    Some(asked) if asked < number => {
                        return self.pass_or_think(call, number, asked, stands);
                    }
                    Some(_) => {}
                },
            }
        }
        self.think_or_rest(waiting)
    }

    fn pass_or_think(&self, call: &Call, number: i64, asked: i64, stands: CardStands) -> Next {
        match self.unseen_words() {
            Some(words) if words > number => self.think_or_rest(Some(asked)),
            Some(_) | None => Next::Judge(call.clone(), stands),
        }
    }

    /// Calls that neither started nor were asked about.
    fn never_asked(&self) -> Vec<CallId> {
        self.unfinished_calls()
            .filter(|call| {
                !self.started.contains(&call.id) && !self.questions.contains_key(&call.id)
            })
            .map(|call| call.id.clone())
            .collect()
    }

    /// While a card stands, what came of the calls beside its own reply is told all the same.
    fn think_or_rest(&self, asked: Option<i64>) -> Next {
        let wanted = match asked {
            Some(asked) => self.unseen_words().is_some() || self.unseen_result_after(asked),
            None => self.unseen(),
        };
        if !wanted {
            Next::Rest
        } else if self.thoughts() >= self.pace.thoughts() {
            Next::TooLong
        } else {
            Next::Think
        }
    }

    /// The model's last words.
    pub fn last_words(&self) -> Option<&str> {
        self.entries
            .iter()
            .rev()
            .find_map(|(_, entry)| match entry {
                Entry::Model { text, .. } if !text.is_empty() => Some(text.as_str()),
                Entry::Model { .. }
                | Entry::Person { .. }
                | Entry::Result { .. }
                | Entry::Stopped => None,
            })
    }

    /// Calls without a result, oldest first.
    pub fn unfinished_calls(&self) -> impl Iterator<Item = &Call> {
        self.unfinished().map(|(_, call)| call)
    }

    /// Calls without a result, oldest first, with the number of the entry that made them.
    fn unfinished(&self) -> impl Iterator<Item = (i64, &Call)> {
        let finished: BTreeSet<&CallId> = self
            .entries
            .iter()
            .filter_map(|(_, entry)| match entry {
                Entry::Result { call, .. } => Some(call),
                Entry::Model { .. } | Entry::Person { .. } | Entry::Stopped => None,
            })
            .collect();
        self.entries
            .iter()
            .flat_map(|(number, entry)| match entry {
                Entry::Model { calls, .. } => calls.iter().map(|call| (*number, call)).collect(),
                Entry::Person { .. } | Entry::Result { .. } | Entry::Stopped => Vec::new(),
            })
            .filter(move |(_, call)| !finished.contains(&call.id))
    }

    /// The last entry that the model has seen or that the person has closed.
    pub fn seen(&self) -> i64 {
        self.entries
            .iter()
            .rev()
            .find_map(|(number, entry)| match entry {
                Entry::Model { seen, .. } => Some(*seen),
                Entry::Stopped => Some(*number),
                Entry::Person { .. } | Entry::Result { .. } => None,
            })
            .unwrap_or(0)
    }

    fn unseen(&self) -> bool {
        let seen = self.seen();
        let of_closed_turns = self.calls_of_closed_turns();
        self.entries.iter().any(|(number, entry)| match entry {
            Entry::Person { .. } => *number > seen,
            // What had started when the turn was ended finishes, and nobody thinks about it.
            Entry::Result { call, .. } => *number > seen && !of_closed_turns.contains(call),
            Entry::Model { .. } | Entry::Stopped => false,
        })
    }

    /// Whether the model has yet to see the result of a call that it made after this entry.
    fn unseen_result_after(&self, entry: i64) -> bool {
        let seen = self.seen();
        let later: BTreeSet<&CallId> = self
            .entries
            .iter()
            .filter(|(number, _)| *number > entry)
            .flat_map(|(_, entry)| match entry {
                Entry::Model { calls, .. } => calls.iter().map(|call| &call.id).collect(),
                Entry::Person { .. } | Entry::Result { .. } | Entry::Stopped => Vec::new(),
            })
            .collect();
        self.entries.iter().any(|(number, entry)| match entry {
            Entry::Result { call, .. } => *number > seen && later.contains(call),
            Entry::Model { .. } | Entry::Person { .. } | Entry::Stopped => false,
        })
    }

    /// Whether the newest entry is the one that made this call.
    pub fn made_just_now(&self, call: &CallId) -> bool {
        match self.entries.last() {
            Some((_, Entry::Model { calls, .. })) => calls.iter().any(|made| made.id == *call),
            Some((_, Entry::Person { .. } | Entry::Result { .. } | Entry::Stopped)) | None => false,
        }
    }

    fn calls_of_closed_turns(&self) -> BTreeSet<&CallId> {
        let Some(last) = self
            .entries
            .iter()
            .rposition(|(_, entry)| *entry == Entry::Stopped)
        else {
            return BTreeSet::new();
        };
        self.entries
            .iter()
            .take(last)
            .flat_map(|(_, entry)| match entry {
                Entry::Model { calls, .. } => calls.iter().map(|call| &call.id).collect(),
                Entry::Person { .. } | Entry::Result { .. } | Entry::Stopped => Vec::new(),
            })
            .collect()
    }

    fn unseen_words(&self) -> Option<i64> {
        let seen = self.seen();
        self.entries
            .iter()
            .rev()
            .find_map(|(number, entry)| match entry {
                Entry::Person { .. } if *number > seen => Some(*number),
                Entry::Model { .. }
                | Entry::Person { .. }
                | Entry::Result { .. }
                | Entry::Stopped => None,
            })
    }

    /// The entries since the person last wrote.
    fn since_words(&self) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .rev()
            .map(|(_, entry)| entry)
            .take_while(|entry| !matches!(entry, Entry::Person { .. }))
    }

    fn thoughts(&self) -> usize {
        self.since_words()
            .filter(|entry| matches!(entry, Entry::Model { .. }))
            .count()
    }

    /// What the person typed, as far as the history is read back.
    pub fn typed(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().flat_map(|(_, entry)| match entry {
            Entry::Person { parts, typed, .. } => typed
                .iter()
                .filter_map(|at| parts.get(*at))
                .filter(|part| part.taint.is_clean())
                .filter_map(|part| match &part.value {
                    PartBody::Text(text) => Some(text.as_str()),
                    PartBody::File(_) => None,
                })
                .collect(),
            Entry::Model { .. } | Entry::Result { .. } | Entry::Stopped => Vec::new(),
        })
    }

    /// The number of the entry with which the person last wrote.
    pub fn newest_words(&self) -> i64 {
        let of_person = |(_, entry): &&(i64, Entry)| matches!(entry, Entry::Person { .. });
        let newest = self.entries.iter().rev().find(of_person);
        newest.map_or(0, |(number, _)| *number)
    }

    /// The number of the newest entry.
    pub fn newest(&self) -> i64 {
        self.entries.last().map_or(0, |(number, _)| *number)
    }

    /// The person's newest message, for answering it by reference.
    pub fn newest_message(&self) -> Option<MessageRef> {
        self.entries
            .iter()
            .rev()
            .find_map(|(_, entry)| match entry {
                Entry::Person { message, .. } => Some(message.clone()),
                Entry::Model { .. } | Entry::Result { .. } | Entry::Stopped => None,
            })
    }
}
