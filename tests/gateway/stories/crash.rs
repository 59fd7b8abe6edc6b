//! After a power cut nothing that was taken is lost, and nothing is done twice.

use gateway::agent::CALLS_PER_TURN;
use std::collections::BTreeSet;
use std::time::Duration;

use fakes::telegram::Fault;

use super::chat::{Chat, Door, Seen};
use super::house::House;
use super::wrong::{Call, Wrong};

on_both! {
    async fn f44_a_card_that_stood_before_a_crash_is_answered_by_the_same_button(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        house.all_sent().await;
        house.kill_and_start().await;
        assert_eq!(chat.card().await, card);
        chat.press(&card, "Allow once").await;
        chat.closed(&card, "wrote notes.txt").await;
        chat.told_times("wrote notes.txt", 2).await;
        assert_eq!(house.file("notes.txt").as_deref(), Some("hello"));
        assert_eq!(house.count("SELECT count(*) FROM started"), 1);
    }
}

on_platforms! {
    async fn f06_what_is_said_and_pressed_while_nothing_runs_is_done_at_the_next_start(door) {
        let (mut house, chat) = House::with_owner(door).await;
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        house.all_sent().await;
        house.kill();
        chat.press(&card, "Allow once").await;
        for thing in ["green", "red", "blue"] {
            chat.say(&format!("remember the gate is {thing}")).await;
        }
        house.start().await;
        chat.closed(&card, "wrote notes.txt").await;
        house.all_heard().await;
        chat.settle().await;
        assert_eq!(house.count("SELECT count(*) FROM memory"), 3);
    }
}

on_both! {
    async fn what_was_approved_and_not_started_runs_once_after_a_crash(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        house.all_sent().await;
        house.kill();
        let changed = house.database().execute("UPDATE question SET state = '\"Approved\"'", []);
        assert_eq!(changed.unwrap(), 1);
        house.start().await;
        chat.closed(&card, "wrote notes.txt").await;
        chat.told_times("wrote notes.txt", 2).await;
        assert_eq!(house.file("notes.txt").as_deref(), Some("hello"));
        house.write_outside("notes.txt", "mine");
        house.kill_and_start().await;
        chat.settle().await;
        assert_eq!(house.file("notes.txt").as_deref(), Some("mine"));
        assert_eq!(house.count("SELECT count(*) FROM audit WHERE what LIKE '%Started%'"), 2);
    }
}

on_both! {
    async fn what_was_approved_runs_not_when_the_file_changed_during_the_crash(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        house.all_sent().await;
        house.kill();
        let changed = house.database().execute("UPDATE question SET state = '\"Approved\"'", []);
        assert_eq!(changed.unwrap(), 1);
        house.write_outside("notes.txt", "mine");
        house.start().await;
        chat.closed(&card, "Things changed").await;
        chat.next_card(&card).await;
        assert_eq!(house.file("notes.txt").as_deref(), Some("mine"));
    }
}

on_both! {
    async fn what_was_started_is_never_run_again_and_the_person_is_told(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        house.all_sent().await;
        house.kill();
        let database = house.database();
        database
            .execute("INSERT INTO started (conversation, call, at) SELECT conversation, call, 1 FROM question", [])
            .unwrap();
        database.execute("UPDATE question SET state = '\"Started\"'", []).unwrap();
        drop(database);
        house.start().await;
        chat.closed(&card, "outcome is unknown").await;
        chat.told("I was interrupted while doing something").await;
        chat.press_token(&card, &card.token("Allow once")).await;
        house.kill_and_start().await;
        chat.settle().await;
        assert_eq!(house.file("notes.txt"), None);
        assert_eq!(chat.times("I was interrupted while doing something").await, 1);
        chat.say("write notes.txt: hello").await;
        let anew = chat.next_card(&card).await;
        chat.press(&anew, "Allow once").await;
        chat.closed(&anew, "wrote notes.txt").await;
    }
}

