//! What can be asked at the socket, and what comes back?

use async_trait::async_trait;
use bot_policy::access::Role;
use bot_policy::id::Timestamp;
use bot_policy::pairing::CodeRole;
use serde::{Deserialize, Serialize};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::ANSWER_TIME;
use crate::code::protocol::{self, Seen};
use crate::doctor::Check;
use crate::token::{ChatToken, NewToken, TokenName, Words};

/// What the gateway does for the person at its terminal.
#[async_trait]
pub trait Keeper: Send + Sync {
    /// Makes a pairing code.
    async fn new_code(&self, role: CodeRole) -> Result<NewCode, KeeperError>;

    /// Tells how things stand.
    async fn status(&self) -> Result<Status, KeeperError>;

    /// Says something in a direct chat of the owner's, named as [`PersonStatus::places`] names it
    /// or else the one that spoke last; tells where it was said.
    async fn send(&self, text: String, to: Option<String>) -> Result<String, KeeperError>;

    /// Makes a token for a program of the owner's.
    async fn make_token(&self, name: TokenName, words: Words) -> Result<NewToken, KeeperError>;

    /// Every such token.
    async fn tokens(&self) -> Result<Vec<ChatToken>, KeeperError>;

    /// Makes one worthless; refused when there is none of that name.
    async fn revoke_token(&self, name: &str) -> Result<(), KeeperError>;

    /// Lets go of a place, named as [`PersonStatus::places`] names it.
    async fn unpair(&self, place: &str) -> Result<Unpaired, KeeperError>;

    /// Answers about folders and Code conversations.
    async fn code(&self, question: protocol::Question) -> Result<protocol::Said, KeeperError> {
        let _ = question;
        Err(KeeperError::Refused("there are none here".to_owned()))
    }

    /// Serves a terminal that opens a Code conversation; comes back at once.
    fn attend(&self, open: protocol::Open, stream: UnixStream) {
        let _ = (open, stream);
    }

    /// Looks at what only the running gateway can see: store, lines, model.
    async fn doctor(&self) -> Result<Vec<Check>, KeeperError>;
}

/// Why the gateway does not do it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeeperError {
    /// It will not: the text says why and what to do.
    #[error("{0}")]
    Refused(String),
    /// It cannot now.
    #[error("{0}; try again, and run `postern doctor` if it stays so")]
    Unavailable(String),
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// A terminal opens a Code conversation; lines go both ways from then on.
    Attend(protocol::Open),
    /// About folders and Code conversations.
    Code {
        /// What is asked.
        question: protocol::Question,
    },
    /// How is everything?
    Doctor,
    /// A token for a program.
    MakeToken {
        /// What to call it.
        name: TokenName,
        /// Whose words it sends.
        words: Words,
    },
    /// A pairing code.
    NewCode {
        /// What it makes of its sender.
        role: CodeRole,
    },
    /// Make a token worthless.
    RevokeToken {
        /// What it is called.
        name: String,
    },
    /// Say something in a chat of the owner's own.
    Send {
        /// The owner's words.
        text: String,
        /// Where, as the status names it.
        to: Option<String>,
    },
    /// How do things stand?
    Status,
    /// Which programs have a token?
    Tokens,
    /// Let go of a place.
    Unpair {
        /// As the status names it.
        place: String,
    },
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answer {
    /// About folders and Code conversations.
    Code {
        /// What is answered.
        said: protocol::Said,
    },
    /// What was looked at.
    Doctor {
        /// In the order to be shown.
        checks: Vec<Check>,
    },
    /// The code.
    NewCode(NewCode),
    /// A Code conversation is open; what follows are the lines of its screen.
    Opened(Box<protocol::Opened>),
    /// The token.
    NewToken(NewToken),
    /// Not done.
    Refused {
        /// Why, and what to do.
        why: String,
    },
    /// It is worthless now.
    Revoked,
    /// It was said.
    Sent {
        /// Where.
        place: String,
    },
    /// How things stand.
    Status(Status),
    /// Those that have one.
    Tokens {
        /// By name.
        tokens: Vec<ChatToken>,
    },
    /// Done.
    Unpaired(Unpaired),
}

/// A fresh pairing code. Its text is shown once and kept nowhere.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewCode {
    /// The code.
    pub code: String,
    /// Links that carry it, one for each line that has such a thing.
    pub links: Vec<String>,
    /// The lines that have no link now because they do not hear, and why.
    #[serde(default)]
    pub without_link: Vec<LineStatus>,
    /// When it ends.
    pub ends_at: Timestamp,
}

impl std::fmt::Debug for NewCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewCode")
            .field("ends_at", &self.ends_at)
            .finish_non_exhaustive()
    }
}

/// How things stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The version of the running program.
    pub version: String,
    /// Since when it runs.
    pub since: Timestamp,
    /// The address of the web chat.
    pub web: String,
    /// The model in use.
    pub model: String,
    /// The lines.
    pub lines: Vec<LineStatus>,
    /// Who was let in.
    pub people: Vec<PersonStatus>,
    /// The Code conversations that go on, the one that spoke last first.
    pub code: Vec<Seen>,
    /// How many cards wait for an answer.
    pub open_questions: u32,
    /// How many pairing codes live.
    pub live_codes: u32,
    /// What else the owner should know.
    pub notes: Vec<String>,
}

/// How a line stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineStatus {
    /// Its name in the configuration.
    pub line: String,
    /// Its platform.
    pub platform: String,
    /// Whether it hears.
    pub state: LineState,
    /// Our name there, or what is wrong and what to do.
    pub detail: String,
}

/// Whether a line hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineState {
    /// It hears.
    Listening,
    /// It starts, or tries again after the platform did not answer.
    Retrying,
    /// It will not hear until something is mended.
    Stopped,
}

/// Who was let in, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonStatus {
    /// The name given at pairing.
    pub name: String,
    /// What they may be.
    pub role: Role,
    /// Their places, as [`Keeper::unpair`] takes them.
    pub places: Vec<String>,
}

/// A place was let go of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unpaired {
    /// The place.
    pub place: String,
    /// Whose it was.
    pub person: String,
    /// How many open cards were withdrawn with it.
    pub withdrawn: u32,
}

/// Has the keeper answer, within its time.
pub(super) async fn answer(keeper: &dyn Keeper, request: Request) -> Answer {
    let answer = async {
        Ok::<_, KeeperError>(match request {
            // Served where the stream is.
            Request::Attend(_) => Answer::Refused {
                why: "a terminal is served by itself".to_owned(),
            },
            Request::Code { question } => Answer::Code {
                said: keeper.code(question).await?,
            },
            Request::Doctor => Answer::Doctor {
                checks: keeper.doctor().await?,
            },
            Request::NewCode { role } => Answer::NewCode(keeper.new_code(role).await?),
            Request::MakeToken { name, words } => {
                Answer::NewToken(keeper.make_token(name, words).await?)
            }
            Request::RevokeToken { name } => {
                keeper.revoke_token(&name).await?;
                Answer::Revoked
            }
            Request::Tokens => Answer::Tokens {
                tokens: keeper.tokens().await?,
            },
            Request::Send { text, to } => Answer::Sent {
                place: keeper.send(text, to).await?,
            },
            Request::Status => Answer::Status(keeper.status().await?),
            Request::Unpair { place } => Answer::Unpaired(keeper.unpair(&place).await?),
        })
    };
    match timeout(ANSWER_TIME, answer).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(why)) => Answer::Refused {
            why: why.to_string(),
        },
        Err(_) => Answer::Refused {
            why: "this takes too long; try again, and look at the log if it stays so".to_owned(),
        },
    }
}
