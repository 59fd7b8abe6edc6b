//! May it run? Every call and every press passes here; nothing else holds a permit.

use std::sync::Arc;

use bot_policy::access::{Person, Role};
use bot_policy::approval::{
    CHAT_CARD_SECONDS, Choice, OpenQuestion, Press, Redeemed, Refusal, State, redeem,
    resume as permit_of,
};
use bot_policy::call::Call;
use bot_policy::card::card;
use bot_policy::decide::{CanAsk, Decision, Limits, Permit, Standing, Surface, Verdict, decide};
use bot_policy::event::ReplyHandle;
use bot_policy::grants::Grants;
use bot_policy::id::{ButtonToken, ConversationId, LineId, Place, QuestionId};
use bot_policy::message::Choices;
use bot_policy::risk::Threshold;
use bot_policy::taint::{Labelled, Taint};
use bot_policy::tool::{Reads, effects};
use bot_policy::visible;

use crate::agent::tools::ToolError;
use crate::agent::{CALLS_PER_TURN, CardStands, Ended};
use crate::conversation::{Flow, notice, time_of_day, whose};
use crate::rulebook::RulebookError;
use crate::store::{AuditEntry, Claimed, Closing, Loaded, Meaning, Pressed, StoreError};
use crate::{House, clock};

/// Emails that a place may send in a day.
const EMAILS_PER_DAY: u32 = 20;

/// Judges a call and does what was judged.
pub(crate) async fn judge(
    house: &Arc<House>,
    loaded: &Loaded,
    call: Call,
    card_stands: CardStands,
) -> Result<Flow, StoreError> {
    let standing = match standing(house, loaded, &call).await {
        Ok(standing) => standing,
        Err(error) => return deny(house, loaded, &call, &error.to_string(), Vec::new()).await,
    };
    let decision = decide(call.clone(), &standing);
    let judged = judged(loaded.id, &call, &decision);
    match decision.verdict {
        Verdict::Allow(permit) => run(house, loaded, permit, None, vec![judged]).await,
        Verdict::Ask(_) if card_stands == CardStands::Yes => Ok(Flow::Rest),
        Verdict::Ask(question) => {
            let now = clock::now();
            let shown = card(
                &question,
                house.tools.spec(&call),
                Choices::default(),
                house.card_body(&loaded.place),
            );
            let letters = house
                .store
                .ask(
                    loaded.id,
                    question,
                    shown,
                    now.plus_seconds(CHAT_CARD_SECONDS),
                    vec![judged],
                    now,
                )
                .await?;
            let asked = !letters.is_empty();
            house.post(letters);
            Ok(if asked { Flow::More } else { Flow::Rest })
        }
        Verdict::Deny(reason) => deny(house, loaded, &call, &reason.text, vec![judged]).await,
    }
}

/// Runs what the person approved, if it may still run.
pub(crate) async fn resume(
    house: &Arc<House>,
    loaded: &Loaded,
    question: OpenQuestion,
) -> Result<Flow, StoreError> {
    let call = question.question.call.clone();
    let permit = match standing(house, loaded, &call).await {
        Ok(standing) => permit_of(&question, &standing),
        Err(_) => None,
    };
    match permit {
        Some(permit) => run(house, loaded, permit, Some(question.id), Vec::new()).await,
        None => {
            house.post(
                house
                    .store
                    .reopen(question.id, CHANGED, clock::now())
                    .await?,
            );
            Ok(Flow::More)
        }
    }
}

const CHANGED: &str = "Things changed since this card was shown, so it did not run";

