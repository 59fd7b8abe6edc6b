//! What was to be remembered? Short texts, per person or per group.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use bot_policy::call::Call;
use bot_policy::decide::Permit;
use bot_policy::id::ToolName;
use bot_policy::metadata::Metadata;
use bot_policy::taint::{Labelled, Taint};
use bot_policy::tool::{
    AlwaysAsk, Change, CommandSpec, Needed, Origin, Parameter, ParameterRole, Reach, Reads,
    ToolSpec,
};

use super::{Deed, Keeper, Tool, ToolError, Whose};

/// The longest memory, in bytes.
const MEMORY_LIMIT: usize = 4096;
/// How many memories a search gives.
const FOUND: usize = 10;

/// The tool `memory`.
pub struct Memory {
    memories: Arc<dyn Memories>,
}

/// Where memories are kept.
#[async_trait]
pub trait Memories: Send + Sync {
    /// Keeps a new one with its marks; marked ones stay unconfirmed.
    ///
    /// # Errors
    /// When it cannot be stored.
    async fn save(&self, keeper: Keeper, text: &str, taint: &Taint) -> Result<(), ToolError>;

    /// Deletes the one with this whole text. False when there is none.
    ///
    /// # Errors
    /// When it cannot be deleted.
    async fn forget(&self, keeper: Keeper, text: &str) -> Result<bool, ToolError>;

    /// Puts another text in the place of the one with this whole text. False when there is none.
    ///
    /// # Errors
    /// When it cannot be stored.
    async fn replace(
        &self,
        keeper: Keeper,
        old: &str,
        text: &str,
        taint: &Taint,
    ) -> Result<bool, ToolError>;

    /// The best matches for some words, best first.
    ///
    /// # Errors
    /// When they cannot be read.
    async fn search(
        &self,
        keeper: Keeper,
        words: &str,
        most: usize,
    ) -> Result<Vec<Remembered>, ToolError>;
}

/// One memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    /// Its text.
    pub text: String,
    /// What had been read when it was saved, until the person confirms it.
    pub taint: Taint,
}

impl Memory {
    /// Memories kept there.
    pub fn new(memories: Arc<dyn Memories>) -> Self {
        Self { memories }
    }

    async fn save(&self, text: &str, whose: &Whose) -> Result<Deed, ToolError> {
        let text = memory(text)?;
        self.memories.save(whose.keeper, text, &whose.taint).await?;
        Ok(said(if whose.taint.is_clean() {
            "remembered"
        } else {
            "remembered, unconfirmed"
        }))
    }

    async fn forget(&self, text: &str, whose: &Whose) -> Result<Deed, ToolError> {
        if self.memories.forget(whose.keeper, text.trim()).await? {
            Ok(said("forgotten"))
        } else {
            Err(none())
        }
    }

    async fn replace(&self, old: &str, text: &str, whose: &Whose) -> Result<Deed, ToolError> {
        let text = memory(text)?;
        let replaced = self
            .memories
            .replace(whose.keeper, old.trim(), text, &whose.taint)
            .await?;
        if !replaced {
            return Err(none());
        }
        Ok(said(if whose.taint.is_clean() {
            "remembered instead"
        } else {
            "remembered instead, unconfirmed"
        }))
    }

    async fn search(&self, words: &str, whose: &Whose) -> Result<Deed, ToolError> {
        let found = self.memories.search(whose.keeper, words, FOUND).await?;
        let taint = found
            .iter()
            .fold(Taint::default(), |all, memory| all.join(&memory.taint));
        let value = if found.is_empty() {
            "nothing was remembered about that".to_owned()
        } else {
            found
                .iter()
                .map(|memory| format!("- {}", memory.text))
                .collect::<Vec<_>>()
                .join("\n")
        };
        let outcome = match found.len() {
            1 => "found 1 memory".to_owned(),
            count => format!("found {count} memories"),
        };
        Ok(Deed {
            told: Labelled { value, taint },
            outcome,
            shown: String::new(),
        })
    }
}

fn memory(text: &str) -> Result<&str, ToolError> {
    let text = text.trim();
    if text.is_empty() || text.len() > MEMORY_LIMIT {
        return Err(ToolError(format!(
            "a memory holds 1 to {MEMORY_LIMIT} bytes"
        )));
    }
    Ok(text)
}

fn none() -> ToolError {
    ToolError("no memory has exactly this text; search for it and give its whole text".into())
}

fn said(outcome: &str) -> Deed {
    Deed {
        told: Labelled {
            value: outcome.to_owned(),
            taint: Taint::default(),
        },
        outcome: outcome.to_owned(),
        shown: String::new(),
    }
}

#[async_trait]
impl Tool for Memory {
    fn spec(&self) -> ToolSpec {
        spec()
    }

    async fn ground(&self, _: &Call, _: &Whose) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    async fn run(&self, permit: Permit, whose: &Whose) -> Result<Deed, ToolError> {
        let call = permit.redeem();
        let argument = |name: &str| {
            call.text(name)
                .ok_or_else(|| ToolError(format!("{name} is missing")))
        };
        match call.command.as_str() {
            "forget" => self.forget(argument("memory")?, whose).await,
            "replace" => {
                self.replace(argument("memory")?, argument("text")?, whose)
                    .await
            }
            "save" => self.save(argument("text")?, whose).await,
            "search" => self.search(argument("query")?, whose).await,
            other => Err(ToolError(format!("memory cannot {other}"))),
        }
    }
}

/// What it can be told to do.
pub(crate) fn spec() -> ToolSpec {
    let parameter = |name: &str, description: &str, role| Parameter {
        name: name.into(),
        description: description.into(),
        role,
        needed: Needed::Yes,
    };
    let command =
        |name: &str, description: &str, parameters, change, permission: &str| CommandSpec {
            name: name.into(),
            description: description.into(),
            parameters,
            change,
            reach: Reach::Here,
            reads: Reads::Own,
            permission: permission.into(),
            resource: None,
            always_ask: AlwaysAsk::No,
            metadata: Metadata::default(),
        };
    ToolSpec {
        name: ToolName::new("memory"),
        origin: Origin::BuiltIn,
        description: "remembers short texts and finds them again".into(),
        commands: vec![
            command(
                "forget",
                "forgets one memory",
                vec![parameter(
                    "memory",
                    "its whole text, as search gives it",
                    ParameterRole::Destination,
                )],
                Change::Something,
                "memory.forget",
            ),
            command(
                "replace",
                "puts another text in the place of one memory",
                vec![
                    parameter(
                        "memory",
                        "its whole text, as search gives it",
                        ParameterRole::Destination,
                    ),
                    parameter("text", "what to remember instead", ParameterRole::Body),
                ],
                Change::Something,
                "memory.replace",
            ),
            command(
                "save",
                "saves a new memory",
                vec![parameter("text", "what to remember", ParameterRole::Body)],
                Change::NewMemory,
                "memory.save",
            ),
            command(
                "search",
                "finds memories by their words",
                vec![parameter("query", "words to look for", ParameterRole::Note)],
                Change::Nothing,
                "memory.search",
            ),
        ],
    }
}
