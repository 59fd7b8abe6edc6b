//! Is anything lost when the program is killed at any moment? Each round says a few things, kills
//! it without warning and starts it again; at the end every word must be stored, once. One person
//! says them on the phone and on the page, which posts again what was not acknowledged.

use std::path::Path;
use std::time::{Duration, Instant};

use fakes::telegram::Fake;
use rusqlite::Connection;

use crate::disk::Disk;
use crate::figure::{Aim, percentile, print};
use crate::page::Page;
use crate::person::{Paired, paired};

/// Runs the rounds; false when something was lost or done twice.
pub async fn run(program: &Path, rounds: usize) -> bool {
    let mut paired = paired(program).await;
    let mut disk = Disk::new(paired.home.folder());
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    let mut starts = Vec::new();
    let page = Page::paired(paired.home.at, &paired.home.code());
    let mut said = 0;
    let mut unanswered: Vec<usize> = Vec::new();
    let order = |n: usize| format!("read round {n} end.txt");
    for _ in 0..rounds {
        for _ in 0..=chance.below(2) {
            paired.fake.private_message(paired.anna, &order(said));
            said += 1;
        }
        unanswered.push(said);
        said += 1;
        unanswered.retain(|n| !page.say(&n.to_string(), &order(*n)));
        let until = Duration::from_micros(chance.below(6_000));
        tokio::time::sleep(until).await;
        let Paired {
            fake,
            anna,
            home,
            running,
        } = paired;
        running.kill();
        let mut running = home.start();
        starts.push(crate::figure::ms(home.serving(&mut running).await));
        paired = Paired {
            fake,
            anna,
            home,
            running,
        };
        unanswered.retain(|n| !page.say(&n.to_string(), &order(*n)));
        disk.probe(1);
    }
    let settled = settled(&paired).await;
    let kept = kept(&paired.home.database());
    let mut shown = kept.on_the_page.clone();
    let on_the_phone = paired.fake.messages(paired.anna.direct());
    shown.extend(on_the_phone.into_iter().map(|shown| shown.text));
    let unknown = shown
        .iter()
        .filter(|text| text.contains("may not have arrived"))
        .count();
    let count = |name: &str, value: usize| print(name, value as f64, "count", Aim::None, &disk);
    count("kill_rounds", rounds);
    count("kill_words_said", said);
    count("kill_words_stored", kept.words);
    count("kill_words_stored_twice", kept.twice);
    count("kill_left_unsent", kept.unsent);
    count("kill_deliveries_reported_unknown", unknown);
    let (doubled, missing) = replies(&kept.replies, &shown);
    count("kill_replies_doubled", doubled);
    count("kill_replies_missing", missing);
    let start = percentile(&starts, 50);
    print("kill_start_p50", start, "ms", Aim::None, &disk);
    let whole = settled
        && unanswered.is_empty()
        && kept.sound
        && kept.words == said
        && kept.twice == 0
        && kept.unsent == 0
        && doubled == 0
        && missing <= unknown;
    if !whole {
        let sound = kept.sound;
        eprintln!("bench: something was lost (all heard: {settled}, database sound: {sound})");
        for reply in kept
            .replies
            .iter()
            .filter(|reply| times(reply, &shown) != 1)
        {
            let times = times(reply, &shown);
            eprintln!("bench: shown {times} times: {reply}");
            eprintln!("{}", became_of(&paired.home.database(), reply));
        }
    }
    whole
}

/// Waits until everything was heard and nothing more is sent.
pub async fn settled(paired: &Paired) -> bool {
    let fake: &Fake = &paired.fake;
    let begun = Instant::now();
    let mut sent = fake.arrivals("sendmessage");
    while begun.elapsed() < LONGEST {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let now = fake.arrivals("sendmessage");
        if now == sent && fake.waiting() == 0 && kept(&paired.home.database()).unsent == 0 {
            return true;
        }
        sent = now;
    }
    false
}

/// What the database holds of what was said.
pub struct Kept {
    pub words: usize,
    pub twice: usize,
    pub unsent: usize,
    pub sound: bool,
    /// The lines that the model said of single words.
    pub replies: Vec<String>,
    /// What was shown to a browser, which can look at all of it.
    pub on_the_page: Vec<String>,
}

/// Looks into the database.
pub fn kept(database: &Path) -> Kept {
    let database = Connection::open(database).expect("the program's database");
    let count = |sql: &str| -> usize {
        let count: i64 = database
            .query_row(sql, [], |row| row.get(0))
            .expect("a table that is there");
        usize::try_from(count).expect("a count")
    };
    let sound: String = database
        .query_row("PRAGMA quick_check", [], |row| row.get(0))
        .expect("a check");
    Kept {
        words: count(
            "SELECT count(DISTINCT message) FROM entry WHERE body LIKE '{\"Person\"%round %'",
        ),
        twice: count(
            "SELECT count(*) FROM (SELECT 1 FROM entry WHERE body LIKE '{\"Person\"%round %' GROUP BY message HAVING count(*) > 1)",
        ),
        unsent: count("SELECT count(*) FROM outbox WHERE state IN ('queued', 'sending')"),
        sound: sound == "ok",
        replies: said_by_the_model(&database),
        on_the_page: on_the_page(&database),
    }
}

fn on_the_page(database: &Connection) -> Vec<String> {
    let mut found = database
        .prepare(
            "SELECT encoded FROM outbox JOIN place ON place.id = outbox.place
             WHERE place.line = 'web' AND kind IN ('message', 'report') AND state = 'sent'",
        )
        .expect("tables that are there");
    let shown = found.query_map([], |row| row.get(0)).expect("rows");
    shown.map(|text| text.expect("a text")).collect()
}

fn said_by_the_model(database: &Connection) -> Vec<String> {
    let mut found = database
        .prepare("SELECT body FROM entry WHERE body LIKE '{\"Model\"%'")
        .expect("a table that is there");
    let bodies = found
        .query_map([], |row| row.get::<_, String>(0))
        .expect("rows");
    let mut said = Vec::new();
    for body in bodies {
        let body: serde_json::Value =
            serde_json::from_str(&body.expect("a row")).expect("an entry");
        let text = body["Model"]["text"].as_str().unwrap_or_default();
        let of_a_word = text.lines().filter(|line| line.contains("round "));
        said.extend(of_a_word.map(ToOwned::to_owned));
    }
    said
}

/// How many replies stand on the screen more than once, and how many do not stand there.
pub fn replies(said: &[String], shown: &[String]) -> (usize, usize) {
    let times: Vec<usize> = said.iter().map(|reply| times(reply, shown)).collect();
    let doubled = times.iter().filter(|times| **times > 1).count();
    let missing = times.iter().filter(|times| **times == 0).count();
    (doubled, missing)
}

fn times(reply: &str, shown: &[String]) -> usize {
    shown.iter().filter(|text| text.contains(reply)).count()
}

/// Each letter with these words, and what it came to.
fn became_of(database: &Path, reply: &str) -> String {
    let database = Connection::open(database).expect("the program's database");
    let mut found = database
        .prepare(
            "SELECT line || ' ' || outbox.kind || ' ' || state || ' ' || coalesce(message, '')
             FROM outbox JOIN place ON place.id = outbox.place WHERE instr(encoded, ?1)",
        )
        .expect("tables that are there");
    let rows = found.query_map([reply], |row| row.get(0)).expect("rows");
    let letters: Vec<String> = rows.map(|row| row.expect("a text")).collect();
    letters.join("\n")
}

/// The same moments in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

const LONGEST: Duration = Duration::from_secs(60);
