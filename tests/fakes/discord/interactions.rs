//! How may what a person did be answered?

use std::time::Duration;

use serde_json::{Value, json};

use super::calls::{Refusal, invalid, refuse};
use super::markdown::displayed;
use super::seen::{APPLICATION, Answered};
use super::state::State;

/// The first answer: once, within three seconds.
pub(super) fn first(
    state: &mut State,
    id: &str,
    token: &str,
    body: &Value,
) -> Result<Value, Refusal> {
    let number = id.parse().unwrap_or(0);
    let unknown = || refuse(404, 10062, "Unknown interaction");
    let interaction = state.interactions.get_mut(&number).ok_or_else(unknown)?;
    let after = interaction.begun.elapsed();
    if interaction.token != token || interaction.expired || after > Duration::from_secs(3) {
        return Err(unknown());
    }
    if interaction.answered {
        return Err(refuse(
            400,
            40060,
            "Interaction has already been acknowledged.",
        ));
    }
    let kind = body["type"].as_u64().unwrap_or(0);
    let fits = match kind {
        4 | 5 | 9 => true,
        6 | 7 => interaction.kind == 3,
        _ => false,
    };
    if !fits {
        return Err(invalid(
            "type",
            "INTERACTION_TYPE_INVALID",
            "Interaction callback type is invalid",
        ));
    }
    let (text, private) = match kind {
        4 => words(&body["data"])?,
        _ => (None, true),
    };
    interaction.answered = true;
    state.answered.push(Answered {
        interaction: number,
        kind: Some(kind),
        text,
        private,
        after,
    });
    Ok(Value::Null)
}

/// What follows the first answer.
pub(super) fn follow(
    state: &mut State,
    application: &str,
    token: &str,
    body: &Value,
) -> Result<Value, Refusal> {
    let unknown = || refuse(404, 10015, "Unknown Webhook");
    if application != APPLICATION.to_string() {
        return Err(unknown());
    }
    let found = state.interactions.iter();
    let found = found
        .filter(|(_, one)| one.token == token && one.answered && !one.expired)
        .map(|(id, _)| *id)
        .next();
    let interaction = found.ok_or_else(unknown)?;
    let (text, private) = words(body)?;
    state.answered.push(Answered {
        interaction,
        kind: None,
        text,
        private,
        after: Duration::ZERO,
    });
    Ok(json!({"id": state.snowflake().to_string(), "type": 0}))
}

fn words(data: &Value) -> Result<(Option<String>, bool), Refusal> {
    let content = data["content"].as_str().unwrap_or("");
    let length = content.chars().count();
    if length == 0 {
        return Err(refuse(400, 50006, "Cannot send an empty message"));
    }
    if length > 2000 {
        return Err(invalid(
            "content",
            "BASE_TYPE_MAX_LENGTH",
            "Must be 2000 or fewer in length.",
        ));
    }
    let private = data["flags"].as_u64().unwrap_or(0) & 1 << 6 != 0;
    Ok((Some(displayed(content)), private))
}
