//! A reply gets to its person, or they are told elsewhere.

use fakes::telegram::{Fault, User};
use serde_json::Value;

use super::chat::{Chat, Door};
use super::house::{House, OWNER, soon};
use super::wrong::{Call, Wrong};

const ANNA: User = User(OWNER);

/// The owner on a platform and, with a code of their own, at the page.
async fn owner_on_both(door: Door) -> (House, Chat, Chat) {
    let (house, phone) = House::with_owner(door).await;
    let code = house.new_code(None).await;
    let page = house.enter(Door::Web, 0, &code).await;
    house.all_sent().await;
    (house, phone, page)
}

on_platforms! {
    async fn f39_a_reply_that_is_refused_is_shown_on_the_page_of_the_same_person(door) {
        let (house, phone, page) = owner_on_both(door).await;
        house.goes_wrong(door, Call::Send, Wrong::Refuse);
        phone.say("remember the gate is green").await;
        let seen = page.told("A message belongs in the chat").await;
        let refused = format!("on {}, where it could not be shown: the platform refuses it: ", door.line());
        assert!(seen.text.contains(&refused), "{seen:?}");
        assert!(seen.text.contains("remembered"), "{seen:?}");
        page.settle().await;
        assert_eq!(page.times("A message belongs in").await, 1);
        assert_eq!(phone.times("remembered").await, 0);
        let status = house.cli(&["status"]).await;
        assert!(
            status.out.contains(": 1 not delivered; the platform refuses it: "),
            "{status:?}"
        );
    }
}

on_platforms! {
    async fn f39_a_card_that_is_refused_is_told_elsewhere_and_not_answered_there(door) {
        let (house, phone, page) = owner_on_both(door).await;
        house.goes_wrong(door, Call::Send, Wrong::Refuse);
        phone.say("write notes.txt: hello").await;
        let seen = page.told("A card belongs in the chat").await;
        assert!(
            seen.text
                .contains("It can be answered there alone; until then nothing of it runs.")
        );
        assert_eq!(seen.labels(), Vec::<&str>::new());
        assert_eq!(house.file("notes.txt"), None);
    }
}

on_platforms! {
    async fn f39_what_belongs_to_a_guest_or_to_an_incognito_conversation_is_repeated_nowhere(door) {
        let (house, phone, page) = owner_on_both(door).await;
        let code = house.new_code(Some("Ana")).await;
        let guest = house.enter(door, 7002, &code).await;
        house.all_sent().await;
        house.goes_wrong(door, Call::Send, Wrong::Refuse);
        guest.say("remember the guest is here").await;
        let failed = "SELECT count(*) FROM outbox WHERE state = 'failed'";
        assert!(
            soon(|| (house.count(failed) == 1).then_some(()))
                .await
                .is_some()
        );
        phone.say("/incognito").await;
        phone.told("Incognito: no files").await;
        house.all_sent().await;
        house.goes_wrong(door, Call::Send, Wrong::Refuse);
        phone.say("the whispered word").await;
        let seen = page
            .told("It is of an incognito conversation, so I do not repeat it here.")
            .await;
        assert!(!seen.text.contains("I heard you"), "{seen:?}");
        page.settle().await;
        assert_eq!(page.times("belongs in the chat").await, 1);
    }
}

#[tokio::test]
async fn f33_while_held_nothing_is_called_and_of_the_edits_only_the_newest_goes_out() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    house.all_sent().await;
    let slow = Fault::TooMany { retry_after: 2 };
    house.fake().inject("editMessageText", slow);
    let sent = house.fake().arrivals("sendmessage");
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "wrote notes.txt").await;
    chat.told_times("wrote notes.txt", 2).await;
    let texts: Vec<Value> = house.fake().calls_of("editMessageText");
    assert_eq!(texts.len(), 2, "{texts:#?}");
    let refused = house.fake().arrival("editmessagetext", 0).unwrap();
    let held = std::time::Duration::from_secs(2);
    let next = [
        house.fake().arrival("editmessagetext", 1),
        house.fake().arrival("sendmessage", sent),
    ];
    for next in next {
        assert!(next.unwrap().duration_since(refused) >= held);
    }
}

#[tokio::test]
async fn f38_trouble_that_may_pass_is_tried_again_later_each_time() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    house.all_sent().await;
    for _ in 0..2 {
        house.fake().inject("editMessageText", Fault::Status(502));
    }
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    chat.press(&card, "Deny").await;
    chat.closed(&card, "Denied").await;
    let at = |n| house.fake().arrival("editmessagetext", n).unwrap();
    let (first, second) = (at(1).duration_since(at(0)), at(2).duration_since(at(1)));
    assert!(second > first, "{first:?} then {second:?}");
    chat.told("denied, so it did not run").await;
    house.all_sent().await;
    let shown = house.fake().messages(ANNA.direct());
    let denied = shown
        .iter()
        .filter(|message| message.text.contains("Denied by owner"));
    // The welcome, the card, and what the agent says of the answer: nothing twice.
    assert_eq!((shown.len(), denied.count()), (3, 1), "{shown:?}");
}

on_platforms! {
    async fn f38_trouble_that_may_pass_delays_the_end_of_a_card_and_doubles_nothing(door) {
        let (house, chat) = House::with_owner(door).await;
        house.all_sent().await;
        for _ in 0..2 {
            house.goes_wrong(door, Call::Edit, Wrong::Status(502));
        }
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        chat.press(&card, "Deny").await;
        chat.closed(&card, "Denied").await;
        chat.told("denied, so it did not run").await;
        house.all_sent().await;
        assert_eq!(chat.screen().await.len(), 3);
    }
}

on_platforms! {
    async fn f33_too_many_requests_hold_the_end_of_a_card_and_then_it_shows_once(door) {
        let (house, chat) = House::with_owner(door).await;
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        house.all_sent().await;
        house.goes_wrong(door, Call::Edit, Wrong::TooMany);
        chat.press(&card, "Allow once").await;
        chat.closed(&card, "wrote notes.txt").await;
        chat.told_times("wrote notes.txt", 2).await;
        house.all_sent().await;
        assert_eq!(chat.screen().await.len(), 3);
    }
}
