//! How long does this disk take to make 4 KiB durable? Nothing that is durable can be faster.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use crate::figure::{ms, percentile};

/// A file beside the program's data, and how long it took to sync it.
pub struct Disk {
    file: File,
    times: Vec<f64>,
}

impl Disk {
    /// Makes the file, large enough that later writes only overwrite.
    pub fn new(folder: &Path) -> Self {
        let path = folder.join("sync-probe");
        let file = OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .open(path)
            .expect("a file beside the data");
        file.write_all_at(&vec![0; PAGE * PAGES], 0)
            .and_then(|()| file.sync_all())
            .expect("room for the probe");
        Self {
            file,
            times: Vec::new(),
        }
    }

    /// Overwrites one page and waits until it is durable, a few times.
    pub fn probe(&mut self, times: usize) {
        for _ in 0..times {
            let at = (self.times.len() % PAGES * PAGE) as u64;
            let begun = Instant::now();
            self.file
                .write_all_at(&[self.times.len() as u8; PAGE], at)
                .and_then(|()| self.file.sync_data())
                .expect("a probe that can be written");
            self.times.push(ms(begun.elapsed()));
        }
    }

    /// The time below which so many of a hundred syncs lie, in milliseconds.
    pub fn at(&self, percent: usize) -> f64 {
        percentile(&self.times, percent)
    }
}

const PAGE: usize = 4096;
const PAGES: usize = 64;
