//! How is a figure printed? One JSON line.

use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};

use crate::disk::Disk;

/// What a figure should be at most.
#[derive(Clone, Copy)]
pub enum Aim {
    /// So much, or more.
    AtLeast(f64),
    /// So much.
    AtMost(f64),
    /// Told for what it is.
    None,
}

static ADDED: OnceLock<String> = OnceLock::new();

/// From now on the name of each figure ends in this.
pub fn add_to_names(ending: &str) {
    ADDED.get_or_init(|| ending.to_owned());
}

/// Prints a figure with the disk's sync times of the same run.
pub fn print(name: &str, value: f64, unit: &str, aim: Aim, disk: &Disk) {
    let aim = match aim {
        Aim::AtLeast(aim) | Aim::AtMost(aim) => json!(aim),
        Aim::None => Value::Null,
    };
    let line = json!({
        "name": format!("{name}{}", ADDED.get().map_or("", |ending| ending)),
        "value": rounded(value),
        "unit": unit,
        "aim": aim,
        "disk_sync_p50_ms": rounded(disk.at(50)),
        "disk_sync_p99_ms": rounded(disk.at(99)),
    });
    println!("{line}");
}

/// Milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The value below which so many of a hundred lie; 0 of nothing.
pub fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let rank = (values.len() * percent).div_ceil(100).max(1);
    values.get(rank - 1).copied().unwrap_or(0.0)
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
