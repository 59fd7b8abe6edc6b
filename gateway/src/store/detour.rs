//! Where is a message shown that cannot be shown where it belongs? In another direct chat of the
//! same person, or nowhere.

use bot_policy::access::Incognito;
use bot_policy::event::ChatKind;
use bot_policy::id::Timestamp;
use bot_policy::message::{Addresses, Body, Choices, Notice, OutboundMessage};
use rusqlite::{Connection, OptionalExtension, params};

use super::outbox::{About, Letter, post};
use super::rows::{PlaceId, json};
use super::{Store, StoreError, previews};

impl Store {
    /// Records that a letter will never be taken. `shown` is what it would have shown; whoever
    /// paired its place reads it in another direct chat of theirs, if one works.
    pub async fn undeliverable(
        &self,
        id: i64,
        why: String,
        shown: Option<String>,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            tx.prepare_cached("UPDATE outbox SET state = 'failed', error = ?2 WHERE id = ?1")?
                .execute(params![id, why])?;
            previews::done(tx, id)?;
            detour(&store, tx, id, &why, shown.as_deref(), now)
        })
        .await
    }
}

pub(super) fn detour(
    store: &Store,
    tx: &Connection,
    id: i64,
    why: &str,
    shown: Option<&str>,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    // Edits change what stands there; a report of trouble is not reported again.
    let belongs: Option<(i64, String, String, bool, bool)> = tx
        .query_row(
            "SELECT pairing.person, place.line, place.chat, outbox.question IS NOT NULL,
                    coalesce(conversation.incognito = ?2, 0)
             FROM outbox JOIN place ON place.id = outbox.place
             JOIN pairing ON pairing.line = place.line AND pairing.chat = place.chat
             LEFT JOIN conversation ON conversation.id = coalesce(outbox.conversation, place.conversation)
             WHERE outbox.id = ?1 AND outbox.kind = 'message'",
            params![id, json(&Incognito::On)?],
            |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                ))
            },
        )
        .optional()?;
    let Some((person, line, chat, card, hidden)) = belongs else {
        return Ok(Vec::new());
    };
    let elsewhere: Option<i64> = tx
        .query_row(
            "SELECT place.id FROM own_pairing AS pairing
             CROSS JOIN place ON place.line = pairing.line AND place.chat = pairing.chat AND place.thread = ''
             WHERE pairing.person = ?1 AND pairing.kind = ?2 AND NOT (pairing.line = ?3 AND pairing.chat = ?4)
               AND (SELECT state FROM outbox WHERE outbox.place = place.id AND state IN ('sent', 'failed')
                    ORDER BY outbox.id DESC LIMIT 1) IS NOT 'failed'
             ORDER BY (SELECT max(outbox.id) FROM outbox WHERE outbox.place = place.id) DESC LIMIT 1",
            params![person, json(&ChatKind::Direct)?, line, chat],
            |row| row.get(0),
        )
        .optional()?;
    let Some(at) = elsewhere else {
        return Ok(Vec::new());
    };
    let what = if card {
        "A card belongs"
    } else {
        "A message belongs"
    };
    let mut text =
        format!("{what} in the chat {chat} on {line}, where it could not be shown: {why}.");
    if card {
        text.push_str(" It can be answered there alone; until then nothing of it runs.");
    }
    match shown {
        Some(_) if hidden => {
            text.push_str(" It is of an incognito conversation, so I do not repeat it here.")
        }
        Some(shown) => text.push_str(&format!("\n\n{shown}")),
        None => {}
    }
    let message = OutboundMessage {
        body: Body::Notice(Notice {
            text,
            // Whatever the conversation has read may stand in it.
            addresses: Addresses::Inert,
            choices: Choices::default(),
        }),
        answers: None,
    };
    post(store, tx, PlaceId(at), &message, About::Delivery, now)
}
