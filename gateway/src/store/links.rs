//! In which places is a conversation shown? Its own, and the chats that it is linked to.

use bot_policy::access::Person;
use bot_policy::approval::CHAT_CARD_SECONDS;
use bot_policy::event::{InboundEvent, PartBody, Sender};
use bot_policy::id::{ConversationId, Place, QuestionId, Timestamp};
use bot_policy::message::{Button, OutboundMessage};
use bot_policy::pairing::{CODE_LIFE_SECONDS, Code};
use bot_policy::taint::Labelled;
use bot_policy::visible;
use rusqlite::{Connection, OptionalExtension, params};

use super::buttons::{Meaning, button};
use super::code::{codes, coding, is_terminal};
use super::codes::{TriedLink, try_link};
use super::console::last_said;
use super::conversations::running;
use super::outbox::{About, Letter, notice, post, redraw};
use super::questions::closed_face;
use super::rows::{PlaceId, place};
use super::stand::put_up;
use super::{Store, StoreError};
use crate::chance;

/// How many Code conversations are offered at once.
const OFFERED: i64 = 8;
/// How much of a folder's name a button shows, in characters.
const LABEL: usize = 20;

/// Every place that shows a conversation: its own first.
pub(super) fn shown_in(tx: &Connection, which: ConversationId) -> Result<Vec<PlaceId>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT place, 0 AS rank FROM conversation WHERE id = ?1
         UNION ALL
         SELECT link.place, 1 FROM conversation JOIN link
             ON link.conversation = coalesce(conversation.parent, conversation.id)
         WHERE conversation.id = ?1 ORDER BY rank, place",
    )?;
    let found = found.query_map([which.0], |row| row.get(0).map(PlaceId))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// The chats that a conversation is linked to.
pub(super) fn linked_to(
    tx: &Connection,
    which: ConversationId,
) -> Result<Vec<PlaceId>, StoreError> {
    Ok(shown_in(tx, which)?.into_iter().skip(1).collect())
}

/// Puts a message into the outbox of every place that shows the conversation, as it is to be
/// there.
pub(super) fn post_each(
    store: &Store,
    tx: &Connection,
    which: ConversationId,
    about: About,
    now: Timestamp,
    mut message: impl FnMut(PlaceId) -> Result<OutboundMessage, StoreError>,
) -> Result<Vec<Letter>, StoreError> {
    let mut letters = Vec::new();
    for at in shown_in(tx, which)? {
        letters.extend(post(store, tx, at, &message(at)?, about, now)?);
    }
    Ok(letters)
}

/// The same message in all of them.
pub(super) fn post_all(
    store: &Store,
    tx: &Connection,
    which: ConversationId,
    message: &OutboundMessage,
    about: About,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    post_each(store, tx, which, about, now, |_| Ok(message.clone()))
}

/// Shows what the person said in one place in the others.
pub(super) fn echo(
    store: &Store,
    tx: &Connection,
    which: ConversationId,
    from: PlaceId,
    parts: &[Labelled<PartBody>],
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let others = shown_in(tx, which)?.into_iter().filter(|at| *at != from);
    let others: Vec<PlaceId> = others.collect();
    if others.is_empty() {
        return Ok(Vec::new());
    }
    let said = parts.iter().map(|part| match &part.value {
        PartBody::File(_) => "(a file)",
        PartBody::Text(text) => text.as_str(),
    });
    let said = said.collect::<Vec<_>>().join("\n");
    let text = format!(
        "From {}: {}",
        place(tx, from)?.line,
        visible::foreign(&said)
    );
    let mut letters = Vec::new();
    for at in others {
        let message = notice(text.clone(), Vec::new());
        letters.extend(post(store, tx, at, &message, About::Nothing, now)?);
    }
    Ok(letters)
}

/// What `/link` does: with nothing after it, it offers what goes on; with a code, it links; at a
/// terminal it makes a code.
pub(super) fn link_command(
    store: &Store,
    tx: &Connection,
    event: &InboundEvent,
    at: PlaceId,
    person: &Person,
    argument: &str,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let mut letters = Vec::new();
    let (text, choices) = if is_terminal(tx, at)? {
        let which = running(tx, at)?;
        (
            which.map_or(Ok(GONE.to_owned()), |which| fresh_code(tx, which, now))?,
            Vec::new(),
        )
    } else if argument.is_empty() {
        offer(tx, at, person, now)?
    } else {
        let Sender::Person(user) = &event.sender else {
            return Ok(letters);
        };
        match try_link(tx, user, argument, event.kind_of_chat, now)? {
            TriedLink::Linked(which) => {
                letters.extend(link(store, tx, at, which, now)?);
                return Ok(letters);
            }
            TriedLink::Silenced => return Ok(letters),
            TriedLink::Wrong => (WRONG.to_owned(), Vec::new()),
        }
    };
    letters.extend(post(
        store,
        tx,
        at,
        &notice(text, choices),
        About::Nothing,
        now,
    )?);
    Ok(letters)
}

