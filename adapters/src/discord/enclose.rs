//! How does a file go out? In one message with its caption; a longer one follows as text.

use bot_policy::message::{Enclosure, OutboundMessage};
use serde::{Deserialize, Serialize};

use super::encode::{Part, answered};
use super::marks::pieces;
use super::open;
use crate::{Encoded, drawn};

/// The largest file, in bytes, where nobody pays for more (platform reference, "Uploading Files":
/// 10 MiB).
pub(super) const FILE: u64 = 10 << 20;

/// The most files of one message (platform reference, "Create Message").
const MOST: usize = 10;

/// A file of a message, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Carried {
    pub(super) digest: String,
    pub(super) name: String,
    pub(super) bytes: u64,
}

/// The parts of a message with a file.
pub(super) fn enclosed(file: &Enclosure, message: &OutboundMessage) -> Vec<Part> {
    let mut caption = pieces(&drawn::plain(&file.caption, file.addresses));
    let first = if caption.len() == 1 {
        caption.pop()
    } else {
        None
    };
    let mut part = first.map_or_else(Part::default, Part::from);
    part.file = Some(Carried {
        digest: file.digest.clone(),
        name: file.name.clone(),
        bytes: file.bytes,
    });
    part.answers = answered(message);
    std::iter::once(part)
        .chain(caption.into_iter().map(Part::from))
        .collect()
}

/// How many parts go as one message: files, no larger together than one may be. Only the first has
/// words: nobody could tell which file others speak of.
pub(super) fn together(parts: &[Encoded]) -> usize {
    let (mut count, mut bytes) = (0, 0_u64);
    for part in parts.iter().take(MOST) {
        let Ok(Part {
            file: Some(file),
            content,
            ..
        }) = open(part)
        else {
            break;
        };
        bytes = bytes.saturating_add(file.bytes);
        if count > 0 && (bytes > FILE || !content.is_empty()) {
            break;
        }
        count += 1;
    }
    // Whatever it is, one goes.
    count.max(parts.len().min(1))
}
