//! What is set up before anything serves?

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use adapters::Adapter;
use adapters::web::Web;
use bot_policy::access::Role;
use bot_policy::id::LineId;
use bot_policy::pairing::CodeRole;

use crate::cli::banner::{Banner, BannerLine, ConfigFile, OwnerCode};
use crate::config::{self, Config};
use crate::folder::{self, DataFolder};
use crate::{House, RunError, hooks, listen};

/// A variable of the environment that holds text.
pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The listener of the doors, where any are configured.
pub(crate) async fn doors(config: &Config) -> Result<Option<listen::Bound>, RunError> {
    let Some(webhooks) = &config.webhooks else {
        return Ok(None);
    };
    let bound = listen::bind(config::Listen::Configured(webhooks.listen)).await;
    let named = |why: listen::BindError| why.to_string().replace("web.listen", "webhooks.listen");
    bound.map(Some).map_err(|why| RunError::Doors(named(why)))
}

/// The adapter of each line, the built-in page among them.
pub(crate) fn lines(
    config: &Config,
    data: &Path,
    web: &Arc<Web>,
) -> Result<BTreeMap<LineId, Arc<dyn Adapter>>, RunError> {
    let key = match &config.webhooks {
        Some(_) => Some(hooks::Key::of(data)?),
        None => None,
    };
    let mut lines: BTreeMap<LineId, Arc<dyn Adapter>> = BTreeMap::new();
    lines.insert(web.line().clone(), web.clone());
    let whole = config;
    for (line, config) in &config.lines {
        let ground = key.as_ref().map(|key| key.ground(whole, line));
        let ground = ground.unwrap_or_default();
        lines.insert(
            line.clone(),
            adapters::build(line.clone(), config, &ground)?,
        );
    }
    Ok(lines)
}

/// What is shown once everything serves.
pub(crate) async fn banner(
    house: &House,
    config: &Config,
    config_folder: &folder::Folder,
    data: &DataFolder,
    taken: Option<std::net::SocketAddr>,
) -> Result<Banner, RunError> {
    let has_owner = house
        .store
        .people()
        .await?
        .iter()
        .any(|seen| seen.person.role == Role::Owner && !seen.places.is_empty());
    let owner = if has_owner {
        None
    } else {
        let code = house.new_code(CodeRole::Owner).await?;
        let first = OwnerCode {
            code: code.code,
            links: code.links,
        };
        Some(house.first_code.get_or_init(|| first).clone())
    };
    let file = config_folder.path().join(config::FILE_NAME);
    let shown = file.display().to_string();
    Ok(Banner {
        web: house.web_address.clone(),
        taken,
        lines: house
            .lines
            .values()
            .filter(|line| config.lines.contains_key(line.line()))
            .map(|line| BannerLine {
                line: line.line().to_string(),
                platform: line.platform().to_string(),
            })
            .collect(),
        webhooks: None,
        model: None,
        data: data.path().display().to_string(),
        config: if file.exists() {
            ConfigFile::Found(shown)
        } else {
            ConfigFile::Missing(shown)
        },
        owner,
        warnings: config.warnings(),
    })
}
