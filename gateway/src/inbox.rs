//! Who takes what was heard? The store claims it; each conversation has one task.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use adapters::{AdapterError, Cursor, Inbox, NotStored};
use async_trait::async_trait;
use bot_policy::event::{EventKind, InboundEvent};
use bot_policy::id::{ConversationId, EventId, LineId};
use bot_policy::pairing::LiveCodes;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::watch;

use crate::course::{Course, Heard};
use crate::metrics::{self, Count, Span};
use crate::store::{Accepted, Blame, Lease, Letter, StoreError};
use crate::writer::WriteError;
use crate::{House, clock, commands, conversation, gate, outbox, store};

/// How often the inbox is looked at for what could not be taken in.
const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_millis(500);

/// A word to the switchboard.
#[derive(Debug)]
pub(crate) enum Signal {
    /// Drop what this conversation is thinking.
    Cancel(ConversationId),
    /// This conversation's task has rested.
    Rested(ConversationId),
    /// There is something to do.
    Wake(ConversationId),
}

struct Running {
    again: bool,
    heard: watch::Sender<Heard>,
}

/// Which conversations have a task.
pub(crate) struct Switchboard {
    signals: UnboundedReceiver<Signal>,
    running: BTreeMap<ConversationId, Running>,
}

impl Switchboard {
    pub(crate) fn new(signals: UnboundedReceiver<Signal>) -> Self {
        Self {
            signals,
            running: BTreeMap::new(),
        }
    }

    /// Runs one task per conversation that has something to do, until the channel closes.
    pub(crate) async fn run(&mut self, house: &Arc<House>) {
        let running = &mut self.running;
        while let Some(signal) = self.signals.recv().await {
            match signal {
                Signal::Cancel(id) => {
                    if let Some(run) = running.get(&id) {
                        run.heard.send_modify(|heard| heard.stops += 1);
                    }
                }
                Signal::Rested(id) => {
                    if running.remove(&id).is_some_and(|run| run.again) {
                        running.insert(id, begin(house, id));
                    }
                }
                Signal::Wake(id) => match running.get_mut(&id) {
                    Some(run) => {
                        run.again = true;
                        run.heard.send_modify(|heard| heard.news += 1);
                    }
                    None => {
                        running.insert(id, begin(house, id));
                    }
                },
            }
        }
    }
}

fn begin(house: &Arc<House>, id: ConversationId) -> Running {
    let (heard, news) = watch::channel(Heard::default());
    let house = house.clone();
    tokio::spawn(async move {
        conversation::run(house.clone(), id, Course::new(news)).await;
        house.signal(Signal::Rested(id));
    });
    Running {
        again: false,
        heard,
    }
}

impl House {
    /// Sends what is to be sent.
    pub(crate) fn post(&self, letters: Vec<Letter>) {
        for letter in letters {
            // Closed only while stopping; what is not sent then is still in the store.
            let _ = self.letters.send(letter);
        }
    }

