//! Does the WhatsApp adapter keep its promises? One file for each direction; the helpers are here.

mod config;
mod decode;
mod encode;
mod fake;
mod files;
mod hook;
mod provenance;
mod send;
mod statuses;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use adapters::{
    Adapter, AdapterError, Arrived, ConfigError, Cursor, DoorMethod, Ground, Inbox, NotStored,
    SendKey, Webhooks,
};
use async_trait::async_trait;
use bot_policy::event::InboundEvent;
use bot_policy::id::{ButtonToken, ChatId, LineId, MessageRef, Place};
use bot_policy::message::{Addresses, Body, Button, Choices, Notice, OutboundMessage};
use bot_policy::secret::Secret;
use fakes::whatsapp::{Chat, Fake, NUMBER_ID, Person};
use serde_json::{Value, json};

use crate::letters::{reply, send_all};

const TOKEN: &str = "EAAExampleExampleExampleExample";
const APP_SECRET: &str = "0123456789abcdef0123456789abcdef";
const VERIFY: &str = "a-verify-token-of-our-own";

/// Settings with their secrets in files of a folder that goes with this.
struct Settings {
    folder: PathBuf,
    values: Value,
}

impl Drop for Settings {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Settings {
    fn new() -> Self {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("postern-whatsapp-{}-{next}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let mut settings = Self {
            folder,
            values: json!({"phone_number_id": NUMBER_ID}),
        };
        settings.secret("token", TOKEN);
        settings.secret("app_secret", APP_SECRET);
        settings.secret("verify_token", VERIFY);
        settings
    }

    /// Writes a secret into its file.
    fn secret(&mut self, name: &str, text: &str) {
        let file = self.folder.join(name);
        std::fs::write(&file, text).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&file, mode).unwrap();
        self.values[format!("{name}_file")] = json!(file);
    }

    fn with(mut self, key: &str, value: Value) -> Self {
        self.values[key] = value;
        self
    }

    fn config(&self) -> adapters::whatsapp::Config {
        serde_json::from_value(self.values.clone()).unwrap()
    }

    fn built(&self) -> Result<Arc<dyn Adapter>, ConfigError> {
        let config = adapters::Config::WhatsApp(self.config());
        adapters::build(LineId::new("line"), &config, &ground())
    }

    fn error(&self) -> String {
        let error = self.built().err().expect("an error").to_string();
        error.replace(&format!("{}/", self.folder.display()), "")
    }
}

fn ground() -> Ground {
    Ground {
        webhooks: Some(Webhooks {
            public: "https://bot.example.org".parse().unwrap(),
            secret: Secret::new("0".repeat(64)),
        }),
    }
}

async fn started() -> (Fake, Arc<dyn Adapter>, Person) {
    let fake = Fake::start(TOKEN, APP_SECRET, VERIFY).await;
    let settings = Settings::new().with("api", json!(fake.url()));
    let adapter = settings.built().unwrap();
    let anna = fake.person("15550100", "Anna");
    fake.say(&anna, &anna.direct(), "hi");
    (fake, adapter, anna)
}

fn place(chat: &Chat) -> Place {
    let chat = match chat {
        Chat::Direct(person) => person.clone(),
        Chat::Group(group) => format!("group:{group}"),
    };
    Place {
        line: LineId::new("line"),
        chat: ChatId::new(chat),
        thread: None,
    }
}

fn notice(text: &str, choices: Choices) -> OutboundMessage {
    let notice = Notice {
        addresses: Addresses::Live,
        text: text.to_owned(),
        choices,
    };
    OutboundMessage {
        body: Body::Notice(notice),
        answers: None,
    }
}

fn choices(labels: &[&str]) -> Choices {
    let button = |(at, label): (usize, &&str)| Button {
        label: (*label).to_owned(),
        token: ButtonToken::from_random([u8::try_from(at).unwrap(); 16]),
    };
    Choices(labels.iter().enumerate().map(button).collect())
}

/// Hands a webhook to the adapter, as its door does after it was checked.
async fn post(adapter: &Arc<dyn Adapter>, heard: &Heard, body: &[u8]) -> Result<(), AdapterError> {
    let request = Arrived {
        path: "/hooks/line".to_owned(),
        method: DoorMethod::Post,
        query: None,
        body: body.to_vec(),
    };
    adapter.webhook(request, heard).await.map(drop)
}

#[derive(Default)]
struct Heard {
    events: Mutex<Vec<InboundEvent>>,
    broken: Mutex<bool>,
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
            return Err(NotStored("the disk is full".to_owned()));
        }
        self.events.lock().unwrap().extend(events);
        Ok(())
    }

    async fn heard(&self, _: &LineId) -> Result<Option<Cursor>, NotStored> {
        Ok(None)
    }
}
