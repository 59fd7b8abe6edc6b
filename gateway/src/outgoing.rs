//! How does a file that a tool sends get to the outbox, and how long is its copy kept?

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bot_policy::id::Timestamp;
use bot_policy::message::Enclosure;
use tokio::sync::mpsc::UnboundedSender;

use crate::agent::tools::{Screen, ToolError};
use crate::store::{Letter, Store};
use crate::{House, clock};

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

/// How long a copy is kept after it was sent last.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How often old copies are looked for; first at the start.
const LOOK: Duration = Duration::from_secs(60 * 60);

/// Takes away the copies that were sent long ago.
pub(crate) async fn clear(house: Arc<House>) {
    let mut tick = tokio::time::interval(LOOK);
    loop {
        tick.tick().await;
        if let Err(why) = clear_once(&house.store, &house.sent).await {
            tracing::warn!(%why, "copies that were sent long ago could not be taken away");
        }
    }
}

async fn clear_once(store: &Store, sent: &Path) -> Result<(), ToolError> {
    let told = |error: std::io::Error| ToolError(error.to_string());
    let kept = i64::try_from(KEPT.as_millis()).unwrap_or(i64::MAX);
    let before = Timestamp(clock::now().0.saturating_sub(kept));
    let rows = store.forget_enclosed(before).await;
    rows.map_err(|error| ToolError(error.to_string()))?;
    let Some(before) = SystemTime::now().checked_sub(KEPT) else {
        return Ok(());
    };
    let mut copies = match tokio::fs::read_dir(sent).await {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        copies => copies.map_err(told)?,
    };
    while let Some(copy) = copies.next_entry().await.map_err(told)? {
        // A copy is written anew whenever it is sent, so a young one is still wanted.
        let written = copy.metadata().await.and_then(|about| about.modified());
        if written.map_err(told)? < before {
            tokio::fs::remove_file(copy.path()).await.map_err(told)?;
        }
    }
    Ok(())
}
