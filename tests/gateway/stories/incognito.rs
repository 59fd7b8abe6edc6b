//! What is said incognito is nowhere when it is over.

use std::path::Path;

use fakes::telegram::User;

use crate::stories::chat::Door;
use crate::stories::house::{House, OWNER, soon};

const WORDS: [&str; 3] = ["xylophone", "zeppelin", "quagmire"];

/// Every file of a folder that holds one of the words.
fn traces(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(traces(&path));
        } else if let Ok(bytes) = std::fs::read(&path) {
            let held = WORDS.iter().filter(|word| {
                let word = word.as_bytes();
                bytes.windows(word.len()).any(|part| part == word)
            });
            found.extend(held.map(|word| format!("{word} in {}", path.display())));
        }
    }
    found
}

/// Waits until no file of the house holds any of the words.
async fn nothing_left(house: &House) {
    let gone = soon(|| traces(&house.home.data()).is_empty().then_some(())).await;
    assert!(gone.is_some(), "{:?}", traces(&house.home.data()));
    let errors = house.errors();
    assert!(WORDS.iter().all(|word| !errors.contains(word)), "{errors}");
}

on_both! {
    async fn nothing_of_it_is_left_in_any_file_after_it_ends(house, chat) {
        chat.say("good morning").await;
        chat.told("I heard you.").await;
        chat.say("/incognito").await;
        chat.told("Incognito: no files, no memory").await;
        for round in 0..20 {
            chat.say(&format!("say {round} xylophone {}", "zeppelin ".repeat(round * 3))).await;
            chat.told(&format!("{round} xylophone")).await;
        }
        chat.say("remember quagmire").await;
        chat.say("write quagmire.txt: zeppelin").await;
        chat.told("there is no tool @files in this chat").await;
        chat.say("/quagmire").await;
        chat.told("/quagmire is not something I do here").await;
        chat.say("/incognito off").await;
        chat.told("Incognito is off").await;
        house.all_sent().await;
        nothing_left(&house).await;
        assert_eq!(house.count("SELECT count(*) FROM conversation WHERE incognito = '\"On\"'"), 0);
        assert_eq!(house.count("SELECT count(*) FROM memory"), 0);
        // The audit keeps that something was decided, and by which row.
        let kept = "SELECT count(*) FROM audit WHERE what LIKE '%\"digest\"%' AND what LIKE '%denied%'";
        assert!(house.count(kept) >= 2);
        // What was said before is still there.
        assert_eq!(house.count("SELECT count(*) FROM entry WHERE body LIKE '%good morning%'"), 1);
    }
}

on_both! {
    async fn a_crash_in_the_middle_leaves_nothing_either(house, chat) {
        chat.say("/incognito").await;
        chat.told("Incognito: no files, no memory").await;
        chat.say("say xylophone").await;
        chat.told("xylophone").await;
        house.kill_and_start().await;
        chat.say("say zeppelin").await;
        chat.told("zeppelin").await;
        chat.say("/new").await;
        house.kill_and_start().await;
        chat.told("A fresh conversation").await;
        nothing_left(&house).await;
    }
}

on_both! {
    async fn it_ends_by_itself_after_a_day(house, chat) {
        chat.say("/incognito").await;
        chat.told("Incognito: no files, no memory").await;
        chat.say("say xylophone").await;
        chat.told("xylophone").await;
        house.all_sent().await;
        let day = "UPDATE conversation SET since = since - 25 * 3600000";
        house.database().execute(day, []).unwrap();
        house.database().execute("UPDATE outbox SET at = at - 1", []).unwrap();
        chat.told("Incognito ended after 24 hours").await;
        house.all_sent().await;
        nothing_left(&house).await;
        chat.say("remember tea at five").await;
        chat.told("remembered").await;
    }
}

/// Long enough for the end to come while the model still thinks.
const THINKS: &str = "wait 20\nsay zeppelin";

#[tokio::test]
async fn an_answer_that_comes_after_its_end_goes_nowhere_and_least_to_somebody_else() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    let code = house.new_code(Some("Ana")).await;
    let guest = house.enter(Door::Telegram, 7002, &code).await;
    chat.say("/incognito").await;
    chat.told("Incognito: no files, no memory").await;
    chat.say(THINKS).await;
    house.thinks().await;
    let place = format!("phone {OWNER}");
    let gone = house.cli(&["unpair", &place]).await;
    assert!(gone.out.contains("is let go"), "{gone:?}");
    guest.say("read a.txt").await;
    guest.told("there is no tool @files in this chat").await;
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    assert_eq!(guest.times("zeppelin").await, 0);
    assert_eq!(chat.times("zeppelin").await, 0);
    nothing_left(&house).await;
}

#[tokio::test]
async fn an_answer_that_comes_after_its_end_is_no_part_of_what_begins_then() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    for end in ["/new", "/incognito off", "/incognito"] {
        chat.say("/incognito").await;
        chat.told("Incognito: no files, no memory").await;
        chat.say(THINKS).await;
        house.thinks().await;
        chat.say(end).await;
        chat.say("say quagmire").await;
        chat.told_times("quagmire", 1).await;
        chat.say("/new").await;
        chat.told("A fresh conversation").await;
        house.all_sent().await;
        assert_eq!(chat.times("zeppelin").await, 0, "{end}");
    }
}

#[tokio::test]
async fn a_button_of_what_was_deleted_speaks_of_nothing_that_came_after_it() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    chat.say("/incognito").await;
    chat.told("Incognito: no files, no memory").await;
    house.fake().forward(User(OWNER), "say zeppelin");
    let marked = chat
        .told("This conversation has read outside content")
        .await;
    let token = marked.token("Start fresh");
    chat.say("/new").await;
    chat.told("A fresh conversation").await;
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    chat.press_token(&marked, &token).await;
    house.all_heard().await;
    assert_eq!(chat.open_cards().await, 1);
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "wrote notes.txt").await;
}

#[tokio::test]
async fn a_part_of_an_album_that_waits_when_it_ends_is_deleted_with_it() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    chat.say("/incognito").await;
    chat.told("Incognito: no files, no memory").await;
    house.fake().forward(User(OWNER), "say xylophone");
    let marked = chat
        .told("This conversation has read outside content")
        .await;
    chat.told("xylophone").await;
    let caption = Some("say zeppelin");
    let photo = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
    house
        .fake()
        .send_part(User(OWNER), chat.room(), "911", photo, caption);
    chat.press(&marked, "Start fresh").await;
    chat.told("A fresh conversation").await;
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    assert_eq!(house.count("SELECT count(*) FROM album_part"), 0);
    house.all_sent().await;
    nothing_left(&house).await;
}
