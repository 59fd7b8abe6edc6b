//! How does a prompt become a request? Messages in an order that every provider takes.

use std::collections::{BTreeMap, BTreeSet};

use bot_policy::call::{Arguments, Call};
use bot_policy::id::CallId;
use bot_policy::tool::{CommandSpec, Needed};
use genai::chat::ToolResponse;
use genai::chat::{ChatMessage, ChatRequest, ContentPart, MessageContent, Tool, ToolCall};
use serde_json::{Map, Value, json};

use super::names::{Names, called, wire_id};
use super::written;
use crate::agent::prompt::{Message, Prompt};
use crate::config::model::Calls;

/// Bytes of text that count as one token. Providers count differently; this errs on the side of
/// too many.
const BYTES_PER_TOKEN: usize = 3;

/// One message, in the order in which a provider takes them.
#[derive(Clone, Debug, PartialEq)]
enum Said {
    /// The model's words and calls, each with what came of it at once.
    Model(String, Vec<(Call, String)>),
    /// The person's words, and what came of calls later.
    Person(String),
}

/// The request for a prompt. Of a long conversation the oldest turns are left out.
pub fn request(prompt: &Prompt, names: &Names<'_>, calls: Calls, most_tokens: u32) -> ChatRequest {
    let system = match calls {
        Calls::Native => prompt.system.clone(),
        Calls::Written => format!("{}{}", prompt.system, written::instructions(names)),
    };
    let tools: Vec<Tool> = match calls {
        Calls::Native => names
            .offered()
            .map(|(name, _, spec)| tool(name, spec))
            .collect(),
        Calls::Written => Vec::new(),
    };
    let schemas: usize = tools.iter().map(Tool::size).sum();
    let room = (most_tokens as usize).saturating_sub(tokens(system.len() + schemas));
    let said = within(in_order(&prompt.messages), room);
    let messages = said.into_iter().flat_map(|said| match calls {
        Calls::Native => native(said),
        Calls::Written => as_text(said),
    });
    let mut request = ChatRequest::new(messages.collect()).with_system(system);
    if !tools.is_empty() {
        request = request.with_tools(tools);
    }
    request
}

/// How many tokens a request is, by estimate.
pub fn estimate(request: &ChatRequest) -> u64 {
    let text = request.system.as_deref().map_or(0, str::len)
        + request
            .messages
            .iter()
            .map(ChatMessage::size)
            .sum::<usize>()
        + request
            .tools
            .iter()
            .flatten()
            .map(Tool::size)
            .sum::<usize>();
    tokens(text) as u64
}

/// How many tokens a text of so many bytes is, by estimate.
pub fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// The messages as providers take them: the person speaks first and never twice in a row, and what
/// came of a call stands right behind it. What came later stands where it came, as a message.
fn in_order(messages: &[Message]) -> Vec<Said> {
    let mut said: Vec<Said> = Vec::new();
    let mut taken: BTreeSet<&CallId> = BTreeSet::new();
    let mut heads: BTreeMap<&CallId, String> = BTreeMap::new();
    for (at, message) in messages.iter().enumerate() {
        match message {
            Message::Person(text) => add_words(&mut said, text.clone()),
            Message::Model { text, calls } => {
                let at_once: BTreeMap<&CallId, &str> = messages
                    .iter()
                    .skip(at + 1)
                    .take_while(|later| !matches!(later, Message::Model { .. }))
                    .filter_map(|later| match later {
                        Message::Result { call, text } => Some((call, text.as_str())),
                        Message::Model { .. } | Message::Person(_) => None,
                    })
                    .collect();
                let with_results = calls.iter().map(|call| {
                    heads.insert(&call.id, call.head());
                    let result = at_once.get(&call.id).map(|result| {
                        taken.insert(&call.id);
                        (*result).to_owned()
                    });
                    (call.clone(), result.unwrap_or_else(|| LATER.to_owned()))
                });
                let with_results = with_results.collect();
                // Nothing is asked of a model before a person spoke.
                if !said.is_empty() {
                    said.push(Said::Model(text.clone(), with_results));
                }
            }
            Message::Result { call, text } if !taken.contains(call) => {
                if let Some(head) = heads.get(call) {
                    add_words(
                        &mut said,
                        format!("(What came of your call of {head}:)\n{text}"),
                    );
                }
            }
            Message::Result { .. } => {}
        }
    }
    said
}

