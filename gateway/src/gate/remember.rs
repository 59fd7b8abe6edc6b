//! What does the person say of a memory that was saved after outside content?

use bot_policy::access::Person;
use bot_policy::id::Place;

use crate::conversation::notice;
use crate::store::{OfMemory, StoreError};
use crate::{House, clock};

/// Carries out a press about an unconfirmed memory. Only the button under its whole text confirms
/// it.
pub(super) async fn pressed(
    house: &House,
    person: &Person,
    place: &Place,
    memory: i64,
    does: OfMemory,
) -> Result<Option<String>, StoreError> {
    let now = clock::now();
    let said = match does {
        OfMemory::Show => {
            let shown = house
                .store
                .show_memory(memory, place.clone(), person.id, now);
            return Ok(match shown.await? {
                Some(letters) => {
                    house.post(letters);
                    None
                }
                None => Some(DECIDED.into()),
            });
        }
        OfMemory::Forget => "Forgotten.",
        OfMemory::Keep => "Remembered: this memory is confirmed.",
    };
    let decided = house
        .store
        .decide_memory(memory, place.clone(), person.id, does);
    if !decided.await? {
        return Ok(Some(DECIDED.into()));
    }
    house.post(house.store.say(place.clone(), notice(said), now).await?);
    Ok(None)
}

const DECIDED: &str = "This memory is confirmed already, or gone.";
