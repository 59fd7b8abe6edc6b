//! A power cut at each state of a question: what stands after the next start.

use super::presses::changed_under_the_card;
use crate::stories::house::House;

fn state(house: &House, state: &str) -> i64 {
    house.count(&format!(
        "SELECT count(*) FROM question WHERE state = '\"{state}\"'"
    ))
}

on_both! {
    async fn asked_its_button_still_works(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        house.kill_and_start().await;
        assert_eq!(state(&house, "Asked"), 1);
        chat.press(&card, "Allow once").await;
        chat.closed(&card, "wrote notes.txt").await;
        assert_eq!(house.file("notes.txt").as_deref(), Some("hello"));
    }
}

on_both! {
    async fn approved_and_changed_meanwhile_it_asks_anew(house, chat) {
        chat.say("write notes.txt: first").await;
        let first = chat.card().await;
        chat.press(&first, "Allow once").await;
        chat.closed(&first, "wrote notes.txt").await;
        chat.told("✓ @files write").await;
        chat.say("write notes.txt: second").await;
        let card = chat.next_card(&first).await;
        house.all_sent().await;
        house.kill();
        house.database().execute("UPDATE question SET state = '\"Approved\"' WHERE state = '\"Asked\"'", []).unwrap();
        house.write_outside("notes.txt", "something that nobody has seen");
        house.start().await;
        chat.closed(&card, "Things changed since this card was shown").await;
        chat.next_card(&card).await;
        assert_eq!(state(&house, "Changed"), 1);
        assert_eq!(house.file("notes.txt").as_deref(), Some("something that nobody has seen"));
    }
}

on_both! {
    async fn changed_the_new_card_stands(house, chat) {
        let (card, anew) = changed_under_the_card(&house, &chat).await;
        house.kill_and_start().await;
        chat.press_token(&card, &card.token("Allow once")).await;
        chat.press(&anew, "Allow once").await;
        chat.closed(&anew, "wrote notes.txt").await;
        assert_eq!(house.file("notes.txt").as_deref(), Some("goodbye"));
    }
}

on_both! {
    async fn expired_while_nothing_ran_it_ends_at_the_start(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        house.all_sent().await;
        house.kill();
        house.database().execute("UPDATE question SET ends_at = 1", []).unwrap();
        house.start().await;
        chat.closed(&card, "Nobody answered in time, so it did not run").await;
        chat.told("it was not refused").await;
        house.kill_and_start().await;
        chat.press_token(&card, &card.token("Allow once")).await;
        chat.settle().await;
        assert_eq!(state(&house, "Expired"), 1);
        assert_eq!(house.file("notes.txt"), None);
    }
}

on_both! {
    async fn refused_it_stays_refused(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        chat.press(&card, "Deny").await;
        chat.closed(&card, "Denied by owner").await;
        house.kill_and_start().await;
        chat.press_token(&card, &card.token("Allow once")).await;
        chat.settle().await;
        assert_eq!(state(&house, "Refused"), 1);
        assert_eq!(house.file("notes.txt"), None);
    }
}

on_both! {
    async fn withdrawn_it_stays_withdrawn(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        chat.say("/stop").await;
        chat.closed(&card, "stopped").await;
        house.kill_and_start().await;
        chat.press_token(&card, &card.token("Allow once")).await;
        chat.settle().await;
        assert_eq!(state(&house, "Withdrawn"), 1);
        assert_eq!(house.file("notes.txt"), None);
    }
}
