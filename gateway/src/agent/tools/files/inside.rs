//! Which file of a workspace is meant? Paths that cannot leave it, and reads and writes by them.

use std::io::{Read, Write};
use std::path::{Component, Path, PathBuf};

use bot_policy::call::Call;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};

use super::super::ToolError;
use crate::chance;

/// The largest file that is read or written, in bytes.
pub(in crate::agent::tools) const FILE_LIMIT: usize = 256 * 1024;
/// The longest path, in bytes.
const PATH_LIMIT: usize = 512;
/// The deepest path, in parts.
pub(in crate::agent::tools) const DEPTH_LIMIT: usize = 16;

/// Opens a workspace, making it when it is first used. From there on no path leads out: every
/// step of it is resolved inside the folder, links included.
pub(in crate::agent::tools) fn open(root: &Path, workspace: i64) -> Result<Dir, ToolError> {
    let path = root.join(workspace.to_string());
    std::fs::create_dir_all(&path)
        .and_then(|()| Dir::open_ambient_dir(&path, ambient_authority()))
        .map_err(|_| ToolError("the workspace cannot be opened".into()))
}

/// A path that names something inside a workspace: relative, without `..`, not too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agent::tools) struct Inside(pub(in crate::agent::tools) String);

impl Inside {
    /// The file that a call names.
    pub(in crate::agent::tools) fn of(call: &Call) -> Result<Self, ToolError> {
        let text = call
            .text("file")
            .ok_or_else(|| ToolError("file is missing".into()))?;
        Self::parse(text)?.ok_or_else(no_file)
    }

    /// The folder that a call names; none for the whole workspace.
    pub(in crate::agent::tools) fn folder(call: &Call) -> Result<Option<Self>, ToolError> {
        call.text("folder").map_or(Ok(None), Self::parse)
    }

    /// A path as somebody wrote it; none where it names the workspace itself.
    pub(in crate::agent::tools) fn parse(text: &str) -> Result<Option<Self>, ToolError> {
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
        if parts.len() > DEPTH_LIMIT {
            return Err(no_file());
        }
        Ok((!parts.is_empty()).then(|| Self(parts.join("/"))))
    }
}

impl std::fmt::Display for Inside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

fn no_file() -> ToolError {
    ToolError("the path names no file in the workspace".into())
}

/// Opens a regular file; a link is none.
pub(in crate::agent::tools) fn regular(dir: &Dir, path: &Inside) -> Result<File, ToolError> {
    // Looked at before it is opened: opening a pipe would wait for its other end.
    let about = dir
        .symlink_metadata(&path.0)
        .map_err(|error| refused(path, &error))?;
    if !about.is_file() {
        return Err(ToolError(format!("{path} is not a file")));
    }
    dir.open(&path.0).map_err(|error| refused(path, &error))
}

/// Reads a whole file.
pub(in crate::agent::tools) fn load(dir: &Dir, path: &Inside) -> Result<Vec<u8>, ToolError> {
    load_up_to(dir, path, FILE_LIMIT)
}

/// Reads a whole file of at most so many bytes.
pub(in crate::agent::tools) fn load_up_to(
    dir: &Dir,
    path: &Inside,
    most: usize,
) -> Result<Vec<u8>, ToolError> {
    let file = regular(dir, path)?;
    let mut bytes = Vec::new();
    let limit = most as u64 + 1;
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| refused(path, &error))?;
    if bytes.len() > most {
        return Err(ToolError(format!("{path} is larger than {most} bytes")));
    }
    Ok(bytes)
}

/// Puts a file in its place, whole or not at all.
pub(in crate::agent::tools) fn store(
    dir: &Dir,
    path: &Inside,
    content: &[u8],
) -> Result<(), ToolError> {
    let parent = Path::new(&path.0)
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent {
        dir.create_dir_all(parent)
            .map_err(|error| refused(path, &error))?;
    }
    let before = dir.symlink_metadata(&path.0).ok();
    if before.as_ref().is_some_and(|about| !about.is_file()) {
        return Err(ToolError(format!("{path} is not a file")));
    }
    // Beside it and then in its place, so that a crash leaves the old file or the new one.
    let step = chance::bytes().map_err(|error| ToolError(error.to_string()))?;
    let step = format!(".{:016x}{STEP}", u64::from_le_bytes(step));
    let beside = parent.map_or_else(|| PathBuf::from(&step), |parent| parent.join(&step));
    let write = || -> std::io::Result<()> {
        let mut file = dir.open_with(&beside, OpenOptions::new().write(true).create_new(true))?;
        file.write_all(content)?;
        // A program that is changed stays a program.
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        file.sync_all()?;
        dir.rename(&beside, dir, &path.0)
    };
    write().map_err(|error| {
        // Half a file of ours at most; it may not even be there.
        let _ = dir.remove_file(&beside);
        refused(path, &error)
    })
}

/// How the name of a file ends that is not in its place yet.
const STEP: &str = ".postern-new";

/// Why a file could not be used, in words.
pub(in crate::agent::tools) fn refused(path: &Inside, error: &std::io::Error) -> ToolError {
    ToolError(match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file {path}"),
        std::io::ErrorKind::StorageFull => format!("{path} was not written: the disk is full"),
        std::io::ErrorKind::PermissionDenied => {
            format!("{path} leads out of the workspace, or may not be opened")
        }
        _ => format!("{path} cannot be used"),
    })
}
