//! `postern extract`: reads pages and PDFs for a Postern in another container.

use std::path::PathBuf;

use super::screen::{Screen, Stop};
use crate::extract::worker;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The Unix socket at which it is asked; Postern finds it by POSTERN_EXTRACT
    socket: PathBuf,
}

pub(super) async fn run(screen: &Screen, arguments: Arguments) -> Result<(), Stop> {
    let at = arguments.socket.display().to_string();
    screen.show(&format!("Documents are read at {at}\n"));
    let served = worker::serve(&arguments.socket).await;
    served.map_err(|why| Stop::Because(format!("nothing can be read at {at}: {why}")))
}
