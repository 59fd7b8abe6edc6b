//! Which thing is meant? Newtypes, so that one id can never be passed for another.
//!
//! Only the module that minted an id may look inside it: a chat id means something to its
//! adapter alone, a question id to the store alone.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps the text that its minter chose.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text, for storing and for the minter.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

macro_rules! number_id {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

text_id! {
    /// A messaging platform, as its adapter names itself: `telegram`, `web`.
    Platform,
    /// One bot account of ours on a platform, as the configuration names it.
    LineId,
    /// A chat as its platform numbers it.
    ChatId,
    /// A thread or topic inside a chat.
    ThreadId,
    /// What a platform calls one incoming event; unique within its line.
    EventId,
    /// A message as its platform numbers it, within its chat.
    MessageRef,
    /// Several messages that one person sent as one thing, as the platform names them together;
    /// unique within its chat.
    AlbumId,
    /// A configured agent.
    BotName,
    /// A tool, as rules name it without the leading `@`.
    ToolName,
    /// What the model calls one call of a tool; unique within its conversation.
    CallId,
    /// A source that the owner may mark as sensitive.
    SourceName,
}

number_id! {
    /// A human: the owner or a named guest, over all their accounts.
    PersonId,
    /// A conversation: history, marks and pending work.
    ConversationId,
    /// A thing put to a person.
    QuestionId,
}

/// A human's account on a platform. Platforms number accounts; names never authorize.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UserRef {
    /// Where the account lives.
    pub platform: Platform,
    /// Its number there.
    pub id: String,
}

/// Where a line can speak: a chat, with its thread if it has one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Our account that speaks there.
    pub line: LineId,
    /// The chat.
    pub chat: ChatId,
    /// The thread inside the chat, where the platform has one.
    pub thread: Option<ThreadId>,
}

/// Milliseconds since 1970-01-01 UTC. The gateway reads the clock; judgements take it as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// This moment moved by a number of seconds, kept inside what can be told.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1000)))
    }
}

/// What a button carries: 128 random bits that mean nothing by themselves.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ButtonToken([u8; 16]);

impl ButtonToken {
    /// Makes a token from random bytes.
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes, for hashing before they are stored.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for ButtonToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ButtonToken(..)")
    }
}

impl From<ButtonToken> for String {
    fn from(token: ButtonToken) -> Self {
        token.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The text on a button is not one of our tokens.
#[derive(Debug, thiserror::Error)]
#[error("a button token has 32 hexadecimal digits")]
pub struct NotAToken;

impl TryFrom<String> for ButtonToken {
    type Error = NotAToken;

    fn try_from(text: String) -> Result<Self, NotAToken> {
        let mut bytes = [0; 16];
        let digits: Vec<u8> = text
            .chars()
            .map(|c| {
                c.to_digit(16)
                    .and_then(|d| u8::try_from(d).ok())
                    .ok_or(NotAToken)
            })
            .collect::<Result<_, _>>()?;
        if digits.len() != 32 {
            return Err(NotAToken);
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair.iter().fold(0, |all, digit| all << 4 | digit);
        }
        Ok(Self(bytes))
    }
}
