//! Where does Postern keep its things, and is that place the owner's alone?

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use adapters::quoted;
use directories::ProjectDirs;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::process::geteuid;

/// Names the data folder instead of the platform's usual place.
pub const DATA_VARIABLE: &str = "POSTERN_DATA";
/// Names the configuration folder instead of the platform's usual place.
pub const CONFIG_VARIABLE: &str = "POSTERN_CONFIG";

/// A folder that exists, is ours, and that nobody else can enter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder(PathBuf);

/// The data folder, held by this process alone for as long as the value lives.
#[derive(Debug)]
pub struct DataFolder {
    folder: Folder,
    _lock: File,
}

/// What a folder is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// `postern.toml` and rule files.
    Config,
    /// The store, the socket, the workspaces.
    Data,
}

/// A folder cannot be used. The text names the command that mends it.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Another process holds the data folder.
    #[error("another postern holds {}; stop it first, or set {DATA_VARIABLE} to a folder of its own", .0.display())]
    Held(PathBuf),
    /// The system refused.
    #[error("cannot use {}: {why}; check who owns it with: ls -ld {}", .path.display(), quoted(.path))]
    Io {
        /// What was touched.
        path: PathBuf,
        /// What the system said.
        why: std::io::Error,
    },
    /// A symbolic link stands where the folder should be.
    #[error(
        "{} is a link, and what it points to can be changed behind it; set {variable} to the real folder, or remove the link with: rm {}",
        .path.display(), quoted(.path)
    )]
    Link {
        /// The link.
        path: PathBuf,
        /// The variable that names the folder.
        variable: &'static str,
    },
    /// Others can enter.
    #[error("{} can be entered by others (mode {mode:03o}); make it yours alone with: chmod 700 {}", .path.display(), quoted(.path))]
    Loose {
        /// The folder.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The person has no home folder.
    #[error("there is no home folder to keep things in; set {0} to a folder of your own")]
    NoHome(&'static str),
    /// Something else stands there.
    #[error(
        "{} is not a folder; set {variable} to a folder, or move what stands there away with: mv {path_quoted} {path_quoted}.old",
        .path.display(), path_quoted = quoted(.path)
    )]
    NotAFolder {
        /// What stands in the way.
        path: PathBuf,
        /// The variable that names the folder.
        variable: &'static str,
    },
    /// It belongs to another account.
    #[error("{} belongs to user {owner}, not to you (user {us}); take it over with: sudo chown -R {us} {}", .path.display(), quoted(.path))]
    NotOurs {
        /// The folder.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who we are.
        us: u32,
    },
    /// A path in a variable that depends on where the program is started.
    #[error("{variable} is {}, which depends on where postern is started; give the whole path, beginning with /", .path.display())]
    Relative {
        /// The variable.
        variable: &'static str,
        /// What it says.
        path: PathBuf,
    },
}

impl Purpose {
    /// The environment variable that names the folder.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Config => CONFIG_VARIABLE,
            Self::Data => DATA_VARIABLE,
        }
    }

    /// Where the folder is, whether or not it exists: the variable, else the platform's usual
    /// place.
    ///
    /// # Errors
    /// [`FolderError::Relative`] and [`FolderError::NoHome`].
    pub fn path(self) -> Result<PathBuf, FolderError> {
        let variable = self.variable();
        if let Some(path) = std::env::var_os(variable).filter(|path| !path.is_empty()) {
            let path = PathBuf::from(path);
            return if path.is_absolute() {
                Ok(path)
            } else {
                Err(FolderError::Relative { variable, path })
            };
        }
        let usual = ProjectDirs::from("", "", "postern").ok_or(FolderError::NoHome(variable))?;
        Ok(match self {
            Self::Config => usual.config_dir().to_owned(),
            Self::Data => usual.data_dir().to_owned(),
        })
    }
}

impl Folder {
    /// The folder, made owner-only when it does not exist yet.
    ///
    /// # Errors
    /// When it is not, or cannot be made, the owner's alone.
    pub fn open(purpose: Purpose, path: &Path) -> Result<Self, FolderError> {
        if let Some(folder) = Self::existing(purpose, path)? {
            return Ok(folder);
        }
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(|why| FolderError::Io {
                path: path.to_owned(),
                why,
            })?;
        Self::existing(purpose, path)?.ok_or_else(|| FolderError::Io {
            path: path.to_owned(),
            why: ErrorKind::NotFound.into(),
        })
    }

    /// The folder if it is there; makes nothing.
    ///
    /// # Errors
    /// When it is there and not the owner's alone.
    pub fn existing(purpose: Purpose, path: &Path) -> Result<Option<Self>, FolderError> {
        let owned = path.to_owned();
        let found = match fs::symlink_metadata(path) {
            Ok(found) => found,
            Err(why) if why.kind() == ErrorKind::NotFound => return Ok(None),
            Err(why) => return Err(FolderError::Io { path: owned, why }),
        };
        let us = geteuid().as_raw();
        if found.is_symlink() {
            return Err(FolderError::Link {
                path: owned,
                variable: purpose.variable(),
            });
        }
        if !found.is_dir() {
            return Err(FolderError::NotAFolder {
                path: owned,
                variable: purpose.variable(),
            });
        }
        if found.uid() != us {
            return Err(FolderError::NotOurs {
                path: owned,
                owner: found.uid(),
                us,
            });
        }
        let mode = found.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(FolderError::Loose { path: owned, mode });
        }
        Ok(Some(Self(owned)))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Where the command line reaches the gateway that runs on this folder.
    pub fn socket(&self) -> PathBuf {
        self.0.join("postern.sock")
    }

    /// Holds the folder for this process alone; let go when the value, or the process, ends.
    ///
    /// # Errors
    /// [`FolderError::Held`] when another process holds it.
    pub fn hold(self) -> Result<DataFolder, FolderError> {
        let path = self.0.join("postern.lock");
        let wrong = |why| FolderError::Io {
            path: path.clone(),
            why,
        };
        let lock = lock_file(&path).map_err(wrong)?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(DataFolder {
                folder: self,
                _lock: lock,
            }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(FolderError::Held(self.0)),
            Err(why) => Err(wrong(why.into())),
        }
    }
}

/// A file to be locked, of its owner alone and never behind a link; made when there is none.
pub(crate) fn lock_file(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
}

impl DataFolder {
    /// The folder itself.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}
