//! Power cuts, a full disk and talk without end: nothing is lost, doubled or stuck.

use std::time::Duration;

use fakes::telegram::Fault;
use sha2::{Digest, Sha256};

use crate::stories::chat::{Chat, Door};
use crate::stories::house::{House, TOKEN};

#[tokio::test]
async fn a_card_is_answered_however_much_was_said_since() {
    let (house, owner) = House::with_owner(Door::Web).await;
    owner.say("write notes.txt: hello").await;
    let card = owner.card().await;
    for number in 0..450 {
        owner.say(&format!("by the way, {number}")).await;
    }
    let press = card.token("Allow once");
    owner.press_token(&card, &press).await;
    let written = crate::stories::house::soon(|| house.file("notes.txt")).await;
    assert_eq!(written.as_deref(), Some("hello"));
    owner.say("write more.txt: hello").await;
    owner
        .sees("a second card", |seen| {
            seen.text.contains("more.txt") && seen.labels().contains(&"Deny")
        })
        .await;
}

#[tokio::test]
async fn a_reply_that_arrived_is_not_sent_again_while_the_store_cannot_note_it() {
    let (house, owner) = House::with_owner(Door::Telegram).await;
    let late = Duration::from_millis(1500);
    house.fake().inject("sendMessage", Fault::Delay(late));
    owner.say("good morning").await;
    tokio::time::sleep(late / 2).await;
    assert_eq!(owner.times("I heard you.").await, 0);
    // As when the disk is full: nothing can be written for a while.
    let database = house.database();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    tokio::time::sleep(Duration::from_secs(8)).await;
    database.execute_batch("ROLLBACK").unwrap();
    tokio::time::sleep(Duration::from_secs(6)).await;
    owner.say("/why").await;
    owner.told("It has read no outside content.").await;
    assert_eq!(owner.times("I heard you.").await, 1);
}

#[tokio::test]
async fn what_was_acknowledged_is_done_once_whenever_the_power_goes() {
    let (mut house, owner) = House::with_owner(Door::Web).await;
    for round in 0..8_u64 {
        owner.say(&format!("remember round {round}")).await;
        tokio::time::sleep(Duration::from_millis(round * 2)).await;
        house.kill_and_start().await;
        let done = crate::stories::house::soon(|| {
            let count = format!("SELECT count(*) FROM memory WHERE text = 'round {round}'");
            let told = "SELECT count(*) FROM entry WHERE body LIKE '%interrupted while it ran%'";
            (house.count(&count) == 1 || house.count(told) > 0).then_some(())
        });
        assert!(done.await.is_some(), "round {round}");
        let twice =
            "SELECT count(*) FROM (SELECT text FROM memory GROUP BY text HAVING count(*) > 1)";
        assert_eq!(house.count(twice), 0);
    }
    chain_holds(&house);
}

#[tokio::test]
async fn the_audit_has_no_gap_after_presses_stops_and_crashes() {
    let (mut house, owner) = House::with_owner(Door::Web).await;
    let mut card: Option<crate::stories::chat::Seen> = None;
    for answer in ["Allow once", "Deny", "/stop", "/new"] {
        owner.say("write notes.txt: hello").await;
        let next = match &card {
            Some(before) => owner.next_card(before).await,
            None => owner.card().await,
        };
        house.kill_and_start().await;
        if answer.starts_with('/') {
            owner.say(answer).await;
        } else {
            owner.press(&next, answer).await;
        }
        owner
            .sees("end", |seen| {
                seen.key == next.key && seen.buttons.is_empty()
            })
            .await;
        card = Some(next);
    }
    chain_holds(&house);
}

fn chain_holds(house: &House) {
    let database = house.database();
    let mut rows = database
        .prepare("SELECT seq, at, what, previous, hash FROM audit ORDER BY seq")
        .unwrap();
    let mut rows = rows.query([]).unwrap();
    let (mut number, mut last) = (0_i64, String::new());
    while let Some(row) = rows.next().unwrap() {
        let (seq, at): (i64, i64) = (row.get(0).unwrap(), row.get(1).unwrap());
        let what: String = row.get(2).unwrap();
        let (previous, hash): (String, String) = (row.get(3).unwrap(), row.get(4).unwrap());
        assert_eq!((seq, &previous), (number + 1, &last));
        let digest = Sha256::digest(format!("{previous}\n{at}\n{what}"));
        let wanted: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, wanted);
        (number, last) = (seq, hash);
    }
    assert!(number > 3);
}

#[tokio::test]
async fn the_bots_token_is_told_nowhere_whatever_goes_wrong() {
    let (house, owner) = House::with_owner(Door::Telegram).await;
    let refused = |code| Fault::Refuse {
        code,
        description: format!("no such bot{TOKEN}/sendMessage"),
    };
    for fault in [refused(400), refused(403), Fault::Status(500), Fault::Drop] {
        let before = house.fake().calls_of("sendMessage").len();
        house.fake().inject("sendMessage", fault);
        owner.say("/why").await;
        // Each fault meets its own message before the next is said.
        let met = crate::stories::house::soon(|| {
            (house.fake().calls_of("sendMessage").len() > before).then_some(())
        });
        assert!(met.await.is_some());
        house.all_sent().await;
    }
    owner.say("good morning").await;
    owner.told("I heard you.").await;
    house.fake().rotate("999999:OTHER");
    let mut said = String::new();
    for command in [&["status"][..], &["doctor"], &["config", "check"]] {
        let printed = house.cli(command).await;
        said.push_str(&printed.out);
        said.push_str(&printed.err);
    }
    said.push_str(&house.errors());
    said.push_str(house.banner());
    assert!(!said.contains(TOKEN), "{said}");
    assert!(!said.contains("STORY"), "{said}");
    for file in ["postern.db", "postern.db-wal"] {
        let bytes = std::fs::read(house.home.data().join(file)).unwrap_or_default();
        let found = bytes.windows(TOKEN.len()).any(|at| at == TOKEN.as_bytes());
        assert!(!found, "{file}");
    }
}

#[tokio::test]
async fn a_card_is_not_lost_by_a_stop_of_another_chat() {
    let (house, owner) = House::with_owner(Door::Web).await;
    let code = house.new_code(None).await;
    let second = Chat::web(house.world.clone(), &code).await.unwrap();
    owner.say("write notes.txt: hello").await;
    let card = owner.card().await;
    second.press_token(&card, &card.token("Allow once")).await;
    second.say("/stop").await;
    second.told("Nothing is running.").await;
    second.say("/unpair").await;
    let gone = crate::stories::house::soon(|| {
        (house.count("SELECT count(*) FROM pairing") == 1).then_some(())
    });
    assert!(gone.await.is_some());
    assert_eq!(house.file("notes.txt"), None);
    owner.press(&card, "Allow once").await;
    owner.closed(&card, "wrote notes.txt").await;
}
