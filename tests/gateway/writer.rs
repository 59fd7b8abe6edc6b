//! A transaction that fails or panics is undone alone, and the writing thread lives on.

use gateway::writer::{WriteError, Writer};
use rusqlite::Connection;

fn writer() -> Writer {
    let database = Connection::open_in_memory().unwrap();
    database
        .execute_batch("CREATE TABLE word (text TEXT UNIQUE)")
        .unwrap();
    Writer::start(database, || ()).unwrap()
}

async fn keep(writer: &Writer, word: &'static str) -> Result<(), WriteError> {
    writer
        .run(move |tx| {
            tx.execute("INSERT INTO word VALUES (?1)", [word])?;
            Ok(())
        })
        .await
}

async fn words(writer: &Writer) -> Vec<String> {
    let read = |tx: &Connection| {
        let mut found = tx.prepare("SELECT text FROM word ORDER BY text")?;
        let words = found.query_map([], |row| row.get(0))?;
        Ok::<_, WriteError>(words.collect::<Result<_, _>>()?)
    };
    writer.run(read).await.unwrap()
}

#[tokio::test]
async fn a_transaction_that_panics_is_undone_alone() {
    let writer = writer();
    let crashed = writer.run(|tx| -> Result<(), WriteError> {
        tx.execute("INSERT INTO word VALUES ('half')", [])?;
        panic!("what somebody wrote")
    });
    // All three may be in one commit.
    let (before, crashed, after) =
        tokio::join!(keep(&writer, "before"), crashed, keep(&writer, "after"));
    before.unwrap();
    after.unwrap();
    let said = crashed.unwrap_err().to_string();
    assert!(said.starts_with("it crashed at "), "{said}");
    assert!(!said.contains("what somebody wrote"), "{said}");
    assert_eq!(words(&writer).await, ["after", "before"]);
}

#[tokio::test]
async fn a_transaction_that_fails_is_undone_alone() {
    let writer = writer();
    keep(&writer, "once").await.unwrap();
    let twice = writer.run(|tx| -> Result<(), WriteError> {
        tx.execute("INSERT INTO word VALUES ('half')", [])?;
        tx.execute("INSERT INTO word VALUES ('once')", [])?;
        Ok(())
    });
    assert!(matches!(twice.await, Err(WriteError::Sqlite(_))));
    assert_eq!(words(&writer).await, ["once"]);
}

#[tokio::test]
async fn what_goes_down_with_a_whole_transaction_is_told_so_and_the_next_one_stands() {
    let writer = writer();
    // What a full disk does: SQLite ends the whole transaction, not only this part of it.
    let down = writer.run(|tx| -> Result<(), WriteError> { Ok(tx.execute_batch("ROLLBACK")?) });
    let (before, down, after) = tokio::join!(keep(&writer, "before"), down, keep(&writer, "after"));
    let stands = words(&writer).await;
    for (told, word) in [(before, "before"), (after, "after")] {
        assert_eq!(told.is_ok(), stands.contains(&word.to_owned()), "{word}");
    }
    assert!(matches!(down, Err(WriteError::NotCommitted(_))), "{down:?}");
    keep(&writer, "next").await.unwrap();
}
