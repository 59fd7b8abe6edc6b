//! Would this call carry something out of here?

use crate::id::Place;
use crate::taint::Taint;
use crate::tool::{Effects, Reach};

/// Where a call reaches to, in words for a person; none where nothing leaves the place it was
/// asked in.
pub fn beyond(reach: &Reach, here: &Place) -> Option<String> {
    match reach {
        Reach::Agent(name) => Some(format!("the agent {name}")),
        Reach::Here | Reach::Nowhere => None,
        Reach::Household => Some("everyone of the household".to_owned()),
        Reach::Net(address) if address.is_empty() => Some("the net".to_owned()),
        Reach::Net(address) => Some(format!("the net ({address})")),
        Reach::Place(place) if place == here => None,
        Reach::Place(_) => Some("another chat".to_owned()),
        Reach::Source(name) => Some(format!("the source {name}")),
    }
}

/// Whether sensitive data would leave the source that it came from; row 8.
pub fn leaks_sensitive(effects: &Effects, taint: &Taint, here: &Place) -> Option<String> {
    let foreign = taint.sensitive.iter().find(|read| match &effects.reach {
        Reach::Source(to) => *read != to,
        Reach::Agent(_)
        | Reach::Here
        | Reach::Household
        | Reach::Net(_)
        | Reach::Nowhere
        | Reach::Place(_) => true,
    })?;
    let to = beyond(&effects.reach, here)?;
    Some(format!(
        "the sensitive source {foreign} was read, and this reaches {to}"
    ))
}

/// Whether data would be carried out after outside or private content was read; row 10. No
/// address is known to be free, so each one asks.
pub fn carries_out(effects: &Effects, taint: &Taint, here: &Place) -> Option<String> {
    let to = beyond(&effects.reach, here)?;
    if taint.private.is_marked() {
        Some(format!("private data was read, and this reaches {to}"))
    } else if taint.outside.is_marked() {
        Some(format!("outside content was read, and this reaches {to}"))
    } else {
        None
    }
}
