//! What was decided and done stands in the audit, each entry hashed with the one before.

use serde_json::Value;
use sha2::{Digest, Sha256};

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
            ["paired", "judged asked", "asked", "closed approved", "started", "closed done", "ended done"]
        );
        let text: String = rows.iter().map(|(_, what, _, _)| what.as_str()).collect();
        assert!(!text.contains("hello"), "{text}");
    }
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
