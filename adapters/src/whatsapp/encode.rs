//! How does a message look on WhatsApp? Text with its marks, buttons or a list, cut to fit.

use bot_policy::card::{Card, LEADING_SIGN};
use bot_policy::message::{Addresses, Body, Choices, Enclosure, Notice, OutboundMessage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::dialect::{marked, pieces};
use super::media::Carried;
use crate::rich::{Rich, head, units};
use crate::{Encoded, drawn};

/// One message, ready to send and to store.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    /// What it shows; the caption of a file.
    pub(super) text: String,
    /// Its buttons: label and token.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) buttons: Vec<(String, String)>,
    /// What is said in answer to the message that it would replace; all of it where nothing
    /// shorter is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) outcome: Option<String>,
    /// The file that it carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<Carried>,
    /// The message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) answers: Option<String>,
}

/// Renders a message. What is too long for one is cut into as many as it needs; buttons stand
/// under the last.
pub(super) fn encode(message: &OutboundMessage) -> Vec<Encoded> {
    let mut parts = match &message.body {
        Body::Card(card) => of_card(card),
        Body::File(file) => of_file(file),
        Body::Notice(notice) => of_notice(notice),
        Body::Reply(reply) => {
            let rich = drawn::reply(reply);
            texts(&rich, reply.addresses, &Choices::default(), None)
        }
    };
    if parts.is_empty() {
        parts.push(Part {
            text: "(nothing to show)".to_owned(),
            ..Part::default()
        });
    }
    if let Some(first) = parts.first_mut() {
        first.answers = message.answers.as_ref().map(ToString::to_string);
    }
    let whole = |part| serde_json::to_value(part).ok().map(Encoded);
    parts.into_iter().filter_map(whole).collect()
}

impl Part {
    /// What the message holds beside its address. A file is put into it once it is there.
    pub(super) fn content(&self) -> Map<String, Value> {
        let mut content = Map::new();
        if let Some(answers) = &self.answers {
            content.insert("context".to_owned(), json!({"message_id": answers}));
        }
        let (kind, value) = if self.buttons.is_empty() {
            ("text", json!({"preview_url": false, "body": self.text}))
        } else {
            ("interactive", self.interactive())
        };
        content.insert("type".to_owned(), json!(kind));
        content.insert(kind.to_owned(), value);
        content
    }

    /// What is said in its place where nothing that stands can be changed.
    pub(super) fn said_after(&self, on: &str) -> Self {
        Self {
            text: self.outcome.as_ref().unwrap_or(&self.text).clone(),
            buttons: self.buttons.clone(),
            answers: Some(on.to_owned()),
            ..Self::default()
        }
    }

    fn interactive(&self) -> Value {
        if self.buttons.len() <= MOST_BUTTONS {
            let button = |(title, id): &(String, String)| json!({"type": "reply", "reply": {"id": id, "title": title}});
            let buttons: Vec<Value> = self.buttons.iter().map(button).collect();
            return json!({"type": "button", "body": {"text": self.text}, "action": {"buttons": buttons}});
        }
        let row = |(title, id): &(String, String)| json!({"id": id, "title": title});
        let rows: Vec<Value> = self.buttons.iter().map(row).collect();
        json!({
            "type": "list",
            "body": {"text": self.text},
            "action": {"button": "Answer", "sections": [{"rows": rows}]},
        })
    }
}

/// The parts of a text. One with buttons is shorter; what is longer goes before it, and more
/// buttons than one list holds stand under more of them.
fn texts(
    rich: &Rich,
    addresses: Addresses,
    choices: &Choices,
    outcome: Option<String>,
) -> Vec<Part> {
    let plain = |text| Part {
        text,
        ..Part::default()
    };
    let buttons: Vec<(String, String)> = choices
        .0
        .iter()
        .map(|button| (button.label.clone(), String::from(button.token.clone())))
        .collect();
    let mut body = marked(rich, addresses);
    let stands = !body.trim().is_empty() && units(&body) <= MOST_BODY;
    let mut parts: Vec<Part> = if stands && !buttons.is_empty() {
        Vec::new()
    } else {
        let texts = pieces(rich, addresses, MOST_TEXT);
        texts.into_iter().map(plain).collect()
    };
    if !stands {
        let sign = if body.starts_with(LEADING_SIGN) {
            LEADING_SIGN
        } else {
            ""
        };
        body = format!("{sign} {ABOVE}").trim_start().to_owned();
    }
    for (at, buttons) in buttons.chunks(MOST_ROWS).enumerate() {
        parts.push(Part {
            text: if at == 0 {
                body.clone()
            } else {
                "…".to_owned()
            },
            buttons: buttons.to_vec(),
            ..Part::default()
        });
    }
    if let Some(last) = parts.last_mut() {
        last.outcome = outcome;
    }
    parts
}

fn of_card(card: &Card) -> Vec<Part> {
    let fits = |rich: &Rich| units(&marked(rich, Addresses::Inert)) <= MOST_BODY;
    // Marks come on top of what is drawn.
    let mut rich = drawn::card(card, MOST_BODY);
    for most in [900, 750, 600] {
        if fits(&rich) {
            break;
        }
        rich = drawn::card(card, most);
    }
    let outcome = card.outcome.as_ref();
    let outcome = outcome.map(|outcome| short(outcome.as_str(), Addresses::Inert));
    texts(&rich, Addresses::Inert, &card.choices, outcome)
}

fn of_notice(notice: &Notice) -> Vec<Part> {
    // How a notice ended stands in its last paragraph.
    let ended = notice.text.rsplit_once("\n\n").map(|(_, ended)| ended);
    let ended = ended.filter(|_| notice.choices.0.is_empty());
    let outcome = ended.map(|ended| short(ended, notice.addresses));
    let rich = drawn::notice(notice);
    texts(&rich, notice.addresses, &notice.choices, outcome)
}

/// A file with its caption; one that is too long, or that the kind of file cannot have, follows.
fn of_file(file: &Enclosure) -> Vec<Part> {
    let rich = drawn::plain(&file.caption, file.addresses);
    let carried = Carried::of(file);
    let caption = marked(&rich, file.addresses);
    let fits = carried.may_have_caption() && units(&caption) <= MOST_CAPTION;
    let mut parts = vec![Part {
        text: if fits { caption } else { String::new() },
        file: Some(carried),
        ..Part::default()
    }];
    if !fits {
        parts.extend(texts(&rich, file.addresses, &Choices::default(), None));
    }
    parts
}

/// A line of our own, at most as long as what stands over buttons.
pub(super) fn short(text: &str, addresses: Addresses) -> String {
    let text = marked(&drawn::plain(text, addresses), addresses);
    head(&text, MOST_BODY).to_owned()
}

/// What stands over buttons whose text is too long to stand with them.
const ABOVE: &str = "What this asks stands above.";
/// Longest text of a message (Cloud API, text messages: 4096 characters); counted in UTF-16 units.
const MOST_TEXT: usize = 4096;
/// Longest text over buttons or a list (Cloud API, interactive messages: 1024 characters).
const MOST_BODY: usize = 1024;
/// Longest caption of a file (Cloud API, media messages: 1024 characters).
const MOST_CAPTION: usize = 1024;
/// How many reply buttons there are at most (Cloud API, reply buttons).
const MOST_BUTTONS: usize = 3;
/// How many rows all sections of a list have at most (Cloud API, list messages).
const MOST_ROWS: usize = 10;
