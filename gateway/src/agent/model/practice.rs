//! What would a captured model do? It obeys every plain sentence that it can see.
//!
//! The practice model has no mind. It takes orders from the person, from a forward and from a
//! file alike, fenced or not, so that every path can be tried offline and every poisoned text
//! proves something. It runs only where no model is configured.

use std::time::Duration;

use async_trait::async_trait;
use bot_policy::call::{Arguments, Call};
use bot_policy::id::CallId;
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
        if let Some(pause) = pause(prompt) {
            tokio::time::sleep(pause).await;
        }
        let completion = obey(prompt);
        streamed(&completion.text);
        Ok(completion)
    }
}

/// Orders taken from one look at the conversation; a turn has no more calls anyway.
const ORDERS_AT_ONCE: usize = CALLS_PER_TURN as usize;

/// What is told of a call that waits on its card, and of one that the person's words came before.
const ENDED: &str = "(the person ended the turn here)";
const WAITS: &str = "waits on its card";
const TAKEN_BACK: &str = "not run, because the person's newer words";
/// The longest that it thinks, in seconds.
const LONGEST_PAUSE: u64 = 60;

fn obey(prompt: &Prompt) -> Completion {
    let fresh: Vec<&Message> = prompt
        .messages
        .iter()
        .rev()
        .take_while(|message| !matches!(message, Message::Model { .. }))
        .collect();
    let fresh: Vec<&Message> = fresh.into_iter().rev().collect();
    let dropped = fresh.iter().rposition(|message| {
        let text = text_of(message).trim();
        text.eq_ignore_ascii_case("never mind") || text == ENDED
    });
    let waits = fresh.iter().find_map(|message| match message {
        Message::Result { call, text } if text.contains(WAITS) => Some(call),
        Message::Model { .. } | Message::Person(_) | Message::Result { .. } => None,
    });
    let again = fresh.iter().filter_map(|message| match message {
        Message::Result { call, text } if dropped.is_none() && text.starts_with(TAKEN_BACK) => {
            again(prompt, call)
        }
        Message::Model { .. } | Message::Person(_) | Message::Result { .. } => None,
    });
    let orders = fresh
        .iter()
        .skip(dropped.map_or(0, |at| at + 1))
        .flat_map(|message| text_of(message).lines())
        .filter_map(|line| order(line).or_else(|| withdrawal(line, waits)))
        .map(|wanted| at_bench(wanted, prompt));
    let calls: Vec<Wanted> = again.chain(orders).take(ORDERS_AT_ONCE).collect();
    let text = match words(&fresh) {
        words if !words.is_empty() => words,
        _ if calls.is_empty() => answer(&fresh),
        // What came of earlier calls is told before newer words are obeyed.
        _ => results(before_words(&fresh)).join("\n\n"),
    };
    Completion {
        text,
        calls,
        ..Completion::default()
    }
}

/// In a Code conversation the files are those of its folder.
fn at_bench(mut wanted: Wanted, prompt: &Prompt) -> Wanted {
    let offered = |name: &str| prompt.tools.iter().any(|spec| spec.name.as_str() == name);
    if wanted.tool == "files" && !offered("files") && offered("coder") {
        "coder".clone_into(&mut wanted.tool);
    }
    wanted
}

/// How long it thinks: as long as the newest words say, for trying what happens meanwhile. Without
/// such words no timer is asked, whose shortest wait is longer than all the rest of a reply.
fn pause(prompt: &Prompt) -> Option<Duration> {
    let newest = prompt
        .messages
        .iter()
        .rev()
        .take_while(|message| !matches!(message, Message::Model { .. }))
        .find_map(|message| match message {
            Message::Person(text) => Some(text),
            Message::Model { .. } | Message::Result { .. } => None,
        });
    let seconds = newest
        .into_iter()
        .flat_map(|text| text.lines())
        .find_map(|line| {
            let seconds: u64 = line.trim().strip_prefix("wait ")?.trim().parse().ok()?;
            Some(seconds.min(LONGEST_PAUSE))
        });
    seconds.map(Duration::from_secs)
}

