//! What happens while a call runs? It ends, is left because it takes too long, or is stopped.

use std::time::Duration;

use bot_policy::call::Call;
use bot_policy::decide::Permit;
use bot_policy::metadata::{may_repeat, time_limit};
use bot_policy::taint::Taint;
use bot_policy::tool::{Change, Reach, Reads, effects};

use crate::agent::tools::{Deed, Keeper, ToolError};
use crate::conversation::whose;
use crate::course::{Course, Woken, typing};
use crate::store::{Loaded, StoreError};
use crate::{House, clock};

/// How long a call may take that says nothing of it, in seconds.
const CALL_SECONDS: u32 = 300;

/// Whether a call was left in the middle of a change, so that nobody knows what came of it.
pub(super) enum Left {
    No,
    Open,
}

/// Runs a call to its end, or for as long as it may take. When the person ends the turn, one that
/// only reads is left where it is; one that changes something stands as it comes out.
pub(super) async fn until_over(
    house: &House,
    loaded: &Loaded,
    permit: Permit,
    course: &mut Course,
) -> (Option<Result<Deed, ToolError>>, Left) {
    let spec = house.tools.spec(permit.call());
    let reads = spec.is_some_and(|spec| effects(spec, permit.call()).change == Change::Nothing);
    let limit = spec.map_or(CALL_SECONDS, |spec| {
        time_limit(spec, permit.call(), CALL_SECONDS, u32::MAX)
    });
    let whose = whose(loaded);
    let run = async {
        match house.replay.answer(permit.call()) {
            Some(answered) => answered,
            None => house.tools.run(permit, &whose).await,
        }
    };
    tokio::pin!(run);
    let typing = typing(house, &loaded.place);
    tokio::pin!(typing);
    let over = tokio::time::sleep(Duration::from_secs(limit.into()));
    tokio::pin!(over);
    loop {
        tokio::select! {
            ran = &mut run => return (Some(ran), Left::No),
            () = &mut over => return took_too_long(limit, reads),
            woken = course.heard() => match woken {
                Woken::Closing => return (Some(run.await), Left::No),
                Woken::News => {}
                Woken::Stop if reads => return (None, Left::No),
                Woken::Stop => {}
            },
            () = &mut typing => {}
        }
    }
}

fn took_too_long(limit: u32, reads: bool) -> (Option<Result<Deed, ToolError>>, Left) {
    let (how, left) = match reads {
        true => ("it was left", Left::No),
        false => ("its outcome is unknown", Left::Open),
    };
    let why = format!("it took longer than {limit} seconds, so {how}");
    (Some(Err(ToolError(why))), left)
}

/// Whether a call whose outcome is unknown may be made again: twice is as good as once.
pub(crate) fn may_be_made_again(house: &House, call: &Call) -> bool {
    let spec = house.tools.spec(call);
    spec.is_some_and(|spec| may_repeat(spec, call))
}

/// Notes the address that a call reaches before it does: what is free is counted.
pub(super) async fn note_address(
    house: &House,
    loaded: &Loaded,
    call: &Call,
) -> Result<(), StoreError> {
    match house.tools.spec(call).map(|spec| effects(spec, call).reach) {
        Some(Reach::Net(address)) if !address.is_empty() => {
            house.store.took(loaded.id, address, clock::now()).await
        }
        Some(_) | None => Ok(()),
    }
}

/// The marks that a call's result carries by what the call reads, whatever the tool says of it.
pub(super) fn brings(house: &House, loaded: &Loaded, call: &Call) -> Taint {
    let origin = call.head();
    let Some(spec) = house.tools.spec(call) else {
        return Taint::outside(origin);
    };
    let read = match effects(spec, call).reads {
        Reads::Own => Taint::default(),
        Reads::Private => Taint::private(origin),
        Reads::Outside | Reads::Source(_) => Taint::outside(origin),
    };
    let mut sensitive = house.sensitive.of(&loaded.person);
    // What a group keeps is no person's memory.
    if matches!(loaded.keeper, Keeper::Place(_)) {
        sensitive.memories.clear();
    }
    read.join(&sensitive.marks(spec, call, loaded.person.id))
}
