//! What is wrong in the file, in words for the person who wrote it?

use std::path::Path;

use super::ConfigError;

/// Turns what the parser says into where, which key, and what to do.
pub(super) fn wrong(file: &Path, text: &str, why: &toml::de::Error, key: String) -> ConfigError {
    let at = why.span().map_or(0, |span| span.start);
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
        what: plain(why.message()),
    }
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
