//! What did the page post? JSON of one browser, and the event that it states.
//!
//! All text is what was put into the page's one text field: the page has no forwards, quotes or
//! attachments. Ids are chosen by the browser, so each event id carries the account before it:
//! one browser can never use up the id of another.

use bot_policy::event::{
    Addressed, ChatKind, EventKind, FileFact, InboundEvent, Part, PartBody, Provenance,
    ReplyHandle, Sender,
};
use bot_policy::id::{EventId, MessageRef, Platform, Timestamp, UserRef};
use serde::Deserialize;

/// The longest text of one message, in bytes.
pub const MAX_TEXT: usize = 16 * 1024;

/// The longest id, token or code, in characters.
pub const MAX_ID: usize = 64;

/// What was posted is not something that our page posts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// There is nothing in the message.
    #[error("the message is empty; type something first")]
    Blank,
    /// An id, a token or a code holds something else than letters, digits, `-` and `_`.
    #[error("{0} must have 1 to {MAX_ID} letters, digits or hyphens")]
    Id(&'static str),
    /// It is not the JSON that belongs here.
    #[error("this is not the JSON that belongs here; in a browser, load the page again")]
    Shape,
    /// The text is longer than [`MAX_TEXT`].
    #[error("the message has {bytes} bytes and {MAX_TEXT} fit; send it in parts")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
}

/// A posted message: `{"id", "text"}`.
///
/// # Errors
/// When it is not that, or is over a limit.
pub fn say(posted: &[u8], account: &str, now: Timestamp) -> Result<InboundEvent, Malformed> {
    say_as(posted, account, Provenance::Authored, now)
}

/// A message posted by a program of the owner's: `{"id", "text"}`. Whose words it holds was said
/// when the program was let in.
///
/// # Errors
/// When it is not that, or is over a limit.
pub fn say_as(
    posted: &[u8],
    account: &str,
    provenance: Provenance,
    now: Timestamp,
) -> Result<InboundEvent, Malformed> {
    let said: Said = parse(posted)?;
    let id = name("the id", &said.id)?;
    message(account, id, said.text, provenance, now)
}

/// A posted press: `{"id", "token", "on"}`, where `on` is the message that the button stands
/// under and may be left out.
///
/// # Errors
/// When it is not that, or is over a limit.
pub fn press(posted: &[u8], account: &str, now: Timestamp) -> Result<InboundEvent, Malformed> {
    let pressed: Pressed = parse(posted)?;
    let id = name("the id", &pressed.id)?;
    let on = match &pressed.on {
        Some(on) => Some(MessageRef::new(name("the message", on)?)),
        None => None,
    };
    let what = EventKind::Press {
        token: name("the button", &pressed.token)?.to_owned(),
        on,
        reply: ReplyHandle(account.to_owned()),
    };
    Ok(event(account, format!("{account}/press/{id}"), what, now))
}

/// A file that was uploaded and waits under this handle. A page tells nobody who made it, so it is
/// carried along.
///
/// # Errors
/// When the id is over a limit.
pub fn upload(
    id: &str,
    file: FileFact,
    account: &str,
    now: Timestamp,
) -> Result<InboundEvent, Malformed> {
    let id = name("the id", id)?;
    let what = EventKind::Message {
        message: MessageRef::new(id),
        parts: vec![Part {
            body: PartBody::File(file),
            provenance: Provenance::Attached,
        }],
        addressed: Addressed::Bot,
        album: None,
    };
    Ok(event(account, format!("{account}/say/{id}"), what, now))
}

/// The message `/pair CODE` of a browser that asks to be let in.
///
/// # Errors
/// When the code cannot be one.
pub fn pair_event(
    account: &str,
    code: &str,
    id: &str,
    now: Timestamp,
) -> Result<InboundEvent, Malformed> {
    let code = name("the code", code.trim())?;
    let id = name("the id", id)?;
    message(
        account,
        id,
        format!("/pair {code}"),
        Provenance::Authored,
        now,
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    id: String,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pressed {
    id: String,
    token: String,
    on: Option<String>,
}

fn parse<'a, T: Deserialize<'a>>(posted: &'a [u8]) -> Result<T, Malformed> {
    serde_json::from_slice(posted).map_err(|_| Malformed::Shape)
}

fn name<'a>(what: &'static str, text: &'a str) -> Result<&'a str, Malformed> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if plain && (1..=MAX_ID).contains(&text.len()) {
        Ok(text)
    } else {
        Err(Malformed::Id(what))
    }
}

fn message(
    account: &str,
    id: &str,
    text: String,
    provenance: Provenance,
    now: Timestamp,
) -> Result<InboundEvent, Malformed> {
    if text.len() > MAX_TEXT {
        return Err(Malformed::TooLong { bytes: text.len() });
    }
    if text.trim().is_empty() {
        return Err(Malformed::Blank);
    }
    let what = EventKind::Message {
        message: MessageRef::new(id),
        parts: vec![Part {
            body: PartBody::Text(text),
            provenance,
        }],
        addressed: Addressed::Bot,
        album: None,
    };
    Ok(event(account, format!("{account}/say/{id}"), what, now))
}

fn event(account: &str, id: String, what: EventKind, now: Timestamp) -> InboundEvent {
    InboundEvent {
        id: EventId::new(id),
        at: now,
        place: super::place(account),
        kind_of_chat: ChatKind::Direct,
        sender: Sender::Person(UserRef {
            platform: Platform::new(super::NAME),
            id: account.to_owned(),
        }),
        what,
    }
}
