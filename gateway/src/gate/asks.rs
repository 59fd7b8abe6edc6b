//! What does the agent ask in its own name? Nothing runs; a question waits.

use std::sync::Arc;

use bot_policy::access::Person;
use bot_policy::call::Call;
use bot_policy::choice::Asked;
use bot_policy::id::CallId;
use bot_policy::message::Addresses;
use bot_policy::taint::{Labelled, Taint};
use bot_policy::visible;

use super::press::ANSWERED;
use super::{ends_at, wait};
use crate::agent::tools::ask;
use crate::agent::{CardStands, Ended};
use crate::conversation::{Flow, time_of_day};
use crate::store::{AuditEntry, Choose, Finish, Loaded, Pressed, StoreError};
use crate::{House, clock};

/// Whether a call asks instead of running.
pub(super) fn is_asked(call: &Call) -> bool {
    call.tool.as_str() == ask::NAME
}

/// Puts the question of a call, or takes back what it names.
pub(super) async fn put(
    house: &Arc<House>,
    loaded: &Loaded,
    call: Call,
    card_stands: CardStands,
    judged: AuditEntry,
) -> Result<Flow, StoreError> {
    if call.command == "withdraw" {
        return withdraw(house, loaded, call, judged).await;
    }
    match (Asked::of(&call), card_stands) {
        (Err(why), _) => {
            let said = format!("not asked: {why}");
            end(house, loaded, call.id, Ended::Failed, said, judged).await
        }
        (Ok(_), CardStands::Yes) => wait(house, loaded, &call).await,
        (Ok(asked), CardStands::No) => {
            let now = clock::now();
            let choose = Choose {
                call,
                asked,
                addresses: if loaded.taint.outside.is_marked() {
                    Addresses::Inert
                } else {
                    Addresses::Live
                },
                ends_at: ends_at(loaded, now),
                notes: vec![judged],
            };
            let letters = house.store.choose(loaded.id, choose, now).await?;
            let asked = !letters.is_empty();
            house.post(letters);
            Ok(if asked { Flow::More } else { Flow::Rest })
        }
    }
}

async fn withdraw(
    house: &House,
    loaded: &Loaded,
    call: Call,
    judged: AuditEntry,
) -> Result<Flow, StoreError> {
    let which = CallId::new(call.text("call").unwrap_or_default());
    let taken = house.store.withdraw(loaded.id, which, clock::now()).await?;
    let (ended, said) = match taken {
        Some(letters) => {
            house.post(letters);
            house.wake(house.store.family(loaded.id).await?);
            (Ended::Done, "withdrawn")
        }
        None => (Ended::Failed, "no call of that id waits on a card"),
    };
    end(house, loaded, call.id, ended, said.to_owned(), judged).await
}

async fn end(
    house: &House,
    loaded: &Loaded,
    call: CallId,
    ended: Ended,
    said: String,
    judged: AuditEntry,
) -> Result<Flow, StoreError> {
    let finish = Finish {
        call,
        ended,
        told: Labelled {
            value: said.clone(),
            taint: Taint::default(),
        },
        outcome: said,
        because: String::new(),
        shown: None,
        notes: vec![judged],
    };
    let letters = house.store.finish(loaded.id, finish, clock::now()).await?;
    house.post(letters);
    Ok(Flow::More)
}

/// Carries out a press on a question of the agent's own.
pub(super) async fn chosen(
    house: &Arc<House>,
    person: &Person,
    pressed: Pressed,
    choice: Option<usize>,
) -> Result<Option<String>, StoreError> {
    let Some((_, open)) = pressed.question else {
        return Ok(Some(ANSWERED.into()));
    };
    let now = clock::now();
    let who = format!("{}, {}", visible::foreign(&person.name), time_of_day(now));
    let chosen = house.store.chosen(open.id, choice, person.id, who, now);
    match chosen.await? {
        Some((which, letters)) => {
            house.post(letters);
            house.wake(house.store.family(which).await?);
            Ok(None)
        }
        None => Ok(Some(ANSWERED.into())),
    }
}
