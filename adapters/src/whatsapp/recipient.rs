//! Whom does a chat's id name? A number, an account without one, or a group.

use bot_policy::id::Place;
use serde_json::{Map, Value, json};

use crate::AdapterError;

/// Where a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recipient<'a> {
    /// A group, by the id that the Groups API gave it.
    Group(&'a str),
    /// A telephone number in international form, digits only.
    Number(&'a str),
    /// An account that shows no number, by its business-scoped user id: `US.1349…`.
    UserId(&'a str),
}

impl<'a> Recipient<'a> {
    /// An account by its id, whole; none when it is shaped like neither of the two.
    pub(super) fn of_account(id: &'a str) -> Option<Self> {
        if (1..=LONGEST_NUMBER).contains(&id.len()) && id.bytes().all(|c| c.is_ascii_digit()) {
            return Some(Self::Number(id));
        }
        let (country, rest) = id.split_once('.')?;
        let fits = country.len() == 2
            && country.bytes().all(|c| c.is_ascii_uppercase())
            && (1..=LONGEST_USER_ID).contains(&rest.len())
            && rest.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'.');
        fits.then_some(Self::UserId(id))
    }

    /// Whom the chat of a place names.
    pub(super) fn of(place: &'a Place) -> Result<Self, AdapterError> {
        let chat = place.chat.as_str();
        match chat.strip_prefix(GROUP) {
            Some(group) => Some(Self::Group(group)),
            None => Self::of_account(chat),
        }
        .ok_or_else(|| AdapterError::Refused("the chat's id names nobody there".to_owned()))
    }

    /// The message to it, as far as it says where it goes.
    pub(super) fn address(&self) -> Map<String, Value> {
        let mut message = Map::new();
        message.insert("messaging_product".to_owned(), json!("whatsapp"));
        let (key, id, kind) = match self {
            Self::Group(id) => ("to", id, "group"),
            Self::Number(id) => ("to", id, "individual"),
            Self::UserId(id) => ("recipient", id, "individual"),
        };
        message.insert("recipient_type".to_owned(), json!(kind));
        message.insert(key.to_owned(), json!(id));
        message
    }
}

/// The chat of a group.
pub(super) fn group_chat(id: &str) -> String {
    format!("{GROUP}{id}")
}

/// What tells the id of a group from that of an account.
const GROUP: &str = "group:";
/// Digits of the longest number, with some to spare (E.164 allows 15).
const LONGEST_NUMBER: usize = 20;
/// The longest user id after its country (128), with the mark of one that several portfolios share.
const LONGEST_USER_ID: usize = 132;
