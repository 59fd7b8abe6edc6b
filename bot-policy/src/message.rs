//! What goes out? Neutral messages; each adapter encodes them in its own dialect.

use serde::{Deserialize, Serialize};

use crate::card::Card;
use crate::event::FileKind;
use crate::id::{ButtonToken, MessageRef};

/// Something to show in a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutboundMessage {
    /// What to show.
    pub body: Body,
    /// The message that it answers, where that helps the reader.
    pub answers: Option<MessageRef>,
}

/// What a message shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Body {
    /// A question. Nothing of it passes a Markdown parser.
    Card(Card),
    /// A file, as it was when it was sent.
    File(Enclosure),
    /// A line of Postern's own: plain text, perhaps with buttons.
    Notice(Notice),
    /// The model's words.
    Reply(Reply),
}

/// A file on its way to a screen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Enclosure {
    /// The SHA-256 of what it holds, in lower-case hexadecimal: the copy that is sent lies under
    /// this name, and nothing changes it any more.
    pub digest: String,
    /// What it is called, for whoever saves it.
    pub name: String,
    /// What it is, by what it holds.
    pub kind: FileKind,
    /// How large it is, in bytes.
    pub bytes: u64,
    /// The model's words with it, plain.
    pub caption: String,
    /// Whether addresses in these may be pressed.
    pub addresses: Addresses,
}

/// A line of Postern's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// Plain text; line breaks stand.
    pub text: String,
    /// Whether addresses in it may be pressed; not where it repeats what the model wrote.
    pub addresses: Addresses,
    /// Buttons under it.
    pub choices: Choices,
}

/// The model's words, in its Markdown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Markdown, as the model wrote it.
    pub markdown: String,
    /// A line of Postern's own under it, plain: which model spoke, what was done.
    pub footer: Option<String>,
    /// Whether addresses in it may be pressed.
    pub addresses: Addresses,
}

/// Whether addresses that the model composed may be pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Addresses {
    /// Shown as text that no app turns into a link or a preview; after outside content.
    Inert,
    /// Shown as links.
    Live,
}

/// Buttons, in rows of what the platform fits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Choices(pub Vec<Button>);

/// One button.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    /// What it says; at most 20 characters, so that it fits every platform.
    pub label: String,
    /// What it carries.
    pub token: ButtonToken,
}
