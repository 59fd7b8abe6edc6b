//! What does a press do? It answers a question, and the conversation goes on from the answer.

use std::sync::Arc;

use bot_policy::access::{Person, Role};
use bot_policy::approval::{Choice, Kept, OpenQuestion, Press, Redeemed, Refusal, State, redeem};
use bot_policy::card::card;
use bot_policy::event::ReplyHandle;
use bot_policy::id::{ButtonToken, LineId, MessageRef, Place, QuestionId};
use bot_policy::message::{Addresses, Body, Choices, Notice, OutboundMessage};
use bot_policy::security::{Act, Moment};
use bot_policy::visible;

use super::{CHANGED, asks, event, remember, standing, unreadable};
use crate::agent::Ended;
use crate::conversation::{notice, time_of_day};
use crate::store::{AuditEntry, Claimed, Closing, Meaning, Pressed, StoreError, Trusted};
use crate::{House, clock};

/// Carries out a press of somebody whose place it is. What is returned is told to them alone.
pub(crate) async fn press(
    house: &Arc<House>,
    person: &Person,
    place: &Place,
    token: ButtonToken,
    on: Option<MessageRef>,
) -> Result<Option<String>, StoreError> {
    let Some(pressed) = house.store.pressed(token).await? else {
        return Ok(Some("I do not know this button any more.".into()));
    };
    if pressed.person != person.id || pressed.place != *place {
        return Ok(Some("This is not yours to answer.".into()));
    }
    if let (Some((_, question)), Some(on)) = (&pressed.question, on) {
        let now = clock::now();
        house
            .store
            .card_stands(question.id, place.clone(), on, now)
            .await?;
    }
    match pressed.meaning {
        Meaning::Approval(choice) => approval(house, person, pressed, choice).await,
        Meaning::Choice(at) => asks::chosen(house, person, pressed, Some(at)).await,
        Meaning::SomethingElse => asks::chosen(house, person, pressed, None).await,
        Meaning::Claim { claim, yes } => claimed(house, person, claim, yes).await,
        Meaning::Link(which) => {
            house.post(house.store.link(place.clone(), which, clock::now()).await?);
            Ok(None)
        }
        Meaning::Memory { memory, does } => {
            remember::pressed(house, person, &pressed.place, memory, does).await
        }
        Meaning::New => fresh(house, place).await,
        Meaning::NewAfter(before) => {
            let running = house.store.running(place.clone()).await?;
            if running.is_some_and(|running| running.id == before) {
                fresh(house, place).await
            } else {
                Ok(Some("That conversation is over already.".into()))
            }
        }
        Meaning::Project { file, yes } => project(house, person, file, yes).await,
        Meaning::Resend { letter } => {
            house.post(house.store.repeat(letter, clock::now()).await?);
            Ok(None)
        }
    }
}

async fn fresh(house: &Arc<House>, place: &Place) -> Result<Option<String>, StoreError> {
    let (letters, cancel) = house.store.start_fresh(place.clone(), clock::now()).await?;
    house.post(letters);
    if let Some(id) = cancel {
        house.cancel(id);
    }
    Ok(None)
}

