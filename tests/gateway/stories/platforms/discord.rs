//! Discord, as stories see it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use fakes::discord::{Channel, Fake, Fault, TOKEN, User};

use super::Platform;
use crate::stories::chat::Seen;
use crate::stories::wrong::{Call, NEVER, Wrong};

pub struct Discord(Fake);

impl Discord {
    pub async fn start() -> Self {
        Self(Fake::start(TOKEN).await)
    }
}

fn route(call: Call) -> &'static str {
    match call {
        Call::Edit => "PATCH /channels/*/messages/*",
        Call::Send => "POST /channels/*/messages",
    }
}

fn who(account: i64) -> (User, Channel) {
    let user = User(u64::try_from(account).unwrap());
    (user, user.direct())
}

impl Platform for Discord {
    fn settings(&self, folder: &Path) -> String {
        let token = folder.join("discord-token");
        std::fs::write(&token, TOKEN).unwrap();
        std::fs::set_permissions(&token, PermissionsExt::from_mode(0o600)).unwrap();
        let (token, api) = (token.display(), self.0.url());
        format!("platform = \"discord\"\ntoken_file = \"{token}\"\napi = \"{api}\"\n")
    }

    fn enter(&self, account: i64) {
        let (user, _) = who(account);
        self.0.person(user.0, "Somebody");
        self.0.direct(user);
    }

    fn hears(&self) -> bool {
        self.0.hears()
    }

    fn say(&self, account: i64, text: &str) {
        let (user, channel) = who(account);
        self.0.say(user, channel, text);
    }

    fn press(&self, account: i64, on: &str, token: &str) {
        let (user, channel) = who(account);
        self.0
            .press_token(user, channel, on.parse().unwrap(), token);
    }

    fn screen(&self, account: i64) -> Vec<Seen> {
        let shown = self.0.messages(who(account).1).into_iter();
        let seen = shown.map(|shown| Seen {
            key: shown.id.to_string(),
            text: shown
                .files
                .iter()
                .fold(shown.text, |text, file| format!("{text}\n{}", file.name)),
            buttons: shown.buttons.into_iter().flatten().collect(),
        });
        seen.collect()
    }

    fn events(&self) -> Vec<String> {
        self.0.events()
    }

    fn files(&self, account: i64) -> Vec<(String, Vec<u8>)> {
        let shown = self.0.messages(who(account).1).into_iter();
        let files = shown.flat_map(|shown| shown.files);
        files.map(|file| (file.name, file.bytes)).collect()
    }

    fn goes_wrong(&self, call: Call, wrong: Wrong) {
        let fault = match wrong {
            Wrong::Drop => Fault::Drop,
            Wrong::Hang => Fault::Delay(NEVER),
            Wrong::Refuse => Fault::Refuse {
                status: 403,
                code: 50013,
                message: "Missing Permissions".to_owned(),
            },
            Wrong::Status(status) => Fault::Status(status),
            Wrong::TooMany => Fault::TooMany {
                retry_after: 1.0,
                global: false,
            },
        };
        self.0.inject(route(call), fault);
    }

    fn to_go_wrong(&self, call: Call) -> usize {
        self.0.to_go_wrong(route(call))
    }
}
