//! How are faces told to Telegram? As entities beside the text.

use teloxide_core::types::{MessageEntity, MessageEntityKind};

use crate::rich::{Face, Limits, Rich, units};

/// What one message shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) entities: Vec<MessageEntity>,
}

/// Cuts a text into what single messages show.
pub(super) fn pieces(rich: &Rich) -> Vec<Piece> {
    rich.cut(LIMITS).iter().map(piece).collect()
}

fn piece(rich: &Rich) -> Piece {
    let mut entities = Vec::new();
    let mut open: Vec<(MessageEntityKind, usize)> = Vec::new();
    let mut offset = 0;
    for (text, face) in rich.stretches() {
        let kinds = kinds(face);
        open.retain(|(kind, from)| {
            let stays = kinds.contains(kind);
            if !stays {
                entities.push(MessageEntity::new(kind.clone(), *from, offset - from));
            }
            stays
        });
        for kind in kinds {
            if !open.iter().any(|(known, _)| *known == kind) {
                open.push((kind, offset));
            }
        }
        offset += units(text);
    }
    for (kind, from) in open {
        entities.push(MessageEntity::new(kind, from, offset - from));
    }
    entities.sort_by_key(|entity| (entity.offset, std::cmp::Reverse(entity.length)));
    Piece {
        text: rich.text().to_owned(),
        entities,
    }
}

fn kinds(face: &Face) -> Vec<MessageEntityKind> {
    let mut kinds = Vec::new();
    if face.quote {
        kinds.push(MessageEntityKind::Blockquote);
    }
    if let Some(language) = &face.pre {
        kinds.push(MessageEntityKind::Pre {
            language: language.clone(),
        });
        return kinds;
    }
    if let Some(url) = &face.link {
        kinds.push(MessageEntityKind::TextLink { url: url.clone() });
    } else if face.code {
        kinds.push(MessageEntityKind::Code);
        return kinds;
    }
    if face.bold {
        kinds.push(MessageEntityKind::Bold);
    }
    if face.italic {
        kinds.push(MessageEntityKind::Italic);
    }
    if face.strike {
        kinds.push(MessageEntityKind::Strikethrough);
    }
    kinds
}

/// Longest text of a message, in UTF-16 units (Bot API, sendMessage: "1-4096 characters after
/// entities parsing"), and how many entities one message keeps; the platform drops the rest without
/// a word (Telegram limits: 100 per message).
pub(super) const LIMITS: Limits = Limits {
    units: 4096,
    marks: 100,
    weight: |face| kinds(face).len(),
};
