//! Where does a secret of the settings stand? In a file of the owner's, in a variable, or among
//! what systemd hands over; never in the settings themselves.

use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use bot_policy::secret::Secret;

/// The variable that names the folder of systemd's credentials, `man 7 systemd.exec`.
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";

/// The longest secret that is read, in bytes.
const SECRET_BYTES: u64 = 16 * 1024;

/// Where one secret stands. Shown as its setting and what that names: `token_file /a/b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretSource {
    setting: String,
    stands: Stands,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Stands {
    Credential(String),
    File(PathBuf),
    Variable(String),
}

/// A secret cannot be read. The text names the setting and says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SecretError(pub String);

impl SecretSource {
    /// What is set of `SETTING_file`, `SETTING_env` and `SETTING_credential`; none where nothing is.
    ///
    /// # Errors
    /// When more than one of them is set.
    pub fn one_of(
        setting: &str,
        file: Option<&Path>,
        variable: Option<&str>,
        credential: Option<&str>,
    ) -> Result<Option<Self>, SecretError> {
        let stands = [
            file.map(|file| Stands::File(file.to_owned())),
            variable.map(|name| Stands::Variable(name.to_owned())),
            credential.map(|name| Stands::Credential(name.to_owned())),
        ];
        let mut set = stands.into_iter().flatten();
        match (set.next(), set.next()) {
            (None, _) => Ok(None),
            (Some(stands), None) => Ok(Some(Self {
                setting: setting.to_owned(),
                stands,
            })),
            (Some(one), Some(other)) => Err(SecretError(format!(
                "{setting}_{} and {setting}_{} are both set; keep one of them",
                one.ending(),
                other.ending()
            ))),
        }
    }

    /// A variable that is looked at although nothing names it.
    pub fn usual_variable(setting: &str, name: &str) -> Self {
        Self {
            setting: setting.to_owned(),
            stands: Stands::Variable(name.to_owned()),
        }
    }

    /// Reads it, without the blanks around it. `what` says what ought to stand there, and
    /// `variable` looks into the environment.
    ///
    /// # Errors
    /// When it is not there, empty, too long, or in a file of ours that others can read.
    pub fn read(
        &self,
        what: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Secret<String>, SecretError> {
        let text = match &self.stands {
            Stands::Credential(name) => self.credential(name, variable(CREDENTIALS)),
            Stands::File(path) => self.file(path, what),
            Stands::Variable(name) => {
                let text = variable(name).filter(|text| !text.trim().is_empty());
                text.ok_or_else(|| {
                    self.wrong(&format!(
                        "is not set; export it with {what}, or set {}_file",
                        self.setting
                    ))
                })
            }
        }?;
        match text.trim() {
            "" => Err(self.wrong(&format!("is empty; put {what} into it"))),
            text if text.len() as u64 > SECRET_BYTES => {
                Err(self.wrong(&format!("is too long; put {what} into it alone")))
            }
            text => Ok(Secret::new(text.to_owned())),
        }
    }

    fn credential(&self, name: &str, folder: Option<String>) -> Result<String, SecretError> {
        if name.is_empty() || name.contains('/') || matches!(name, "." | "..") {
            return Err(self.wrong(
                "is no name of a credential; write it as LoadCredential= does, without a slash",
            ));
        }
        let how = format!(
            "add LoadCredential={name}:/its/file to the unit, or set {}_file",
            self.setting
        );
        let Some(folder) = folder.filter(|folder| !folder.is_empty()) else {
            return Err(self.wrong(&format!(
                "cannot be read (systemd hands over no credentials here); {how}"
            )));
        };
        let open = File::open(Path::new(&folder).join(name));
        open.and_then(whole)
            .map_err(|why| self.wrong(&format!("cannot be read ({}); {how}", because(&why))))
    }

    fn file(&self, path: &Path, what: &str) -> Result<String, SecretError> {
        let unreadable = |why: std::io::Error| {
            let because = match path.starts_with("~") {
                true => "~ is not your home folder here: name the whole path".to_owned(),
                false => because(&why),
            };
            self.wrong(&format!("cannot be read ({because}); write {what} into it"))
        };
        let open = File::open(path).map_err(unreadable)?;
        let about = open.metadata().map_err(unreadable)?;
        // One that is another's file, as a container engine mounts them, is left to its maker.
        let ours = std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == about.uid());
        if ours && about.is_file() && about.mode() & 0o077 != 0 {
            return Err(self.wrong(&format!(
                "can be read by others; make it yours alone with: chmod 600 {}",
                quoted(path)
            )));
        }
        whole(open).map_err(unreadable)
    }

    fn wrong(&self, how: &str) -> SecretError {
        SecretError(format!("{self} {how}"))
    }
}

impl Stands {
    fn ending(&self) -> &'static str {
        match self {
            Self::Credential(_) => "credential",
            Self::File(_) => "file",
            Self::Variable(_) => "env",
        }
    }
}

impl fmt::Display for SecretSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (setting, ending) = (&self.setting, self.stands.ending());
        match &self.stands {
            Stands::File(path) => write!(f, "{setting}_{ending} {}", path.display()),
            Stands::Credential(name) | Stands::Variable(name) => {
                write!(f, "{setting}_{ending} {name}")
            }
        }
    }
}

/// A variable of the environment that holds text.
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A path as a person can paste it after a command.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// The text of a file, and a little more than the longest secret where it is longer.
fn whole(open: File) -> std::io::Result<String> {
    let mut text = String::new();
    open.take(SECRET_BYTES + 64).read_to_string(&mut text)?;
    Ok(text)
}

fn because(why: &std::io::Error) -> String {
    match why.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::InvalidData => "it is not text".to_owned(),
        other => other.to_string(),
    }
}
