//! A chat that was quiet for long begins anew by itself, when nothing is under way.

use crate::stories::house::House;

/// Makes all that was said older than it is.
fn age(house: &House, hours: i64) {
    let database = house.database();
    database
        .execute("UPDATE entry SET at = at - ?1", [hours * 3_600_000])
        .unwrap();
}

const ANEW: &str = "A new conversation, as this chat was quiet for more than 12 hours";

on_both! {
    async fn after_twelve_quiet_hours_a_new_conversation_begins_and_says_so(house, chat) {
        chat.say("good morning").await;
        chat.told("I heard you.").await;
        house.all_sent().await;
        age(&house, 11);
        chat.say("good morning").await;
        chat.told_times("I heard you.", 2).await;
        assert_eq!(chat.times(ANEW).await, 0);
        house.all_sent().await;
        age(&house, 13);
        chat.say("good morning").await;
        chat.told_times("I heard you.", 3).await;
        assert_eq!(chat.times(ANEW).await, 1);
        assert_eq!(house.count("SELECT count(*) FROM conversation"), 2);
        // The old one is not ended: it keeps what it has.
        assert_eq!(house.count("SELECT count(*) FROM conversation WHERE ended IS NULL"), 2);
    }
}

on_both! {
    async fn not_while_a_question_is_open(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        house.all_sent().await;
        age(&house, 20);
        chat.say("good morning").await;
        chat.told("waits on its card").await;
        assert_eq!(chat.times(ANEW).await, 0);
        chat.press(&card, "Allow once").await;
        chat.closed(&card, "wrote notes.txt").await;
        assert_eq!(house.count("SELECT count(*) FROM conversation"), 1);
    }
}

on_both! {
    async fn not_where_the_place_is_linked(house, chat) {
        chat.say("good morning").await;
        chat.told("I heard you.").await;
        house.all_sent().await;
        age(&house, 20);
        house.database().execute("UPDATE place SET linked = 1", []).unwrap();
        chat.say("good morning").await;
        chat.told_times("I heard you.", 2).await;
        assert_eq!(chat.times(ANEW).await, 0);
    }
}
