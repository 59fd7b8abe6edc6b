//! What reaches a turn while it runs? News from the person, the end of the turn; and what they see
//! meanwhile.

use std::time::{Duration, Instant};

use bot_policy::id::Place;
use tokio::sync::watch;

use crate::agent::model::{Completion, ModelError};
use crate::agent::prompt::Prompt;
use crate::metrics::{self, Span};
use crate::preview::{Last, Writing, last};
use crate::store::{Loaded, StoreError};
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

/// How a thought ended.
pub(crate) enum Thought {
    /// The program stops.
    Closing,
    /// The model is done.
    Completed(Result<Completion, ModelError>),
    /// The turn or the conversation was ended.
    Ended,
    /// The person wrote.
    Overtaken,
}

/// Has the model complete a prompt and shows its words as they come, until it is done or something
/// goes before it.
pub(crate) async fn complete(
    house: &House,
    loaded: &Loaded,
    prompt: &Prompt,
    course: &mut Course,
) -> Result<Thought, StoreError> {
    let (said, words) = watch::channel(String::new());
    let mut streamed = move |piece: &str| said.send_modify(|text| text.push_str(piece));
    let mut writing = Writing::new(house, loaded);
    let begun = Instant::now();
    let (thought, over) = {
        let showing = writing.show(words);
        tokio::pin!(showing);
        let mut shows = true;
        let thought = {
            let completion = house.model.complete(prompt, &mut streamed);
            let typing = typing(house, &loaded.place);
            tokio::pin!(completion, typing);
            loop {
                tokio::select! {
                    completed = &mut completion => break Thought::Completed(completed),
                    woken = course.heard() => {
                        if woken == Woken::Closing {
                            return Ok(Thought::Closing);
                        }
                        match house.store.news(loaded.id, loaded.turn.newest()).await? {
                            News::Ended => break Thought::Ended,
                            News::Nothing => {}
                            News::Words => break Thought::Overtaken,
                        }
                    }
                    () = &mut showing, if shows => shows = false,
                    () = &mut typing => {}
                }
            }
        };
        if let Thought::Completed(_) = &thought {
            metrics::took(Span::Model, begun);
        }
        drop(streamed);
        let over = match shows {
            true => last(showing).await,
            false => Last::Done,
        };
        (thought, over)
    };
    match &thought {
        Thought::Completed(Ok(_)) => writing.finish(over).await?,
        Thought::Completed(Err(_)) | Thought::Ended | Thought::Overtaken => writing.leave().await?,
        Thought::Closing => {}
    }
    Ok(thought)
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
