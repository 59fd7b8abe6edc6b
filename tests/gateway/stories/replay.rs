//! What a call gave is recorded, and given again without anything running.

use std::os::unix::fs::PermissionsExt;

use super::chat::{Chat, Door};
use super::house::{House, OWNER};

/// A house with a recording of one write, two reads of a changing file and a failed one.
async fn recorded() -> (House, std::path::PathBuf) {
    let mut house = House::build().await;
    let recording = house.home.path().join("recording");
    house.configure_more(&format!("[replay]\nrecord = {recording:?}\n"));
    house.start().await;
    assert!(
        house
            .banner()
            .contains("what each call gives is recorded in")
    );
    let chat = house.enter(Door::Telegram, OWNER, &house.code()).await;
    write(&chat, "hello").await;
    chat.say("read notes.txt").await;
    chat.sees("the first", |seen| {
        seen.text.contains("hello") && seen.text.contains("@files read")
    })
    .await;
    house.write_outside("notes.txt", "changed");
    chat.say("read notes.txt").await;
    chat.sees("the second", |seen| seen.text.contains("changed"))
        .await;
    chat.say("read nothing.txt").await;
    chat.told("failed").await;
    house.all_sent().await;
    house.kill();
    (house, recording)
}

async fn write(chat: &Chat, text: &str) {
    chat.say(&format!("write notes.txt: {text}")).await;
    let card = chat.card().await;
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "wrote notes.txt").await;
}

/// Another house that answers from it.
async fn answering(recording: &std::path::Path) -> (House, Chat) {
    let set = format!("[replay]\nanswer_from = {recording:?}\n");
    House::configured(Door::Telegram, &set).await
}

#[tokio::test]
async fn a_conversation_is_played_again_and_nothing_runs() {
    let (_first, recording) = recorded().await;
    let mode = std::fs::metadata(&recording).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (house, chat) = answering(&recording).await;
    assert!(
        house.banner().contains("no tool runs"),
        "{}",
        house.banner()
    );
    // Judged as always: the card comes before the recording is looked at.
    write(&chat, "hello").await;
    assert_eq!(house.file("notes.txt"), None);
    chat.say("read notes.txt").await;
    chat.sees("the first", |seen| {
        seen.text.contains("hello") && seen.text.contains("@files read")
    })
    .await;
    chat.say("read notes.txt").await;
    chat.sees("the second", |seen| seen.text.contains("changed"))
        .await;
    // Its mark is given with it: a change asks again because of outside content.
    chat.say("read nothing.txt").await;
    chat.told("failed").await;
    chat.say("read notes.txt").await;
    chat.told("the recording holds no further result of this call, and nothing is run")
        .await;
}

#[tokio::test]
async fn what_was_not_recorded_fails_and_is_not_run() {
    let (_first, recording) = recorded().await;
    let (house, chat) = answering(&recording).await;
    chat.say("write other.txt: x").await;
    let card = chat.card().await;
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "the recording holds no further result")
        .await;
    assert_eq!(house.file("other.txt"), None);
    // A denied call uses nothing up.
    chat.say("write notes.txt: hello").await;
    let card = chat.next_card(&card).await;
    chat.press(&card, "Deny").await;
    chat.closed(&card, "Denied").await;
    chat.say("write notes.txt: hello").await;
    let again = chat.next_card(&card).await;
    chat.press(&again, "Allow once").await;
    chat.closed(&again, "wrote notes.txt").await;
}

#[tokio::test]
async fn a_recording_that_is_missing_damaged_or_of_another_form_stops_the_start() {
    let (_first, recording) = recorded().await;
    let whole = std::fs::read_to_string(&recording).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let damaged = |line: u32| {
        format!("is damaged at line {line}, so nothing is answered from it; record it anew")
    };
    let cut = whole.get(..whole.len() - 20).unwrap().to_owned();
    let cases = [
        (Some(whole.replacen("hello", "evil!", 1)), damaged(2)),
        (Some([lines[0], lines[2]].join("\n")), damaged(2)),
        (Some(cut), damaged(u32::try_from(lines.len()).unwrap())),
        (Some(String::new()), damaged(1)),
        (Some("{\"form\":1}\n".to_owned()), damaged(1)),
        (Some(format!("{}\nnull\n", lines[0])), damaged(2)),
        (
            None,
            "cannot be used (there is no such file); name a recording that was made with record"
                .to_owned(),
        ),
    ];
    let house = House::build().await;
    house.configure_more(&format!("[replay]\nanswer_from = {recording:?}\n"));
    for (text, says) in cases {
        match text {
            Some(text) => std::fs::write(&recording, text).unwrap(),
            None => std::fs::remove_file(&recording).unwrap(),
        }
        let said = house.cli(&[]).await;
        assert_eq!(
            (said.code, said.err),
            (
                1,
                format!("postern: replay: {} {says}\n", recording.display())
            )
        );
    }
    std::fs::write(&recording, &whole).unwrap();
    std::fs::set_permissions(&recording, PermissionsExt::from_mode(0o666)).unwrap();
    let said = house.cli(&[]).await;
    assert!(
        said.err
            .contains("can be changed by others; make it yours alone with: chmod 600 "),
        "{said:?}"
    );
}

#[tokio::test]
async fn recording_and_answering_at_once_is_refused() {
    let house = House::build().await;
    house.configure_more("[replay]\nrecord = \"/a\"\nanswer_from = \"/b\"\n");
    let said = house.cli(&["config", "check"]).await;
    assert!(
        said.out
            .contains("record and answer_from are both set; keep one of them"),
        "{said:?}"
    );
}
