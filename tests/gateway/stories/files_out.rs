//! A file goes to the chat that it belongs to, as it was when somebody said yes.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use fakes::telegram::{Fault, Sent, User};
use serde_json::{Value, json};

use super::chat::{Chat, Door, Seen};
use super::house::{House, OWNER, soon};

const ANNA: User = User(OWNER);

async fn with_notes(house: &House, chat: &Chat) -> (PathBuf, Seen) {
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    chat.press(&card, "Allow once").await;
    let card = chat.closed(&card, "wrote notes.txt").await;
    let mut all = std::fs::read_dir(house.home.data().join("workspaces")).unwrap();
    (all.next().unwrap().unwrap().path(), card)
}

on_both! {
    async fn a_file_is_asked_about_and_goes_as_it_was_when_it_was_allowed(house, chat) {
        let (at, card) = with_notes(&house, &chat).await;
        chat.say("send notes.txt").await;
        let asked = chat.next_card(&card).await;
        assert!(asked.text.contains("@files send"), "{asked:?}");
        house.write_outside("notes.txt", "something else");
        chat.press(&asked, "Allow once").await;
        chat.closed(&asked, "hings changed").await;
        let again = chat.next_card(&asked).await;
        chat.press(&again, "Allow once").await;
        chat.closed(&again, "sent notes.txt (14 bytes)").await;
        chat.sees("the file", |seen| seen.text.trim() == "notes.txt").await;
        let copies = std::fs::read_dir(house.home.data().join("outgoing")).unwrap();
        assert_eq!(copies.count(), 1);
        // Whatever becomes of it, what was sent stays what it was.
        std::fs::write(at.join("notes.txt"), "gone").unwrap();
        match chat.door() {
            Door::Telegram => {
                let shown = house.fake().messages(ANNA.direct());
                let sent: Vec<_> = shown.into_iter().filter_map(|shown| shown.file).collect();
                let bytes = b"something else".to_vec();
                let name = "notes.txt".to_owned();
                assert_eq!(sent, [Sent { kind: "document", name, bytes, album: None }]);
            }
            Door::Discord | Door::Slack | Door::WhatsApp => {
                let bytes = b"something else".to_vec();
                assert_eq!(chat.files(), [("notes.txt".to_owned(), bytes)]);
            }
            Door::Web => {
                let page: Value = chat.get("chat").await.json().await.unwrap();
                let items = page["items"].as_array().unwrap();
                let file = items.iter().find(|item| item["body"]["kind"] == "file").unwrap();
                let digest = file["body"]["file"]["digest"].as_str().unwrap();
                let got = chat.get(&format!("file/{digest}")).await;
                let header = |name: &str| got.headers()[name].to_str().unwrap().to_owned();
                assert_eq!(header("content-disposition"), "attachment; filename*=UTF-8''notes.txt");
                assert_eq!(header("content-security-policy"), "default-src 'none'; sandbox");
                assert_eq!(header("x-content-type-options"), "nosniff");
                assert_eq!(header("content-type"), "application/octet-stream");
                assert_eq!(got.bytes().await.unwrap(), "something else");
                let other = chat.get(&format!("file/{}", "0".repeat(64))).await;
                assert_eq!(other.status(), 404);
                assert_eq!(chat.get("file/..%2f..%2fpostern.db").await.status(), 404);
                let guest = house.new_code(Some("Anna")).await;
                let guest = Chat::web(house.world.clone(), &guest).await.unwrap();
                assert_eq!(guest.get(&format!("file/{digest}")).await.status(), 404);
            }
        }
    }
}

#[tokio::test]
async fn f93_only_a_regular_file_of_the_workspace_leaves() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    let (at, _) = with_notes(&house, &chat).await;
    chat.say("/policy auto").await;
    chat.told("Policy: auto.").await;
    let secret = house.home.config().join("secret.txt");
    std::fs::write(&secret, "tell-nobody").unwrap();
    symlink(&secret, at.join("link.txt")).unwrap();
    symlink(house.home.config(), at.join("out")).unwrap();
    std::fs::hard_link(&secret, at.join("hard.txt")).unwrap();
    std::fs::create_dir(at.join("folder")).unwrap();
    std::fs::File::create(at.join("big.bin"))
        .unwrap()
        .set_len(50_000_001)
        .unwrap();
    std::fs::File::create(at.join("none.txt")).unwrap();
    for (name, why) in [
        ("link.txt", "link.txt is not a file"),
        ("out/secret.txt", "out/secret.txt leads out"),
        ("hard.txt", "hard.txt is linked from elsewhere too"),
        ("folder", "folder is not a file"),
        ("big.bin", "big.bin is larger than 50 MB"),
        ("none.txt", "none.txt is empty"),
        ("/etc/passwd", "leads out of the workspace"),
        ("../../postern.db", "leads out of the workspace"),
    ] {
        chat.say(&format!("send {name}")).await;
        chat.told(why).await;
    }
    assert!(
        house
            .fake()
            .messages(ANNA.direct())
            .iter()
            .all(|shown| shown.file.is_none())
    );
}

