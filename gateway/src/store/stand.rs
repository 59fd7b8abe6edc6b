//! Where else may a card stand? In another chat of the person whom it was put to.

use bot_policy::approval::State;
use bot_policy::id::{ConversationId, PersonId, Place, QuestionId, Timestamp};
use bot_policy::message::{Body, Choices, Notice, OutboundMessage};
use rusqlite::{Connection, params};

use super::asking::with_buttons;
use super::choices::{Face, choice_buttons};
use super::outbox::{About, Letter, post};
use super::people::owner_of;
use super::questions::open_row;
use super::rows::{PlaceId, column, parse, place, place_id};
use super::{Store, StoreError};

/// Whether a card was put up in another place.
#[derive(Clone, Debug)]
pub enum Stood {
    /// It stands there now, or did before.
    Here(Vec<Letter>),
    /// It is somebody else's to answer.
    NotYours,
    /// It waits no more.
    Over,
}

/// The places where the card of a question stands: those that have buttons of it.
pub(super) fn stands_at(tx: &Connection, which: QuestionId) -> Result<Vec<Place>, StoreError> {
    let mut found =
        tx.prepare_cached("SELECT DISTINCT place FROM button WHERE question = ?1 ORDER BY place")?;
    let found: Vec<i64> = found
        .query_map([which.0], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    found.into_iter().map(|id| place(tx, PlaceId(id))).collect()
}

impl Store {
    /// Puts the card of a question up in one more place of the person whom it was put to, with
    /// buttons of its own.
    pub async fn stand(
        &self,
        which: QuestionId,
        at: Place,
        by: PersonId,
        now: Timestamp,
    ) -> Result<Stood, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let mut found = tx.prepare_cached("SELECT * FROM question WHERE id = ?1")?;
            let mut rows = found.query([which.0])?;
            let Some(row) = rows.next()? else {
                return Ok(Stood::Over);
            };
            let open = open_row(tx, row)?;
            if open.put_to != by || owner_of(tx, &at)? != Some(by) {
                return Ok(Stood::NotYours);
            }
            if open.state != State::Asked || open.ends_at <= now {
                return Ok(Stood::Over);
            }
            let to = place_id(tx, &at)?;
            let stands: bool = tx.query_row(
                "SELECT EXISTS (SELECT 1 FROM button WHERE question = ?1 AND place = ?2)",
                params![which.0, to.0],
                |row| row.get(0),
            )?;
            if stands {
                return Ok(Stood::Here(Vec::new()));
            }
            Ok(Stood::Here(put_up(&store, tx, which, to, now)?))
        })
        .await
    }
}

/// Puts the card of a question up in one more place, with buttons of its own.
pub(super) fn put_up(
    store: &Store,
    tx: &Connection,
    which: QuestionId,
    to: PlaceId,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let mut found = tx.prepare_cached("SELECT * FROM question WHERE id = ?1")?;
    let mut rows = found.query([which.0])?;
    let Some(row) = rows.next()? else {
        return Ok(Vec::new());
    };
    let open = open_row(tx, row)?;
    let labels: Option<String> = row.get("choice")?;
    let body = match column(row, "card")? {
        Face::Card(card) => Body::Card(with_buttons(tx, &open, card, to)?),
        Face::Notice(notice) => {
            let labels: Vec<String> = parse(&labels.unwrap_or_default())?;
            Body::Notice(Notice {
                choices: Choices(choice_buttons(tx, &open, &labels, to)?),
                ..notice
            })
        }
    };
    let about = About::Question(ConversationId(row.get("conversation")?), which);
    let message = OutboundMessage {
        body,
        answers: None,
    };
    post(store, tx, to, &message, about, now)
}
