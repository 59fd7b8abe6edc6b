//! What do an adapter and the gateway tell each other of a platform and its places, as data?

use std::time::Duration;

use bot_policy::id::Place;

/// What a platform can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether a message can be changed after it was sent.
    pub edit: Support,
    /// How many characters of a card's body text are shown before it is cut.
    pub card_body: usize,
    /// Whether forwards are told apart from typed words.
    pub marks_forwards: Support,
}

/// Whom a line may write to, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contact {
    /// Whether people who are not paired are answered.
    pub strangers: Strangers,
    /// How long after somebody's last word a place may be written to; none where always.
    pub window: Option<Duration>,
}

/// Whether people who are not paired are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strangers {
    /// Once in a while, with a line that tells how to be let in.
    #[default]
    Answered,
    /// Never, but when they bring a code that is right.
    Silence,
}

/// Whether a platform can do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It cannot.
    No,
    /// It can.
    Yes,
}

/// Who we are on a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Our name there, for a person to find us by.
    pub name: String,
}

/// Which commands to offer: each with its name, without the slash, and one line about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Menus {
    /// Every command that there is anywhere, for a platform that has one menu for all.
    pub all: Vec<(&'static str, &'static str)>,
    /// Where several people can read, paired or not.
    pub groups: Vec<(&'static str, &'static str)>,
    /// To those who are not paired.
    pub strangers: Vec<(&'static str, &'static str)>,
    /// In the chats of this line that are paired; a menu counts in all threads of its chat.
    pub places: Vec<Menu>,
}

/// The commands of one chat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Menu {
    /// Where; without a thread.
    pub place: Place,
    /// What its person may type there.
    pub commands: Vec<(&'static str, &'static str)>,
}
