//! Who is heard where, and as what.

use bot_policy::access::{
    Admission, Directory, Ignored, Incognito, Person, Scope, StrangerAnswered, admit, offers,
};
use bot_policy::event::{
    Addressed, ChatKind, EventKind, Fate, InboundEvent, Part, PartBody, Provenance, ReplyHandle,
    Sender,
};
use bot_policy::id::{ButtonToken, EventId, MessageRef, PersonId, Platform, Timestamp, UserRef};
use bot_policy::tool::Origin;

use crate::world::{guest, owner, place, tool};

use ChatKind::{Direct, Group};

#[test]
fn the_owner_is_served_in_their_own_chat() {
    let admitted = admit(&says(Direct, "hello"), &of(owner(), Direct));
    assert_eq!(admitted, Admission::Serve(owner(), Scope::Owner));
}

#[test]
fn scopes_follow_the_chat_the_person_and_incognito() {
    let hidden = Directory {
        incognito: Incognito::On,
        ..of(owner(), Direct)
    };
    let served = |directory, chat| match admit(&says(chat, "hello"), &directory) {
        Admission::Serve(_, scope) => scope,
        other => panic!("{other:?}"),
    };
    assert_eq!(served(hidden, Direct), Scope::OwnerIncognito);
    assert_eq!(served(of(guest(), Direct), Direct), Scope::Guest);
    assert_eq!(served(of(owner(), Group), Group), Scope::Group);
    assert_eq!(served(of(guest(), Group), Group), Scope::Group);
}

#[test]
fn a_stranger_hears_one_answer_and_then_nothing() {
    assert_eq!(
        admit(&says(Direct, "hello"), &nobody()),
        Admission::Stranger
    );
    assert_eq!(
        admit(&says(Direct, "/help"), &nobody()),
        Admission::Stranger
    );
    let answered = Directory {
        answered: StrangerAnswered::Yes,
        ..nobody()
    };
    assert_eq!(
        admit(&says(Direct, "/help"), &answered),
        ignored(Ignored::Stranger)
    );
}

#[test]
fn f76_where_strangers_are_never_answered_they_hear_nothing_and_a_code_is_still_tried() {
    let silent = Directory {
        answered: StrangerAnswered::Never,
        ..nobody()
    };
    for text in ["hello", "/help", "/start", "/pair"] {
        let admission = admit(&says(Direct, text), &silent);
        assert_eq!(admission, ignored(Ignored::Stranger), "{text}");
    }
    let press = happening(
        Direct,
        EventKind::Press {
            token: "nonsense".to_owned(),
            on: None,
            reply: ReplyHandle("r".to_owned()),
        },
    );
    assert_eq!(admit(&press, &silent), ignored(Ignored::Stranger));
    let code = "ABCD-EFGH".to_owned();
    let tried = admit(&says(Direct, "/pair ABCD-EFGH"), &silent);
    assert_eq!(tried, Admission::Pair { code });
    assert!(silent.hears_nothing());
    let known = Directory {
        sender: Some(owner()),
        ..silent
    };
    assert!(!known.hears_nothing());
}

#[test]
fn strangers_in_groups_hear_nothing() {
    assert_eq!(
        admit(&says(Group, "/help"), &nobody()),
        ignored(Ignored::Stranger)
    );
    let paired = Directory {
        place: Some(PersonId(1)),
        paired_as: Some(Group),
        ..nobody()
    };
    assert_eq!(
        admit(&says(Group, "hello"), &paired),
        ignored(Ignored::Bystander)
    );
}

#[test]
fn in_a_group_only_the_one_who_paired_it_is_heard() {
    let another = Directory {
        sender: Some(guest()),
        ..of(owner(), Group)
    };
    assert_eq!(
        admit(&says(Group, "hello"), &another),
        ignored(Ignored::Bystander)
    );
    assert_eq!(
        admit(&says(Group, "/stop"), &another),
        ignored(Ignored::Bystander)
    );
    assert_eq!(admit(&pressed(Group, TOKEN), &another), wrong_presser());
}

#[test]
fn in_a_group_what_is_said_to_the_room_is_not_heard() {
    let room = message(Group, vec![authored("hello")], Addressed::Room);
    assert_eq!(
        admit(&room, &of(owner(), Group)),
        ignored(Ignored::NotAddressed)
    );
}

