//! The built-in web chat: what the page posts comes in, what it shows goes out to every open tab.
//!
//! The page, its sessions and its stream belong to the gateway; this adapter only decodes what
//! was posted, encodes what is to be shown, and holds the hub that open tabs listen to.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use async_trait::async_trait;
use bot_policy::event::ReplyHandle;
use bot_policy::id::{ChatId, LineId, MessageRef, Place, Platform};
use bot_policy::message::OutboundMessage;
use bot_policy::secret::Secret;
use serde::Serialize;
use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::sync::broadcast;

use crate::drawn::unsigned;
use crate::{Adapter, AdapterError, Capabilities, Encoded, Inbox, Menus, Probe, SendKey, Support};

mod decode;
mod encode;

pub use decode::{MAX_ID, MAX_TEXT, Malformed, pair_event, press, say, say_as, upload};
pub use encode::{encode, said};

/// The name of the platform, and of its one line.
pub const NAME: &str = "web";

/// How many screens may wait for a slow tab; one that is further behind is told to load again.
const HUB: usize = 256;

/// How many characters of a card's body the page shows before it is cut.
const CARD_BODY: usize = 4000;

/// The web chat's adapter.
#[derive(Debug)]
pub struct Web {
    line: LineId,
    base: OnceLock<String>,
    uploads: OnceLock<PathBuf>,
    hub: broadcast::Sender<Screen>,
}

/// One change of what a place shows. The place chooses who is told and is not sent along.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum Screen {
    /// A message now shows something else.
    Edit {
        /// Where.
        #[serde(skip)]
        place: Place,
        /// Which.
        on: MessageRef,
        /// What it shows, as [`encode`] made it.
        body: Value,
    },
    /// A new message; one whose key is on the screen already is the same message.
    Message {
        /// Where.
        #[serde(skip)]
        place: Place,
        /// What it is called from now on.
        key: MessageRef,
        /// What it shows, as [`encode`] made it.
        body: Value,
    },
    /// A passing line that is kept nowhere.
    Notice {
        /// Where.
        #[serde(skip)]
        place: Place,
        /// Plain text.
        text: String,
    },
    /// The words of an answer that is still being written.
    Partial {
        /// Where.
        #[serde(skip)]
        place: Place,
        /// Plain text.
        text: String,
    },
    /// The person said this in one of the tabs; the others show it too.
    Said {
        /// Where.
        #[serde(skip)]
        place: Place,
        /// What it shows, as [`said`] made it.
        body: Value,
    },
    /// Nothing more is being done for now.
    Idle {
        /// Where.
        #[serde(skip)]
        place: Place,
    },
    /// An answer is being written.
    Typing {
        /// Where.
        #[serde(skip)]
        place: Place,
    },
}

impl Screen {
    /// Where it is shown.
    pub fn place(&self) -> &Place {
        match self {
            Self::Edit { place, .. }
            | Self::Idle { place }
            | Self::Message { place, .. }
            | Self::Notice { place, .. }
            | Self::Partial { place, .. }
            | Self::Said { place, .. }
            | Self::Typing { place } => place,
        }
    }
}

impl Default for Web {
    fn default() -> Self {
        Self::named(NAME)
    }
}

impl Web {
    /// A hub for another screen that Postern itself draws, under a name of its own.
    pub fn named(name: &str) -> Self {
        Self {
            line: LineId::new(name),
            base: OnceLock::new(),
            uploads: OnceLock::new(),
            hub: broadcast::channel(HUB).0,
        }
    }

    /// Sets where the page is reached, as in `http://127.0.0.1:8787`. Only the first call counts.
    pub fn set_base(&self, url: &str) {
        let _ = self.base.set(url.trim_end_matches('/').to_owned());
    }

    /// Sets the folder where what was uploaded waits, each file under its handle. Only the first
    /// call counts.
    pub fn set_uploads(&self, folder: PathBuf) {
        let _ = self.uploads.set(folder);
    }

    /// Hears every screen of every place from now on. A listener that falls behind is told so
    /// and must load again.
    pub fn subscribe(&self) -> broadcast::Receiver<Screen> {
        self.hub.subscribe()
    }

