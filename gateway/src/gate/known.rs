//! Which addresses and memories does a conversation know? What is not known for sure is not free.

use std::collections::BTreeSet;

use bot_policy::call::Call;
use bot_policy::egress::Known;
use bot_policy::id::CallId;
use bot_policy::tool::{Reach, effects};

use crate::House;
use crate::agent::{Ended, Entry};
use crate::store::{Loaded, StoreError};

/// For a call that reaches the net: the addresses that the person typed, the pages that were
/// read, the addresses that were reached before, and every memory that it must not tell.
pub(super) async fn known(
    house: &House,
    loaded: &Loaded,
    call: &Call,
) -> Result<Known, StoreError> {
    let mut known = Known::default();
    if !reaches_net(house, call) {
        return Ok(known);
    }
    loaded.turn.typed().for_each(|words| known.typed(words));
    pages(house, loaded).for_each(|page| known.read(page));
    for address in house.store.taken(loaded.id).await? {
        known.took(&address);
    }
    for memory in house.store.remembered(loaded.keeper).await? {
        known.remembers(&memory);
    }
    Ok(known)
}

fn reaches_net(house: &House, call: &Call) -> bool {
    let reach = house.tools.spec(call).map(|spec| effects(spec, call).reach);
    matches!(reach, Some(Reach::Net(_)))
}

/// What came from the net, as far as the history is read back.
fn pages<'a>(house: &House, loaded: &'a Loaded) -> impl Iterator<Item = &'a str> {
    let entries = || loaded.turn.entries.iter().map(|(_, entry)| entry);
    let of_net: BTreeSet<&CallId> = entries()
        .flat_map(|entry| match entry {
            Entry::Model { calls, .. } => calls.as_slice(),
            Entry::Person { .. } | Entry::Result { .. } | Entry::Stopped => &[],
        })
        .filter(|call| reaches_net(house, call))
        .map(|call| &call.id)
        .collect();
    entries().filter_map(move |entry| match entry {
        Entry::Result {
            call,
            ended: Ended::Done,
            told,
            outcome: _,
            because: _,
        } if of_net.contains(call) => Some(told.value.as_str()),
        Entry::Model { .. } | Entry::Person { .. } | Entry::Result { .. } | Entry::Stopped => None,
    })
}
