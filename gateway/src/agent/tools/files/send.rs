//! Which file goes to a screen? The one that was judged: a copy of it that nothing changes.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;

use async_trait::async_trait;
use bot_policy::call::Call;
use bot_policy::event::FileKind;
use bot_policy::message::{Addresses, Enclosure};
use cap_std::fs::{Dir, File, MetadataExt};
use sha2::{Digest, Sha256};

use super::super::{Deed, ToolError, Whose};
use super::inside::{self, Inside, refused, regular};
use super::{Files, done};

/// The largest file that is sent, in bytes: what every app takes.
const LARGEST: u64 = 50_000_000;
/// The longest caption, in characters.
const CAPTION: usize = 1000;

/// Where what is sent is shown.
#[async_trait]
pub trait Screen: Send + Sync {
    /// Shows a file in the place of a workspace, as one durable letter.
    ///
    /// # Errors
    /// When it cannot be stored; nothing is shown then.
    async fn show(&self, workspace: i64, file: Enclosure) -> Result<(), ToolError>;
}

impl Files {
    /// What sending a file stands on: what it holds.
    pub(super) async fn ground_of_sending(
        &self,
        path: Inside,
        workspace: i64,
    ) -> BTreeMap<String, String> {
        let (root, named) = (self.root.clone(), path.clone());
        let read = tokio::task::spawn_blocking(move || {
            let dir = inside::open(&root, workspace)?;
            copy(&mut sendable(&dir, &named)?, &named, &mut std::io::sink())
        });
        let state = match read.await {
            Ok(Ok((digest, _, _))) => digest,
            Ok(Err(error)) => error.0,
            Err(_) => "reading it broke off".to_owned(),
        };
        BTreeMap::from([(ground(&path), state)])
    }

    /// Sends a file to the chat that it belongs to.
    pub(super) async fn send(
        &self,
        path: Inside,
        call: &Call,
        judged: &BTreeMap<String, String>,
        whose: &Whose,
    ) -> Result<Deed, ToolError> {
        let caption = call.text("caption").unwrap_or_default().to_owned();
        if caption.chars().count() > CAPTION {
            return Err(ToolError(format!(
                "a caption has at most {CAPTION} characters; say the rest in your reply"
            )));
        }
        let (root, outgoing, named) = (self.root.clone(), self.outgoing.clone(), path.clone());
        let workspace = whose.workspace;
        let kept = tokio::task::spawn_blocking(move || keep(&root, &outgoing, workspace, &named));
        let (digest, bytes, kind) = kept
            .await
            .map_err(|_| ToolError("reading it broke off".into()))??;
        if judged.get(&ground(&path)) != Some(&digest) {
            return Err(ToolError(format!(
                "{path} changed since this was judged, so it was not sent"
            )));
        }
        let name = path.0.rsplit('/').next().unwrap_or(&path.0).to_owned();
        let addresses = if whose.taint.outside.is_marked() {
            Addresses::Inert
        } else {
            Addresses::Live
        };
        let file = Enclosure {
            digest,
            name,
            kind,
            bytes,
            caption,
            addresses,
        };
        self.screen.show(workspace, file).await?;
        Ok(done(format!("sent {path} ({bytes} bytes)")))
    }
}

fn ground(path: &Inside) -> String {
    format!("file {path}")
}

/// A file that may leave: regular, and nowhere else under another name.
fn sendable(dir: &Dir, path: &Inside) -> Result<File, ToolError> {
    let named = dir
        .symlink_metadata(&path.0)
        .map_err(|error| refused(path, &error))?;
    let file = regular(dir, path)?;
    let about = file.metadata().map_err(|error| refused(path, &error))?;
    if !about.is_file() || (named.dev(), named.ino()) != (about.dev(), about.ino()) {
        return Err(ToolError(format!("{path} is not a file")));
    }
    if about.nlink() != 1 {
        return Err(ToolError(format!(
            "{path} is linked from elsewhere too, so it is not sent; copy it"
        )));
    }
    if about.len() > LARGEST {
        return Err(ToolError(format!(
            "{path} is larger than {} MB, the most that is sent",
            LARGEST / 1_000_000
        )));
    }
    Ok(file)
}

/// Copies a file; gives digest, size and kind of what was copied.
fn copy(
    from: &mut File,
    path: &Inside,
    to: &mut dyn Write,
) -> Result<(String, u64, FileKind), ToolError> {
    let mut digest = Sha256::new();
    let mut size = 0_u64;
    let mut start = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = from
            .read(&mut buffer)
            .map_err(|error| refused(path, &error))?;
        let read = buffer.get(..count).unwrap_or_default();
        if read.is_empty() {
            break;
        }
        size = size.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        if size > LARGEST {
            return Err(ToolError(format!("{path} grew while it was read")));
        }
        if start.is_empty() {
            start.extend_from_slice(read);
        }
        digest.update(read);
        to.write_all(read).map_err(|error| refused(path, &error))?;
    }
    if size == 0 {
        return Err(ToolError(format!("{path} is empty, and no app takes that")));
    }
    let digest = digest.finalize();
    let digest = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((digest, size, kind_of(&start)))
}

/// A picture is one that every app shows and that runs nothing; a voice note is what the apps
/// record: Opus in Ogg (RFC 7845, section 3, puts its mark at the start of the first page).
fn kind_of(start: &[u8]) -> FileKind {
    let found = infer::get(start).map(|kind| kind.mime_type());
    match found {
        Some("image/jpeg" | "image/png" | "image/webp") => FileKind::Photo,
        Some("audio/ogg" | "audio/opus") if start.get(28..36) == Some(b"OpusHead") => {
            FileKind::Voice
        }
        Some(_) | None => FileKind::Document,
    }
}

/// Keeps a copy under its digest.
fn keep(
    root: &Path,
    outgoing: &Path,
    workspace: i64,
    path: &Inside,
) -> Result<(String, u64, FileKind), ToolError> {
    let failed = |error: std::io::Error| refused(path, &error);
    let dir = inside::open(root, workspace)?;
    let mut from = sendable(&dir, path)?;
    std::fs::create_dir_all(outgoing).map_err(failed)?;
    let step = crate::chance::bytes().map_err(|error| ToolError(error.to_string()))?;
    let beside = outgoing.join(format!("{:016x}.new", u64::from_le_bytes(step)));
    let mut to = std::fs::File::create_new(&beside).map_err(failed)?;
    let kept = copy(&mut from, path, &mut to).and_then(|kept| {
        to.sync_all().map_err(failed)?;
        std::fs::rename(&beside, outgoing.join(&kept.0)).map_err(failed)?;
        Ok(kept)
    });
    if kept.is_err() {
        // Half a copy of ours at most.
        let _ = std::fs::remove_file(&beside);
    }
    kept
}
