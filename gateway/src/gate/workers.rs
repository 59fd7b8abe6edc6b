//! What is handed to workers? Their calls pass the same gate, with the marks of both.

use bot_policy::call::Call;
use bot_policy::card::{Card, Field, FieldKind};
use bot_policy::surface::Waiting;
use bot_policy::taint::{Labelled, Taint};
use bot_policy::visible;

use crate::agent::Ended;
use crate::agent::tools::delegate::{NAME, tasks};
use crate::conversation::Flow;
use crate::store::{AuditEntry, Finish, Loaded, StoreError};
use crate::{House, clock};

/// Whether a call is done by workers.
pub(super) fn is_delegated(call: &Call) -> bool {
    call.tool.as_str() == NAME
}

/// Starts the workers of a call.
pub(super) async fn delegate(
    house: &House,
    loaded: &Loaded,
    call: Call,
    judged: AuditEntry,
) -> Result<Flow, StoreError> {
    let why = match (tasks(&call), &loaded.work) {
        (Some(tasks), None) => {
            let started = house
                .store
                .delegate(loaded.id, call.id, tasks, vec![judged], clock::now())
                .await?;
            house.wake(started);
            return Ok(Flow::More);
        }
        (None, _) => "give tasks: a list of 1 to 4 texts of at most 4000 characters",
        (Some(_), Some(_)) => "a worker has no workers of its own",
    };
    let finish = Finish {
        call: call.id,
        ended: Ended::Failed,
        told: Labelled {
            value: format!("failed: {why}"),
            taint: Taint::default(),
        },
        outcome: why.to_owned(),
        because: String::new(),
        shown: None,
        notes: vec![judged],
    };
    let letters = house.store.finish(loaded.id, finish, clock::now()).await?;
    house.post(letters);
    Ok(Flow::More)
}

/// The card, with the worker that asks on it and what it was given to do.
pub(super) fn for_whom(loaded: &Loaded, mut card: Card) -> Card {
    if let Some(work) = &loaded.work {
        let waiting = Waiting {
            worker: work.worker.clone(),
            task: work.task.clone(),
            question: (),
        };
        let field = Field {
            kind: FieldKind::Destination,
            label: visible::line("for whom"),
            value: waiting.heading(),
            cut: None,
        };
        card.fields.insert(0, field);
    }
    card
}

/// The card, with the folder that a Code conversation works in: on a phone nothing else says which of
/// several asks.
pub(super) fn where_it_works(loaded: &Loaded, mut card: Card) -> Card {
    if let Some(code) = &loaded.code {
        let path = code.folder.path.display().to_string();
        card.fields.push(Field {
            kind: FieldKind::Destination,
            label: visible::line("in folder"),
            value: visible::line(&path),
            cut: None,
        });
    }
    card
}
