//! A card holds an action until the right button is pressed.

on_both! {
    async fn the_welcome_ends_with_something_to_try(house, chat) {
        let welcome = chat.told("You are paired as the owner").await;
        assert!(welcome.text.ends_with("try: write notes.txt: hello"), "{welcome:?}");
        chat.say("good morning").await;
        let answer = chat.told("I heard you.").await;
        assert!(answer.text.contains("practice model"), "{answer:?}");
        assert_eq!(house.file("notes.txt"), None);
    }
}

on_both! {
    async fn allow_once_runs_it_once_and_the_card_ends_with_who_when_and_what_came_of_it(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        assert_eq!(card.labels(), ["Allow once", "Always", "All like this", "Deny", "More"]);
        for part in ["@files write", "notes.txt", "hello"] {
            assert!(card.text.contains(part), "{card:?}");
        }
        assert_eq!(house.file("notes.txt"), None);
        chat.press(&card, "Allow once").await;
        let closed = chat.closed(&card, "wrote notes.txt (5 bytes)").await;
        let (_, outcome) = closed.text.split_once("Allowed once by owner, ").unwrap();
        let (time, _) = outcome.split_once(" UTC").unwrap();
        assert!(time.len() == 5 && time.as_bytes()[2] == b':', "{outcome}");
        assert_eq!(house.file("notes.txt").as_deref(), Some("hello"));
        chat.say("write notes.txt: again").await;
        chat.next_card(&card).await;
        assert_eq!(house.policy(), None);
        assert_eq!(house.file("notes.txt").as_deref(), Some("hello"));
    }
}

on_both! {
    async fn deny_runs_nothing_and_the_model_is_told(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        chat.press(&card, "Deny").await;
        let closed = chat.closed(&card, "Denied by owner").await;
        assert!(closed.text.ends_with("it did not run"), "{closed:?}");
        chat.told("denied, so it did not run").await;
        chat.settle().await;
        assert_eq!(house.file("notes.txt"), None);
    }
}

on_both! {
    async fn f62_always_saves_the_rule_on_the_card_and_nothing_else_and_the_same_write_asks_no_more(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        let (_, rule) = card.text.split_once("Always would save: ").unwrap();
        let rule = rule.lines().next().unwrap().to_owned();
        chat.press(&card, "Always").await;
        chat.closed(&card, "Always allowed by owner").await;
        let policy = house.policy_soon().await;
        assert!(policy.contains(&serde_json::to_string(&rule).unwrap()), "{rule}: {policy}");
        chat.told_times("wrote notes.txt (5 bytes)", 2).await;
        assert_eq!(house.count("SELECT (SELECT count(*) FROM pairing) + (SELECT count(*) FROM account)"), 2);
        chat.say("write notes.txt: again").await;
        chat.told_times("wrote notes.txt (5 bytes)", 3).await;
        assert_eq!(house.file("notes.txt").as_deref(), Some("again"));
        assert_eq!(chat.open_cards().await, 0);
        chat.say("write other.txt: again").await;
        chat.next_card(&card).await;
        house.kill_and_start().await;
        chat.say("/new").await;
        chat.told("A fresh conversation").await;
        chat.say("write notes.txt: third").await;
        chat.told_times("wrote notes.txt (5 bytes)", 4).await;
        assert_eq!(house.file("notes.txt").as_deref(), Some("third"));
        assert_eq!(house.file("other.txt"), None);
    }
}

on_both! {
    async fn f57_what_was_cut_is_counted_and_show_all_shows_it(house, chat) {
        let words: Vec<String> = (0..1200).map(|word| format!("w{word:04}")).collect();
        chat.say(&format!("write long.txt: {}", words.join(" "))).await;
        let card = chat.card().await;
        assert_eq!(card.labels(), ["Allow once", "Always", "All like this", "Deny", "More", "Show all"]);
        assert!(card.text.contains("more characters"), "{card:?}");
        assert!(card.text.contains("w0000") && card.text.contains("w1199"), "{card:?}");
        assert!(!card.text.contains("w0900"), "{card:?}");
        chat.press(&card, "Show all").await;
        chat.told("The whole of @files write").await;
        let last = chat.sees("last word", |seen| seen.key != card.key && seen.text.contains("w1199"));
        last.await;
        let screen = chat.screen().await;
        let after = screen.iter().skip_while(|seen| seen.key != card.key).skip(1);
        let shown: String = after.map(|seen| seen.text.split_whitespace().collect::<String>()).collect();
        assert!(shown.contains(&words.concat()), "{shown}");
        assert_eq!(house.file("long.txt"), None);
        chat.press(&card, "Allow once").await;
        chat.closed(&card, "wrote long.txt").await;
        assert_eq!(house.file("long.txt"), Some(words.join(" ")));
    }
}
