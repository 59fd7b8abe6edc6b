//! What does the owner's console show? The gateway's own lists, with everything hidden in a text
//! written out.

use async_trait::async_trait;
use bot_policy::access::{Person, Role};
use bot_policy::event::ChatKind;
use bot_policy::id::{Place, QuestionId};
use bot_policy::rules::{Rule, Rules};
use bot_policy::visible;
use serde_json::{Value, json};

use crate::desk::{Desk, told};
use crate::http::DeskError;
use crate::http::console::{Console, Done, Download, Owner, View, Word};
use crate::metrics;
use crate::socket::KeeperError;
use crate::store::{ChatState, OfMemory, Stood};
use crate::{House, clock};

mod files;
mod usage;
mod words;

/// How many things one page holds.
const PAGE: i64 = 50;

/// The longest line of a list, in characters.
const LINE: usize = 200;

#[async_trait]
impl Console for Desk {
    async fn view(&self, owner: &Owner, view: View, from: i64) -> Result<Value, DeskError> {
        match view {
            View::Audit => self.house.audit_page(from).await,
            View::Chats => self.house.chats_page(from).await,
            View::Files => self.house.files_page(owner, from).await,
            View::Memories => self.house.memories_page(owner, from).await,
            View::People => self.house.people_page(owner, from).await,
            View::Rules => Ok(self.house.rules_page(from)),
            View::Status => self.house.status_page().await,
            View::Waiting => self.house.waiting_page(owner, from).await,
        }
    }

    async fn file(
        &self,
        owner: &Owner,
        workspace: i64,
        path: &str,
    ) -> Result<Option<Download>, DeskError> {
        self.house.download(owner, workspace, path).await
    }

    async fn stand(&self, owner: &Owner, question: i64) -> Result<Done, DeskError> {
        let at = owner.place.clone();
        let stood = self
            .house
            .store
            .stand(QuestionId(question), at, owner.person.id, clock::now());
        Ok(match stood.await.map_err(told)? {
            Stood::Here(letters) => {
                self.house.post(letters);
                Done::Yes
            }
            Stood::NotYours => Done::No("that question is put to somebody else alone".into()),
            Stood::Over => Done::No("that question waits no more".into()),
        })
    }

    async fn let_go(&self, place: &str) -> Result<Done, DeskError> {
        match self.house.let_go(place).await {
            Ok(_) => Ok(Done::Yes),
            Err(KeeperError::Refused(why)) => Ok(Done::No(why)),
            Err(KeeperError::Unavailable(why)) => Err(DeskError(why)),
        }
    }

    async fn remember(&self, owner: &Owner, memory: i64, word: Word) -> Result<Done, DeskError> {
        let does = match word {
            Word::Forget => OfMemory::Forget,
            Word::Keep => OfMemory::Keep,
        };
        let store = &self.house.store;
        let decided = store.decide_own_memory(owner.person.id, memory, does);
        Ok(match decided.await.map_err(told)? {
            true => Done::Yes,
            false => Done::No("that memory is confirmed already, or gone".into()),
        })
    }
}

impl House {
    async fn chats_page(&self, from: i64) -> Result<Value, DeskError> {
        let chats = self.store.chats(from, PAGE + 1).await.map_err(told)?;
        let items = chats.iter().map(|chat| {
            let kind = match chat.kind {
                ChatKind::Direct => "direct",
                ChatKind::Group => "group",
            };
            let state = match chat.state {
                ChatState::Asks => "a card waits",
                ChatState::Fresh => "nothing said yet",
                ChatState::Incognito => "incognito: nothing is kept",
                ChatState::Rests => "rests",
                ChatState::Works => "is being answered",
            };
            json!({
                "place": self.place_name(&chat.place),
                "kind": kind,
                "who": who(&chat.person),
                "state": state,
                "asks": chat.state == ChatState::Asks,
                "last": chat.last.as_ref().map(|(at, text)| {
                    json!({ "at": at.0, "text": self.one_line(text, LINE) })
                }),
            })
        });
        Ok(page(items.collect(), from))
    }

    async fn waiting_page(&self, owner: &Owner, from: i64) -> Result<Value, DeskError> {
        let waiting = self
            .store
            .waiting_questions(&owner.place, from, PAGE + 1)
            .await
            .map_err(told)?;
        let next = waiting
            .get(PAGE as usize - 1)
            .filter(|_| waiting.len() as i64 > PAGE);
        let next = next.map(|last| last.id.0);
        let items = waiting.into_iter().take(PAGE as usize).map(|question| {
            let yours = question.put_to.id == owner.person.id;
            let card = question
                .here
                .filter(|_| yours)
                .map(|(key, body)| json!({ "key": key.to_string(), "body": body }));
            json!({
                "id": question.id.0,
                "place": self.place_name(&question.place),
                "who": who(&question.put_to),
                "yours": yours,
                // What a guest is asked is the guest's.
                "title": yours.then_some(question.title),
                "asked": question.asked_at.0,
                "ends": question.ends_at.0,
                "card": card,
            })
        });
        Ok(json!({ "items": items.collect::<Vec<_>>(), "next": next }))
    }

    async fn people_page(&self, owner: &Owner, from: i64) -> Result<Value, DeskError> {
        let people = self.store.people().await.map_err(told)?;
        let here = format!("{} {}", owner.place.line, owner.place.chat);
        let places = people.iter().flat_map(|seen| {
            seen.places.iter().map(|place| {
                json!({
                    "who": who(&seen.person),
                    "place": self.one_line(place, LINE),
                    "name": place,
                    "here": *place == here,
                })
            })
        });
        Ok(page(some(places, from), from))
    }

