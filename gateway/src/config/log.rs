//! What is logged, and how?

use serde::Deserialize;

/// What is logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// A filter in the words of `tracing-subscriber`.
    pub filter: String,
    /// How each record is written.
    pub form: LogForm,
}

/// How a record of the log is written, one on each line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogForm {
    /// One object of JSON.
    Json,
    /// For people.
    #[default]
    Text,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            filter: "warn".to_owned(),
            form: LogForm::Text,
        }
    }
}

impl From<WrittenLog> for Log {
    fn from(written: WrittenLog) -> Self {
        Self {
            filter: written
                .filter
                .map_or_else(|| Self::default().filter, |filter| filter.0),
            form: written.form,
        }
    }
}

/// As it is written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WrittenLog {
    filter: Option<Filter>,
    form: LogForm,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Filter(String);

impl TryFrom<String> for Filter {
    type Error = String;

    fn try_from(filter: String) -> Result<Self, String> {
        // A word alone that is no level would be the name of a part that nothing has.
        let levels = ["off", "error", "warn", "info", "debug", "trace"];
        let means = |part: &str| {
            let level = part.to_ascii_lowercase();
            part.contains(['=', '[']) || levels.contains(&level.as_str())
        };
        let all = filter.split(',').map(str::trim).all(means);
        match tracing_subscriber::EnvFilter::try_new(&filter) {
            Ok(_) if all => Ok(Self(filter)),
            Ok(_) | Err(_) => Err(format!(
                "{filter:?} is not a log filter; use error, warn, info, debug or trace, or pairs like gateway=debug"
            )),
        }
    }
}
