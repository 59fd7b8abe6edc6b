//! What was sent as one thing comes in as one message, and goes out as one.

use std::time::Duration;

use bot_policy::event::PartBody;
use fakes::telegram::{BOT_NAME, Fault, User};
use serde_json::json;

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
async fn f14_what_is_written_under_an_album_is_changed_as_any_other_words() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    let room = chat.room();
    let caption = Some("wait 50\nremember the first");
    let message = house.fake().send_part(ANNA, room, "907", PNG, caption);
    house.fake().send_part(ANNA, room, "907", PNG, None);
    house.thinks().await;
    let over = json!({
        "text": null, "caption": "remember the second", "media_group_id": "907",
        "message_id": message, "edit_date": 1_790_000_100,
    });
    let changed = house.fake().body(ANNA, room, "", over);
    house.fake().update("edited_message", changed);
    chat.told("remembered").await;
    let kept = "SELECT count(*) FROM memory WHERE text = 'the second'";
    assert_eq!(house.count(kept), 1);
    assert_eq!(house.count("SELECT count(*) FROM memory"), 1);
    told_of(&house, 2).await;
    assert_eq!(said(&house).len(), 1);
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

#[tokio::test]
async fn of_a_strangers_album_nothing_is_kept_not_even_until_it_is_whole() {
    let (house, owner) = House::with_owner(Door::Telegram).await;
    let mallory = house.fake().person(8001, "Mallory");
    let room = mallory.direct();
    let caption = "a caption of nobody we know";
    for _ in 0..3 {
        house
            .fake()
            .send_part(mallory, room, "907", PNG, Some(caption));
    }
    house.all_heard().await;
    assert_eq!(house.count("SELECT count(*) FROM album_part"), 0);
    owner.settle().await;
    let answers = house.fake().messages(room);
    assert_eq!(answers.len(), 1, "{answers:?}");
    for file in std::fs::read_dir(house.home.data()).unwrap() {
        let at = file.unwrap().path();
        if at.is_file() {
            let bytes = std::fs::read(&at).unwrap();
            let holds = bytes
                .windows(caption.len())
                .any(|part| part == caption.as_bytes());
            assert!(!holds, "{}", at.display());
        }
    }
}

/// Puts photos and notes into the workspace, and lets everything be sent without a card.
async fn with_files(chat: &Chat, house: &House) {
    chat.say("write a.txt: one").await;
    let card = chat.card().await;
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "wrote a.txt").await;
    let mut workspaces = std::fs::read_dir(house.home.data().join("workspaces")).unwrap();
    let at = workspaces.next().unwrap().unwrap().path();
    for (name, bytes) in [
        ("b.txt", &b"two"[..]),
        ("c.png", PNG),
        ("d.png", PNG),
        ("e.png", PNG),
    ] {
        std::fs::write(at.join(name), bytes).unwrap();
    }
    chat.say("/policy auto").await;
    chat.told("Policy: auto.").await;
}

/// The files that stand in the chat: name and album.
fn files(house: &House) -> Vec<(String, Option<u64>)> {
    let shown = house.fake().messages(ANNA.direct());
    let sent = shown.into_iter().filter_map(|shown| shown.file);
    sent.map(|sent| (sent.name, sent.album)).collect()
}

async fn stand(house: &House, wanted: &[(&str, Option<u64>)]) {
    let wanted: Vec<_> = wanted
        .iter()
        .map(|(name, album)| (name.to_string(), *album))
        .collect();
    let there = soon(|| (files(house) == wanted).then_some(()));
    assert!(
        there.await.is_some(),
        "{:?}: {}",
        files(house),
        house.errors()
    );
}

#[tokio::test]
async fn files_of_one_reply_are_one_album_and_pictures_and_notes_are_not_mixed() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    with_files(&chat, &house).await;
    chat.say("send c.png\nsend d.png\nsend a.txt\nsend b.txt\nsend e.png")
        .await;
    let wanted = [
        ("c.png", Some(1)),
        ("d.png", Some(1)),
        ("a.txt", Some(2)),
        ("b.txt", Some(2)),
        ("e.png", None),
    ];
    stand(&house, &wanted).await;
    house.all_sent().await;
    let records = "SELECT count(*) FROM outbox WHERE state = 'sent' AND encoded LIKE '%digest%'";
    assert_eq!(house.count(records), 5);
    let named = "SELECT count(DISTINCT message) FROM outbox WHERE encoded LIKE '%digest%'";
    assert_eq!(house.count(named), 5);
}

#[tokio::test]
async fn files_of_one_reply_are_one_message_where_one_holds_them_all() {
    let (house, chat) = House::with_owner(Door::Discord).await;
    with_files(&chat, &house).await;
    chat.say("send c.png\nsend a.txt\nsend b.txt").await;
    let whole = "c.png\na.txt\nb.txt";
    chat.sees(whole, |seen| seen.text.trim() == whole).await;
    let names: Vec<String> = chat.files().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["c.png", "a.txt", "b.txt"]);
    house.all_sent().await;
    let records = "SELECT count(*) FROM outbox WHERE state = 'sent' AND encoded LIKE '%digest%'";
    assert_eq!(house.count(records), 3);
}

#[tokio::test]
async fn f36_an_album_whose_answer_was_lost_is_told_once_and_comes_again_only_when_asked_for() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    with_files(&chat, &house).await;
    house.fake().inject("sendMediaGroup", Fault::Drop);
    chat.say("send c.png\nsend d.png").await;
    let told = chat.told("My last 2 files may not have arrived.").await;
    let first = [("c.png", Some(1)), ("d.png", Some(1))];
    stand(&house, &first).await;
    chat.press(&told, "Resend").await;
    let again = [first[0], first[1], ("c.png", Some(2)), ("d.png", Some(2))];
    stand(&house, &again).await;
    assert_eq!(chat.times("may not have arrived").await, 1);
}

#[tokio::test]
async fn an_album_that_is_refused_goes_one_by_one_and_one_that_is_put_off_stays_one() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    with_files(&chat, &house).await;
    let refused = Fault::Refuse {
        code: 400,
        description: "Bad Request: group send failed".to_owned(),
    };
    house.fake().inject("sendMediaGroup", refused);
    chat.say("send c.png\nsend d.png").await;
    stand(&house, &[("c.png", None), ("d.png", None)]).await;
    house
        .fake()
        .inject("sendMediaGroup", Fault::TooMany { retry_after: 1 });
    chat.say("send a.txt\nsend b.txt").await;
    let wanted = [
        ("c.png", None),
        ("d.png", None),
        ("a.txt", Some(1)),
        ("b.txt", Some(1)),
    ];
    stand(&house, &wanted).await;
}

#[tokio::test]
async fn f36_an_album_that_a_crash_met_on_its_way_is_told_once() {
    let (mut house, chat) = House::with_owner(Door::Telegram).await;
    with_files(&chat, &house).await;
    house.fake().inject("sendMediaGroup", Fault::Hang);
    chat.say("send c.png\nsend d.png").await;
    let handed = soon(|| {
        let sending = "SELECT count(*) FROM outbox WHERE state = 'sending' AND album IS NOT NULL";
        (house.count(sending) == 2).then_some(())
    });
    assert!(handed.await.is_some(), "{}", house.errors());
    house.kill_and_start().await;
    chat.told("My last 2 files may not have arrived.").await;
    chat.settle().await;
    assert_eq!(chat.times("may not have arrived").await, 1);
    assert_eq!(files(&house), []);
}
