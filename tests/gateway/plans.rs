//! Does the store stay quick with a million rows? No statement of it walks a table that grows.

use std::path::Path;

use regex::Regex;
use rusqlite::Connection;

/// Tables that grow with what is said.
const GROWING: [&str; 11] = [
    "approval",
    "audit",
    "button",
    "conversation",
    "entry",
    "event",
    "fetched",
    "outbox",
    "question",
    "received",
    "started",
];

/// Indexes that hold only what is open, however much there was.
const OPEN: [&str; 8] = [
    "conversation_running",
    "event_open",
    "outbox_held",
    "outbox_unsent",
    "question_open",
    "question_saves",
    "question_unsettled",
    "received_wanted",
];

/// What walks a table all the same: one row of it, a batch, or what a person asks for at the
/// terminal.
const BOUNDED: [&str; 3] = [
    "SELECT hash FROM audit ORDER BY seq DESC LIMIT 1",
    "DELETE FROM event WHERE seq IN (SELECT seq FROM (SELECT seq, at, body FROM event ORDER BY seq LIMIT ?2)",
    "SELECT seq, datetime(at / 1000, 'unixepoch'), what FROM audit",
];

/// Copying a database, and walking its audit, is meant to read all of it.
const WALKS: [&str; 2] = ["backup.rs", "verify.rs"];

#[test]
fn no_statement_of_the_store_walks_a_table_that_grows() {
    let store = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store");
    let database = Connection::open_in_memory().unwrap();
    // What stands on a row is looked for only where one goes for good, which few statements do.
    database.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    for step in files(&store.join("migrations")) {
        let sql = std::fs::read_to_string(step).unwrap();
        database.execute_batch(&sql).unwrap();
    }
    let literal = Regex::new(r#""((?:[^"\\]|\\.)*)""#).unwrap();
    let mut looked_at = 0;
    for file in files(&store) {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        if WALKS.contains(&name.as_str()) {
            continue;
        }
        let source = std::fs::read_to_string(&file).unwrap();
        for found in literal.captures_iter(&source) {
            let sql = found[1].replace("\\\"", "\"");
            let Some(plan) = plan(&database, &sql) else {
                continue;
            };
            looked_at += 1;
            let bounded = BOUNDED
                .iter()
                .any(|known| sql.trim_start().starts_with(known));
            let walks: Vec<&String> = plan.iter().filter(|step| walks(step)).collect();
            assert!(bounded || walks.is_empty(), "{name}: {sql}\n{walks:?}");
        }
    }
    assert!(looked_at > 150, "{looked_at}");
}

/// Whether a step of a plan reads all rows of a table that grows.
fn walks(step: &str) -> bool {
    let mut words = step.split_whitespace();
    let (verb, table) = (words.next(), words.next());
    verb == Some("SCAN")
        && table.is_some_and(|table| GROWING.contains(&table))
        && !OPEN.iter().any(|index| step.contains(index))
}

/// How SQLite would carry a statement out; nothing where it is none, or only a part of one.
fn plan(database: &Connection, sql: &str) -> Option<Vec<String>> {
    let verb = sql.split_whitespace().next()?;
    if !["DELETE", "INSERT", "SELECT", "UPDATE", "WITH"].contains(&verb) {
        return None;
    }
    let mut explained = database
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .ok()?;
    let nothing = vec![rusqlite::types::Null; explained.parameter_count()];
    let steps = explained.query_map(rusqlite::params_from_iter(nothing), |row| row.get(3));
    Some(steps.ok()?.map(Result::unwrap).collect())
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}
