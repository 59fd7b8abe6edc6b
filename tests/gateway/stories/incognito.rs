//! What is said incognito is nowhere when it is over.

use std::path::Path;

use crate::stories::house::{House, soon};

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
