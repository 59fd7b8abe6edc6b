//! Where does a message go whose topic is not there? To the chat itself only where topics were
//! switched off; into another topic never.

use bot_policy::id::Place;
use serde_json::{Value, json};

use super::api::Api;
use crate::AdapterError;

/// Whether a refusal says that there is no such topic.
pub(super) fn is_not_found(why: &str) -> bool {
    why.contains("thread not found")
}

/// Asks whether a chat has no topics any more.
///
/// # Errors
/// `Refused` when it still has some: what was meant for one of them would stand in another.
pub(super) async fn are_off(api: &Api, place: &Place) -> Result<(), AdapterError> {
    let chat = json!({ "chat_id": super::chat(place)? });
    let about = api.ask("GetChat", &chat).await?;
    match about.get("is_forum").and_then(Value::as_bool) {
        Some(true) => Err(AdapterError::Refused(
            "the topic is not there any more".to_owned(),
        )),
        Some(false) | None => Ok(()),
    }
}
