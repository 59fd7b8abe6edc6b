//! Which command was typed, and is it one of this place's?

use crate::access::Scope;
use crate::event::{Part, PartBody, Provenance};

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

/// The commands that a person can use in a place of this scope, with one line each, for menus and
/// for `/help`.
pub fn commands(scope: Scope) -> Vec<(&'static str, &'static str)> {
    let mut commands = vec![
        ("new", "start fresh: forget this conversation and its marks"),
        ("stop", "stop what is being done"),
        (
            "why",
            "what the last reply used, and what was read from outside",
        ),
        ("help", "what can be typed here"),
        ("unpair", "let go of this chat"),
    ];
    match scope {
        Scope::Guest => {}
        Scope::Group => commands.push(("pair", "pair this group with you")),
        Scope::Owner => commands.extend([
            ("link", "go on here with a Code conversation"),
            ("unlink", "let go of the Code conversation"),
            ("policy", "see or change when a card asks you first"),
            ("rules", "what may run without a card"),
            ("status", "lines, open cards and the model"),
            ("incognito", "keep nothing of what follows"),
        ]),
        Scope::OwnerIncognito => commands.push(("incognito", "off: keep things again")),
    }
    commands
}

/// The commands of a Code conversation at its terminal. What belongs to a chat is not among them.
pub fn commands_at_terminal() -> Vec<(&'static str, &'static str)> {
    let works = |(name, _): &(&str, &str)| AT_TERMINAL.contains(name);
    let mut commands: Vec<_> = commands(Scope::Owner).into_iter().filter(works).collect();
    commands.push(("quit", "leave; the conversation goes on"));
    commands
}

/// Why what was typed at a terminal is nothing for it: it is a command that belongs to a chat. With
/// it, what to do instead.
pub fn refused_at_terminal(parts: &[Part]) -> Option<String> {
    let Words { name, argument } = words(parts)?;
    let instead = match (name.as_str(), argument.is_empty()) {
        ("incognito", _) => {
            "a Code conversation is kept, so that it can be gone on with; /new starts fresh"
        }
        ("link", false) => "a code is sent in your chat; /link alone makes one here",
        ("pair" | "start", _) => "codes are sent in the chat that they let in",
        ("unlink", _) => "send it in the chat that is linked; that chat is let go then",
        ("unpair", _) => "send it in the chat that is to be let go; to leave here, type /quit",
        _ => return None,
    };
    Some(format!("/{name} belongs to a chat: {instead}"))
}

/// Whether a text is a command, wherever it is one. A path such as `/usr/bin` is none.
pub fn is_command(text: &str) -> bool {
    typed(text).is_some()
}

/// What those can type who are not paired, for menus.
pub fn commands_of_strangers() -> Vec<(&'static str, &'static str)> {
    vec![
        ("pair", "with a code from the owner: let me in"),
        ("help", "whose bot this is"),
    ]
}

/// Every command that there is anywhere, for a platform that has one menu for all.
pub fn all_commands() -> Vec<(&'static str, &'static str)> {
    let mut all = commands(Scope::Owner);
    all.push(("pair", "let me in, or pair this channel with you"));
    for offered in [commands(Scope::Group), commands_of_strangers()].concat() {
        if !all.iter().any(|(known, _)| *known == offered.0) {
            all.push(offered);
        }
    }
    all
}

/// What may follow the name of a command, for menus that help with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follows {
    /// Nothing.
    Nothing,
    /// One of these words, or nothing.
    OneOf(&'static [&'static str]),
    /// Words of the person's, or nothing; with one line about them.
    Words(&'static str),
}

/// What may follow a command.
pub fn follows(name: &str) -> Follows {
    match name {
        "incognito" => Follows::OneOf(&["on", "off"]),
        "link" => Follows::Words("the code that the terminal shows; without one you choose"),
        "pair" => Follows::Words("the code that you were given; none where a channel is paired"),
        "policy" => Follows::OneOf(&["interactive", "auto"]),
        _ => Follows::Nothing,
    }
}

/// A command as it was typed.
pub(crate) struct Words {
    pub(crate) name: String,
    pub(crate) argument: String,
}

/// What the words mean in a place of this scope.
pub(crate) fn command(words: Words, scope: Scope) -> Command {
    let Words { name, argument } = words;
    let name = if name == "start" {
        "help".to_owned()
    } else {
        name
    };
    if name == "pair" || !commands(scope).iter().any(|(here, _)| *here == name) {
        return Command::NotHere { name };
    }
    match name.as_str() {
        "help" => Command::Help,
        "incognito" => Command::Incognito { argument },
        "link" => Command::Link { argument },
        "new" => Command::New,
        "policy" => Command::Policy { argument },
        "rules" => Command::Rules,
        "status" => Command::Status,
        "stop" => Command::Stop,
        "unlink" => Command::Unlink,
        "unpair" => Command::Unpair,
        "why" => Command::Why,
        _ => Command::NotHere { name },
    }
}

/// A command is one authored text that is the whole message. A path such as `/usr/bin` is none.
pub(crate) fn words(parts: &[Part]) -> Option<Words> {
    let [
        Part {
            body: PartBody::Text(text),
            provenance: Provenance::Authored,
        },
    ] = parts
    else {
        return None;
    };
    typed(text)
}

fn typed(text: &str) -> Option<Words> {
    let typed = text.strip_prefix('/')?;
    let (name, argument) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    // In groups a command may name the bot it is for; whether that is us is the adapter's fact.
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_name = !name.is_empty() && name.len() <= COMMAND_NAME_BYTES && name.chars().all(plain);
    is_name.then(|| Words {
        name: name.to_ascii_lowercase(),
        argument: argument.trim().to_owned(),
    })
}

const AT_TERMINAL: [&str; 8] = [
    "help", "link", "new", "policy", "rules", "status", "stop", "why",
];
const COMMAND_NAME_BYTES: usize = 32;
