//! How does a turn go on? One task per conversation takes one step after another; each step is
//! one transaction, and the next is read back from the store.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bot_policy::access::offers;
use bot_policy::event::ChatKind;
use bot_policy::id::{CallId, ConversationId, Timestamp};
use bot_policy::message::{Addresses, Body, Choices, Notice, OutboundMessage, Reply};
use bot_policy::taint::{Labelled, Taint};
use tokio::sync::watch;

use crate::agent::model::{Completion, ModelError};
use crate::agent::prompt::prompt;
use crate::agent::tools::Whose;
use crate::agent::{Ended, Next};
use crate::inbox::Signal;
use crate::keep::caught;
use crate::metrics::{self, Count, Span};
use crate::store::{Blame, Loaded, Speak, StoreError};
use crate::{House, budget, clock, gate, preview, receive};

/// Whether a conversation has more to do at once.
pub(crate) enum Flow {
    More,
    Rest,
}

/// How long the model thinks before the chat shows that it does.
const TYPING_AFTER: Duration = Duration::from_millis(700);
/// How long platforms show it.
const TYPING_LASTS: Duration = Duration::from_secs(4);
/// How long a conversation waits when the store does not answer.
const STORE_PAUSE: Duration = Duration::from_secs(5);
/// How often a step that fails is tried again, and the pause before each.
const STEP_TRIES: u32 = 2;
const STEP_PAUSE: Duration = Duration::from_millis(500);
/// Refusals in a row that end a turn.
const REFUSALS: u32 = 3;

/// Takes steps until there is nothing to do.
///
/// A step that panics, or that the store refuses again and again, fails its turn alone.
pub(crate) async fn run(house: Arc<House>, id: ConversationId, mut cancelled: watch::Receiver<()>) {
    let mut refused = 0;
    loop {
        match caught(step(&house, id, &mut cancelled)).await {
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
    cancelled: &mut watch::Receiver<()>,
) -> Result<Flow, StoreError> {
    let Some(loaded) = house.store.conversation(id).await? else {
        return Ok(Flow::Rest);
    };
    if let Some(wanted) = house.store.wanted(id).await? {
        return receive::receive(house, &loaded, wanted).await;
    }
    match loaded.turn.next() {
        Next::Interrupted(call) => interrupted(house, &loaded, call.id).await,
        Next::Judge(call, card_stands) => gate::judge(house, &loaded, call, card_stands).await,
        Next::Rest => Ok(Flow::Rest),
        Next::Resume(question) => gate::resume(house, &loaded, *question).await,
        Next::Think if loaded.turn.refusals_in_a_row() >= REFUSALS => {
            end(
                house,
                &loaded,
                "Three refusals in a row, so I stopped here.",
            )
            .await
        }
        Next::Think => think(house, &loaded, cancelled).await,
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
async fn interrupted(house: &House, loaded: &Loaded, call: CallId) -> Result<Flow, StoreError> {
    let outcome =
        "I was interrupted while this ran, so its outcome is unknown; I will not run it again";
    let told = Labelled {
        value: "interrupted while it ran: its outcome is unknown, and it is not run again"
            .to_owned(),
        taint: Taint::default(),
    };
    let letters = house
        .store
        .finish(
            loaded.id,
            call,
            Ended::Unknown,
            told,
            outcome.to_owned(),
            Vec::new(),
            clock::now(),
        )
        .await?;
    house.post(letters);
    let message = notice(
        "I was interrupted while doing something: its outcome is unknown, and I do not run it again. Please check.",
    );
    house.post(
        house
            .store
            .say(loaded.place.clone(), message, clock::now())
            .await?,
    );
    Ok(Flow::More)
}

async fn think(
    house: &Arc<House>,
    loaded: &Loaded,
    cancelled: &mut watch::Receiver<()>,
) -> Result<Flow, StoreError> {
    let tools = house
        .tools
        .specs()
        .iter()
        .filter(|spec| offers(loaded.scope, spec))
        .cloned()
        .collect();
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
    let (said, words) = watch::channel(String::new());
    let mut streamed = |piece: &str| said.send_modify(|text| text.push_str(piece));
    cancelled.mark_unchanged();
    let begun = Instant::now();
    let completed = {
        let completion = house.model.complete(&prompt, &mut streamed);
        let preview = preview::show(house, loaded, words);
        tokio::pin!(completion, preview);
        let mut typing =
            tokio::time::interval_at(tokio::time::Instant::now() + TYPING_AFTER, TYPING_LASTS);
        loop {
            tokio::select! {
                completed = &mut completion => break completed,
                () = &mut preview => {}
                _ = cancelled.changed() => return Ok(Flow::More),
                _ = typing.tick() => gate::show_typing(house, &loaded.place).await,
            }
        }
    };
    metrics::took(Span::Model, begun);
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

async fn speak(house: &House, loaded: &Loaded, completion: Completion) -> Result<Flow, StoreError> {
    let (text, calls) = completion.within_limits();
    let text = house.secrets.cut(&text);
    let text = match text.is_empty() && calls.is_empty() {
        true => "(the model said nothing)".to_owned(),
        false => text,
    };
    let shown = (!text.is_empty()).then(|| reply(house, loaded, text.clone()));
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
    let body = Body::Reply(Reply {
        markdown,
        footer: house.model.footer().map(ToOwned::to_owned),
        addresses,
    });
    // In a direct chat every message is answered by the next; in a group it helps to see which.
    let answers = match loaded.kind {
        ChatKind::Direct => None,
        ChatKind::Group => loaded.turn.newest_message(),
    };
    OutboundMessage { body, answers }
}

/// Ends the turn and says why.
async fn end(house: &House, loaded: &Loaded, why: &str) -> Result<Flow, StoreError> {
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
