//! Which tools does the agent have?

use std::path::Path;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;

use crate::agent::tools::{
    Cage, Coder, Engine, Files, Memory, Tool, ToolError, Tools, Web, ask, delegate,
};
use crate::config::Config;
use crate::outgoing::Outgoing;
use crate::store::{Letter, Store};

/// The workspaces of a data folder; copies of what is sent lie in `sent`.
pub(crate) fn files(
    data: &Path,
    sent: &Path,
    store: &Store,
    letters: &UnboundedSender<Letter>,
) -> Arc<Files> {
    let screen = Outgoing {
        store: store.clone(),
        letters: letters.clone(),
    };
    Arc::new(Files::new(
        data.join("workspaces"),
        sent.to_owned(),
        Arc::new(store.clone()),
        Arc::new(screen),
    ))
}

/// All of them.
pub(crate) fn tools(
    config: &Config,
    engine: Option<Engine>,
    files: &Arc<Files>,
    store: &Store,
    cage: &Arc<Cage>,
) -> Result<Tools, ToolError> {
    let private = config.fetch.allow_private.iter();
    let private = private.map(|host| host.0.clone()).collect();
    let tools: Vec<Arc<dyn Tool>> = vec![
        Arc::new(Coder::new(Arc::new(store.clone()), cage.clone())),
        files.clone(),
        Arc::new(Memory::new(Arc::new(store.clone()))),
        Arc::new(Web::new(private, engine)?),
    ];
    Ok(Tools::new(tools, vec![ask::spec(), delegate::spec()]))
}
