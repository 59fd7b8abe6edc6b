//! What is done with an event? Its channel is looked up, it is decoded and stored, and with it how
//! far we have heard.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use bot_policy::id::EventId;
use reqwest::Method;
use serde_json::Value;
use tokio::sync::mpsc;
use tracing::{info, warn};

use super::Discord;
use super::api::Api;
use super::channels::{Channels, snowflake};
use super::decode::{Me, born, decode};
use super::session::{Heard, Session};
use crate::http::Repeat;
use crate::patience::{Patience, now};
use crate::{AdapterError, Inbox};

/// An event of the gateway.
pub(super) struct Event {
    pub(super) name: String,
    pub(super) data: Value,
    pub(super) seq: u64,
}

/// Who stores what is heard.
pub(super) struct Worker<'a> {
    pub(super) line: &'a Discord,
    pub(super) me: &'a Me,
    pub(super) inbox: &'a dyn Inbox,
    pub(super) heard: &'a mut Heard,
    /// Whether it was told that the line does not hear.
    pub(super) troubled: bool,
}

impl Worker<'_> {
    /// Stores events in their order until there are no more.
    pub(super) async fn run(
        &mut self,
        mut events: mpsc::Receiver<Event>,
    ) -> Result<(), AdapterError> {
        while let Some(Event { name, data, seq }) = events.recv().await {
            match name.as_str() {
                "READY" => {
                    self.heard.session = Session::opened(&data, seq);
                    self.hears();
                    self.missed().await?;
                    self.store(Vec::new()).await?;
                }
                "RESUMED" => self.hears(),
                _ => {}
            }
            if let Some(session) = &mut self.heard.session {
                session.seq = seq;
            }
            self.take(&name, &data).await?;
        }
        Ok(())
    }

    fn hears(&mut self) {
        if std::mem::take(&mut self.troubled) {
            self.inbox.hearing(&self.line.line, None);
        }
    }

    /// Decodes and stores one event.
    async fn take(&mut self, name: &str, data: &Value) -> Result<(), AdapterError> {
        self.line
            .channels
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .learn_event(name, data);
        if matches!(
            name,
            "INTERACTION_CREATE" | "MESSAGE_CREATE" | "MESSAGE_UPDATE"
        ) {
            self.find(data).await?;
        }
        // Decoding keeps nothing, so what a panic leaves behind harms nobody.
        let read = {
            let channels = self
                .line
                .channels
                .read()
                .unwrap_or_else(PoisonError::into_inner);
            let line = &self.line.line;
            catch_unwind(AssertUnwindSafe(|| {
                decode(line, self.me, &channels, name, data, now())
            }))
        };
        if matches!(name, "CHANNEL_DELETE" | "THREAD_DELETE")
            && let Some(id) = snowflake(data.get("id"))
        {
            let mut channels = self
                .line
                .channels
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            channels.forget(id);
            self.heard.seen.remove(id);
        }
        match read {
            Ok(events) if events.is_empty() => Ok(()),
            Ok(events) => self.store(events).await,
            Err(_) => {
                warn!(line = %self.line.line, name, "an event that cannot be read is passed over");
                let id = snowflake(data.get("id")).unwrap_or("0");
                let id = EventId::new(format!("m{id}"));
                Ok(self.inbox.unreadable(&self.line.line, id).await?)
            }
        }
    }

    async fn store(
        &mut self,
        events: Vec<bot_policy::event::InboundEvent>,
    ) -> Result<(), AdapterError> {
        self.heard.note(&events);
        let cursor = self.heard.cursor();
        Ok(self
            .inbox
            .accept(&self.line.line, events, Some(cursor))
            .await?)
    }

    /// Makes sure that the channel of something is known. Until the platform has said what it is,
    /// nothing after it is taken either: order stays.
    async fn find(&self, data: &Value) -> Result<(), AdapterError> {
        let Some(id) = snowflake(data.get("channel_id")) else {
            return Ok(());
        };
        for pause in [1, 2, 4] {
            match know(&self.line.api, &self.line.channels, id, LOOK).await {
                Err(AdapterError::Retry { .. } | AdapterError::Ambiguous) => {
                    tokio::time::sleep(Duration::from_secs(pause)).await;
                }
                done => return done,
            }
        }
        know(&self.line.api, &self.line.channels, id, LOOK).await
    }

    /// Fetches what was said while nobody heard, where somebody had spoken to us before; what is
    /// older than a day stays unheard.
    async fn missed(&mut self) -> Result<(), AdapterError> {
        let oldest = now().0.saturating_sub(OLDEST);
        for (channel, last) in self.heard.seen.clone() {
            let mut after = last;
            for _ in 0..MOST_PAGES {
                let Some(page) = self.page(&channel, after).await? else {
                    self.heard.seen.remove(&channel);
                    break;
                };
                let full = page.len() >= PAGE;
                for message in page {
                    let id = snowflake(message.get("id"));
                    let Some(number) = id.and_then(|id| id.parse::<u64>().ok()) else {
                        continue;
                    };
                    after = after.max(number);
                    if id.and_then(born).is_some_and(|at| at.0 >= oldest) {
                        self.take("MESSAGE_CREATE", &message).await?;
                    }
                }
                if !full {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Messages of a channel after one of them, oldest first; none where we may not read any more.
    async fn page(&self, channel: &str, after: u64) -> Result<Option<Vec<Value>>, AdapterError> {
        let path = format!("/channels/{channel}/messages?limit={PAGE}&after={after}");
        let mut patience = Patience::default();
        loop {
            match self
                .line
                .api
                .call(Method::GET, &path, None, Repeat::Harmless)
                .await
            {
                Ok(Value::Array(mut page)) => {
                    page.sort_by_key(|message| {
                        snowflake(message.get("id")).and_then(|id| id.parse::<u64>().ok())
                    });
                    return Ok(Some(page));
                }
                Ok(_) => return Ok(Some(Vec::new())),
                Err(AdapterError::Refused(why)) => {
                    info!(line = %self.line.line, %why, "a channel is not looked through");
                    return Ok(None);
                }
                Err(error) => patience.wait(&self.line.line, self.inbox, error).await?,
            }
        }
    }
}

/// Asks what a channel is, unless that is known. One that the platform does not show us stays
/// unknown, and is no direct chat.
pub(super) async fn know(
    api: &Api,
    channels: &RwLock<Channels>,
    id: &str,
    patience: Duration,
) -> Result<(), AdapterError> {
    let known = channels
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .seat(id)
        .is_some();
    if known {
        return Ok(());
    }
    let path = format!("/channels/{id}");
    let asked = api.call_within(Method::GET, &path, None, patience, Repeat::Harmless);
    match asked.await {
        Ok(channel) if snowflake(channel.get("id")) == Some(id) => {
            let mut channels = channels.write().unwrap_or_else(PoisonError::into_inner);
            channels.learn(&channel, None);
            Ok(())
        }
        Ok(_) | Err(AdapterError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

const LOOK: Duration = Duration::from_secs(10);
/// What is older is not fetched any more, in milliseconds.
const OLDEST: i64 = 24 * 3_600_000;
const PAGE: usize = 100;
const MOST_PAGES: usize = 10;
