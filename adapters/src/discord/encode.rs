//! How does a message look on Discord? Escaped text in our own marks, cut to fit.

use bot_policy::message::{Body, Choices, OutboundMessage};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use serenity::builder::{
    CreateActionRow, CreateAllowedMentions, CreateButton, CreateMessage, EditMessage,
};
use serenity::model::application::ButtonStyle;
use serenity::model::channel::{MessageFlags, Nonce};

use super::enclose::{Carried, enclosed};
use super::marks::{MOST_UNITS, Piece, pieces, sent_units};
use crate::{Encoded, drawn};

/// One message, ready to send and to store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    /// What is sent, in the platform's Markdown.
    pub(super) content: String,
    /// What it says.
    pub(super) plain: String,
    /// Its buttons: label and token.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) buttons: Vec<(String, String)>,
    /// The file that it carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<Carried>,
    /// The message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) answers: Option<String>,
}

/// Renders a message. A reply or notice is cut into as many parts as it needs; a card is one part,
/// unless its destinations alone are longer, which are never cut.
pub(super) fn encode(message: &OutboundMessage) -> Vec<Encoded> {
    let (rich, choices) = match &message.body {
        Body::Card(card) => (
            drawn::card_by(card, MOST_UNITS, sent_units),
            Some(&card.choices),
        ),
        Body::File(file) => return whole(enclosed(file, message)),
        Body::Notice(notice) => (drawn::notice(notice), Some(&notice.choices)),
        Body::Reply(reply) => (drawn::reply(reply), None),
    };
    let mut parts: Vec<Part> = pieces(&rich).into_iter().map(Part::from).collect();
    if parts.is_empty() {
        let nothing = "(nothing to show)".to_owned();
        parts.push(Part::from(Piece {
            content: nothing.clone(),
            plain: nothing,
        }));
    }
    if let Some(first) = parts.first_mut() {
        first.answers = answered(message);
    }
    if let (Some(last), Some(choices)) = (parts.last_mut(), choices) {
        last.buttons = buttons(choices);
    }
    whole(parts)
}

/// The message that this one answers.
pub(super) fn answered(message: &OutboundMessage) -> Option<String> {
    message.answers.as_ref().map(|id| id.as_str().to_owned())
}

impl Part {
    /// The body that shows it for the first time in a channel. The platform drops what comes again
    /// under the same nonce within minutes, shows no previews and pings nobody.
    pub(super) fn send(&self, channel: &str, nonce: i64) -> Value {
        let call = CreateMessage::new()
            .content(self.content.clone())
            .nonce(Nonce::String(nonce.to_string()))
            .enforce_nonce(true)
            .allowed_mentions(CreateAllowedMentions::new())
            .flags(MessageFlags::SUPPRESS_EMBEDS)
            .components(self.rows());
        let mut body = json!(call);
        if let (Some(id), Some(body)) = (&self.answers, body.as_object_mut()) {
            let answers = json!({
                "type": 0,
                "message_id": id,
                "channel_id": channel,
                "fail_if_not_exists": false,
            });
            body.insert("message_reference".to_owned(), answers);
        }
        body
    }

    /// The body that shows it in place of a message. Without buttons, those of the message go.
    pub(super) fn edit(&self) -> Value {
        json!(
            EditMessage::new()
                .content(self.content.clone())
                .allowed_mentions(CreateAllowedMentions::new())
                .flags(MessageFlags::SUPPRESS_EMBEDS)
                .components(self.rows())
        )
    }

    fn rows(&self) -> Vec<CreateActionRow> {
        let button = |(label, token): &(String, String)| {
            let label: String = label.chars().take(LONGEST_LABEL).collect();
            let button = CreateButton::new(token.clone());
            button.label(label).style(ButtonStyle::Secondary)
        };
        let rows = self.buttons.chunks(IN_A_ROW).take(MOST_ROWS);
        rows.map(|row| CreateActionRow::Buttons(row.iter().map(button).collect()))
            .collect()
    }
}

impl From<Piece> for Part {
    fn from(Piece { content, plain }: Piece) -> Self {
        Self {
            content,
            plain,
            ..Self::default()
        }
    }
}

fn whole(parts: Vec<Part>) -> Vec<Encoded> {
    let whole = |part| serde_json::to_value(part).ok().map(Encoded);
    parts.into_iter().filter_map(whole).collect()
}

fn buttons(choices: &Choices) -> Vec<(String, String)> {
    let button = |button: &bot_policy::message::Button| {
        (button.label.clone(), String::from(button.token.clone()))
    };
    choices.0.iter().map(button).collect()
}

/// Buttons in a row, and rows (platform reference, "Action Rows": 5 buttons; 5 rows in a message).
const IN_A_ROW: usize = 5;
const MOST_ROWS: usize = 5;
/// Longest label of a button, in characters.
const LONGEST_LABEL: usize = 80;
