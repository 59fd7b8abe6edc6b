//! What was really done? From the rows of finished calls alone, whatever the model says of it.

use std::collections::BTreeMap;

use bot_policy::call::Call;
use bot_policy::id::CallId;
use bot_policy::receipt::{self, receipt};

use super::{Ended, Entry, Turn};

/// A call that ran, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Deed<'a> {
    /// What ran.
    pub call: &'a Call,
    /// How it ended.
    pub ended: Ended,
    /// What came of it, in a few words.
    pub outcome: &'a str,
    /// Why it ran.
    pub because: &'a str,
}

impl Deed<'_> {
    /// Its receipt; none where nothing was done, as for a question that was answered.
    fn receipt(&self) -> Option<String> {
        let kind = match self.ended {
            Ended::Done if self.outcome.is_empty() => return None,
            Ended::Done => receipt::Deed::Done,
            Ended::Unknown => receipt::Deed::Unknown,
            Ended::Denied | Ended::Failed | Ended::Unapproved | Ended::Withdrawn => return None,
        };
        Some(receipt(kind, &self.call.head(), self.outcome))
    }
}

impl Turn {
    /// How many calls this turn may still make.
    pub fn calls_left(&self) -> u32 {
        self.pace.calls().saturating_sub(self.calls_made())
    }

    /// How many calls this turn has finished; what was taken back does not count.
    pub fn calls_made(&self) -> u32 {
        let made = self
            .since_words()
            .filter(|entry| match entry {
                Entry::Result { ended, .. } => *ended != Ended::Withdrawn,
                Entry::Model { .. } | Entry::Person { .. } | Entry::Stopped => false,
            })
            .count();
        u32::try_from(made).unwrap_or(u32::MAX)
    }

    /// How many of the newest results in a row were refusals.
    pub fn refusals_in_a_row(&self) -> u32 {
        let refused = self
            .since_words()
            .filter_map(|entry| match entry {
                Entry::Result { ended, .. } => Some(*ended),
                Entry::Model { .. } | Entry::Person { .. } | Entry::Stopped => None,
            })
            .take_while(|ended| matches!(ended, Ended::Denied | Ended::Unapproved))
            .count();
        u32::try_from(refused).unwrap_or(u32::MAX)
    }

    /// What ran that no reply has shown yet.
    pub fn unshown_deeds(&self) -> Vec<Deed<'_>> {
        let shown = self.last_reply().map_or(0, |(_, seen)| seen);
        self.deeds_after(shown)
    }

    /// What ran for the last reply that was shown, and after it.
    pub fn deeds_of_last_reply(&self) -> Vec<Deed<'_>> {
        let before = self.last_reply().and_then(|(at, _)| self.reply_before(at));
        self.deeds_after(before.map_or(0, |(_, seen)| seen))
    }

    /// The receipts that stand under the next reply.
    pub fn receipts(&self) -> Vec<String> {
        self.unshown_deeds()
            .iter()
            .filter_map(Deed::receipt)
            .collect()
    }

    /// The receipts of everything that ran.
    pub fn receipts_of_all(&self) -> Vec<String> {
        self.deeds_after(0)
            .iter()
            .filter_map(Deed::receipt)
            .collect()
    }

    fn last_reply(&self) -> Option<(i64, i64)> {
        self.reply_before(i64::MAX)
    }

    /// The last reply before an entry: its number, and what the model had seen then.
    fn reply_before(&self, before: i64) -> Option<(i64, i64)> {
        self.entries
            .iter()
            .rev()
            .find_map(|(number, entry)| match entry {
                Entry::Model { text, seen, .. } if *number < before && !text.is_empty() => {
                    Some((*number, *seen))
                }
                Entry::Model { .. }
                | Entry::Person { .. }
                | Entry::Result { .. }
                | Entry::Stopped => None,
            })
    }

    fn deeds_after(&self, after: i64) -> Vec<Deed<'_>> {
        let calls: BTreeMap<&CallId, &Call> = self
            .entries
            .iter()
            .flat_map(|(_, entry)| match entry {
                Entry::Model { calls, .. } => calls.iter().map(|call| (&call.id, call)).collect(),
                Entry::Person { .. } | Entry::Result { .. } | Entry::Stopped => Vec::new(),
            })
            .collect();
        self.entries
            .iter()
            .filter(|(number, _)| *number > after)
            .filter_map(|(_, entry)| match entry {
                Entry::Result {
                    call,
                    ended: ended @ (Ended::Done | Ended::Failed | Ended::Unknown),
                    outcome,
                    because,
                    ..
                } => Some(Deed {
                    call: calls.get(call)?,
                    ended: *ended,
                    outcome,
                    because,
                }),
                Entry::Model { .. }
                | Entry::Person { .. }
                | Entry::Result { .. }
                | Entry::Stopped => None,
            })
            .collect()
    }
}
