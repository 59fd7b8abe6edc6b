//! What may the bot show, and how long may it be?

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::calls::{Answer, Refusal, invalid, refuse};
use super::markdown::displayed;
use super::seen::{Channel, Sent, Shown};
use super::server::{Asked, too_many};
use super::state::{State, number};

/// Shows a new message of the bot.
pub(super) fn send(state: &mut State, channel: Channel, asked: Asked) -> Result<Answer, Refusal> {
    let most = state.limit;
    let headers = limit(most, "messages", &mut state.room(channel).taken)?;
    let Asked { body, files, .. } = asked;
    let content = content(&body)?;
    let buttons = buttons(&body)?;
    let files = attached(&body, files)?;
    if content.trim().is_empty() && files.is_empty() {
        return Err(refuse(400, 50006, "Cannot send an empty message"));
    }
    let nonce = match &body["nonce"] {
        Value::Null => None,
        Value::String(nonce) => Some(nonce.clone()),
        Value::Number(nonce) => Some(nonce.to_string()),
        _ => {
            return Err(invalid(
                "nonce",
                "NONCE_TYPE",
                "Nonce must be a string or a number.",
            ));
        }
    };
    if nonce.as_ref().is_some_and(|nonce| nonce.len() > 25) {
        return Err(invalid(
            "nonce",
            "BASE_TYPE_MAX_LENGTH",
            "Must be 25 or fewer in length.",
        ));
    }
    let flags = body["flags"].as_u64().unwrap_or(0);
    if flags & !(1 << 2 | 1 << 12 | 1 << 15) != 0 {
        return Err(invalid(
            "flags",
            "MESSAGE_FLAGS_INVALID",
            "Flags may not be set.",
        ));
    }
    if nonce.is_some()
        && body["enforce_nonce"] == true
        && let Some(shown) = state
            .room(channel)
            .shown
            .iter()
            .find(|shown| shown.nonce == nonce)
    {
        let shown = shown.clone();
        return Ok(state.own(channel.0, &shown).into());
    }
    let reference = &body["message_reference"];
    let mut reply_to = None;
    if !reference.is_null() {
        let id = number(&reference["message_id"]);
        if state.find(channel, id).is_some() {
            reply_to = Some(id);
        } else if reference["fail_if_not_exists"] != false {
            return Err(invalid(
                "message_reference",
                "REPLIES_UNKNOWN_MESSAGE",
                "Unknown message",
            ));
        }
    }
    let shown = Shown {
        id: state.snowflake(),
        text: displayed(&content),
        content,
        buttons,
        before: Vec::new(),
        reply_to,
        flags,
        allowed_mentions: body["allowed_mentions"].clone(),
        nonce,
        files,
    };
    let message = state.own(channel.0, &shown);
    state.room(channel).shown.push(shown);
    let mut event = message.clone();
    let about = state.room(channel).about.clone();
    event["channel_type"] = about["type"].clone();
    if let Some(guild) = about.get("guild_id") {
        event["guild_id"] = guild.clone();
    }
    state.happen("MESSAGE_CREATE", event);
    Ok(Answer {
        body: message,
        headers,
    })
}

/// Changes a message of the bot.
pub(super) fn edit(
    state: &mut State,
    channel: Channel,
    message: u64,
    body: &Value,
) -> Result<Answer, Refusal> {
    let most = state.edits;
    let headers = limit(most, "edits", &mut state.room(channel).changed)?;
    let content = content(body)?;
    let buttons = buttons(body)?;
    let room = state.room(channel);
    let said = room.said.contains_key(&message);
    let Some(shown) = room.shown.iter_mut().find(|shown| shown.id == message) else {
        return Err(match said {
            true => refuse(403, 50005, "Cannot edit a message authored by another user"),
            false => refuse(404, 10008, "Unknown Message"),
        });
    };
    if body.get("content").is_some() {
        if content.trim().is_empty() && shown.files.is_empty() {
            return Err(refuse(400, 50006, "Cannot send an empty message"));
        }
        shown.content.clone_from(&content);
        let before = std::mem::replace(&mut shown.text, displayed(&content));
        shown.before.push(before);
    }
    if body.get("components").is_some() {
        shown.buttons = buttons;
    }
    if let Some(flags) = body["flags"].as_u64() {
        shown.flags = flags;
    }
    if body.get("allowed_mentions").is_some() {
        shown.allowed_mentions = body["allowed_mentions"].clone();
    }
    let shown = shown.clone();
    Ok(Answer {
        body: state.own(channel.0, &shown),
        headers,
    })
}