async fn run(
    house: &Arc<House>,
    loaded: &Loaded,
    permit: Permit,
    question: Option<QuestionId>,
    notes: Vec<AuditEntry>,
) -> Result<Flow, StoreError> {
    let call = permit.call().id.clone();
    if !house
        .store
        .start(loaded.id, call.clone(), question, notes, clock::now())
        .await?
    {
        return Ok(Flow::More);
    }
    let brings = brings(house, permit.call());
    let (ended, told, outcome) = match house.tools.run(permit, &whose(loaded)).await {
        Ok(deed) => {
            let taint = deed.told.taint.join(&brings);
            (Ended::Done, Labelled { taint, ..deed.told }, deed.outcome)
        }
        Err(ToolError(why)) => (
            Ended::Failed,
            Labelled {
                value: format!("failed: {why}"),
                taint: Taint::default(),
            },
            format!("failed: {why}"),
        ),
    };
    let letters = house
        .store
        .finish(
            loaded.id,
            call,
            ended,
            told,
            outcome,
            Vec::new(),
            clock::now(),
        )
        .await?;
    house.post(letters);
    Ok(Flow::More)
}

/// The marks that a call's result carries by what the call reads, whatever the tool says of it.
fn brings(house: &House, call: &Call) -> Taint {
    let origin = call.head();
    match house.tools.spec(call).map(|spec| effects(spec, call).reads) {
        Some(Reads::Own) => Taint::default(),
        Some(Reads::Private) => Taint::private(origin),
        Some(Reads::Outside | Reads::Source(_)) | None => Taint::outside(origin),
    }
}

async fn deny(
    house: &House,
    loaded: &Loaded,
    call: &Call,
    why: &str,
    notes: Vec<AuditEntry>,
) -> Result<Flow, StoreError> {
    let told = Labelled {
        value: format!("not run: {why}"),
        taint: Taint::default(),
    };
    let letters = house
        .store
        .finish(
            loaded.id,
            call.id.clone(),
            Ended::Denied,
            told,
            why.to_owned(),
            notes,
            clock::now(),
        )
        .await?;
    house.post(letters);
    Ok(Flow::More)
}

fn judged(conversation: ConversationId, call: &Call, decision: &Decision) -> AuditEntry {
    let verdict = match &decision.verdict {
        Verdict::Allow(_) => "allow",
        Verdict::Ask(_) => "ask",
        Verdict::Deny(_) => "deny",
    };
    AuditEntry::Judged {
        conversation,
        call: call.id.to_string(),
        name: call.head(),
        verdict: verdict.to_owned(),
        rows: decision.trace.iter().map(|finding| finding.row).collect(),
    }
}

async fn standing(house: &House, loaded: &Loaded, call: &Call) -> Result<Standing, RulebookError> {
    let tools = house.tools.specs();
    Ok(Standing {
        person: loaded.person.clone(),
        bot: loaded.bot.clone(),
        place: loaded.place.clone(),
        scope: loaded.scope,
        surface: Surface::Chat,
        taint: loaded.taint.clone(),
        mode: loaded.mode,
        rules: house.rulebook.in_force()?,
        grants: Arc::new(Grants::shipped(loaded.scope, &tools)),
        tools,
        approvals: Vec::new(),
        limits: Limits {
            calls_left: CALLS_PER_TURN.saturating_sub(loaded.turn.calls_made()),
            refusals_in_a_row: loaded.turn.refusals_in_a_row(),
            emails_left: EMAILS_PER_DAY,
        },
        threshold: Threshold::default(),
        can_ask: CanAsk::Yes,
        ground: house.tools.ground(call, &whose(loaded)).await,
    })
}

