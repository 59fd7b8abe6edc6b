//! How many updates does a door take in a second, and how soon is each acknowledged? Each is durable
//! before it is.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::disk::Disk;
use crate::figure::{Aim, percentile, print};
use crate::person::{Paired, with_door};
use crate::stored::fill;
use crate::wire::{Load, knock, load, update};

/// Sends so many updates for each number of connections; false when one that was acknowledged is
/// not there.
pub async fn run(program: &Path, updates: usize) -> bool {
    measure(&with_door(program).await, updates, "").await
}

/// As [`run`], with a database that holds a million messages.
pub async fn stored(program: &Path, updates: usize) -> bool {
    let paired = with_door(program).await;
    paired.say_and_hear().await;
    let paired = paired
        .restarted(|home| fill(&home.database(), 1_000_000))
        .await;
    measure(&paired, updates, "_with_1000000_stored").await
}

async fn measure(paired: &Paired, updates: usize, ending: &str) -> bool {
    let name = |what: &str| format!("webhooks_{what}{ending}");
    let (at, secret) = door(paired);
    let mut disk = Disk::new(paired.home.folder());
    disk.probe(200);
    let before = paired.running.memory("Rss");
    print(&name("rss_before"), before, "MiB", Aim::None, &disk);
    let mut next = FIRST;
    let mut taken = 0;
    for connections in [1, 16, 64, 256] {
        let share = i64::try_from(updates / if connections == 1 { 8 } else { 1 }).expect("a count");
        let right = secret.clone();
        let request = move |id| knock(&right, &update(id));
        let load = load(at, connections, next..next + share, 200, request).await;
        next += share;
        taken += load.answered.len();
        tell(&load, connections, ending, &disk);
        disk.probe(20);
    }
    let wrong = move |id| knock("wrong", &update(id));
    let many = i64::try_from(updates * 2).expect("a count");
    let refused = load(at, 64, 0..many, 401, wrong).await;
    print(
        &name("refused_64"),
        refused.per_second(),
        "per_s",
        Aim::AtLeast(70_000.0),
        &disk,
    );
    let after = paired.running.memory("Rss");
    print(&name("rss_after"), after, "MiB", Aim::AtMost(24.0), &disk);
    let there = kept(&paired.home.database()).0;
    if there != taken {
        eprintln!("bench: {taken} updates were acknowledged and {there} are there");
    }
    there == taken
}

fn tell(load: &Load, connections: usize, ending: &str, disk: &Disk) {
    let (many, last) = match connections {
        1 => (Aim::AtLeast(3_000.0), Aim::AtMost(1.0)),
        64 => (Aim::AtLeast(25_000.0), Aim::AtMost(10.0)),
        _ => (Aim::None, Aim::None),
    };
    let name = |what| format!("webhooks_{what}_{connections}{ending}");
    print(&name("accepted"), load.per_second(), "per_s", many, disk);
    let times = &load.times;
    print(
        &name("ack_p50"),
        percentile(times, 50),
        "ms",
        Aim::None,
        disk,
    );
    print(&name("ack_p99"), percentile(times, 99), "ms", last, disk);
}

/// Kills the program in the middle of a load, so many times; false when an acknowledged update is
/// not there after the restart, or is there twice.
pub async fn kill(program: &Path, rounds: usize) -> bool {
    let mut paired = with_door(program).await;
    let mut disk = Disk::new(paired.home.folder());
    let (mut next, mut acknowledged, mut lost) = (FIRST, 0, 0);
    for round in 0..rounds {
        let (at, secret) = door(&paired);
        let process = paired.running.id();
        let wait = Duration::from_millis(40 + 37 * (round as u64 % 7));
        let killer = std::thread::spawn(move || {
            std::thread::sleep(wait);
            let _ = std::process::Command::new("kill")
                .args(["-9", &process.to_string()])
                .status();
        });
        let request = move |id| knock(&secret, &update(id));
        let load = load(at, 64, next..next + 1_000_000, 200, request).await;
        killer.join().expect("a thread that ends");
        paired = paired.restarted(|_| ()).await;
        let database = Connection::open(paired.home.database()).expect("the program's database");
        let mut found = database
            .prepare("SELECT count(*) FROM event WHERE id = ?1 OR content = ?2")
            .expect("a table of events");
        for id in &load.answered {
            let content = format!("-1001/{id}/message");
            let there = found.query_row((format!("u{id}"), content), |row| row.get(0));
            let there: i64 = there.expect("a count");
            lost += usize::from(there != 1);
        }
        acknowledged += load.answered.len();
        next += 1_000_000;
        disk.probe(2);
    }
    let count = |name: &str, value: usize| print(name, value as f64, "count", Aim::None, &disk);
    count("webhooks_kill_rounds", rounds);
    count("webhooks_kill_acknowledged", acknowledged);
    count("webhooks_kill_lost_or_doubled", lost);
    if acknowledged == 0 {
        eprintln!("bench: nothing was acknowledged before the program was killed");
    }
    lost == 0 && acknowledged > 0
}

/// Where the door is, and its secret.
pub fn door(paired: &Paired) -> (SocketAddr, String) {
    let secret = paired.fake.webhook_secret().expect("a registered door");
    (paired.home.doors, secret)
}

/// How many events are there of those that were made up here.
pub fn kept(database: &Path) -> (usize, usize) {
    let database = Connection::open(database).expect("the program's database");
    let count = |of: &str| -> usize {
        let count: i64 = database
            .query_row(of, [], |row| row.get(0))
            .expect("a count");
        usize::try_from(count).expect("a count")
    };
    (
        count("SELECT count(*) FROM event WHERE content LIKE '-1001/%'"),
        count("SELECT count(*) FROM event"),
    )
}

/// The first made-up id; those of the fake are far below.
const FIRST: i64 = 100_000_000;