#[tokio::test]
async fn a_picture_is_shown_as_one_and_a_lost_answer_is_told_and_not_repeated() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
    house
        .fake()
        .send_file(ANNA, ANNA.direct(), "photo", png, json!({}));
    let stored = soon(|| {
        (house.count("SELECT count(*) FROM received WHERE state = 'stored'") == 1).then_some(())
    });
    assert!(stored.await.is_some());
    house.fake().inject("sendPhoto", Fault::Drop);
    chat.say("send inbox/picture-1.png").await;
    let card = chat.card().await;
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "sent inbox/picture-1.png").await;
    let told = chat.told("My last message may not have arrived.").await;
    let sent = || {
        let shown = house.fake().messages(ANNA.direct());
        shown
            .into_iter()
            .filter_map(|shown| shown.file)
            .collect::<Vec<_>>()
    };
    let picture = Sent {
        kind: "photo",
        name: "picture-1.png".to_owned(),
        bytes: png.to_vec(),
        album: None,
    };
    assert_eq!(sent(), std::slice::from_ref(&picture));
    chat.press(&told, "Resend").await;
    assert!(
        soon(|| (sent() == [picture.clone(), picture.clone()]).then_some(()))
            .await
            .is_some()
    );
}

#[tokio::test]
async fn a_copy_goes_thirty_days_after_it_was_sent_and_a_younger_one_stays() {
    let (mut house, chat) = House::with_owner(Door::Telegram).await;
    let (at, _) = with_notes(&house, &chat).await;
    std::fs::write(at.join("young.txt"), "young").unwrap();
    chat.say("/policy auto").await;
    chat.told("Policy: auto.").await;
    for (name, times) in [("notes.txt", 1), ("young.txt", 2)] {
        chat.say(&format!("send {name}")).await;
        let sent = soon(|| (house.count("SELECT count(*) FROM outgoing") == times).then_some(()));
        assert!(sent.await.is_some(), "{name}: {}", house.errors());
    }
    house.all_sent().await;
    house.kill();
    let day = std::time::Duration::from_secs(24 * 60 * 60);
    let folder = house.home.data().join("outgoing");
    let copy_of = |name: &str| -> PathBuf {
        let database = house.database();
        let query = "SELECT digest FROM outgoing WHERE name = ?1";
        let digest = database.query_row(query, [name], |row| row.get::<_, String>(0));
        folder.join(digest.unwrap())
    };
    let (old, young) = (copy_of("notes.txt"), copy_of("young.txt"));
    for (copy, days) in [(&old, 31), (&young, 29)] {
        let then = std::time::SystemTime::now() - day * days;
        std::fs::File::options()
            .write(true)
            .open(copy)
            .unwrap()
            .set_modified(then)
            .unwrap();
        let ago = i64::try_from((day * days).as_millis()).unwrap();
        let digest = copy.file_name().unwrap().to_str().unwrap().to_owned();
        let set = "UPDATE outgoing SET at = at - ?1 WHERE digest = ?2";
        house.database().execute(set, (ago, digest)).unwrap();
    }
    house.start().await;
    assert!(
        soon(|| (!old.exists()).then_some(())).await.is_some(),
        "{}",
        house.errors()
    );
    assert_eq!(std::fs::read(&young).unwrap(), b"young");
    assert_eq!(house.count("SELECT count(*) FROM outgoing"), 1);
    assert_eq!(
        house.count("SELECT count(*) FROM outgoing WHERE name = 'young.txt'"),
        1
    );
}

#[tokio::test]
async fn f83_a_guest_has_no_way_to_files_not_even_by_sending_one() {
    let (house, _chat) = House::with_owner(Door::Telegram).await;
    let guest = house.new_code(Some("Ben")).await;
    let guest = house.enter(Door::Telegram, 7002, &guest).await;
    for (times, order) in (1..).zip(["send notes.txt", "list .", "find x"]) {
        guest.say(order).await;
        guest
            .told_times("there is no tool @files in this chat", times)
            .await;
    }
}

#[tokio::test]
async fn a_voice_note_goes_out_as_one_and_other_sound_as_a_file() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    let (at, _) = with_notes(&house, &chat).await;
    chat.say("/policy auto").await;
    chat.told("Policy: auto.").await;
    let mut opus = b"OggS\0\x02".to_vec();
    opus.resize(28, 0);
    let vorbis = [&opus[..], b"\x01vorbis\0"].concat();
    opus.extend(b"OpusHead");
    std::fs::write(at.join("said.ogg"), &opus).unwrap();
    std::fs::write(at.join("song.ogg"), &vorbis).unwrap();
    chat.say("send said.ogg\nsend song.ogg").await;
    let sent = || {
        let shown = house.fake().messages(ANNA.direct());
        let sent = shown.into_iter().filter_map(|shown| shown.file);
        sent.map(|sent| (sent.kind, sent.name)).collect::<Vec<_>>()
    };
    let wanted = [
        ("voice", "said.ogg".to_owned()),
        ("document", "song.ogg".to_owned()),
    ];
    assert!(
        soon(|| (sent() == wanted).then_some(())).await.is_some(),
        "{:?}",
        sent()
    );
}