on_platforms! {
    async fn f04_a_reply_that_was_on_its_way_is_not_lost_and_nothing_is_done_twice(door) {
        let (mut house, chat) = House::with_owner(door).await;
        house.all_sent().await;
        house.goes_wrong(door, Call::Send, Wrong::Hang);
        chat.say("remember the gate is green").await;
        house.went_wrong(door, Call::Send).await;
        house.all_heard().await;
        house.kill_and_start().await;
        let unsure = chat.told("may not have arrived").await;
        assert_eq!(unsure.labels(), ["Resend"]);
        assert_eq!(chat.times("remembered").await, 0);
        chat.press(&unsure, "Resend").await;
        chat.told("remembered").await;
        chat.press(&unsure, "Resend").await;
        chat.settle().await;
        assert_eq!(chat.times("remembered").await, 1);
        assert_eq!(house.count("SELECT count(*) FROM memory"), 1);
    }
}

#[tokio::test]
async fn f37_a_report_that_a_crash_met_on_its_way_comes_again_and_no_reply_is_lost() {
    // WhatsApp takes what goes out and what is marked as read by the same call.
    for door in [Door::Discord, Door::Slack, Door::Telegram] {
        let (mut house, chat) = House::with_owner(door).await;
        house.all_sent().await;
        house.goes_wrong(door, Call::Send, Wrong::Hang);
        chat.say("remember the gate is green").await;
        house.went_wrong(door, Call::Send).await;
        house.all_heard().await;
        // What says that the reply may be lost is cut off in its turn, twice.
        for _ in 0..2 {
            house.goes_wrong(door, Call::Send, Wrong::Hang);
            house.kill_and_start().await;
            house.went_wrong(door, Call::Send).await;
            let screen = chat.screen().await;
            let told = |seen: &Seen| seen.text.contains("may not have arrived");
            assert!(!screen.iter().any(told), "{screen:#?}");
        }
        house.kill_and_start().await;
        let unsure = chat.told("My last message may not have arrived.").await;
        assert_eq!(chat.times("remembered").await, 0);
        chat.press(&unsure, "Resend").await;
        chat.told("remembered").await;
        chat.settle().await;
        assert_eq!(chat.times("remembered").await, 1);
        assert_eq!(chat.times("may not have arrived").await, 1);
    }
}

#[tokio::test]
async fn f36_a_report_whose_answer_was_lost_comes_again_and_its_button_counts_once() {
    // Discord tells by a number that it has it already.
    for door in [Door::Telegram, Door::Slack] {
        a_report_twice(door).await;
    }
}

async fn a_report_twice(door: Door) {
    let (house, chat) = House::with_owner(door).await;
    house.all_sent().await;
    for _ in 0..2 {
        house.goes_wrong(door, Call::Send, Wrong::Drop);
    }
    chat.say("remember the gate is green").await;
    chat.told("remembered").await;
    chat.told_times("My last message may not have arrived.", 2)
        .await;
    for seen in chat.screen().await {
        if seen.labels() == ["Resend"] {
            chat.press(&seen, "Resend").await;
        }
    }
    chat.told_times("remembered", 2).await;
    chat.settle().await;
    assert_eq!(chat.times("remembered").await, 2);
}

#[tokio::test]
async fn f05_an_update_that_comes_again_after_a_crash_is_handled_once() {
    let (mut house, chat) = House::with_owner(Door::Telegram).await;
    chat.settle().await;
    house.all_heard().await;
    house
        .fake()
        .inject("getUpdates", Fault::Delay(Duration::from_secs(30)));
    chat.say("remember the gate is green").await;
    chat.told("remembered").await;
    house.kill();
    assert!(house.fake().waiting() > 0, "it was acknowledged before");
    house.database().execute("DELETE FROM heard", []).unwrap();
    house.start().await;
    house.all_heard().await;
    chat.settle().await;
    assert_eq!(house.count("SELECT count(*) FROM memory"), 1);
}

on_platforms! {
    async fn a_graceful_stop_sends_what_is_due_and_repeats_nothing(door) {
        let (mut house, chat) = House::with_owner(door).await;
        chat.say("remember the gate is green").await;
        chat.told("remembered").await;
        house.stop().await;
        let before = chat.screen().await;
        house.start().await;
        chat.settle().await;
        let after = chat.screen().await;
        assert_eq!(after.len(), before.len() + 1);
        assert_eq!(after[..before.len()], before[..]);
    }
}

