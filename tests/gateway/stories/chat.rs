//! One chat, with the same verbs on every adapter, so that one story is told on each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fakes::telegram::{User, WAIT};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::house::World;

/// Through which adapter somebody comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    Discord,
    Slack,
    Telegram,
    Web,
    WhatsApp,
}

impl Door {
    /// What the line behind it is called in the settings.
    pub fn line(self) -> &'static str {
        match self {
            Self::Discord | Self::Slack | Self::WhatsApp => "other",
            Self::Telegram => "phone",
            Self::Web => "web",
        }
    }
}

/// One person in one chat.
pub struct Chat {
    world: Arc<World>,
    at: At,
}

enum At {
    /// Somebody's direct chat on the platform that this house has besides.
    Platform(Door, i64),
    Telegram(User, fakes::telegram::Chat),
    Web {
        cookie: String,
    },
}

/// A message of Postern's, as it stands on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub key: String,
    pub text: String,
    /// Label and token of each button.
    pub buttons: Vec<(String, String)>,
}

static NEXT: AtomicU64 = AtomicU64::new(1);

impl Seen {
    pub fn labels(&self) -> Vec<&str> {
        self.buttons.iter().map(|(label, _)| &**label).collect()
    }

    pub fn token(&self, label: &str) -> String {
        let found = self.buttons.iter().find(|(known, _)| known == label);
        let Some((_, token)) = found else {
            panic!("no button {label:?}: {self:?}");
        };
        token.clone()
    }

    fn is_card(&self) -> bool {
        self.buttons.iter().any(|(label, _)| label == "Allow once")
    }
}

impl Chat {
    pub fn telegram(world: Arc<World>, user: User, chat: fakes::telegram::Chat) -> Self {
        Self {
            world,
            at: At::Telegram(user, chat),
        }
    }

    /// Somebody's chat on the platform behind this door.
    pub fn platform(world: Arc<World>, door: Door, account: i64) -> Self {
        let at = At::Platform(door, account);
        Self { world, at }
    }

