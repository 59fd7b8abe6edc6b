//! How much memory does it hold when nothing happens and both adapters are connected?

use std::path::Path;
use std::time::Duration;

use crate::disk::Disk;
use crate::figure::{Aim, print};
use crate::person::paired;

pub async fn run(program: &Path) {
    let paired = paired(program).await;
    let mut disk = Disk::new(paired.home.folder());
    disk.probe(50);
    paired.ask("hello").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let held = |field| paired.running.memory(field);
    let (rss, pss) = (held("Rss"), held("Pss"));
    print("idle_rss", rss, "MiB", Aim::AtMost(12.0), &disk);
    print("idle_pss", pss, "MiB", Aim::AtMost(12.0), &disk);
    print("idle_anonymous", held("Anonymous"), "MiB", Aim::None, &disk);
}

/// How much does it hold after many messages? Printed at each power of ten, and at the end.
pub async fn soak(program: &Path, messages: usize) {
    let paired = paired(program).await;
    let mut disk = Disk::new(paired.home.folder());
    disk.probe(50);
    for n in 1..=messages {
        paired.ask("hello").await;
        let round = n.ilog10() > (n - 1).checked_ilog10().unwrap_or(0) && n >= 1_000;
        if round || n == messages {
            tokio::time::sleep(Duration::from_secs(2)).await;
            let rss = paired.running.memory("Rss");
            print(&format!("rss_after_{n}"), rss, "MiB", Aim::None, &disk);
        }
    }
}
