//! Where does the owner speak alone with Postern?

use bot_policy::access::Role;
use bot_policy::event::ChatKind;
use bot_policy::id::{ChatId, LineId, Place, Platform, UserRef};

use rusqlite::params;

use super::rows::json;
use super::{Store, StoreError};
use crate::code::LINE;

/// A direct chat of the owner's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnChat {
    /// Where.
    pub place: Place,
    /// Whose account speaks there.
    pub user: UserRef,
}

impl Store {
    /// The direct chats that the owner paired, the one that spoke last first.
    pub async fn own_chats(&self) -> Result<Vec<OwnChat>, StoreError> {
        self.read(|tx| {
            let mut found = tx.prepare_cached(
                "SELECT pairing.line, pairing.chat, platform, user,
                        (SELECT max(outbox.id) FROM place JOIN outbox ON outbox.place = place.id
                         WHERE place.line = pairing.line AND place.chat = pairing.chat) AS newest
                 FROM own_pairing AS pairing JOIN person ON person.id = pairing.person
                 WHERE person.role = ?1 AND pairing.kind = ?2 AND pairing.line <> ?3 ORDER BY newest DESC, 1, 2",
            )?;
            let found =
                found.query_map(params![json(&Role::Owner)?, json(&ChatKind::Direct)?, LINE], |row| {
                    Ok(OwnChat {
                        place: Place {
                            line: LineId::new(row.get::<_, String>(0)?),
                            chat: ChatId::new(row.get::<_, String>(1)?),
                            thread: None,
                        },
                        user: UserRef {
                            platform: Platform::new(row.get::<_, String>(2)?),
                            id: row.get(3)?,
                        },
                    })
                })?;
            Ok(found.collect::<Result<_, _>>()?)
        })
        .await
    }
}
