//! A desk that keeps everything in memory.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

use adapters::web::Web;
use async_trait::async_trait;
use bot_policy::access::{Person, Role};
use bot_policy::event::{EventKind, FileFact, FileKind, InboundEvent, PartBody};
use bot_policy::id::{PersonId, Place};
use gateway::http::admin::AdminToken;
use gateway::http::console::{Console, Done, Download, Owner, View, Word};
use gateway::http::{Desk, DeskError, ScreenItem, SessionHash};
use serde_json::{Value, json};

/// The one code that pairs, once.
pub const GOOD: &str = "GOOD2345";

#[derive(Default)]
pub struct Memory {
    pub sessions: Mutex<HashMap<SessionHash, String>>,
    pub paired: Mutex<HashMap<Place, Person>>,
    pub accepted: Mutex<Vec<InboundEvent>>,
    pub shown: Mutex<Vec<ScreenItem>>,
    pub deeds: Mutex<Vec<String>>,
    pub broken: AtomicBool,
    pub admin: OnceLock<AdminToken>,
    web: Web,
}

impl Memory {
    /// A browser that is paired: its token.
    pub fn paired(&self, account: &str) -> String {
        let token = account.repeat(64).chars().take(64).collect::<String>();
        let hash = SessionHash::of(&token).expect("hexadecimal");
        self.sessions
            .lock()
            .unwrap()
            .insert(hash, account.to_owned());
        let place = adapters::web::place(account);
        self.paired.lock().unwrap().insert(place, owner());
        token
    }

    /// How much was ever written.
    pub fn written(&self) -> (usize, usize) {
        let sessions = self.sessions.lock().unwrap().len();
        (sessions, self.accepted.lock().unwrap().len())
    }

    fn works(&self) -> Result<(), DeskError> {
        if self.broken.load(Ordering::SeqCst) {
            return Err(DeskError("disk /secret/path is full".to_owned()));
        }
        Ok(())
    }
}

pub fn owner() -> Person {
    Person {
        id: PersonId(1),
        role: Role::Owner,
        name: "Anna".to_owned(),
    }
}

#[async_trait]
impl Desk for Memory {
    async fn account(&self, session: SessionHash) -> Result<Option<String>, DeskError> {
        self.works()?;
        Ok(self.sessions.lock().unwrap().get(&session).cloned())
    }

    async fn open_session(&self, session: SessionHash, account: &str) -> Result<(), DeskError> {
        self.works()?;
        self.sessions
            .lock()
            .unwrap()
            .insert(session, account.to_owned());
        Ok(())
    }

    async fn accept(&self, event: InboundEvent) -> Result<(), DeskError> {
        self.works()?;
        let mut accepted = self.accepted.lock().unwrap();
        let used = accepted.iter().any(|event| typed(event) == Some(&code()));
        if typed(&event) == Some(&code()) && !used {
            let place = event.place.clone();
            self.paired.lock().unwrap().insert(place, owner());
        }
        accepted.push(event);
        Ok(())
    }

    async fn upload(&self, bytes: Vec<u8>) -> Result<FileFact, DeskError> {
        self.works()?;
        Ok(FileFact {
            kind: FileKind::Document,
            handle: "00".to_owned(),
            bytes: u64::try_from(bytes.len()).ok(),
        })
    }

    async fn file(
        &self,
        _: &Place,
        _: &str,
    ) -> Result<Option<(String, FileKind, Vec<u8>)>, DeskError> {
        Ok(None)
    }

    async fn owner_of(&self, place: &Place) -> Result<Option<Person>, DeskError> {
        self.works()?;
        Ok(self.paired.lock().unwrap().get(place).cloned())
    }

    async fn transcript(&self, _: &Place) -> Result<Vec<ScreenItem>, DeskError> {
        self.works()?;
        Ok(self.shown.lock().unwrap().clone())
    }

    async fn healthy(&self) -> bool {
        self.works().is_ok()
    }

    async fn ready(&self) -> bool {
        self.works().is_ok()
    }

    async fn metrics(&self) -> Result<String, DeskError> {
        self.works()?;
        Ok("postern_up_seconds 5\n".to_owned())
    }

    fn admin(&self) -> Option<&AdminToken> {
        self.admin.get()
    }

    async fn owner_code(&self) -> Result<String, DeskError> {
        self.works()?;
        Ok(GOOD.to_owned())
    }

    fn console(&self) -> &dyn Console {
        self
    }

    fn web(&self) -> &Web {
        &self.web
    }
}

#[async_trait]
impl Console for Memory {
    async fn view(&self, owner: &Owner, view: View, from: i64) -> Result<Value, DeskError> {
        self.works()?;
        let shown = format!("{view:?} from {from} for {}", owner.person.name);
        Ok(json!({ "items": [shown], "next": null }))
    }

    async fn file(&self, _: &Owner, _: i64, path: &str) -> Result<Option<Download>, DeskError> {
        self.works()?;
        let Ok(file) = tokio::fs::File::open("/proc/self/comm").await else {
            return Ok(None);
        };
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        let size = 2;
        Ok(Some(Download { name, size, file }))
    }

    async fn stand(&self, _: &Owner, question: i64) -> Result<Done, DeskError> {
        self.works()?;
        Ok(self.deed(format!("stand {question}")))
    }

    async fn let_go(&self, place: &str) -> Result<Done, DeskError> {
        self.works()?;
        Ok(self.deed(format!("let go {place}")))
    }

    async fn remember(&self, _: &Owner, memory: i64, word: Word) -> Result<Done, DeskError> {
        self.works()?;
        Ok(self.deed(format!("{word:?} {memory}")))
    }
}

impl Memory {
    fn deed(&self, what: String) -> Done {
        self.deeds.lock().unwrap().push(what);
        Done::No("not now; try again".to_owned())
    }
}

fn code() -> String {
    format!("/pair {GOOD}")
}

/// The text of a message.
pub fn typed(event: &InboundEvent) -> Option<&String> {
    let EventKind::Message { parts, .. } = &event.what else {
        return None;
    };
    parts.iter().find_map(|part| match &part.body {
        PartBody::Text(text) => Some(text),
        PartBody::File(_) => None,
    })
}
