//! What can the owner ask at the terminal? The gateway as the socket's keeper.

use std::sync::Arc;

use async_trait::async_trait;
use bot_policy::id::{ChatId, LineId, Place};
use bot_policy::pairing::{Code, CodeRole};
use tokio::net::UnixStream;

use crate::code::attend;
use crate::code::protocol::{Open, Question, Said};
use crate::doctor::Check;
use crate::socket::{
    Keeper, KeeperError, LineState, LineStatus, NewCode, PersonStatus, Status, Unpaired,
};
use crate::store::StoreError;
use crate::token::{ChatToken, NewToken, TokenName, Words};
use crate::{House, budget, chance, clock};

mod code_words;
mod send;
mod tokens;

fn unavailable(error: impl std::fmt::Display) -> KeeperError {
    KeeperError::Unavailable(error.to_string())
}

impl House {
    /// Makes a pairing code, with a link for each line that has such a thing.
    pub(crate) async fn new_code(&self, role: CodeRole) -> Result<NewCode, KeeperError> {
        let code = Code::from_random(chance::bytes().map_err(unavailable)?);
        let ends_at = self
            .store
            .keep_code(&code, role, clock::now())
            .await
            .map_err(unavailable)?;
        let links = self
            .lines
            .values()
            .filter_map(|line| line.pair_link(code.reveal()))
            .collect();
        Ok(NewCode {
            code: code.reveal().to_owned(),
            links,
            without_link: self.without_link(code.reveal()),
            ends_at,
        })
    }

    /// How things stand.
    pub(crate) async fn status(&self) -> Result<Status, StoreError> {
        let (live_codes, open_questions) = self.store.waiting(clock::now()).await?;
        let people = self.store.people().await?;
        let mut notes = self.store.trouble().await?;
        notes.extend(self.store.set_aside(clock::now()).await?);
        notes.extend(self.crashes.lines());
        notes.extend(self.answering.trouble().map(|why| self.secrets.cut(&why)));
        notes.extend(
            self.store_ails()
                .await
                .map(|ails| format!("nothing can be stored: {ails}")),
        );
        let borne = |name: &str| people.iter().any(|seen| seen.person.name == name);
        for name in self.sensitive.unknown(borne) {
            notes.push(format!(
                "the memory of {name} is marked as sensitive, and nobody of that name was let in"
            ));
        }
        if let Err(error) = self.rulebook.in_force() {
            notes.push(error.to_string());
        }
        if self.settings_changed() {
            notes.push(format!(
                "{} was changed after I started: start me again to use it",
                crate::config::FILE_NAME
            ));
        }
        if !self.store.unsaved_rules().await?.is_empty() {
            notes.push(format!(
                "the rule of an answer is not in {} yet; it is tried again while I run",
                self.rulebook.file().display()
            ));
        }
        Ok(Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            since: self.since,
            web: self.web_address.clone(),
            model: self.model_today().await?,
            lines: self.line_states(),
            people: people
                .into_iter()
                .map(|seen| PersonStatus {
                    name: seen.person.name,
                    role: seen.person.role,
                    places: seen.places,
                })
                .collect(),
            code: code_words::list(self, code_words::IN_STATUS).await?,
            open_questions,
            live_codes,
            notes,
        })
    }

    /// Whether the settings are newer than what runs.
    fn settings_changed(&self) -> bool {
        let file = self
            .rulebook
            .file()
            .with_file_name(crate::config::FILE_NAME);
        let changed = std::fs::metadata(file).and_then(|about| about.modified());
        let changed = changed.ok().and_then(|at| {
            let since = at.duration_since(std::time::UNIX_EPOCH).ok()?;
            i64::try_from(since.as_millis()).ok()
        });
        changed.is_some_and(|changed| changed > self.since.0)
    }

    /// The model, and what it used up today where that is counted.
    async fn model_today(&self) -> Result<String, StoreError> {
        let name = self.model.name();
        if self.budget.is_none() {
            return Ok(name.to_owned());
        }
        let today = self.store.spent_today(clock::now()).await?;
        Ok(format!("{name}; today: {}", budget::told(today)))
    }

    /// Lets go of a place, named as the status names it.
    pub(crate) async fn let_go(self: &Arc<Self>, place: &str) -> Result<Unpaired, KeeperError> {
        let unknown = || {
            KeeperError::Refused(format!(
                "nobody has paired {place:?}; postern status lists the places as LINE CHAT"
            ))
        };
        let (line, chat) = place.split_once(' ').ok_or_else(unknown)?;
        let at = Place {
            line: LineId::new(line),
            chat: ChatId::new(chat),
            thread: None,
        };
        let person = self
            .store
            .paired_by(at.clone())
            .await
            .map_err(unavailable)?
            .ok_or_else(unknown)?;
        let (ended, letters) = self
            .store
            .unpair(at, clock::now())
            .await
            .map_err(unavailable)?
            .ok_or_else(unknown)?;
        ended.into_iter().for_each(|id| self.cancel(id));
        self.announce_again(&LineId::new(line));
        let withdrawn = u32::try_from(letters.len()).unwrap_or(u32::MAX);
        self.post(letters);
        Ok(Unpaired {
            place: place.to_owned(),
            person: person.name,
            withdrawn,
        })
    }

    /// The lines that have no link for a code because they do not hear.
    fn without_link(&self, code: &str) -> Vec<LineStatus> {
        let bare = self
            .lines
            .values()
            .filter(|line| line.pair_link(code).is_none());
        let bare: Vec<String> = bare.map(|line| line.line().to_string()).collect();
        self.line_states()
            .into_iter()
            .filter(|status| bare.contains(&status.line) && status.state != LineState::Listening)
            .collect()
    }

    fn line_states(&self) -> Vec<LineStatus> {
        let states = self.states.borrow();
        states.values().cloned().collect()
    }
}

