//! What does the page show? Neutral messages as JSON that the page turns into text nodes.
//!
//! Nothing here is HTML, and the page has no way to read HTML: every string ends in a text node.

use bot_policy::card::{Card, Field, FieldKind, LEADING_SIGN};
use bot_policy::message::{Addresses, Body, Choices, Notice, OutboundMessage, Reply};
use serde_json::{Value, json};

/// A message as the page shows it: `kind` is `card`, `notice` or `reply`.
pub fn encode(message: &OutboundMessage) -> Value {
    let mut body = match &message.body {
        Body::Card(shown) => card(shown),
        Body::Notice(shown) => notice(shown),
        Body::Reply(shown) => reply(shown),
    };
    if let (Some(answers), Some(fields)) = (&message.answers, body.as_object_mut()) {
        fields.insert("answers".to_owned(), json!(answers));
    }
    body
}

/// What the person said, as their own bubble shows it. `id` is the id that the browser chose, by
/// which a tab knows its own words again.
pub fn said(id: &str, text: &str) -> Value {
    json!({ "kind": "said", "id": id, "text": text })
}

fn card(card: &Card) -> Value {
    json!({
        "kind": "card",
        "title": card.title,
        "reasons": card.reasons,
        "fields": card.fields.iter().map(field).collect::<Vec<_>>(),
        "always": card.always,
        "choices": choices(&card.choices),
        "outcome": card.outcome,
    })
}

fn field(field: &Field) -> Value {
    let kind = match field.kind {
        FieldKind::Body => "body",
        FieldKind::Destination => "destination",
        FieldKind::Note => "note",
    };
    json!({ "kind": kind, "label": field.label, "value": field.value, "cut": field.cut })
}

fn notice(notice: &Notice) -> Value {
    json!({
        "kind": "notice",
        "text": unsigned(&notice.text),
        "choices": choices(&notice.choices),
    })
}

fn reply(reply: &Reply) -> Value {
    let addresses = match reply.addresses {
        Addresses::Inert => "inert",
        Addresses::Live => "live",
    };
    json!({
        "kind": "reply",
        "text": unsigned(&reply.markdown),
        "footer": reply.footer.as_deref().map(unsigned),
        "addresses": addresses,
    })
}

fn choices(choices: &Choices) -> Value {
    choices
        .0
        .iter()
        .map(|button| json!({ "label": button.label, "token": button.token }))
        .collect()
}

/// Only a card may begin with the sign of a card.
fn unsigned(text: &str) -> String {
    text.replace(LEADING_SIGN, "")
}
