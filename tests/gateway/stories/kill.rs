//! Killed fifty times under traffic on a platform and the page, at seeded moments; oftener, and at
//! other moments, where the environment says so: `tests/bench/run kill-doors` does.

use std::collections::BTreeMap;
use std::time::Duration;

use super::chat::{Chat, Door, Seen};
use super::house::{House, OWNER, soon};

/// What is asked for in the environment, or as usual.
fn asked<T: std::str::FromStr>(variable: &str, usual: T) -> T {
    match std::env::var(variable) {
        Ok(text) => text.parse().ok().expect("a number"),
        Err(_) => usual,
    }
}

/// Small, seeded and good enough to be unlike a pattern.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// A deed and a question in one message, both of which name its number.
fn order(at: &str, n: usize) -> String {
    format!("remember {at} word {n} end\nread no-{at}-{n}-end.txt")
}

#[tokio::test]
async fn f36_f40_killed_fifty_times_it_loses_nothing_does_nothing_twice_and_doubles_no_reply() {
    killed_under_traffic(Door::Telegram).await;
}

#[tokio::test]
async fn f36_f40_killed_fifty_times_on_discord_it_loses_nothing_and_doubles_nothing() {
    killed_under_traffic(Door::Discord).await;
}

#[tokio::test]
async fn f36_f40_killed_fifty_times_on_slack_it_loses_nothing_and_doubles_nothing() {
    killed_under_traffic(Door::Slack).await;
}

#[tokio::test]
async fn f36_f40_killed_fifty_times_on_whatsapp_it_loses_nothing_and_doubles_nothing() {
    killed_under_traffic(Door::WhatsApp).await;
}

async fn killed_under_traffic(door: Door) {
    let mut house = House::open_for(door).await;
    let phone = house.enter(door, OWNER, &house.code()).await;
    let page = house
        .enter(Door::Web, OWNER, &house.new_code(None).await)
        .await;
    let rounds: usize = asked("POSTERN_KILL_ROUNDS", 50);
    let mut dice = Dice(asked("POSTERN_KILL_SEED", 0x9E37_79B9_7F4A_7C15));
    let mut unanswered: BTreeMap<usize, String> = BTreeMap::new();
    for round in 0..rounds {
        phone.say(&order("phone", round)).await;
        unanswered.insert(round, order("page", round));
        // As the page does: what was not acknowledged is posted again under the same id.
        let post = async {
            let mut acknowledged = Vec::new();
            for (n, text) in &unanswered {
                if page.try_say(&format!("kill-{n}"), text).await {
                    acknowledged.push(*n);
                }
            }
            acknowledged
        };
        let moment = Duration::from_micros(dice.roll(15_000));
        let posted = async {
            tokio::time::timeout(moment * 2, post)
                .await
                .unwrap_or_default()
        };
        let killed = async {
            tokio::time::sleep(moment).await;
            house.kill();
        };
        let (acknowledged, ()) = tokio::join!(posted, killed);
        unanswered.retain(|n, _| !acknowledged.contains(n));
        house.start().await;
        for (n, text) in std::mem::take(&mut unanswered) {
            assert!(page.try_say(&format!("kill-{n}"), &text).await);
        }
        all_answered(&house).await;
    }
    all_answered(&house).await;
    house.all_sent().await;
    let said = i64::try_from(2 * rounds).unwrap();
    let messages = "SELECT count(*) FROM entry WHERE message IS NOT NULL";
    assert_eq!(house.count(messages), said);
    every_deed_is_done_or_told_as_unknown(&house, said);
    for (chat, at) in [(&phone, "phone"), (&page, "page")] {
        no_reply_is_missing_or_doubled(&house, chat, at, rounds).await;
    }
}

/// Each order was taken once and has one end. Nothing was done twice.
fn every_deed_is_done_or_told_as_unknown(house: &House, said: i64) {
    let deeds = house.count("SELECT count(*) FROM memory");
    let different = house.count("SELECT count(DISTINCT text) FROM memory");
    assert_eq!(deeds, different, "a deed was done twice");
    let calls = "FROM entry, json_each(entry.body, '$.Model.calls') AS call WHERE call.value LIKE '% word %'";
    let taken = format!("SELECT count(*) {calls}");
    assert_eq!(house.count(&taken), said, "each order is taken once");
    let ended = |how: &str| {
        house.count(&format!(
            "SELECT count(*) FROM entry AS result WHERE result.body ->> '$.Result.ended' IN ({how}) AND EXISTS
             (SELECT 1 {calls} AND entry.conversation = result.conversation
                  AND call.value ->> '$.id' = result.body ->> '$.Result.call')"
        ))
    };
    let (done, unknown) = (ended("'Done'"), ended("'Unknown'"));
    assert_eq!(done + unknown, said, "each order has one end");
    assert!(
        (done..=done + unknown).contains(&deeds),
        "{done} {deeds} {unknown}"
    );
}

/// Waits until no conversation has anything to do.
async fn all_answered(house: &House) {
    house.all_heard().await;
    let open = "SELECT count(*) FROM conversation WHERE ended IS NULL AND
         (SELECT open FROM entry WHERE conversation = conversation.id ORDER BY seq DESC LIMIT 1) = 1";
    let quiet = soon(|| (house.count(open) == 0).then_some(())).await;
    assert!(quiet.is_some(), "{}", house.errors());
}

/// Everything that the model said stands on the screen once, or a line with a button says that it
/// may not; once those buttons are pressed, it stands there.
async fn no_reply_is_missing_or_doubled(house: &House, chat: &Chat, at: &str, rounds: usize) {
    let said = said_by_the_model(house, at);
    assert!(said.len() > rounds / 5, "{}", said.len());
    let screen = chat.screen().await;
    let mut missing = 0;
    for text in &said {
        let times = shown(&screen, text);
        assert!(times <= 1, "{at}: {times} times {text:?}");
        missing += usize::from(times == 0);
    }
    let unsure = |seen: &&Seen| seen.text.contains("may not have arrived");
    let unsure: Vec<&Seen> = screen.iter().filter(unsure).collect();
    assert!(
        missing <= unsure.len(),
        "{at}: {missing} are missing, {} were reported",
        unsure.len()
    );
    for seen in unsure {
        chat.press(seen, "Resend").await;
    }
    for text in &said {
        chat.sees(text, |seen| seen.text.contains(text.as_str()))
            .await;
    }
}

fn shown(screen: &[Seen], text: &str) -> usize {
    let holds = |seen: &&Seen| seen.text.contains(text);
    screen.iter().filter(holds).count()
}

/// The lines of the model's replies that name a number, each of which it said once.
fn said_by_the_model(house: &House, at: &str) -> Vec<String> {
    let database = house.database();
    let mut found = database
        .prepare("SELECT body FROM entry WHERE body LIKE '{\"Model\"%' ORDER BY conversation, seq")
        .unwrap();
    let bodies = found.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut said = Vec::new();
    for body in bodies {
        let body: serde_json::Value = serde_json::from_str(&body.unwrap()).unwrap();
        let text = body["Model"]["text"].as_str().unwrap();
        let ours = |line: &&str| line.contains(&format!("no-{at}-"));
        said.extend(text.lines().filter(ours).map(ToOwned::to_owned));
    }
    let mut once = said.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), said.len(), "{at}: the model was asked twice");
    said
}
