//! How does a part get on a screen? With its blocks, or bare where Slack refuses these.

use bot_policy::id::{MessageRef, Place};
use serde_json::Value;

use super::api::Api;
use super::encode::{Dress, Part};
use super::{Slack, preview};
use crate::AdapterError;
use crate::http::Repeat;

impl Slack {
    /// Shows a part in a message of its own.
    pub(super) async fn post(
        &self,
        place: &Place,
        part: &Part,
    ) -> Result<MessageRef, AdapterError> {
        let thread = place.thread.as_ref().map(|thread| thread.as_str());
        let post = |dress| part.send(place.chat.as_str(), thread, dress);
        let sent = dressed(&self.api, "chat.postMessage", post, Repeat::Visible).await?;
        preview::named(&sent)
    }

    /// Shows a part in place of what a message shows.
    pub(super) async fn update(
        &self,
        place: &Place,
        on: &MessageRef,
        part: &Part,
    ) -> Result<(), AdapterError> {
        let update = |dress| part.edit(place.chat.as_str(), on.as_str(), dress);
        let updated = dressed(&self.api, "chat.update", update, Repeat::Harmless);
        updated.await.map(drop)
    }
}

/// Makes a call with blocks, and once more without where Slack refuses these.
async fn dressed(
    api: &Api,
    method: &str,
    call: impl Fn(Dress) -> Value,
    repeat: Repeat,
) -> Result<Value, AdapterError> {
    match api.call(method, &call(Dress::Blocks), repeat).await {
        Err(AdapterError::Refused(why)) if why.contains("blocks") => {
            api.call(method, &call(Dress::Bare), repeat).await
        }
        answer => answer,
    }
}
