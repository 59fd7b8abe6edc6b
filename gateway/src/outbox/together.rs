//! What goes out as one message? Files that wait behind each other, as far as their platform shows
//! them together.

use std::collections::VecDeque;

use adapters::{AdapterError, Encoded, SendKey};

use super::{Fate, Pause, failed, noted};
use crate::House;
use crate::clock;
use crate::metrics::{self, Count};
use crate::store::{Company, Handed, Letter, Outcome, StoreError};

/// Takes the letters out of a queue that go out as one with this one.
pub(super) fn behind(house: &House, first: &Letter, queue: &mut VecDeque<Letter>) -> Vec<Letter> {
    let joins = |letter: &Letter| {
        letter.outcome == Outcome::Message
            && letter.handed == Handed::No
            && letter.company == Company::Welcome
    };
    let Some(adapter) = house.lines.get(&first.place.line) else {
        return Vec::new();
    };
    if queue.is_empty() || !joins(first) {
        return Vec::new();
    }
    let waiting = queue.iter().take_while(|letter| joins(letter)).take(MOST);
    let parts: Vec<Encoded> = std::iter::once(first)
        .chain(waiting)
        .map(|letter| letter.encoded.clone())
        .collect();
    let more = adapter.together(&parts).min(parts.len()).saturating_sub(1);
    queue.drain(..more).collect()
}

/// Sends letters as one. Where that is refused, each goes by itself.
pub(super) async fn try_once(
    house: &House,
    first: Letter,
    more: Vec<Letter>,
) -> Result<Fate, StoreError> {
    let letters: Vec<Letter> = std::iter::once(first.clone()).chain(more).collect();
    let ids = letters.iter().map(|letter| letter.id).collect();
    let Some(adapter) = house.lines.get(&first.place.line) else {
        return Ok(alone(letters));
    };
    let Some(parts) = house.store.hand_over_together(ids).await? else {
        return Ok(alone(letters));
    };
    let key = SendKey(first.id);
    match adapter.send_together(&first.place, &parts, key).await {
        Ok(names) => {
            for (at, letter) in letters.iter().enumerate() {
                metrics::count(Count::Letters, "sent");
                let name = names.get(at).or(names.last());
                noted(|| house.store.sent(letter.id, name.cloned())).await;
            }
            Ok(Fate::Settled(Vec::new()))
        }
        // One report for all of them.
        Err(AdapterError::Ambiguous) => Ok(failed(house, first, AdapterError::Ambiguous).await),
        Err(AdapterError::Moved(_) | AdapterError::Refused(_)) => {
            for letter in &letters {
                let why = || "it was refused together with others".to_owned();
                noted(|| house.store.put_off(letter.id, clock::now(), why())).await;
            }
            Ok(alone(letters))
        }
        Err(error) => {
            let (mut later, mut asked) = (Vec::new(), Pause::Place);
            for letter in letters {
                match failed(house, letter, error.clone()).await {
                    Fate::Settled(told) => house.post(told),
                    Fate::Later(again, pause) => {
                        later.extend(again);
                        asked = pause;
                    }
                }
            }
            Ok(Fate::Later(later, asked))
        }
    }
}

fn alone(letters: Vec<Letter>) -> Fate {
    let alone = |letter| Letter {
        company: Company::Alone,
        handed: Handed::No,
        due: clock::now(),
        ..letter
    };
    Fate::Later(letters.into_iter().map(alone).collect(), Pause::Place)
}

/// How many letters are looked at: no platform shows more together.
const MOST: usize = 16;
