//! Who speaks, and what may this place use? One function for every way in.

use serde::{Deserialize, Serialize};

pub use crate::command::{
    Command, Follows, all_commands, commands, commands_at_terminal, commands_of_strangers, follows,
    is_command, refused_at_terminal,
};
use crate::command::{Words, command, words};
use crate::event::{
    Addressed, ChatKind, EventKind, InboundEvent, Part, PartBody, ReplyHandle, Sender,
};
use crate::id::{ButtonToken, MessageRef, PersonId};
use crate::tool::{Origin, ToolSpec};

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

impl Directory {
    /// Whether the sender is a stranger on a platform where strangers are never answered.
    pub fn hears_nothing(&self) -> bool {
        self.sender.is_none() && self.answered == StrangerAnswered::Never
    }
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
    /// Nor will they be, on this platform.
    Never,
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
    /// An earlier message of this place is changed or deleted by whoever may. Nothing runs.
    Amend,
    /// An unpaired group is to be claimed by this person; the owner confirms on a card.
    Claim(Person),
    /// A command that this person may use here.
    Command(Person, Scope, Command),
    /// Nothing.
    Ignore(Ignored),
    /// Somebody opened the page that we have for them: the owner, whose direct chat this is, or
    /// anybody else, who is shown nothing.
    Opened(Option<Person>),
    /// A code is tried. The sender may be anybody.
    Pair {
        /// What was typed.
        code: String,
    },
    /// The owner sent something of ours elsewhere.
    Picked(Person),
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
    /// The owner is offered things of their direct chat, to send elsewhere themselves.
    Search(Person),
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
    /// An edit or a deletion by somebody else than the person who paired the place.
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

/// Judges one event. `Delivery`, `Moved` and `Left` say something of the place, not of a sender:
/// nothing is answered, and the gateway acts on the fact itself.
pub fn admit(event: &InboundEvent, directory: &Directory) -> Admission {
    if event.sender == Sender::Shared {
        return match &event.what {
            EventKind::Delete { .. } => amended(event, directory),
            EventKind::Press { reply, .. } => wrong_presser(reply),
            EventKind::Command { .. }
            | EventKind::Delivery { .. }
            | EventKind::Edit { .. }
            | EventKind::Left
            | EventKind::Message { .. }
            | EventKind::Moved { .. }
            | EventKind::Opened { .. }
            | EventKind::Picked { .. }
            | EventKind::Search { .. } => Admission::Ignore(Ignored::Shared),
        };
    }
    match &event.what {
        EventKind::Command { name, argument, .. } => {
            let words = Words {
                name: name.to_lowercase(),
                argument: argument.trim().to_owned(),
            };
            spoken(event, directory, Some(words), Addressed::Bot)
        }
        EventKind::Delete { .. } | EventKind::Edit { .. } => amended(event, directory),
        EventKind::Delivery { .. } | EventKind::Left | EventKind::Moved { .. } => {
            Admission::Ignore(Ignored::Empty)
        }
        EventKind::Message {
            parts, addressed, ..
        } => {
            if parts.iter().all(is_blank) {
                Admission::Ignore(Ignored::Empty)
            } else {
                spoken(event, directory, words(parts), *addressed)
            }
        }
        EventKind::Opened { .. } => Admission::Opened(owner_alone(event, directory)),
        EventKind::Picked { .. } => {
            owner_alone(event, directory).map_or(STRANGE, Admission::Picked)
        }
        EventKind::Press { token, on, reply } => pressed(event, directory, token, on, reply),
        EventKind::Search { .. } => {
            owner_alone(event, directory).map_or(STRANGE, Admission::Search)
        }
    }
}

const STRANGE: Admission = Admission::Ignore(Ignored::Stranger);

/// The owner, where this is their direct chat; what is said there is nobody else's to pick from.
fn owner_alone(event: &InboundEvent, directory: &Directory) -> Option<Person> {
    let person = directory.sender.as_ref()?;
    let theirs = event.kind_of_chat == ChatKind::Direct
        && person.role == Role::Owner
        && paired_by(event, directory) == Some(person.id);
    theirs.then(|| person.clone())
}

/// Whether a program may say this in its chat: words alone, whoever's they are. What begins as a
/// command does is refused and not taken for words, so that nobody waits for what it never does.
pub fn admits_of_program(event: &InboundEvent) -> bool {
    let is_words = |part: &Part| match &part.body {
        PartBody::File(_) => false,
        PartBody::Text(text) => !text.trim_start().starts_with('/'),
    };
    match &event.what {
        EventKind::Message { parts, .. } => parts.iter().all(is_words),
        EventKind::Command { .. }
        | EventKind::Delete { .. }
        | EventKind::Delivery { .. }
        | EventKind::Edit { .. }
        | EventKind::Left
        | EventKind::Moved { .. }
        | EventKind::Opened { .. }
        | EventKind::Picked { .. }
        | EventKind::Press { .. }
        | EventKind::Search { .. } => false,
    }
}

/// Whether a tool is offered in a place of this scope.
pub fn offers(scope: Scope, tool: &ToolSpec) -> bool {
    let built_in = match &tool.origin {
        Origin::BuiltIn => Some(tool.name.as_str()),
        Origin::Server { .. } => None,
    };
    match scope {
        Scope::Guest | Scope::Group => matches!(built_in, Some("memory" | "web")),
        Scope::Owner => true,
        Scope::OwnerIncognito => built_in == Some("web"),
    }
}

/// Whose the place is: the person who paired it, as the kind of chat that it still is.
fn paired_by(event: &InboundEvent, directory: &Directory) -> Option<PersonId> {
    if directory.paired_as == Some(event.kind_of_chat) {
        directory.place
    } else {
        None
    }
}

/// Words are changed by the person whose place it is. Where nobody says who deleted something, it
/// is that person in a direct chat, and may be anybody in a group.
fn amended(event: &InboundEvent, directory: &Directory) -> Admission {
    let whose = paired_by(event, directory);
    let by = match (&event.sender, &event.what, event.kind_of_chat) {
        (Sender::Shared, EventKind::Delete { .. }, ChatKind::Direct) => whose,
        (Sender::Person(_) | Sender::Shared, _, ChatKind::Direct | ChatKind::Group) => {
            directory.sender.as_ref().map(|person| person.id)
        }
    };
    match whose {
        Some(_) if whose == by => Admission::Amend,
        Some(_) | None => Admission::Ignore(Ignored::Edited),
    }
}

fn pressed(
    event: &InboundEvent,
    directory: &Directory,
    token: &str,
    on: &Option<MessageRef>,
    reply: &ReplyHandle,
) -> Admission {
    let mine = |person: &&Person| paired_by(event, directory) == Some(person.id);
    let token = ButtonToken::try_from(token.to_owned());
    match (directory.sender.as_ref().filter(mine), token) {
        (Some(person), Ok(token)) => Admission::Press {
            person: person.clone(),
            token,
            on: on.clone(),
            reply: reply.clone(),
        },
        (None, Ok(_) | Err(_)) if directory.hears_nothing() => Admission::Ignore(Ignored::Stranger),
        (None, Ok(_) | Err(_)) | (Some(_), Err(_)) => wrong_presser(reply),
    }
}

fn spoken(
    event: &InboundEvent,
    directory: &Directory,
    words: Option<Words>,
    addressed: Addressed,
) -> Admission {
    let pairs = words
        .as_ref()
        .is_some_and(|words| matches!(words.name.as_str(), "pair" | "start"));
    if let Some(words) = &words
        && pairs
        && !words.argument.is_empty()
    {
        return Admission::Pair {
            code: words.argument.clone(),
        };
    }
    let paired_by = paired_by(event, directory);
    let Some(person) = &directory.sender else {
        return stranger(event, directory, paired_by);
    };
    if paired_by != Some(person.id) {
        let claims = words.is_some_and(|words| words.name == "pair")
            && event.kind_of_chat == ChatKind::Group
            && paired_by.is_none()
            && addressed == Addressed::Bot;
        return if claims {
            Admission::Claim(person.clone())
        } else {
            stranger(event, directory, paired_by)
        };
    }
    if event.kind_of_chat == ChatKind::Group && addressed == Addressed::Room {
        return Admission::Ignore(Ignored::NotAddressed);
    }
    let scope = scope(person.role, event.kind_of_chat, directory.incognito);
    match words {
        None => Admission::Serve(person.clone(), scope),
        Some(words) => Admission::Command(person.clone(), scope, command(words, scope)),
    }
}

/// What someone hears to whom the place does not belong: one answer in a direct chat, nothing in
/// a group.
fn stranger(event: &InboundEvent, directory: &Directory, paired_by: Option<PersonId>) -> Admission {
    match (event.kind_of_chat, paired_by, directory.answered) {
        (ChatKind::Direct, _, StrangerAnswered::No) => Admission::Stranger,
        (ChatKind::Group, Some(_), _) => Admission::Ignore(Ignored::Bystander),
        (ChatKind::Direct, _, StrangerAnswered::Never | StrangerAnswered::Yes)
        | (ChatKind::Group, None, _) => Admission::Ignore(Ignored::Stranger),
    }
}

/// What a place may use: it follows from who paired it, who reads there, and whether it is kept.
pub fn scope(role: Role, kind_of_chat: ChatKind, incognito: Incognito) -> Scope {
    match (kind_of_chat, role, incognito) {
        (ChatKind::Group, Role::Guest | Role::Owner, _) => Scope::Group,
        (ChatKind::Direct, Role::Guest, _) => Scope::Guest,
        (ChatKind::Direct, Role::Owner, Incognito::Off) => Scope::Owner,
        (ChatKind::Direct, Role::Owner, Incognito::On) => Scope::OwnerIncognito,
    }
}

fn is_blank(part: &Part) -> bool {
    match &part.body {
        PartBody::File(_) => false,
        PartBody::Text(text) => text.trim().is_empty(),
    }
}

fn wrong_presser(reply: &ReplyHandle) -> Admission {
    Admission::WrongPresser {
        reply: reply.clone(),
    }
}
