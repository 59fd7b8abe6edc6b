//! One list of things that happen on every platform, each with the events that it must become.
//!
//! A platform records each as its own servers send it, in `tests/fixtures/<platform>/<name>.json`,
//! with the ids that it gives in [`Ids`], and runs [`check`] in one test.

use bot_policy::event::{
    Addressed, ChatKind, EventKind, FileFact, FileKind, InboundEvent, Part, PartBody, Provenance,
    ReplyHandle, Sender,
};
use bot_policy::id::{
    AlbumId, ChatId, EventId, LineId, MessageRef, Place, Platform, ThreadId, Timestamp, UserRef,
};

/// The ids that a platform's recordings use.
pub struct Ids {
    pub platform: &'static str,
    pub line: &'static str,
    /// What of the list cannot happen there: what the platform does not have.
    pub cannot: &'static [&'static str],
    /// The kind of chat in which the recorded command was typed.
    pub command_in: ChatKind,
    /// The one who writes.
    pub person: &'static str,
    /// Their chat with the bot.
    pub direct: &'static str,
    pub group: &'static str,
    /// The group's id before it moved.
    pub group_before: &'static str,
    pub thread: &'static str,
    /// The message, the next one, and an older one of the same chat.
    pub messages: [&'static str; 2],
    pub original: &'static str,
    /// The events of the message and the next one.
    pub events: [&'static str; 2],
    /// The event of the edit.
    pub edit: &'static str,
    pub files: [&'static str; 2],
    /// The event of the press.
    pub press: &'static str,
    /// What answers the press.
    pub reply: &'static str,
    /// When everything happened; an edit is 30 s later.
    pub at: i64,
    /// When a press is heard.
    pub now: i64,
    /// What stands in the group message that mentions the bot.
    pub mention: &'static str,
}

/// What a platform tells of some recordings otherwise than most.
#[derive(Default)]
pub struct Own {
    /// Recordings whose event is called otherwise than the first of `events`.
    pub called: &'static [(&'static str, &'static str)],
    /// Recordings that name nobody as the one who did it.
    pub by_nobody: &'static [&'static str],
    /// The thread in which what is said in the group itself stands, where each message there begins
    /// one.
    pub root: Option<&'static str>,
}

/// Every name in the list.
pub const NAMES: [&str; 16] = [
    "direct",
    "group",
    "group_mention",
    "thread",
    "forwarded",
    "quoted",
    "attachment",
    "album",
    "press",
    "command",
    "platform_command",
    "own_message",
    "edited",
    "shared_sender",
    "moved",
    "hostile_names",
];

/// What the album of every recording is called.
const ALBUM: &str = "13900000000000001";

/// Checks a platform's decoder against the whole list. `decode` reads one recording.
pub fn check(ids: &Ids, decode: impl Fn(&str) -> Vec<InboundEvent>) {
    check_with(ids, &Own::default(), decode);
}

/// The same, on a platform with ways of its own.
pub fn check_with(ids: &Ids, own: &Own, decode: impl Fn(&str) -> Vec<InboundEvent>) {
    for name in ids.cannot {
        assert!(NAMES.contains(name), "{name} is not in the list");
    }
    for name in NAMES.iter().filter(|name| !ids.cannot.contains(name)) {
        let path = format!(
            "{}/../tests/fixtures/{}/{name}.json",
            env!("CARGO_MANIFEST_DIR"),
            ids.platform
        );
        let recording = std::fs::read_to_string(&path).expect(&path);
        let mut wanted = expected(name, ids);
        if let Some(first) = wanted.first_mut() {
            as_it_is_there(first, name, own);
        }
        assert_eq!(decode(&recording), wanted, "{name}");
    }
}

fn as_it_is_there(event: &mut InboundEvent, name: &str, own: &Own) {
    if let Some((_, id)) = own.called.iter().find(|(known, _)| *known == name) {
        event.id = EventId::new(*id);
    }
    if own.by_nobody.contains(&name) {
        event.sender = Sender::Shared;
    }
    let said = matches!(event.what, EventKind::Message { .. });
    if said && event.kind_of_chat == ChatKind::Group && event.place.thread.is_none() {
        event.place.thread = own.root.map(ThreadId::new);
    }
}

fn expected(name: &str, ids: &Ids) -> Vec<InboundEvent> {
    use Addressed::{Bot, Room};
    use ChatKind::{Direct, Group};
    let hello = || vec![text("hello there", Provenance::Authored)];
    let file = |at: usize, kind| Part {
        body: PartBody::File(FileFact {
            kind,
            handle: ids.files[at].to_owned(),
            bytes: Some(1234),
        }),
        provenance: Provenance::Attached,
    };
    let message = |at: usize, parts, addressed| EventKind::Message {
        message: MessageRef::new(ids.messages[at]),
        parts,
        addressed,
        album: None,
    };
    let of_album = |what| match what {
        EventKind::Message {
            message,
            parts,
            addressed,
            ..
        } => EventKind::Message {
            message,
            parts,
            addressed,
            album: Some(AlbumId::new(ALBUM)),
        },
        other => other,
    };
    let event = |kind, what| base(ids, kind, what);
    match name {
        "direct" | "hostile_names" => vec![event(Direct, message(0, hello(), Bot))],
        "group" => vec![event(Group, message(0, hello(), Room))],
        "group_mention" => {
            let parts = vec![text(ids.mention, Provenance::Authored)];
            vec![event(Group, message(0, parts, Bot))]
        }
        "thread" => {
            let mut event = event(Group, message(0, hello(), Room));
            event.place.thread = Some(ThreadId::new(ids.thread));
            vec![event]
        }
        "forwarded" => {
            let parts = vec![text("write notes.txt: hello", Provenance::Forwarded)];
            vec![event(Direct, message(0, parts, Bot))]
        }
        "quoted" => {
            let original = Some(MessageRef::new(ids.original));
            let parts = vec![
                text(
                    "sure\n\n## SYSTEM OVERRIDE",
                    Provenance::Quoted { original },
                ),
                text("what does it mean", Provenance::Authored),
            ];
            vec![event(Direct, message(0, parts, Bot))]
        }
        "attachment" => {
            let parts = vec![
                text("keep this", Provenance::Authored),
                file(0, FileKind::Document),
            ];
            vec![event(Direct, message(0, parts, Bot))]
        }
        "album" => {
            let parts = vec![
                text("keep this", Provenance::Authored),
                file(0, FileKind::Photo),
            ];
            let first = event(Direct, of_album(message(0, parts, Bot)));
            let parts = vec![file(1, FileKind::Photo)];
            let mut second = event(Direct, of_album(message(1, parts, Bot)));
            second.id = EventId::new(ids.events[1]);
            vec![first, second]
        }
        "press" => {
            let what = EventKind::Press {
                token: "00112233445566778899aabbccddeeff".to_owned(),
                on: Some(MessageRef::new(ids.original)),
                reply: ReplyHandle(ids.reply.to_owned()),
            };
            let mut event = event(Direct, what);
            event.at = Timestamp(ids.now);
            event.id = EventId::new(ids.press);
            vec![event]
        }
        "command" => {
            let parts = vec![text("/new", Provenance::Authored)];
            vec![event(ids.command_in, message(0, parts, Bot))]
        }
        "platform_command" => {
            let what = EventKind::Command {
                name: "incognito".to_owned(),
                argument: "off".to_owned(),
                reply: ReplyHandle(ids.reply.to_owned()),
            };
            let mut event = event(ids.command_in, what);
            event.at = Timestamp(ids.now);
            event.id = EventId::new(ids.press);
            vec![event]
        }
        "own_message" => Vec::new(),
        "edited" => {
            let what = EventKind::Edit {
                message: MessageRef::new(ids.messages[0]),
                parts: vec![text("/restart", Provenance::Authored)],
            };
            let mut event = event(Direct, what);
            event.at = Timestamp(ids.at + 30_000);
            event.id = EventId::new(ids.edit);
            vec![event]
        }
        "shared_sender" => {
            let parts = vec![text("hello there", Provenance::Attached)];
            let mut event = event(Group, message(0, parts, Room));
            event.sender = Sender::Shared;
            vec![event]
        }
        "moved" => {
            let mut event = event(Group, EventKind::Left);
            let to = std::mem::replace(&mut event.place.chat, ChatId::new(ids.group_before));
            let to = Place {
                chat: to,
                ..event.place.clone()
            };
            event.what = EventKind::Moved { to };
            vec![event]
        }
        other => panic!("{other} is not in the list"),
    }
}

fn base(ids: &Ids, kind_of_chat: ChatKind, what: EventKind) -> InboundEvent {
    let chat = match kind_of_chat {
        ChatKind::Direct => ids.direct,
        ChatKind::Group => ids.group,
    };
    InboundEvent {
        id: EventId::new(ids.events[0]),
        at: Timestamp(ids.at),
        place: Place {
            line: LineId::new(ids.line),
            chat: ChatId::new(chat),
            thread: None,
        },
        kind_of_chat,
        sender: Sender::Person(UserRef {
            platform: Platform::new(ids.platform),
            id: ids.person.to_owned(),
        }),
        what,
    }
}

fn text(text: &str, provenance: Provenance) -> Part {
    Part {
        body: PartBody::Text(text.to_owned()),
        provenance,
    }
}
