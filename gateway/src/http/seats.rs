//! How many streams may one browser's account hold? So many that its tabs have one each, and never
//! all the connections that there are for everybody.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many streams one account holds at most.
const EACH: usize = 16;

/// The streams that are open, by account.
#[derive(Debug, Default)]
pub(super) struct Seats(Mutex<BTreeMap<String, usize>>);

/// One stream's place, free again when this is dropped.
#[derive(Debug)]
pub(super) struct Seat {
    seats: Arc<Seats>,
    account: String,
}

impl Seats {
    /// A place for one more stream of this account; none when it has all that it may.
    pub(super) fn take(self: &Arc<Self>, account: &str) -> Option<Seat> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let held = taken.entry(account.to_owned()).or_default();
        if *held >= EACH {
            return None;
        }
        *held += 1;
        Some(Seat {
            seats: self.clone(),
            account: account.to_owned(),
        })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = taken
            .get(&self.account)
            .map_or(0, |held| held.saturating_sub(1));
        if left == 0 {
            taken.remove(&self.account);
        } else {
            taken.insert(self.account.clone(), left);
        }
    }
}
