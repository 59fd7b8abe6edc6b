//! Which codes live, and what does a try of one come to?

use bot_policy::access::{Directory, Person, Role, STRANGER_WINDOW_SECONDS};
use bot_policy::event::{ChatKind, InboundEvent, Sender};
use bot_policy::id::{ConversationId, Timestamp, UserRef};
use bot_policy::pairing::{
    CODE_LIFE_SECONDS, Code, CodeHash, CodeRole, LIVE_CODES, LiveCodes, Redemption, StoredCode,
    Tries, redeem, shown_in,
};
use rusqlite::{Connection, params};

use super::audit::{AuditEntry, append};
use super::inbox::{Accepted, answer};
use super::outbox::Letter;
use super::people::{pair, sender_key};
use super::rows::{column, json};
use super::{Store, StoreError};

/// What a try of a code came to.
pub(super) enum Tried {
    Burnt,
    Paired(Person, Vec<Letter>),
    Silenced,
    Wrong(LiveCodes),
}

/// What a try of a link code came to.
pub(super) enum TriedLink {
    Linked(ConversationId),
    Silenced,
    Wrong,
}

/// Tries a code; whatever follows from it is done in the same transaction.
pub(super) fn try_code(
    store: &Store,
    tx: &Connection,
    event: &InboundEvent,
    user: &UserRef,
    typed: &str,
    now: Timestamp,
) -> Result<Tried, StoreError> {
    let codes = live_codes(tx)?;
    match redeem(
        typed,
        &codes,
        tries(tx, user, now)?,
        event.kind_of_chat,
        now,
    ) {
        Redemption::Burnt(hash) => {
            tx.execute("DELETE FROM code WHERE hash = ?1", [hash.0])?;
            Ok(Tried::Burnt)
        }
        Redemption::Paired(hash, role) => {
            tx.execute("DELETE FROM code WHERE hash = ?1", [hash.0])?;
            let (person, letters) = pair(store, tx, event, user, &role, now)?;
            Ok(Tried::Paired(person, letters))
        }
        Redemption::Silenced => Ok(Tried::Silenced),
        Redemption::Wrong { live_codes } => {
            note_wrong(tx, user, live_codes, now)?;
            Ok(Tried::Wrong(live_codes))
        }
    }
}

/// Tries a code that links: the same tries count, and what a group saw is void.
pub(super) fn try_link(
    tx: &Connection,
    user: &UserRef,
    typed: &str,
    kind: ChatKind,
    now: Timestamp,
) -> Result<TriedLink, StoreError> {
    let codes = link_codes(tx)?;
    match redeem(typed, &codes, tries(tx, user, now)?, kind, now) {
        Redemption::Burnt(hash) => {
            burn(tx, &hash)?;
            Ok(TriedLink::Wrong)
        }
        Redemption::Paired(hash, _) => Ok(TriedLink::Linked(tx.query_row(
            "DELETE FROM link_code WHERE hash = ?1 RETURNING conversation",
            [hash.0],
            |row| row.get(0).map(ConversationId),
        )?)),
        Redemption::Silenced => Ok(TriedLink::Silenced),
        Redemption::Wrong { live_codes } => {
            note_wrong(tx, user, live_codes, now)?;
            Ok(TriedLink::Wrong)
        }
    }
}

fn tries(tx: &Connection, user: &UserRef, now: Timestamp) -> Result<Tries, StoreError> {
    let day = now.plus_seconds(-STRANGER_WINDOW_SECONDS).0;
    let life = now.plus_seconds(-CODE_LIFE_SECONDS).0;
    Ok(Tries {
        by_sender: tx.query_row(
            "SELECT count(*) FROM wrong_try WHERE sender = ?1 AND at > ?2",
            params![sender_key(user), day],
            |row| row.get(0),
        )?,
        in_all: tx.query_row(
            "SELECT count(*) FROM wrong_try WHERE counts = 1 AND at > ?1",
            [life],
            |row| row.get(0),
        )?,
    })
}

fn note_wrong(
    tx: &Connection,
    user: &UserRef,
    live_codes: LiveCodes,
    now: Timestamp,
) -> Result<(), StoreError> {
    let day = now.plus_seconds(-STRANGER_WINDOW_SECONDS).0;
    tx.execute("DELETE FROM wrong_try WHERE at <= ?1", [day])?;
    tx.execute(
        "INSERT INTO wrong_try (at, sender) VALUES (?1, ?2)",
        params![now.0, sender_key(user)],
    )?;
    if live_codes == LiveCodes::Void {
        tx.execute("DELETE FROM code", [])?;
        tx.execute("DELETE FROM link_code", [])?;
        tx.execute("UPDATE wrong_try SET counts = 0", [])?;
        append(tx, now, &AuditEntry::CodesVoided)?;
    }
    Ok(())
}

