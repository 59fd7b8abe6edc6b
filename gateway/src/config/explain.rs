//! What is wrong in the file, in words for the person who wrote it?

use std::path::{Path, PathBuf};

use adapters::{SecretError, quoted};
use toml::de::DeTable;

use super::model::{Fallback, Model, Provider};
use super::{DENYLIST_VARIABLE, FILE_LIMIT};

/// The configuration cannot be used. The text names file, line, column and key, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A variable of the environment that adds to it is wrong.
    #[error("{DENYLIST_VARIABLE}: {0}")]
    Environment(String),
    /// The file could not be read.
    #[error("cannot read {}: {why}", .file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        why: std::io::Error,
    },
    /// Others could have written it.
    #[error("{} can be changed by others; make it yours alone with: chmod 600 {}", .0.display(), quoted(.0))]
    Loose(PathBuf),
    /// It belongs to another account.
    #[error("{} belongs to user {owner}, not to you; take it over with: sudo chown {us} {}", .file.display(), quoted(.file))]
    NotOurs {
        /// The file.
        file: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who we are.
        us: u32,
    },
    /// A secret is said to stand in two places.
    #[error("{}: {why}", .file.display())]
    Secret {
        /// The file.
        file: PathBuf,
        /// Which, and what to do.
        why: SecretError,
    },
    /// It is no configuration.
    #[error("{} is over {FILE_LIMIT} bytes, which no configuration needs; is it the right file?", .0.display())]
    TooLong(PathBuf),
    /// Something in it is wrong.
    #[error("{}:{line}:{column}: {}{what}", .file.display(), if .key.is_empty() { String::new() } else { format!("{key}: ") })]
    Wrong {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// The key, dotted; empty when the file is no TOML there.
        key: String,
        /// What is wrong and what to do.
        what: String,
    },
}

/// Turns what the parser says into where, which key, and what to do.
pub(super) fn wrong(file: &Path, text: &str, why: &toml::de::Error, key: String) -> ConfigError {
    let at = why
        .span()
        .map_or_else(|| table(text, &key), |span| span.start);
    at_byte(file, text, at, key, plain(why.message()))
}

/// Whether each model, and the second judge, has an address.
///
/// # Errors
/// When one has none of its own and none is set.
pub(super) fn reachable(
    file: &Path,
    text: &str,
    (model, judge): (Option<&Model>, Option<&Fallback>),
) -> Result<(), ConfigError> {
    let first = model.map(|model| ("model", model.first()));
    let others = model.into_iter().flat_map(|model| &model.fallbacks);
    let others = others.map(|model| ("model.fallbacks", model.clone()));
    let judge = judge.map(|model| ("risk.model", model.clone()));
    let mut all = first.into_iter().chain(others).chain(judge);
    let Some((key, _)) =
        all.find(|(_, model)| model.provider == Provider::Compatible && model.endpoint.is_none())
    else {
        return Ok(());
    };
    let what = "openai-compatible has no address of its own; add endpoint, like endpoint = \"http://127.0.0.1:8080/v1/\"";
    Err(at_byte(
        file,
        text,
        table(text, key),
        key.to_owned(),
        what.to_owned(),
    ))
}

fn at_byte(file: &Path, text: &str, at: usize, key: String, what: String) -> ConfigError {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .map_or(1, |last| last.chars().count() + 1);
    ConfigError::Wrong {
        file: file.to_owned(),
        line,
        column,
        key: if key == "." { String::new() } else { key },
        what,
    }
}

/// Where the table of a key begins, or the innermost around it that is there.
fn table(text: &str, key: &str) -> usize {
    let Ok(whole) = DeTable::parse(text) else {
        return 0;
    };
    let mut at = 0;
    let mut inner = Some(whole.get_ref());
    for name in key.split('.') {
        let found = inner.and_then(|table| table.iter().find(|(key, _)| key.get_ref() == name));
        let Some((_, value)) = found else {
            break;
        };
        at = value.span().start;
        inner = value.get_ref().as_table();
    }
    at
}

fn plain(said: &str) -> String {
    let said = said.trim_end().replace('\n', "; ");
    if let Some(rest) = said.strip_prefix("unknown field `")
        && let Some((name, known)) = rest.split_once('`')
    {
        let known = known
            .strip_prefix(", expected one of ")
            .or_else(|| known.strip_prefix(", expected "));
        return match known {
            Some(known) => {
                format!("there is no setting `{name}`; correct or remove it (there is: {known})")
            }
            None => format!("there is no setting `{name}`; remove it"),
        };
    }
    if let Some(rest) = said.strip_prefix("unknown variant `")
        && let Some((name, known)) = rest.split_once('`')
    {
        let known = known
            .strip_prefix(", expected one of ")
            .or_else(|| known.strip_prefix(", expected "))
            .unwrap_or(known);
        return format!("`{name}` is not known here; use {known}");
    }
    if let Some(name) = said.strip_prefix("missing field ") {
        return format!("the setting {name} is missing; add it");
    }
    if said.contains("invalid socket address") {
        return "give an address with its port, like 127.0.0.1:8787".to_owned();
    }
    if let Some(rest) = said.strip_prefix("invalid type: ") {
        return format!("wrong kind of value: {rest}");
    }
    said
}
