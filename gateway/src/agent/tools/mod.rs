//! What can the agent do? One file per tool; nothing runs without a permit.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use bot_policy::call::Call;
use bot_policy::decide::Permit;
use bot_policy::id::PersonId;
use bot_policy::taint::{Labelled, Taint};
use bot_policy::tool::ToolSpec;

pub mod ask;
mod coder;
pub mod delegate;
mod files;
mod memory;
mod web;

pub(crate) use coder::receive;
pub use coder::{Cage, CodeFolder, Coder, Ledger, Marked, Network, Ownership, Unconfined};
pub use files::{Files, Marks, Screen};
pub use memory::{Memories, Memory, Remembered};
pub use web::{Engine, Web};

/// What the agent's tools can be told to do, for whoever judges without running them.
pub(crate) fn specs() -> Vec<ToolSpec> {
    vec![
        ask::spec(),
        coder::spec(Network::Cut),
        delegate::spec(),
        files::spec(),
        memory::spec(),
        web::spec(),
    ]
}

/// A tool of the agent's.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What it can be told to do.
    fn spec(&self) -> ToolSpec;

    /// What this call stands on outside the rules; a change between question and press closes
    /// the question.
    async fn ground(&self, call: &Call, whose: &Whose) -> BTreeMap<String, String>;

    /// Runs a call that may run.
    ///
    /// # Errors
    /// When it cannot be done; the text is for the model and for the person.
    async fn run(&self, permit: Permit, whose: &Whose) -> Result<Deed, ToolError>;
}

/// For whom and where a call runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Whose {
    /// The number of the place; its workspace goes by it.
    pub workspace: i64,
    /// Whose memory.
    pub keeper: Keeper,
    /// What the conversation has read before this call.
    pub taint: Taint,
    /// The folder of a Code conversation.
    pub folder: Option<CodeFolder>,
}

/// Who keeps a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeper {
    /// A person, over all their direct chats.
    Person(PersonId),
    /// A group, by the number of its place.
    Place(i64),
}

/// What a call did.
#[derive(Clone, Debug, PartialEq)]
pub struct Deed {
    /// What the model is told.
    pub told: Labelled<String>,
    /// What came of it, in a few words for the card.
    pub outcome: String,
    /// What the person is shown of it in a Code conversation: what changed, what was printed.
    /// Empty where the outcome says it all.
    pub shown: String,
}

/// A call could not be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);

/// The tools of one bot.
#[derive(Clone)]
pub struct Tools {
    tools: Arc<Vec<Arc<dyn Tool>>>,
    specs: Arc<Vec<ToolSpec>>,
    in_chats: Arc<Vec<ToolSpec>>,
    in_code: Arc<Vec<ToolSpec>>,
    without_commands: Arc<Vec<ToolSpec>>,
}

/// Where tools are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bench {
    /// In a chat: what works in a Code folder is not.
    Chat,
    /// In a Code conversation.
    Code,
    /// In a Code conversation whose commands cannot be kept in.
    CodeWithoutCommands,
}

impl Tools {
    /// Gathers tools; `waiting` are those that wait for a person or a worker instead of running.
    pub fn new(tools: Vec<Arc<dyn Tool>>, waiting: Vec<ToolSpec>) -> Self {
        let specs = tools.iter().map(|tool| tool.spec());
        let specs: Vec<ToolSpec> = specs.chain(waiting).collect();
        let codes = |spec: &&ToolSpec| spec.name.as_str() == coder::NAME;
        let in_chats = specs.iter().filter(|spec| !codes(spec)).cloned();
        // What is said there is about its folder, and about no workspace.
        let in_code = specs
            .iter()
            .filter(|spec| spec.name.as_str() != files::NAME);
        let in_code: Vec<ToolSpec> = in_code.cloned().collect();
        let bare = in_code.iter().cloned().map(|spec| match codes(&&spec) {
            true => coder::without_commands(spec),
            false => spec,
        });
        Self {
            tools: Arc::new(tools),
            in_chats: Arc::new(in_chats.collect()),
            without_commands: Arc::new(bare.collect()),
            in_code: Arc::new(in_code),
            specs: Arc::new(specs),
        }
    }

    /// What they can be told to do.
    pub fn specs(&self) -> Arc<Vec<ToolSpec>> {
        self.specs.clone()
    }

    /// What is offered there.
    pub fn offered(&self, at: Bench) -> Arc<Vec<ToolSpec>> {
        match at {
            Bench::Chat => self.in_chats.clone(),
            Bench::Code => self.in_code.clone(),
            Bench::CodeWithoutCommands => self.without_commands.clone(),
        }
    }

    /// The spec of the tool that a call names.
    pub fn spec(&self, call: &Call) -> Option<&ToolSpec> {
        self.specs.iter().find(|spec| spec.name == call.tool)
    }

    /// What a call stands on; nothing for a tool that is not there.
    pub async fn ground(&self, call: &Call, whose: &Whose) -> BTreeMap<String, String> {
        match self.find(call) {
            Some(tool) => tool.ground(call, whose).await,
            None => BTreeMap::new(),
        }
    }

    /// Runs a call that may run.
    ///
    /// # Errors
    /// As [`Tool::run`]; also when no tool has that name.
    pub async fn run(&self, permit: Permit, whose: &Whose) -> Result<Deed, ToolError> {
        match self.find(permit.call()) {
            Some(tool) => tool.run(permit, whose).await,
            None => Err(ToolError(format!(
                "there is no tool {}",
                permit.call().tool
            ))),
        }
    }

    fn find(&self, call: &Call) -> Option<&Arc<dyn Tool>> {
        self.specs
            .iter()
            .zip(self.tools.iter())
            .find(|(spec, _)| spec.name == call.tool)
            .map(|(_, tool)| tool)
    }
}
