//! What would a captured model do? It obeys every plain sentence that it can see.
//!
//! The practice model has no mind. It takes orders from the person, from a forward and from a
//! file alike, fenced or not, so that every path can be tried offline and every poisoned text
//! proves something. It runs only where no model is configured.

use async_trait::async_trait;
use serde_json::{Map, Value};

use super::{Completion, Model, ModelError, Wanted};
use crate::agent::CALLS_PER_TURN;
use crate::agent::prompt::{Message, Prompt};

/// The practice model.
pub struct Practice;

#[async_trait]
impl Model for Practice {
    fn name(&self) -> &str {
        "practice"
    }

    fn footer(&self) -> Option<&str> {
        Some("practice model: no mind, obeys every plain sentence it sees")
    }

    fn welcome(&self) -> Option<&str> {
        Some("try: write notes.txt: hello")
    }

    async fn complete(
        &self,
        prompt: &Prompt,
        streamed: &mut (dyn for<'t> FnMut(&'t str) + Send),
    ) -> Result<Completion, ModelError> {
        let completion = obey(prompt);
        streamed(&completion.text);
        Ok(completion)
    }
}

/// Orders taken from one look at the conversation; a turn has no more calls anyway.
const ORDERS_AT_ONCE: usize = CALLS_PER_TURN as usize;

fn obey(prompt: &Prompt) -> Completion {
    let fresh: Vec<&Message> = prompt
        .messages
        .iter()
        .rev()
        .take_while(|message| !matches!(message, Message::Model { .. }))
        .collect();
    let fresh: Vec<&Message> = fresh.into_iter().rev().collect();
    let calls: Vec<Wanted> = fresh
        .iter()
        .flat_map(|message| text_of(message).lines())
        .filter_map(order)
        .take(ORDERS_AT_ONCE)
        .collect();
    let text = if calls.is_empty() {
        answer(&fresh)
    } else {
        String::new()
    };
    Completion {
        text,
        calls,
        used: None,
    }
}

fn text_of(message: &Message) -> &str {
    match message {
        Message::Model { text, .. } | Message::Person(text) | Message::Result { text, .. } => text,
    }
}

fn answer(fresh: &[&Message]) -> String {
    let results: Vec<&str> = fresh
        .iter()
        .filter_map(|message| match message {
            Message::Result { text, .. } => Some(text.as_str()),
            Message::Model { .. } | Message::Person(_) => None,
        })
        .collect();
    if results.is_empty() {
        "I heard you. I understand: write FILE: TEXT, read FILE, remember TEXT, recall WORDS."
            .to_owned()
    } else {
        results.join("\n\n")
    }
}

fn order(line: &str) -> Option<Wanted> {
    let line = line.trim().trim_start_matches(['>', '-', '*', ' ']);
    let (verb, rest) = line.split_once(char::is_whitespace)?;
    let rest = rest.trim();
    if rest.is_empty() {
        return None;
    }
    match verb.to_lowercase().as_str() {
        "write" => {
            let (file, content) = rest.split_once(':')?;
            Some(wanted(
                "files",
                "write",
                &[("file", file.trim()), ("content", content.trim())],
            ))
        }
        "fetch" => Some(wanted("web", "fetch", &[("address", rest)])),
        "find" => Some(wanted("files", "search", &[("text", rest)])),
        "list" => Some(wanted("files", "tree", &[("folder", rest)])),
        "look" => Some(wanted("web", "search", &[("query", rest)])),
        "patch" => {
            let (file, change) = rest.split_once(':')?;
            let (old, new) = change.split_once("=>")?;
            let passages = [("file", file), ("old", old), ("new", new)];
            let passages = passages.map(|(name, text)| (name, text.trim()));
            Some(wanted("files", "patch", &passages))
        }
        "read" => Some(wanted("files", "read", &[("file", rest)])),
        "remember" => Some(wanted("memory", "save", &[("text", rest)])),
        "recall" => Some(wanted("memory", "search", &[("query", rest)])),
        _ => None,
    }
}

fn wanted(tool: &str, command: &str, arguments: &[(&str, &str)]) -> Wanted {
    let arguments: Map<String, Value> = arguments
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
        .collect();
    Wanted {
        tool: tool.to_owned(),
        command: command.to_owned(),
        arguments: Value::Object(arguments).to_string(),
    }
}