    /// Wakes conversations.
    pub(crate) fn wake(&self, which: impl IntoIterator<Item = ConversationId>) {
        for id in which {
            self.signal(Signal::Wake(id));
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let sender: &UnboundedSender<Signal> = &self.signals;
        let _ = sender.send(signal);
    }

    /// Stores a batch and carries out what follows. Both are done even if the caller goes away
    /// meanwhile, as a browser may: what is stored must not lie until the next start.
    pub(crate) async fn take(self: &Arc<Self>, heard: store::Heard) -> Result<(), StoreError> {
        let house = self.clone();
        let taken = tokio::spawn(async move {
            let welcome = house.model.welcome().map(ToOwned::to_owned);
            let kinds: Vec<&'static str> = heard.events.iter().map(kind).collect();
            let begun = Instant::now();
            let accepted = house.store.accept(heard, welcome, clock::now()).await;
            if let Err(error) = &accepted
                && error.blame() == Blame::Machine
            {
                house.store_trouble(error);
            }
            let accepted = accepted?;
            metrics::took(Span::Accept, begun);
            for kind in kinds {
                metrics::count(Count::Events, kind);
            }
            house.follow(accepted);
            Ok(())
        });
        taken.await.map_err(|_| WriteError::Stopped)?
    }

    /// Drops what a conversation and its workers are doing.
    pub(crate) fn cancel(self: &Arc<Self>, id: ConversationId) {
        self.signal(Signal::Cancel(id));
        let house = self.clone();
        tokio::spawn(async move {
            match house.store.workers_of(id).await {
                Ok(workers) => workers
                    .into_iter()
                    .for_each(|worker| house.signal(Signal::Cancel(worker))),
                Err(error) => tracing::error!(%error, "workers could not be told to stop"),
            }
        });
    }

    pub(crate) fn follow(self: &Arc<Self>, accepted: Accepted) {
        self.post(accepted.letters);
        for id in accepted.cancel {
            self.cancel(id);
        }
        self.wake(accepted.wake);
        if accepted.codes == Some(LiveCodes::Void) {
            self.say_at_terminal("Too many wrong codes were tried, so every pairing code is void. Make a new one with: postern pair");
        }
        for place in accepted.invite {
            let house = self.clone();
            tokio::spawn(async move { outbox::invite(&house, &place).await });
        }
        for person in &accepted.paired {
            self.say_at_terminal(&format!(
                "{} is paired.",
                bot_policy::visible::foreign(&person.name)
            ));
        }
        for line in &accepted.menus {
            self.announce_again(line);
        }
        for (line, reply) in accepted.answered {
            tokio::spawn(gate::acknowledge(self.clone(), line, reply, None));
        }
        for (line, reply) in accepted.wrong_presses {
            let notice = "Only the person who paired this chat can press here.";
            tokio::spawn(gate::acknowledge(
                self.clone(),
                line,
                reply,
                Some(notice.to_owned()),
            ));
        }
        for pending in accepted.pending {
            tokio::spawn(commands::carry_out(self.clone(), pending));
        }
    }

    /// Takes up what was left when the program stopped.
    pub(crate) async fn take_up(self: &Arc<Self>) -> Result<(), StoreError> {
        let now = clock::now();
        self.post(self.store.unsent(now).await?);
        if let Some(trouble) = gate::save_rules(self).await? {
            self.say_at_terminal(&trouble);
        }
        for pending in self.store.pending(now).await? {
            tokio::spawn(commands::carry_out(self.clone(), pending));
        }
        self.wake(self.store.unfinished().await?);
        Ok(())
    }
}

fn kind(event: &InboundEvent) -> &'static str {
    match &event.what {
        EventKind::Command { .. } => "command",
        EventKind::Delete { .. } => "delete",
        EventKind::Delivery { .. } => "delivery",
        EventKind::Edit { .. } => "edit",
        EventKind::Left => "left",
        EventKind::Message { .. } => "message",
        EventKind::Moved { .. } => "moved",
        EventKind::Opened { .. } => "opened",
        EventKind::Picked { .. } => "pick",
        EventKind::Press { .. } => "press",
        EventKind::Search { .. } => "search",
    }
}

/// Takes in albums once they are whole, and again what could not be taken in.
pub(crate) async fn take_in_again(house: Arc<House>) {
    loop {
        tokio::time::sleep(LOOK_AGAIN).await;
        let now = clock::now();
        match house.store.untaken(now).await {
            Ok(false) => continue,
            Ok(true) => {}
            Err(error) => {
                tracing::error!(%error, "the inbox cannot be read");
                continue;
            }
        }
        let welcome = house.model.welcome().map(ToOwned::to_owned);
        match house.store.retake(welcome, now).await {
            Ok(accepted) => house.follow(accepted),
            Err(error) => tracing::error!(%error, "what waits in the inbox could not be taken in"),
        }
    }
}

/// The inbox that adapters see.
pub(crate) struct Door {
    pub(crate) house: Arc<House>,
    /// The lease under which a line hears; none where platforms come to us.
    pub(crate) under: Option<Lease>,
}

#[async_trait]
impl Inbox for Door {
    fn hearing(&self, line: &LineId, trouble: Option<&AdapterError>) {
        self.house.hearing(line, trouble);
    }

    async fn accept(
        &self,
        line: &LineId,
        events: Vec<InboundEvent>,
        heard: Option<Cursor>,
    ) -> Result<(), NotStored> {
        let heard = store::Heard {
            line: line.clone(),
            events,
            until: heard,
            under: self.under.clone(),
        };
        self.house
            .take(heard)
            .await
            .map_err(|error| NotStored(error.to_string()))
    }

    async fn unreadable(&self, line: &LineId, id: EventId) -> Result<(), NotStored> {
        let set_aside = self
            .house
            .store
            .unreadable(line.clone(), id, self.under.clone(), clock::now())
            .await;
        self.house
            .post(set_aside.map_err(|error| NotStored(error.to_string()))?);
        Ok(())
    }

    async fn heard(&self, line: &LineId) -> Result<Option<Cursor>, NotStored> {
        self.house
            .store
            .heard(line.clone())
            .await
            .map_err(|error| NotStored(error.to_string()))
    }
}
