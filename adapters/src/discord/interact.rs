//! How is an interaction answered at once? Within 3 s, before anything else is done about it; what
//! came of it follows.

use std::time::Duration;

use bot_policy::event::ReplyHandle;
use bot_policy::message::Addresses;
use reqwest::Method;
use serde_json::{Value, json};
use serenity::model::channel::MessageFlags;

use super::api::Api;
use super::decode::{Me, reply_handle};
use super::marks::pieces;
use crate::http::Repeat;
use crate::{AdapterError, drawn};

/// The first answer to an interaction: a press leaves its card as it is, a command is heard. Only
/// who did it sees anything of either.
pub(super) fn first_answer(interaction: &Value) -> Value {
    match interaction.get("type").and_then(Value::as_u64) {
        Some(COMPONENT) => json!({ "type": DEFERRED_UPDATE }),
        _ => json!({
            "type": CHANNEL_MESSAGE,
            "data": private("Heard. An answer, if there is one, comes as a message in this chat."),
        }),
    }
}

/// Gives the first answer. One that comes too late changes nothing about the rest.
pub(super) async fn answer(api: &Api, interaction: &Value) -> Result<(), AdapterError> {
    let Some(ReplyHandle(handle)) = interaction.as_object().and_then(reply_handle) else {
        return Ok(());
    };
    let path = format!("/interactions/{handle}/callback");
    let body = first_answer(interaction);
    let call = api.call_within(Method::POST, &path, Some(&body), AT_ONCE, Repeat::Harmless);
    match call.await {
        // Answered before, or too late: the platform has told the presser.
        Ok(_) | Err(AdapterError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Tells who pressed or commanded something that nobody else sees.
pub(super) async fn tell(
    api: &Api,
    me: &Me,
    reply: &ReplyHandle,
    notice: &str,
) -> Result<(), AdapterError> {
    let Some((_, token)) = reply.0.split_once('/') else {
        return Ok(());
    };
    let path = format!("/webhooks/{}/{token}", me.application);
    let body = private(notice);
    match api
        .call(Method::POST, &path, Some(&body), Repeat::Harmless)
        .await
    {
        Ok(_) | Err(AdapterError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

fn private(text: &str) -> Value {
    let piece = pieces(&drawn::plain(text, Addresses::Inert))
        .into_iter()
        .next();
    let flags = MessageFlags::EPHEMERAL | MessageFlags::SUPPRESS_EMBEDS;
    json!({
        "content": piece.unwrap_or_default().content,
        "flags": flags,
        "allowed_mentions": { "parse": [] },
    })
}

/// The interaction type of a button.
const COMPONENT: u64 = 3;
/// Interaction callback types.
const CHANNEL_MESSAGE: u64 = 4;
const DEFERRED_UPDATE: u64 = 6;
/// How long the first answer may take; the platform waits 3 s.
const AT_ONCE: Duration = Duration::from_millis(2500);