/// The running gateway, as the terminal asks it.
#[derive(Clone)]
pub(crate) struct AtTerminal(pub(crate) Arc<House>);

#[async_trait]
impl Keeper for AtTerminal {
    async fn new_code(&self, role: CodeRole) -> Result<NewCode, KeeperError> {
        self.0.new_code(role).await
    }

    async fn status(&self) -> Result<Status, KeeperError> {
        self.0.status().await.map_err(unavailable)
    }

    async fn send(&self, text: String, to: Option<String>) -> Result<String, KeeperError> {
        self.0.say_for_owner(text, to.as_deref()).await
    }

    async fn make_token(&self, name: TokenName, words: Words) -> Result<NewToken, KeeperError> {
        self.0.make_token(name, words).await
    }

    async fn tokens(&self) -> Result<Vec<ChatToken>, KeeperError> {
        self.0.tokens().await
    }

    async fn revoke_token(&self, name: &str) -> Result<(), KeeperError> {
        self.0.revoke_token(name).await
    }

    async fn unpair(&self, place: &str) -> Result<Unpaired, KeeperError> {
        self.0.let_go(place).await
    }

    async fn code(&self, question: Question) -> Result<Said, KeeperError> {
        code_words::answer(&self.0, question).await
    }

    fn attend(&self, open: Open, stream: UnixStream) {
        tokio::spawn(attend(self.0.clone(), open, stream));
    }

    async fn doctor(&self) -> Result<Vec<Check>, KeeperError> {
        let status = self.0.status().await.map_err(unavailable)?;
        let mut checks = vec![
            match self.0.store_ails().await {
                None => Check::ok("store", "it can be written"),
                Some(ails) => Check::fail(
                    "store",
                    format!("{ails}; free some space, or mend the disk"),
                ),
            },
            Check::ok("model", status.model),
        ];
        checks.extend(self.0.cage.why_not().map(|why| {
            let does = "so Code conversations run none until you accept that; install bubblewrap";
            Check::warn(
                "code",
                format!("commands cannot be kept in ({why}), {does}"),
            )
        }));
        checks.extend(status.lines.into_iter().map(|line| match line.state {
            LineState::Listening => Check::ok(&line.line, line.detail),
            LineState::Retrying => Check::warn(&line.line, line.detail),
            LineState::Stopped => Check::fail(&line.line, line.detail),
        }));
        checks.extend(lacking(&self.0).await);
        checks.extend(
            status
                .notes
                .into_iter()
                .map(|note| Check::warn("note", note)),
        );
        Ok(checks)
    }
}

/// What platforms could give our lines and do not. One that does not answer in time says nothing:
/// its state tells.
async fn lacking(house: &House) -> Vec<Check> {
    let mut checks = Vec::new();
    for adapter in house.lines.values() {
        if let Ok(Ok(lacks)) = tokio::time::timeout(LOOK, adapter.lacks()).await {
            let line = adapter.line().as_str();
            checks.extend(lacks.into_iter().map(|lack| Check::warn(line, lack)));
        }
    }
    checks
}

/// How long a platform may take to say what a line lacks.
const LOOK: std::time::Duration = std::time::Duration::from_secs(2);