/// Carries out a press of somebody whose place it is. What is returned is told to them alone.
pub(crate) async fn press(
    house: &Arc<House>,
    person: &Person,
    place: &Place,
    token: ButtonToken,
) -> Result<Option<String>, StoreError> {
    let Some(pressed) = house.store.pressed(token).await? else {
        return Ok(Some("I do not know this button any more.".into()));
    };
    if pressed.person != person.id || pressed.place != *place {
        return Ok(Some("This is not yours to answer.".into()));
    }
    match pressed.meaning {
        Meaning::Approval(choice) => approval(house, person, pressed, choice).await,
        Meaning::Claim { claim, yes } => claimed(house, person, claim, yes).await,
        Meaning::New => {
            let (letters, cancel) = house.store.start_fresh(place.clone(), clock::now()).await?;
            house.post(letters);
            if let Some(id) = cancel {
                house.signal(crate::inbox::Signal::Cancel(id));
            }
            Ok(None)
        }
        Meaning::Resend { letter } => {
            house.post(house.store.repeat(letter, clock::now()).await?);
            Ok(None)
        }
    }
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
    if choice == Choice::ShowAll {
        return show_all(house, &pressed.place, &open).await;
    }
    let standing = match standing(house, &loaded, &open.question.call).await {
        Ok(standing) => standing,
        Err(error) => return Ok(Some(error.to_string())),
    };
    let press = Press {
        by: person.id,
        place: pressed.place,
        choice,
    };
    let now = clock::now();
    let by = format!("{}, {}", visible::foreign(&person.name), time_of_day(now));
    let closing = match redeem(&open, &press, &standing, now) {
        // The permit of this moment is not kept: the conversation takes its own when it runs,
        // by the same judgement, so that a stop in between needs nothing of its own.
        Redeemed::Permitted(_, rule) => {
            let how = match &rule {
                Some(rule) => format!("Always allowed by {by} ({})", rule.pattern),
                None => format!("Allowed once by {by}"),
            };
            if let Some(rule) = rule {
                let saved = AuditEntry::RuleSaved {
                    person: person.id,
                    pattern: rule.pattern.clone(),
                };
                if let Err(error) = house.rulebook.add(rule) {
                    return Ok(Some(error.to_string()));
                }
                house.store.note(saved, now).await?;
            }
            Closing {
                question: open.id,
                state: State::Approved,
                by: Some(person.id),
                outcome: how,
                told: None,
            }
        }
        Redeemed::Denied => Closing {
            question: open.id,
            state: State::Refused,
            by: Some(person.id),
            outcome: format!("Denied by {by}; it did not run"),
            told: Some("the person said no, so it did not run".into()),
        },
        Redeemed::Changed => Closing {
            question: open.id,
            state: State::Changed,
            by: None,
            outcome: format!("{CHANGED}; see the new card"),
            told: None,
        },
        Redeemed::Refused(Refusal::DeniedNow) => Closing {
            question: open.id,
            state: State::Withdrawn,
            by: None,
            outcome: "The rules forbid this now, so it did not run".into(),
            told: Some("the rules forbid this now, so it did not run".into()),
        },
        Redeemed::Refused(refusal) => return Ok(Some(refused(refusal).into())),
    };
    match house.store.answer(which, closing, now).await? {
        Some(letters) => {
            house.post(letters);
            house.wake([which]);
            Ok(None)
        }
        None => Ok(Some(ANSWERED.into())),
    }
}

const ANSWERED: &str = "This was answered before, or it has ended.";

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
        &open.question,
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
    house.post(
        house
            .store
            .say(place.clone(), notice(text), clock::now())
            .await?,
    );
    Ok(None)
}

async fn claimed(
    house: &House,
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
            house.post(house.store.say(place, notice(text), now).await?);
            Ok(Some("The group is paired.".into()))
        }
        Claimed::Closed if yes => Ok(Some(ANSWERED.into())),
        Claimed::Closed => Ok(Some("The group stays unpaired.".into())),
    }
}

/// Answers the platform about a press or a command, as well as it can: the card is what counts.
pub(crate) async fn acknowledge(
    house: Arc<House>,
    line: LineId,
    reply: ReplyHandle,
    notice: Option<String>,
) {
    if let Some(adapter) = house.lines.get(&line)
        && let Err(error) = adapter.acknowledge(&reply, notice.as_deref()).await
    {
        tracing::debug!(%error, %line, "a press was not acknowledged");
    }
}

/// Shows that an answer is being written, where the platform can.
pub(crate) async fn show_typing(house: &House, place: &Place) {
    if let Some(adapter) = house.lines.get(&place.line)
        && let Err(error) = adapter.typing(place).await
    {
        tracing::debug!(%error, line = %place.line, "typing was not shown");
    }
}
