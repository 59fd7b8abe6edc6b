//! Which of our accounts hear, and what is in the way of those that do not?

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use adapters::web::Web;
use adapters::{Adapter, AdapterError, Contact, Encoded, Menu, Menus, NotStored, Support};
use bot_policy::access::{Scope, all_commands, commands, commands_of_strangers};
use bot_policy::id::LineId;
use bot_policy::message::OutboundMessage;

use crate::cli::qr;
use crate::config::Config;
use crate::hooks::Key;
use crate::inbox::Door;
use crate::keep::caught;
use crate::secrets::Secrets;
use crate::socket::{LineState, LineStatus};
use crate::store::{self, StoreError};
use crate::{House, RunError, clock};

/// The shortest and longest pause before a line is tried again.
const RECONNECT: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// How often a line says that it still hears its account.
const RENEWAL: Duration = Duration::from_secs(30);

/// Our accounts, the web chat among them, and the terminal, which is none.
#[derive(Clone)]
pub(crate) struct Lines {
    accounts: BTreeMap<LineId, Arc<dyn Adapter>>,
    terminal: Arc<dyn Adapter>,
}

impl Lines {
    pub(crate) fn of(accounts: BTreeMap<LineId, Arc<dyn Adapter>>, terminal: Arc<Web>) -> Self {
        Self { accounts, terminal }
    }

    /// What speaks on a line; also at the terminal.
    pub(crate) fn get(&self, line: &LineId) -> Option<&Arc<dyn Adapter>> {
        if line == self.terminal.line() {
            return Some(&self.terminal);
        }
        self.accounts.get(line)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Arc<dyn Adapter>> {
        self.accounts.values()
    }
}

/// Our accounts, as the store asks of them; with what is cut from all that they show.
pub(crate) struct Faces(pub(crate) Lines, pub(crate) Secrets);

impl store::Faces for Faces {
    fn encode(&self, line: &LineId, message: &OutboundMessage) -> Vec<Encoded> {
        let encode = |line: &Arc<dyn Adapter>| line.encode(&self.1.cut_message(message));
        self.0.get(line).map_or_else(Vec::new, encode)
    }

    fn plain(&self, line: &LineId, part: &Encoded) -> Option<String> {
        self.0.get(line).map(|line| line.plain(part))
    }

    fn edits(&self, line: &LineId) -> Support {
        let line = self.0.get(line);
        line.map_or(Support::No, |line| line.capabilities().edit)
    }

