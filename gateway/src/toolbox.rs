//! Which tools does the agent have?

use std::path::Path;
use std::sync::Arc;

use crate::agent::tools::{Engine, Files, Memory, Tool, ToolError, Tools, Web, ask, delegate};
use crate::config::Config;
use crate::store::Store;

/// The workspaces of a data folder.
pub(crate) fn files(data: &Path, store: &Store) -> Arc<Files> {
    let workspaces = data.join("workspaces");
    Arc::new(Files::new(workspaces, Arc::new(store.clone())))
}

/// All of them.
pub(crate) fn tools(
    config: &Config,
    engine: Option<Engine>,
    files: &Arc<Files>,
    store: &Store,
) -> Result<Tools, ToolError> {
    let private = config.fetch.allow_private.iter();
    let private = private.map(|host| host.0.clone()).collect();
    let tools: Vec<Arc<dyn Tool>> = vec![
        files.clone(),
        Arc::new(Memory::new(Arc::new(store.clone()))),
        Arc::new(Web::new(private, engine)?),
    ];
    Ok(Tools::new(tools, vec![ask::spec(), delegate::spec()]))
}
