//! Is this line an answer? Only when it was typed after the question had stood there for a
//! moment, and came alone; instructions never are, and are kept.

use std::time::{Duration, Instant};

use bot_policy::access::is_command;
use bot_policy::surface::{Came, Offered, Typed, typed};
use serde_json::Value;

/// How long a question stands before anything answers it.
pub const QUIET: Duration = Duration::from_millis(400);

/// How long no other line comes before an answer or after it: people take longer, pastes do not.
pub const ALONE: Duration = Duration::from_millis(300);

/// A question of Postern's that waits at this terminal.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The message that shows it.
    pub(super) key: String,
    shown: Instant,
    yes: Option<String>,
    always: Option<String>,
    no: Option<String>,
    never: Option<String>,
    all: Option<String>,
}

/// What follows from a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Follows {
    /// The person broke off: the turn is stopped.
    Broken,
    /// It came too early to be an answer, and is no instruction.
    Dropped,
    /// It is an instruction, for the next turn; the question stays open.
    Kept(String),
    /// It is a command that was pasted: it does nothing.
    Powerless(String),
    /// This button is pressed.
    Press(String),
}

impl Asked {
    /// The question that a card asks; none when it waits no more.
    pub fn of(key: &str, card: &Value, now: Instant) -> Option<Self> {
        let choices = card.get("choices")?.as_array()?;
        let token = |label: &str| {
            let named =
                |choice: &&Value| choice.get("label").and_then(Value::as_str) == Some(label);
            let choice = choices.iter().find(named)?;
            Some(choice.get("token")?.as_str()?.to_owned())
        };
        let asked = Self {
            key: key.to_owned(),
            shown: now,
            yes: token("Allow once"),
            always: token("Always"),
            no: token("Deny"),
            never: token("Always block"),
            all: token("Show all"),
        };
        (asked.yes.is_some() && asked.no.is_some()).then_some(asked)
    }

    pub(super) fn shown(&self) -> Instant {
        self.shown
    }

    /// Whether "always" and "always block" are offered.
    pub(super) fn offers_always(&self) -> bool {
        self.always.is_some()
    }

    pub(super) fn offers_never(&self) -> bool {
        self.never.is_some()
    }

    pub(super) fn offers_all(&self) -> bool {
        self.all.is_some()
    }

    /// What a line does; none is the end of the input, which is no.
    pub fn hears(&self, line: Option<&str>, at: Instant, came: Came) -> Follows {
        let offered = match self.always.is_some() || self.never.is_some() {
            true => Offered::Rule,
            false => Offered::Once,
        };
        let meant = typed(Some(line.unwrap_or_default()), offered, came);
        let early = line.is_some() && at < self.shown + QUIET;
        if let Some(all) = self
            .all
            .as_ref()
            .filter(|_| !early && came == Came::Alone && line == Some(":all"))
        {
            return Follows::Press(all.clone());
        }
        let press = |token: &Option<String>| match token.as_ref().or(self.no.as_ref()) {
            Some(token) => Follows::Press(token.clone()),
            None => Follows::Dropped,
        };
        match meant {
            Typed::Words(words) if came == Came::Pasted && is_command(words.trim()) => {
                Follows::Powerless(words)
            }
            Typed::Words(words) => Follows::Kept(words),
            _ if early => Follows::Dropped,
            Typed::Always => press(&self.always),
            Typed::BrokenOff => Follows::Broken,
            Typed::Never => press(&self.never),
            Typed::No => press(&self.no),
            Typed::Yes => press(&self.yes),
        }
    }
}
