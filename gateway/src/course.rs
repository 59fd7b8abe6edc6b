//! What reaches a turn while it runs? News from the person, the end of the turn; and what they see
//! meanwhile.

use std::time::Duration;

use bot_policy::id::Place;
use tokio::sync::watch;

use crate::{House, gate};

/// How a running conversation hears.
pub(crate) struct Course {
    news: watch::Receiver<Heard>,
    stops: u64,
    /// Whether the chat was told that the course changes; once in a turn.
    pub(crate) told: bool,
}

/// What was heard so far, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Heard {
    pub(crate) news: u64,
    pub(crate) stops: u64,
}

/// What woke a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Woken {
    /// The program stops.
    Closing,
    /// Something new is stored.
    News,
    /// The person ended the turn.
    Stop,
}

/// What came in since a turn was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// The turn or the conversation was ended.
    Ended,
    /// Nothing that matters to it.
    Nothing,
    /// The person wrote.
    Words,
}

impl Course {
    pub(crate) fn new(news: watch::Receiver<Heard>) -> Self {
        Self {
            news,
            stops: 0,
            told: false,
        }
    }

    /// Whatever was heard before is known from what is read next.
    pub(crate) fn catch_up(&mut self) {
        self.stops = self.news.borrow_and_update().stops;
    }

    /// Waits until the turn is ended, or the program.
    pub(crate) async fn stopped(&mut self) {
        while self.heard().await == Woken::News {}
    }

    /// Waits until something is heard.
    pub(crate) async fn heard(&mut self) -> Woken {
        if self.news.changed().await.is_err() {
            return Woken::Closing;
        }
        let heard = *self.news.borrow_and_update();
        let stopped = heard.stops > self.stops;
        self.stops = heard.stops;
        if stopped { Woken::Stop } else { Woken::News }
    }
}

/// Shows in the chat that something is being done, for as long as it is polled.
pub(crate) async fn typing(house: &House, place: &Place) {
    let mut tick =
        tokio::time::interval_at(tokio::time::Instant::now() + TYPING_AFTER, TYPING_LASTS);
    loop {
        tick.tick().await;
        gate::show_typing(house, place).await;
    }
}

/// How long something takes before the chat shows that it is being done.
const TYPING_AFTER: Duration = Duration::from_millis(700);
/// How long platforms show it.
const TYPING_LASTS: Duration = Duration::from_secs(4);
