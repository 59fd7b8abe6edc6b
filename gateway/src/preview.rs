//! What is shown of an answer while the model still writes it? Plain words, without secrets, now
//! and then; the letter that follows is what lasts.

use std::time::Duration;

use bot_policy::event::ChatKind;
use tokio::sync::watch;

use crate::House;
use crate::store::Loaded;

/// How long it is at least from one look to the next.
const PAUSE: Duration = Duration::from_millis(250);
/// The same at a terminal.
const TERMINAL_PAUSE: Duration = Duration::from_millis(15);
/// A word of this many bytes may be a piece of a secret.
const LONG_WORD: usize = 16;

/// Shows what `words` holds, each time that there is more of it. Does not end.
pub(crate) async fn show(house: &House, loaded: &Loaded, mut words: watch::Receiver<String>) {
    let adapter = match loaded.kind {
        ChatKind::Direct => house.lines.get(&loaded.place.line),
        // Nobody can follow a text that changes between others' messages.
        ChatKind::Group => None,
    };
    let Some(adapter) = adapter else {
        return std::future::pending().await;
    };
    // A terminal shows each word as it comes.
    let pause = match loaded.code {
        Some(_) => TERMINAL_PAUSE,
        None => PAUSE,
    };
    let mut shown = String::new();
    while words.changed().await.is_ok() {
        tokio::time::sleep(pause).await;
        let said = words.borrow_and_update().clone();
        let text = settled(&house.secrets.cut(&said)).to_owned();
        if !text.is_empty() && text != shown {
            if let Err(error) = adapter.preview(&loaded.place, &text).await {
                tracing::debug!(%error, line = %loaded.place.line, "a preview was not shown");
            }
            shown = text;
        }
    }
    std::future::pending().await
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
