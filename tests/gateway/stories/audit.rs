//! What was decided and done stands in the audit, each entry hashed with the one before.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::chat::Door;
use super::house::House;

on_both! {
    async fn the_audit_tells_a_call_from_its_judgement_to_its_end_in_one_chain(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        chat.press(&card, "Allow once").await;
        chat.closed(&card, "wrote notes.txt (5 bytes)").await;
        chat.told("wrote notes.txt (5 bytes)").await;
        let database = house.database();
        let mut rows = database.prepare("SELECT at, what, previous, hash FROM audit ORDER BY seq").unwrap();
        let rows: Vec<(i64, String, String, String)> = rows
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let mut before = String::new();
        for (at, what, previous, hash) in &rows {
            assert_eq!(*previous, before);
            let digest = Sha256::digest(format!("{previous}\n{at}\n{what}"));
            let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(*hash, digest);
            before.clone_from(hash);
        }
        let told: Vec<String> = rows.iter().map(|(_, what, _, _)| {
            let entry: Value = serde_json::from_str(what).unwrap();
            let state = entry.get("state").or(entry.get("action")).or(entry.get("how"));
            let state = state.map_or_else(String::new, |state| format!(" {}", state.as_str().unwrap()));
            format!("{}{state}", entry["what"].as_str().unwrap())
        }).collect();
        assert_eq!(
            told,
            [
                "configured", "ruled", "paired", "judged asked", "asked", "closed approved", "judged allowed",
                "judged allowed", "started", "closed done", "ended done",
            ]
        );
        let text: String = rows.iter().map(|(_, what, _, _)| what.as_str()).collect();
        assert!(!text.contains("hello"), "{text}");
    }
}

on_both! {
    async fn the_events_tell_each_judgement_of_a_call_and_why(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        chat.press(&card, "Allow once").await;
        chat.told("wrote notes.txt (5 bytes)").await;
        let told = house.cli(&["events"]).await;
        assert_eq!((told.code, &*told.err), (0, ""));
        // Each line begins with its time.
        let lines: Vec<&str> = told.out.lines().map(|line| match line.starts_with(' ') {
            true => line,
            false => line.get(21..).unwrap(),
        }).collect();
        let call = "@files write {\"file\":\"notes.txt\",\"content\":\"(5 bytes)\"}";
        let why = "    row 16: no rule allows this without asking";
        let by = "    by the answer on its card";
        let asked = "    it was asked by row 16: no rule allows this without asking";
        assert_eq!(
            lines,
            [
                &*format!("asked    MEDIUM   {call}"), why,
                &*format!("allowed  MEDIUM   {call}, at the press"), by, asked,
                &*format!("allowed  MEDIUM   {call}, before it ran"), by, asked,
            ]
        );
        let json = house.cli(&["events", "--json", "--last", "1"]).await;
        let mut event: Value = serde_json::from_str(&json.out).unwrap();
        let map = event.as_object_mut().unwrap();
        let at = map.remove("at").unwrap();
        assert!(at.as_str().is_some_and(|at| at.ends_with('Z')), "{at}");
        assert!(map.remove("seq").unwrap().is_i64());
        assert_eq!(
            event,
            json!({
                "conversation": 1,
                "call": "2.0",
                "tool": "@files write",
                "arguments": { "content": "(5 bytes)", "file": "notes.txt" },
                "risk": "MEDIUM",
                "action": "allowed",
                "when": "resume",
                "reasons": [{ "row": 16, "says": "Ask", "because": "no rule allows this without asking" }],
            })
        );
    }
}

