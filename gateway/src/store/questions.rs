//! What was asked, where does its card stand, and who answered?

use bot_policy::access::Person;
use bot_policy::approval::{Choice, OpenQuestion, Question, State};
use bot_policy::card::Card;
use bot_policy::id::{ButtonToken, CallId, ConversationId, PersonId, Place, QuestionId, Timestamp};
use bot_policy::message::{Body, Button, Choices, OutboundMessage};
use bot_policy::taint::{Labelled, Taint};
use bot_policy::visible;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use super::audit::{AuditEntry, append, append_all};
use super::conversations::add;
use super::outbox::{About, Letter, notice, post, redraw};
use super::people::{Claimed, person, take_place};
use super::rows::{PlaceId, column, json, place};
use super::{Store, StoreError};
use crate::agent::{Ended, Entry};
use crate::{chance, digest};

/// What a button means; the button itself carries a random token only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Meaning {
    /// A choice on an approval card.
    Approval(Choice),
    /// Whether a group may be used.
    Claim { claim: i64, yes: bool },
    /// A fresh conversation.
    New,
    /// A letter is to be sent once more.
    Resend { letter: i64 },
}

/// A button that was found by its token.
#[derive(Clone, Debug)]
pub struct Pressed {
    /// Where it was put.
    pub place: Place,
    /// Whose it is.
    pub person: PersonId,
    /// What it means.
    pub meaning: Meaning,
    /// The question that it stands under, with its conversation.
    pub question: Option<(ConversationId, OpenQuestion)>,
}

/// How a question is closed by its person.
#[derive(Clone, Debug)]
pub struct Closing {
    /// Which.
    pub question: QuestionId,
    /// Into which state.
    pub state: State,
    /// By whom.
    pub by: Option<PersonId>,
    /// What the card shows then.
    pub outcome: String,
    /// What the model is told, when the call ends with it.
    pub told: Option<String>,
}

/// Makes a button; only the hash of its token is stored.
pub(super) fn button(
    tx: &Connection,
    label: &str,
    at: PlaceId,
    whose: PersonId,
    question: Option<QuestionId>,
    meaning: &Meaning,
) -> Result<Button, StoreError> {
    let token = chance::token().map_err(|_| StoreError::Stopped)?;
    tx.prepare_cached(
        "INSERT INTO button (hash, place, person, question, meaning) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        token_hash(&token),
        at.0,
        whose.0,
        question.map(|id| id.0),
        json(meaning)?
    ])?;
    Ok(Button {
        label: label.to_owned(),
        token,
    })
}

fn token_hash(token: &ButtonToken) -> String {
    digest::hex(token.as_bytes())
}

fn open_row(tx: &Connection, row: &rusqlite::Row<'_>) -> Result<OpenQuestion, StoreError> {
    Ok(OpenQuestion {
        id: QuestionId(row.get("id")?),
        question: column(row, "body")?,
        put_to: PersonId(row.get("put_to")?),
        places: vec![place(tx, PlaceId(row.get("place")?))?],
        state: column(row, "state")?,
        ends_at: Timestamp(row.get("ends_at")?),
    })
}

/// The newest question about a call.
pub(super) fn open_question(
    tx: &Connection,
    of: ConversationId,
    call: &CallId,
) -> Result<Option<OpenQuestion>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT * FROM question WHERE conversation = ?1 AND call = ?2 ORDER BY id DESC LIMIT 1",
    )?;
    let mut rows = found.query(params![of.0, call.as_str()])?;
    rows.next()?.map(|row| open_row(tx, row)).transpose()
}

