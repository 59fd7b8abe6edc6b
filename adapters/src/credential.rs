//! Where does a line take a secret from? What its settings name, read by the rule for all secrets.

use std::path::Path;

use bot_policy::secret::Secret;

use crate::{ConfigError, SecretSource, environment};

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
        let source = SecretSource::one_of(self.what, self.file, self.variable, None)?;
        self.found(source)
    }

    /// The same where it may also be a credential of systemd's.
    ///
    /// # Errors
    /// As [`Wanted::read`].
    pub(crate) fn read_or(
        &self,
        credential: Option<&str>,
    ) -> Result<(String, String), ConfigError> {
        if credential.is_none() {
            return self.read();
        }
        let source = SecretSource::one_of(self.what, self.file, self.variable, credential)?;
        self.found(source)
    }

    fn found(&self, source: Option<SecretSource>) -> Result<(String, String), ConfigError> {
        let Self { what, whence, .. } = self;
        let Some(source) = source else {
            return Err(ConfigError(format!(
                "no {what}; set {what}_file to a file that holds {whence}"
            )));
        };
        let secret: Secret<String> = source.read(whence, environment)?;
        Ok((secret.reveal().clone(), source.to_string()))
    }
}