/// Small, seeded and good enough to be unlike a pattern.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Everything that asks and was not pressed yet is allowed once.
async fn press_all(chat: &Chat, pressed: &mut BTreeSet<String>) {
    for seen in chat.screen().await {
        let asks = seen.buttons.iter().find(|(label, _)| label == "Allow once");
        if let Some((_, token)) = asks
            && pressed.insert(token.clone())
        {
            chat.press_token(&seen, token).await;
        }
    }
}

fn tells_of(screen: &[Seen], file: &str) -> bool {
    let ended = ["wrote", "outcome is unknown"];
    screen
        .iter()
        .any(|seen| seen.text.contains(file) && ended.iter().any(|end| seen.text.contains(end)))
}

async fn killed_again_and_again(door: Door, seed: u64) {
    let (mut house, chat) = House::with_owner(door).await;
    let mut dice = Dice(seed);
    let mut pressed = BTreeSet::new();
    let mut files = Vec::new();
    for round in 0..12 {
        for _ in 0..=u64::from(dice.roll(4) == 0) {
            if files.len() == CALLS_PER_TURN as usize {
                // All of it may become one turn.
                break;
            }
            let file = format!("f{}.txt", files.len());
            chat.say(&format!("write {file}: round {round}")).await;
            files.push(file);
        }
        if dice.roll(2) == 0 {
            tokio::time::sleep(Duration::from_millis(dice.roll(12))).await;
            press_all(&chat, &mut pressed).await;
        }
        tokio::time::sleep(Duration::from_millis(dice.roll(25))).await;
        house.kill();
        if dice.roll(2) == 0 {
            press_all(&chat, &mut pressed).await;
        }
        house.start().await;
    }
    for _ in 0..2000 {
        press_all(&chat, &mut pressed).await;
        let screen = chat.screen().await;
        if files.iter().all(|file| tells_of(&screen, file)) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let screen = chat.screen().await;
    let lost: Vec<&String> = files
        .iter()
        .filter(|file| !tells_of(&screen, file))
        .collect();
    assert!(
        lost.is_empty(),
        "seed {seed}: {lost:?} of {screen:#?} {}",
        house.errors()
    );
    // One call for each message, one start for each call, each by a press of its own.
    let asked = "SELECT count(DISTINCT call || ' ' || conversation) FROM question";
    assert_eq!(
        house.count(asked),
        i64::try_from(files.len()).unwrap(),
        "seed {seed}"
    );
    let starts = house.count("SELECT count(*) FROM audit WHERE what LIKE '%Started%'");
    // A call that the person's newer words came before is taken too, so that it never starts.
    let taken_back = "SELECT count(*) FROM started JOIN entry USING (conversation)
        WHERE json_extract(body, '$.Result.call') = call AND json_extract(body, '$.Result.ended') = 'Withdrawn'";
    assert_eq!(
        starts + house.count(taken_back),
        house.count("SELECT count(*) FROM started"),
        "seed {seed}"
    );
    assert_eq!(starts, i64::try_from(files.len()).unwrap(), "seed {seed}");
    let unknown = house.count("SELECT count(*) FROM question WHERE state = '\"Unknown\"'");
    let done = house.count("SELECT count(*) FROM question WHERE state = '\"Done\"'");
    assert_eq!(done + unknown, starts, "seed {seed}");
    let there = files
        .iter()
        .filter(|file| house.file(file).is_some())
        .count();
    assert!(i64::try_from(there).unwrap() >= done, "seed {seed}");
    assert_eq!(
        house.count("SELECT count(*) FROM event WHERE body IS NOT NULL"),
        0
    );
}

on_platforms! {
    async fn killed_at_any_moment_it_loses_no_message_and_no_question_and_does_nothing_twice(door) {
        killed_again_and_again(door, 1).await;
    }
}

on_platforms! {
    async fn killed_at_any_other_moment_it_keeps_the_same_promise(door) {
        killed_again_and_again(door, 7).await;
    }
}
