//! Slack, as stories see it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Mutex;

use fakes::slack::{Fake, Fault, User};

use super::Platform;
use crate::stories::chat::Seen;
use crate::stories::wrong::{Call, NEVER, Wrong};

const BOT: &str = "xoxb-1-STORY";
const APP: &str = "xapp-1-STORY";

pub struct Slack {
    fake: Fake,
    /// What every message and press is called.
    events: Mutex<Vec<String>>,
}

impl Slack {
    pub async fn start() -> Self {
        Self {
            fake: Fake::start(BOT, APP).await,
            events: Mutex::default(),
        }
    }
}

fn method(call: Call) -> &'static str {
    match call {
        Call::Edit => "chat.update",
        Call::Send => "chat.postMessage",
    }
}

fn who(account: i64) -> User {
    User(format!("U{account}"))
}

impl Platform for Slack {
    fn settings(&self, folder: &Path) -> String {
        let mut settings = format!("platform = \"slack\"\napi = \"{}\"\n", self.fake.url());
        for (name, secret) in [("token_file", BOT), ("app_token_file", APP)] {
            let file = folder.join(format!("slack-{name}"));
            std::fs::write(&file, secret).unwrap();
            std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
            settings.push_str(&format!("{name} = \"{}\"\n", file.display()));
        }
        settings
    }

    fn hears(&self) -> bool {
        self.fake.listening() > 0
    }

    fn enter(&self, account: i64) {
        self.fake.person(&who(account).0, "Somebody");
    }

    fn say(&self, account: i64, text: &str) {
        let user = who(account);
        let chat = user.direct();
        let ts = self.fake.say(&user, &chat, text);
        self.events
            .lock()
            .unwrap()
            .push(format!("{}:{ts}", chat.id));
    }

    fn press(&self, account: i64, on: &str, token: &str) {
        let user = who(account);
        let event = self.fake.press_token(&user, &user.direct(), on, token);
        self.events.lock().unwrap().push(event);
    }

    fn screen(&self, account: i64) -> Vec<Seen> {
        let shown = self.fake.messages(&who(account).direct()).into_iter();
        let seen = shown.map(|shown| Seen {
            key: shown.ts,
            text: shown.text
                + &shown
                    .files
                    .iter()
                    .map(|file| file.name.as_str())
                    .collect::<String>(),
            buttons: shown.buttons,
        });
        seen.collect()
    }

    fn events(&self) -> Vec<String> {
        self.events.lock().unwrap().clone()
    }

    fn files(&self, account: i64) -> Vec<(String, Vec<u8>)> {
        let shown = self.fake.messages(&who(account).direct()).into_iter();
        let files = shown.flat_map(|shown| shown.files);
        files.map(|file| (file.name, file.bytes)).collect()
    }

    fn goes_wrong(&self, call: Call, wrong: Wrong) {
        let fault = match wrong {
            Wrong::Drop => Fault::Drop,
            Wrong::Hang => Fault::Delay(NEVER),
            Wrong::Refuse => Fault::Refuse("restricted_action"),
            Wrong::Status(status) => Fault::Status(status),
            Wrong::TooMany => Fault::TooMany(1),
        };
        self.fake.inject(method(call), fault);
    }

    fn to_go_wrong(&self, call: Call) -> usize {
        self.fake.to_go_wrong(method(call))
    }
}
