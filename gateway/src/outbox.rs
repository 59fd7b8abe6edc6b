//! What goes out, in order per place, and what is done when it does not get there?

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use adapters::{Adapter, AdapterError, SendKey};
use bot_policy::id::{MessageRef, Place, Timestamp};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::mpsc::UnboundedReceiver;

mod together;

use crate::House;
use crate::clock;
use crate::keep::caught;
use crate::metrics::{self, Count, Span};
use crate::store::{Followed, HandOver, Handed, Letter, Outcome, Repeat, StoreError};

/// The longest pause between two tries, in seconds.
const LONGEST_PAUSE: i64 = 600;
/// After this many tries a letter is given up: about a day.
const TRIES: u32 = 150;

/// How long a letter waits that came before an earlier one of its place, in milliseconds.
const OVERTAKEN: i64 = 10;
/// How long to wait when what became of a letter cannot be noted.
const STORE_PAUSE: Duration = Duration::from_secs(1);

/// What became of one try.
enum Fate {
    /// Nothing more to do with it.
    Settled(Vec<Letter>),
    /// Not before; in their order.
    Later(Vec<Letter>, Pause),
}

/// What waits together with a letter that was put off.
enum Pause {
    /// The place, because the platform asked for it; see [`crate::holds`].
    Asked,
    /// The place.
    Place,
}

/// Sends letters until `closing` is done and what was handed over is settled. One that begins
/// after another crashed takes up from the store what that one had in hand.
pub(crate) async fn run(
    house: Arc<House>,
    letters: &mut UnboundedReceiver<Letter>,
    closing: impl Future<Output = ()>,
) {
    tokio::pin!(closing);
    let mut queues: BTreeMap<Place, VecDeque<Letter>> = BTreeMap::new();
    if house.outbox_runs.swap(true, Ordering::Relaxed) {
        while letters.try_recv().is_ok() {}
        let left = noted(|| house.store.unsent(clock::now())).await;
        left.into_iter()
            .for_each(|letter| enqueue(&mut queues, letter));
    }
    let mut flying = FuturesUnordered::new();
    let mut busy: BTreeSet<Place> = BTreeSet::new();
    let (mut open, mut told) = (true, false);
    while open || !flying.is_empty() {
        let now = clock::now();
        let mut wait = LONGEST_PAUSE * 1000;
        for (place, queue) in &mut queues {
            let Some(first) = queue.front() else { continue };
            let due = first
                .due
                .max(house.holds.until(place, now).unwrap_or(first.due));
            if busy.contains(place) {
            } else if due > now {
                wait = wait.min(due.0 - now.0);
            } else if let Some(letter) = queue.pop_front() {
                busy.insert(place.clone());
                let more = together::behind(&house, &letter, queue);
                flying.push(deliver(house.clone(), letter, more));
            }
        }
        queues.retain(|_, queue| !queue.is_empty());
        let wait = Duration::from_millis(u64::try_from(wait).unwrap_or(1).max(1));
        tokio::select! {
            letter = letters.recv(), if open => match letter {
                Some(letter) => enqueue(&mut queues, letter),
                None => open = false,
            },
            Some((place, fate)) = flying.next(), if !flying.is_empty() => {
                busy.remove(&place);
                match fate {
                    Fate::Settled(more) => {
                        for letter in more {
                            enqueue(&mut queues, letter);
                        }
                    }
                    Fate::Later(letters, pause) => {
                        for letter in letters {
                            match pause {
                                Pause::Asked => house.holds.hold(&place, letter.due, clock::now()),
                                Pause::Place => {}
                            }
                            enqueue(&mut queues, letter);
                        }
                    }
                }
            },
            // What was posted before is still taken; what comes now is in the store.
            () = &mut closing, if !told => {
                letters.close();
                told = true;
            }
            () = tokio::time::sleep(wait) => {}
        }
    }
}

/// Puts a letter where it belongs among those of its place: they go out in the order in which
/// they were stored, in whatever order they come here.
fn enqueue(queues: &mut BTreeMap<Place, VecDeque<Letter>>, letter: Letter) {
    let queue = queues.entry(letter.place.clone()).or_default();
    let at = queue.partition_point(|other| other.id < letter.id);
    queue.insert(at, letter);
}