async fn approval(
    house: &Arc<House>,
    person: &Person,
    pressed: Pressed,
    choice: Choice,
) -> Result<Option<String>, StoreError> {
    let Some((which, open)) = pressed.question else {
        return Ok(Some(ANSWERED.into()));
    };
    let Some(loaded) = house.store.conversation(which).await? else {
        return Ok(Some(ANSWERED.into()));
    };
    match choice {
        Choice::More => {
            let more = house.store.show_more(open.id, pressed.place, clock::now());
            house.post(more.await?);
            return Ok(None);
        }
        Choice::ShowAll => return show_all(house, &pressed.place, &open).await,
        Choice::AllLike
        | Choice::AllowOnce
        | Choice::Always
        | Choice::AlwaysBlock
        | Choice::Deny => {}
    }
    let call = &open.question.call;
    let standing = match standing(house, &loaded, call).await? {
        Ok(standing) => standing,
        Err(error) => return Ok(Some(unreadable(&loaded, &error))),
    };
    let press = Press {
        by: person.id,
        place: pressed.place,
        choice,
    };
    let now = clock::now();
    let by = format!("{}, {}", visible::foreign(&person.name), time_of_day(now));
    let redeemed = redeem(&open, &press, &standing, now);
    let notes = judged(&redeemed)
        .map(|done| event::judged_again(house, &loaded, call, &standing, (Moment::Press, done)))
        .into_iter()
        .collect();
    let closing = match redeemed {
        // The permit of this moment is not kept: the conversation takes its own when it runs,
        // by the same judgement, so that a stop in between needs nothing of its own.
        Redeemed::Permitted(_, kept) => Closing {
            question: open.id,
            state: State::Approved,
            by: Some(person.id),
            outcome: match &kept {
                Kept::Approval(rule) => {
                    format!("Allowed by {by}, with all like it here ({})", rule.pattern)
                }
                Kept::Nothing => format!("Allowed once by {by}"),
                Kept::Rule(rule) => format!("Always allowed by {by} ({})", rule.pattern),
            },
            told: None,
            keeps: kept,
            notes,
        },
        Redeemed::Denied(Some(rule)) => Closing {
            question: open.id,
            state: State::Refused,
            by: Some(person.id),
            outcome: format!("Always blocked by {by} ({}); it did not run", rule.pattern),
            told: Some((Ended::Denied, "denied for always, so it did not run".into())),
            keeps: Kept::Rule(rule),
            notes,
        },
        Redeemed::Denied(None) => Closing {
            question: open.id,
            state: State::Refused,
            by: Some(person.id),
            outcome: format!("Denied by {by}; it did not run"),
            told: Some((Ended::Denied, "denied, so it did not run".into())),
            keeps: Kept::Nothing,
            notes,
        },
        Redeemed::Changed => Closing {
            question: open.id,
            state: State::Changed,
            by: None,
            outcome: format!("{CHANGED}; see the new card"),
            told: None,
            keeps: Kept::Nothing,
            notes,
        },
        Redeemed::Refused(Refusal::DeniedNow) => Closing {
            question: open.id,
            state: State::Withdrawn,
            by: None,
            outcome: "The rules forbid this now, so it did not run".into(),
            told: Some((
                Ended::Denied,
                "the rules forbid this now, so it did not run".into(),
            )),
            keeps: Kept::Nothing,
            notes,
        },
        Redeemed::Refused(refusal) => return Ok(Some(refused(refusal).into())),
    };
    match house.store.answer(which, closing, now).await? {
        Some(letters) => {
            house.post(letters);
            house.wake(house.store.family(which).await?);
            save_rule(house, open.id).await
        }
        None => Ok(Some(ANSWERED.into())),
    }
}

/// What today's judgement of a press came to, where the press was judged at all.
fn judged(redeemed: &Redeemed) -> Option<Act> {
    match redeemed {
        Redeemed::Changed => Some(Act::Asked),
        Redeemed::Permitted(..) => Some(Act::Allowed),
        Redeemed::Refused(Refusal::DeniedNow) => Some(Act::Denied),
        Redeemed::Denied(_)
        | Redeemed::Refused(
            Refusal::Closed
            | Refusal::Expired
            | Refusal::NotADecision
            | Refusal::WrongPerson
            | Refusal::WrongPlace,
        ) => None,
    }
}

/// Puts the rules of all answers into the owner's file that a stop of the program kept from it.
pub(crate) async fn save_rules(house: &House) -> Result<Option<String>, StoreError> {
    let mut trouble = None;
    for (question, ..) in house.store.unsaved_rules().await? {
        trouble = save_rule(house, question).await?.or(trouble);
    }
    Ok(trouble)
}

/// Puts the rule of an answer into the owner's file. The answer was stored before, so that one
/// that lost a race saves nothing; what cannot be saved now is told, and tried again at the next
/// start.
async fn save_rule(house: &House, of: QuestionId) -> Result<Option<String>, StoreError> {
    let unsaved = house.store.unsaved_rules().await?;
    let mine = unsaved.into_iter().find(|(question, ..)| *question == of);
    let Some((_, person, rule)) = mine else {
        return Ok(None);
    };
    let saved = AuditEntry::RuleSaved {
        person,
        pattern: house.secrets.cut(&rule.pattern),
    };
    if let Err(error) = house.rulebook.add(rule) {
        return Ok(Some(format!(
            "Your answer counts, but its rule is not saved: {error}"
        )));
    }
    house.store.note(saved, clock::now()).await?;
    house.store.rule_settled(of).await?;
    Ok(None)
}

