//! Where does a line take a secret from? One file of ours alone, or one environment variable.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::ConfigError;

/// A secret that a line needs, and where its settings say that it is.
pub(crate) struct Wanted<'a> {
    /// What its settings are called: `token` for `token_file` and `token_env`.
    pub(crate) what: &'static str,
    /// What it is and where it comes from, for whoever has to put it there.
    pub(crate) whence: &'static str,
    /// The file that holds it.
    pub(crate) file: Option<&'a Path>,
    /// The environment variable that holds it.
    pub(crate) variable: Option<&'a str>,
}

impl Wanted<'_> {
    /// Reads it; with it comes the setting that named it, for telling what is wrong with it.
    ///
    /// # Errors
    /// When not exactly one of the two settings is there, or what it names is missing, empty or
    /// open to others.
    pub(crate) fn read(&self) -> Result<(String, String), ConfigError> {
        let Self { what, whence, .. } = self;
        let (text, source) = match (self.file, self.variable) {
            (Some(path), None) => {
                let setting = format!("{what}_file");
                owner_only(&setting, path)?;
                let source = format!("{setting} {}", path.display());
                let text = std::fs::read_to_string(path).map_err(|error| {
                    let why = match error.kind() {
                        ErrorKind::NotFound => "there is no such file".to_owned(),
                        other => other.to_string(),
                    };
                    ConfigError(format!(
                        "{source} cannot be read ({why}); write {whence} into it"
                    ))
                })?;
                (text, source)
            }
            (None, Some(name)) => {
                let source = format!("{what}_env {name}");
                let text = std::env::var(name).map_err(|_| {
                    ConfigError(format!("{source} is not set; export it with {whence}"))
                })?;
                (text, source)
            }
            (Some(_), Some(_)) => {
                return Err(ConfigError(format!(
                    "{what}_file and {what}_env are both set; keep one of them"
                )));
            }
            (None, None) => {
                return Err(ConfigError(format!(
                    "no {what}; set {what}_file to a file that holds {whence}"
                )));
            }
        };
        let text = text.trim();
        if text.is_empty() {
            return Err(ConfigError(format!(
                "{source} is empty; put {whence} into it"
            )));
        }
        Ok((text.to_owned(), source))
    }
}

/// A secret that others of this machine can read is theirs too. One that is another's file, as a
/// container engine mounts them, is left to whoever made it so.
fn owner_only(setting: &str, path: &Path) -> Result<(), ConfigError> {
    let Ok(about) = std::fs::metadata(path) else {
        return Ok(());
    };
    let ours = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == about.uid());
    if ours && about.is_file() && about.mode() & 0o077 != 0 {
        return Err(ConfigError(format!(
            "{setting} {0} can be read by others; make it yours alone with: chmod 600 {0}",
            path.display()
        )));
    }
    Ok(())
}
