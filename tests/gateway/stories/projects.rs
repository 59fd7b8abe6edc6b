//! A folder brings rules of its own along: they tighten at once, and loosen once the owner trusted
//! that very file.

use serde_json::{Value, json};

use super::chat::{Chat, Seen};
use super::house::{House, soon};

const FILE: &str = "coder_policy.json";

/// Puts a rule file into the folder of the chat, as a checkout would.
async fn brings(house: &House, chat: &Chat, merge: bool, rules: &[(&str, &str)]) {
    chat.settle().await;
    let rules: Vec<Value> = rules
        .iter()
        .map(|(action, pattern)| json!({ "action": action, "pattern": pattern }))
        .collect();
    let text = json!({ "merge": merge, "rules": rules }).to_string();
    house.write_outside(FILE, &text);
}

async fn asked(chat: &Chat) -> Seen {
    chat.sees("a question for trust", |seen| {
        seen.labels().contains(&"Trust this file")
    })
    .await
}

on_both! {
    async fn what_a_folder_tightens_counts_at_once_and_is_read_again_when_it_changes(house, chat) {
        brings(&house, &chat, true, &[("deny", "@files read --file a.txt")]).await;
        chat.say("read a.txt").await;
        chat.told("the rule \"@files read --file a.txt\" denies it").await;
        chat.say("read b.txt").await;
        chat.told("there is no file b.txt").await;
        brings(&house, &chat, true, &[("deny", "@files read --file b.txt")]).await;
        chat.say("read b.txt").await;
        chat.told("the rule \"@files read --file b.txt\" denies it").await;
        chat.say("read a.txt").await;
        chat.told("there is no file a.txt").await;
        // Nothing loosens, so nobody is asked.
        assert_eq!(chat.times("would loosen").await, 0);
    }
}

