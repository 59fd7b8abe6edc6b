//! What is old goes by itself, and nothing that anybody may still need goes with it.

use super::chat::Door;
use super::house::{House, soon};

/// Days, in the milliseconds of the database.
const DAY: i64 = 24 * 60 * 60 * 1000;

#[tokio::test]
async fn the_broom_takes_what_is_old_and_leaves_what_is_in_use() {
    let (mut house, chat) = House::with_owner(Door::Telegram).await;
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    house.all_heard().await;
    house.all_sent().await;
    house.stop().await;
    let database = house.database();
    let shown = |sql: &str| database.execute(sql, [250 * DAY]).unwrap();
    // 250 old lines in this chat, of which a screen shows 200.
    shown(
        "WITH RECURSIVE lines (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM lines WHERE n < 250)
         INSERT INTO outbox (place, kind, encoded, state, due, at)
         SELECT place, 'notice', encoded, 'sent', 0, at - ?1 FROM lines, outbox
         WHERE outbox.id = (SELECT min(id) FROM outbox)",
    );
    // All of it is as old as it gets: what was heard, buttons, strangers, what was set aside.
    shown("UPDATE outbox SET at = at - ?1");
    shown("UPDATE event SET at = at - ?1");
    shown("INSERT INTO event (line, id, at) SELECT line, 'young', at + ?1 FROM event LIMIT 1");
    shown(
        "INSERT INTO button SELECT 'old', place, person, NULL, meaning, at - ?1 FROM button LIMIT 1",
    );
    shown("INSERT INTO stranger SELECT 'old', unixepoch() * 1000 - ?1");
    database
        .execute_batch(
            "INSERT INTO stranger SELECT 'young', unixepoch() * 1000;
             INSERT INTO dead_letter (line, event, kind, tries, why, at) VALUES
                 ('phone', 'old', 'message', 3, 'x', 0),
                 ('phone', 'young', 'message', 3, 'x', unixepoch() * 1000);
             INSERT INTO session VALUES ('old', 'nobody', 0);
             INSERT INTO place (line, chat) VALUES ('phone', 'nobody')",
        )
        .unwrap();
    house.start().await;
    let old = [
        "SELECT count(*) FROM event WHERE at < unixepoch() * 1000 - 30 * 86400000 AND body IS NULL",
        "SELECT count(*) FROM button WHERE hash = 'old'",
        "SELECT count(*) FROM stranger WHERE sender = 'old'",
        "SELECT count(*) FROM dead_letter WHERE event = 'old'",
        "SELECT count(*) FROM session WHERE hash = 'old'",
        "SELECT count(*) FROM place WHERE chat = 'nobody'",
        "SELECT max(0, count(*) - 201) FROM outbox WHERE target IS NULL",
    ];
    for query in old {
        let gone = soon(|| (house.count(query) == 0).then_some(()));
        assert!(gone.await.is_some(), "{query}: {}", house.count(query));
    }
    for query in [
        "SELECT count(*) FROM event WHERE id = 'young'",
        "SELECT count(*) FROM stranger WHERE sender = 'young'",
        "SELECT count(*) FROM dead_letter WHERE event = 'young'",
        "SELECT count(*) FROM place WHERE chat <> 'nobody'",
    ] {
        assert_eq!(house.count(query), 1, "{query}");
    }
    // The card of before still stands, and is answered by its button.
    assert_eq!(chat.card().await.key, card.key);
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "wrote notes.txt").await;
    assert_eq!(house.file("notes.txt").as_deref(), Some("hello"));
}
