//! Workers do separate tasks beside each other; what they read and did is their conversation's.

use fakes::telegram::User;

use super::chat::Door;
use super::house::{House, OWNER};

on_both! {
    async fn workers_do_their_tasks_and_their_words_come_back_together(house, chat) {
        chat.say("delegate remember tea at five | remember coffee at six | say nothing to do").await;
        let reply = chat.told("worker 1, for: remember tea at five").await;
        for part in ["worker 2, for: remember coffee at six", "nothing to do", "✓ @delegate run"] {
            assert!(reply.text.contains(part), "{part:?}: {reply:?}");
        }
        assert_eq!(house.count("SELECT count(*) FROM memory"), 2);
        assert_eq!(house.count("SELECT count(*) FROM conversation WHERE parent IS NOT NULL AND ended IS NOT NULL"), 3);
    }
}

on_both! {
    async fn their_cards_come_one_at_a_time_and_name_worker_and_task(house, chat) {
        chat.say("delegate write a.txt: 1 | write b.txt: 2").await;
        let first = chat.card().await;
        assert!(first.text.contains("asks, for: write"), "{first:?}");
        assert_eq!(chat.open_cards().await, 1);
        chat.press(&first, "Allow once").await;
        chat.closed(&first, "wrote").await;
        let second = chat.next_card(&first).await;
        assert!(second.text.contains("asks, for: write"), "{second:?}");
        house.kill_and_start().await;
        chat.press(&second, "Deny").await;
        chat.closed(&second, "Denied by owner").await;
        chat.told("worker 2, for:").await;
        let written = ["a.txt", "b.txt"].iter().filter(|name| house.file(name).is_some()).count();
        assert_eq!(written, 1);
    }
}

on_both! {
    async fn stop_stops_all_workers(house, chat) {
        chat.say("delegate wait 50;remember one | wait 50;remember two").await;
        let working = "SELECT count(*) FROM conversation WHERE parent IS NOT NULL AND ended IS NULL";
        let both = crate::stories::house::soon(|| (house.count(working) == 2).then_some(()));
        both.await.expect("two workers");
        chat.say("/stop").await;
        chat.told("Stopped.").await;
        assert_eq!(house.count(working), 0);
        chat.settle().await;
        assert_eq!(house.count("SELECT count(*) FROM memory"), 0);
    }
}

on_both! {
    async fn workers_go_on_after_a_crash(house, chat) {
        chat.say("delegate wait 2;remember one | wait 1;remember two").await;
        let working = "SELECT count(*) FROM conversation WHERE parent IS NOT NULL AND ended IS NULL";
        let both = crate::stories::house::soon(|| (house.count(working) == 2).then_some(()));
        both.await.expect("two workers");
        house.kill_and_start().await;
        chat.told("worker 2, for:").await;
        assert_eq!(house.count("SELECT count(*) FROM memory"), 2);
        assert_eq!(house.count(working), 0);
    }
}

on_both! {
    async fn more_than_four_workers_are_not_started(house, chat) {
        chat.say("delegate a | b | c | d | e").await;
        chat.told("give tasks: a list of 1 to 4 texts").await;
        assert_eq!(house.count("SELECT count(*) FROM conversation"), 1);
    }
}

#[tokio::test]
async fn marks_pass_to_workers_and_back() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    house
        .fake()
        .forward(User(OWNER), "delegate write evil.txt: x");
    let card = chat.card().await;
    assert!(card.text.contains("outside"), "{card:?}");
    assert_eq!(card.labels(), ["Allow once", "Deny", "More"]);
    chat.press(&card, "Deny").await;
    chat.told("worker 1, for:").await;
    assert_eq!(house.file("evil.txt"), None);
    chat.say("/new").await;
    chat.told("A fresh conversation").await;
    // A clean parent is marked by what its worker reads.
    house
        .fake()
        .forward(User(OWNER), "remember the marked thing");
    let asked = chat.told("Saved after outside content").await;
    assert_eq!(asked.labels(), ["Show it"]);
    chat.say("/new").await;
    chat.told_times("A fresh conversation", 2).await;
    chat.say("delegate recall marked").await;
    chat.told("worker 1, for: recall marked").await;
    chat.say("write notes.txt: x").await;
    let marked = chat.next_card(&card).await;
    assert!(marked.text.contains("outside"), "{marked:?}");
}
