//! Messages as the gateway hands them over, and how it sends them.

use std::sync::Arc;

use adapters::{Adapter, Encoded, SendKey};
use bot_policy::id::{MessageRef, Place};
use bot_policy::message::{Addresses, Body, Choices, Notice, OutboundMessage, Reply};

pub fn reply(markdown: &str, addresses: Addresses) -> OutboundMessage {
    let reply = Reply {
        markdown: markdown.to_owned(),
        footer: None,
        addresses,
    };
    OutboundMessage {
        body: Body::Reply(reply),
        answers: None,
    }
}

pub fn notice(text: &str) -> OutboundMessage {
    let notice = Notice {
        addresses: Addresses::Live,
        text: text.to_owned(),
        choices: Choices::default(),
    };
    OutboundMessage {
        body: Body::Notice(notice),
        answers: None,
    }
}

pub async fn send_all(
    adapter: &Arc<dyn Adapter>,
    place: &Place,
    message: &OutboundMessage,
) -> Vec<MessageRef> {
    let mut ids = Vec::new();
    for (at, part) in (1..).zip(adapter.encode(message)) {
        // Parts are stored before they are sent.
        let stored: Encoded = serde_json::from_str(&serde_json::to_string(&part).unwrap()).unwrap();
        ids.push(adapter.send(place, &stored, SendKey(at)).await.unwrap());
    }
    ids
}
