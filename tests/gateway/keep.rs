//! A part of the program that panics begins again, and the others go on.

use std::sync::atomic::{AtomicUsize, Ordering};

use gateway::keep::{Crash, Crashes, caught};

#[tokio::test]
async fn a_part_that_panics_begins_again_until_it_ends_by_itself() {
    let (crashes, begun) = (Crashes::default(), AtomicUsize::new(0));
    let part = || async {
        let before = begun.fetch_add(1, Ordering::Relaxed);
        assert!(before >= 2, "what somebody wrote");
    };
    crashes.keep("the part", part).await;
    assert_eq!(begun.load(Ordering::Relaxed), 3);
    let lines = crashes.lines();
    assert_eq!(lines.len(), 1);
    assert!(
        lines[0].starts_with("the part crashed 2 times and went on, last at "),
        "{lines:?}"
    );
    assert!(!lines[0].contains("what somebody wrote"), "{lines:?}");
}

#[tokio::test]
async fn what_ends_well_is_given_back_and_what_panics_says_where_alone() {
    std::panic::set_hook(Box::new(gateway::writer::note_panic));
    assert_eq!(caught(async { 7 }).await, Ok(7));
    let line = line!() + 1;
    let crash = caught(async { panic!("what somebody wrote") }).await;
    let at = format!("{}:{line}", file!());
    assert_eq!(crash, Err::<(), _>(Crash { at }));
}
