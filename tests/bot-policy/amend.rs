//! Who may change or take back what was said?

use bot_policy::access::{Admission, Ignored, admit};
use bot_policy::event::{ChatKind, EventKind, Sender};
use bot_policy::id::{MessageRef, PersonId};

use crate::access::{authored, happening, ignored, nobody, of};
use crate::world::owner;

use ChatKind::{Direct, Group};

#[test]
fn edits_and_deletions_run_nothing_and_only_their_person_makes_them() {
    let edit = || EventKind::Edit {
        message: MessageRef::new("1"),
        parts: vec![authored("/pair ABCD2345")],
    };
    let delete = || EventKind::Delete {
        message: MessageRef::new("1"),
    };
    for (kind, what) in [
        (Direct, edit()),
        (Direct, delete()),
        (Group, edit()),
        (Group, delete()),
    ] {
        let shared_may = kind == Direct && matches!(what, EventKind::Delete { .. });
        let mut event = happening(kind, what);
        assert_eq!(admit(&event, &of(owner(), kind)), Admission::Amend);
        let edited = ignored(Ignored::Edited);
        assert_eq!(admit(&event, &nobody()), edited, "{event:?}");
        let mut others = of(owner(), kind);
        others.place = Some(PersonId(99));
        assert_eq!(admit(&event, &others), edited, "{event:?}");
        // Nobody says who did it: in a direct chat only one person can have deleted something.
        event.sender = Sender::Shared;
        let mut shared = of(owner(), kind);
        shared.sender = None;
        let admitted = admit(&event, &shared);
        assert_eq!(admitted == Admission::Amend, shared_may, "{event:?}");
        shared.place = None;
        assert_ne!(admit(&event, &shared), Admission::Amend, "{event:?}");
    }
}
