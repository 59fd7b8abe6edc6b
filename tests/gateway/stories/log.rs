//! What is written about the work, and what if nobody can read it?

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use super::chat::{Chat, Door};
use super::house::House;

const JSON: &str = "[log]\nfilter = \"gateway=debug\"\nform = \"json\"\n";

#[tokio::test]
async fn each_request_has_a_number_in_the_log_and_nothing_that_was_said() {
    let (house, chat) = House::configured(Door::Web, JSON).await;
    chat.say("remember the green bicycle").await;
    chat.told("remembered").await;
    let log = house.errors();
    let records: Vec<Value> = log
        .lines()
        // What is said to whoever watches the terminal stands there too.
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect();
    let asked = |record: &&Value| record["path"] == "/api/say";
    let asked = records.iter().find(asked).expect("the request");
    let number = asked["request"].as_str().expect("its number");
    assert!(number.starts_with("number="), "{asked}");
    let answered = |record: &&Value| record["request"] == number && record["status"] == 200;
    let answered = records.iter().find(answered);
    assert!(
        answered.is_some_and(|record| record["took_us"].is_u64()),
        "{log}"
    );
    for hidden in ["bicycle", "postern_session", super::house::TOKEN] {
        assert!(!log.contains(hidden), "{hidden} in {log}");
    }
}

#[tokio::test]
async fn a_log_that_nobody_can_take_stops_no_turn() {
    let house = House::build().await;
    house.configure_more(JSON);
    let (gone, stderr) = std::io::pipe().unwrap();
    drop(gone);
    let mut running = house
        .home
        .command(&[])
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .unwrap();
    let mut banner = String::new();
    let mut out = BufReader::new(running.stdout.take().unwrap());
    while !banner.ends_with("To stop: Ctrl-C\n") {
        assert!(out.read_line(&mut banner).unwrap() > 0, "{banner}");
    }
    let after = |what: &str| banner.split_once(what).unwrap().1.split_whitespace().next();
    let base = after("web chat  on   ").unwrap().trim_end_matches('/');
    *house.world.base.lock().unwrap() = base.to_owned();
    let code = after("send /pair ").unwrap();
    let chat = Chat::web(house.world.clone(), code).await.unwrap();
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "wrote notes.txt").await;
    assert_eq!(running.try_wait().unwrap(), None);
    running.kill().unwrap();
    running.wait().unwrap();
}
