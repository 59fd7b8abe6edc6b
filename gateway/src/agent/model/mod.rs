//! Who thinks? One trait for whatever completes a prompt.

use async_trait::async_trait;
use bot_policy::call::Arguments;
use bot_policy::id::ToolName;

use super::prompt::Prompt;

mod practice;

pub use practice::Practice;

/// A language model, or what stands in for one.
#[async_trait]
pub trait Model: Send + Sync {
    /// Its name, as `status` shows it.
    fn name(&self) -> &str;

    /// What stands under each of its replies, where something must.
    fn footer(&self) -> Option<&str>;

    /// The last line of the welcome, where something can be tried at once.
    fn welcome(&self) -> Option<&str>;

    /// Completes a prompt. Text is handed to `streamed` as it comes, and whole in the end.
    ///
    /// # Errors
    /// When the model cannot be reached or says no; the text is for the person.
    async fn complete(
        &self,
        prompt: &Prompt,
        streamed: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<Completion, ModelError>;
}

/// What a model answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completion {
    /// Its words, for the person.
    pub text: String,
    /// What it wants done, in order.
    pub calls: Vec<Wanted>,
}

/// A call as a model words it, before it has an id of ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Which tool.
    pub tool: ToolName,
    /// Which command of it.
    pub command: String,
    /// With what.
    pub arguments: Arguments,
}

/// The model gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model does not answer: {0}")]
pub struct ModelError(pub String);
