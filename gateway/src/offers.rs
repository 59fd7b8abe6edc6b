//! What is the owner offered who wants to send something of ours elsewhere? Answers that they have
//! seen, and nothing leaves before they pick it.

use std::sync::Arc;

use adapters::Offered;
use bot_policy::event::ReplyHandle;
use bot_policy::id::Place;
use bot_policy::message::{Addresses, Body, OutboundMessage, Reply};

use crate::House;

/// How many are offered.
const MOST: usize = 10;

/// Answers a search in the owner's name. What goes wrong is seen by them alone, as nothing found.
pub(crate) async fn offer(house: Arc<House>, place: Place, query: String, reply: ReplyHandle) {
    let Some(adapter) = house.lines.get(&place.line) else {
        return;
    };
    let answers = match house.store.answers(place.clone()).await {
        Ok(answers) => answers,
        Err(error) => return tracing::warn!(%error, "answers could not be looked through"),
    };
    let query = query.trim().to_lowercase();
    let offered: Vec<Offered> = answers
        .into_iter()
        .filter(|answer| answer.markdown.to_lowercase().contains(&query))
        .filter_map(|answer| {
            let body = Body::Reply(Reply {
                markdown: answer.markdown,
                footer: None,
                // Whatever the conversation has read may stand in it.
                addresses: Addresses::Inert,
            });
            let message = house.secrets.cut_message(&OutboundMessage {
                body,
                answers: None,
            });
            let part = adapter.encode(&message).into_iter().next()?;
            Some(Offered {
                id: answer.letter.to_string(),
                part,
            })
        })
        .take(MOST)
        .collect();
    if let Err(error) = adapter.offer(&reply, &offered).await {
        tracing::debug!(line = %place.line, %error, "nothing could be offered");
    }
}