const WRONG: &str = "I do not know that code. It may be mistyped, used before, or older than ten minutes; type /link in the Code conversation for a new one, or send /link alone to choose from a list.";
const GONE: &str = "There is no Code conversation here any more.";

/// Makes the code with which a chat continues the conversation; it is shown once.
fn fresh_code(
    tx: &Connection,
    which: ConversationId,
    now: Timestamp,
) -> Result<String, StoreError> {
    let code = Code::from_random(chance::bytes()?);
    tx.execute(
        "DELETE FROM link_code WHERE ends_at <= ?1 OR conversation = ?2",
        params![now.0, which.0],
    )?;
    tx.execute(
        "INSERT INTO link_code (hash, conversation, ends_at) VALUES (?1, ?2, ?3)",
        params![
            code.hash().0,
            which.0,
            now.plus_seconds(CODE_LIFE_SECONDS).0
        ],
    )?;
    Ok(format!(
        "To go on from your phone, send there: /link {}\n(in your own chat with me; it works once, within ten minutes)",
        code.reveal()
    ))
}

fn offer(
    tx: &Connection,
    at: PlaceId,
    person: &Person,
    now: Timestamp,
) -> Result<(String, Vec<Button>), StoreError> {
    let found = codes(tx, OFFERED)?;
    if found.is_empty() {
        let text = "No Code conversation is open. Begin one at your terminal with: postern code";
        return Ok((text.to_owned(), Vec::new()));
    }
    let mut text = "Which Code conversation shall go on here?".to_owned();
    let mut buttons = Vec::new();
    for (number, seen) in (1..).zip(found) {
        let folder = visible::line(&seen.folder);
        let ago = crate::cli::screen::span(seen.at, now);
        let last = seen.last.unwrap_or_default();
        let words: Vec<&str> = last.split_whitespace().take(80).collect();
        let last: String = words.join(" ").chars().take(80).collect();
        let last = visible::line(&last);
        let linked = if seen.linked.is_empty() {
            ""
        } else {
            ", linked"
        };
        text.push_str(&format!(
            "\n{number}. {} ({ago} ago{linked}): {}",
            visible::foreign(folder.as_str()),
            visible::foreign(last.as_str())
        ));
        let name = folder.as_str().rsplit('/').next().unwrap_or_default();
        let label: String = format!("{number}. {name}").chars().take(LABEL).collect();
        let meaning = Meaning::Link(seen.id);
        buttons.push(button(tx, &label, at, person.id, None, &meaning)?);
    }
    Ok((text, buttons))
}

/// Continues a conversation in a chat. What ran there before rests, and comes back afterwards.
pub(super) fn link(
    store: &Store,
    tx: &Connection,
    at: PlaceId,
    which: ConversationId,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let Some(code) = coding(tx, which)?.filter(|_| !is_terminal(tx, at).unwrap_or(true)) else {
        let gone = notice(GONE, Vec::new());
        return post(store, tx, at, &gone, About::Nothing, now);
    };
    let mut letters = unlink(store, tx, at, now)?.unwrap_or_default();
    tx.execute(
        "INSERT INTO link (place, conversation, before, at) SELECT ?1, ?2, conversation, ?3 FROM place WHERE id = ?1",
        params![at.0, which.0, now.0],
    )?;
    tx.execute(
        "UPDATE place SET conversation = ?2, linked = 1 WHERE id = ?1",
        params![at.0, which.0],
    )?;
    let folder = visible::line(&code.folder.path.display().to_string());
    let last = last_said(tx, which)?;
    let last = last.map_or_else(String::new, |(_, last)| {
        let last: String = last.chars().take(300).collect();
        format!("\nLast there: {}", visible::foreign(&last))
    });
    let here = format!(
        "Linked: what you write here goes to the Code conversation in {}. /unlink lets go.{last}",
        visible::foreign(folder.as_str())
    );
    letters.extend(post(
        store,
        tx,
        at,
        &notice(here, Vec::new()),
        About::Nothing,
        now,
    )?);
    let name = place(tx, at)?.line;
    for other in shown_in(tx, which)?
        .into_iter()
        .filter(|other| *other != at)
    {
        let told = notice(
            format!("Linked to {name}: it goes on there too."),
            Vec::new(),
        );
        letters.extend(post(store, tx, other, &told, About::Nothing, now)?);
    }
    for question in open_questions(tx, which)? {
        // From here on it stands in a chat too, and lives as long as a card there.
        tx.execute(
            "UPDATE question SET ends_at = min(ends_at, ?2) WHERE id = ?1",
            params![question.0, now.plus_seconds(CHAT_CARD_SECONDS).0],
        )?;
        letters.extend(put_up(store, tx, question, at, now)?);
    }
    Ok(letters)
}

