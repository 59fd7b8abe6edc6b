//! May it run? Every call and every press passes here; nothing else holds a permit.

use std::sync::Arc;
use std::time::Instant;

use bot_policy::access::Scope;
use bot_policy::approval::{OpenQuestion, resume as permit_of};
use bot_policy::call::Call;
use bot_policy::card::card;
use bot_policy::decide::{Finding, Limits, Permit, Says, Standing, Verdict, decide};
use bot_policy::grants::Grants;
use bot_policy::id::{QuestionId, Timestamp};
use bot_policy::mail;
use bot_policy::message::Choices;
use bot_policy::security::{Act, Moment};
use bot_policy::surface::Open;
use bot_policy::taint::{Labelled, Taint};

use crate::agent::tools::ToolError;
use crate::agent::{CardStands, Ended};
use crate::conversation::{Flow, notice, whose};
use crate::course::Course;
use crate::metrics::{self, Count, Span};
use crate::rulebook::RulebookError;
use crate::store::{AuditEntry, Finish, Loaded, StoreError};
use crate::{House, clock, code};

mod asks;
mod event;
mod known;
mod press;
mod project;
mod remember;
mod running;
mod second;
mod workers;

pub(crate) use press::{acknowledge, press, save_rules, save_rules_again, show_typing};
pub(crate) use project::note_rules;
pub(crate) use running::may_be_made_again;
use running::{Left, brings, note_address, until_over};
pub(crate) use second::Second;

/// Judges a call and does what was judged.
pub(crate) async fn judge(
    house: &Arc<House>,
    loaded: &Loaded,
    call: Call,
    card_stands: CardStands,
    course: &mut Course,
) -> Result<Flow, StoreError> {
    let mut standing = match standing(house, loaded, &call).await? {
        Ok(standing) => standing,
        Err(error) => {
            let why = unreadable(loaded, &error);
            let decision = event::not_judged(&why);
            let judged = event::judged(house, loaded, &call, &decision);
            return deny(house, loaded, &call, (Ended::Denied, &why), vec![judged]).await;
        }
    };
    let mut decision = decide(call.clone(), &standing);
    let denied = matches!(decision.verdict, Verdict::Deny(_));
    if !denied && second::ask(house, loaded, &call).await {
        standing.second = house.second.said(loaded.id, &call.id);
        decision = decide(call.clone(), &standing);
    }
    let judged = event::judged(house, loaded, &call, &decision);
    match decision.verdict {
        Verdict::Allow(permit) if workers::is_delegated(permit.call()) => {
            workers::delegate(house, loaded, permit.redeem(), judged).await
        }
        Verdict::Allow(permit) if asks::is_asked(permit.call()) => {
            asks::put(house, loaded, permit.redeem(), card_stands, judged).await
        }
        Verdict::Allow(permit) => {
            let allowed = Allowed {
                question: None,
                because: because(&decision.trace),
                notes: vec![judged],
            };
            run(house, loaded, permit, allowed, course).await
        }
        Verdict::Ask(_) if card_stands == CardStands::Yes => wait(house, loaded, &call).await,
        Verdict::Ask(question) => {
            let now = clock::now();
            let shown = card(
                &house.secrets.cut_question(&question),
                house.tools.spec(&call),
                Choices::default(),
                house.card_body(&loaded.place),
            );
            let shown = workers::where_it_works(loaded, workers::for_whom(loaded, shown));
            let shown = match &question.alike {
                Some(rule) => shown.with_alike(rule),
                None => shown,
            };
            let letters = house
                .store
                .ask(
                    loaded.id,
                    question,
                    shown,
                    ends_at(loaded, now),
                    vec![judged],
                    now,
                )
                .await?;
            let asked = !letters.is_empty();
            house.post(letters);
            Ok(if asked { Flow::More } else { Flow::Rest })
        }
        Verdict::Deny(reason) => {
            let strictest = decision.trace.iter().map(|finding| finding.says).max();
            let ended = match strictest {
                Some(Says::Ask | Says::AskOnce) => Ended::Unapproved,
                Some(Says::Allow | Says::Deny) | None => Ended::Denied,
            };
            deny(house, loaded, &call, (ended, &reason.text), vec![judged]).await
        }
    }
}