/// Delivers a letter, and those that go out as one with it.
async fn deliver(house: Arc<House>, first: Letter, more: Vec<Letter>) -> (Place, Fate) {
    let place = first.place.clone();
    let (again, rest) = (first.clone(), more.clone());
    let tried = async {
        if more.is_empty() {
            try_once(&house, first).await
        } else {
            together::try_once(&house, first, more).await
        }
    };
    let fate = match caught(tried).await {
        Ok(Ok(fate)) => fate,
        Err(crash) => {
            // Nobody knows how far it came.
            house.crashes.note("sending a message", &crash);
            failed(&house, again, AdapterError::Ambiguous).await
        }
        Ok(Err(error)) => {
            // The record says it may be on its way; it is taken up again from there.
            tracing::error!(%error, letter = again.id, "the outbox cannot be written");
            let due = clock::now().plus_seconds(5);
            let all = std::iter::once(again).chain(rest);
            Fate::Later(
                all.map(|letter| Letter { due, ..letter }).collect(),
                Pause::Place,
            )
        }
    };
    (place, fate)
}

async fn try_once(house: &House, mut letter: Letter) -> Result<Fate, StoreError> {
    let Some(adapter) = house.lines.get(&letter.place.line) else {
        let why = "the line is not configured any more".to_owned();
        return Ok(undeliverable(house, letter.id, None, why).await);
    };
    match letter.handed {
        Handed::Yes => {}
        Handed::No => match house.store.hand_over(letter.id).await? {
            HandOver::Gone => return Ok(Fate::Settled(Vec::new())),
            HandOver::Now(encoded) => letter.encoded = encoded,
            // What goes before it was stored before it and is on its way here.
            HandOver::Waits => {
                let due = Timestamp(clock::now().0.saturating_add(OVERTAKEN));
                return Ok(Fate::Later(vec![Letter { due, ..letter }], Pause::Place));
            }
        },
    }
    if let Some(window) = adapter.contact().window {
        let now = clock::now();
        if house
            .store
            .is_late(letter.place.clone(), window, now)
            .await?
        {
            return Ok(failed(house, letter, AdapterError::Late).await);
        }
    }
    let message = match send(house, adapter.as_ref(), &mut letter).await? {
        Ok(message) => message,
        Err(error) => return Ok(failed(house, letter, error).await),
    };
    metrics::count(Count::Letters, "sent");
    noted(|| house.store.sent(letter.id, message.clone())).await;
    Ok(Fate::Settled(Vec::new()))
}

async fn send(
    house: &House,
    adapter: &dyn Adapter,
    letter: &mut Letter,
) -> Result<Result<Option<MessageRef>, AdapterError>, StoreError> {
    if let Outcome::Finish(preview) = letter.outcome {
        if let Some(on) = house.store.on_screen(preview).await? {
            match adapter.edit(&letter.place, &on, &letter.encoded).await {
                // It does not stand there any more.
                Err(AdapterError::Refused(_)) => {}
                done => return Ok(done.map(|()| Some(on))),
            }
        }
        house.store.let_go(preview).await?;
        (letter.outcome, letter.repeat) = (Outcome::Message, Repeat::Never);
    }
    match letter.outcome {
        Outcome::Finish(_) | Outcome::Message => {
            let begun = Instant::now();
            let sent = adapter
                .send(&letter.place, &letter.encoded, SendKey(letter.id))
                .await;
            metrics::took(Span::Send, begun);
            Ok(sent.map(Some))
        }
        Outcome::Edit(target) => match house.store.on_screen(target).await? {
            Some(on) => Ok(adapter
                .edit(&letter.place, &on, &letter.encoded)
                .await
                .map(|()| None)),
            // What it would change never got to the screen, and was redrawn in the record.
            None => Ok(Ok(None)),
        },
    }
}

/// Notes what came of a try, however long the store takes: sending again because it could not be
/// noted would say things twice.
async fn noted<T, N>(note: impl Fn() -> N) -> T
where
    N: Future<Output = Result<T, StoreError>>,
{
    loop {
        match note().await {
            Ok(done) => return done,
            Err(error) => {
                tracing::error!(%error, "what became of a letter cannot be noted");
                tokio::time::sleep(STORE_PAUSE).await;
            }
        }
    }
}

