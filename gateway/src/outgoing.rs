//! How does a file that a tool sends get to the outbox?

use async_trait::async_trait;
use bot_policy::message::Enclosure;
use tokio::sync::mpsc::UnboundedSender;

use crate::agent::tools::{Screen, ToolError};
use crate::clock;
use crate::store::{Letter, Store};

/// The outbox, as tools see it.
pub(crate) struct Outgoing {
    pub(crate) store: Store,
    pub(crate) letters: UnboundedSender<Letter>,
}

#[async_trait]
impl Screen for Outgoing {
    async fn show(&self, workspace: i64, file: Enclosure) -> Result<(), ToolError> {
        let letters = self.store.enclose(workspace, file, clock::now()).await;
        let letters = letters.map_err(|error| ToolError(error.to_string()))?;
        for letter in letters {
            // Closed only while stopping; what is not sent then is still in the store.
            let _ = self.letters.send(letter);
        }
        Ok(())
    }
}
