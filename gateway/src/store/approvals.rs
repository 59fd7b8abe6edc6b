//! What runs without a card in one conversation, and which rules are still to be saved?

use bot_policy::approval::State;
use bot_policy::card::Card;
use bot_policy::id::{ConversationId, PersonId, Place, QuestionId, Timestamp};
use bot_policy::message::{Body, Choices, OutboundMessage};
use bot_policy::rules::{Action, Rule};
use rusqlite::{Connection, params};

use super::asking::{Choosing, approval_buttons};
use super::audit::{AuditEntry, append};
use super::choices::Face;
use super::outbox::{Letter, redraw};
use super::questions::open_row;
use super::rows::{column, place_id};
use super::{Store, StoreError};

/// The approvals of a conversation.
pub(super) fn approvals(tx: &Connection, of: ConversationId) -> Result<Vec<Rule>, StoreError> {
    let mut found =
        tx.prepare_cached("SELECT pattern FROM approval WHERE conversation = ?1 ORDER BY pattern")?;
    let found = found.query_map([of.0], |row| {
        Ok(Rule {
            pattern: row.get(0)?,
            action: Action::Allow,
        })
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// Keeps an approval with its conversation.
pub(super) fn approve(
    tx: &Connection,
    of: ConversationId,
    rule: &Rule,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT OR IGNORE INTO approval (conversation, pattern, at) VALUES (?1, ?2, ?3)",
        params![of.0, rule.pattern, now.0],
    )?;
    Ok(())
}

impl Store {
    /// Rules that an answer saves and that are not in the owner's file yet.
    pub async fn unsaved_rules(&self) -> Result<Vec<(QuestionId, PersonId, Rule)>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare(
                "SELECT id, put_to, saves FROM question WHERE saves IS NOT NULL ORDER BY id",
            )?;
            let mut rows = found.query([])?;
            let mut rules = Vec::new();
            while let Some(row) = rows.next()? {
                let rule = column(row, "saves")?;
                rules.push((QuestionId(row.get(0)?), PersonId(row.get(1)?), rule));
            }
            Ok(rules)
        })
        .await
    }

    /// Records, once, that the rule of an answer is in the owner's file.
    pub async fn rule_settled(
        &self,
        of: QuestionId,
        saved: AuditEntry,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            let settled = tx.execute(
                "UPDATE question SET saves = NULL WHERE id = ?1 AND saves IS NOT NULL",
                [of.0],
            )?;
            match settled {
                0 => Ok(()),
                _ => append(tx, now, &saved),
            }
        })
        .await
    }

    /// Shows on an open card what else can be chosen, and what it would save.
    pub async fn show_more(
        &self,
        which: QuestionId,
        at: Place,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let mut found = tx.prepare_cached("SELECT * FROM question WHERE id = ?1")?;
            let mut rows = found.query([which.0])?;
            let Some(row) = rows.next()? else {
                return Ok(Vec::new());
            };
            let open = open_row(tx, row)?;
            let card: Card = match column(row, "card")? {
                Face::Card(card) => card,
                Face::Notice(_) => return Ok(Vec::new()),
            };
            let Some(block) = open
                .question
                .block
                .clone()
                .filter(|_| open.state == State::Asked)
            else {
                return Ok(Vec::new());
            };
            let at = place_id(tx, &at)?;
            let card = card.with_block(&block);
            let more = approval_buttons(tx, &open, &card, at, Choosing::More)?;
            let message = OutboundMessage {
                body: Body::Card(Card {
                    choices: Choices(more),
                    ..card
                }),
                answers: None,
            };
            redraw(&store, tx, which, &message, Some(at), now)
        })
        .await
    }
}
