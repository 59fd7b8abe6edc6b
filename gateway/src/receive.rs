//! How does a file that came with a message get into the workspace, or into the
//! folder of a Code conversation? Fetched before the model is
//! asked, as often as it takes after a crash, and named by us.

use std::time::Duration;

use adapters::AdapterError;
use bot_policy::access::Scope;
use bot_policy::event::FileKind;

use crate::agent::tools::receive as coder_receives;
use crate::conversation::Flow;
use crate::course::Course;
use crate::store::{Loaded, StoreError, Wanted};
use crate::{House, clock};

/// The largest file that is taken, in bytes.
pub(crate) const LARGEST: u64 = 20_000_000;
/// How often one is tried.
const TRIES: u32 = 4;

/// Fetches one file of a conversation, or says why it cannot be had. The end of the turn ends it.
pub(crate) async fn receive(
    house: &House,
    loaded: &Loaded,
    wanted: Wanted,
    course: &mut Course,
) -> Result<Flow, StoreError> {
    let (name, kind) = names(wanted.fact.kind);
    let taken = tokio::select! {
        taken = take(house, loaded, &wanted) => taken,
        () = course.stopped() => return Ok(Flow::More),
    };
    let closed = match taken {
        Ok((path, size)) => {
            let told = format!("({kind} was sent along; it lies in {path}, {size} bytes)");
            house
                .store
                .received(wanted.id, told, None, clock::now())
                .await?
        }
        Err(Failed::Again) => {
            house.store.tried(wanted.id).await?;
            let pause = Duration::from_secs(1 << wanted.tries.min(TRIES));
            // Whoever ends the turn does not wait for the next try.
            let _ = tokio::time::timeout(pause, course.stopped()).await;
            return Ok(Flow::More);
        }
        Err(Failed::Never(why)) => {
            let why = house.secrets.cut(&why);
            let told = format!("({kind} was sent along; it could not be had: {why})");
            let said = format!("I could not take the {name} that you sent: {why}.");
            house
                .store
                .received(wanted.id, told, Some(said), clock::now())
                .await?
        }
    };
    if wanted.place.line.as_str() == adapters::web::NAME {
        // What stays is deleted at the next start.
        let _ = std::fs::remove_file(house.uploads.join(&wanted.fact.handle));
    }
    house.post(closed);
    Ok(Flow::More)
}

enum Failed {
    Again,
    Never(String),
}

async fn take(house: &House, loaded: &Loaded, wanted: &Wanted) -> Result<(String, usize), Failed> {
    let never = |why: &str| Failed::Never(why.to_owned());
    match loaded.scope {
        Scope::OwnerIncognito => return Err(never("nothing is kept while incognito is on")),
        Scope::Group | Scope::Guest | Scope::Owner => {}
    }
    if wanted.fact.handle.is_empty() {
        return Err(never("the app gives no way to fetch it"));
    }
    if wanted.fact.bytes > Some(LARGEST) {
        return Err(never("it is larger than 20 MB, the most that is taken"));
    }
    let line = house
        .lines
        .get(&wanted.place.line)
        .ok_or_else(|| never("the line is not configured any more"))?;
    let bytes = line.fetch(&wanted.fact.handle, LARGEST).await;
    let bytes = bytes.map_err(|error| match error {
        AdapterError::Ambiguous
        | AdapterError::Conflict
        | AdapterError::Credentials(_)
        | AdapterError::Retry { .. }
        | AdapterError::Setup(_)
        | AdapterError::Stored(_)
            if wanted.tries + 1 < TRIES =>
        {
            Failed::Again
        }
        AdapterError::Ambiguous
        | AdapterError::Conflict
        | AdapterError::Credentials(_)
        | AdapterError::Late
        | AdapterError::Moved(_)
        | AdapterError::Refused(_)
        | AdapterError::Retry { .. }
        | AdapterError::Setup(_)
        | AdapterError::Stored(_) => Failed::Never(error.to_string()),
    })?;
    let (name, _) = names(wanted.fact.kind);
    // Several chats may be linked to one Code conversation, each with numbers of its own.
    let number = match loaded.code {
        Some(_) => wanted.id,
        None => wanted.number,
    };
    let name = format!("{}-{number}", name.replace(' ', "-"));
    let size = bytes.len();
    let kept = match &loaded.code {
        Some(code) => coder_receives(&house.store, &code.folder, &name, bytes, &wanted.taint).await,
        None => {
            let workspace = loaded.place_id.0;
            let files = &house.files;
            files.receive(workspace, &name, bytes, &wanted.taint).await
        }
    };
    match kept {
        Ok(path) => Ok((path, size)),
        Err(error) => Err(Failed::Never(error.0)),
    }
}

/// What an upload is, by what it holds.
pub(crate) fn kind_of(bytes: &[u8]) -> FileKind {
    if infer::is_image(bytes) {
        FileKind::Photo
    } else if infer::is_audio(bytes) {
        FileKind::Audio
    } else if infer::is_video(bytes) {
        FileKind::Video
    } else {
        FileKind::Document
    }
}

/// What a file is called in its name, and what the model is told.
fn names(kind: FileKind) -> (&'static str, &'static str) {
    match kind {
        FileKind::Audio => ("audio file", "an audio file"),
        FileKind::Document => ("file", "a file"),
        FileKind::Photo => ("picture", "a picture"),
        FileKind::Video => ("film", "a film"),
        FileKind::Voice => ("voice note", "a voice note"),
    }
}
