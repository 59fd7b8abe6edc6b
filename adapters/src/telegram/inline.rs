//! How is something offered in another chat? As results that the person who typed sees alone.

use bot_policy::event::ReplyHandle;
use serde_json::{Value, json};

use super::api::Api;
use super::open;
use crate::{AdapterError, Offered};

/// How long a title is, in characters; the app shows about as much.
const TITLE: usize = 60;
const DESCRIPTION: usize = 160;

/// Answers an inline query. Nothing of it is kept by the platform, for this person or another.
pub(super) async fn offer(
    api: &Api,
    reply: &ReplyHandle,
    offered: &[Offered],
) -> Result<(), AdapterError> {
    let results: Vec<Value> = offered.iter().filter_map(result).collect();
    let call = json!({
        "inline_query_id": reply.0,
        "results": results,
        "cache_time": 0,
        "is_personal": true,
    });
    match api.ask("AnswerInlineQuery", &call).await {
        // Too late: the person has typed on, and that is asked anew.
        Ok(_) | Err(AdapterError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

fn result(offered: &Offered) -> Option<Value> {
    let part = open(&offered.part).ok()?;
    let words = part.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let title: String = words.chars().take(TITLE).collect();
    let more: String = words.chars().skip(TITLE).take(DESCRIPTION).collect();
    if title.is_empty() {
        return None;
    }
    Some(json!({
        "type": "article",
        "id": offered.id,
        "title": title,
        "description": more,
        "input_message_content": {
            "message_text": part.text,
            "entities": part.entities,
            "link_preview_options": {"is_disabled": true},
        },
    }))
}