/// Closes a question if it is in one of these states, and redraws its card. Nothing otherwise:
/// there is exactly one winner.
#[allow(clippy::too_many_arguments, reason = "one row, written in one place")]
pub(super) fn close(
    store: &Store,
    tx: &Connection,
    which: QuestionId,
    from: &[State],
    to: State,
    by: Option<PersonId>,
    outcome: &str,
    now: Timestamp,
) -> Result<Option<Vec<Letter>>, StoreError> {
    let mut found = tx.prepare_cached(
        "SELECT state, card, conversation, call, outcome FROM question WHERE id = ?1",
    )?;
    let mut rows = found.query([which.0])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let state: State = column(row, "state")?;
    if !from.contains(&state) {
        return Ok(None);
    }
    let card: Card = column(row, "card")?;
    let before: Option<String> = row.get("outcome")?;
    let entry = AuditEntry::Closed {
        conversation: ConversationId(row.get("conversation")?),
        call: row.get("call")?,
        state: format!("{to:?}").to_lowercase(),
        by,
    };
    append(tx, now, &entry)?;
    // What was said of the press stays in front of what came of it.
    let outcome = match before {
        Some(before) => format!("{before} · {outcome}"),
        None => outcome.to_owned(),
    };
    tx.prepare_cached(
        "UPDATE question SET state = ?2, closed_at = ?3, outcome = ?4 WHERE id = ?1",
    )?
    .execute(params![which.0, json(&to)?, now.0, outcome])?;
    let card = Card {
        choices: Choices::default(),
        outcome: Some(visible::line(&outcome)),
        ..card
    };
    let message = OutboundMessage {
        body: Body::Card(card),
        answers: None,
    };
    Ok(Some(redraw(store, tx, which, &message, now)?))
}

/// Withdraws every open question that was put in a chat.
pub(super) fn withdraw_all(
    store: &Store,
    tx: &Connection,
    chat: &Place,
    why: &str,
    now: Timestamp,
) -> Result<Vec<Letter>, StoreError> {
    let mut open = tx.prepare_cached(
        "SELECT question.id FROM question JOIN place ON place.id = question.place
         WHERE place.line = ?1 AND place.chat = ?2 AND question.state IN (?3, ?4)",
    )?;
    let open: Vec<QuestionId> = open
        .query_map(
            params![
                chat.line.as_str(),
                chat.chat.as_str(),
                json(&State::Asked)?,
                json(&State::Approved)?
            ],
            |row| row.get(0).map(QuestionId),
        )?
        .collect::<Result<_, _>>()?;
    let mut letters = Vec::new();
    for id in open {
        let from = [State::Asked, State::Approved];
        letters.extend(
            close(store, tx, id, &from, State::Withdrawn, None, why, now)?.unwrap_or_default(),
        );
    }
    Ok(letters)
}

/// The buttons of an approval card, in the order in which they stand.
fn labels(question: &Question, card: &Card) -> Vec<(&'static str, Choice)> {
    let mut labels = vec![("Allow once", Choice::AllowOnce)];
    if question.always.is_some() {
        labels.push(("Always", Choice::Always));
    }
    labels.push(("Deny", Choice::Deny));
    if card.fields.iter().any(|field| field.cut.is_some()) {
        labels.push(("Show all", Choice::ShowAll));
    }
    labels
}

