//! What came in? Facts, as an adapter states them; nothing here is judged yet.

use serde::{Deserialize, Serialize};

use crate::id::{AlbumId, EventId, MessageRef, Place, Timestamp, UserRef};

/// One thing that happened on a platform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InboundEvent {
    /// What the platform calls it; the same id never runs twice on one line.
    pub id: EventId,
    /// When it happened, by the platform's clock.
    pub at: Timestamp,
    /// Where; its line is the account of ours that heard it.
    pub place: Place,
    /// How many people can read there.
    pub kind_of_chat: ChatKind,
    /// Who did it.
    pub sender: Sender,
    /// What it was.
    pub what: EventKind,
}

/// Whether a chat is with one person alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChatKind {
    /// One person and the bot.
    Direct,
    /// Anything else.
    Group,
}

/// Who did something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sender {
    /// A human's own account.
    Person(UserRef),
    /// An anonymous admin, a channel, a webhook, a bot or an app: never a person.
    Shared,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum EventKind {
    /// A command that the platform itself reports as one (a slash command); name without slash.
    Command {
        /// The command's name, lower case, without the slash.
        name: String,
        /// What was typed after it.
        argument: String,
        /// Handle for answering the platform at once.
        reply: ReplyHandle,
    },
    /// A message was deleted. The sender is whoever deleted it, where the platform says so.
    Delete {
        /// Which.
        message: MessageRef,
    },
    /// A message was changed after it was sent: what the model has yet to read is replaced, and
    /// what it has read is told it as context. Edits never run anything.
    Edit {
        /// Which.
        message: MessageRef,
        /// What it holds now.
        parts: Vec<Part>,
    },
    /// What became of a message of ours, where the platform tells it afterwards.
    Delivery {
        /// Which.
        message: MessageRef,
        /// The key that it was sent with, where the platform gives it back.
        key: Option<i64>,
        /// What became of it.
        fate: Fate,
    },
    /// We were removed from the place, or the person blocked us.
    Left,
    /// A message.
    Message {
        /// What the platform calls it.
        message: MessageRef,
        /// What it holds, in order.
        parts: Vec<Part>,
        /// Whether it speaks to the bot.
        addressed: Addressed,
        /// What it is a part of, where the platform sends several files as a message each. The
        /// gateway waits for the others and takes them in as one message.
        #[serde(default)]
        album: Option<AlbumId>,
    },
    /// The chat goes on under another id; the event's own place is the old one.
    Moved {
        /// Where.
        to: Place,
    },
    /// A person opened the page that we have for each person on the platform. The event's place is
    /// their direct chat.
    Opened {
        /// Handle for showing something there.
        reply: ReplyHandle,
    },
    /// One of the things that were offered to a person was sent by them, in a chat of theirs that
    /// we need not know.
    Picked {
        /// What it was called when it was offered.
        offered: String,
    },
    /// A button was pressed.
    Press {
        /// What the button carried, as the platform gave it back.
        token: String,
        /// The message that it stood under.
        on: Option<MessageRef>,
        /// Handle for answering the platform at once.
        reply: ReplyHandle,
    },
    /// A person looks for something of ours to send elsewhere themselves. The event's place is
    /// their direct chat.
    Search {
        /// What they typed so far.
        query: String,
        /// Handle for answering the platform at once.
        reply: ReplyHandle,
    },
}

/// What became of a message of ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// It is where it was sent to.
    Arrived,
    /// It will not arrive, for this reason.
    Failed(String),
    /// It was refused because nobody has written there for too long; it may be sent once they do.
    Late,
}

/// Whom a message speaks to. A fact: mentioned by entity, replied to, or commanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Addressed {
    /// The bot. Always so in a direct chat.
    Bot,
    /// The room.
    Room,
}

/// What an adapter needs to answer a press or a command at once; opaque outside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ReplyHandle(pub String);

/// One piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// What it is.
    pub body: PartBody,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// What a piece of a message is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PartBody {
    /// A file that the platform holds for us.
    File(FileFact),
    /// Text, plain.
    Text(String),
}

/// A file that came with a message: what is known before it is fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFact {
    /// What the platform says it is.
    pub kind: FileKind,
    /// What the adapter fetches it by; opaque outside it.
    pub handle: String,
    /// Its size in bytes, where the platform says.
    pub bytes: Option<u64>,
}

/// What a platform says a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileKind {
    /// Audio that was not recorded in the app.
    Audio,
    /// Anything else.
    Document,
    /// A picture, sticker or animation.
    Photo,
    /// A film.
    Video,
    /// Recorded in the app by the sender.
    Voice,
}

/// Where a piece of a message comes from. Only `Authored` is the sender's own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Provenance {
    /// Carried along: file names, captions of forwards, contacts, polls, locations.
    Attached,
    /// Typed by the sender in this message.
    Authored,
    /// Written by somebody else and passed on.
    Forwarded,
    /// Fetched by the platform from an address.
    Previewed,
    /// Repeated from another message; it takes the label of the stored original. A text that is
    /// empty is not repeated there: it is that of the stored original.
    Quoted {
        /// The original, where the platform names it and it is in the same chat.
        original: Option<MessageRef>,
    },
    /// The platform cannot tell.
    Unmarked,
}
