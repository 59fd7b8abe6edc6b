//! Which programs of the owner's may speak, and where?

use adapters::web;
use bot_policy::event::ChatKind;
use bot_policy::id::{Platform, Timestamp, UserRef};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::outbox::Letter;
use super::people::{take_place, the_owner};
use super::rows::{column, json, parse};
use super::unpair::unpair;
use super::{Store, StoreError};
use crate::BOT;
use crate::token::ChatToken;

/// What became of the making of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// Nobody is the owner yet.
    NobodysYet,
    /// There is one of that name.
    Taken,
    /// It is there.
    Yes,
}

impl Store {
    /// Keeps a token, and gives it a chat that is the owner's.
    pub async fn keep_token(&self, token: ChatToken, hash: String) -> Result<Made, StoreError> {
        self.write(move |tx| {
            let Some(owner) = the_owner(tx)? else {
                return Ok(Made::NobodysYet);
            };
            let ChatToken {
                name,
                words,
                since,
                account,
            } = token;
            let made = tx.execute(
                "INSERT OR IGNORE INTO chat_token (name, hash, words, bot, account, since) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![name.as_str(), hash, json(&words)?, BOT, account, since.0],
            )?;
            if made == 0 {
                return Ok(Made::Taken);
            }
            let user = UserRef {
                platform: Platform::new(web::NAME),
                id: account.clone(),
            };
            tx.execute(
                "INSERT INTO account (platform, user, person) VALUES (?1, ?2, ?3)",
                params![user.platform.as_str(), user.id, owner.id.0],
            )?;
            let place = web::place(&account);
            take_place(tx, &place, &user, ChatKind::Direct, &owner, since)?;
            Ok(Made::Yes)
        })
        .await
    }

    /// The token of this hash; none when it was revoked or never was.
    pub async fn token(&self, hash: &str) -> Result<Option<ChatToken>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare_cached("SELECT * FROM chat_token WHERE hash = ?1")?;
            let mut rows = found.query([hash])?;
            rows.next()?.map(token).transpose()
        })
        .await
    }

    /// Every token.
    pub async fn tokens(&self) -> Result<Vec<ChatToken>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare_cached("SELECT * FROM chat_token ORDER BY name")?;
            let mut rows = found.query([])?;
            let mut tokens = Vec::new();
            while let Some(row) = rows.next()? {
                tokens.push(token(row)?);
            }
            Ok(tokens)
        })
        .await
    }

    /// Revokes a token and lets go of its chat. Nothing when there is none of that name.
    pub async fn revoke_token(
        &self,
        name: String,
        now: Timestamp,
    ) -> Result<Option<Vec<Letter>>, StoreError> {
        let store = self.clone();
        self.write(move |tx: &Connection| {
            let account: Option<String> = tx
                .query_row(
                    "DELETE FROM chat_token WHERE name = ?1 RETURNING account",
                    [name],
                    |row| row.get(0),
                )
                .optional()?;
            match account {
                None => Ok(None),
                Some(account) => {
                    let letters = unpair(&store, tx, &web::place(&account), now)?;
                    Ok(Some(letters.unwrap_or_default()))
                }
            }
        })
        .await
    }
}

fn token(row: &Row<'_>) -> Result<ChatToken, StoreError> {
    let name = serde_json::Value::String(row.get("name")?);
    Ok(ChatToken {
        name: parse(&name.to_string())?,
        words: column(row, "words")?,
        since: Timestamp(row.get("since")?),
        account: row.get("account")?,
    })
}
