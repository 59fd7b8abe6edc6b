//! Does the Slack adapter keep its promises? One file for each direction; the helpers are here.

mod config;
mod decode;
mod encode;
mod listen;
mod preview;
mod sdk;
mod send;
mod words;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use adapters::{
    Adapter, AdapterError, Cursor, Encoded, Ground, Inbox, NotStored, SendKey, Webhooks,
};
use async_trait::async_trait;
use bot_policy::event::{EventKind, InboundEvent, PartBody};
use bot_policy::id::{ChatId, EventId, LineId, MessageRef, Place, ThreadId};
use bot_policy::message::{Addresses, Body, Choices, Notice, OutboundMessage};
use bot_policy::secret::Secret;
use fakes::slack::{Chat, Fake, User, WAIT};

use crate::letters::{notice, reply, send_all};

const BOT: &str = "xoxb-1-example-BotExample";
const APP: &str = "xapp-1-example-AppExample";
const SIGNING: &str = "8f742231b10e8888abcd99yyyzzz85a5";

fn assert_keeps_the_tokens(text: &str) {
    for secret in ["BotExample", "AppExample", SIGNING] {
        assert!(!text.contains(secret), "{text}");
    }
}

/// A file of ours alone with this in it.
fn kept(name: &str, text: &str) -> String {
    let folder = tempfolder();
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    file.to_str().unwrap().to_owned()
}

fn tempfolder() -> std::path::PathBuf {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
    let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = format!("postern-slack-{}-{next}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn built(settings: serde_json::Value) -> Result<Arc<dyn Adapter>, adapters::ConfigError> {
    let config = adapters::Config::Slack(serde_json::from_value(settings).unwrap());
    let ground = Ground {
        webhooks: Some(Webhooks {
            public: "https://bot.example.org".parse().unwrap(),
            secret: Secret::new("0".repeat(64)),
        }),
    };
    adapters::build(LineId::new("line"), &config, &ground)
}

async fn started() -> (Fake, Arc<dyn Adapter>, User) {
    let fake = Fake::start(BOT, APP).await;
    let adapter = built(serde_json::json!({
        "token_file": kept("bot", BOT),
        "app_token_file": kept("app", APP),
        "api": fake.url(),
    }));
    let anna = fake.person("U01ANNA", "Anna");
    (fake, adapter.unwrap(), anna)
}

fn place(chat: &Chat) -> Place {
    Place {
        line: LineId::new("line"),
        chat: ChatId::new(&*chat.id),
        thread: chat.thread.as_deref().map(ThreadId::new),
    }
}

fn listen(adapter: &Arc<dyn Adapter>, heard: &Arc<Heard>) -> tokio::task::JoinHandle<AdapterError> {
    let (adapter, heard) = (adapter.clone(), heard.clone());
    tokio::spawn(async move { adapter.listen(heard.as_ref()).await.unwrap_err() })
}

#[derive(Default)]
struct Heard {
    events: Mutex<Vec<InboundEvent>>,
    unreadable: Mutex<Vec<EventId>>,
    trouble: Mutex<Vec<String>>,
    broken: Mutex<bool>,
}

impl Heard {
    /// What was said, once so many different messages are there.
    async fn texts(&self, fake: &Fake, wanted: usize) -> Vec<String> {
        let enough = || (self.said().len() >= wanted).then_some(());
        for _ in 0..500 {
            if enough().is_some() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        fake.wait_until(Duration::from_millis(50), || None::<()>)
            .await;
        self.said()
    }

    /// What was said, each event once, as the store counts.
    fn said(&self) -> Vec<String> {
        let mut seen = std::collections::BTreeSet::new();
        let events = self.events.lock().unwrap();
        let once = events.iter().filter(|event| seen.insert(event.id.clone()));
        let texts = once.filter_map(|event| match &event.what {
            EventKind::Message { parts, .. } => match &parts[0].body {
                PartBody::Text(text) => Some(text.clone()),
                PartBody::File(_) => None,
            },
            _ => None,
        });
        texts.collect()
    }
}

#[async_trait]
impl Inbox for Heard {
    async fn accept(
        &self,
        _: &LineId,
        events: Vec<InboundEvent>,
        _: Option<Cursor>,
    ) -> Result<(), NotStored> {
        if *self.broken.lock().unwrap() {
            return Err(NotStored("disk".to_owned()));
        }
        self.events.lock().unwrap().extend(events);
        Ok(())
    }

    fn hearing(&self, _: &LineId, trouble: Option<&AdapterError>) {
        let trouble = trouble.map_or_else(|| "hears".to_owned(), ToString::to_string);
        self.trouble.lock().unwrap().push(trouble);
    }

    async fn unreadable(&self, _: &LineId, id: EventId) -> Result<(), NotStored> {
        self.unreadable.lock().unwrap().push(id);
        Ok(())
    }

    async fn heard(&self, _: &LineId) -> Result<Option<Cursor>, NotStored> {
        Ok(None)
    }
}
