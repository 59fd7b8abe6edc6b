//! What is shown of an answer while the model still writes it? Plain words, without secrets, now
//! and then; the letter that follows is what lasts.

use std::sync::Arc;
use std::time::Duration;

use adapters::{Adapter, AdapterError, Attempt, Encoded, SendKey};
use bot_policy::event::ChatKind;
use bot_policy::message::{Addresses, Body, Choices, Notice, OutboundMessage};
use bot_policy::receipt::without_receipts;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::store::{Loaded, Preview, Standing, StoreError};
use crate::{House, clock};

/// How long it is at least from one look to the next.
const PAUSE: Duration = Duration::from_millis(250);
/// The same at a terminal.
const TERMINAL_PAUSE: Duration = Duration::from_millis(15);
/// A word of this many bytes may be a piece of a secret.
const LONG_WORD: usize = 16;
/// How long the last call may take that shows something unfinished: the whole waits for it, so that
/// it is not written over.
const LAST: Duration = Duration::from_secs(5);
/// What stands under words that nothing takes the place of.
const LEFT: &str = "(not finished)";

/// An answer that is being written, and what its chat shows of it.
pub(crate) struct Writing<'a> {
    house: &'a House,
    loaded: &'a Loaded,
    adapter: Option<&'a Arc<dyn Adapter>>,
    shown: String,
    /// The message that shows it, where the platform shows it as one, and what that holds.
    message: Option<(Preview, Encoded)>,
    calls: Calls,
}

/// How sure it is what a message shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calls {
    /// The platform takes none; the answer comes all the same.
    GivenUp,
    /// Each is known to be done or not.
    Known,
    /// One may still be under way.
    Lost,
}

impl<'a> Writing<'a> {
    pub(crate) fn new(house: &'a House, loaded: &'a Loaded) -> Self {
        let adapter = match (loaded.kind, &loaded.work) {
            (ChatKind::Direct, None) => house.lines.get(&loaded.place.line),
            // Nobody can follow a text that changes between others' messages, and what a worker
            // says is for whom it works.
            (ChatKind::Direct, Some(_)) | (ChatKind::Group, _) => None,
        };
        Self {
            house,
            loaded,
            adapter,
            shown: String::new(),
            message: None,
            calls: Calls::Known,
        }
    }

    /// Shows what `words` holds, each time that there is more of it, until no more can come. A call
    /// that is under way then is not dropped.
    pub(crate) async fn show(&mut self, mut words: watch::Receiver<String>) {
        let Some(adapter) = self.adapter else {
            return;
        };
        let pace = adapter.preview_pace();
        if pace.is_some() {
            let begun = self.take_up().await;
            self.noted(begun);
        }
        let pause = match &self.loaded.code {
            // A terminal shows each word as it comes.
            Some(_) => TERMINAL_PAUSE,
            None => pace.unwrap_or(PAUSE),
        };
        while words.changed().await.is_ok() {
            tokio::select! {
                () = sleep(pause) => {}
                () = over(words.clone()) => break,
            }
            let said = words.borrow_and_update().clone();
            let text = self.settled(&said);
            if text.is_empty() || text == self.shown {
                continue;
            }
            self.shown = text;
            match pace {
                Some(_) => self.put(adapter.as_ref()).await,
                None => {
                    if let Err(error) = adapter.preview(&self.loaded.place, &self.shown).await {
                        tracing::debug!(%error, line = %self.loaded.place.line, "a preview was not shown");
                    }
                }
            }
        }
        // What may stand there is found again by its number, so that the answer takes its place.
        let unknown = |(preview, _): &(Preview, Encoded)| preview.message.is_none();
        if self.message.as_ref().is_some_and(unknown) {
            let said = words.borrow().clone();
            self.shown = self.settled(&said);
            self.put(adapter.as_ref()).await;
        }
    }

    /// What may be shown of these words: as in the letter that follows, no line looks like a receipt
    /// and no secret stands there, be it half written.
    fn settled(&self, said: &str) -> String {
        settled(&self.house.secrets.cut(&without_receipts(said))).to_owned()
    }

    /// Goes on with what was begun before the program ended, if the person said nothing since.
    async fn take_up(&mut self) -> Result<(), StoreError> {
        let (id, at) = (self.loaded.id, self.loaded.place_id);
        let Some(preview) = self.house.store.preview(id, at).await? else {
            return Ok(());
        };
        let standing = preview.standing;
        self.message = Some((preview, Encoded(Value::Null)));
        match standing {
            Standing::Current => Ok(()),
            Standing::Overtaken => self.leave().await,
        }
    }

    /// Shows the words in a message: a new one, or the one that shows what came before them.
    async fn put(&mut self, adapter: &dyn Adapter) {
        let put = self.try_to_put(adapter).await;
        self.noted(put);
    }