    async fn memories_page(&self, owner: &Owner, from: i64) -> Result<Value, DeskError> {
        let memories = self
            .store
            .memories_of(owner.person.id, from, PAGE + 1)
            .await
            .map_err(told)?;
        let items = memories.iter().map(|memory| {
            json!({
                "id": memory.id,
                "text": visible::show(&self.secrets.cut(&memory.text)),
                "confirmed": memory.confirmed,
                "at": memory.at.0,
            })
        });
        Ok(page(items.collect(), from))
    }

    fn rules_page(&self, from: i64) -> Value {
        let rules = match self.rulebook.in_force() {
            Ok(rules) => rules,
            Err(error) => {
                return json!({ "items": [], "next": null, "trouble": visible::line(&error.to_string()) });
            }
        };
        let row = |rule: &Rule, whose: &str| {
            json!({
                "action": format!("{:?}", rule.action).to_lowercase(),
                "pattern": self.one_line(&rule.pattern, LINE * 5),
                "whose": whose,
            })
        };
        let shipped = Rules::shipped();
        let own = rules.owners().iter().map(|rule| row(rule, "yours"));
        let all = own.chain(
            shipped
                .with_postern()
                .iter()
                .map(|rule| row(rule, "postern")),
        );
        page(some(all, from), from)
    }

    async fn audit_page(&self, from: i64) -> Result<Value, DeskError> {
        let before = if from == 0 { i64::MAX } else { from };
        let entries = self
            .store
            .audit_before(before, PAGE + 1)
            .await
            .map_err(told)?;
        let people = self.store.people().await.map_err(told)?;
        let more = entries.len() as i64 > PAGE;
        let shown: Vec<_> = entries.iter().take(PAGE as usize).collect();
        let next = shown.last().filter(|_| more).map(|last| last.seq);
        let items = shown.iter().map(|entry| {
            let text = words::of(&entry.what, |id| {
                let found = people.iter().find(|seen| seen.person.id.0 == id);
                found.map_or_else(|| "somebody".to_owned(), |seen| seen.person.name.clone())
            });
            json!({
                "seq": entry.seq,
                "at": entry.at.0,
                "text": self.one_line(&text, LINE * 3),
                "chained": entry.chained,
            })
        });
        Ok(json!({ "items": items.collect::<Vec<_>>(), "next": next }))
    }

    async fn status_page(&self) -> Result<Value, DeskError> {
        let status = self.status().await.map_err(told)?;
        let counts = metrics::counts().into_iter().map(|((what, which), many)| {
            let (_, _, help) = what.words();
            json!({ "what": help, "which": which, "many": many })
        });
        let times = metrics::times().into_iter().map(|(what, times)| {
            let (_, help) = what.words();
            let mean = times.total.as_secs_f64()
                / f64::from(u32::try_from(times.count).unwrap_or(u32::MAX).max(1));
            json!({ "what": help, "many": times.count, "mean": mean, "most": times.most() })
        });
        let lines = status.lines.iter().map(|line| {
            json!({
                "line": self.one_line(&line.line, LINE),
                "platform": line.platform,
                "state": line.state,
                "detail": self.one_line(&line.detail, LINE * 2),
            })
        });
        Ok(json!({
            "version": status.version,
            "since": status.since.0,
            "model": self.one_line(&status.model, LINE * 2),
            "budget": self.budget_today().await.map_err(told)?,
            "use": self.use_by_day().await.map_err(told)?,
            "waiting": status.open_questions,
            "codes": status.live_codes,
            "lines": lines.collect::<Vec<_>>(),
            "notes": status.notes.iter().map(|note| self.one_line(note, LINE * 5)).collect::<Vec<_>>(),
            "counts": counts.collect::<Vec<_>>(),
            "times": times.collect::<Vec<_>>(),
        }))
    }

    /// Text on one line, without secrets and with nothing hidden in it, cut where it is long.
    pub(crate) fn one_line(&self, text: &str, most: usize) -> String {
        // Cut before it is written out, so that a long text costs no more than a short one.
        let begin: String = text.chars().take(most * 4).collect();
        let shown = visible::line(&self.secrets.cut(&begin)).to_string();
        let mut line: String = shown.chars().take(most).collect();
        if line.len() < shown.len() || begin.len() < text.len() {
            line.push('…');
        }
        line
    }

    fn place_name(&self, place: &Place) -> String {
        let thread = place.thread.as_ref().map(|thread| format!(" {thread}"));
        let name = format!(
            "{} {}{}",
            place.line,
            place.chat,
            thread.unwrap_or_default()
        );
        self.one_line(&name, LINE)
    }
}

fn who(person: &Person) -> Value {
    let role = match person.role {
        Role::Guest => "guest",
        Role::Owner => "owner",
    };
    json!({ "name": visible::line(&person.name), "role": role })
}

/// One page of a list, and where the next begins. `items` may hold one more than a page.
fn page(mut items: Vec<Value>, from: i64) -> Value {
    let more = items.len() as i64 > PAGE;
    items.truncate(PAGE as usize);
    json!({ "items": items, "next": more.then_some(from + PAGE) })
}

/// As many as a page needs of a list that is whole.
fn some(all: impl Iterator<Item = Value>, from: i64) -> Vec<Value> {
    let from = usize::try_from(from).unwrap_or(usize::MAX);
    all.skip(from).take(PAGE as usize + 1).collect()
}
