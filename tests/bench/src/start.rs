//! How long from the start to the first answer that all is well?

use std::path::Path;

use crate::disk::Disk;
use crate::figure::{Aim, ms, percentile, print};
use crate::home::Home;

pub async fn run(program: &Path, rounds: usize) {
    let home = Home::new(program, None);
    let mut disk = Disk::new(home.folder());
    let (mut fresh, mut again) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        fresh.push(once(&home).await);
        disk.probe(5);
        again.push(once(&home).await);
        disk.probe(5);
        home.forget();
    }
    for (name, times) in [("start_empty", fresh), ("start_existing", again)] {
        let p50 = percentile(&times, 50);
        print(&format!("{name}_p50"), p50, "ms", Aim::AtMost(10.0), &disk);
        let least = percentile(&times, 1);
        print(&format!("{name}_least"), least, "ms", Aim::None, &disk);
    }
}

async fn once(home: &Home) -> f64 {
    let mut running = home.start();
    let time = home.serving(&mut running).await;
    running.greeted();
    running.kill();
    ms(time)
}
