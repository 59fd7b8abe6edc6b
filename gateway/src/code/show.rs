//! What is shown of a deed in a Code conversation? What changed and what was printed, short enough
//! for a phone; the whole as a file.

use bot_policy::call::Call;
use bot_policy::event::FileKind;
use bot_policy::message::{Addresses, Body, Choices, Enclosure, Notice, OutboundMessage};
use bot_policy::visible;

use super::show_passing;
use crate::store::{Loaded, StoreError};
use crate::{House, clock, digest};

/// How much is shown in place, in characters: most of it from the start, some from the end.
const HEAD: usize = 1400;
const TAIL: usize = 600;

/// What is shown of a deed.
pub(crate) struct Shown {
    /// In every place that shows the conversation.
    pub(crate) message: OutboundMessage,
    /// The whole, where that is more.
    whole: Option<String>,
}

/// What is shown of a call that ran; nothing outside Code conversations and where a passing line
/// says it all.
pub(crate) async fn shown(
    house: &House,
    loaded: &Loaded,
    head: &str,
    outcome: &str,
    text: &str,
) -> Option<Shown> {
    loaded.code.as_ref()?;
    if text.trim().is_empty() {
        show_passing(house, loaded, &format!("  {outcome}"));
        return None;
    }
    let text = visible::show(house.secrets.cut(text).trim_end()).to_string();
    let count = text.chars().count();
    let (short, whole) = if count <= HEAD + TAIL {
        (text, None)
    } else {
        let start: String = text.chars().take(HEAD).collect();
        let end: String = text.chars().skip(count - TAIL).collect();
        let left = count - HEAD - TAIL;
        (
            format!("{start}\n… {left} characters more …\n{end}"),
            Some(text),
        )
    };
    let tool = head.split(" --").next().unwrap_or(head);
    // A command that ran and failed is no deed well done.
    let failed = matches!(tool, "@coder exec" | "@coder test") && !outcome.starts_with("done");
    let sign = if failed { "!" } else { "✓" };
    let said = format!("{sign} {tool}: {outcome}\n{short}");
    Some(Shown {
        message: line(said),
        whole,
    })
}

/// What is shown where a call may not run.
pub(crate) fn refused(loaded: &Loaded, call: &Call, why: &str) -> Option<OutboundMessage> {
    let code = loaded.code.as_ref()?;
    // A script reads what the model makes of it.
    (!code.unattended).then(|| line(format!("✗ {}: not run: {why}", call.head())))
}

fn line(text: String) -> OutboundMessage {
    OutboundMessage {
        body: Body::Notice(Notice {
            text,
            addresses: Addresses::Inert,
            choices: Choices::default(),
        }),
        answers: None,
    }
}

/// Sends the whole to the chats that the conversation is linked to.
pub(crate) async fn send_whole(
    house: &House,
    loaded: &Loaded,
    shown: Option<Shown>,
) -> Result<(), StoreError> {
    let Some(whole) = shown.and_then(|shown| shown.whole) else {
        return Ok(());
    };
    if loaded.linked.is_empty() {
        return Ok(());
    }
    let name = digest::hex(whole.as_bytes());
    let bytes = whole.len() as u64;
    let (folder, file) = (house.sent.clone(), house.sent.join(&name));
    let written = tokio::task::spawn_blocking(move || {
        std::fs::create_dir_all(&folder)?;
        let beside = file.with_extension("new");
        std::fs::write(&beside, whole)?;
        std::fs::rename(beside, file)
    });
    if !matches!(written.await, Ok(Ok(()))) {
        tracing::error!("the whole of an output could not be kept, so it was not sent");
        return Ok(());
    }
    for place in &loaded.linked {
        let file = Enclosure {
            digest: name.clone(),
            name: "output.txt".to_owned(),
            kind: FileKind::Document,
            bytes,
            caption: "the whole of it".to_owned(),
            addresses: Addresses::Inert,
        };
        let now = clock::now();
        house.post(house.store.enclose_in(place.clone(), file, now).await?);
    }
    Ok(())
}