impl Store {
    /// Puts a question: its row, its buttons and its card in one transaction. Nothing when
    /// another card of the conversation still stands or the conversation has ended.
    pub async fn ask(
        &self,
        which: ConversationId,
        question: Question,
        card: Card,
        ends_at: Timestamp,
        notes: Vec<AuditEntry>,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let target: Option<(i64, i64)> = tx
                .query_row(
                    "SELECT place, person FROM conversation WHERE id = ?1 AND ended IS NULL AND NOT EXISTS
                     (SELECT 1 FROM question WHERE conversation = ?1 AND state = ?2)",
                    params![which.0, json(&State::Asked)?],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let Some((at, put_to)) = target else { return Ok(Vec::new()) };
            append_all(tx, now, &notes)?;
            tx.execute(
                "INSERT INTO question (conversation, call, place, body, card, put_to, state, asked_at, ends_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                params![
                    which.0,
                    question.call.id.as_str(),
                    at,
                    json(&question)?,
                    json(&card)?,
                    put_to,
                    json(&State::Asked)?,
                    now.0,
                    ends_at.0
                ],
            )?;
            let id = QuestionId(tx.last_insert_rowid());
            let person = PersonId(put_to);
            let buttons = labels(&question, &card)
                .into_iter()
                .map(|(label, choice)| button(tx, label, PlaceId(at), person, Some(id), &Meaning::Approval(choice)))
                .collect::<Result<_, _>>()?;
            let card = Card { choices: Choices(buttons), ..card };
            append(tx, now, &AuditEntry::Asked { conversation: which, call: question.call.id.to_string(), person })?;
            let message = OutboundMessage { body: Body::Card(card), answers: None };
            post(&store, tx, PlaceId(at), &message, About::Question(which, id), now)
        })
        .await
    }

    /// The button that carries a token.
    pub async fn pressed(&self, token: ButtonToken) -> Result<Option<Pressed>, StoreError> {
        self.read(move |tx| {
            let mut found = tx.prepare_cached("SELECT * FROM button WHERE hash = ?1")?;
            let mut rows = found.query([token_hash(&token)])?;
            let Some(row) = rows.next()? else {
                return Ok(None);
            };
            let question: Option<i64> = row.get("question")?;
            let question = match question {
                Some(id) => {
                    let mut found = tx.prepare_cached("SELECT * FROM question WHERE id = ?1")?;
                    let mut rows = found.query([id])?;
                    match rows.next()? {
                        Some(row) => {
                            Some((ConversationId(row.get("conversation")?), open_row(tx, row)?))
                        }
                        None => None,
                    }
                }
                None => None,
            };
            Ok(Some(Pressed {
                place: place(tx, PlaceId(row.get("place")?))?,
                person: PersonId(row.get("person")?),
                meaning: column(row, "meaning")?,
                question,
            }))
        })
        .await
    }

    /// Closes a question that is still asked. Nothing when it was answered before.
    pub async fn answer(
        &self,
        which: ConversationId,
        closing: Closing,
        now: Timestamp,
    ) -> Result<Option<Vec<Letter>>, StoreError> {
        let store = self.clone();
        self.write(move |tx| answer(&store, tx, which, &closing, now))
            .await
    }

    /// Closes an approved question that may not run as things stand; its call is judged anew.
    pub async fn reopen(
        &self,
        which: QuestionId,
        outcome: &'static str,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            Ok(close(
                &store,
                tx,
                which,
                &[State::Approved],
                State::Changed,
                None,
                outcome,
                now,
            )?
            .unwrap_or_default())
        })
        .await
    }

    /// Closes the questions whose time is over; silence is no.
    pub async fn expire(
        &self,
        now: Timestamp,
    ) -> Result<(Vec<ConversationId>, Vec<Letter>), StoreError> {
        // Looked at with a read, so that nothing is written while nothing ends.
        let any = self
            .read(move |tx| {
                let any: bool = tx
                    .prepare_cached(
                        "SELECT EXISTS (SELECT 1 FROM question WHERE state = ?1 AND ends_at <= ?2)",
                    )?
                    .query_row(params![json(&State::Asked)?, now.0], |row| row.get(0))?;
                Ok(any)
            })
            .await?;
        if !any {
            return Ok((Vec::new(), Vec::new()));
        }
        let store = self.clone();
        self.write(move |tx| {
            let mut due = tx.prepare_cached(
                "SELECT id, conversation FROM question WHERE state = ?1 AND ends_at <= ?2",
            )?;
            let due: Vec<(QuestionId, ConversationId)> = due
                .query_map(params![json(&State::Asked)?, now.0], |row| {
                    Ok((QuestionId(row.get(0)?), ConversationId(row.get(1)?)))
                })?
                .collect::<Result<_, _>>()?;
            let mut letters = Vec::new();
            for (question, which) in &due {
                let closing = Closing {
                    question: *question,
                    state: State::Expired,
                    by: None,
                    outcome: "Nobody answered in time, so it did not run".into(),
                    told: Some(
                        "nobody answered in time; it was not refused, and it did not run".into(),
                    ),
                };
                letters.extend(answer(&store, tx, *which, &closing, now)?.unwrap_or_default());
            }
            Ok((due.into_iter().map(|(_, which)| which).collect(), letters))
        })
        .await
    }

    /// Puts the claim of a group to the owner, in their direct chats.
    pub async fn ask_claim(
        &self,
        place: Place,
        platform: String,
        who: Person,
        now: Timestamp,
    ) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| {
            let thread = place.thread.as_ref().map_or("", bot_policy::id::ThreadId::as_str);
            let ends_at = now.plus_seconds(bot_policy::approval::CHAT_CARD_SECONDS);
            tx.execute(
                "INSERT INTO claim (line, chat, platform, thread, person, ends_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![place.line.as_str(), place.chat.as_str(), platform, thread, who.id.0, ends_at.0],
            )?;
            let claim = tx.last_insert_rowid();
            let text = format!(
                "{} wants to use me in the group {} on {}. Everyone in that group will read my replies.",
                visible::foreign(&who.name),
                place.chat,
                place.line
            );
            let mut letters = Vec::new();
            for (at, owner) in owners_chats(tx)? {
                let yes = button(tx, "Allow this group", at, owner, None, &Meaning::Claim { claim, yes: true })?;
                let no = button(tx, "Deny", at, owner, None, &Meaning::Claim { claim, yes: false })?;
                letters.extend(post(&store, tx, at, &notice(text.clone(), vec![yes, no]), About::Nothing, now)?);
            }
            Ok(letters)
        })
        .await
    }

    /// Decides the claim of a group.
    pub async fn decide_claim(
        &self,
        claim: i64,
        yes: bool,
        now: Timestamp,
    ) -> Result<Claimed, StoreError> {
        self.write(move |tx| {
            let found: Option<(String, String, String, String, i64)> = tx
                .query_row(
                    "UPDATE claim SET closed = 1 WHERE id = ?1 AND closed = 0 AND ends_at > ?2
                     RETURNING line, chat, thread, platform, person",
                    params![claim, now.0],
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
            let Some((line, chat, thread, platform, who)) = found else {
                return Ok(Claimed::Closed);
            };
            let place = Place {
                line: bot_policy::id::LineId::new(line),
                chat: bot_policy::id::ChatId::new(chat),
                thread: (!thread.is_empty()).then(|| bot_policy::id::ThreadId::new(thread)),
            };
            let who = person(tx, PersonId(who))?;
            match who {
                Some(who) if yes && super::people::owner_of(tx, &place)?.is_none() => {
                    take_place(
                        tx,
                        &place,
                        &platform,
                        bot_policy::event::ChatKind::Group,
                        &who,
                        now,
                    )?;
                    Ok(Claimed::By(who, place))
                }
                Some(_) | None => Ok(Claimed::Closed),
            }
        })
        .await
    }

    /// Repeats a letter whose delivery is unknown.
    pub async fn repeat(&self, letter: i64, now: Timestamp) -> Result<Vec<Letter>, StoreError> {
        let store = self.clone();
        self.write(move |tx| store.resend(tx, letter, now)).await
    }
}

