//! Which addresses and memories does a conversation know? What is not known for sure is not free.

use bot_policy::call::Call;
use bot_policy::egress::Known;
use bot_policy::tool::{Reach, effects};

use crate::House;
use crate::store::{Loaded, StoreError};

/// The addresses that the person typed, and for a call that reaches the net every memory that it
/// must not tell. No page is read in this version, so none frees an address.
pub(super) async fn known(
    house: &House,
    loaded: &Loaded,
    call: &Call,
) -> Result<Known, StoreError> {
    let mut known = Known::default();
    let reach = house.tools.spec(call).map(|spec| effects(spec, call).reach);
    if !matches!(reach, Some(Reach::Net(_))) {
        return Ok(known);
    }
    loaded.turn.typed().for_each(|words| known.typed(words));
    for memory in house.store.remembered(loaded.keeper).await? {
        known.remembers(&memory);
    }
    Ok(known)
}
