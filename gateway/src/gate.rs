//! May it run? Every call and every press passes here; nothing else holds a permit.

use std::sync::Arc;
use std::time::Instant;

use bot_policy::access::Scope;
use bot_policy::approval::{CHAT_CARD_SECONDS, OpenQuestion, resume as permit_of};
use bot_policy::call::Call;
use bot_policy::card::card;
use bot_policy::decide::{CanAsk, Limits, Permit, Standing, Surface, Verdict, decide};
use bot_policy::grants::Grants;
use bot_policy::id::QuestionId;
use bot_policy::message::Choices;
use bot_policy::taint::{Labelled, Taint};
use bot_policy::tool::{Reach, Reads, effects};

use crate::agent::tools::ToolError;
use crate::agent::{CALLS_PER_TURN, CardStands, Ended};
use crate::conversation::{Flow, notice, whose};
use crate::metrics::{self, Count, Span};
use crate::rulebook::RulebookError;
use crate::store::{AuditEntry, Loaded, StoreError};
use crate::{House, clock};

mod event;
mod known;
mod press;
mod project;

pub(crate) use press::{acknowledge, press, show_typing};

/// Emails that a place may send in a day.
const EMAILS_PER_DAY: u32 = 20;

/// Judges a call and does what was judged.
pub(crate) async fn judge(
    house: &Arc<House>,
    loaded: &Loaded,
    call: Call,
    card_stands: CardStands,
) -> Result<Flow, StoreError> {
    let standing = match standing(house, loaded, &call).await? {
        Ok(standing) => standing,
        Err(error) => {
            let why = unreadable(loaded, &error);
            let decision = event::not_judged(&why);
            let judged = event::judged(house, loaded.id, &call, &decision);
            return deny(house, loaded, &call, &why, vec![judged]).await;
        }
    };
    let decision = decide(call.clone(), &standing);
    let judged = event::judged(house, loaded.id, &call, &decision);
    match decision.verdict {
        Verdict::Allow(permit) => run(house, loaded, permit, None, vec![judged]).await,
        Verdict::Ask(_) if card_stands == CardStands::Yes => wait(house, loaded, &call).await,
        Verdict::Ask(question) => {
            let now = clock::now();
            let shown = card(
                &house.secrets.cut_question(&question),
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
    let permit = match standing(house, loaded, &call).await? {
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

/// Why nothing can be judged. Where others than the owner read, where the rules are is not named.
fn unreadable(loaded: &Loaded, error: &RulebookError) -> String {
    match loaded.scope {
        Scope::Owner | Scope::OwnerIncognito => error.to_string(),
        Scope::Group | Scope::Guest => "the rules cannot be read, so nothing runs".to_owned(),
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
    note_address(house, loaded, permit.call()).await?;
    let brings = brings(house, permit.call());
    let begun = Instant::now();
    let ran = house.tools.run(permit, &whose(loaded)).await;
    metrics::took(Span::Deed, begun);
    metrics::count(Count::Deeds, ran.as_ref().map_or("failed", |_| "done"));
    let (ended, told, outcome) = match ran {
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
    let told = Labelled {
        value: house.secrets.cut(&told.value),
        ..told
    };
    let outcome = house.secrets.cut(&outcome);
    let finish = || {
        house.store.finish(
            loaded.id,
            call.clone(),
            ended,
            told.clone(),
            outcome.clone(),
            Vec::new(),
            clock::now(),
        )
    };
    let letters = house.until_stored(finish).await?;
    house.post(letters);
    Ok(Flow::More)
}

/// Notes the address that a call reaches before it does: what is free is counted.
async fn note_address(house: &House, loaded: &Loaded, call: &Call) -> Result<(), StoreError> {
    match house.tools.spec(call).map(|spec| effects(spec, call).reach) {
        Some(Reach::Net(address)) if !address.is_empty() => {
            house.store.took(loaded.id, address, clock::now()).await
        }
        Some(_) | None => Ok(()),
    }
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

/// One card at a time: says so when the call was made just now, and not each time it is looked at.
async fn wait(house: &House, loaded: &Loaded, call: &Call) -> Result<Flow, StoreError> {
    if loaded.turn.made_just_now(&call.id) {
        let text = format!(
            "One card at a time: {} waits until the card above is answered.",
            call.head()
        );
        house.post(
            house
                .store
                .say(loaded.place.clone(), notice(text), clock::now())
                .await?,
        );
    }
    Ok(Flow::Rest)
}

async fn deny(
    house: &House,
    loaded: &Loaded,
    call: &Call,
    why: &str,
    notes: Vec<AuditEntry>,
) -> Result<Flow, StoreError> {
    let why = house.secrets.cut(why);
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
            why,
            notes,
            clock::now(),
        )
        .await?;
    house.post(letters);
    Ok(Flow::More)
}

async fn standing(
    house: &House,
    loaded: &Loaded,
    call: &Call,
) -> Result<Result<Standing, RulebookError>, StoreError> {
    let rules = match project::rules(house, loaded).await? {
        Ok(rules) => rules,
        Err(error) => return Ok(Err(error)),
    };
    let judging = &house.judging;
    let tools = house.tools.specs();
    Ok(Ok(Standing {
        person: loaded.person.clone(),
        bot: loaded.bot.clone(),
        place: loaded.place.clone(),
        scope: loaded.scope,
        surface: Surface::Chat,
        taint: loaded.taint.clone(),
        mode: loaded.mode,
        rules,
        grants: Arc::new(Grants::shipped(loaded.scope, &tools)),
        tools,
        known: Arc::new(known::known(house, loaded, call).await?),
        approvals: Vec::new(),
        limits: Limits {
            calls_left: CALLS_PER_TURN.saturating_sub(loaded.turn.calls_made()),
            refusals_in_a_row: loaded.turn.refusals_in_a_row(),
            emails_left: EMAILS_PER_DAY,
        },
        threshold: judging.threshold,
        denylist: judging.denylist.clone(),
        folder: judging.folder(&house.workspace(loaded.place_id)),
        dangerous: judging.dangerous,
        can_ask: CanAsk::Yes,
        ground: house.tools.ground(call, &whose(loaded)).await,
    }))
}