fn owners_chats(tx: &Connection) -> Result<Vec<(PlaceId, PersonId)>, StoreError> {
    let mut found = tx.prepare(
        "SELECT place.id, person.id FROM pairing JOIN person ON person.id = pairing.person
         JOIN place ON place.line = pairing.line AND place.chat = pairing.chat AND place.thread = ''
         WHERE person.role = ?1 AND pairing.kind = ?2",
    )?;
    let owner = json(&bot_policy::access::Role::Owner)?;
    let direct = json(&bot_policy::event::ChatKind::Direct)?;
    Ok(found
        .query_map(params![owner, direct], |row| {
            Ok((PlaceId(row.get(0)?), PersonId(row.get(1)?)))
        })?
        .collect::<Result<_, _>>()?)
}

fn answer(
    store: &Store,
    tx: &Connection,
    which: ConversationId,
    closing: &Closing,
    now: Timestamp,
) -> Result<Option<Vec<Letter>>, StoreError> {
    let Some(letters) = close(
        store,
        tx,
        closing.question,
        &[State::Asked],
        closing.state,
        closing.by,
        &closing.outcome,
        now,
    )?
    else {
        return Ok(None);
    };
    if let Some(told) = &closing.told {
        let call: String = tx.query_row(
            "SELECT call FROM question WHERE id = ?1",
            [closing.question.0],
            |row| row.get(0),
        )?;
        let told = Labelled {
            value: told.clone(),
            taint: Taint::default(),
        };
        add(
            tx,
            which,
            &Entry::Result {
                call: CallId::new(call),
                ended: Ended::Denied,
                told,
            },
            None,
            now,
        )?;
    }
    Ok(Some(letters))
}
