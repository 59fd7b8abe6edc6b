//! How does a message look on Slack? Blocks of rich text, in which nothing needs escaping and
//! nothing written can become a mention; beside them the same as text for notifications.

use bot_policy::message::{Addresses, Body, Choices, Enclosure, Notice, OutboundMessage};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use slack_morphism::api::{SlackApiChatPostMessageRequest, SlackApiChatUpdateRequest};
use slack_morphism::prelude::*;

use super::files::Carried;
use crate::rich::{Face, Limits, Rich};
use crate::{Encoded, SendKey, drawn, rich};

/// One message, ready to send and to store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Part {
    /// What it shows, plain.
    pub(super) text: String,
    /// What to show instead when the blocks are refused, where the bare text would not do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bare: Option<String>,
    /// What it shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<SlackBlock>,
    /// The file that it carries, and nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<Carried>,
}

/// Whether a message goes out as blocks, or as bare text because Slack refused them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dress {
    Bare,
    Blocks,
}

/// Renders a message. A reply or notice is cut into as many parts as it needs; a card is one part,
/// unless its destinations alone are longer, which are never cut.
pub(super) fn encode(message: &OutboundMessage) -> Vec<Encoded> {
    let guarded = |addresses| addresses == Addresses::Inert;
    let (rich, choices, guarded) = match &message.body {
        Body::Card(card) => (drawn::card(card, LIMITS.units), Some(&card.choices), true),
        Body::File(file) => return enclosed(file),
        Body::Notice(notice) => {
            let choices = Some(&notice.choices);
            (drawn::notice(notice), choices, guarded(notice.addresses))
        }
        Body::Reply(reply) => (drawn::reply(reply), None, guarded(reply.addresses)),
    };
    let mut parts: Vec<Part> = pieces(rich)
        .iter()
        .map(|piece| part(piece, guarded))
        .collect();
    if let (Some(last), Some(choices)) = (parts.last_mut(), choices) {
        last.blocks.extend(buttons(choices));
    }
    parts.into_iter().filter_map(stored).collect()
}

/// Plain words for a stream, whose text is Markdown: nothing in them is a mention, and no address
/// can be pressed.
pub(super) fn streamed(text: &str) -> String {
    let unmarked = text.replace(['*', '_', '`', '~', '[', ']', '|', '#'], " ");
    escaped(&rich::broken_addresses(&unmarked))
}

/// What the text is called in a message that this key began.
pub(super) fn mark(key: SendKey) -> String {
    format!("begun-{}", key.0)
}

impl Part {
    /// The same, found again by its key.
    pub(super) fn marked(mut self, key: SendKey) -> Self {
        for block in &mut self.blocks {
            if let SlackBlock::RichText(text) = block {
                text.block_id = Some(SlackBlockId(mark(key)));
            }
        }
        self
    }

    /// The call that shows it in a place for the first time.
    pub(super) fn send(&self, channel: &str, thread: Option<&str>, dress: Dress) -> Value {
        let mut call = SlackApiChatPostMessageRequest::new(
            SlackChannelId(channel.to_owned()),
            self.content(dress),
        );
        call.thread_ts = thread.map(|thread| SlackTs(thread.to_owned()));
        call.unfurl_links = Some(false);
        call.unfurl_media = Some(false);
        call.link_names = Some(false);
        call.parse = Some("none".to_owned());
        unformatted(&call)
    }

    /// The call that shows it in place of a message. Without buttons, those of the message go.
    pub(super) fn edit(&self, channel: &str, on: &str, dress: Dress) -> Value {
        let mut call = SlackApiChatUpdateRequest::new(
            SlackChannelId(channel.to_owned()),
            self.content(dress),
            SlackTs(on.to_owned()),
        );
        call.link_names = Some(false);
        call.parse = Some("none".to_owned());
        unformatted(&call)
    }

    fn content(&self, dress: Dress) -> SlackMessageContent {
        let text = match dress {
            Dress::Bare => self.bare.as_ref().unwrap_or(&self.text),
            Dress::Blocks => &self.text,
        };
        let blocks = match dress {
            Dress::Bare => Vec::new(),
            Dress::Blocks => self.blocks.clone(),
        };
        SlackMessageContent::new()
            .with_text(escaped(text))
            .with_blocks(blocks)
    }
}

/// The page of one person, with these parts on it ("views.publish": 100 blocks).
pub(super) fn home(parts: Vec<Part>) -> Value {
    let blocks = parts.into_iter().flat_map(|part| part.blocks);
    let blocks: Vec<SlackBlock> = blocks.take(MOST_ON_A_PAGE).collect();
    json!({"type": "home", "blocks": blocks})
}

/// Text in which Slack finds no mention and no address with a name of its own ("Formatting text
/// for app surfaces": these three characters, and no others).
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The call with its text taken as it stands, a switch that the typed call does not know.
fn unformatted(call: &impl Serialize) -> Value {
    let mut call = serde_json::to_value(call).unwrap_or_default();
    if let Some(call) = call.as_object_mut() {
        call.insert("mrkdwn".to_owned(), json!(false));
    }
    call
}

