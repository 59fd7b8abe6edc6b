//! Where are the owner's rules? One file, read afresh whenever it changed.

use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use adapters::quoted;
use bot_policy::rules::{Rule, Rules};

use crate::folder::lock_file;

/// How often a change looks whether another one is done, and how long it waits in between.
const LOOKS: usize = 40;
const BETWEEN_LOOKS: Duration = Duration::from_millis(25);

/// The owner's rules, in `policy.json` of the configuration folder.
#[derive(Debug)]
pub struct Rulebook {
    file: PathBuf,
}

/// The rules cannot be read or written. No call runs while they cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RulebookError {
    /// Another process, or another task of this one, is changing them and does not come to an end.
    #[error("another postern is changing {}; try again", .file.display())]
    Busy {
        /// The file.
        file: PathBuf,
    },
    /// The file cannot be read.
    #[error("{} cannot be read ({why}); nothing runs until it can; look at it with: ls -l {}", .file.display(), quoted(.file))]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        why: std::io::Error,
    },
    /// The file holds something else than rules.
    #[error("{}: {why}; correct it there; nothing runs until it is mended", .file.display())]
    NotRules {
        /// The file.
        file: PathBuf,
        /// Where, and what is wrong.
        why: bot_policy::rules::NotRules,
    },
    /// A change could not be saved.
    #[error("nothing was saved in {} ({why}); see that there is room, and that it is yours, with: ls -l {}", .file.display(), quoted(.file))]
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
        }
    }

    /// Where they are, whether or not there are any.
    pub fn file(&self) -> &Path {
        &self.file
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
        self.change(|rules| {
            rules.retain(|other| tidy(&other.pattern) != tidy(&rule.pattern));
            rules.push(rule);
        })
    }

    /// Takes the rule with this pattern out.
    ///
    /// # Errors
    /// As for [`Rulebook::add`].
    pub fn forget(&self, pattern: &str) -> Result<(), RulebookError> {
        self.change(|rules| rules.retain(|rule| tidy(&rule.pattern) != tidy(pattern)))
    }

    /// Reads, changes and writes as one, however many processes change the file at once.
    fn change(&self, change: impl FnOnce(&mut Vec<Rule>)) -> Result<(), RulebookError> {
        let not_saved = |why| RulebookError::NotSaved {
            file: self.file.clone(),
            why,
        };
        let _alone = self.alone()?;
        let mut rules = self.owners()?;
        change(&mut rules);
        let text = serde_json::to_string_pretty(&serde_json::json!({ "rules": rules }))
            .map_err(|why| not_saved(why.into()))?;
        // What could not be read back would stop every call.
        Rules::parse(&text).map_err(|why| not_saved(std::io::Error::other(why)))?;
        self.replace(&text).map_err(not_saved)
    }

    /// Held until dropped.
    fn alone(&self) -> Result<File, RulebookError> {
        let not_saved = |why| RulebookError::NotSaved {
            file: self.file.clone(),
            why,
        };
        let lock = lock_file(&self.file.with_extension("lock")).map_err(not_saved)?;
        for _ in 0..LOOKS {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN_LOOKS),
                Err(TryLockError::Error(why)) => return Err(not_saved(why)),
            }
        }
        Err(RulebookError::Busy {
            file: self.file.clone(),
        })
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
        let mut file = File::create(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&beside, &self.file)
    }
}

/// A pattern in the one way in which it is saved: with its sign, and single blanks.
pub(crate) fn tidy(pattern: &str) -> String {
    let words: Vec<&str> = pattern.split_whitespace().collect();
    let text = words.join(" ");
    if text.is_empty() || text.starts_with(['@', '-']) {
        text
    } else {
        format!("@{text}")
    }
}