/// The live codes that link; whoever has one is the owner already.
fn link_codes(tx: &Connection) -> Result<Vec<StoredCode>, StoreError> {
    let mut live = tx.prepare_cached("SELECT hash, ends_at FROM link_code")?;
    let live = live.query_map([], |row| {
        Ok(StoredCode {
            hash: CodeHash(row.get(0)?),
            role: CodeRole::Owner,
            ends_at: Timestamp(row.get(1)?),
        })
    })?;
    Ok(live.collect::<Result<_, _>>()?)
}

fn burn(tx: &Connection, hash: &CodeHash) -> Result<(), StoreError> {
    for burn in [
        "DELETE FROM code WHERE hash = ?1",
        "DELETE FROM link_code WHERE hash = ?1",
    ] {
        tx.prepare_cached(burn)?.execute([&hash.0])?;
    }
    Ok(())
}

fn live_codes(tx: &Connection) -> Result<Vec<StoredCode>, StoreError> {
    let mut live = tx.prepare_cached("SELECT hash, role, ends_at FROM code")?;
    let mut rows = live.query([])?;
    let mut codes = Vec::new();
    while let Some(row) = rows.next()? {
        codes.push(StoredCode {
            hash: CodeHash(row.get(0)?),
            role: column(row, "role")?,
            ends_at: Timestamp(row.get(2)?),
        });
    }
    Ok(codes)
}

/// Burns every live code that a text shows.
pub(super) fn burn_shown(tx: &Connection, text: &str, now: Timestamp) -> Result<(), StoreError> {
    let mut live = live_codes(tx)?;
    live.extend(link_codes(tx)?);
    shown_in(text, &live, now)
        .iter()
        .try_for_each(|hash| burn(tx, hash))
}

impl Store {
    /// Keeps a code. The oldest goes when more than may live at once would.
    pub async fn keep_code(
        &self,
        code: &Code,
        role: CodeRole,
        now: Timestamp,
    ) -> Result<Timestamp, StoreError> {
        let hash = code.hash();
        let ends_at = now.plus_seconds(CODE_LIFE_SECONDS);
        self.write(move |tx| {
            tx.execute("DELETE FROM code WHERE ends_at <= ?1", [now.0])?;
            tx.execute("INSERT INTO code (hash, role, ends_at) VALUES (?1, ?2, ?3)", params![hash.0, json(&role)?, ends_at.0])?;
            tx.execute(
                "DELETE FROM code WHERE hash NOT IN (SELECT hash FROM code ORDER BY ends_at DESC LIMIT ?1)",
                [LIVE_CODES as i64],
            )?;
            Ok(ends_at)
        })
        .await
    }
}

/// Tries a code and answers what came of it; a stranger who hears nothing hears of success alone.
#[allow(clippy::too_many_arguments, reason = "one step, taken in one place")]
pub(super) fn code_sent(
    store: &Store,
    tx: &Connection,
    event: &InboundEvent,
    known: &Directory,
    code: &str,
    welcome: Option<&str>,
    now: Timestamp,
    accepted: &mut Accepted,
) -> Result<(), StoreError> {
    let Sender::Person(user) = &event.sender else {
        return Ok(());
    };
    match try_code(store, tx, event, user, code, now)? {
        Tried::Paired(person, letters) => {
            accepted.letters.extend(letters);
            let who = match person.role {
                Role::Guest => format!("as the guest {}", person.name),
                Role::Owner => "as the owner".to_owned(),
            };
            let mut text = format!(
                "You are paired {who}. Only your messages and your presses count here. /help shows what you can type."
            );
            if let (Some(welcome), Role::Owner) = (welcome, person.role) {
                text.push_str("\n\n");
                text.push_str(welcome);
            }
            answer(store, tx, event, &text, now, accepted)?;
            accepted.paired.push(person);
            accepted.menus.insert(event.place.line.clone());
        }
        Tried::Burnt if known.hears_nothing() => {}
        Tried::Burnt => {
            let text = "That code was shown to a group, so it is void now. Get a new one and send it in a direct chat.";
            answer(store, tx, event, text, now, accepted)?;
        }
        Tried::Wrong(live) => {
            accepted.codes = Some(live);
            if event.kind_of_chat == ChatKind::Direct && !known.hears_nothing() {
                let text = "That code is not valid. Codes live ten minutes and work once; get a new one with: postern pair";
                answer(store, tx, event, text, now, accepted)?;
            }
        }
        Tried::Silenced => {}
    }
    Ok(())
}