async fn failed(house: &House, letter: Letter, error: AdapterError) -> Fate {
    let why = house.secrets.cut(&error.to_string());
    metrics::count(Count::Letters, fate(&error, letter.repeat));
    match error {
        AdapterError::Retry { after, .. } => put_off(house, letter, after, why).await,
        AdapterError::Credentials(_)
        | AdapterError::Conflict
        | AdapterError::Setup(_)
        | AdapterError::Stored(_) => {
            put_off(house, letter, Some(Duration::from_secs(60)), why).await
        }
        AdapterError::Late => {
            let late = noted(|| house.store.hold(letter.id, clock::now())).await;
            if let Some(place) = &late.invite {
                invite(house, place).await;
            }
            Fate::Settled(late.letters)
        }
        AdapterError::Ambiguous => match letter.repeat {
            Repeat::Harmless => put_off(house, letter, None, why).await,
            Repeat::Never => {
                tracing::warn!(line = %letter.place.line, letter = letter.id, "delivery unknown");
                let unknown = || house.store.delivery_unknown(letter.id, clock::now());
                Fate::Settled(noted(unknown).await)
            }
        },
        // As often as any other try, should two chats name each other.
        AdapterError::Moved(to) if letter.tries < TRIES => {
            let followed = noted(|| house.store.follow(letter.id, to.clone(), clock::now())).await;
            let Some(Followed { place, letters }) = followed else {
                return give_up(house, &letter, why).await;
            };
            house.post(letters);
            let followed = Letter {
                place,
                handed: Handed::No,
                tries: letter.tries + 1,
                ..letter
            };
            Fate::Later(vec![followed], Pause::Place)
        }
        AdapterError::Moved(_) | AdapterError::Refused(_) => {
            tracing::warn!(line = %letter.place.line, letter = letter.id, %why, "not delivered");
            give_up(house, &letter, why).await
        }
    }
}

/// Asks whoever is in a place to write, where the platform has a way. What waits there waits on if
/// it does not work.
pub(crate) async fn invite(house: &House, place: &Place) {
    let Some(adapter) = house.lines.get(&place.line) else {
        return;
    };
    if let Err(error) = adapter.invite(place).await {
        tracing::warn!(line = %place.line, %error, "nobody could be asked to write");
    }
}

fn fate(error: &AdapterError, repeat: Repeat) -> &'static str {
    match (error, repeat) {
        (AdapterError::Ambiguous, Repeat::Never) => "unknown",
        (AdapterError::Late, _) => "held",
        (AdapterError::Refused(_), _) => "failed",
        (
            AdapterError::Ambiguous
            | AdapterError::Conflict
            | AdapterError::Credentials(_)
            | AdapterError::Moved(_)
            | AdapterError::Retry { .. }
            | AdapterError::Setup(_)
            | AdapterError::Stored(_),
            _,
        ) => "put_off",
    }
}

/// A letter that will never be taken is shown where it can be.
async fn give_up(house: &House, letter: &Letter, why: String) -> Fate {
    let adapter = house.lines.get(&letter.place.line);
    let shown = adapter.map(|adapter| adapter.plain(&letter.encoded));
    undeliverable(house, letter.id, shown, why).await
}

async fn undeliverable(house: &House, letter: i64, shown: Option<String>, why: String) -> Fate {
    let note = || {
        let (why, shown) = (why.clone(), shown.clone());
        house.store.undeliverable(letter, why, shown, clock::now())
    };
    Fate::Settled(noted(note).await)
}

async fn put_off(house: &House, letter: Letter, after: Option<Duration>, why: String) -> Fate {
    let tries = letter.tries + 1;
    if tries >= TRIES {
        return give_up(house, &letter, why).await;
    }
    let pause = match after {
        Some(after) => i64::try_from(after.as_secs()).unwrap_or(LONGEST_PAUSE),
        None => 1_i64
            .checked_shl(tries.min(10))
            .unwrap_or(LONGEST_PAUSE)
            .min(LONGEST_PAUSE),
    };
    let due = clock::now().plus_seconds(pause);
    noted(|| house.store.put_off(letter.id, due, why.clone())).await;
    let pause = if after.is_some() {
        Pause::Asked
    } else {
        Pause::Place
    };
    let later = Letter {
        tries,
        due,
        handed: Handed::No,
        ..letter
    };
    Fate::Later(vec![later], pause)
}
