//! How does a turn go on? One task per conversation takes one step after another; each step is
//! one transaction, and the next is read back from the store.

use std::sync::Arc;
use std::time::Duration;

use bot_policy::access::offers;
use bot_policy::call::Call;
use bot_policy::event::ChatKind;
use bot_policy::id::{CallId, ConversationId, Timestamp};
use bot_policy::message::{Addresses, Body, Choices, Notice, OutboundMessage, Reply};
use bot_policy::receipt::without_receipts;
use bot_policy::taint::{Labelled, Taint};

use crate::agent::model::{Completion, ModelError};
use crate::agent::prompt::prompt;
use crate::agent::tools::{Keeper, Whose};
use crate::agent::{Ended, Next};
use crate::course::{Course, Thought, complete};
use crate::inbox::Signal;
use crate::keep::caught;
use crate::metrics::{self, Count};
use crate::store::{Blame, Finish, Loaded, Speak, StoreError};
use crate::{House, budget, clock, code, gate, receive};

/// Whether a conversation has more to do at once.
pub(crate) enum Flow {
    More,
    Rest,
}

/// How long a conversation waits when the store does not answer.
const STORE_PAUSE: Duration = Duration::from_secs(1);
/// How often a step that fails is tried again, and the pause before each.
const STEP_TRIES: u32 = 2;
const STEP_PAUSE: Duration = Duration::from_millis(500);
/// What the model is told of calls that the person's words came before.
const RECONSIDERED: &str = "not run, because the person's newer words came before it started; call again if it is still wanted";
/// Refusals in a row that end a turn.
const REFUSALS: u32 = 3;

/// Takes steps until there is nothing to do.
///
/// A step that panics, or that the store refuses again and again, fails its turn alone.
pub(crate) async fn run(house: Arc<House>, id: ConversationId, mut course: Course) {
    let mut refused = 0;
    loop {
        match caught(step(&house, id, &mut course)).await {
            Ok(Ok(Flow::More)) => refused = 0,
            Ok(Ok(Flow::Rest)) => return,
            Ok(Err(error)) => {
                tracing::error!(%error, conversation = id.0, "a step could not be stored");
                match error.blame() {
                    Blame::Machine => {
                        house.store_trouble(&error);
                        tokio::time::sleep(STORE_PAUSE).await;
                    }
                    Blame::Work if refused < STEP_TRIES => {
                        refused += 1;
                        tokio::time::sleep(STEP_PAUSE).await;
                    }
                    Blame::Work => return give_up(&house, id).await,
                }
            }
            Err(crash) => {
                house.crashes.note("a conversation", &crash);
                return give_up(&house, id).await;
            }
        }
    }
}

/// Ends a turn that cannot go on, and says so in its chat.
async fn give_up(house: &Arc<House>, id: ConversationId) {
    loop {
        match house.store.give_up(id, clock::now()).await {
            Ok(letters) => return house.post(letters),
            Err(error) => {
                tracing::error!(%error, conversation = id.0, "a turn could not be ended");
                tokio::time::sleep(STORE_PAUSE).await;
            }
        }
    }
}

async fn step(
    house: &Arc<House>,
    id: ConversationId,
    course: &mut Course,
) -> Result<Flow, StoreError> {
    course.catch_up();
    let Some(loaded) = house.store.conversation(id).await? else {
        return Ok(Flow::Rest);
    };
    if let Some(wanted) = house.store.wanted(id).await? {
        return receive::receive(house, &loaded, wanted, course).await;
    }
    match loaded.turn.next() {
        Next::Interrupted(call) => interrupted(house, &loaded, call).await,
        Next::Judge(call, card_stands) => {
            gate::judge(house, &loaded, call, card_stands, course).await
        }
        Next::Reconsider(calls) => {
            house
                .store
                .take_back(id, calls, RECONSIDERED, clock::now())
                .await?;
            change_course(house, &loaded, course).await
        }
        Next::Rest if loaded.work.is_some() && loaded.turn.unfinished_calls().next().is_none() => {
            report(house, &loaded, None).await
        }
        Next::Rest => {
            code::rests(house, &loaded);
            Ok(Flow::Rest)
        }
        Next::Resume(question) => gate::resume(house, &loaded, *question, course).await,
        Next::Think if loaded.turn.refusals_in_a_row() >= REFUSALS => {
            end(
                house,
                &loaded,
                "Three refusals in a row, so I stopped here.",
            )
            .await
        }
        Next::Think => think(house, &loaded, course).await,
        Next::TooLong => {
            end(
                house,
                &loaded,
                "This turn went on for too long, so I stopped it.",
            )
            .await
        }
    }
}

