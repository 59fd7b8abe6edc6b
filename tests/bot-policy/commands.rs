//! Commands: where they are read from, and which a place has.

use bot_policy::access::{
    Admission, Command, Directory, Incognito, Person, Scope, admit, commands,
};
use bot_policy::event::{Addressed, ChatKind, Provenance};

use crate::access::{message, of, part, says};
use crate::world::{guest, owner};

use ChatKind::{Direct, Group};

#[test]
fn commands_are_read_only_from_one_authored_text_that_is_the_whole_message() {
    let stop = part("/stop", Provenance::Authored);
    let others = [
        Provenance::Attached,
        Provenance::Forwarded,
        Provenance::Previewed,
        Provenance::Quoted { original: None },
        Provenance::Unmarked,
    ];
    for provenance in others {
        let alone = message(
            Direct,
            vec![part("/stop", provenance.clone())],
            Addressed::Bot,
        );
        assert_eq!(
            admit(&alone, &of(owner(), Direct)),
            Admission::Serve(owner(), Scope::Owner)
        );
        let beside = vec![stop.clone(), part("x", provenance)];
        let beside = message(Direct, beside, Addressed::Bot);
        assert_eq!(
            admit(&beside, &of(owner(), Direct)),
            Admission::Serve(owner(), Scope::Owner)
        );
    }
    for text in [" /stop", "please /stop", "/usr/bin/stop", "/", "/ stop"] {
        let admitted = admit(&says(Direct, text), &of(owner(), Direct));
        assert_eq!(admitted, Admission::Serve(owner(), Scope::Owner), "{text}");
    }
}

#[test]
fn each_scope_has_its_commands_and_no_others() {
    let own = |person: Person, chat, incognito, name: &str| {
        let directory = Directory {
            incognito,
            ..of(person, chat)
        };
        match admit(&says(chat, &format!("/{name}")), &directory) {
            Admission::Command(_, scope, command) => (scope, command),
            other => panic!("{other:?}"),
        }
    };
    let owners = ["link", "unlink", "policy", "rules", "status", "incognito"];
    for name in ["new", "stop", "why", "help", "unpair", "start"] {
        for (person, chat) in [(owner(), Direct), (guest(), Direct), (owner(), Group)] {
            let (_, command) = own(person, chat, Incognito::Off, name);
            assert!(!matches!(command, Command::NotHere { .. }), "{name}");
        }
    }
    for name in owners {
        let not_here = Command::NotHere { name: name.into() };
        let (_, command) = own(owner(), Direct, Incognito::Off, name);
        assert_ne!(command, not_here);
        assert_eq!(
            own(guest(), Direct, Incognito::Off, name),
            (Scope::Guest, not_here.clone())
        );
        assert_eq!(
            own(owner(), Group, Incognito::Off, name),
            (Scope::Group, not_here.clone())
        );
        if name != "incognito" {
            let (_, command) = own(owner(), Direct, Incognito::On, name);
            assert_eq!(command, not_here);
        }
    }
    let (_, command) = own(owner(), Direct, Incognito::On, "incognito off");
    assert_eq!(
        command,
        Command::Incognito {
            argument: "off".into()
        }
    );
    let (_, command) = own(owner(), Direct, Incognito::Off, "start");
    assert_eq!(command, Command::Help);
    let (_, command) = own(owner(), Direct, Incognito::Off, "approve");
    assert_eq!(
        command,
        Command::NotHere {
            name: "approve".into()
        }
    );
}

#[test]
fn menus_list_what_can_be_typed() {
    let names = |scope| {
        commands(scope)
            .into_iter()
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
    };
    let five = ["new", "stop", "why", "help", "unpair"];
    assert_eq!(names(Scope::Guest), five);
    assert_eq!(names(Scope::Group), [&five[..], &["pair"]].concat());
    let owners = ["link", "unlink", "policy", "rules", "status", "incognito"];
    assert_eq!(names(Scope::Owner), [&five[..], &owners].concat());
    assert_eq!(
        names(Scope::OwnerIncognito),
        [&five[..], &["incognito"]].concat()
    );
}