/// Messages of a channel, newest first.
pub(super) fn list(
    state: &mut State,
    channel: Channel,
    query: &[(String, String)],
) -> Result<Value, Refusal> {
    let wanted = |key: &str| {
        let found = query.iter().find(|(known, _)| known == key);
        found.and_then(|(_, value)| value.parse::<u64>().ok())
    };
    let limit = wanted("limit").unwrap_or(50);
    if !(1..=100).contains(&limit) {
        return Err(invalid(
            "limit",
            "NUMBER_TYPE_MAX",
            "int value should be less than or equal to 100.",
        ));
    }
    let after = wanted("after").unwrap_or(0);
    let room = state.room(channel);
    let ids: BTreeSet<u64> = room
        .said
        .keys()
        .copied()
        .chain(room.shown.iter().map(|shown| shown.id))
        .filter(|id| *id > after)
        .collect();
    // Of those after a message, the ones next to it are given.
    let limit = usize::try_from(limit).unwrap();
    let mut ids: Vec<u64> = match after {
        0 => ids.into_iter().rev().take(limit).collect(),
        _ => ids.into_iter().take(limit).collect(),
    };
    ids.sort_by(|one, other| other.cmp(one));
    let found = ids.into_iter().filter_map(|id| state.find(channel, id));
    Ok(json!(found.collect::<Vec<_>>()))
}

fn limit(
    most: Option<(u32, f64)>,
    bucket: &str,
    taken: &mut Vec<Instant>,
) -> Result<Vec<(&'static str, String)>, Refusal> {
    let Some((most, seconds)) = most else {
        return Ok(Vec::new());
    };
    let window = Duration::from_secs_f64(seconds);
    taken.retain(|at| at.elapsed() < window);
    let left = |taken: &[Instant]| {
        taken
            .first()
            .map_or(window, |at| window.saturating_sub(at.elapsed()))
    };
    if taken.len() >= most as usize {
        return Err(too_many(left(taken).as_secs_f64(), false));
    }
    taken.push(Instant::now());
    Ok(vec![
        ("x-ratelimit-bucket", bucket.to_owned()),
        ("x-ratelimit-limit", most.to_string()),
        (
            "x-ratelimit-remaining",
            (most as usize - taken.len()).to_string(),
        ),
        (
            "x-ratelimit-reset-after",
            left(taken).as_secs_f64().to_string(),
        ),
    ])
}

fn content(body: &Value) -> Result<String, Refusal> {
    let content = match &body["content"] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        _ => return Err(invalid("content", "BASE_TYPE_STRING", "Must be string.")),
    };
    if content.chars().count() > 2000 {
        return Err(invalid(
            "content",
            "BASE_TYPE_MAX_LENGTH",
            "Must be 2000 or fewer in length.",
        ));
    }
    Ok(content)
}

fn buttons(body: &Value) -> Result<Vec<Vec<(String, String)>>, Refusal> {
    let rows = body["components"].as_array().map_or(&[][..], Vec::as_slice);
    if rows.len() > 5 {
        return Err(invalid(
            "components",
            "BASE_TYPE_BAD_LENGTH",
            "Must be between 1 and 5 in length.",
        ));
    }
    let mut ids = BTreeSet::new();
    let mut all = Vec::new();
    for row in rows {
        let buttons = row["components"].as_array().map_or(&[][..], Vec::as_slice);
        if row["type"] != 1 || !(1..=5).contains(&buttons.len()) {
            return Err(invalid(
                "components",
                "BASE_TYPE_BAD_LENGTH",
                "Must be between 1 and 5 in length.",
            ));
        }
        let mut shown = Vec::new();
        for button in buttons {
            let id = button["custom_id"].as_str().unwrap_or("");
            let label = button["label"].as_str().unwrap_or("");
            if button["type"] != 2 || !(1..=4).contains(&button["style"].as_u64().unwrap_or(0)) {
                return Err(invalid(
                    "components",
                    "UNION_TYPE_CHOICES",
                    "Value of field \"type\" must be one of (2, 3).",
                ));
            }
            if !(1..=100).contains(&id.chars().count()) {
                return Err(invalid(
                    "custom_id",
                    "BASE_TYPE_BAD_LENGTH",
                    "Must be between 1 and 100 in length.",
                ));
            }
            if !ids.insert(id.to_owned()) {
                return Err(invalid(
                    "custom_id",
                    "COMPONENT_CUSTOM_ID_DUPLICATED",
                    "Component custom id cannot be duplicated",
                ));
            }
            if !(1..=80).contains(&label.chars().count()) {
                return Err(invalid(
                    "label",
                    "BASE_TYPE_BAD_LENGTH",
                    "Must be between 1 and 80 in length.",
                ));
            }
            shown.push((label.to_owned(), id.to_owned()));
        }
        all.push(shown);
    }
    Ok(all)
}

/// The files of a message: each is named, and no more than ten come.
fn attached(body: &Value, files: Vec<Sent>) -> Result<Vec<Sent>, Refusal> {
    if files.iter().map(|file| file.bytes.len()).sum::<usize>() > 10 << 20 {
        return Err(refuse(413, 40005, "Request entity too large"));
    }
    if files.len() > 10 {
        return Err(refuse(
            400,
            30015,
            "Maximum number of attachments in a message reached (10)",
        ));
    }
    let named = body["attachments"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    for one in named {
        // As each id, a number or a text.
        let id = &one["id"];
        let id = id.as_u64().or_else(|| id.as_str()?.parse().ok());
        let id = id.unwrap_or(u64::MAX);
        if usize::try_from(id).unwrap() >= files.len() {
            return Err(invalid(
                "attachments",
                "ATTACHMENT_NOT_FOUND",
                &format!("Attachment data for {id} was not found"),
            ));
        }
    }
    Ok(files)
}
