//! gateway

use std::future::Future;

pub mod cli;
pub mod config;
pub mod doctor;
pub mod folder;
pub mod http;
pub mod listen;
pub mod socket;

use bot_policy::id::Timestamp;
use bot_policy::pairing::CodeRole;
use cli::banner::Banner;
use config::Config;
use doctor::Check;
use folder::DataFolder;
use socket::{Keeper, KeeperError, NewCode, Status, Unpaired};

/// What a gateway is started with.
pub struct Settings {
    /// The configuration.
    pub config: Config,
    /// The data folder, held.
    pub data: DataFolder,
    /// Called once, when everything serves.
    pub started: Box<dyn FnOnce(Banner) + Send>,
}

/// The gateway could not start or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The web chat has nowhere to listen.
    #[error(transparent)]
    Bind(#[from] listen::BindError),
    /// The socket of the command line cannot be opened.
    #[error(transparent)]
    Socket(#[from] socket::SocketError),
}

/// Runs until `shutdown` is done.
///
/// # Errors
/// When it cannot start; the text says what to do.
pub async fn run(settings: Settings, shutdown: impl Future<Output = ()>) -> Result<(), RunError> {
    let bound = listen::bind(settings.config.web.listen).await?;
    let socket = socket::Socket::open(&settings.data)?;
    let web = format!("http://{}/", bound.at);
    let keeper = Nothing { web: web.clone() };
    let page = axum::Router::new().route("/healthz", axum::routing::get(|| async { "ok" }));
    (settings.started)(Banner {
        web,
        taken: bound.taken,
        data: settings.data.path().display().to_string(),
        warnings: settings.config.warnings(),
        ..Banner::default()
    });
    tokio::select! {
        _ = axum::serve(bound.listener, page) => {}
        () = socket.serve(&keeper) => {}
        () = shutdown => {}
    }
    Ok(())
}

/// Stands where the flow will be.
struct Nothing {
    web: String,
}

#[async_trait::async_trait]
impl Keeper for Nothing {
    async fn new_code(&self, _: CodeRole) -> Result<NewCode, KeeperError> {
        Err(KeeperError::Refused("there are no codes yet".to_owned()))
    }

    async fn status(&self) -> Result<Status, KeeperError> {
        Ok(Status {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            since: Timestamp(0),
            web: self.web.clone(),
            model: "practice".to_owned(),
            lines: Vec::new(),
            people: Vec::new(),
            open_questions: 0,
            live_codes: 0,
            notes: Vec::new(),
        })
    }

    async fn unpair(&self, _: &str) -> Result<Unpaired, KeeperError> {
        Err(KeeperError::Refused("no place is paired".to_owned()))
    }

    async fn doctor(&self) -> Result<Vec<Check>, KeeperError> {
        Ok(Vec::new())
    }
}
