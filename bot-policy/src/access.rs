//! Who speaks, and what may this place use? One function for every way in.

use serde::{Deserialize, Serialize};

use crate::event::{ChatKind, InboundEvent, ReplyHandle};
use crate::id::{ButtonToken, MessageRef, PersonId};
use crate::tool::ToolSpec;

/// A human whom the owner let in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Over all their accounts.
    pub id: PersonId,
    /// What they may be.
    pub role: Role,
    /// The name given at pairing; what the model sees.
    pub name: String,
}

/// What a person may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Own memory and the web.
    Guest,
    /// Everything.
    Owner,
}

/// What is known of the sender and the place of one event. Read afresh for every event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    /// The person to whom the sender's account belongs.
    pub sender: Option<Person>,
    /// The person who paired the place.
    pub place: Option<PersonId>,
    /// Whether the conversation of the place is incognito.
    pub incognito: Incognito,
    /// Whether a stranger's answer was given here within the window.
    pub answered: StrangerAnswered,
    /// Whether the chat is direct, as it was when it was paired; a direct chat that turns out
    /// to be a group is nobody's.
    pub paired_as: Option<ChatKind>,
}

/// Whether a conversation keeps nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Incognito {
    /// It is kept.
    #[default]
    Off,
    /// Nothing is kept.
    On,
}

/// Whether a stranger has had their one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrangerAnswered {
    /// Not within the window.
    No,
    /// Within the window: silence.
    Yes,
}

/// How long a stranger hears nothing more after one answer, in seconds.
pub const STRANGER_WINDOW_SECONDS: i64 = 24 * 60 * 60;

/// What a place may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// A guest's direct chat.
    Guest,
    /// Any group.
    Group,
    /// The owner's direct chat.
    Owner,
    /// The owner's direct chat while nothing is kept.
    OwnerIncognito,
}

/// What is to be done with one event.
#[derive(Clone, Debug, PartialEq)]
pub enum Admission {
    /// An unpaired group is to be claimed by this person; the owner confirms on a card.
    Claim(Person),
    /// A command that this person may use here.
    Command(Person, Scope, Command),
    /// Nothing.
    Ignore(Ignored),
    /// A code is tried. The sender may be anybody.
    Pair {
        /// What was typed.
        code: String,
    },
    /// A button was pressed by this person, in a place that is theirs.
    Press {
        /// Who.
        person: Person,
        /// Which button.
        token: ButtonToken,
        /// The message that it stood under.
        on: Option<MessageRef>,
        /// Handle for answering the platform.
        reply: ReplyHandle,
    },
    /// A message for the conversation of this place.
    Serve(Person, Scope),
    /// A stranger gets the one short answer of this window.
    Stranger,
    /// A press that does not count; whoever pressed is told so in private.
    WrongPresser {
        /// Handle for answering the platform.
        reply: ReplyHandle,
    },
}

/// Why nothing is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// An edit or a deletion.
    Edited,
    /// Nothing in it that could be answered.
    Empty,
    /// Someone else than the person who paired the place, in a group.
    Bystander,
    /// The room, not the bot, is spoken to.
    NotAddressed,
    /// A shared sender.
    Shared,
    /// A stranger after their answer.
    Stranger,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// What can be typed here.
    Help,
    /// Start or end an incognito conversation.
    Incognito {
        /// What was typed after it.
        argument: String,
    },
    /// Continue a Code conversation here.
    Link {
        /// What was typed after it.
        argument: String,
    },
    /// A fresh conversation without marks.
    New,
    /// A command that is not for this place or this person, or that does not exist.
    NotHere {
        /// Its name.
        name: String,
    },
    /// Whether asks are asked.
    Policy {
        /// What was typed after it.
        argument: String,
    },
    /// Read the rules.
    Rules,
    /// How things stand.
    Status,
    /// End the turn.
    Stop,
    /// Let go of a Code conversation.
    Unlink,
    /// Let go of this place.
    Unpair,
    /// What the last reply used.
    Why,
}

/// Judges one event.
pub fn admit(event: &InboundEvent, directory: &Directory) -> Admission {
    let _ = (event, directory);
    Admission::Ignore(Ignored::Stranger)
}

/// The commands that a person can use in a place of this scope, with one line each, for menus and
/// for `/help`.
pub fn commands(scope: Scope) -> Vec<(&'static str, &'static str)> {
    let _ = scope;
    Vec::new()
}

/// Whether a tool is offered in a place of this scope.
pub fn offers(scope: Scope, tool: &ToolSpec) -> bool {
    let _ = (scope, tool);
    false
}
