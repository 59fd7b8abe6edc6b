//! What would the service refuse?

use std::collections::BTreeSet;

use serde_json::Value;

use super::Form;

/// What is wrong with a question; none when the service would take it.
pub fn wrong(form: Form, body: &Value) -> Option<String> {
    let checked = match form {
        Form::Anthropic => anthropic(body),
        Form::Gemini => gemini(body),
        Form::Ollama => ollama(body),
        Form::OpenAi => openai(body),
    };
    checked.err()
}

type Checked = Result<(), String>;

fn must(holds: bool, else_say: &str) -> Checked {
    if holds {
        Ok(())
    } else {
        Err(else_say.to_owned())
    }
}

fn list<'v>(value: &'v Value, name: &str) -> Result<&'v Vec<Value>, String> {
    let list = value[name].as_array().filter(|list| !list.is_empty());
    list.ok_or_else(|| format!("{name}: a list that is not empty is expected"))
}

fn only(body: &Value, known: &[&str]) -> Checked {
    let keys = body.as_object().into_iter().flat_map(|map| map.keys());
    for key in keys {
        must(
            known.contains(&key.as_str()),
            &format!("unknown field {key}"),
        )?;
    }
    Ok(())
}

fn name(value: &Value) -> Checked {
    let name = value.as_str().unwrap_or("");
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let right = (1..=64).contains(&name.len())
        && name.chars().all(fits)
        && name.starts_with(|c: char| c.is_ascii_alphabetic());
    must(right, &format!("{name:?} is no name of a function"))
}

fn id(value: &Value) -> Result<String, String> {
    let id = value.as_str().unwrap_or("");
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    must(
        !id.is_empty() && id.chars().all(fits),
        &format!("{id:?} is no id of a call"),
    )?;
    Ok(id.to_owned())
}

fn schema(value: &Value) -> Checked {
    must(
        value["type"] == "object" && value["properties"].is_object(),
        "parameters: an object schema is expected",
    )
}

fn text(value: &Value) -> Checked {
    let said = value.as_str().is_some_and(|text| !text.is_empty());
    must(said, "content: text that is not empty is expected")
}

fn openai(body: &Value) -> Checked {
    only(
        body,
        &[
            "model",
            "messages",
            "stream",
            "stream_options",
            "tools",
            "max_tokens",
            "max_completion_tokens",
        ],
    )?;
    for tool in body["tools"].as_array().into_iter().flatten() {
        must(tool["type"] == "function", "tools: a function is expected")?;
        name(&tool["function"]["name"])?;
        schema(&tool["function"]["parameters"])?;
    }
    let mut open: BTreeSet<String> = BTreeSet::new();
    let mut before = "";
    for (at, message) in list(body, "messages")?.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or("");
        match role {
            "tool" => {
                let id = id(&message["tool_call_id"])?;
                must(
                    open.remove(&id),
                    "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
                )?;
                must(message["content"].is_string(), "content: text is expected")?;
            }
            _ if !open.is_empty() => {
                return Err(
                    "an assistant message with 'tool_calls' must be followed by tool messages"
                        .to_owned(),
                );
            }
            "system" => must(at == 0, "the system message comes first")?,
            "user" => {
                must(before != "user", "roles must alternate user and assistant")?;
                text(&message["content"])?;
            }
            "assistant" => {
                must(
                    before == "user" || before == "tool",
                    "roles must alternate user and assistant",
                )?;
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    name(&call["function"]["name"])?;
                    let arguments = call["function"]["arguments"].as_str().unwrap_or("");
                    let parsed = serde_json::from_str::<Value>(arguments);
                    must(
                        parsed.is_ok_and(|all| all.is_object()),
                        "arguments: JSON in a text is expected",
                    )?;
                    open.insert(id(&call["id"])?);
                }
                if open.is_empty() {
                    text(&message["content"])?;
                }
            }
            other => return Err(format!("unknown role {other:?}")),
        }
        before = role;
    }
    must(
        matches!(before, "user" | "tool"),
        "the last message is the user's or a tool's",
    )
}