/// The call was started by a run of the program that is gone.
async fn interrupted(house: &House, loaded: &Loaded, call: Call) -> Result<Flow, StoreError> {
    if gate::may_be_made_again(house, &call) {
        return made_again(house, loaded, call.id).await;
    }
    let call = call.id;
    let outcome =
        "I was interrupted while this ran, so its outcome is unknown; I will not run it again";
    let told = Labelled {
        value: "interrupted while it ran: its outcome is unknown, and it is not run again"
            .to_owned(),
        taint: Taint::default(),
    };
    let finish = Finish {
        call,
        ended: Ended::Unknown,
        told,
        outcome: outcome.to_owned(),
        because: String::new(),
        shown: None,
        notes: Vec::new(),
    };
    let letters = house.store.finish(loaded.id, finish, clock::now()).await?;
    house.post(letters);
    let message = notice(
        "I was interrupted while doing something: its outcome is unknown, and I do not run it again. Please check.",
    );
    house.post(house.store.tell(loaded.id, message, clock::now()).await?);
    Ok(Flow::More)
}

/// The call may be made again, so the model is told that it may, and the person is spared. It was
/// started once and is not started again: the next one is judged by itself.
async fn made_again(house: &House, loaded: &Loaded, call: CallId) -> Result<Flow, StoreError> {
    let finish = Finish {
        call,
        ended: Ended::Failed,
        told: Labelled {
            value: "interrupted before it came to anything; call again if it is still wanted"
                .to_owned(),
            taint: Taint::default(),
        },
        outcome: "interrupted".to_owned(),
        shown: None,
        because: String::new(),
        notes: Vec::new(),
    };
    let letters = house.store.finish(loaded.id, finish, clock::now()).await?;
    house.post(letters);
    Ok(Flow::More)
}

async fn think(
    house: &Arc<House>,
    loaded: &Loaded,
    course: &mut Course,
) -> Result<Flow, StoreError> {
    let tools = code::tools(house, loaded)
        .iter()
        .filter(|spec| offers(loaded.scope, spec))
        .cloned()
        .collect();
    if let Some(marks) = marks_of_memory(house, loaded) {
        // Loaded again with it, so that nothing is judged without.
        house.post(house.store.mark(loaded.id, marks, clock::now()).await?);
        return Ok(Flow::More);
    }
    let prompt = prompt(&loaded.turn, &loaded.person.name, &loaded.memories, tools);
    let noted = match &house.budget {
        None => None,
        Some(set) => {
            let set = *set;
            let refuse = move |turn, day| budget::used_up(&set, turn, day);
            let (since, seen) = (loaded.turn.newest_words(), loaded.turn.newest());
            let asked = house
                .store
                .think(loaded.id, since, seen, refuse, clock::now());
            match asked.await? {
                Ok(noted) => Some(noted),
                Err(why) => return end(house, loaded, &why).await,
            }
        }
    };
    let completed = match complete(house, loaded, &prompt, course).await? {
        Thought::Closing => return Ok(Flow::Rest),
        Thought::Completed(completed) => completed,
        Thought::Ended => return Ok(Flow::More),
        Thought::Overtaken => return change_course(house, loaded, course).await,
    };
    house.answering.note(&completed, clock::now());
    let outcome = completed.as_ref().map_or("failed", |_| "answered");
    metrics::count(Count::ModelCalls, outcome);
    let used = match &completed {
        Ok(completion) => completion.used.clone(),
        Err(error) => error.used.clone(),
    };
    if let (Some(noted), Some(used)) = (noted, used) {
        house.store.thought(noted, used).await?;
    }
    match completed {
        Ok(completion) => speak(house, loaded, completion).await,
        Err(ModelError { why, .. }) => {
            let why = house.secrets.cut(&why);
            end(house, loaded, &format!("No answer: {why}.")).await
        }
    }
}

