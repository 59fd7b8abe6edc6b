//! Which message shows an answer that is still being written? It has a record of its own: an answer
//! takes the place of what this record names, and of nothing else.

use bot_policy::id::{ConversationId, MessageRef, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};

use super::rows::{PlaceId, message_key};
use super::{Store, StoreError};

/// A message that shows an unfinished answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The number of its record; also the key that platforms know repeats by.
    pub id: i64,
    /// What it is called; none until it is known that it stands there.
    pub message: Option<MessageRef>,
    /// Whether what is being written now still belongs there.
    pub standing: Standing,
}

/// Whether an answer still belongs where it was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It does.
    Current,
    /// The person has written since, or another conversation was begun.
    Overtaken,
}

impl Store {
    /// What was begun in a place and no answer took the place of yet.
    pub async fn preview(
        &self,
        which: ConversationId,
        at: PlaceId,
    ) -> Result<Option<Preview>, StoreError> {
        self.read(move |tx| {
            let found = tx
                .prepare_cached(
                    "SELECT id, message, conversation IS NOT ?2 OR EXISTS (SELECT 1 FROM entry
                         WHERE entry.conversation = ?2 AND entry.message IS NOT NULL AND entry.at > outbox.at)
                     FROM outbox WHERE kind = 'preview' AND place = ?1
                       AND NOT EXISTS (SELECT 1 FROM outbox AS answer WHERE answer.target = outbox.id)
                     ORDER BY id DESC LIMIT 1",
                )?
                .query_row(params![at.0, which.0], |row| {
                    let key: Option<String> = row.get(1)?;
                    let name = key.as_deref().and_then(|key| key.split_once('/'));
                    let message = name.map(|(_, message)| MessageRef::new(message));
                    let standing = match row.get(2)? {
                        true => Standing::Overtaken,
                        false => Standing::Current,
                    };
                    Ok(Preview { id: row.get(0)?, message, standing })
                })
                .optional()?;
            Ok(found)
        })
        .await
    }

    /// Records that an unfinished answer is about to be shown.
    pub async fn begin_preview(
        &self,
        which: ConversationId,
        at: PlaceId,
        now: Timestamp,
    ) -> Result<Preview, StoreError> {
        self.write(move |tx| {
            // The number comes out of the same row as those of letters: no two have the same.
            tx.prepare_cached(
                "INSERT INTO outbox (id, place, conversation, kind, encoded, state, due, at)
                 VALUES (max(?3, 1 + ifnull((SELECT max(id) FROM outbox), 0)), ?1, ?2, 'preview', 'null', 'sent', ?3, ?3)",
            )?
            .execute(params![at.0, which.0, now.0])?;
            Ok(Preview {
                id: tx.last_insert_rowid(),
                message: None,
                standing: Standing::Current,
            })
        })
        .await
    }

    /// Records that it stands there, and under which name.
    pub async fn preview_stands(
        &self,
        id: i64,
        at: PlaceId,
        message: MessageRef,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            tx.prepare_cached("UPDATE outbox SET message = ?2 WHERE id = ?1 AND kind = 'preview'")?
                .execute(params![id, message_key(at, message.as_str())])?;
            Ok(())
        })
        .await
    }

    /// Forgets it: whatever stands there stays, and nothing takes its place any more.
    pub async fn let_go(&self, id: i64) -> Result<(), StoreError> {
        self.write(move |tx| forget(tx, id)).await
    }
}

/// What the first part of a reply takes the place of, if it is known to stand there.
pub(super) fn taken_over(
    tx: &Connection,
    which: ConversationId,
    at: PlaceId,
) -> Result<Option<i64>, StoreError> {
    let found: Option<(i64, bool)> = tx
        .prepare_cached(
            "SELECT id, message IS NOT NULL FROM outbox WHERE kind = 'preview' AND place = ?1 AND conversation = ?2
               AND NOT EXISTS (SELECT 1 FROM outbox AS answer WHERE answer.target = outbox.id)
             ORDER BY id DESC LIMIT 1",
        )?
        .query_row(params![at.0, which.0], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match found {
        Some((id, true)) => Ok(Some(id)),
        Some((id, false)) => forget(tx, id).map(|()| None),
        None => Ok(None),
    }
}

/// Forgets what a letter took the place of, once that is done.
pub(super) fn done(tx: &Connection, letter: i64) -> Result<(), StoreError> {
    let preview: Option<i64> = tx
        .prepare_cached(
            "SELECT preview.id FROM outbox JOIN outbox AS preview ON preview.id = outbox.target
             WHERE outbox.id = ?1 AND preview.kind = 'preview'",
        )?
        .query_row([letter], |row| row.get(0))
        .optional()?;
    preview.map_or(Ok(()), |id| forget(tx, id))
}

fn forget(tx: &Connection, id: i64) -> Result<(), StoreError> {
    tx.prepare_cached("UPDATE outbox SET target = NULL WHERE target = ?1")?
        .execute([id])?;
    tx.prepare_cached("DELETE FROM outbox WHERE id = ?1 AND kind = 'preview'")?
        .execute([id])?;
    Ok(())
}
