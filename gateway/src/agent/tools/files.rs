//! What is in the place's own workspace? Reads and writes that cannot leave it.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use bot_policy::call::Call;
use bot_policy::decide::Permit;
use bot_policy::id::ToolName;
use bot_policy::metadata::Metadata;
use bot_policy::taint::{Labelled, Taint};
use bot_policy::tool::{
    AlwaysAsk, Change, CommandSpec, Needed, Origin, Parameter, ParameterRole, Reach, Reads,
    ToolSpec,
};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use super::{Deed, Tool, ToolError, Whose};
use crate::{chance, digest};

/// The largest file that is read or written, in bytes.
const FILE_LIMIT: usize = 256 * 1024;
/// The longest path, in bytes.
const PATH_LIMIT: usize = 512;
/// The deepest path, in parts.
const DEPTH_LIMIT: usize = 16;

/// The tool `files`.
pub struct Files {
    root: PathBuf,
    marks: Arc<dyn Marks>,
}

/// What is known of the files that were written here.
#[async_trait]
pub trait Marks: Send + Sync {
    /// The marks of a file with this digest; none when it was not written here like this.
    async fn of(&self, workspace: i64, path: &str, digest: &str) -> Option<Taint>;

    /// Keeps the marks of a file that is about to stand there with this digest.
    ///
    /// # Errors
    /// When they cannot be stored; the file is not written then.
    async fn keep(
        &self,
        workspace: i64,
        path: &str,
        digest: &str,
        taint: &Taint,
    ) -> Result<(), ToolError>;
}

impl Files {
    /// Files in workspaces below `root`.
    pub fn new(root: PathBuf, marks: Arc<dyn Marks>) -> Self {
        Self { root, marks }
    }

    /// Opens the workspace, making it when it is first used. From there on no path leads out:
    /// every step of it is resolved inside the folder, links included.
    fn open(&self, workspace: i64) -> Result<Dir, ToolError> {
        let path = self.root.join(workspace.to_string());
        std::fs::create_dir_all(&path)
            .and_then(|()| Dir::open_ambient_dir(&path, ambient_authority()))
            .map_err(|_| ToolError("the workspace cannot be opened".into()))
    }

    async fn read(&self, path: &Inside, whose: &Whose) -> Result<Deed, ToolError> {
        let bytes = load(&self.open(whose.workspace)?, path)?;
        let text =
            String::from_utf8(bytes).map_err(|_| ToolError(format!("{path} is not text")))?;
        let known = self
            .marks
            .of(whose.workspace, &path.0, &digest::hex(text.as_bytes()))
            .await;
        let taint =
            known.unwrap_or_else(|| Taint::outside("a file that was changed outside Postern"));
        let outcome = format!("read {path} ({})", bytes_of(text.len()));
        Ok(Deed {
            told: Labelled { value: text, taint },
            outcome,
        })
    }

    async fn write(&self, path: &Inside, content: &str, whose: &Whose) -> Result<Deed, ToolError> {
        if content.len() > FILE_LIMIT {
            return Err(ToolError(format!(
                "a file may hold at most {FILE_LIMIT} bytes"
            )));
        }
        let dir = self.open(whose.workspace)?;
        // Marks first: a crash in between leaves a file whose digest is unknown, which is outside.
        self.marks
            .keep(
                whose.workspace,
                &path.0,
                &digest::hex(content.as_bytes()),
                &whose.taint,
            )
            .await?;
        store(&dir, path, content)?;
        let outcome = format!("wrote {path} ({})", bytes_of(content.len()));
        Ok(Deed {
            told: Labelled {
                value: outcome.clone(),
                taint: Taint::default(),
            },
            outcome,
        })
    }
}

#[async_trait]
impl Tool for Files {
    fn spec(&self) -> ToolSpec {
        spec()
    }

    async fn ground(&self, call: &Call, whose: &Whose) -> BTreeMap<String, String> {
        let Ok(path) = Inside::of(call) else {
            return BTreeMap::new();
        };
        let state = match self.open(whose.workspace).and_then(|dir| load(&dir, &path)) {
            Ok(bytes) => digest::hex(&bytes),
            Err(error) => error.0,
        };
        BTreeMap::from([(format!("file {path}"), state)])
    }

    async fn run(&self, permit: Permit, whose: &Whose) -> Result<Deed, ToolError> {
        let call = permit.redeem();
        let path = Inside::of(&call)?;
        match call.command.as_str() {
            "read" => self.read(&path, whose).await,
            "write" => {
                let content = call
                    .text("content")
                    .ok_or_else(|| ToolError("content is missing".into()))?;
                self.write(&path, content, whose).await
            }
            other => Err(ToolError(format!("files cannot {other}"))),
        }
    }
}

