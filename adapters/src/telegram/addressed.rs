//! Whom does a message in a group speak to? Entities say; words do not.

use bot_policy::event::Addressed;
use serde_json::{Map, Value};

use super::decode::{Me, integer};

/// What the entities of a message say.
pub(super) struct Heard {
    /// Whom it speaks to.
    pub(super) addressed: Addressed,
    /// Our own suffix on its command, as typed: `@ourbot`.
    pub(super) suffix: Option<Suffix>,
}

/// Where the suffix of a command stands, in bytes of the text.
pub(super) struct Suffix {
    pub(super) from: usize,
    pub(super) to: usize,
}

/// Reads the entities of a message's text or caption.
pub(super) fn read(message: &Map<String, Value>, me: &Me) -> Heard {
    let (text, entities) = match message.get("text").and_then(Value::as_str) {
        Some(text) => (text, message.get("entities")),
        None => (
            message.get("caption").and_then(Value::as_str).unwrap_or(""),
            message.get("caption_entities"),
        ),
    };
    let mut heard = Heard {
        addressed: Addressed::Room,
        suffix: None,
    };
    if answers_us(message, me) {
        heard.addressed = Addressed::Bot;
    }
    let entities = entities
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    for entity in entities
        .iter()
        .take(MOST_ENTITIES)
        .filter_map(Value::as_object)
    {
        let Some((from, to)) = bytes(text, entity) else {
            continue;
        };
        let said = text.get(from..to).unwrap_or("");
        match entity.get("type").and_then(Value::as_str) {
            Some("mention") if is_our_name(said, me) => heard.addressed = Addressed::Bot,
            Some("text_mention") => {
                let user = entity.get("user").and_then(Value::as_object);
                if user.and_then(|user| integer(user, "id")) == Some(me.id) {
                    heard.addressed = Addressed::Bot;
                }
            }
            Some("bot_command") if from == 0 => match said.find('@') {
                None => heard.addressed = Addressed::Bot,
                Some(at) if is_our_name(said.get(at..).unwrap_or(""), me) => {
                    heard.addressed = Addressed::Bot;
                    heard.suffix = Some(Suffix { from: at, to });
                }
                // Meant for another bot, whatever else it mentions.
                Some(_) => {
                    return Heard {
                        addressed: Addressed::Room,
                        suffix: None,
                    };
                }
            },
            _ => {}
        }
    }
    heard
}

fn answers_us(message: &Map<String, Value>, me: &Me) -> bool {
    let Some(to) = message.get("reply_to_message").and_then(Value::as_object) else {
        return false;
    };
    let from = to.get("from").and_then(Value::as_object);
    // Everything in a topic answers the message that opened it, which may be ours.
    !to.contains_key("forum_topic_created")
        && !to.contains_key("sender_chat")
        && from.and_then(|user| integer(user, "id")) == Some(me.id)
}

fn is_our_name(said: &str, me: &Me) -> bool {
    said.strip_prefix('@')
        .is_some_and(|name| !name.is_empty() && name.eq_ignore_ascii_case(&me.username))
}

/// The bytes of an entity, whose place and length are in UTF-16 units.
fn bytes(text: &str, entity: &Map<String, Value>) -> Option<(usize, usize)> {
    let offset = usize::try_from(integer(entity, "offset")?).ok()?;
    let length = usize::try_from(integer(entity, "length")?).ok()?;
    let stop = offset.checked_add(length)?;
    let (mut units, mut from, mut to) = (0usize, None, None);
    for (at, c) in text.char_indices() {
        if units == offset {
            from = Some(at);
        }
        if units == stop {
            to = Some(at);
            break;
        }
        units = units.saturating_add(c.len_utf16());
    }
    if units == stop {
        to = to.or(Some(text.len()));
    }
    Some((from?, to?))
}

/// The platform sends at most so many.
const MOST_ENTITIES: usize = 100;
