//! What does one open terminal hear, and what does it say? A stream of lines each way, until one
//! of the two goes away.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use adapters::web::Screen;
use bot_policy::event::{
    Addressed, ChatKind, EventKind, InboundEvent, Part, PartBody, Provenance, ReplyHandle, Sender,
};
use bot_policy::id::{EventId, MessageRef, Place};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::timeout;

use super::protocol::{Before, Open, Opened, Resume, TOOK, Typed, said_as};
use super::{LINE, Seated, about};
use crate::socket::{Answer, KeeperError};
use crate::store::{Heard, ScreenLine, StoreError, terminal_place, terminal_user};
use crate::{House, chance, clock};

/// The longest line from a terminal, in bytes.
const LINE_LIMIT: u64 = 128 * 1024;
/// The longest text, in bytes; as long as the page takes.
const TEXT_LIMIT: usize = adapters::web::MAX_TEXT;
/// How many lines of before a terminal shows.
const BEFORE: usize = 40;
/// How long a terminal may take to read a line.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether everything said is on the screen.
const LOOK: Duration = Duration::from_millis(5);

/// Opens a Code conversation for a terminal, and serves it until it goes.
pub(crate) async fn attend(house: Arc<House>, open: Open, stream: UnixStream) {
    let (reads, mut writes) = stream.into_split();
    // Heard from now on, so that nothing falls between what stood there and what comes.
    let screens = house.terminal.subscribe();
    match begin(&house, &open).await {
        Ok(opened) => {
            let place = terminal_place(&opened.name);
            let seated = Seated::new(house.clone(), &opened.name);
            let answer = Answer::Opened(Box::new(opened));
            if let Ok(line) = serde_json::to_value(answer)
                && write(&mut writes, &line).await.is_ok()
            {
                let session = Session {
                    house: house.clone(),
                    place,
                    writes,
                    screens,
                };
                // A terminal that went away is no failure.
                let _ = session.serve(reads).await;
            }
            drop(seated);
        }
        Err(why) => {
            let refused = Answer::Refused {
                why: why.to_string(),
            };
            if let Ok(line) = serde_json::to_value(refused) {
                let _ = write(&mut writes, &line).await;
            }
        }
    }
}

fn unavailable(error: impl std::fmt::Display) -> KeeperError {
    KeeperError::Unavailable(error.to_string())
}

async fn begin(house: &House, open: &Open) -> Result<Opened, KeeperError> {
    let now = clock::now();
    let (which, name, folder) = match &open.resume {
        None => {
            let folder = about(house, &open.folder).await?.path;
            let name: [u8; 4] = chance::bytes().map_err(unavailable)?;
            let name: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
            let opened = house
                .store
                .open_code(name.clone(), folder.clone(), open.unattended, now);
            (opened.await.map_err(unavailable)?, name, folder)
        }
        Some(resume) => {
            let seen = match resume {
                Resume::Last => {
                    let folder = about(house, &open.folder).await?.path;
                    let all = house.store.codes(1000).await.map_err(unavailable)?;
                    all.into_iter().find(|seen| seen.folder == folder)
                }
                Resume::Named(name) => {
                    let named = house.store.code_named(name.clone()).await;
                    named.map_err(unavailable)?
                }
            };
            let seen = seen.ok_or_else(|| {
                KeeperError::Refused(
                    "there is no such Code conversation; postern code --list shows those that go on"
                        .into(),
                )
            })?;
            let attended = house.store.attend_code(seen.id, open.unattended);
            attended.await.map_err(unavailable)?;
            (seen.id, seen.place.chat.to_string(), seen.folder)
        }
    };
    let history = history(house, &name).await.map_err(unavailable)?;
    let link = match open.unattended {
        true => None,
        false => Some(
            house
                .store
                .link_words(which, now)
                .await
                .map_err(unavailable)?,
        ),
    };
    let loaded = house.store.conversation(which).await.map_err(unavailable)?;
    let busy = loaded.is_some_and(|loaded| loaded.turn.next() != crate::agent::Next::Rest);
    let unapproved = house.store.unapproved(which).await.map_err(unavailable)?;
    Ok(Opened {
        name,
        folder,
        link,
        history,
        busy,
        unapproved,
    })
}

async fn history(house: &House, name: &str) -> Result<Vec<Before>, StoreError> {
    let lines = house.store.screen(terminal_place(name)).await?;
    let skip = lines.len().saturating_sub(BEFORE);
    let shown = lines.into_iter().skip(skip).filter_map(|line| match line {
        ScreenLine::Mine { text, message, .. } => {
            // What came from elsewhere is told by a line of its own.
            let here = message.starts_with(LINE);
            here.then_some(Before::Mine { key: message, text })
        }
        ScreenLine::Postern { key, body, .. } => Some(Before::Postern {
            key: key.to_string(),
            body,
        }),
    });
    Ok(shown.collect())
}

