//! Where are the owner's rules? One file, read afresh whenever it changed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bot_policy::rules::{Rule, Rules};

/// The owner's rules, in `policy.json` of the configuration folder.
#[derive(Debug)]
pub struct Rulebook {
    file: PathBuf,
    /// Held while a rule is added, so that of two at once neither is lost.
    adding: Mutex<()>,
}

/// The rules cannot be read or written. No call runs while they cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RulebookError {
    /// The file cannot be read.
    #[error("{} cannot be read ({why}); nothing runs until it can", .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        why: std::io::Error,
    },
    /// The file holds something else than rules.
    #[error("{}: {why}; nothing runs until it is mended", .file.display())]
    NotRules {
        /// The file.
        file: PathBuf,
        /// Where, and what is wrong.
        why: bot_policy::rules::NotRules,
    },
    /// A rule could not be saved.
    #[error("the rule could not be saved in {} ({why})", .file.display())]
    NotSaved {
        /// The file.
        file: PathBuf,
        /// What the system said.
        why: std::io::Error,
    },
}

impl Rulebook {
    /// The rules in a configuration folder.
    pub fn new(folder: &Path) -> Self {
        Self {
            file: folder.join("policy.json"),
            adding: Mutex::new(()),
        }
    }

    /// The rules in force: the owner's beside those that come with Postern.
    ///
    /// # Errors
    /// When there is a file that cannot be read or that holds something else.
    pub fn in_force(&self) -> Result<Arc<Rules>, RulebookError> {
        Ok(Arc::new(Rules::in_force(self.owners()?)))
    }

    /// Adds a rule, replacing one with the same pattern.
    ///
    /// # Errors
    /// When the file cannot be read or written; it is then as it was.
    pub fn add(&self, rule: Rule) -> Result<(), RulebookError> {
        let _alone = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rules = self.owners()?;
        rules.retain(|other| other.pattern != rule.pattern);
        rules.push(rule);
        let not_saved = |why| RulebookError::NotSaved {
            file: self.file.clone(),
            why,
        };
        let text = serde_json::to_string_pretty(&serde_json::json!({ "rules": rules }))
            .map_err(|why| not_saved(why.into()))?;
        self.replace(&text).map_err(not_saved)
    }

    fn owners(&self) -> Result<Vec<Rule>, RulebookError> {
        match std::fs::read_to_string(&self.file) {
            Ok(text) => Rules::parse(&text)
                .map(|rules| rules.owners().to_vec())
                .map_err(|why| RulebookError::NotRules {
                    file: self.file.clone(),
                    why,
                }),
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(why) => Err(RulebookError::Unreadable {
                file: self.file.clone(),
                why,
            }),
        }
    }

    fn replace(&self, text: &str) -> std::io::Result<()> {
        let beside = self.file.with_extension("json.new");
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&beside, &self.file)
    }
}