    /// The files that the bot sent here.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let At::Platform(_, account) = &self.at else {
            panic!("only platforms besides tell their files");
        };
        self.world.platform().files(*account)
    }

    /// A browser that follows the link with a code and presses "pair"; none when it is refused.
    pub async fn web(world: Arc<World>, code: &str) -> Option<Self> {
        let base = world.base.lock().unwrap().clone();
        let answer = world
            .http
            .post(format!("{base}/api/pair"))
            .header("origin", &base)
            .json(&json!({ "code": code }))
            .send()
            .await
            .unwrap();
        if answer.status() != StatusCode::OK {
            return None;
        }
        let cookie = answer.headers()["set-cookie"].to_str().unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let at = At::Web { cookie };
        Some(Self { world, at })
    }

    /// What the browser of the page keeps.
    pub fn cookie(&self) -> &str {
        let At::Web { cookie } = &self.at else {
            panic!("only the page has a cookie");
        };
        cookie
    }

    pub fn door(&self) -> Door {
        match &self.at {
            At::Platform(door, _) => *door,
            At::Telegram(..) => Door::Telegram,
            At::Web { .. } => Door::Web,
        }
    }

    /// The chat, as Telegram knows it.
    pub fn room(&self) -> fakes::telegram::Chat {
        match &self.at {
            At::Telegram(_, chat) => *chat,
            At::Platform(..) | At::Web { .. } => panic!("only on Telegram"),
        }
    }

    /// Types a line and sends it.
    pub async fn say(&self, text: &str) {
        match &self.at {
            At::Platform(_, account) => self.world.platform().say(*account, text),
            At::Telegram(user, chat) => {
                self.world.fake.say(*user, *chat, text);
            }
            At::Web { .. } => {
                let status = self
                    .post("say", json!({ "id": fresh(), "text": text }))
                    .await;
                assert_eq!(status, StatusCode::OK, "{text:?} was not taken");
            }
        }
    }

    /// Posts a line from the page under an id of the caller's; whether it was acknowledged. The
    /// program may die meanwhile.
    pub async fn try_say(&self, id: &str, text: &str) -> bool {
        let At::Web { cookie } = &self.at else {
            panic!("only the page knows whether it was acknowledged");
        };
        let base = self.base();
        let request = self
            .world
            .http
            .post(format!("{base}/api/say"))
            .header("origin", &base)
            .header("cookie", cookie)
            .json(&json!({ "id": id, "text": text }));
        let answer = request.send().await;
        answer.is_ok_and(|answer| answer.status() == StatusCode::OK)
    }

    /// Presses a button of a message.
    pub async fn press(&self, on: &Seen, label: &str) {
        self.press_token(on, &on.token(label)).await;
    }

    /// Sends what a button carries, whether it still stands there or not.
    pub async fn press_token(&self, on: &Seen, token: &str) {
        let _ = self.try_press(on, token).await;
    }

    /// As [`Self::press_token`]; whether the press was taken at all.
    pub async fn try_press(&self, on: &Seen, token: &str) -> StatusCode {
        match &self.at {
            At::Platform(_, account) => {
                self.world.platform().press(*account, &on.key, token);
                StatusCode::OK
            }
            At::Telegram(user, chat) => {
                let key = on.key.parse().unwrap();
                self.world.fake.press_token(*user, *chat, key, token);
                StatusCode::OK
            }
            At::Web { .. } => {
                let pressed = json!({ "id": fresh(), "token": token, "on": on.key });
                self.post("press", pressed).await
            }
        }
    }

    /// Posts something from the page.
    pub async fn post(&self, what: &str, body: Value) -> StatusCode {
        let At::Web { cookie } = &self.at else {
            panic!("only the page posts");
        };
        let base = self.base();
        let request = self
            .world
            .http
            .post(format!("{base}/api/{what}"))
            .header("origin", &base)
            .header("cookie", cookie)
            .json(&body);
        request.send().await.unwrap().status()
    }

    /// Uploads a file from the page; the status of the answer, 0 where the
    /// connection broke.
    pub async fn upload(&self, id: &str, bytes: Vec<u8>) -> u16 {
        let At::Web { cookie } = &self.at else {
            panic!("only the page uploads");
        };
        let base = self.base();
        let request = self
            .world
            .http
            .post(format!("{base}/api/upload/{id}"))
            .header("origin", &base)
            .header("cookie", cookie)
            .header("content-type", "application/octet-stream")
            .body(bytes);
        let answer = request.send().await;
        answer.map_or(0, |answer| answer.status().as_u16())
    }

    /// Where the page is.
    pub fn address(&self) -> String {
        self.base()
    }

    /// A GET of the page.
    pub async fn get(&self, what: &str) -> reqwest::Response {
        let At::Web { cookie } = &self.at else {
            panic!("only the page gets");
        };
        let at = format!("{}/api/{what}", self.base());
        let request = self.world.http.get(at).header("cookie", cookie);
        request.send().await.unwrap()
    }

    fn base(&self) -> String {
        self.world.base.lock().unwrap().clone()
    }

    /// Every message of Postern's that stands there, oldest first.
    pub async fn screen(&self) -> Vec<Seen> {
        match &self.at {
            At::Platform(_, account) => self.world.platform().screen(*account),
            At::Telegram(_, chat) => {
                let shown = self.world.fake.messages(*chat).into_iter();
                let seen = shown.map(|shown| Seen {
                    key: shown.id.to_string(),
                    text: match shown.file {
                        Some(file) => format!("{}\n{}", shown.text, file.name),
                        None => shown.text,
                    },
                    buttons: shown.buttons.into_iter().flatten().collect(),
                });
                seen.collect()
            }
            At::Web { .. } => {
                let page: Value = self.get("chat").await.json().await.unwrap();
                let items = page["items"].as_array().unwrap();
                let ours = items.iter().filter(|item| item["from"] == "postern");
                ours.map(of_page).collect()
            }
        }
    }

    /// Waits until a message of Postern's is as wanted, the newest first.
    pub async fn sees(&self, what: &str, wanted: impl Fn(&Seen) -> bool) -> Seen {
        let end = Instant::now() + WAIT;
        loop {
            let screen = self.screen().await;
            if let Some(found) = screen.iter().rev().find(|seen| wanted(seen)) {
                return found.clone();
            }
            assert!(Instant::now() < end, "no {what}; there stands {screen:#?}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits for a message that holds this text.
    pub async fn told(&self, text: &str) -> Seen {
        self.sees(text, |seen| seen.text.contains(text)).await
    }

    /// Waits until so many messages hold this text.
    pub async fn told_times(&self, text: &str, times: usize) {
        let end = Instant::now() + WAIT;
        while self.times(text).await < times {
            assert!(
                Instant::now() < end,
                "not {times} times {text:?}; there stands {:#?}",
                self.screen().await
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// How many messages hold this text.
    pub async fn times(&self, text: &str) -> usize {
        let screen = self.screen().await;
        screen
            .iter()
            .filter(|seen| seen.text.contains(text))
            .count()
    }

    /// Waits for a card that asks.
    pub async fn card(&self) -> Seen {
        self.sees("card", Seen::is_card).await
    }

    /// Waits for a card that asks and that is another than this one.
    pub async fn next_card(&self, before: &Seen) -> Seen {
        self.sees("new card", |seen| seen.is_card() && seen.key != before.key)
            .await
    }

    /// Waits until a card asks no more and says how it ended.
    pub async fn closed(&self, card: &Seen, says: &str) -> Seen {
        self.sees(&format!("card that ends with {says:?}"), |seen| {
            seen.key == card.key && seen.buttons.is_empty() && seen.text.contains(says)
        })
        .await
    }

    /// Cards that ask.
    pub async fn open_cards(&self) -> usize {
        let screen = self.screen().await;
        screen.iter().filter(|seen| seen.is_card()).count()
    }

    /// Asks for something harmless and waits for the answer: all that was said before is done
    /// then. Not while a card stands, and not as a guest.
    pub async fn settle(&self) {
        let name = format!("no-{}.txt", fresh());
        self.say(&format!("read {name}")).await;
        self.told(&format!("there is no file {name}")).await;
    }
}

/// An id as the page makes them.
pub fn fresh() -> String {
    format!("story-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

fn of_page(item: &Value) -> Seen {
    let body = &item["body"];
    let mut lines = Vec::new();
    let mut line = |value: &Value| {
        if let Some(text) = value.as_str() {
            lines.push(text.to_owned());
        }
    };
    line(&body["title"]);
    body["reasons"]
        .as_array()
        .into_iter()
        .flatten()
        .for_each(&mut line);
    for field in body["fields"].as_array().into_iter().flatten() {
        line(&field["label"]);
        line(&field["value"]);
        if let Some(cut) = field["cut"].as_u64() {
            line(&json!(format!("{cut} more characters")));
        }
    }
    if let Some(rule) = body["always"].as_str() {
        line(&json!(format!("Always would save: {rule}")));
    }
    line(&body["text"]);
    line(&body["file"]["name"]);
    line(&body["footer"]);
    line(&body["outcome"]);
    let text_of = |value: &Value| value.as_str().unwrap().to_owned();
    let buttons = body["choices"].as_array().into_iter().flatten();
    Seen {
        key: text_of(&item["key"]),
        text: lines.join("\n"),
        buttons: buttons
            .map(|button| (text_of(&button["label"]), text_of(&button["token"])))
            .collect(),
    }
}

/// One story, told on each platform and in the web chat, each in a house of its own with its owner
/// in.
macro_rules! on_both {
    (async fn $name:ident($house:ident, $chat:ident) $story:block) => {
        mod $name {
            #[allow(unused_imports, reason = "not every story needs all words")]
            use super::*;
            use crate::stories::chat::{Chat, Door};
            use crate::stories::house::House;

            #[allow(unused_mut, reason = "not every story stops the program")]
            async fn story((mut $house, $chat): (House, Chat)) $story

            #[tokio::test]
            async fn on_telegram() {
                story(House::with_owner(Door::Telegram).await).await;
            }

            #[tokio::test]
            async fn on_discord() {
                story(House::with_owner(Door::Discord).await).await;
            }

            #[tokio::test]
            async fn on_slack() {
                story(House::with_owner(Door::Slack).await).await;
            }

            #[tokio::test]
            async fn on_whatsapp() {
                story(House::with_owner(Door::WhatsApp).await).await;
            }

            #[tokio::test]
            async fn in_the_web_chat() {
                story(House::with_owner(Door::Web).await).await;
            }
        }
    };
}
