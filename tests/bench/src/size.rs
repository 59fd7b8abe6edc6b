//! How large is the stripped program?

use std::path::Path;

use crate::disk::Disk;
use crate::figure::{Aim, print};

pub fn run(program: &Path) {
    let folder = tempfile::tempdir_in(program.parent().expect("a program lies in a folder"))
        .expect("a folder beside the program");
    let mut disk = Disk::new(folder.path());
    disk.probe(50);
    let bytes = std::fs::metadata(program).expect("a program").len();
    let mib = bytes as f64 / (1 << 20) as f64;
    print("program_size", mib, "MiB", Aim::AtMost(15.0), &disk);
}