    /// How many tabs listen now.
    pub fn listeners(&self) -> usize {
        self.hub.receiver_count()
    }

    /// Shows a change to whoever has the page open. Nobody has to: what lasts is in the store.
    pub fn show(&self, screen: Screen) {
        let _ = self.hub.send(screen);
    }
}

/// The place of a browser's account: each has one direct chat.
pub fn place(account: &str) -> Place {
    Place {
        line: LineId::new(NAME),
        chat: ChatId::new(account),
        thread: None,
    }
}

#[async_trait]
impl Adapter for Web {
    fn platform(&self) -> Platform {
        Platform::new(self.line.as_str())
    }

    fn line(&self) -> &LineId {
        &self.line
    }

    fn secrets(&self) -> Vec<Secret<String>> {
        Vec::new()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            edit: Support::Yes,
            card_body: CARD_BODY,
            marks_forwards: Support::Yes,
        }
    }

    async fn probe(&self) -> Result<Probe, AdapterError> {
        Ok(Probe {
            name: self
                .base
                .get()
                .cloned()
                .unwrap_or_else(|| "the web chat".to_owned()),
        })
    }

    async fn announce(&self, _: &Menus) -> Result<(), AdapterError> {
        Ok(())
    }

    /// The code stands in the fragment, which a browser never sends; the page asks for a press
    /// before it posts it.
    fn pair_link(&self, code: &str) -> Option<String> {
        self.base.get().map(|base| format!("{base}/#{code}"))
    }

    /// Events come by the gateway's own HTTP server, so there is nothing to hear here.
    async fn listen(&self, _: &dyn Inbox) -> Result<(), AdapterError> {
        std::future::pending().await
    }

    fn encode(&self, message: &OutboundMessage) -> Vec<Encoded> {
        vec![Encoded(encode(message))]
    }

    /// The page asks the gateway for a file; nothing is sent along.
    fn set_outgoing(&self, _: &Path) {}

    fn plain(&self, part: &Encoded) -> String {
        encode::plain(&part.0)
    }

    async fn acknowledge(
        &self,
        reply: &ReplyHandle,
        notice: Option<&str>,
    ) -> Result<(), AdapterError> {
        if let Some(text) = notice {
            self.show(Screen::Notice {
                place: Place {
                    line: self.line.clone(),
                    ..place(&reply.0)
                },
                text: text.to_owned(),
            });
        }
        Ok(())
    }

    async fn send(
        &self,
        place: &Place,
        part: &Encoded,
        key: SendKey,
    ) -> Result<MessageRef, AdapterError> {
        let key = MessageRef::new(key.0.to_string());
        self.show(Screen::Message {
            place: place.clone(),
            key: key.clone(),
            body: part.0.clone(),
        });
        Ok(key)
    }

    async fn edit(
        &self,
        place: &Place,
        on: &MessageRef,
        part: &Encoded,
    ) -> Result<(), AdapterError> {
        self.show(Screen::Edit {
            place: place.clone(),
            on: on.clone(),
            body: part.0.clone(),
        });
        Ok(())
    }

    async fn fetch(&self, handle: &str, most: u64) -> Result<Vec<u8>, AdapterError> {
        let gone = || AdapterError::Refused("the upload is not there any more".to_owned());
        let named = !handle.is_empty() && handle.bytes().all(|byte| byte.is_ascii_hexdigit());
        let folder = self.uploads.get().filter(|_| named).ok_or_else(gone)?;
        let file = tokio::fs::File::open(folder.join(handle)).await;
        let mut bytes = Vec::new();
        let mut file = file.map_err(|_| gone())?.take(most.saturating_add(1));
        file.read_to_end(&mut bytes).await.map_err(|_| gone())?;
        if u64::try_from(bytes.len()).is_ok_and(|size| size > most) {
            return Err(crate::http::too_large(most));
        }
        Ok(bytes)
    }

    async fn preview(&self, place: &Place, text: &str) -> Result<(), AdapterError> {
        self.show(Screen::Partial {
            place: place.clone(),
            text: unsigned(text),
        });
        Ok(())
    }

    async fn typing(&self, place: &Place) -> Result<(), AdapterError> {
        self.show(Screen::Typing {
            place: place.clone(),
        });
        Ok(())
    }
}
