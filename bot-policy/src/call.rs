//! What does the model want done? One call of one tool, under the one name that rules know it by.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::{CallId, ToolName};

/// One call of one tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// What the model calls it.
    pub id: CallId,
    /// Which tool.
    pub tool: ToolName,
    /// Which of the tool's commands; empty where the model named none.
    pub command: String,
    /// With what.
    pub arguments: Arguments,
}

/// A call's arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Arguments {
    /// Named values.
    Readable(Map<String, Value>),
    /// What the model sent is not a JSON object; kept for the person to see.
    Unreadable(String),
}

impl Call {
    /// The named argument, if it is there and is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        match &self.arguments {
            Arguments::Readable(map) => map.get(name)?.as_str(),
            Arguments::Unreadable(_) => None,
        }
    }
}
