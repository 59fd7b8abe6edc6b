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
