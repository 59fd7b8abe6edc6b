//! Which places and lines were asked to be quiet for a while?

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bot_policy::id::{LineId, Place, Timestamp};

/// What platforms asked us to wait for.
#[derive(Debug, Default)]
pub(crate) struct Holds(Mutex<Asked>);

#[derive(Debug, Default)]
struct Asked {
    places: BTreeMap<Place, Timestamp>,
    lines: BTreeMap<LineId, Timestamp>,
}

impl Holds {
    /// Notes that a platform asked us to wait with a place. It may mean that chat or all that the
    /// line sends: once a second place is asked meanwhile, the whole line waits.
    pub(crate) fn hold(&self, place: &Place, until: Timestamp, now: Timestamp) {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        asked.places.retain(|_, until| *until > now);
        asked.lines.retain(|_, until| *until > now);
        asked.places.insert(place.clone(), until);
        let of_line = asked
            .places
            .keys()
            .filter(|other| other.line == place.line)
            .count();
        if of_line > 1 {
            asked.lines.insert(place.line.clone(), until);
        }
    }

    /// Until when nothing goes to a place; nothing when it may.
    pub(crate) fn until(&self, place: &Place, now: Timestamp) -> Option<Timestamp> {
        let asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place_held = asked.places.get(place);
        let line_held = asked.lines.get(&place.line);
        place_held
            .max(line_held)
            .copied()
            .filter(|until| *until > now)
    }
}
