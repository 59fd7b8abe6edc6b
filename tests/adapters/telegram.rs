//! Does the Telegram adapter keep its promises? One file for each direction; the helpers are here.

mod config;
mod decode;
mod enclose;
mod encode;
mod fake;
mod listen;
mod provenance;
mod send;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use adapters::{
    Adapter, AdapterError, Cursor, Encoded, Inbox, Menu, Menus, NotStored, Probe, SendKey,
};
use async_trait::async_trait;
use bot_policy::event::{EventKind, InboundEvent, PartBody, ReplyHandle};
use bot_policy::id::{ButtonToken, ChatId, LineId, MessageRef, Place, ThreadId};
use bot_policy::message::{Addresses, Body, Button, Choices, Notice, OutboundMessage};
use fakes::telegram::{BOT_NAME, Chat, Fake, Fault, Shown, User, WAIT};
use serde_json::json;

use crate::letters::{notice, reply, send_all};

const TOKEN: &str = "123456789:AAExampleExampleExampleExampleExam";

fn assert_keeps_the_token(text: &str) {
    assert!(!text.contains("AAExample"), "{text}");
}

fn toml_like<T: serde::de::DeserializeOwned>(settings: &str) -> T {
    let pairs = settings.lines().filter_map(|line| line.split_once(" = "));
    let object = pairs.map(|(key, value)| (key.to_owned(), serde_json::from_str(value).unwrap()));
    serde_json::from_value(serde_json::Value::Object(object.collect())).unwrap()
}

fn built(settings: &str) -> Result<Arc<dyn Adapter>, adapters::ConfigError> {
    let config = adapters::Config::Telegram(toml_like(settings));
    adapters::build(LineId::new("line"), &config, &adapters::Ground::default())
}

async fn started() -> (Fake, Arc<dyn Adapter>, User) {
    let fake = Fake::start(TOKEN).await;
    let name = format!(
        "{}-{}",
        std::process::id(),
        fake.url().rsplit(':').next().unwrap()
    );
    let file = std::env::temp_dir().join(format!("postern-token-{name}"));
    std::fs::write(&file, TOKEN).unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let adapter = built(&format!("token_file = {file:?}\napi = {:?}", fake.url())).unwrap();
    std::fs::remove_file(&file).unwrap();
    let anna = fake.person(7001, "Anna");
    (fake, adapter, anna)
}

fn place(chat: Chat) -> Place {
    Place {
        line: LineId::new("line"),
        chat: ChatId::new(chat.0.to_string()),
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
}

impl Heard {
    fn cursor(&self) -> Option<Cursor> {
        self.cursor.lock().unwrap().clone()
    }

    /// What was said, once so many messages are there and a moment has passed.
    async fn texts(&self, fake: &Fake, wanted: usize) -> Vec<String> {
        let enough = || (self.events.lock().unwrap().len() >= wanted).then_some(());
        for _ in 0..500 {
            if enough().is_some() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        fake.wait_until(Duration::from_millis(50), || None::<()>)
            .await;
        let events = self.events.lock().unwrap();
        let texts = events.iter().filter_map(|event| match &event.what {
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
        heard: Option<Cursor>,
    ) -> Result<(), NotStored> {
        if *self.broken.lock().unwrap() {
            return Err(NotStored("disk".to_owned()));
        }
        self.events.lock().unwrap().extend(events);
        *self.cursor.lock().unwrap() = heard;
        Ok(())
    }

    async fn heard(&self, _: &LineId) -> Result<Option<Cursor>, NotStored> {
        Ok(self.cursor())
    }
}
