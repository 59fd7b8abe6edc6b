//! Who thinks? One trait for whatever completes a prompt.

use async_trait::async_trait;
use bot_policy::call::{ARGUMENT_BYTES, Arguments, Call};
use bot_policy::id::{CallId, ToolName};

use super::CALLS_PER_TURN;
use super::prompt::Prompt;

mod chain;
mod chosen;
mod fault;
mod mapping;
pub mod names;
mod practice;
mod remote;
pub mod repair;
pub mod written;

pub use chain::Chain;
pub use chosen::{Chosen, ModelSetupError, chosen};
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
    /// What it used up, where that counts.
    pub used: Option<Used>,
    /// Why the models before this one gave no answer, one sentence each.
    pub instead_of: Vec<String>,
}

/// What one answer used up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Used {
    /// Which model answered.
    pub model: String,
    /// Tokens that it read.
    pub input: u64,
    /// Tokens that it wrote.
    pub output: u64,
    /// What that costs, in millionths of the owner's money.
    pub money: u64,
}

/// A call as a model words it, before it has an id of ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Which tool.
    pub tool: String,
    /// Which command of it.
    pub command: String,
    /// With what: the text of a JSON object, as the model wrote it. It is read in one place, under
    /// limits, whatever model it comes from.
    pub arguments: String,
}

/// The longest reply of a model that is kept, in characters.
const REPLY_CHARACTERS: usize = 64 * 1024;
/// The longest name of a tool or of a command, in characters.
const NAME_CHARACTERS: usize = 128;
/// How much of arguments that cannot be read is kept for the person to see, in characters.
const UNREADABLE_CHARACTERS: usize = 2000;

impl Completion {
    /// What of it is taken: no model hands in more than a turn can use.
    #[must_use]
    pub fn within_limits(self) -> (String, Vec<Call>) {
        let calls = self.calls.into_iter().take(CALLS_PER_TURN as usize);
        let text = start(self.text, REPLY_CHARACTERS);
        (text, calls.map(Wanted::call).collect())
    }
}

impl Wanted {
    fn call(self) -> Call {
        let arguments = match read(&self.arguments) {
            readable @ Arguments::Readable(_) => readable,
            Arguments::Unreadable(text) => {
                Arguments::Unreadable(start(text, UNREADABLE_CHARACTERS))
            }
        };
        Call {
            id: CallId::new(""),
            tool: ToolName::new(start(self.tool, NAME_CHARACTERS)),
            command: start(self.command, NAME_CHARACTERS),
            arguments,
        }
    }
}

/// Reads arguments, mended where only backslashes are at fault: what is judged and shown is the
/// mended text, and the same runs.
fn read(text: &str) -> Arguments {
    match Arguments::parse(text) {
        readable @ Arguments::Readable(_) => readable,
        unreadable @ Arguments::Unreadable(_) => {
            let mended = Some(text)
                .filter(|text| text.len() <= ARGUMENT_BYTES)
                .and_then(repair::repaired)
                .map(|mended| Arguments::parse(&mended));
            match mended {
                Some(readable @ Arguments::Readable(_)) => readable,
                Some(Arguments::Unreadable(_)) | None => unreadable,
            }
        }
    }
}

/// The text, or its start and how much is left out.
fn start(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text,
        Some((at, _)) => {
            let kept = text.get(..at).unwrap_or_default();
            format!("{kept}\u{2026} ({} bytes more)", text.len() - at)
        }
    }
}

/// The model gave no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{why}")]
pub struct ModelError {
    /// What is wrong and what to do, as one sentence without its full stop.
    pub why: String,
    /// What was used up all the same.
    pub used: Option<Used>,
}