const LATER: &str = "nothing yet: it waits for the person";

fn add_words(said: &mut Vec<Said>, text: String) {
    match said.last_mut() {
        Some(Said::Person(before)) => {
            before.push_str("\n\n");
            before.push_str(&text);
        }
        Some(Said::Model(..)) | None => said.push(Said::Person(text)),
    }
}

/// The newest turns that fit; the last one stays whatever its length, and the provider judges it.
fn within(said: Vec<Said>, room: usize) -> Vec<Said> {
    let mut used = 0;
    let mut from = said.len();
    let mut begins = None;
    for (at, one) in said.iter().enumerate().rev() {
        used += tokens(size(one)) + TOKENS_AROUND;
        let begins_turn = matches!(one, Said::Person(_));
        if used > room && begins.is_some() {
            break;
        }
        if begins_turn {
            begins = Some(at);
            from = at;
        }
    }
    said.into_iter().skip(from).collect()
}

/// Tokens that each message costs beside its text, by estimate.
const TOKENS_AROUND: usize = 8;

fn size(said: &Said) -> usize {
    match said {
        Said::Person(text) => text.len(),
        Said::Model(text, calls) => {
            let of_calls = calls.iter().map(|(call, result)| {
                arguments(call).to_string().len() + result.len() + called(call).len()
            });
            text.len() + of_calls.sum::<usize>()
        }
    }
}

fn native(said: Said) -> Vec<ChatMessage> {
    match said {
        Said::Person(text) => vec![ChatMessage::user(text)],
        Said::Model(text, calls) => {
            let mut parts = Vec::new();
            if !text.is_empty() || calls.is_empty() {
                let text = if text.is_empty() {
                    SILENT.to_owned()
                } else {
                    text
                };
                parts.push(ContentPart::Text(text));
            }
            let mut results = Vec::new();
            for (call, result) in calls {
                let id = wire_id(&call.id);
                results.push(ToolResponse::new(id.clone(), result).with_fn_name(called(&call)));
                parts.push(ContentPart::ToolCall(ToolCall {
                    call_id: id,
                    fn_name: called(&call),
                    fn_arguments: arguments(&call),
                    thought_signatures: None,
                }));
            }
            let mut messages = vec![ChatMessage::assistant(MessageContent::from_parts(parts))];
            messages.extend(results.into_iter().map(ChatMessage::from));
            messages
        }
    }
}

/// What stands for a message of the model that holds nothing; providers refuse an empty one.
const SILENT: &str = "(nothing)";

fn as_text(said: Said) -> Vec<ChatMessage> {
    match said {
        Said::Person(text) => vec![ChatMessage::user(text)],
        Said::Model(text, calls) if calls.is_empty() => {
            let text = if text.is_empty() {
                SILENT.to_owned()
            } else {
                text
            };
            vec![ChatMessage::assistant(text)]
        }
        Said::Model(mut text, calls) => {
            let mut results = String::new();
            for (call, result) in calls {
                text.push_str(&written::tag(&called(&call), &arguments(&call)));
                results.push_str(&format!(
                    "(What came of your call of {}:)\n{result}\n",
                    call.head()
                ));
            }
            vec![ChatMessage::assistant(text), ChatMessage::user(results)]
        }
    }
}

/// What a call was made with, as an object.
fn arguments(call: &Call) -> Value {
    match &call.arguments {
        Arguments::Readable(map) => Value::Object(map.clone()),
        Arguments::Unreadable(text) => json!({ "unreadable": text }),
    }
}

fn tool(name: &str, spec: &CommandSpec) -> Tool {
    Tool::new(name)
        .with_description(spec.description.clone())
        .with_schema(schema(spec))
}

/// The parameters of a command as a JSON schema, in the words that every provider knows.
pub fn schema(spec: &CommandSpec) -> Value {
    let properties: Map<String, Value> = spec
        .parameters
        .iter()
        .map(|parameter| {
            let about = json!({ "type": "string", "description": parameter.description });
            (parameter.name.clone(), about)
        })
        .collect();
    let needed: Vec<&str> = spec
        .parameters
        .iter()
        .filter(|parameter| parameter.needed == Needed::Yes)
        .map(|parameter| parameter.name.as_str())
        .collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if let (false, Some(map)) = (needed.is_empty(), schema.as_object_mut()) {
        map.insert("required".to_owned(), json!(needed));
    }
    schema
}