fn enclosed(file: &Enclosure) -> Vec<Encoded> {
    let mut parts: Vec<Encoded> = stored(Part {
        text: file.name.clone(),
        bare: None,
        blocks: Vec::new(),
        file: Some(Carried::of(file)),
    })
    .into_iter()
    .collect();
    // Words that go with a file cannot be kept from showing previews of addresses in them.
    if !file.caption.trim().is_empty() {
        parts.extend(encode(&OutboundMessage {
            body: Body::Notice(Notice {
                text: file.caption.clone(),
                addresses: file.addresses,
                choices: Choices::default(),
            }),
            answers: None,
        }));
    }
    parts
}

fn stored(part: Part) -> Option<Encoded> {
    serde_json::to_value(part).ok().map(Encoded)
}

fn pieces(rich: Rich) -> Vec<Rich> {
    let pieces = rich.cut(LIMITS);
    if pieces.is_empty() {
        return vec![drawn::plain("(nothing to show)", Addresses::Live)];
    }
    pieces
}

fn part(piece: &Rich, guarded: bool) -> Part {
    let bare = guarded
        .then(|| rich::broken_addresses(piece.text()))
        .filter(|bare| bare != piece.text());
    Part {
        text: piece.text().to_owned(),
        bare,
        blocks: vec![SlackRichTextBlock::new(elements(piece)).into()],
        file: None,
    }
}

/// The stretches of a text as what Slack calls sections, quotes and preformatted text. Each begins
/// on a line of its own, so one line break between two of them is left out.
fn elements(piece: &Rich) -> Vec<SlackRichTextElement> {
    let mut elements: Vec<SlackRichTextElement> = Vec::new();
    let mut open: Option<(Shape, Vec<SlackRichTextInlineElement>)> = None;
    for (text, face) in piece.stretches() {
        let shape = Shape::of(face);
        match &mut open {
            Some((known, inside)) if *known == shape => inside.push(inline(text, face)),
            _ => {
                let begun = open.is_some();
                if let Some((shape, inside)) = open.take() {
                    elements.extend(shape.around(inside));
                }
                let text = text.strip_prefix('\n').filter(|_| begun).unwrap_or(text);
                let first = (!text.is_empty()).then(|| inline(text, face));
                open = Some((shape, first.into_iter().collect()));
            }
        }
    }
    if let Some((shape, inside)) = open {
        elements.extend(shape.around(inside));
    }
    elements
}

/// What a stretch stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    Preformatted,
    Quote,
    Section,
}

impl Shape {
    fn of(face: &Face) -> Self {
        match (&face.pre, face.quote) {
            (Some(_), _) => Self::Preformatted,
            (None, true) => Self::Quote,
            (None, false) => Self::Section,
        }
    }

    fn around(self, mut inside: Vec<SlackRichTextInlineElement>) -> Option<SlackRichTextElement> {
        if let Some(SlackRichTextInlineElement::Text(last)) = inside.last_mut() {
            if let Some(shorter) = last.text.strip_suffix('\n') {
                last.text = shorter.to_owned();
            }
            if last.text.is_empty() {
                inside.pop();
            }
        }
        if inside.is_empty() {
            return None;
        }
        Some(match self {
            Self::Preformatted => SlackRichTextPreformatted::new(inside).into(),
            Self::Quote => SlackRichTextQuote::new(inside).into(),
            Self::Section => SlackRichTextSection::new(inside).into(),
        })
    }
}

fn inline(text: &str, face: &Face) -> SlackRichTextInlineElement {
    let set = |on: bool| on.then_some(true);
    let mut style = SlackRichTextStyle::new();
    style.bold = set(face.bold);
    style.italic = set(face.italic);
    style.strike = set(face.strike);
    style.code = set(face.code);
    let style = (style != SlackRichTextStyle::new() && face.pre.is_none()).then_some(style);
    if let Some(link) = face.link.as_ref().filter(|_| face.pre.is_none()) {
        let mut leads = SlackRichTextLink::new(link.as_str().into());
        leads.text = Some(text.to_owned());
        leads.style = style;
        return SlackRichTextInlineElement::Link(leads);
    }
    let mut plain = SlackRichTextText::new(text.to_owned());
    plain.style = style;
    SlackRichTextInlineElement::Text(plain)
}

fn buttons(choices: &Choices) -> Vec<SlackBlock> {
    let rows = choices.0.chunks(MOST_BUTTONS);
    rows.enumerate()
        .map(|(row, buttons)| {
            let elements = buttons.iter().enumerate().map(|(at, button)| {
                let label = SlackBlockPlainText::new(button.label.clone()).with_emoji(false);
                SlackBlockButtonElement::new(label.into())
                    .with_action_id(SlackActionId(format!("press-{row}-{at}")))
                    .with_value(String::from(button.token.clone()))
                    .into()
            });
            SlackActionsBlock::new(elements.collect()).into()
        })
        .collect()
}

const MOST_ON_A_PAGE: usize = 100;
/// How many buttons one block of actions holds (Slack, "Actions block": 25).
const MOST_BUTTONS: usize = 25;

/// What one message holds: 4000 characters are advised (chat.postMessage, "Truncating content"),
/// and escaping them in the text beside stays far below the 40 000 at which Slack cuts.
const LIMITS: Limits = Limits {
    units: 3900,
    marks: 300,
    weight: |_| 1,
};
