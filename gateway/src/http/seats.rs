//! How much may one of many hold at once? So much that it goes on well, and never all that there is
//! for everybody.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What is held, by whoever holds it.
#[derive(Debug)]
pub(super) struct Seats<Who: Ord> {
    each: usize,
    taken: Mutex<BTreeMap<Who, usize>>,
}

/// One place, free again when this is dropped.
#[derive(Debug)]
pub(super) struct Seat<Who: Ord> {
    seats: Arc<Seats<Who>>,
    who: Who,
}

impl<Who: Ord + Clone> Seats<Who> {
    /// So many places for each.
    pub(super) fn new(each: usize) -> Arc<Self> {
        Arc::new(Self {
            each,
            taken: Mutex::default(),
        })
    }

    /// One more place; none for who has all that they may.
    pub(super) fn take(self: &Arc<Self>, who: Who) -> Option<Seat<Who>> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let held = taken.entry(who.clone()).or_default();
        if *held >= self.each {
            return None;
        }
        *held += 1;
        Some(Seat {
            seats: self.clone(),
            who,
        })
    }
}

impl<Who: Ord> Drop for Seat<Who> {
    fn drop(&mut self) {
        let taken = self.seats.taken.lock();
        let mut taken = taken.unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(&self.who) {
            Some(held) if *held > 1 => *held -= 1,
            Some(_) | None => {
                taken.remove(&self.who);
            }
        }
    }
}
