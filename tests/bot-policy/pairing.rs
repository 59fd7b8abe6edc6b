//! Codes, and what a wrong one costs.

use std::collections::BTreeSet;

use bot_policy::event::ChatKind::{Direct, Group};
use bot_policy::id::Timestamp;
use bot_policy::pairing::{
    Code, CodeHash, CodeRole, LiveCodes, Redemption, StoredCode, Tries, redeem, shown_in,
};
use proptest::prelude::*;

const NOW: Timestamp = Timestamp(1_000);

proptest! {
    #[test]
    fn a_code_is_read_as_it_was_shown(bytes in any::<[u8; 8]>()) {
        let code = Code::from_random(bytes);
        let shown = code.reveal().to_owned();
        prop_assert_eq!(shown.len(), 8);
        prop_assert!(!shown.contains(['0', 'O', '1', 'I', 'L', 'U']));
        let (head, tail) = shown.split_at(4);
        let typed = format!(" {}-{} ", head.to_lowercase(), tail);
        prop_assert_eq!(Code::parse(&typed), Some(code));
    }
}

#[test]
fn what_is_no_code_is_not_read() {
    for text in [
        "",
        "ABCD234",
        "ABCD23456",
        "ABCD2340",
        "ABCD234\u{ff12}",
        "ABCD_2345",
    ] {
        assert_eq!(Code::parse(text), None, "{text}");
    }
}

#[test]
fn codes_differ_and_only_their_hash_is_stored() {
    let hashes: BTreeSet<String> = (0..1000_u64)
        .map(|n| Code::from_random(n.to_le_bytes()).hash().0)
        .collect();
    assert_eq!(hashes.len(), 1000);
    assert!(hashes.iter().all(|hash| hash.len() == 64));
    assert_eq!(format!("{:?}", Code::from_random([1; 8])), "Code(..)");
}

#[test]
fn f73_a_right_code_in_a_direct_chat_pairs_under_its_role() {
    let live = [stored("ABCD2345", owner()), stored("WXYZ6789", bob())];
    assert_eq!(
        tried("wxyz-6789", &live, Tries::default()),
        Redemption::Paired(hash("WXYZ6789"), bob())
    );
    assert_eq!(
        tried("abcd 2345", &live, Tries::default()),
        Redemption::Paired(hash("ABCD2345"), owner())
    );
}

#[test]
fn a_wrong_or_ended_code_pairs_nobody() {
    let ended = StoredCode {
        ends_at: NOW,
        ..stored("ABCD2345", owner())
    };
    let live = [ended, stored("WXYZ6789", bob())];
    for typed in ["ABCD2345", "ABCD2346", "", "hello"] {
        assert_eq!(
            tried(typed, &live, Tries::default()),
            wrong(LiveCodes::Stand),
            "{typed}"
        );
    }
}

#[test]
fn f72_five_wrong_tries_silence_a_sender_and_twenty_void_all() {
    let live = [stored("ABCD2345", owner())];
    let tries = |by_sender, in_all| Tries { by_sender, in_all };
    assert_eq!(
        tried("WXYZ6789", &live, tries(4, 4)),
        wrong(LiveCodes::Stand)
    );
    assert_eq!(tried("ABCD2345", &live, tries(5, 5)), Redemption::Silenced);
    assert_eq!(
        tried("WXYZ6789", &live, tries(0, 18)),
        wrong(LiveCodes::Stand)
    );
    assert_eq!(
        tried("WXYZ6789", &live, tries(0, 19)),
        wrong(LiveCodes::Void)
    );
    assert_eq!(
        tried("ABCD2345", &live, tries(0, 20)),
        wrong(LiveCodes::Void)
    );
}

#[test]
fn a_code_shown_to_a_group_is_burnt_whoever_shows_it() {
    let live = [stored("ABCD2345", owner())];
    let tried = |typed, tries| redeem(typed, &live, tries, Group, NOW);
    let silenced = Tries {
        by_sender: 9,
        in_all: 9,
    };
    assert_eq!(
        tried("ABCD2345", Tries::default()),
        Redemption::Burnt(hash("ABCD2345"))
    );
    assert_eq!(
        tried("ABCD2345", silenced),
        Redemption::Burnt(hash("ABCD2345"))
    );
    assert_eq!(tried("WXYZ6789", Tries::default()), wrong(LiveCodes::Stand));
    assert_eq!(
        tried("ABCD2345 please", Tries::default()),
        Redemption::Burnt(hash("ABCD2345"))
    );
}

#[test]
fn a_code_is_seen_anywhere_in_a_text() {
    let live = [stored("ABCD2345", owner()), stored("WXYZ6789", bob())];
    for text in [
        "ABCD2345",
        "my code is abcd-2345, ok?",
        "https://example.org/bot?start=ABCD2345",
        "A B C D 2 3 4 5",
        "XXABCD2345XX",
    ] {
        assert_eq!(shown_in(text, &live, NOW), [hash("ABCD2345")], "{text}");
    }
    let both = shown_in("ABCD2345 and WXYZ6789 and ABCD2345", &live, NOW);
    assert_eq!(both, [hash("ABCD2345"), hash("WXYZ6789")]);
    assert_eq!(shown_in("ABCD 0 2345", &live, NOW), []);
    assert_eq!(shown_in("ABCD2345", &[], NOW), []);
}

fn tried(typed: &str, live: &[StoredCode], tries: Tries) -> Redemption {
    redeem(typed, live, tries, Direct, NOW)
}

fn stored(code: &str, role: CodeRole) -> StoredCode {
    StoredCode {
        hash: hash(code),
        role,
        ends_at: NOW.plus_seconds(1),
    }
}

fn hash(code: &str) -> CodeHash {
    Code::parse(code).unwrap().hash()
}

fn owner() -> CodeRole {
    CodeRole::Owner
}

fn bob() -> CodeRole {
    CodeRole::Guest { name: "Bob".into() }
}

fn wrong(live_codes: LiveCodes) -> Redemption {
    Redemption::Wrong { live_codes }
}
