//! Which model answers, and what was in the way of one that did not?

use std::sync::{Mutex, PoisonError};

use bot_policy::id::Timestamp;

use crate::agent::model::{Completion, ModelError};
use crate::conversation::time_of_day;

/// What became of the last question to the model.
#[derive(Debug, Default)]
pub(crate) struct Answering(Mutex<Option<String>>);

impl Answering {
    /// Notes what came of a question.
    pub(crate) fn note(&self, came: &Result<Completion, ModelError>, now: Timestamp) {
        let at = time_of_day(now);
        let trouble = match came {
            Ok(answer) if answer.instead_of.is_empty() => None,
            Ok(answer) => {
                let by = answer
                    .used
                    .as_ref()
                    .map_or("another model", |used| &used.model);
                Some(format!(
                    "{by} answered at {at}, because: {}",
                    answer.instead_of.join("; ")
                ))
            }
            Err(error) => Some(format!("the model gave no answer at {at}: {error}")),
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// What the owner should know of it; nothing while the model of their choice answers.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
