//! What does a person see who opens the page that we have for them on a platform? The owner sees what
//! waits for their answer, and anybody else that there is nothing.

use std::sync::Arc;

use bot_policy::access::Person;
use bot_policy::event::ReplyHandle;
use bot_policy::id::Place;
use bot_policy::message::{Addresses, Body, Choices, Notice, OutboundMessage};

use crate::House;
use crate::store::StoreError;

/// How many questions are named.
const MOST: usize = 20;
/// How many are looked through.
const LOOKED_AT: i64 = 200;
/// How much is shown of what one asks, in characters.
const LINE: usize = 200;

/// Shows it. What goes wrong is mended by opening the page again.
pub(crate) async fn show(
    house: Arc<House>,
    place: Place,
    owner: Option<Person>,
    reply: ReplyHandle,
) {
    let Some(adapter) = house.lines.get(&place.line) else {
        return;
    };
    let text = match owner {
        None => Ok("There is nothing to see here.".to_owned()),
        Some(owner) => waiting(&house, &place, &owner).await,
    };
    let text = match text {
        Ok(text) => text,
        Err(error) => return tracing::warn!(%error, "what waits could not be looked through"),
    };
    let message = house.secrets.cut_message(&OutboundMessage {
        body: Body::Notice(Notice {
            text,
            addresses: Addresses::Inert,
            choices: Choices::default(),
        }),
        answers: None,
    });
    let parts = adapter.encode(&message);
    if let Err(error) = adapter.home(&reply, &parts).await {
        tracing::debug!(line = %place.line, %error, "a page could not be shown");
    }
}

async fn waiting(house: &House, here: &Place, owner: &Person) -> Result<String, StoreError> {
    let asked = house.store.waiting_questions(here, 0, LOOKED_AT).await?;
    let asked = asked.into_iter();
    let mut lines: Vec<String> = asked
        .filter(|question| question.put_to.id == owner.id)
        .map(|question| {
            let at = &question.place;
            if at.line != here.line {
                // What is asked elsewhere is told elsewhere.
                return format!("\u{2022} a question on {}", at.line);
            }
            let where_to = match at.chat == here.chat {
                true => "in our chat",
                false => "in another chat",
            };
            let title = house.one_line(&question.title, LINE);
            format!("\u{2022} {title} ({where_to})")
        })
        .collect();
    if lines.is_empty() {
        return Ok("Nothing waits for your answer.".to_owned());
    }
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    Ok(format!("Waiting for your answer:\n\n{}", lines.join("\n")))
}