/// A call that was taken back, made once more.
fn again(prompt: &Prompt, id: &CallId) -> Option<Wanted> {
    let mut calls = prompt.messages.iter().flat_map(|message| match message {
        Message::Model { calls, .. } => calls.as_slice(),
        Message::Person(_) | Message::Result { .. } => &[],
    });
    let call: &Call = calls.rfind(|call| call.id == *id)?;
    let arguments = match &call.arguments {
        Arguments::Readable(map) => Value::Object(map.clone()).to_string(),
        Arguments::Unreadable(text) => text.clone(),
    };
    Some(Wanted {
        tool: call.tool.to_string(),
        command: call.command.clone(),
        arguments,
    })
}

fn withdrawal(line: &str, waits: Option<&CallId>) -> Option<Wanted> {
    let says = line.trim().eq_ignore_ascii_case("withdraw it");
    let call = waits.filter(|_| says)?;
    Some(wanted("ask", "withdraw", &[("call", call.as_str())]))
}

fn text_of(message: &Message) -> &str {
    match message {
        Message::Model { text, .. } | Message::Person(text) | Message::Result { text, .. } => text,
    }
}

/// What it was told to say.
fn words(fresh: &[&Message]) -> String {
    let words: Vec<&str> = fresh
        .iter()
        .flat_map(|message| text_of(message).lines())
        .filter_map(|line| line.trim().strip_prefix("say "))
        .collect();
    words.join("\n")
}

/// What was there before the person's newest words.
fn before_words<'m>(fresh: &'m [&'m Message]) -> &'m [&'m Message] {
    let words = fresh
        .iter()
        .rposition(|message| matches!(message, Message::Person(_)));
    fresh.get(..words.unwrap_or(0)).unwrap_or_default()
}

/// What came of calls that ran.
fn results<'m>(of: &[&'m Message]) -> Vec<&'m str> {
    of.iter()
        .filter_map(|message| match message {
            Message::Result { text, .. } => Some(text.as_str()),
            Message::Model { .. } | Message::Person(_) => None,
        })
        .filter(|text| !text.starts_with(TAKEN_BACK) && !text.contains(WAITS))
        .collect()
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
        "I heard you. I understand: write FILE: TEXT, read FILE, fetch ADDRESS, remember TEXT, recall WORDS."
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
        "ask" => {
            let (text, options) = rest.split_once(':')?;
            let options: Vec<Value> = options.split('|').map(|one| one.trim().into()).collect();
            Some(with(
                "ask",
                "choose",
                vec![("text", text.trim().into()), ("options", options.into())],
            ))
        }
        "delegate" => {
            let tasks: Vec<Value> = rest
                .split('|')
                .map(|task| task.trim().replace(';', "\n").into())
                .collect();
            Some(with("delegate", "run", vec![("tasks", tasks.into())]))
        }
        "forget" => Some(wanted("memory", "forget", &[("memory", rest)])),
        "replace" => {
            let (old, new) = rest.split_once("->")?;
            let arguments = [("memory", old.trim()), ("text", new.trim())];
            Some(wanted("memory", "replace", &arguments))
        }
        "remember" => Some(wanted("memory", "save", &[("text", rest)])),
        "recall" => Some(wanted("memory", "search", &[("query", rest)])),
        "send" => Some(wanted("files", "send", &[("file", rest)])),
        _ => None,
    }
}

fn wanted(tool: &str, command: &str, arguments: &[(&str, &str)]) -> Wanted {
    let arguments = arguments
        .iter()
        .map(|(name, value)| (*name, (*value).into()));
    with(tool, command, arguments.collect())
}

fn with(tool: &str, command: &str, arguments: Vec<(&str, Value)>) -> Wanted {
    let arguments: Map<String, Value> = arguments
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    Wanted {
        tool: tool.to_owned(),
        command: command.to_owned(),
        arguments: Value::Object(arguments).to_string(),
    }
}