struct Session {
    house: Arc<House>,
    place: Place,
    writes: OwnedWriteHalf,
    screens: tokio::sync::broadcast::Receiver<Screen>,
}

impl Session {
    async fn serve(mut self, reads: OwnedReadHalf) -> std::io::Result<()> {
        let mut reads = BufReader::new(reads.take(LINE_LIMIT));
        let mut line = Vec::new();
        let mut idle = false;
        loop {
            tokio::select! {
                // What was read of a line so far stays in it.
                read = reads.read_until(b'\n', &mut line) => {
                    if read? == 0 || line.last() != Some(&b'\n') {
                        return Ok(());
                    }
                    self.typed(&line).await?;
                    line.clear();
                    reads.get_mut().set_limit(LINE_LIMIT);
                }
                screen = self.screens.recv() => match screen {
                    Ok(Screen::Idle { place }) if place == self.place => idle = true,
                    Ok(screen) => self.show(&screen).await?,
                    Err(RecvError::Lagged(_)) => self.again().await?,
                    Err(RecvError::Closed) => return Ok(()),
                },
                () = tokio::time::sleep(LOOK), if idle => {}
            }
            // Said only once all that was said before is on the screen.
            if idle && self.screens.is_empty() && !self.unsent().await {
                idle = false;
                let unapproved = self.unapproved().await;
                let line = json!({ "what": "idle", "unapproved": unapproved });
                write(&mut self.writes, &line).await?;
            }
        }
    }

    async fn unsent(&self) -> bool {
        let unsent = self.house.store.unsent_at(self.place.clone()).await;
        unsent.unwrap_or(false)
    }

    /// How many calls did not run for want of an approval. Where that cannot be read, one is told, so
    /// that no script takes silence for success.
    async fn unapproved(&self) -> i64 {
        let name = self.place.chat.to_string();
        let counted = async {
            match self.house.store.code_named(name).await? {
                Some(seen) => self.house.store.unapproved(seen.id).await,
                None => Ok(0),
            }
        };
        counted.await.unwrap_or(1)
    }

    /// It fell behind: what lasts is shown again, and it knows what it has by its key.
    async fn again(&mut self) -> std::io::Result<()> {
        let history = history(&self.house, self.place.chat.as_str()).await;
        let shown: VecDeque<Before> = history.unwrap_or_default().into();
        for before in shown {
            if let Before::Postern { key, body } = before {
                let line = json!({ "what": "message", "key": key, "body": body });
                write(&mut self.writes, &line).await?;
            }
        }
        Ok(())
    }

    async fn show(&mut self, screen: &Screen) -> std::io::Result<()> {
        if *screen.place() != self.place {
            return Ok(());
        }
        let line = serde_json::to_value(screen)?;
        write(&mut self.writes, &line).await
    }

    async fn typed(&mut self, line: &[u8]) -> std::io::Result<()> {
        let typed: Typed = serde_json::from_slice(line)?;
        let id = typed.id().to_owned();
        let plain = id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !plain || id.is_empty() || id.len() > 64 {
            return Err(std::io::Error::other("an id that is none"));
        }
        let taken = match self.what(typed) {
            Ok(what) => {
                let event = InboundEvent {
                    id: EventId::new(format!("{}/{id}", self.place.chat)),
                    at: clock::now(),
                    place: self.place.clone(),
                    kind_of_chat: ChatKind::Direct,
                    sender: Sender::Person(terminal_user()),
                    what,
                };
                let taken = self.house.take(Heard::brought(event)).await;
                taken.map_err(|error| error.to_string())
            }
            Err(why) => Err(why),
        };
        let wrong = taken.err();
        let line = json!({ "what": TOOK, "id": id, "wrong": wrong });
        write(&mut self.writes, &line).await
    }

    fn what(&self, typed: Typed) -> Result<EventKind, String> {
        match typed {
            Typed::Press { token, .. } => Ok(EventKind::Press {
                token,
                on: None,
                reply: ReplyHandle(self.place.chat.to_string()),
            }),
            Typed::Say { text, .. } if text.len() > TEXT_LIMIT => Err(format!(
                "that has {} bytes and {TEXT_LIMIT} fit; say it in parts, or put it into a file",
                text.len()
            )),
            Typed::Say { text, id } => Ok(EventKind::Message {
                message: MessageRef::new(said_as(&id)),
                parts: vec![Part {
                    body: PartBody::Text(text),
                    provenance: Provenance::Authored,
                }],
                addressed: Addressed::Bot,
                album: None,
            }),
        }
    }
}

async fn write(to: &mut OwnedWriteHalf, line: &Value) -> std::io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    timeout(PATIENCE, to.write_all(&bytes)).await?
}