    fn contact(&self, line: &LineId) -> Contact {
        let line = self.0.get(line);
        line.map_or_else(Contact::default, |line| line.contact())
    }
}

/// Sets up every line, the web chat among them.
pub(crate) fn set_up(
    config: &Config,
    data: &Path,
    web: &Arc<Web>,
) -> Result<BTreeMap<LineId, Arc<dyn Adapter>>, RunError> {
    let key = match &config.webhooks {
        Some(_) => Some(Key::of(data)?),
        None => None,
    };
    let mut lines: BTreeMap<LineId, Arc<dyn Adapter>> = BTreeMap::new();
    lines.insert(web.line().clone(), web.clone());
    for (line, set) in &config.lines {
        let ground = key.as_ref().map(|key| key.ground(config, line));
        let adapter = adapters::build(line.clone(), set, &ground.unwrap_or_default())?;
        lines.insert(line.clone(), adapter);
    }
    Ok(lines)
}

/// Hears one line for as long as the program runs, however often it fails.
pub(crate) async fn hear(house: Arc<House>, adapter: Arc<dyn Adapter>) {
    let mut pause = RECONNECT.0;
    let mut told = String::new();
    loop {
        let begun = std::time::Instant::now();
        let heard = caught(hear_once(&house, &adapter)).await;
        let error = match heard {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error,
            Err(crash) => {
                house
                    .crashes
                    .note(&format!("the line {}", adapter.line()), &crash);
                AdapterError::Retry {
                    after: None,
                    why: crash.to_string(),
                }
            }
        };
        if begun.elapsed() > RECONNECT.1 {
            pause = RECONNECT.0;
        }
        // Once for each reason: the status says that it lasts.
        let why = error.to_string();
        if why == told {
            tracing::debug!(line = %adapter.line(), %error, "a line still does not hear");
        } else {
            tracing::warn!(line = %adapter.line(), %error, "a line does not hear");
            told = why;
        }
        let stops = matches!(error, AdapterError::Credentials(_) | AdapterError::Setup(_));
        house.line_state(
            &adapter,
            if stops {
                LineState::Stopped
            } else {
                LineState::Retrying
            },
            error.to_string(),
        );
        if stops {
            return;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(RECONNECT.1);
    }
}

/// Hears a line until something is in the way. Whatever it had open is gone when this returns, so
/// that the next poll never meets the one before it.
async fn hear_once(house: &Arc<House>, adapter: &Arc<dyn Adapter>) -> Result<(), AdapterError> {
    let account = begin(house, adapter).await?;
    let (lease, line) = (
        format!("{}/{account}", adapter.platform()),
        adapter.line().to_string(),
    );
    let stored = |error: StoreError| NotStored(error.to_string());
    let take = || house.store.lease(lease.clone(), line.clone(), clock::now());
    let Some(held) = take().await.map_err(stored)? else {
        return Err(AdapterError::Retry {
            after: None,
            why: format!(
                "another line hears {account} already; take one of the two out of postern.toml"
            ),
        });
    };
    house.line_state(adapter, LineState::Listening, account.clone());
    house.show_link(adapter).await;
    house.announce(adapter).await;
    let renew = async {
        loop {
            tokio::time::sleep(RENEWAL).await;
            match take().await {
                Ok(Some(still)) if still == held => {}
                Ok(Some(_) | None) => return,
                Err(error) => tracing::warn!(%error, %line, "a lease could not be renewed"),
            }
        }
    };
    let door = Door {
        house: house.clone(),
        under: Some(held.clone()),
    };
    let heard = tokio::select! {
        heard = adapter.listen(&door) => heard,
        () = renew => Err(AdapterError::Conflict),
    };
    if let Err(error) = house.store.release(held).await {
        tracing::warn!(%error, %line, "a lease could not be given back");
    }
    heard
}

/// Learns who we are.
async fn begin(house: &House, adapter: &Arc<dyn Adapter>) -> Result<String, AdapterError> {
    house.line_state(adapter, LineState::Retrying, "starting".to_owned());
    Ok(adapter.probe().await?.name)
}

impl House {
    /// Tells a platform its menus anew. They are a courtesy: the line works without them.
    pub(crate) async fn announce(&self, adapter: &Arc<dyn Adapter>) {
        let paired = match self.store.paired_chats(adapter.line().clone()).await {
            Ok(paired) => paired,
            Err(error) => return tracing::warn!(%error, "the menus could not be read"),
        };
        let menu = |(place, scope)| Menu {
            place,
            commands: commands(scope),
        };
        let menus = Menus {
            all: all_commands(),
            groups: commands(Scope::Group),
            strangers: commands_of_strangers(),
            places: paired.into_iter().map(menu).collect(),
        };
        if let Err(error) = adapter.announce(&menus).await {
            tracing::debug!(line = %adapter.line(), %error, "the menus were not announced");
        }
    }

    /// As [`Self::announce`], for a line by its name, beside everything else.
    pub(crate) fn announce_again(self: &Arc<Self>, line: &LineId) {
        if let Some(adapter) = self.lines.get(line).cloned() {
            let house = self.clone();
            tokio::spawn(async move { house.announce(&adapter).await });
        }
    }

    /// A line knows its link only once its platform has said who we are, which is after the first
    /// code was shown.
    async fn show_link(&self, adapter: &Arc<dyn Adapter>) {
        if let Some(first) = self.first_code.get()
            && let Some(link) = adapter.pair_link(&first.code)
            && !first.links.contains(&link)
            && matches!(self.store.waiting(clock::now()).await, Ok((live, _)) if live > 0)
        {
            let code = qr::code(std::slice::from_ref(&link), self.room);
            self.say_at_terminal(format!("  {link}\n{code}").trim_end());
        }
    }

    fn line_state(&self, adapter: &Arc<dyn Adapter>, state: LineState, detail: String) {
        let line = adapter.line().clone();
        let status = LineStatus {
            line: line.to_string(),
            platform: adapter.platform().to_string(),
            state,
            detail: self.secrets.cut(&detail),
        };
        self.states.send_modify(|states| {
            states.insert(line, status);
        });
    }
}

impl House {
    /// Notes whether a line hears, as its adapter tells it.
    pub(crate) fn hearing(&self, line: &LineId, trouble: Option<&AdapterError>) {
        self.states.send_modify(|states| {
            if let Some(status) = states.get_mut(line) {
                (status.state, status.detail) = match trouble {
                    Some(trouble) => {
                        let trouble = self.secrets.cut(&trouble.to_string());
                        (LineState::Retrying, trouble)
                    }
                    None => (LineState::Listening, "hears again".to_owned()),
                };
            }
        });
    }
}
