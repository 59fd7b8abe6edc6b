//! What does the page show? Neutral messages as JSON that the page turns into text nodes.
//!
//! Nothing here is HTML, and the page has no way to read HTML: every string ends in a text node.

use bot_policy::card::{Card, Field, FieldKind};
use bot_policy::event::FileKind;
use bot_policy::message::{Addresses, Body, Choices, Enclosure, Notice, OutboundMessage, Reply};
use serde_json::{Value, json};
use url::Url;

use crate::drawn::unsigned;
use crate::markup::{self, Block, BlockKind, Inline};

/// A message as the page shows it: `kind` is `card`, `notice` or `reply`.
pub fn encode(message: &OutboundMessage) -> Value {
    let mut body = match &message.body {
        Body::Card(shown) => card(shown),
        Body::File(shown) => file(shown),
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

/// What an encoded message says, as plain text.
pub fn plain(encoded: &Value) -> String {
    let text = |value: &Value, key: &str| {
        let text = value.get(key).and_then(Value::as_str);
        text.map(ToOwned::to_owned)
    };
    let fields = encoded.get("fields").and_then(Value::as_array);
    let fields = fields
        .into_iter()
        .flatten()
        .flat_map(|field| [text(field, "label"), text(field, "value")])
        .flatten();
    [text(encoded, "title"), text(encoded, "text")]
        .into_iter()
        .flatten()
        .chain(fields)
        .collect::<Vec<_>>()
        .join("\n")
}

fn card(card: &Card) -> Value {
    json!({
        "kind": "card",
        "title": card.title,
        "reasons": card.reasons,
        "rule": card.rule,
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

fn file(file: &Enclosure) -> Value {
    json!({
        "kind": "file",
        "text": unsigned(&file.caption),
        "file": {
            "digest": file.digest,
            "name": unsigned(&file.name),
            "bytes": file.bytes,
            "picture": file.kind == FileKind::Photo,
        },
    })
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
        "blocks": markup::parse(&reply.markdown)
            .blocks
            .iter()
            .map(|shown| block(shown, reply.addresses))
            .collect::<Vec<_>>(),
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

fn block(block: &Block, addresses: Addresses) -> Value {
    let mut shown = match &block.kind {
        BlockKind::Code { language, text } => {
            json!({ "kind": "code", "language": language, "text": unsigned(text) })
        }
        BlockKind::Heading(text) => json!({ "kind": "heading", "text": pieces(text, addresses) }),
        BlockKind::Item { mark, text } => {
            json!({ "kind": "item", "mark": mark, "text": pieces(text, addresses) })
        }
        BlockKind::Paragraph(text) => {
            json!({ "kind": "paragraph", "text": pieces(text, addresses) })
        }
        BlockKind::Rule => json!({ "kind": "rule" }),
        BlockKind::Table(rows) => {
            let rows = rows
                .iter()
                .map(|cells| cells.iter().map(|cell| unsigned(cell)).collect::<Vec<_>>());
            json!({ "kind": "table", "rows": rows.collect::<Vec<_>>() })
        }
    };
    if let Some(fields) = shown.as_object_mut() {
        fields.insert("quotes".to_owned(), json!(block.quotes));
        fields.insert("lists".to_owned(), json!(block.lists));
    }
    shown
}

/// The pieces of a line. An address that may not be pressed stands after its words, so that they
/// cannot pretend that it leads elsewhere.
fn pieces(line: &[Inline], addresses: Addresses) -> Vec<Value> {
    let mut shown = Vec::new();
    let mut line = line.iter().peekable();
    while let Some(inline) = line.next() {
        let pressed = match addresses {
            Addresses::Inert => None,
            Addresses::Live => inline.link.as_deref().and_then(web_address),
        };
        shown.push(json!({
            "text": unsigned(&inline.text),
            "bold": inline.style.bold,
            "code": inline.style.code,
            "italic": inline.style.italic,
            "strike": inline.style.strike,
            "link": pressed,
        }));
        let ends = line.peek().is_none_or(|next| next.link != inline.link);
        if let (Some(link), None, true) = (&inline.link, &pressed, ends)
            && *link != inline.text
        {
            shown.push(json!({ "text": format!(" ({})", unsigned(link)) }));
        }
    }
    shown
}

/// An address of the web; any other kind of address does something when it is pressed.
fn web_address(link: &str) -> Option<String> {
    let address = Url::parse(link).ok()?;
    matches!(address.scheme(), "http" | "https").then(|| address.into())
}
