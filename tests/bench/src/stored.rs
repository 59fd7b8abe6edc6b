//! Is everything as quick with a database that is full? Rows as the program makes them, put there by
//! SQL while it does not run, then the usual figures once more.

use std::path::Path;
use std::time::Instant;

use rusqlite::{Connection, params};

use crate::disk::Disk;
use crate::figure::{Aim, add_to_names, ms, print};
use crate::person::{Paired, paired};
use crate::{card, latency};

/// Fills the database with so many messages, half of them in the running conversation, which was
/// not quiet for long.
pub async fn run(program: &Path, messages: usize) {
    let paired = paired(program).await;
    paired.ask("hello").await;
    paired.quiet().await;
    let Paired {
        fake,
        anna,
        home,
        running,
    } = paired;
    running.kill();
    fill(&home.database(), messages);
    let mut disk = Disk::new(home.folder());
    disk.probe(50);
    add_to_names(&format!("_with_{messages}_stored"));
    let begun = Instant::now();
    let mut running = home.start();
    home.serving(&mut running).await;
    print(
        "start_existing",
        ms(begun.elapsed()),
        "ms",
        Aim::None,
        &disk,
    );
    let paired = Paired {
        fake,
        anna,
        home,
        running,
    };
    latency::measure(&paired, 200).await;
    card::measure(&paired, 30).await;
    print("rss", paired.running.memory("Rss"), "MiB", Aim::None, &disk);
}

fn fill(database: &Path, messages: usize) {
    let database = Connection::open(database).expect("the program's database");
    let messages = i64::try_from(messages).expect("a count");
    let steps = [
        // Ended conversations of forty messages each, and the running one.
        "INSERT INTO conversation (bot, person, place, kind, taint, mode, incognito, since, ended)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 / 80)
         SELECT c.bot, c.person, c.place, c.kind, c.taint, c.mode, c.incognito, c.since, c.since FROM n, conversation AS c WHERE c.id = 1",
        "INSERT INTO entry (conversation, seq, at, body, open, message)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 / 4)
         SELECT 1 + (i - 1) / 20 + 1, 2 * (i % 20) + 1, 1, '{\"Person\":{\"parts\":[],\"message\":\"' || i || '\",\"typed\":[]}}', 1, '0/' || i FROM n
         WHERE 1 + (i - 1) / 20 + 1 IN (SELECT id FROM conversation)",
        "INSERT INTO entry (conversation, seq, at, body, open)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 / 4)
         SELECT 1 + (i - 1) / 20 + 1, 2 * (i % 20) + 2, 1, '{\"Model\":{\"text\":\"I heard you. I understand a few words only, and this is one line of them.\",\"calls\":[],\"seen\":1}}', 0 FROM n
         WHERE 1 + (i - 1) / 20 + 1 IN (SELECT id FROM conversation)",
        "INSERT INTO entry (conversation, seq, at, body, open, message)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 / 4), last (seq) AS (SELECT max(seq) FROM entry WHERE conversation = 1)
         SELECT 1, last.seq + 2 * i - 1, unixepoch() * 1000, '{\"Person\":{\"parts\":[],\"message\":\"r' || i || '\",\"typed\":[]}}', 1, '0/r' || i FROM n, last",
        "INSERT INTO entry (conversation, seq, at, body, open)
         SELECT 1, seq + 1, unixepoch() * 1000, '{\"Model\":{\"text\":\"I heard you.\",\"calls\":[],\"seen\":' || seq || '}}', 0 FROM entry
         WHERE conversation = 1 AND message LIKE '0/r%' AND ?1 > 0",
        "INSERT INTO event (line, id, content, at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
         SELECT 'telegram', 'old' || i, '7001/old' || i || '/message', unixepoch() * 1000 FROM n",
        "INSERT INTO outbox (place, conversation, kind, encoded, state, due, message, at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 / 2)
         SELECT 1, 1, 'message', '{\"text\":\"I heard you. I understand a few words only.\"}', 'sent', 1, '1/old' || i, unixepoch() * 1000 FROM n",
        "INSERT INTO question (conversation, call, place, body, card, put_to, state, asked_at, ends_at, closed_at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 / 20)
         SELECT 1, '0.' || i, 1, '{}', '{}', 1, '\"Done\"', 1, 1, 1 FROM n",
        "INSERT INTO started (conversation, call, at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 / 20)
         SELECT 1, '0.' || i, 1 FROM n",
    ];
    database
        .execute_batch("PRAGMA synchronous = OFF; BEGIN")
        .expect("a transaction");
    for step in steps {
        database.execute(step, params![messages]).expect(step);
    }
    database
        .execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
        .expect("a full database");
}