#[test]
fn f68_a_direct_pairing_opens_no_group() {
    let turned = of(owner(), Direct);
    assert_eq!(
        admit(&says(Group, "hello"), &turned),
        ignored(Ignored::Stranger)
    );
    assert_eq!(admit(&pressed(Group, TOKEN), &turned), wrong_presser());
    let unknown = Directory {
        paired_as: None,
        ..of(owner(), Direct)
    };
    assert_eq!(admit(&says(Direct, "hello"), &unknown), Admission::Stranger);
}

#[test]
fn a_known_person_in_a_new_chat_has_to_pair_it() {
    let new = Directory {
        place: None,
        paired_as: None,
        ..of(owner(), Direct)
    };
    assert_eq!(admit(&says(Direct, "hello"), &new), Admission::Stranger);
}

#[test]
fn shared_senders_are_never_anybody() {
    for text in ["hello", "/pair ABCD2345", "/start ABCD2345"] {
        let shared = InboundEvent {
            sender: Sender::Shared,
            ..says(Group, text)
        };
        assert_eq!(
            admit(&shared, &of(owner(), Group)),
            ignored(Ignored::Shared)
        );
    }
    let press = InboundEvent {
        sender: Sender::Shared,
        ..pressed(Group, TOKEN)
    };
    assert_eq!(admit(&press, &of(owner(), Group)), wrong_presser());
}

#[test]
fn a_code_is_tried_for_anybody_anywhere() {
    let pair = Admission::Pair {
        code: "ABCD-2345".into(),
    };
    for text in [
        "/pair ABCD-2345",
        "/PAIR  ABCD-2345 ",
        "/start ABCD-2345",
        "/pair@bot ABCD-2345",
    ] {
        for directory in [nobody(), of(owner(), Direct)] {
            assert_eq!(admit(&says(Direct, text), &directory), pair, "{text}");
        }
        let room = message(Group, vec![authored(text)], Addressed::Room);
        assert_eq!(admit(&room, &nobody()), pair, "{text}");
    }
    let event = happening(
        Direct,
        EventKind::Command {
            name: "pair".into(),
            argument: " ABCD-2345 ".into(),
            reply: reply(),
        },
    );
    assert_eq!(admit(&event, &nobody()), pair);
}

#[test]
fn a_group_is_claimed_by_a_known_person_without_a_code() {
    let unpaired = |sender: Option<Person>| Directory { sender, ..nobody() };
    for person in [owner(), guest()] {
        let admitted = admit(&says(Group, "/pair"), &unpaired(Some(person.clone())));
        assert_eq!(admitted, Admission::Claim(person));
    }
    assert_eq!(
        admit(&says(Group, "/pair"), &unpaired(None)),
        ignored(Ignored::Stranger)
    );
    let taken = Directory {
        sender: Some(guest()),
        ..of(owner(), Group)
    };
    assert_eq!(
        admit(&says(Group, "/pair"), &taken),
        ignored(Ignored::Bystander)
    );
    assert_eq!(
        admit(&says(Direct, "/pair"), &unpaired(Some(owner()))),
        Admission::Stranger
    );
}

#[test]
fn a_code_that_is_not_the_senders_own_words_pairs_nobody() {
    let forwarded = vec![part("/pair ABCD2345", Provenance::Forwarded)];
    let event = message(Direct, forwarded, Addressed::Bot);
    assert_eq!(admit(&event, &nobody()), Admission::Stranger);
}

#[test]
fn what_holds_nothing_is_not_answered() {
    for parts in [vec![], vec![authored(" ")]] {
        let event = message(Direct, parts, Addressed::Bot);
        assert_eq!(admit(&event, &nobody()), ignored(Ignored::Empty));
    }
    let delivery = EventKind::Delivery {
        message: MessageRef::new("1"),
        key: None,
        fate: Fate::Arrived,
    };
    let delivery = happening(Direct, delivery);
    assert_eq!(admit(&delivery, &nobody()), ignored(Ignored::Empty));
    let left = happening(Direct, EventKind::Left);
    assert_eq!(admit(&left, &nobody()), ignored(Ignored::Empty));
    let moved = happening(Direct, EventKind::Moved { to: place("new") });
    assert_eq!(admit(&moved, &nobody()), ignored(Ignored::Empty));
}

