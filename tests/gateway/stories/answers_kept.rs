//! What a press keeps: for this conversation, for always, or against.

on_both! {
    async fn all_like_this_runs_what_is_like_it_here_and_ends_with_the_conversation(house, chat) {
        chat.say("write notes/a.txt: 1").await;
        let card = chat.card().await;
        assert!(card.text.contains("@files write --file \"notes\""), "{card:?}");
        chat.press(&card, "All like this").await;
        chat.closed(&card, "with all like it here").await;
        chat.told("wrote notes/a.txt").await;
        chat.say("write notes/b.txt: 2").await;
        chat.told("wrote notes/b.txt").await;
        assert_eq!(chat.open_cards().await, 0);
        chat.say("write other.txt: 3").await;
        let other = chat.next_card(&card).await;
        chat.press(&other, "Deny").await;
        chat.closed(&other, "Denied by owner").await;
        house.kill_and_start().await;
        chat.say("write notes/c.txt: 4").await;
        chat.told("wrote notes/c.txt").await;
        chat.say("/new").await;
        chat.told("A fresh conversation").await;
        chat.say("write notes/d.txt: 5").await;
        chat.next_card(&other).await;
        assert_eq!(house.policy(), None);
        assert_eq!(house.file("notes/d.txt"), None);
    }
}

on_both! {
    async fn always_block_stands_under_more_and_says_first_what_it_saves(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        assert!(!card.text.contains("Always block would save"), "{card:?}");
        chat.press(&card, "More").await;
        let more = chat.sees("more", |seen| seen.key == card.key && seen.labels().contains(&"Always block")).await;
        assert!(more.text.contains("Always block would save"), "{more:?}");
        assert_eq!(house.policy(), None);
        chat.press(&more, "Always block").await;
        chat.closed(&card, "Always blocked by owner").await;
        let policy = house.policy_soon().await;
        assert!(policy.contains("\"deny\""), "{policy}");
        chat.say("/new").await;
        chat.told("A fresh conversation").await;
        chat.say("write notes.txt: hello").await;
        chat.told("denies it").await;
        assert_eq!(chat.open_cards().await, 0);
        assert_eq!(house.file("notes.txt"), None);
    }
}

on_both! {
    async fn a_deny_that_wins_the_race_leaves_no_rule(house, chat) {
        for round in 0..6 {
            chat.say(&format!("write f{round}.txt: hello")).await;
            let card = chat.sees("card", |seen| seen.text.contains(&format!("f{round}.txt")) && seen.labels().contains(&"Deny")).await;
            let (deny, always) = (card.token("Deny"), card.token("Always"));
            tokio::join!(chat.press_token(&card, &deny), chat.press_token(&card, &always));
            let closed = chat.sees("closed", |seen| seen.key == card.key && seen.buttons.is_empty()).await;
            chat.settle().await;
            let name = format!("f{round}.txt");
            let saved = || house.policy().unwrap_or_default().contains(&name);
            if closed.text.contains("Always allowed by") {
                let saved = crate::stories::house::soon(|| saved().then_some(()));
                saved.await.expect("a saved rule");
                assert!(house.file(&name).is_some(), "{closed:?}");
            } else {
                assert!(!saved(), "{closed:?}");
                assert_eq!(house.file(&name), None, "{closed:?}");
            }
        }
    }
}

on_both! {
    async fn a_rule_that_a_crash_kept_from_the_file_is_saved_at_the_next_start(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        house.all_sent().await;
        house.kill();
        house.database().execute(
            "UPDATE question SET state = '\"Approved\"', saves = ?1",
            [r#"{"pattern":"@files write --file \"notes.txt\"","action":"allow"}"#],
        ).unwrap();
        house.start().await;
        chat.closed(&card, "wrote notes.txt").await;
        assert!(house.policy().unwrap().contains("notes.txt"));
        assert_eq!(house.count("SELECT count(*) FROM question WHERE saves IS NOT NULL"), 0);
    }
}

on_both! {
    async fn a_rule_that_cannot_be_saved_is_told_and_saved_as_soon_as_it_can_be(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        let file = house.home.config().join("policy.json");
        // Where the new file is written first stands a folder.
        let half = house.home.config().join("policy.json.new");
        std::fs::create_dir(&half).unwrap();
        chat.press(&card, "Always").await;
        chat.closed(&card, "wrote notes.txt").await;
        let told = "the rule of an answer is not in ";
        let mut status = house.cli(&["status"]).await;
        for _ in 0..100 {
            if status.out.contains(told) {
                break;
            }
            status = house.cli(&["status"]).await;
        }
        assert!(status.out.contains(told), "{status:?}");
        assert!(!file.exists());
        std::fs::remove_dir(&half).unwrap();
        assert!(house.policy_soon().await.contains("notes.txt"));
        let unsaved = "SELECT count(*) FROM question WHERE saves IS NOT NULL";
        let settled = crate::stories::house::soon(|| (house.count(unsaved) == 0).then_some(()));
        assert!(settled.await.is_some());
        let noted = "SELECT count(*) FROM audit WHERE what LIKE '%rule-saved%'";
        assert_eq!(house.count(noted), 1);
        assert!(!house.cli(&["status"]).await.out.contains(told));
    }
}
