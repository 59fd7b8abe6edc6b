//! What does the page see? The gateway as the web chat's desk.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adapters::web::Web;
use async_trait::async_trait;
use bot_policy::access::Person;
use bot_policy::event::{FileFact, FileKind, InboundEvent};
use bot_policy::id::Place;
use bot_policy::pairing::CodeRole;

use crate::clock;
use crate::http::admin::AdminToken;
use crate::http::console::Console;
use crate::http::{Desk as PageDesk, DeskError, ScreenItem, SessionHash, Speaker};
use crate::metrics::{self, Gauge};
use crate::socket::LineState;
use crate::store::{Heard, ScreenLine, Store, StoreError};
use crate::{House, RunError, chance, receive};

#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) admin: Option<AdminToken>,
    pub(crate) house: Arc<House>,
    pub(crate) web: Arc<Web>,
}

/// The folder where uploads wait; what nobody wants any more is deleted.
pub(crate) async fn uploads(data: &Path, store: &Store) -> Result<PathBuf, RunError> {
    let folder = data.join("uploads");
    std::fs::create_dir_all(&folder)?;
    for entry in std::fs::read_dir(&folder)?.flatten() {
        let handle = entry.file_name().to_string_lossy().into_owned();
        if !store.is_wanted(handle).await? {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(folder)
}

pub(crate) fn told(error: StoreError) -> DeskError {
    DeskError(error.to_string())
}

#[async_trait]
impl PageDesk for Desk {
    async fn account(&self, session: SessionHash) -> Result<Option<String>, DeskError> {
        self.house
            .store
            .session(session.as_str().to_owned())
            .await
            .map_err(told)
    }

    async fn open_session(&self, session: SessionHash, account: &str) -> Result<(), DeskError> {
        self.house
            .store
            .open_session(
                session.as_str().to_owned(),
                account.to_owned(),
                clock::now(),
            )
            .await
            .map_err(told)
    }

    async fn accept(&self, event: InboundEvent) -> Result<(), DeskError> {
        self.house.take(Heard::brought(event)).await.map_err(told)
    }

    async fn upload(&self, bytes: Vec<u8>) -> Result<FileFact, DeskError> {
        let failed = |error: &dyn std::fmt::Display| DeskError(error.to_string());
        let name: [u8; 16] = chance::bytes().map_err(|error| failed(&error))?;
        let handle: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
        let fact = FileFact {
            kind: receive::kind_of(&bytes),
            bytes: u64::try_from(bytes.len()).ok(),
            handle,
        };
        let at = self.house.uploads.join(&fact.handle);
        let write = tokio::task::spawn_blocking(move || {
            let mut file = std::fs::File::create_new(at)?;
            file.write_all(&bytes)?;
            file.sync_all()
        });
        match write.await {
            Ok(Ok(())) => Ok(fact),
            Ok(Err(error)) => Err(failed(&error)),
            Err(error) => Err(failed(&error)),
        }
    }

    async fn file(
        &self,
        place: &Place,
        digest: &str,
    ) -> Result<Option<(String, FileKind, Vec<u8>)>, DeskError> {
        let sent = self.house.store.enclosed(place.clone(), digest.to_owned());
        let Some(sent) = sent.await.map_err(told)? else {
            return Ok(None);
        };
        match tokio::fs::read(self.house.sent.join(digest)).await {
            Ok(bytes) => Ok(Some((sent.name, sent.kind, bytes))),
            // Copies that were sent long ago are taken away.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(DeskError(error.to_string())),
        }
    }

    async fn owner_of(&self, place: &Place) -> Result<Option<Person>, DeskError> {
        self.house
            .store
            .paired_by(place.clone())
            .await
            .map_err(told)
    }

    async fn transcript(&self, place: &Place) -> Result<Vec<ScreenItem>, DeskError> {
        let lines = self.house.store.screen(place.clone()).await.map_err(told)?;
        let items = lines
            .into_iter()
            .zip(1_i64..)
            .map(|(line, number)| match line {
                ScreenLine::Mine { at, text, message } => ScreenItem {
                    key: -number,
                    at: at.0,
                    from: Speaker::Mine,
                    body: adapters::web::said(&message, &text),
                },
                ScreenLine::Postern { key, at, body } => ScreenItem {
                    key,
                    at: at.0,
                    from: Speaker::Postern,
                    body,
                },
            });
        Ok(items.collect())
    }

    async fn healthy(&self) -> bool {
        self.house.store_ails().await.is_none()
    }

    async fn ready(&self) -> bool {
        self.house.store.takes_writes().await.is_ok()
    }

    async fn metrics(&self) -> Result<String, DeskError> {
        let gauges = self.house.gauges().await.map_err(told)?;
        Ok(metrics::render(&gauges))
    }

    fn admin(&self) -> Option<&AdminToken> {
        self.admin.as_ref()
    }

    async fn owner_code(&self) -> Result<String, DeskError> {
        let made = self.house.new_code(CodeRole::Owner).await;
        made.map(|code| code.code)
            .map_err(|error| DeskError(error.to_string()))
    }

    fn console(&self) -> &dyn Console {
        self
    }

    fn web(&self) -> &Web {
        &self.web
    }
}

impl House {
    /// The numbers of this moment.
    async fn gauges(&self) -> Result<Vec<Gauge>, StoreError> {
        let (codes, questions) = self.store.waiting(clock::now()).await?;
        let unsent = self.store.unsent_letters().await?;
        let hearing = self
            .states
            .borrow()
            .values()
            .filter(|line| line.state == LineState::Listening)
            .count();
        let lines = self.lines.values().count();
        let up = clock::now().0.saturating_sub(self.since.0) / 1000;
        let number = |many: usize| i64::try_from(many).unwrap_or(i64::MAX);
        let gauge = |name, help, value| Gauge { name, help, value };
        Ok(vec![
            gauge("up_seconds", "how long this Postern runs", up),
            gauge("lines", "lines that are configured", number(lines)),
            gauge("lines_hearing", "lines that hear", number(hearing)),
            gauge("open_questions", "cards that wait", questions.into()),
            gauge("live_codes", "pairing codes that live", codes.into()),
            gauge("letters_unsent", "letters on their way", unsent),
        ])
    }
}