#[test]
fn a_press_counts_only_with_one_of_our_tokens_by_the_one_whose_place_it_is() {
    let admitted = admit(&pressed(Direct, TOKEN), &of(owner(), Direct));
    assert_eq!(
        admitted,
        Admission::Press {
            person: owner(),
            token: ButtonToken::try_from(TOKEN.to_owned()).unwrap(),
            on: None,
            reply: reply(),
        }
    );
    assert_eq!(
        admit(&pressed(Direct, "approve"), &of(owner(), Direct)),
        wrong_presser()
    );
    assert_eq!(admit(&pressed(Direct, TOKEN), &nobody()), wrong_presser());
}

#[test]
fn tools_are_offered_by_place() {
    let offered = |scope| {
        ["files", "memory", "web", "coder", "ask", "email"]
            .into_iter()
            .filter(|name| offers(scope, &tool(name, vec![])))
            .collect::<Vec<_>>()
    };
    assert_eq!(offered(Scope::Guest), ["memory", "web"]);
    assert_eq!(offered(Scope::Group), ["memory", "web"]);
    assert_eq!(offered(Scope::OwnerIncognito), ["web"]);
    assert_eq!(offered(Scope::Owner).len(), 6);
    let mut posing = tool("memory", vec![]);
    posing.origin = Origin::Server {
        name: "s".into(),
        digest: "d".into(),
    };
    assert!(!offers(Scope::Guest, &posing) && offers(Scope::Owner, &posing));
}

const TOKEN: &str = "000102030405060708090a0b0c0d0e0f";

pub fn nobody() -> Directory {
    Directory {
        sender: None,
        place: None,
        incognito: Incognito::Off,
        answered: StrangerAnswered::No,
        paired_as: None,
    }
}

pub fn of(person: Person, paired_as: ChatKind) -> Directory {
    Directory {
        place: Some(person.id),
        sender: Some(person),
        paired_as: Some(paired_as),
        ..nobody()
    }
}

pub fn happening(kind_of_chat: ChatKind, what: EventKind) -> InboundEvent {
    InboundEvent {
        id: EventId::new("1"),
        at: Timestamp(0),
        place: place("chat"),
        kind_of_chat,
        sender: Sender::Person(UserRef {
            platform: Platform::new("web"),
            id: "7".into(),
        }),
        what,
    }
}

pub fn message(chat: ChatKind, parts: Vec<Part>, addressed: Addressed) -> InboundEvent {
    happening(
        chat,
        EventKind::Message {
            message: MessageRef::new("1"),
            parts,
            addressed,
            album: None,
        },
    )
}

pub fn says(chat: ChatKind, text: &str) -> InboundEvent {
    message(chat, vec![authored(text)], Addressed::Bot)
}

fn pressed(chat: ChatKind, token: &str) -> InboundEvent {
    happening(
        chat,
        EventKind::Press {
            token: token.into(),
            on: None,
            reply: reply(),
        },
    )
}

pub fn authored(text: &str) -> Part {
    part(text, Provenance::Authored)
}

pub fn part(text: &str, provenance: Provenance) -> Part {
    Part {
        body: PartBody::Text(text.into()),
        provenance,
    }
}

fn reply() -> ReplyHandle {
    ReplyHandle("r".into())
}

pub fn ignored(why: Ignored) -> Admission {
    Admission::Ignore(why)
}

fn wrong_presser() -> Admission {
    Admission::WrongPresser { reply: reply() }
}

#[test]
fn the_page_that_we_have_for_each_person_shows_the_owner_alone_what_waits() {
    let opened = || EventKind::Opened {
        reply: ReplyHandle("r".to_owned()),
    };
    let admitted = |directory| admit(&happening(Direct, opened()), &directory);
    assert_eq!(
        admitted(of(owner(), Direct)),
        Admission::Opened(Some(owner()))
    );
    assert_eq!(admitted(of(guest(), Direct)), Admission::Opened(None));
    assert_eq!(admitted(nobody()), Admission::Opened(None));
    let shared = InboundEvent {
        sender: Sender::Shared,
        ..happening(Direct, opened())
    };
    assert_eq!(
        admit(&shared, &of(owner(), Direct)),
        ignored(Ignored::Shared)
    );
}
