//! What was sent as one thing comes in as one message, and goes out as one.

use std::time::Duration;

use bot_policy::event::PartBody;
use fakes::telegram::{BOT_NAME, User};

use super::chat::{Chat, Door};
use super::house::{House, OWNER, soon};

const ANNA: User = User(OWNER);
/// The start of a PNG.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";

/// Sends photos of one album, a little after each other.
async fn sends(house: &House, chat: &Chat, album: &str, photos: usize, caption: Option<&str>) {
    for at in 0..photos {
        let caption = caption.filter(|_| at == 0);
        let room = chat.room();
        house.fake().send_part(ANNA, room, album, PNG, caption);
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}

/// What the person said so far: for each message, its texts.
fn said(house: &House) -> Vec<Vec<String>> {
    let database = house.database();
    let query = "SELECT body FROM entry WHERE body LIKE '{\"Person\"%' ORDER BY conversation, seq";
    let mut found = database.prepare(query).unwrap();
    let bodies = found.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let texts = |body: String| {
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        let parts = body["Person"]["parts"].as_array().unwrap().clone();
        let text = |part: &serde_json::Value| {
            let body: PartBody = serde_json::from_value(part["value"].clone()).unwrap();
            match body {
                PartBody::Text(text) => text,
                PartBody::File(_) => "a file".to_owned(),
            }
        };
        parts.iter().map(text).collect()
    };
    bodies.map(|body| texts(body.unwrap())).collect()
}

fn picture(number: usize) -> String {
    format!("(a picture was sent along; it lies in inbox/picture-{number}.png, 24 bytes)")
}

/// Waits until this many pictures lie in the inbox and were told of.
async fn told_of(house: &House, pictures: usize) {
    let all = soon(|| {
        let told = said(house).concat();
        (told
            .iter()
            .filter(|text| text.contains("lies in inbox"))
            .count()
            == pictures)
            .then_some(())
    });
    assert!(all.await.is_some(), "{:?}: {}", said(house), house.errors());
}

#[tokio::test]
async fn f15_four_photos_with_one_caption_are_one_message_in_the_order_of_the_chat() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    sends(&house, &chat, "901", 4, Some("read notes.txt")).await;
    chat.told("there is no file notes.txt").await;
    told_of(&house, 4).await;
    let mut expected = vec!["read notes.txt".to_owned()];
    expected.extend((1..=4).map(picture));
    assert_eq!(said(&house), [expected]);
    chat.settle().await;
    assert_eq!(chat.times("there is no file notes.txt").await, 1);
    assert_eq!(house.count("SELECT count(*) FROM album_part"), 0);
}

#[tokio::test]
async fn f08_f15_an_album_that_a_crash_meets_halfway_is_one_message_after_it() {
    let (mut house, chat) = House::with_owner(Door::Telegram).await;
    sends(&house, &chat, "902", 2, Some("read a.txt")).await;
    house.all_heard().await;
    house.kill();
    sends(&house, &chat, "902", 1, None).await;
    house.start().await;
    chat.told("there is no file a.txt").await;
    told_of(&house, 3).await;
    let said = said(&house);
    assert!((1..=2).contains(&said.len()), "{said:?}");
    let mut expected = vec!["read a.txt".to_owned()];
    expected.extend((1..=3).map(picture));
    assert_eq!(said.concat(), expected);
}

#[tokio::test]
async fn what_is_written_after_an_album_comes_after_it() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    let room = chat.room();
    house
        .fake()
        .send_part(ANNA, room, "903", PNG, Some("read a.txt"));
    house
        .fake()
        .send_part(ANNA, room, "904", PNG, Some("read b.txt"));
    chat.say("read c.txt").await;
    chat.told("there is no file c.txt").await;
    told_of(&house, 2).await;
    let said = said(&house);
    let first: Vec<&str> = said.iter().map(|texts| texts[0].as_str()).collect();
    assert_eq!(first, ["read a.txt", "read b.txt", "read c.txt"]);
}

#[tokio::test]
async fn f16_in_a_group_the_photos_without_a_caption_come_with_the_one_that_speaks_to_the_bot() {
    let (house, owner) = House::with_owner(Door::Telegram).await;
    let room = house.fake().group(-1001, "Friends");
    let chat = house.chat_of(ANNA, room);
    chat.say(&format!("/pair@{BOT_NAME}")).await;
    let asked = owner.told("wants to use me in the group").await;
    owner.press(&asked, "Allow this group").await;
    chat.told("This group is paired with owner").await;
    let caption = format!("@{BOT_NAME}\nlook at these");
    sends(&house, &chat, "905", 3, Some(&caption)).await;
    told_of(&house, 3).await;
    assert_eq!(said(&house)[0].len(), 4, "{:?}", said(&house));
    // An album that speaks to nobody here stays unread, and a bystander's stays theirs.
    sends(&house, &chat, "906", 2, None).await;
    let bystander = house.fake().person(8001, "Mallory");
    house
        .fake()
        .send_part(bystander, room, "905", PNG, Some(&caption));
    owner.settle().await;
    let taken = soon(|| (house.count("SELECT count(*) FROM album_part") == 0).then_some(()));
    assert!(taken.await.is_some());
    told_of(&house, 3).await;
}