on_both! {
    async fn who_follows_the_events_sees_each_as_it_is_made(house, chat) {
        let mut following = house.home.command(&["events", "--follow", "--json"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        chat.press(&card, "Deny").await;
        chat.say("remember tea at five").await;
        chat.told("remembered").await;
        let seen = tokio::task::spawn_blocking(move || {
            let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
            (next(), next())
        });
        let (first, second) = seen.await.unwrap();
        following.kill().unwrap();
        following.wait().unwrap();
        assert_eq!(
            [&first["tool"], &first["action"], &second["tool"], &second["action"]],
            ["@files write", "asked", "@memory save", "allowed"]
        );
    }
}

#[tokio::test]
async fn before_anything_was_decided_the_events_say_so() {
    let house = House::build().await;
    let said = house.cli(&["events"]).await;
    assert!(said.err.contains("nothing is stored in"), "{said:?}");
    let house = House::open().await;
    let said = house.cli(&["events"]).await;
    assert_eq!((said.code, &*said.out), (0, "Nothing was decided yet.\n"));
}

#[tokio::test]
async fn each_start_notes_the_settings_by_a_digest_that_changes_with_them_alone() {
    let mut house = House::open().await;
    house.kill_and_start().await;
    house.kill();
    house.configure_more("[risk]\naction = \"medium\"\n");
    house.start().await;
    let database = house.database();
    let mut found = database
        .prepare("SELECT json_extract(what, '$.settings') FROM audit WHERE json_extract(what, '$.what') = 'configured'")
        .unwrap();
    let found: Vec<String> = found
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let [first, second, third] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(first, second);
    assert_ne!(second, third);
    assert_eq!(first.len(), 64);
}

on_both! {
    async fn the_audit_is_only_added_to(house, chat) {
        chat.say("write notes.txt: hello").await;
        chat.card().await;
        let database = house.database();
        for change in ["UPDATE audit SET what = '{}'", "DELETE FROM audit"] {
            let refused = database.execute(change, []).unwrap_err().to_string();
            assert!(refused.contains("only added to"), "{refused}");
        }
    }
}

on_both! {
    async fn words_typed_while_a_card_stands_join_the_turn_and_answer_nothing(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        for words in ["yes", "allow once", "/allow"] {
            chat.say(words).await;
        }
        chat.told("@files write waits on its card: only a press answers it").await;
        chat.told("/allow is not something I do here").await;
        chat.say("remember tea at five").await;
        chat.told("remembered").await;
        chat.say("write other.txt: later").await;
        chat.told("One card at a time: @files write waits until the card above is answered.").await;
        // One card at a time: the second waits for the first, and no word answered either.
        assert_eq!(chat.open_cards().await, 1);
        assert_eq!((house.file("notes.txt"), house.file("other.txt")), (None, None));
        chat.press(&card, "Allow once").await;
        chat.closed(&card, "wrote notes.txt (5 bytes)").await;
        let second = chat.next_card(&card).await;
        assert!(second.text.contains("other.txt"), "{second:?}");
        assert_eq!(house.file("other.txt"), None);
    }
}

#[tokio::test]
async fn rules_that_changed_leave_a_trace_whoever_changed_them() {
    let (mut house, chat) = House::with_owner(Door::Web).await;
    let ruled = |house: &House| {
        let database = house.database();
        let mut rows = database
            .prepare("SELECT json_extract(what, '$.rules') FROM audit WHERE json_extract(what, '$.what') = 'ruled' ORDER BY seq")
            .unwrap();
        let rows = rows.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect::<Vec<String>>()
    };
    assert_eq!(ruled(&house).len(), 1);
    let file = house.home.config().join("policy.json");
    let rule = r#"{"rules": [{"pattern": "@files write", "action": "deny"}]}"#;
    std::fs::write(&file, rule).unwrap();
    for _ in 0..2 {
        chat.say("write notes.txt: hello").await;
        chat.told("denies it").await;
        chat.settle().await;
    }
    let noted = ruled(&house);
    assert_eq!(noted.len(), 2, "{noted:?}");
    assert_ne!(noted[0], noted[1]);
    // Changed while the program did not run.
    house.kill();
    std::fs::remove_file(&file).unwrap();
    house.start().await;
    let noted = ruled(&house);
    assert_eq!(noted.len(), 3, "{noted:?}");
    assert_eq!(noted[2], noted[0]);
}
