//! gateway

use std::future::Future;

pub mod cli;
pub mod config;
pub mod doctor;
pub mod folder;
pub mod http;
pub mod listen;
pub mod socket;

use cli::banner::Banner;
use config::Config;
use folder::DataFolder;

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
    let _socket = socket::Socket::open(&settings.data)?;
    (settings.started)(Banner {
        web: format!("http://{}/", bound.at),
        ..Banner::default()
    });
    shutdown.await;
    Ok(())
}
