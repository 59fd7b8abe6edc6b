//! People who want more than they were given, and what they get.

use std::time::Duration;

use fakes::telegram::{BOT_NAME, Fault, User};
use reqwest::StatusCode;
use serde_json::json;

use crate::stories::chat::{Chat, Door, fresh};
use crate::stories::house::{House, OWNER};

const ANNA: User = User(OWNER);
const MARK: &str = "This conversation has read outside content";

/// A group that the owner has paired from this account.
async fn paired_group(house: &House, owner: &Chat, user: User) -> fakes::telegram::Chat {
    let room = house.fake().group(-1001, "Friends");
    house.fake().say(user, room, "/pair");
    let asked = owner.told("wants to use me in the group").await;
    owner.press(&asked, "Allow this group").await;
    let chat = house.chat_of(user, room);
    chat.told("This group is paired with").await;
    room
}

#[tokio::test]
async fn a_quote_of_what_a_marked_conversation_answered_marks_the_next_one() {
    let (house, owner) = House::with_owner(Door::Telegram).await;
    house.fake().forward(ANNA, "a letter");
    owner.told(MARK).await;
    let answer = owner.told("I heard you.").await;
    owner.say("/new").await;
    owner.told("A fresh conversation").await;
    let on = answer.key.parse().unwrap();
    house.fake().reply(ANNA, ANNA.direct(), on, "go on");
    owner.told_times(MARK, 2).await;
}

#[tokio::test]
async fn of_many_presses_at_once_one_counts() {
    let (house, owner) = House::with_owner(Door::Web).await;
    for round in 0..5 {
        owner.say(&format!("write notes-{round}.txt: hello")).await;
        let card = owner
            .sees("card", |seen| {
                seen.labels().contains(&"Deny") && seen.text.contains(&format!("notes-{round}"))
            })
            .await;
        let (yes, no) = (card.token("Allow once"), card.token("Deny"));
        let presses = (0..12).map(|at| {
            let token = if at % 2 == 0 { &yes } else { &no };
            owner.try_press(&card, token)
        });
        futures_util::future::join_all(presses).await;
        let closed = owner
            .sees("end of the card", |seen| {
                seen.key == card.key
                    && (seen.text.contains("it did not run") || seen.text.contains("wrote notes"))
            })
            .await;
        let ran = house.file(&format!("notes-{round}.txt")).is_some();
        assert_eq!(ran, closed.text.contains("Allowed once"), "{closed:?}");
        assert!(
            !(closed.text.contains("Allowed") && closed.text.contains("Denied")),
            "{closed:?}"
        );
    }
}