/// Lets a chat go: its cards of the conversation are closed there, and what ran before goes on.
/// Nothing when it was not linked.
pub(super) fn unlink(
    store: &Store,
    tx: &Connection,
    at: PlaceId,
    now: Timestamp,
) -> Result<Option<Vec<Letter>>, StoreError> {
    let found: Option<(i64, Option<i64>)> = tx
        .query_row(
            "DELETE FROM link WHERE place = ?1 RETURNING conversation, before",
            [at.0],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let Some((which, before)) = found else {
        return Ok(None);
    };
    tx.execute(
        "UPDATE place SET linked = 0, conversation =
             (SELECT id FROM conversation WHERE id = ?2 AND ended IS NULL) WHERE id = ?1",
        params![at.0, before],
    )?;
    let mut letters = Vec::new();
    let line = place(tx, at)?.line;
    for other in shown_in(tx, ConversationId(which))? {
        let told = format!("Unlinked from {line}: it goes on without that chat.");
        let told = notice(told, Vec::new());
        letters.extend(post(store, tx, other, &told, About::Nothing, now)?);
    }
    for question in open_questions(tx, ConversationId(which))? {
        tx.execute(
            "DELETE FROM button WHERE question = ?1 AND place = ?2",
            params![question.0, at.0],
        )?;
        let closed = closed_face(
            tx,
            question,
            "This chat was unlinked; it waits at the terminal",
        )?;
        letters.extend(redraw(store, tx, question, &closed, Some(at), now)?);
    }
    Ok(Some(letters))
}

/// Lets go of every link that a chat has.
pub(super) fn unlink_chat(
    store: &Store,
    tx: &Connection,
    chat: &Place,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let mut found =
        tx.prepare_cached("SELECT id FROM place WHERE line = ?1 AND chat = ?2 AND linked = 1")?;
    let found: Vec<PlaceId> = found
        .query_map(params![chat.line.as_str(), chat.chat.as_str()], |row| {
            row.get(0).map(PlaceId)
        })?
        .collect::<Result<_, _>>()?;
    let mut letters = Vec::new();
    for at in found {
        letters.extend(unlink(store, tx, at, now)?.unwrap_or_default());
    }
    Ok(letters)
}

/// The questions of a conversation and of its workers that wait.
fn open_questions(tx: &Connection, which: ConversationId) -> Result<Vec<QuestionId>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT question.id FROM question JOIN conversation ON conversation.id = question.conversation
         WHERE coalesce(conversation.parent, conversation.id) = ?1 AND question.state = '\"Asked\"'",
    )?;
    let found = found.query_map([which.0], |row| row.get(0).map(QuestionId))?;
    Ok(found.collect::<Result<_, _>>()?)
}

impl Store {
    /// Continues a Code conversation in a chat of the owner's, as a button asks.
    pub async fn link(
        &self,
        at: Place,
        which: ConversationId,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let at = super::rows::place_id(tx, &at)?;
            link(&store, tx, at, which, now)
        })
        .await
    }

    /// Makes a link code for the Code conversation, as its terminal shows it.
    pub async fn link_words(
        &self,
        which: ConversationId,
        now: Timestamp,
    ) -> Result<String, StoreError> {
        self.write(move |tx| fresh_code(tx, which, now)).await
    }

    /// Shows a message wherever a conversation is shown.
    pub async fn tell(
        &self,
        which: ConversationId,
        message: OutboundMessage,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| post_all(&store, tx, which, &message, About::Nothing, now))
            .await
    }
}