on_both! {
    async fn what_a_folder_loosens_counts_once_the_owner_trusted_that_very_file(house, chat) {
        house.cli(&["rules", "ask", "@files write --file b.txt"]).await;
        brings(&house, &chat, true, &[
            ("allow", "@files write --file a.txt"),
            ("allow", "@files write --file b.txt"),
            ("ask", "@memory save"),
        ]).await;
        chat.say("write a.txt: one").await;
        let card = chat.card().await;
        let trust = asked(&chat).await;
        assert_eq!(trust.labels(), ["Trust this file", "Deny"]);
        for part in [
            "coder_policy.json would loosen",
            "run without a question:\n  @files write --file a.txt\n  @files write --file b.txt\n",
            "set aside your rules that ask:\n  @files write --file b.txt\n",
            "What you deny stays denied.",
        ] {
            assert!(trust.text.contains(part), "{part}: {}", trust.text);
        }
        assert!(!trust.text.contains("@memory"), "{}", trust.text);
        assert_eq!(house.file("a.txt"), None);
        chat.press(&card, "Deny").await;
        chat.closed(&card, "Denied").await;
        chat.press(&trust, "Trust this file").await;
        let one = "SELECT count(*) FROM project_rules WHERE trust = 'trusted'";
        soon(|| (house.count(one) == 1).then_some(())).await.unwrap();
        chat.say("write a.txt: two").await;
        chat.told("wrote a.txt (3 bytes)").await;
        chat.say("write b.txt: two").await;
        chat.told("wrote b.txt (3 bytes)").await;
        chat.say("remember tea").await;
        let card = chat.next_card(&card).await;
        assert!(card.text.contains("@memory save"), "{card:?}");
        chat.press(&card, "Deny").await;
        chat.closed(&card, "Denied").await;
        assert_eq!(chat.times("would loosen").await, 1);
        // The same with one blank more is another file.
        house.write_outside(FILE, r#"{ "merge": true, "rules": [{"action": "allow", "pattern": "@files write --file a.txt"}]}"#);
        chat.say("write a.txt: three").await;
        chat.next_card(&card).await;
        chat.told_times("would loosen", 2).await;
        assert_eq!(house.file("a.txt").as_deref(), Some("two"));
        let audit = "SELECT count(*) FROM audit WHERE what LIKE '%\"project-rules\"%trusted%'";
        assert_eq!(house.count(audit), 1);
    }
}

on_both! {
    async fn a_refused_file_loosens_nothing_and_is_not_put_again(house, chat) {
        brings(&house, &chat, false, &[("allow", "@files write")]).await;
        chat.say("write a.txt: one").await;
        let card = chat.card().await;
        let trust = asked(&chat).await;
        assert!(trust.text.contains("only those that deny would hold there"), "{trust:?}");
        chat.press(&trust, "Deny").await;
        let one = "SELECT count(*) FROM project_rules WHERE trust = 'refused'";
        soon(|| (house.count(one) == 1).then_some(())).await.unwrap();
        chat.press(&trust, "Trust this file").await;
        chat.press(&card, "Deny").await;
        chat.closed(&card, "Denied").await;
        chat.say("write a.txt: two").await;
        chat.next_card(&card).await;
        assert_eq!(chat.times("would loosen").await, 1);
        assert_eq!((house.count(one), house.file("a.txt")), (1, None));
    }
}

on_both! {
    async fn the_owners_denials_stand_in_a_trusted_folder(house, chat) {
        house.cli(&["rules", "deny", "@files write --file a.txt", "--yes"]).await;
        brings(&house, &chat, false, &[("allow", "@files write")]).await;
        chat.say("write b.txt: one").await;
        let card = chat.card().await;
        chat.press(&asked(&chat).await, "Trust this file").await;
        let one = "SELECT count(*) FROM project_rules WHERE trust = 'trusted'";
        soon(|| (house.count(one) == 1).then_some(())).await.unwrap();
        chat.press(&card, "Allow once").await;
        chat.closed(&card, "wrote b.txt").await;
        chat.say("write a.txt: one").await;
        chat.told("the rule \"@files write --file a.txt\" denies it").await;
        chat.say("write b.txt: other").await;
        chat.told("wrote b.txt (5 bytes)").await;
        assert_eq!(house.file("a.txt"), None);
    }
}

on_both! {
    async fn no_tool_writes_a_folders_rule_file(house, chat) {
        house.cli(&["rules", "allow", "@files write", "--yes"]).await;
        let names = ["coder_policy.json", "./CODER_POLICY.JSON", "sub/coder_policy.json"];
        for (name, times) in names.into_iter().zip(1..) {
            chat.say(&format!("write {name}: {{\"rules\": []}}")).await;
            chat.told_times("names Postern's own rules, configuration or data", times).await;
        }
        assert_eq!((house.file(FILE), house.file("sub/coder_policy.json")), (None, None));
    }
}

on_both! {
    async fn f77_nothing_runs_beside_a_rule_file_that_cannot_be_read(house, chat) {
        chat.settle().await;
        house.write_outside(FILE, "{\"rules\": [\n  {\"pattern\": \"@files\", \"action\": \"alow\"}]}");
        chat.say("read a.txt").await;
        chat.told("coder_policy.json: line 2, column 40: unknown variant ").await;
        house.write_outside("outside.json", "{\"rules\": []}");
        let folder = house.home.data().join("workspaces/1");
        std::fs::remove_file(folder.join(FILE)).unwrap();
        std::os::unix::fs::symlink("outside.json", folder.join(FILE)).unwrap();
        chat.say("read a.txt").await;
        chat.told("it is a link").await;
        std::fs::remove_file(folder.join(FILE)).unwrap();
        chat.say("read a.txt").await;
        chat.told("there is no file a.txt").await;
    }
}

on_both! {
    async fn more_than_a_person_reads_cannot_be_trusted(house, chat) {
        let patterns: Vec<String> = (0..200)
            .map(|number| format!("@files write --file {}/{number}.txt", "deep".repeat(20)))
            .collect();
        let rules: Vec<(&str, &str)> = patterns.iter().map(|one| ("allow", one.as_str())).collect();
        brings(&house, &chat, true, &rules).await;
        chat.say("read a.txt").await;
        let told = chat.told("cannot be trusted: make it shorter").await;
        assert!(told.buttons.is_empty(), "{told:?}");
    }
}
