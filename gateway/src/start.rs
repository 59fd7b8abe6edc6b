//! What is set up before anything serves?

use bot_policy::access::Role;
use bot_policy::pairing::CodeRole;

use crate::agent::model::{Chosen, ModelSetupError, chosen};
use crate::cli::banner::{Banner, BannerLine, ConfigFile, OwnerCode};
use crate::config::{self, Config};
use crate::folder::{self, DataFolder};
use crate::store::AuditEntry;
use crate::{House, RunError, clock, gate};

/// The model that judges risk beside the rules, where one is set.
pub(crate) fn second(config: &Config) -> Result<Option<Chosen>, ModelSetupError> {
    let Some(model) = &config.judging.model else {
        return Ok(None);
    };
    let set = config::model::Model::judge(model);
    chosen(Some(&set), adapters::environment)
        .map(Some)
        .map_err(|ModelSetupError(why)| ModelSetupError(format!("risk: {why}")))
}

/// Notes with which settings and rules the program starts.
pub(crate) async fn note_settings(house: &House, config: &Config) -> Result<(), RunError> {
    let settings = house.secrets.hash(&config.written, &house.audit_key);
    let entry = AuditEntry::Configured { settings };
    house.store.note(entry, clock::now()).await?;
    // What is wrong with them is said where they are needed.
    if let Ok(rules) = house.rulebook.in_force() {
        gate::note_rules(house, &rules).await?;
    }
    Ok(())
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
