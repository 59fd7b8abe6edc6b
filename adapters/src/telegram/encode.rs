//! How does a message look on Telegram? Plain text with entities, cut to fit.

use bot_policy::message::{Addresses, Body, Choices, OutboundMessage};
use serde::{Deserialize, Serialize};
use teloxide_core::payloads::{EditMessageText, SendMessage};
use teloxide_core::types::{
    ChatId, InlineKeyboardButton, InlineKeyboardMarkup, LinkPreviewOptions, MessageEntity,
    MessageId, Recipient, ReplyMarkup, ReplyParameters,
};

use super::enclose::{Carried, enclosed};
use super::entities::{LIMITS, Piece, pieces};
use crate::{Encoded, drawn, rich};

/// One message, ready to send and to store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    /// What it shows.
    pub(super) text: String,
    /// How its stretches are set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) entities: Vec<MessageEntity>,
    /// What to show instead when the entities are refused, where the bare text would not do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) bare: Option<String>,
    /// Its buttons, in rows: label and token.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) rows: Vec<Vec<(String, String)>>,
    /// The file that it carries; the text is its caption then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<Carried>,
    /// The message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) answers: Option<i32>,
}

/// Renders a message. A reply or notice is cut into as many parts as it needs; a card is one
/// part, unless its destinations alone are longer, which are never cut.
pub(super) fn encode(message: &OutboundMessage) -> Vec<Encoded> {
    let guarded = |addresses| addresses == Addresses::Inert;
    let (rich, choices, guarded) = match &message.body {
        Body::Card(card) => (drawn::card(card, LIMITS.units), Some(&card.choices), true),
        Body::File(file) => return enclosed(file, message),
        Body::Notice(notice) => {
            let choices = Some(&notice.choices);
            (drawn::notice(notice), choices, guarded(notice.addresses))
        }
        Body::Reply(reply) => (drawn::reply(reply), None, guarded(reply.addresses)),
    };
    let mut parts: Vec<Part> = pieces(&rich)
        .into_iter()
        .map(|piece| part(piece, guarded))
        .collect();
    if parts.is_empty() {
        let text = "(nothing to show)".to_owned();
        parts.push(part(
            Piece {
                text,
                entities: Vec::new(),
            },
            false,
        ));
    }
    if let Some(first) = parts.first_mut() {
        first.answers = message
            .answers
            .as_ref()
            .and_then(|id| id.as_str().parse().ok());
    }
    if let (Some(last), Some(choices)) = (parts.last_mut(), choices) {
        last.rows = rows(choices);
    }
    let whole = |part| serde_json::to_value(part).ok().map(Encoded);
    parts.into_iter().filter_map(whole).collect()
}

impl Part {
    /// The call that shows it in a chat for the first time.
    pub(super) fn send(&self, chat: i64) -> SendMessage {
        let mut call = SendMessage::new(Recipient::Id(ChatId(chat)), self.text.clone());
        call.entities = (!self.entities.is_empty()).then(|| self.entities.clone());
        call.link_preview_options = Some(no_preview());
        call.reply_markup = self.keyboard().map(ReplyMarkup::InlineKeyboard);
        call.reply_parameters = self
            .answers
            .map(|id| ReplyParameters::new(MessageId(id)).allow_sending_without_reply());
        call
    }

    /// The call that shows it in place of a message. Without buttons, those of the message go.
    pub(super) fn edit(&self, chat: i64, on: i32) -> EditMessageText {
        let chat = Recipient::Id(ChatId(chat));
        let mut call = EditMessageText::new(chat, MessageId(on), self.text.clone());
        call.entities = (!self.entities.is_empty()).then(|| self.entities.clone());
        call.link_preview_options = Some(no_preview());
        call.reply_markup = self.keyboard();
        call
    }

    /// The text that stands alone, without entities.
    pub(super) fn bare(&self) -> String {
        let text = self.bare.as_ref().unwrap_or(&self.text);
        rich::head(text, LIMITS.units).to_owned()
    }

    fn keyboard(&self) -> Option<InlineKeyboardMarkup> {
        let row = |row: &Vec<(String, String)>| -> Vec<InlineKeyboardButton> {
            let button = |(label, token): &(String, String)| {
                InlineKeyboardButton::callback(label.clone(), token.clone())
            };
            row.iter().map(button).collect()
        };
        (!self.rows.is_empty()).then(|| InlineKeyboardMarkup::new(self.rows.iter().map(row)))
    }
}

fn part(piece: Piece, guarded: bool) -> Part {
    let bare = guarded
        .then(|| rich::broken_addresses(&piece.text))
        .filter(|bare| *bare != piece.text);
    Part {
        text: piece.text,
        entities: piece.entities,
        bare,
        rows: Vec::new(),
        file: None,
        answers: None,
    }
}

fn rows(choices: &Choices) -> Vec<Vec<(String, String)>> {
    let buttons: Vec<_> = choices
        .0
        .iter()
        .map(|button| (button.label.clone(), String::from(button.token.clone())))
        .collect();
    buttons.chunks(2).map(<[_]>::to_vec).collect()
}

fn no_preview() -> LinkPreviewOptions {
    LinkPreviewOptions {
        is_disabled: true,
        url: None,
        prefer_small_media: false,
        prefer_large_media: false,
        show_above_text: false,
    }
}