pub(super) const ANSWERED: &str = "This was answered before, or it has ended.";

fn refused(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Closed | Refusal::DeniedNow => ANSWERED,
        Refusal::Expired => "This card has ended; nothing ran.",
        Refusal::NotADecision => "This button decides nothing here.",
        Refusal::WrongPerson | Refusal::WrongPlace => "This is not yours to answer.",
    }
}

async fn show_all(
    house: &House,
    place: &Place,
    open: &OpenQuestion,
) -> Result<Option<String>, StoreError> {
    let call = &open.question.call;
    let whole = card(
        &house.secrets.cut_question(&open.question),
        house.tools.spec(call),
        Choices::default(),
        usize::MAX,
    );
    let fields: Vec<String> = whole
        .fields
        .iter()
        .map(|field| format!("{}:\n{}", field.label, field.value))
        .collect();
    let text = format!("The whole of {}\n\n{}", whole.title, fields.join("\n\n"));
    let message = OutboundMessage {
        body: Body::Notice(Notice {
            text,
            addresses: Addresses::Inert,
            choices: Choices::default(),
        }),
        answers: None,
    };
    house.post(
        house
            .store
            .say(place.clone(), message, clock::now())
            .await?,
    );
    Ok(None)
}

async fn claimed(
    house: &Arc<House>,
    person: &Person,
    claim: i64,
    yes: bool,
) -> Result<Option<String>, StoreError> {
    // The buttons were put to the owner alone; who is owner is read again all the same.
    if person.role != Role::Owner {
        return Ok(Some("Only the owner can say this.".into()));
    }
    let now = clock::now();
    match house.store.decide_claim(claim, yes, now).await? {
        Claimed::By(who, place) => {
            let text = format!(
                "This group is paired with {}. I answer only them: mention me, reply to me, or use a command.",
                visible::foreign(&who.name)
            );
            house.announce_again(&place.line);
            house.post(house.store.say(place, notice(text), now).await?);
            Ok(Some("The group is paired.".into()))
        }
        Claimed::Closed if yes => Ok(Some(ANSWERED.into())),
        Claimed::Closed => Ok(Some("The group stays unpaired.".into())),
    }
}

async fn project(
    house: &House,
    person: &Person,
    file: i64,
    yes: bool,
) -> Result<Option<String>, StoreError> {
    if person.role != Role::Owner {
        return Ok(Some("Only the owner can say this.".into()));
    }
    let trusted = house
        .store
        .trust_project(file, person.id, yes, clock::now())
        .await?;
    let text = match trusted {
        Trusted::Closed => ANSWERED,
        Trusted::No => "It is not trusted: what it tightens counts, what it loosens does not.",
        Trusted::Yes => "This very file is trusted. If it changes, I ask again.",
    };
    Ok(Some(text.into()))
}

/// Answers the platform about a press or a command, as well as it can: the card is what counts.
pub(crate) async fn acknowledge(
    house: Arc<House>,
    line: LineId,
    reply: ReplyHandle,
    notice: Option<String>,
) {
    let notice = notice.map(|notice| house.secrets.cut_known(&notice));
    if let Some(adapter) = house.lines.get(&line)
        && let Err(error) = adapter.acknowledge(&reply, notice.as_deref()).await
    {
        tracing::debug!(%error, %line, "a press was not acknowledged");
    }
}

/// Shows that an answer is being written, where the platform can.
pub(crate) async fn show_typing(house: &House, place: &Place) {
    // Not worth a call where the platform asked us to be quiet.
    if house.holds.until(place, clock::now()).is_none()
        && let Some(adapter) = house.lines.get(&place.line)
        && let Err(error) = adapter.typing(place).await
    {
        tracing::debug!(%error, line = %place.line, "typing was not shown");
    }
}