/// What the instructions mark before the model reads them: they may hold a sensitive memory.
fn marks_of_memory(house: &House, loaded: &Loaded) -> Option<Taint> {
    match loaded.keeper {
        Keeper::Person(person) if !loaded.memories.is_empty() => {
            let marks = house.sensitive.of(&loaded.person).at_start(person);
            let known = &loaded.taint.sensitive;
            (!marks.sensitive.is_subset(known)).then_some(marks)
        }
        Keeper::Person(_) | Keeper::Place(_) => None,
    }
}

/// The person wrote while something else was being done: it is left, and the chat says so once.
async fn change_course(
    house: &House,
    loaded: &Loaded,
    course: &mut Course,
) -> Result<Flow, StoreError> {
    if !course.told && loaded.work.is_none() {
        course.told = true;
        let letters = house
            .store
            .tell(loaded.id, notice("Changing course\u{2026}"), clock::now())
            .await?;
        house.post(letters);
    }
    Ok(Flow::More)
}

async fn speak(house: &House, loaded: &Loaded, completion: Completion) -> Result<Flow, StoreError> {
    let (text, calls) = completion.within_limits();
    let text = house.secrets.cut(&without_receipts(&text));
    let calls = calls.iter().map(|call| house.secrets.cut_call(call));
    let calls: Vec<Call> = calls.collect();
    let text = match text.is_empty() && calls.is_empty() {
        true => "(the model said nothing)".to_owned(),
        false => text,
    };
    let shown =
        (!text.is_empty() && loaded.work.is_none()).then(|| reply(house, loaded, text.clone()));
    let speak = Speak {
        text,
        calls,
        seen: loaded.turn.newest(),
        shown,
    };
    house.post(house.store.speak(loaded.id, speak, clock::now()).await?);
    Ok(Flow::More)
}

fn reply(house: &House, loaded: &Loaded, markdown: String) -> OutboundMessage {
    let addresses = if loaded.taint.outside.is_marked() {
        Addresses::Inert
    } else {
        Addresses::Live
    };
    let mut footer = loaded.turn.receipts();
    footer.extend(house.model.footer().map(ToOwned::to_owned));
    let body = Body::Reply(Reply {
        markdown,
        footer: (!footer.is_empty()).then(|| footer.join("\n")),
        addresses,
    });
    // In a direct chat every message is answered by the next; in a group it helps to see which.
    let answers = match loaded.kind {
        ChatKind::Direct => None,
        ChatKind::Group => loaded.turn.newest_message(),
    };
    OutboundMessage { body, answers }
}

/// A worker is done: the conversation that it works for hears of it.
async fn report(house: &House, loaded: &Loaded, why: Option<&str>) -> Result<Flow, StoreError> {
    let reported = house
        .store
        .report(loaded.id, why.map(ToOwned::to_owned), clock::now())
        .await?;
    house.post(reported.letters);
    house.wake(reported.wake);
    Ok(Flow::Rest)
}

/// Ends the turn and says why.
async fn end(house: &House, loaded: &Loaded, why: &str) -> Result<Flow, StoreError> {
    if loaded.work.is_some() {
        return report(house, loaded, Some(why)).await;
    }
    let letters = house
        .store
        .end_turn(loaded.id, notice(why), clock::now())
        .await?;
    house.post(letters);
    house.signal(Signal::Wake(loaded.id));
    Ok(Flow::Rest)
}

/// For whom and where the calls of a conversation run.
pub(crate) fn whose(loaded: &Loaded) -> Whose {
    Whose {
        workspace: loaded.place_id.0,
        keeper: loaded.keeper,
        taint: loaded.taint.clone(),
        folder: loaded.code.as_ref().map(|code| code.folder.clone()),
    }
}

/// A line of Postern's own.
pub(crate) fn notice(text: impl Into<String>) -> OutboundMessage {
    OutboundMessage {
        body: Body::Notice(Notice {
            text: text.into(),
            addresses: Addresses::Live,
            choices: Choices::default(),
        }),
        answers: None,
    }
}

/// A time of day, for a card.
pub(crate) fn time_of_day(at: Timestamp) -> String {
    let minutes = at.0.div_euclid(60_000).rem_euclid(24 * 60);
    format!("{:02}:{:02} UTC", minutes / 60, minutes % 60)
}