/// Runs what the person approved, if it may still run.
pub(crate) async fn resume(
    house: &Arc<House>,
    loaded: &Loaded,
    question: OpenQuestion,
    course: &mut Course,
) -> Result<Flow, StoreError> {
    let call = question.question.call.clone();
    let (permit, notes) = match standing(house, loaded, &call).await? {
        Ok(standing) => {
            let permit = permit_of(&question, &standing);
            let action = permit.as_ref().map_or(Act::Asked, |_| Act::Allowed);
            let done = (Moment::Resume, action);
            let judged = event::judged_again(house, loaded, &call, &standing, done);
            (permit, vec![judged])
        }
        // The call is judged anew, and denied with its reason.
        Err(_) => (None, Vec::new()),
    };
    match permit {
        Some(permit) => {
            let allowed = Allowed {
                question: Some(question.id),
                because: "the answer on its card".to_owned(),
                notes,
            };
            run(house, loaded, permit, allowed, course).await
        }
        None => {
            house.post(
                house
                    .store
                    .reopen(question.id, CHANGED, notes, clock::now())
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

/// Why a call runs.
struct Allowed {
    question: Option<QuestionId>,
    because: String,
    notes: Vec<AuditEntry>,
}

/// What allowed a call.
fn because(trace: &[Finding]) -> String {
    let allowed = trace.iter().find(|finding| finding.says == Says::Allow);
    allowed.map_or_else(String::new, |finding| finding.because.clone())
}

/// When silence on a card becomes no.
fn ends_at(loaded: &Loaded, now: Timestamp) -> Timestamp {
    match code::surface(loaded).open() {
        Open::Never => now,
        Open::Seconds(seconds) => now.plus_seconds(seconds),
        Open::WithProcess => Timestamp(i64::MAX),
    }
}

async fn run(
    house: &Arc<House>,
    loaded: &Loaded,
    permit: Permit,
    allowed: Allowed,
    course: &mut Course,
) -> Result<Flow, StoreError> {
    let Allowed {
        question,
        because,
        notes,
    } = allowed;
    let call = permit.call().id.clone();
    if !house
        .store
        .start(loaded.id, call.clone(), question, notes, clock::now())
        .await?
    {
        return Ok(Flow::More);
    }
    note_address(house, loaded, permit.call()).await?;
    let ran_call = permit.call().clone();
    let brings = brings(house, loaded, permit.call());
    let head = permit.call().rule_name();
    code::show_passing(house, loaded, &format!("▸ {head}"));
    let begun = Instant::now();
    let (ran, left) = until_over(house, loaded, permit, course).await;
    metrics::took(Span::Deed, begun);
    metrics::count(
        Count::Deeds,
        match &ran {
            None => "stopped",
            Some(Err(_)) => "failed",
            Some(Ok(_)) => "done",
        },
    );
    let (ended, told, outcome, shown) = match ran {
        None => (
            Ended::Withdrawn,
            Labelled {
                value: "stopped before it came to anything".to_owned(),
                taint: Taint::default(),
            },
            "stopped".to_owned(),
            String::new(),
        ),
        Some(Ok(deed)) => {
            let taint = deed.told.taint.join(&brings);
            let told = Labelled { taint, ..deed.told };
            (Ended::Done, told, deed.outcome, deed.shown)
        }
        Some(Err(ToolError(why))) => (
            Ended::Failed,
            Labelled {
                value: format!("failed: {why}"),
                taint: Taint::default(),
            },
            format!("failed: {why}"),
            String::new(),
        ),
    };
    let ended = match left {
        Left::Open => Ended::Unknown,
        Left::No => ended,
    };
    let told = Labelled {
        value: house.secrets.cut(&told.value),
        ..told
    };
    let outcome = house.secrets.cut(&outcome);
    let shown = house.secrets.cut(&shown);
    if loaded.scope != Scope::OwnerIncognito
        && let Err(error) = house
            .replay
            .note(&ran_call, ended, &told, (&outcome, &shown))
    {
        tracing::error!(%error, "a result was not recorded");
    }
    let shown = code::shown(house, loaded, &head, &outcome, &shown).await;
    let finish = || {
        let finish = Finish {
            call: call.clone(),
            ended,
            told: told.clone(),
            outcome: outcome.clone(),
            because: because.clone(),
            shown: shown.as_ref().map(|shown| shown.message.clone()),
            notes: Vec::new(),
        };
        house.store.finish(loaded.id, finish, clock::now())
    };
    let letters = house.until_stored(finish).await?;
    house.post(letters);
    code::send_whole(house, loaded, shown).await?;
    Ok(Flow::More)
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
                .tell(loaded.id, notice(text), clock::now())
                .await?,
        );
    }
    Ok(Flow::Rest)
}

async fn deny(
    house: &House,
    loaded: &Loaded,
    call: &Call,
    (ended, why): (Ended, &str),
    notes: Vec<AuditEntry>,
) -> Result<Flow, StoreError> {
    let why = house.secrets.cut(why);
    let told = Labelled {
        value: format!("not run: {why}"),
        taint: Taint::default(),
    };
    let finish = Finish {
        call: call.id.clone(),
        ended,
        told,
        shown: code::refused(loaded, call, &why),
        outcome: why,
        because: String::new(),
        notes,
    };
    let letters = house.store.finish(loaded.id, finish, clock::now()).await?;
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
    let tools = code::tools(house, loaded);
    Ok(Ok(Standing {
        person: loaded.person.clone(),
        bot: loaded.bot.clone(),
        place: loaded.place.clone(),
        scope: loaded.scope,
        surface: code::surface(loaded),
        taint: loaded.taint.clone(),
        mode: loaded.mode,
        rules,
        grants: Arc::new(Grants::shipped(loaded.scope, &tools)),
        tools,
        known: Arc::new(known::known(house, loaded, call).await?),
        approvals: loaded.approvals.clone(),
        limits: Limits {
            calls_left: loaded.turn.calls_left(),
            refusals_in_a_row: loaded.turn.refusals_in_a_row(),
            emails_left: mail::A_DAY,
        },
        threshold: judging.threshold,
        second: house.second.said(loaded.id, &call.id),
        denylist: judging.denylist.clone(),
        folder: code::trust(house, loaded),
        dangerous: judging.dangerous,
        can_ask: code::can_ask(loaded),
        ground: house.tools.ground(call, &whose(loaded)).await,
    }))
}
