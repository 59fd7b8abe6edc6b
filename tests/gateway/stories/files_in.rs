//! A file that somebody sends lies in the inbox, under a name that nobody else chose.

use fakes::telegram::{Fault, User};
use serde_json::json;

use super::chat::{Chat, Door};
use super::discord::Den;
use super::house::{House, OWNER, soon};
use super::slack::{Office, Way};

const ANNA: User = User(OWNER);
const MARK: &str = "This conversation has read outside content";
/// The start of a PNG.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
/// The start of a voice note.
const OGG: &[u8] = b"OggS\0\x02\0\0\0\0\0\0\0\0";

/// What lies in the inbox of any workspace.
fn inbox(house: &House) -> Vec<String> {
    let workspaces = house.home.data().join("workspaces");
    let mut names: Vec<String> = std::fs::read_dir(workspaces)
        .into_iter()
        .flatten()
        .flat_map(|at| std::fs::read_dir(at.unwrap().path().join("inbox")))
        .flatten()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

async fn lies(house: &House, names: &[&str]) {
    let there = soon(|| (inbox(house) == names).then_some(()));
    assert!(
        there.await.is_some(),
        "{:?}: {}",
        inbox(house),
        house.errors()
    );
}

async fn history(house: &House) -> String {
    let database = house.database();
    let mut all = database.prepare("SELECT body FROM entry").unwrap();
    let rows = all.query_map([], |row| row.get::<_, String>(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

#[tokio::test]
async fn f94_no_name_that_a_sender_chose_reaches_the_disk_or_the_model() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    for name in ["../../etc/cron.d/evil.png", "..\\..\\x", "a\u{202E}gnp.exe"] {
        let over = json!({"file_name": name, "mime_type": "image/png"});
        house
            .fake()
            .send_file(ANNA, ANNA.direct(), "document", b"plain words", over);
    }
    lies(&house, &["file-1.txt", "file-2.txt", "file-3.txt"]).await;
    chat.told(MARK).await;
    let over = json!({"text": null});
    house.fake().message(ANNA, ANNA.direct(), "", over);
    house
        .fake()
        .send_file(ANNA, ANNA.direct(), "photo", PNG, json!({}));
    lies(
        &house,
        &["file-1.txt", "file-2.txt", "file-3.txt", "picture-4.png"],
    )
    .await;
    let told = soon(|| {
        let told = house.count(
            "SELECT count(*) FROM entry WHERE body LIKE '%lies in inbox/picture-4.png, 24 bytes%'",
        );
        (told == 1).then_some(())
    });
    assert!(told.await.is_some());
    let history = history(&house).await;
    for part in ["cron", "exe", "\u{202E}"] {
        assert!(!history.contains(part), "{history}");
    }
    // What was sent is outside, and reading it is no order that runs unasked.
    chat.say("read inbox/file-1.txt").await;
    chat.told("plain words").await;
    chat.say("write notes.txt: x").await;
    let card = chat.card().await;
    assert_eq!(card.labels(), ["Allow once", "Deny", "More"], "{card:?}");
}

#[tokio::test]
async fn a_voice_note_is_told_of_and_is_the_speakers_own_unless_it_was_passed_on() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    house
        .fake()
        .send_file(ANNA, ANNA.direct(), "voice", OGG, json!({}));
    lies(&house, &["voice-note-1.ogg"]).await;
    chat.told("I heard you.").await;
    chat.settle().await;
    assert_eq!(chat.times(MARK).await, 0);
    let id = house.fake().hold(OGG);
    let origin = json!({"type": "hidden_user", "sender_user_name": "S", "date": 1_780_000_000});
    let voice = json!({"file_id": id, "file_unique_id": "u", "duration": 1});
    let over = json!({"text": null, "voice": voice, "forward_origin": origin});
    house.fake().message(ANNA, ANNA.direct(), "", over);
    lies(&house, &["voice-note-1.ogg", "voice-note-2.ogg"]).await;
    chat.told(MARK).await;
}

#[tokio::test]
async fn f16_each_file_of_several_is_there_or_it_is_said_why_not() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    let send = |bytes: &[u8], over| {
        house
            .fake()
            .send_file(ANNA, ANNA.direct(), "photo", bytes, over)
    };
    send(PNG, json!({}));
    lies(&house, &["picture-1.png"]).await;
    // Gone, too large by what is said of it, lying outside of where files lie.
    send(PNG, json!({"file_id": "AgAC-gone"}));
    chat.told("I could not take the picture that you sent: the platform refuses it: Bad Request: invalid file_id.").await;
    send(PNG, json!({"file_size": 20_000_001}));
    chat.told("it is larger than 20 MB").await;
    let id = house.fake().hold(PNG);
    house.fake().misplace(&id, "../secret");
    send(PNG, json!({"file_id": id}));
    chat.told("it does not say where the file is").await;
    assert!(!house.errors().contains("STORY"), "{}", house.errors());
    lies(&house, &["picture-1.png"]).await;
}

#[tokio::test]
async fn a_file_that_was_not_fetched_before_a_crash_or_a_failure_is_fetched_after_it() {
    let (mut house, chat) = House::with_owner(Door::Telegram).await;
    house.fake().inject("download", Fault::Status(502));
    house
        .fake()
        .send_file(ANNA, ANNA.direct(), "photo", PNG, json!({}));
    lies(&house, &["picture-1.png"]).await;
    // Else one answer may be for both.
    chat.told("I heard you.").await;
    for _ in 0..8 {
        house.fake().inject("download", Fault::Status(502));
    }
    house
        .fake()
        .send_file(ANNA, ANNA.direct(), "photo", PNG, json!({}));
    let noted = soon(|| {
        (house.count("SELECT count(*) FROM received WHERE state = 'wanted'") == 1).then_some(())
    });
    assert!(noted.await.is_some());
    house.kill();
    house.fake().forget_faults("download");
    house.start().await;
    lies(&house, &["picture-1.png", "picture-2.png"]).await;
    chat.told_times("I heard you.", 2).await;
}

#[tokio::test]
async fn the_page_takes_a_file_of_whoever_is_let_in_and_no_other() {
    let (house, chat) = House::with_owner(Door::Web).await;
    let guest = house.new_code(Some("Anna")).await;
    let guest = Chat::web(house.world.clone(), &guest).await.unwrap();
    assert_eq!(chat.upload("one", PNG.to_vec()).await, 200);
    lies(&house, &["picture-1.png"]).await;
    chat.told(MARK).await;
    // The same one again is the same message.
    assert_eq!(chat.upload("one", PNG.to_vec()).await, 200);
    assert_eq!(guest.upload("two", b"words".to_vec()).await, 200);
    lies(&house, &["file-1.txt", "picture-1.png"]).await;
    // It may be told so before the browser has sent it all.
    assert!(matches!(
        chat.upload("three", vec![0; 20_000_001]).await,
        0 | 413
    ));
    assert_eq!(chat.upload("four", Vec::new()).await, 400);
    let stranger = house
        .world
        .http
        .post(format!("{}/api/upload/five", chat.address()));
    let stranger = stranger
        .header("origin", chat.address())
        .header("content-type", "application/octet-stream")
        .body(vec![0; 100]);
    assert_eq!(stranger.send().await.unwrap().status(), 401);
    chat.settle().await;
    lies(&house, &["file-1.txt", "picture-1.png"]).await;
}

#[tokio::test]
async fn a_pdf_and_a_page_that_were_sent_are_read_elsewhere_and_a_bomb_ends_there() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    let page = b"<!doctype html><html><script>no()</script><p>said on a page</p></html>";
    let sent = [fixture("plain.pdf"), fixture("bomb.pdf"), page.to_vec()];
    for bytes in &sent {
        let none = json!({});
        house
            .fake()
            .send_file(ANNA, ANNA.direct(), "document", bytes, none);
    }
    lies(&house, &["file-1.pdf", "file-2.pdf", "file-3.txt"]).await;
    chat.say("read inbox/file-1.pdf").await;
    chat.told("The gate opens at nine").await;
    chat.say("read inbox/file-2.pdf").await;
    chat.told("inbox/file-2.pdf: ").await;
    chat.say("read inbox/file-3.txt").await;
    let told = chat.told("said on a page").await;
    assert!(!told.text.contains("script"), "{told:?}");
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures");
    std::fs::read(folder.join("web-pages").join(name)).unwrap()
}

