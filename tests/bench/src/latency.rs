//! How long from the update that Telegram hands out to the reply that arrives there? Two commits
//! lie between: what was heard, and what is said.

use std::path::Path;

use crate::disk::Disk;
use crate::figure::{Aim, percentile, print};
use crate::person::{Paired, paired};

pub async fn run(program: &Path, messages: usize) {
    measure(&paired(program).await, messages).await;
}

/// As [`run`], with a program that runs already.
pub async fn measure(paired: &Paired, messages: usize) {
    let mut disk = Disk::new(paired.home.folder());
    for _ in 0..20 {
        paired.ask("hello").await;
        paired.quiet().await;
    }
    let mut times = Vec::new();
    for n in 0..messages {
        times.push(paired.ask("hello").await);
        paired.quiet().await;
        if n % 4 == 0 {
            disk.probe(1);
        }
    }
    let p50 = percentile(&times, 50);
    print("update_to_reply_p50", p50, "ms", Aim::AtMost(1.0), &disk);
    let p99 = percentile(&times, 99);
    print("update_to_reply_p99", p99, "ms", Aim::AtMost(2.0), &disk);
    let syncs = p50 / disk.at(50).max(f64::MIN_POSITIVE);
    print(
        "update_to_reply_p50_in_syncs",
        syncs,
        "syncs",
        Aim::None,
        &disk,
    );

    let back_to_back = messages.div_ceil(4);
    let mut times = Vec::new();
    for _ in 0..back_to_back {
        times.push(paired.ask("hello").await);
    }
    let p50 = percentile(&times, 50);
    print("update_to_reply_busy_p50", p50, "ms", Aim::None, &disk);
}
