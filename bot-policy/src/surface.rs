//! What becomes of a question where it is put: who may answer how, how long, and what silence is?

use serde::{Deserialize, Serialize};

use crate::approval::CHAT_CARD_SECONDS;
use crate::decide::{Mode, Surface};
use crate::visible::{self, Shown};

/// How long a question stays open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// Not at all: it is never put.
    Never,
    /// So many seconds.
    Seconds(i64),
    /// Until the process ends that shows it.
    WithProcess,
}

impl Surface {
    /// How long a question stays open here.
    pub fn open(self) -> Open {
        match self {
            Self::Chat => Open::Seconds(CHAT_CARD_SECONDS),
            Self::Ide => Open::Seconds(IDE_SECONDS),
            Self::Terminal => Open::WithProcess,
            Self::Unattended => Open::Never,
        }
    }
}

impl Mode {
    /// The mode that a person's word means; none where it means nothing, which changes nothing.
    pub fn named(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "auto" | "automode" | "on" => Some(Self::Auto),
            "ask" | "interactive" | "manual" | "off" => Some(Self::Interactive),
            _ => None,
        }
    }
}

/// What was offered beside a plain yes and no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// Nothing: it is answered for this once.
    Once,
    /// A rule, for always or for never.
    Rule,
}

/// How a line came to a terminal's question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// By itself, as a person types an answer.
    Alone,
    /// With other lines, or marked by the terminal as pasted.
    Pasted,
}

/// What a line typed at a terminal's question means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Yes, and save the rule.
    Always,
    /// Neither yes nor no: the person broke off, and the model may try again.
    BrokenOff,
    /// No.
    No,
    /// No, and save a rule that denies.
    Never,
    /// No answer at all: words for the model's next turn; the question stays open.
    Words(String),
    /// Yes, this once.
    Yes,
}

/// Reads a line typed at a terminal's question. An empty line is no; what was not offered is no.
/// What was pasted was written for something else: it answers nothing.
pub fn typed(line: Option<&str>, offered: Offered, came: Came) -> Typed {
    let Some(line) = line else {
        return Typed::BrokenOff;
    };
    if came == Came::Pasted {
        return Typed::Words(line.to_owned());
    }
    let word = line.trim().to_lowercase();
    match (word.as_str(), offered) {
        ("y" | "yes" | "s" | "sim", _) => Typed::Yes,
        ("a" | "always", Offered::Rule) => Typed::Always,
        ("d" | "deny", Offered::Rule) => Typed::Never,
        ("" | "a" | "always" | "d" | "deny" | "n" | "no" | "nao" | "n\u{e3}o", _) => Typed::No,
        _ => Typed::Words(line.to_owned()),
    }
}

/// What came back from a program that was to ask a person (an IDE, a client of a tool server).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asked {
    /// The person allowed it, this once.
    AllowOnce,
    /// The person allowed it for always.
    Always,
    /// The person refused it.
    Deny,
    /// The program broke while it asked.
    Failed,
    /// The person refused it for always.
    Never,
    /// Nobody answered in time.
    Silent,
    /// The program cannot ask.
    Unable,
}

/// What follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It does not run; the model is told why. With it, whether a rule that denies is saved and
    /// whether the program may be asked again in this run.
    Blocked {
        /// Why, in words for the model. Silence is never told as a refusal.
        because: &'static str,
        /// Whether the rule that denies is saved.
        saves: Saves,
        /// Whether the program may be asked again in this run.
        again: Again,
    },
    /// It is decided again with today's standing and then runs; whether the rule is saved.
    Runs(Saves),
}

/// Whether a rule is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saves {
    /// None.
    Nothing,
    /// The one that was offered.
    Rule,
}

/// Whether a program may be asked again in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// It may not: later questions are refused at once.
    No,
    /// It may.
    Yes,
}

/// Settles what came back. An answer that was not offered is none.
pub fn settled(asked: Asked, offered: Offered) -> Settled {
    let blocked = |because, saves, again| Settled::Blocked {
        because,
        saves,
        again,
    };
    match (asked, offered) {
        (Asked::AllowOnce, _) => Settled::Runs(Saves::Nothing),
        (Asked::Always, Offered::Rule) => Settled::Runs(Saves::Rule),
        (Asked::Never, Offered::Rule) => {
            blocked("the person refused it for always", Saves::Rule, Again::Yes)
        }
        (Asked::Never, Offered::Once) | (Asked::Deny, _) => {
            blocked("the person refused it", Saves::Nothing, Again::Yes)
        }
        (Asked::Always, Offered::Once) => blocked(
            "the answer that came back was not offered, so it counts for nothing",
            Saves::Nothing,
            Again::Yes,
        ),
        (Asked::Failed, _) => blocked(
            "the question could not be delivered, so nobody refused it",
            Saves::Nothing,
            Again::Yes,
        ),
        (Asked::Silent, _) => blocked(
            "nobody answered in time, so nobody refused it",
            Saves::Nothing,
            Again::No,
        ),
        (Asked::Unable, _) => blocked(
            "it needs an approval, and there is no way to ask here",
            Saves::Nothing,
            Again::No,
        ),
    }
}

/// A question that waits its turn: workers that run beside each other ask one at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting<T> {
    /// The worker's name.
    pub worker: String,
    /// What it was given to do.
    pub task: String,
    /// The question.
    pub question: T,
}

/// Questions of workers, in the order in which they came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns<T> {
    waiting: std::collections::VecDeque<Waiting<T>>,
}

impl<T> Default for Turns<T> {
    fn default() -> Self {
        Self {
            waiting: std::collections::VecDeque::new(),
        }
    }
}

impl<T> Turns<T> {
    /// Puts a question at the end.
    pub fn ask(&mut self, waiting: Waiting<T>) {
        self.waiting.push_back(waiting);
    }

    /// The one that is put now. It is judged again before it is shown, since an answer to another
    /// may have settled it.
    pub fn now(&self) -> Option<&Waiting<T>> {
        self.waiting.front()
    }

    /// Takes the one that is put now away, settled however it is.
    pub fn settle(&mut self) -> Option<Waiting<T>> {
        self.waiting.pop_front()
    }
}

impl<T> Waiting<T> {
    /// The line that tells a person who asks, and why.
    pub fn heading(&self) -> Shown {
        let task: String = self.task.chars().take(TASK_CHARACTERS).collect();
        let more = if self.task.chars().nth(TASK_CHARACTERS).is_some() {
            "\u{2026}"
        } else {
            ""
        };
        visible::line(&format!("{} asks, for: {task}{more}", self.worker))
    }
}

/// How long an IDE's question stays open, in seconds.
pub const IDE_SECONDS: i64 = 600;
/// How much of a worker's task is shown, in characters.
pub const TASK_CHARACTERS: usize = 120;
