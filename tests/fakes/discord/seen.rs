//! What tests see of the platform, and what they name.

use std::time::Duration;

use serde_json::Value;

use super::markdown;

/// A person's account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct User(pub u64);

impl User {
    /// The direct channel of this person with the bot.
    pub fn direct(self) -> Channel {
        Channel(self.0 + 500_000)
    }
}

/// A channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Channel(pub u64);

/// The bot's own number, name and application, and the server that it is in.
pub const BOT_ID: u64 = 777_123_456;
pub const BOT_NAME: &str = "postern_test_bot";
pub const APPLICATION: u64 = 777_000_111;
pub const GUILD: u64 = 900_000_001;

/// A message of the bot, as it stands on the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub id: u64,
    /// What a person reads: the Markdown is gone.
    pub text: String,
    /// What was sent.
    pub content: String,
    /// Buttons in rows: label and custom_id.
    pub buttons: Vec<Vec<(String, String)>>,
    /// What it showed before each edit, oldest first.
    pub before: Vec<String>,
    pub reply_to: Option<u64>,
    pub flags: u64,
    pub allowed_mentions: Value,
    pub nonce: Option<String>,
    pub files: Vec<Sent>,
}

/// A file of the bot's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Shown {
    /// The custom_id of the button with this label.
    pub fn button(&self, label: &str) -> Option<&str> {
        let mut all = self.buttons.iter().flatten();
        all.find(|(known, _)| known == label)
            .map(|(_, id)| id.as_str())
    }

    /// The labels of all buttons.
    pub fn labels(&self) -> Vec<&str> {
        let all = self.buttons.iter().flatten();
        all.map(|(label, _)| label.as_str()).collect()
    }

    /// The addresses in it that can be pressed.
    pub fn links(&self) -> Vec<String> {
        markdown::pressable(&self.content)
    }
}

/// One call that the bot made: a method and a path in which numbers and tokens are stars.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub kind: String,
    pub path: String,
    pub body: Value,
}

/// How an interaction was answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    pub interaction: u64,
    /// What kind of first answer it was; none for what followed.
    pub kind: Option<u64>,
    pub text: Option<String>,
    /// Whether only the one who did it sees it.
    pub private: bool,
    /// How long the first answer took.
    pub after: Duration,
}

/// What goes wrong with the next call of a kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The call is done late.
    Delay(Duration),
    /// The call is done, and its answer is lost on the way.
    Drop,
    /// The call is done, and its answer makes no sense.
    Garble,
    /// The call is refused like this.
    Refuse {
        status: u16,
        code: u64,
        message: String,
    },
    /// The call is not done and the server says that it has trouble, in HTML.
    Status(u16),
    /// Too many requests, on this route or on all.
    TooMany { retry_after: f64, global: bool },
}