fn anthropic(body: &Value) -> Checked {
    only(
        body,
        &[
            "model",
            "messages",
            "system",
            "max_tokens",
            "stream",
            "tools",
        ],
    )?;
    must(
        body["max_tokens"].as_u64().is_some_and(|most| most > 0),
        "max_tokens: field required",
    )?;
    for tool in body["tools"].as_array().into_iter().flatten() {
        name(&tool["name"])?;
        schema(&tool["input_schema"])?;
    }
    let mut open: BTreeSet<String> = BTreeSet::new();
    let mut before = "";
    for message in list(body, "messages")? {
        let role = message["role"].as_str().unwrap_or("");
        must(
            matches!(role, "user" | "assistant"),
            "messages: role must be user or assistant",
        )?;
        must(
            !before.is_empty() || role == "user",
            "messages: first message must use the user role",
        )?;
        let plain = [serde_json::json!({"type": "text", "text": message["content"]})];
        let blocks = match &message["content"] {
            Value::Array(blocks) => blocks.as_slice(),
            _ => plain.as_slice(),
        };
        for block in blocks {
            match block["type"].as_str().unwrap_or("") {
                "text" => {
                    must(
                        role == "assistant" || open.is_empty(),
                        "tool_use ids were found without tool_result blocks immediately after",
                    )?;
                    text(&block["text"])?;
                }
                "tool_use" => {
                    must(role == "assistant", "tool_use belongs to the assistant")?;
                    name(&block["name"])?;
                    must(block["input"].is_object(), "input: an object is expected")?;
                    open.insert(id(&block["id"])?);
                }
                "tool_result" => {
                    must(role == "user", "tool_result belongs to the user")?;
                    must(
                        open.remove(&id(&block["tool_use_id"])?),
                        "tool_result without a tool_use before it",
                    )?;
                }
                other => return Err(format!("unknown block {other:?}")),
            }
        }
        if role == "user" {
            must(
                open.is_empty(),
                "tool_use ids were found without tool_result blocks immediately after",
            )?;
        }
        before = role;
    }
    must(
        before == "user",
        "the conversation must end with a user message",
    )
}

fn gemini(body: &Value) -> Checked {
    let mut open = 0_usize;
    let mut before = "";
    for content in list(body, "contents")? {
        let role = content["role"].as_str().unwrap_or("");
        must(
            matches!(role, "user" | "model" | "function"),
            "role must be user or model",
        )?;
        must(
            !before.is_empty() || role == "user",
            "the first content is the user's",
        )?;
        let mut calls = 0;
        for part in list(content, "parts")? {
            if let Some(call) = part.get("functionCall") {
                name(&call["name"])?;
                must(call["args"].is_object(), "args: an object is expected")?;
                calls += 1;
            } else if let Some(response) = part.get("functionResponse") {
                name(&response["name"])?;
                must(open > 0, "a function response comes after a function call")?;
                open -= 1;
            } else {
                text(&part["text"])?;
            }
        }
        if role == "model" {
            must(open == 0, "a function call is followed by its response")?;
            open = calls;
        }
        before = role;
    }
    must(
        open == 0 && before != "model",
        "the last content is the user's",
    )
}

fn ollama(body: &Value) -> Checked {
    let mut before = "";
    for message in list(body, "messages")? {
        let role = message["role"].as_str().unwrap_or("");
        match role {
            "system" | "user" => text(&message["content"])?,
            "assistant" => {
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    name(&call["function"]["name"])?;
                    must(
                        call["function"]["arguments"].is_object(),
                        "arguments: an object is expected",
                    )?;
                }
            }
            "tool" => must(
                matches!(before, "assistant" | "tool"),
                "a tool's message follows the assistant's",
            )?,
            other => return Err(format!("unknown role {other:?}")),
        }
        before = role;
    }
    must(
        before != "assistant",
        "the last message is not the assistant's",
    )
}