#[tokio::test]
async fn stop_ends_the_fetching_of_files_at_once() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    house.fake().inject("getFile", Fault::Hang);
    for _ in 0..2 {
        house
            .fake()
            .send_file(ANNA, ANNA.direct(), "photo", PNG, json!({}));
    }
    let wanted = "SELECT count(*) FROM received WHERE state = 'wanted'";
    let both = soon(|| (house.count(wanted) == 2).then_some(()));
    assert!(both.await.is_some());
    chat.say("/stop").await;
    chat.told("Stopped.").await;
    chat.say("remember the keys").await;
    chat.told("remembered").await;
    assert_eq!(inbox(&house), Vec::<String>::new());
    assert_eq!(house.count(wanted), 0);
    let history = history(&house).await;
    let told = "the person ended the turn before it was fetched";
    assert_eq!(history.matches(told).count(), 2, "{history}");
    // The next one comes as ever.
    house
        .fake()
        .send_file(ANNA, ANNA.direct(), "photo", PNG, json!({}));
    lies(&house, &["picture-3.png"]).await;
}

#[tokio::test]
async fn a_picture_from_discord_lies_in_the_inbox_under_a_name_of_ours_and_is_outside() {
    let den = Den::open("").await;
    den.fake
        .send_file(super::discord::ANNA, den.direct, "", "image/png", PNG);
    lies(&den.house, &["picture-1.png"]).await;
    den.told(den.direct, MARK).await;
}

#[tokio::test]
async fn a_picture_from_slack_lies_in_the_inbox_under_a_name_of_ours_and_is_outside() {
    let office = Office::open(Way::Socket).await;
    let (fake, direct) = (&office.fake, office.anna.direct());
    let over = json!({"subtype": "file_share", "files": [fake.file("F01ONE", "image/png", PNG)]});
    fake.message(&office.anna, &direct, "", over);
    lies(&office.house, &["picture-1.png"]).await;
    office.told(&direct, MARK).await;
}
