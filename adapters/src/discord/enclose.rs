//! How does a file go out? In one message with its caption; a longer one follows as text.

use bot_policy::message::{Enclosure, OutboundMessage};
use serde::{Deserialize, Serialize};

use super::encode::{Part, answered};
use super::marks::pieces;
use crate::drawn;

/// The largest file, in bytes, where nobody pays for more (platform reference, "Uploading Files":
/// 10 MiB).
pub(super) const FILE: u64 = 10 << 20;

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
