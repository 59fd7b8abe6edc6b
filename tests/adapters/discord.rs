//! Does the Discord adapter keep its promises? One file for each direction; the helpers are here.

mod config;
mod decode;
mod door;
mod encode;
mod fake;
mod files;
mod listen;
mod provenance;
mod sdk;
mod send;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use adapters::{Adapter, AdapterError, Cursor, Encoded, Ground, Inbox, NotStored, SendKey};
use async_trait::async_trait;
use bot_policy::event::{EventKind, InboundEvent, PartBody};
use bot_policy::id::{ButtonToken, ChatId, LineId, MessageRef, Place, ThreadId};
use bot_policy::message::{Button, Choices};
use fakes::discord::{Channel, Fake, Fault, TOKEN, User, WAIT};
use serde_json::{Value, json};

use crate::letters::{notice, reply, send_all};

fn assert_keeps_the_token(text: &str) {
    assert!(
        !text.contains("GExamp") && !text.contains("leExample"),
        "{text}"
    );
}

fn built_on(settings: Value, ground: &Ground) -> Result<Arc<dyn Adapter>, adapters::ConfigError> {
    let config = adapters::Config::Discord(serde_json::from_value(settings).unwrap());
    adapters::build(LineId::new("line"), &config, ground)
}

/// An adapter whose token stands in a file of its own, which is gone again.
fn with_token(token: &str, mut settings: Value, ground: &Ground) -> Arc<dyn Adapter> {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = format!("postern-discord-{}-{number}", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, token).unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    settings["token_file"] = json!(file);
    let adapter = built_on(settings, ground);
    std::fs::remove_file(&file).unwrap();
    adapter.unwrap()
}

fn adapter_of(fake: &Fake) -> Arc<dyn Adapter> {
    with_token(TOKEN, json!({"api": fake.url()}), &Ground::default())
}

async fn started() -> (Fake, Arc<dyn Adapter>, User) {
    let fake = Fake::start(TOKEN).await;
    let adapter = adapter_of(&fake);
    let anna = fake.person(7001, "Anna");
    fake.direct(anna);
    (fake, adapter, anna)
}

fn place(channel: Channel) -> Place {
    Place {
        line: LineId::new("line"),
        chat: ChatId::new(channel.0.to_string()),
        thread: None,
    }
}

fn choices() -> Choices {
    let button = |label: &str, byte| Button {
        label: label.to_owned(),
        token: ButtonToken::from_random([byte; 16]),
    };
    Choices(vec![button("Allow once", 1), button("Deny", 2)])
}

fn listen(adapter: &Arc<dyn Adapter>, heard: &Arc<Heard>) -> tokio::task::JoinHandle<AdapterError> {
    let (adapter, heard) = (adapter.clone(), heard.clone());
    tokio::spawn(async move { adapter.listen(heard.as_ref()).await.unwrap_err() })
}

#[derive(Default)]
struct Heard {
    events: Mutex<Vec<InboundEvent>>,
    cursor: Mutex<Option<Cursor>>,
    broken: Mutex<bool>,
    troubles: Mutex<Vec<Option<String>>>,
}

impl Heard {
    fn events(&self) -> Vec<InboundEvent> {
        self.events.lock().unwrap().clone()
    }

    /// The texts that were said, without what came twice under one id.
    fn said(&self) -> Vec<String> {
        let mut known = Vec::new();
        let mut said = Vec::new();
        for event in self.events() {
            if !known.contains(&event.id) {
                known.push(event.id.clone());
                said.extend(text_of(&event));
            }
        }
        said
    }

    /// What was said, once so many messages are there.
    async fn texts(&self, wanted: usize) -> Vec<String> {
        for _ in 0..1000 {
            if self.said().len() >= wanted {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.said()
    }
}

#[async_trait]
impl Inbox for Heard {
    async fn accept(
        &self,
        _line: &LineId,
        events: Vec<InboundEvent>,
        heard: Option<Cursor>,
    ) -> Result<(), NotStored> {
        if *self.broken.lock().unwrap() {
            return Err(NotStored("the disk is full".to_owned()));
        }
        self.events.lock().unwrap().extend(events);
        if let Some(heard) = heard {
            *self.cursor.lock().unwrap() = Some(heard);
        }
        Ok(())
    }

    fn hearing(&self, _line: &LineId, trouble: Option<&AdapterError>) {
        let trouble = trouble.map(ToString::to_string);
        self.troubles.lock().unwrap().push(trouble);
    }

    async fn heard(&self, _line: &LineId) -> Result<Option<Cursor>, NotStored> {
        Ok(self.cursor.lock().unwrap().clone())
    }
}

fn text_of(event: &InboundEvent) -> Option<String> {
    let EventKind::Message { parts, .. } = &event.what else {
        return None;
    };
    let texts = parts.iter().filter_map(|part| match &part.body {
        PartBody::Text(text) => Some(text.as_str()),
        PartBody::File(_) => None,
    });
    Some(texts.collect::<Vec<_>>().join("|"))
}

fn in_thread(parent: Channel, thread: Channel) -> Place {
    Place {
        thread: Some(ThreadId::new(thread.0.to_string())),
        ..place(parent)
    }
}