/// What it can be told to do.
pub(crate) fn spec() -> ToolSpec {
    let file = Parameter {
        name: "file".into(),
        description: "path inside the workspace".into(),
        role: ParameterRole::Destination,
        needed: Needed::Yes,
    };
    let content = Parameter {
        name: "content".into(),
        description: "the whole new text of the file".into(),
        role: ParameterRole::Body,
        needed: Needed::Yes,
    };
    let command =
        |name: &str, description: &str, parameters, change, permission: &str| CommandSpec {
            name: name.into(),
            description: description.into(),
            parameters,
            change,
            reach: Reach::Here,
            reads: Reads::Own,
            permission: permission.into(),
            resource: Some("file".into()),
            always_ask: AlwaysAsk::No,
            metadata: Metadata::default(),
        };
    ToolSpec {
        name: ToolName::new("files"),
        origin: Origin::BuiltIn,
        description: "reads and writes text files in this chat's own workspace".into(),
        commands: vec![
            command(
                "read",
                "reads a file",
                vec![file.clone()],
                Change::Nothing,
                "files.read",
            ),
            command(
                "write",
                "writes a file, replacing it",
                vec![file, content],
                Change::Something,
                "files.write",
            ),
        ],
    }
}

/// A path that names something inside a workspace: relative, without `..`, not too long.
struct Inside(String);

impl Inside {
    fn of(call: &Call) -> Result<Self, ToolError> {
        let text = call
            .text("file")
            .ok_or_else(|| ToolError("file is missing".into()))?;
        if text.len() > PATH_LIMIT || text.chars().any(char::is_control) || text.contains('\\') {
            return Err(ToolError(
                "the path is too long or holds characters that paths may not".into(),
            ));
        }
        let mut parts = Vec::new();
        for part in Path::new(text).components() {
            match part {
                Component::CurDir => {}
                Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
                Component::ParentDir | Component::Prefix(_) | Component::RootDir => {
                    return Err(ToolError(format!("{text} leads out of the workspace")));
                }
            }
        }
        if parts.is_empty() || parts.len() > DEPTH_LIMIT {
            return Err(ToolError("the path names no file in the workspace".into()));
        }
        Ok(Self(parts.join("/")))
    }
}

impl std::fmt::Display for Inside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

fn load(dir: &Dir, path: &Inside) -> Result<Vec<u8>, ToolError> {
    // Looked at before it is opened: opening a pipe would wait for its other end.
    let about = dir
        .symlink_metadata(&path.0)
        .map_err(|error| refused(path, &error))?;
    if !about.is_file() {
        return Err(ToolError(format!("{path} is not a file")));
    }
    let file = dir.open(&path.0).map_err(|error| refused(path, &error))?;
    let mut bytes = Vec::new();
    let limit = FILE_LIMIT as u64 + 1;
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| refused(path, &error))?;
    if bytes.len() > FILE_LIMIT {
        return Err(ToolError(format!(
            "{path} is larger than {FILE_LIMIT} bytes"
        )));
    }
    Ok(bytes)
}

fn store(dir: &Dir, path: &Inside, content: &str) -> Result<(), ToolError> {
    let parent = Path::new(&path.0)
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent {
        dir.create_dir_all(parent)
            .map_err(|error| refused(path, &error))?;
    }
    if dir
        .symlink_metadata(&path.0)
        .is_ok_and(|about| !about.is_file())
    {
        return Err(ToolError(format!("{path} is not a file")));
    }
    // Beside it and then in its place, so that a crash leaves the old file or the new one.
    let step = chance::bytes().map_err(|error| ToolError(error.to_string()))?;
    let step = format!(".{:016x}.postern-new", u64::from_le_bytes(step));
    let beside = parent.map_or_else(|| PathBuf::from(&step), |parent| parent.join(&step));
    let write = || -> std::io::Result<()> {
        let mut file = dir.open_with(&beside, OpenOptions::new().write(true).create_new(true))?;
        file.write_all(content.as_bytes())?;
        file.sync_all()?;
        dir.rename(&beside, dir, &path.0)
    };
    write().map_err(|error| {
        // Half a file of ours at most; it may not even be there.
        let _ = dir.remove_file(&beside);
        refused(path, &error)
    })
}

fn refused(path: &Inside, error: &std::io::Error) -> ToolError {
    ToolError(match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file {path}"),
        std::io::ErrorKind::StorageFull => format!("{path} was not written: the disk is full"),
        std::io::ErrorKind::PermissionDenied => {
            format!("{path} leads out of the workspace, or may not be opened")
        }
        _ => format!("{path} cannot be used"),
    })
}

fn bytes_of(count: usize) -> String {
    let word = if count == 1 { "byte" } else { "bytes" };
    format!("{count} {word}")
}