    async fn try_to_put(&mut self, adapter: &dyn Adapter) -> Result<(), StoreError> {
        let part = adapter.encode(&plain(&self.shown)).into_iter().next();
        let wanted = !self.shown.is_empty() && self.calls != Calls::GivenUp;
        let Some(part) = part.filter(|_| wanted) else {
            return Ok(());
        };
        let (store, place) = (&self.house.store, &self.loaded.place);
        let (mut preview, attempt) = match &self.message {
            Some((_, shown)) if *shown == part => return Ok(()),
            Some((preview, _)) => (preview.clone(), Attempt::Again),
            None => {
                let (id, at) = (self.loaded.id, self.loaded.place_id);
                let begun = store.begin_preview(id, at, clock::now()).await?;
                (begun, Attempt::First)
            }
        };
        let key = SendKey(preview.id);
        let grows = preview.message.is_some();
        let done = match &preview.message {
            None => match adapter.begin(place, &part, key, attempt).await {
                Ok(name) => {
                    let at = self.loaded.place_id;
                    store.preview_stands(preview.id, at, name.clone()).await?;
                    preview.message = Some(name);
                    Ok(())
                }
                Err(error) => Err(error),
            },
            Some(name) => adapter.grow(place, name, &part).await,
        };
        self.calls = match done {
            // An earlier change may still be made, after this one.
            Ok(()) if grows && self.calls == Calls::Lost => Calls::Lost,
            Ok(()) => Calls::Known,
            // Nothing was done, and the next words may be taken.
            Err(AdapterError::Retry { after: Some(_), .. }) => self.calls,
            Err(AdapterError::Ambiguous | AdapterError::Retry { after: None, .. }) => Calls::Lost,
            Err(error) => {
                tracing::debug!(%error, line = %place.line, "a preview was not shown");
                Calls::GivenUp
            }
        };
        self.message = Some((preview, part));
        Ok(())
    }

    /// The answer is whole: it takes the place of what stands there, unless that may still change.
    pub(crate) async fn finish(&mut self, last: Last) -> Result<(), StoreError> {
        match (&self.message, self.calls, last) {
            (None, ..) | (Some(_), Calls::Known, Last::Done) => Ok(()),
            (Some((preview, _)), ..) => self.house.store.let_go(preview.id).await,
        }
    }

    /// No answer takes its place; what stands there says so.
    pub(crate) async fn leave(&mut self) -> Result<(), StoreError> {
        let Some((preview, _)) = self.message.take() else {
            return Ok(());
        };
        self.house.store.let_go(preview.id).await?;
        let text = format!("{}\n\n{LEFT}", std::mem::take(&mut self.shown));
        let (Some(adapter), Some(name)) = (self.adapter, &preview.message) else {
            return Ok(());
        };
        // What is longer than one message shows its beginning, and stays like that.
        if let [part] = adapter.encode(&plain(text.trim())).as_slice() {
            let edit = adapter.edit(&self.loaded.place, name, part);
            if !matches!(timeout(LAST, edit).await, Ok(Ok(()))) {
                tracing::debug!(line = %self.loaded.place.line, "what is left does not say so");
            }
        }
        Ok(())
    }

    fn noted(&mut self, kept: Result<(), StoreError>) {
        if let Err(error) = kept {
            tracing::warn!(%error, "what is being written cannot be recorded, so it is not shown");
            self.calls = Calls::GivenUp;
        }
    }
}

/// Whether the last call that shows something unfinished is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    /// It is.
    Done,
    /// It takes too long.
    Late,
}

/// Waits until the last words were shown, if that does not take too long.
pub(crate) async fn last(showing: impl Future<Output = ()>) -> Last {
    match timeout(LAST, showing).await {
        Ok(()) => Last::Done,
        Err(_) => Last::Late,
    }
}

/// Waits until no more words can come.
async fn over(mut words: watch::Receiver<String>) {
    while words.changed().await.is_ok() {}
}

fn plain(text: &str) -> OutboundMessage {
    OutboundMessage {
        body: Body::Notice(Notice {
            text: text.to_owned(),
            addresses: Addresses::Inert,
            choices: Choices::default(),
        }),
        answers: None,
    }
}

/// The text without its last word, which may not be whole, and without the long words before it:
/// what follows may show that they were pieces of a secret.
pub fn settled(text: &str) -> &str {
    let mut kept = text;
    let mut last = true;
    while let Some(word) = kept.split_whitespace().next_back() {
        if !last && word.len() < LONG_WORD {
            break;
        }
        let Some(at) = kept.rfind(word) else { break };
        // A text that ends in a blank has its last word whole.
        let whole = last && kept.len() > at + word.len() && word.len() < LONG_WORD;
        if whole {
            break;
        }
        kept = kept.get(..at).unwrap_or_default();
        last = false;
    }
    kept.trim_end()
}
