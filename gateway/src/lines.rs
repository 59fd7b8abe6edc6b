//! Which of our accounts hear, and what is in the way of those that do not?

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use adapters::{Adapter, AdapterError};
use bot_policy::access::{Scope, commands};
use bot_policy::id::LineId;

use crate::inbox::Door;
use crate::socket::{LineState, LineStatus};
use crate::{House, clock};

/// The shortest and longest pause before a line is tried again.
const RECONNECT: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Our accounts, the web chat among them.
pub(crate) struct Lines(pub(crate) BTreeMap<LineId, Arc<dyn Adapter>>);

impl Lines {
    pub(crate) fn get(&self, line: &LineId) -> Option<&Arc<dyn Adapter>> {
        self.0.get(line)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Arc<dyn Adapter>> {
        self.0.values()
    }
}

/// Hears one line for as long as the program runs, however often it fails.
pub(crate) async fn hear(house: Arc<House>, adapter: Arc<dyn Adapter>) {
    let door = Door(house.clone());
    let mut pause = RECONNECT.0;
    loop {
        let begun = std::time::Instant::now();
        let error = match begin(&house, &adapter).await {
            Ok(()) => adapter.listen(&door).await.err(),
            Err(error) => Some(error),
        };
        let Some(error) = error else { return };
        if begun.elapsed() > RECONNECT.1 {
            pause = RECONNECT.0;
        }
        tracing::warn!(line = %adapter.line(), %error, "a line does not hear");
        let stops = matches!(error, AdapterError::Credentials(_));
        house.line_state(
            &adapter,
            if stops {
                LineState::Stopped
            } else {
                LineState::Retrying
            },
            error.to_string(),
        );
        if stops {
            return;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(RECONNECT.1);
    }
}

async fn begin(house: &House, adapter: &Arc<dyn Adapter>) -> Result<(), AdapterError> {
    house.line_state(adapter, LineState::Retrying, "starting".to_owned());
    let probe = adapter.probe().await?;
    house.line_state(adapter, LineState::Listening, probe.name);
    house.show_link(adapter).await;
    // A menu is a courtesy; the line works without it.
    if let Err(error) = adapter.announce(&commands(Scope::Guest)).await {
        tracing::debug!(line = %adapter.line(), %error, "the menu was not announced");
    }
    Ok(())
}

impl House {
    /// A line knows its link only once its platform has said who we are, which is after the first
    /// code was shown.
    async fn show_link(&self, adapter: &Arc<dyn Adapter>) {
        if let Some(first) = self.first_code.get()
            && let Some(link) = adapter.pair_link(&first.code)
            && !first.links.contains(&link)
            && matches!(self.store.waiting(clock::now()).await, Ok((live, _)) if live > 0)
        {
            self.say_at_terminal(&format!("  {link}"));
        }
    }

    fn line_state(&self, adapter: &Arc<dyn Adapter>, state: LineState, detail: String) {
        let line = adapter.line().clone();
        let status = LineStatus {
            line: line.to_string(),
            platform: adapter.platform().to_string(),
            state,
            detail: self.secrets.cut(&detail),
        };
        self.states.send_modify(|states| {
            states.insert(line, status);
        });
    }
}

impl House {
    /// Notes whether a line hears, as its adapter tells it.
    pub(crate) fn hearing(&self, line: &LineId, trouble: Option<&AdapterError>) {
        self.states.send_modify(|states| {
            if let Some(status) = states.get_mut(line) {
                (status.state, status.detail) = match trouble {
                    Some(trouble) => {
                        let trouble = self.secrets.cut(&trouble.to_string());
                        (LineState::Retrying, trouble)
                    }
                    None => (LineState::Listening, "hears again".to_owned()),
                };
            }
        });
    }
}
