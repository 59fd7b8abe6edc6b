//! How does a message look on Telegram? Plain text with entities, cut to fit.

use bot_policy::card::LEADING_SIGN;
use bot_policy::message::{Addresses, Body, Choices, Notice, OutboundMessage, Reply};
use serde::{Deserialize, Serialize};
use teloxide_core::payloads::{EditMessageText, SendMessage};
use teloxide_core::types::{
    ChatId, InlineKeyboardButton, InlineKeyboardMarkup, LinkPreviewOptions, MessageEntity,
    MessageId, Recipient, ReplyMarkup, ReplyParameters,
};
use url::Url;

use super::card::fitted;
use super::enclose::{Carried, enclosed};
use super::rich::{self, Face, Piece, Rich};
use crate::Encoded;
use crate::markup::{self, Block, BlockKind, Inline};

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
    let (rich, choices, guarded) = match &message.body {
        Body::Card(card) => (fitted(card), Some(&card.choices), true),
        Body::File(file) => return enclosed(file, message),
        Body::Notice(Notice {
            text,
            addresses,
            choices,
        }) => {
            let mut rich = Rich::default();
            rich.push(&unsigned(text), Face::default());
            match addresses {
                Addresses::Inert => (rich.inert(), Some(choices), true),
                Addresses::Live => (rich, Some(choices), false),
            }
        }
        Body::Reply(reply) => {
            let rich = rendered(reply);
            match reply.addresses {
                Addresses::Inert => (rich.inert(), None, true),
                Addresses::Live => (rich, None, false),
            }
        }
    };
    let mut parts: Vec<Part> = rich
        .cut()
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
        rich::head(text, rich::MOST_UNITS).to_owned()
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

pub(super) fn unsigned(text: &str) -> String {
    text.replace(LEADING_SIGN, "")
}

fn rendered(reply: &Reply) -> Rich {
    let mut rich = Rich::default();
    let document = markup::parse(&reply.markdown);
    let mut before: Option<&Block> = None;
    for block in &document.blocks {
        if let Some(before) = before {
            let face = Face {
                quote: before.quotes > 0 && block.quotes > 0,
                ..Face::default()
            };
            let together = before.lists > 0 && block.lists > 0;
            rich.push(if together { "\n" } else { "\n\n" }, face);
        }
        draw(&mut rich, block, reply.addresses);
        before = Some(block);
    }
    if let Some(footer) = &reply.footer {
        if !rich.is_blank() {
            rich.push("\n\n", Face::default());
        }
        rich.push(
            &unsigned(footer),
            Face {
                italic: true,
                ..Face::default()
            },
        );
    }
    rich
}

fn draw(rich: &mut Rich, block: &Block, addresses: Addresses) {
    let base = Face {
        quote: block.quotes > 0,
        ..Face::default()
    };
    let pre = |language: &Option<String>| Face {
        pre: Some(language.clone()),
        ..base.clone()
    };
    match &block.kind {
        BlockKind::Code { language, text } => {
            rich.push(&unsigned(text.trim_end_matches('\n')), pre(language));
        }
        BlockKind::Heading(text) => {
            draw_line(rich, text, &Face { bold: true, ..base }, addresses);
        }
        BlockKind::Item { mark, text } => {
            rich.push(&"  ".repeat(block.lists.saturating_sub(1)), base.clone());
            rich.push(&format!("{mark} "), base.clone());
            draw_line(rich, text, &base, addresses);
        }
        BlockKind::Paragraph(text) => {
            rich.push(&"  ".repeat(block.lists), base.clone());
            draw_line(rich, text, &base, addresses);
        }
        BlockKind::Rule => rich.push("———", base),
        BlockKind::Table(rows) => rich.push(&unsigned(&table(rows)), pre(&None)),
    }
}

fn draw_line(rich: &mut Rich, line: &[Inline], base: &Face, addresses: Addresses) {
    let mut inlines = line.iter().peekable();
    while let Some(inline) = inlines.next() {
        let mut face = Face {
            bold: base.bold || inline.style.bold,
            code: inline.style.code,
            italic: inline.style.italic,
            strike: inline.style.strike,
            ..base.clone()
        };
        face.link = match (addresses, &inline.link) {
            (Addresses::Live, Some(link)) => Url::parse(link)
                .ok()
                .filter(|url| matches!(url.scheme(), "http" | "https" | "mailto")),
            (Addresses::Live, None) | (Addresses::Inert, _) => None,
        };
        let pressed = face.link.is_some();
        rich.push(&unsigned(&inline.text), face);
        let ends = inlines.peek().is_none_or(|next| next.link != inline.link);
        if let Some(link) = &inline.link
            && ends
            && !pressed
            && *link != inline.text
        {
            rich.push(&format!(" ({})", unsigned(link)), base.clone());
        }
    }
}

/// Rows under each other in columns; where padding would outgrow the text, without columns.
fn table(rows: &[Vec<String>]) -> String {
    let width = |cell: &String| cell.chars().count();
    let mut widths: Vec<usize> = Vec::new();
    let mut content = 0usize;
    for row in rows {
        for (at, cell) in row.iter().enumerate() {
            content = content.saturating_add(width(cell));
            match widths.get_mut(at) {
                Some(widest) => *widest = (*widest).max(width(cell)),
                None => widths.push(width(cell)),
            }
        }
    }
    let padded = widths.iter().sum::<usize>().saturating_mul(rows.len());
    let aligned = padded <= content.saturating_mul(4).saturating_add(400);
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                line.push_str(" | ");
            }
            line.push_str(cell);
            let missing = widths
                .get(at)
                .copied()
                .unwrap_or(0)
                .saturating_sub(width(cell));
            if aligned {
                line.extend(std::iter::repeat_n(' ', missing));
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.trim_end_matches('\n').to_owned()
}
