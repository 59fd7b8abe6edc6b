//! Is anything lost when the disk is full, or breaks, at any one write or sync? Each round starts the
//! program with the next call failing, says a thing, kills it and starts it whole; at the end every
//! word must be stored, once, and answered.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::disk::Disk;
use crate::figure::{Aim, print};
use crate::kill::{kept, replies, settled};
use crate::person::{Paired, paired};

/// What fails, and how.
const FAULTS: [(&str, &str); 4] = [
    ("pwrite64", "ENOSPC"),
    ("pwrite64", "EIO"),
    ("fsync,fdatasync", "EIO"),
    ("ftruncate,fallocate", "ENOSPC"),
];

/// Lets each kind of call fail at each of its first `calls`; false when something was lost.
pub async fn run(program: &Path, calls: usize) -> bool {
    if !can_trace() {
        eprintln!("bench: broken: not run, as this system does not let strace trace");
        return true;
    }
    let mut paired = paired(program).await;
    let mut disk = Disk::new(paired.home.folder());
    disk.probe(50);
    let (mut said, mut refused) = (0, 0);
    for (call, error) in FAULTS {
        for nth in 1..=calls {
            let Paired {
                fake,
                anna,
                home,
                running,
            } = paired;
            running.kill();
            fake.private_message(anna, &format!("read round {said} end.txt"));
            said += 1;
            let mut running = home.start_failing(call, error, nth);
            match home.serves(&mut running).await {
                Some(_) => tokio::time::sleep(std::time::Duration::from_millis(150)).await,
                // It may refuse to start on such a disk.
                None => refused += 1,
            }
            running.kill();
            let mut running = home.start();
            home.serving(&mut running).await;
            paired = Paired {
                fake,
                anna,
                home,
                running,
            };
        }
    }
    let settled = settled(&paired).await;
    let kept = kept(&paired.home.database());
    let shown = paired.fake.messages(paired.anna.direct());
    let shown: Vec<String> = shown.into_iter().map(|shown| shown.text).collect();
    let (doubled, missing) = replies(&kept.replies, &shown);
    let unknown = shown
        .iter()
        .filter(|text| text.contains("may not have arrived"));
    let unknown = unknown.count();
    let count = |name: &str, value: usize| print(name, value as f64, "count", Aim::None, &disk);
    count("broken_calls", said);
    count("broken_starts_refused", refused);
    count("broken_words_stored", kept.words);
    count("broken_words_stored_twice", kept.twice);
    count("broken_replies_doubled", doubled);
    count("broken_replies_missing", missing);
    count("broken_deliveries_reported_unknown", unknown);
    let whole = settled
        && kept.sound
        && kept.words == said
        && kept.twice == 0
        && doubled == 0
        && missing <= unknown;
    if !whole {
        eprintln!("bench: something was lost on a broken disk (all heard: {settled})");
    }
    whole
}

fn can_trace() -> bool {
    let tried = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "true"])
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success())
}
