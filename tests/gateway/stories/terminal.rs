//! What the owner sees at the terminal while the program runs.

use std::net::TcpListener;

use super::chat::Door;
use super::house::{House, OWNER};

#[tokio::test]
async fn the_status_names_people_lines_and_open_cards() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    let guest = house.new_code(Some("Ana")).await;
    house.enter(Door::Web, 0, &guest).await;
    chat.say("write notes.txt: hello").await;
    chat.card().await;
    house.new_code(None).await;
    let status = house.cli(&["status"]).await;
    for line in [
        "line      phone (telegram): listening, @postern_test_bot",
        "model     practice",
        "owner     owner at phone 7001",
        "guest     Ana at web ",
        "waiting   1 open card, 1 live code",
    ] {
        assert!(status.out.contains(line), "{line}: {status:?}");
    }
    assert_eq!(status.code, 0);
    let doctor = house.cli(&["doctor"]).await;
    assert_eq!(
        (doctor.code, doctor.out.contains("fail")),
        (0, false),
        "{doctor:?}"
    );
    assert!(!status.out.contains("was changed"), "{status:?}");
    house.configure_more("# changed\n");
    let newer = house.cli(&["status"]).await;
    let says = "postern.toml was changed after I started: start me again to use it";
    assert!(newer.out.contains(says), "{newer:?}");
    chat.say("/status").await;
    let told = chat.told("open cards: 1").await;
    assert!(told.text.contains("phone: listening"), "{told:?}");
}

#[tokio::test]
async fn a_second_start_says_where_the_first_is_and_disturbs_nothing() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    let base = house.world.base.lock().unwrap().clone();
    let again = house.cli(&[]).await;
    assert_eq!(
        again.out,
        format!("Postern is already running: {base}/\nTo let another account in: postern pair\n")
    );
    assert_eq!(again.code, 0);
    chat.settle().await;
    assert_eq!(house.fake().most_polls(), 1);
}

#[tokio::test]
async fn a_configured_port_that_is_taken_is_said_so() {
    let house = House::build().await;
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = holder.local_addr().unwrap();
    house.home.configure(&format!("[web]\nlisten = \"{at}\"\n"));
    let said = house.cli(&[]).await;
    assert_eq!((said.code, &*said.out), (1, ""));
    assert!(
        said.err
            .contains(&format!("{at} is taken by another program")),
        "{said:?}"
    );
}

#[tokio::test]
async fn healthz_answers_while_it_runs() {
    let mut house = House::open().await;
    let at = format!("{}/healthz", house.world.base.lock().unwrap());
    let answer = house.world.http.get(&at).send().await.unwrap();
    assert_eq!(
        (
            answer.status().as_u16(),
            answer.text().await.unwrap().as_str()
        ),
        (200, "ok\n")
    );
    house.stop().await;
    assert!(house.world.http.get(&at).send().await.is_err());
    let status = house.cli(&["status"]).await;
    assert_eq!((status.code, status.out.as_str()), (1, ""));
}

#[tokio::test]
async fn the_first_code_is_shown_until_there_is_an_owner() {
    let mut house = House::open().await;
    house.kill_and_start().await;
    let code = house.code();
    house.enter(Door::Telegram, OWNER, &code).await;
    house.stop().await;
    house.start().await;
    assert!(
        house
            .banner()
            .contains("To let another account in: postern pair"),
        "{}",
        house.banner()
    );
    assert!(!house.banner().contains("/pair "), "{}", house.banner());
}

#[tokio::test]
async fn an_open_page_hears_of_every_change_and_of_the_end() {
    let (house, chat) = House::with_owner(Door::Web).await;
    let mut page = OpenPage {
        events: chat.get("events").await,
        heard: String::new(),
    };
    page.hears("event: hello").await;
    chat.say("write notes.txt: hello").await;
    page.hears("\"what\":\"said\"").await;
    page.hears("@files write").await;
    let card = chat.card().await;
    let pressed = house.cli(&["unpair", "--all"]).await;
    assert_eq!(pressed.code, 0, "{pressed:?}");
    // The card's end is for the place's person, and the place is nobody's now.
    page.hears("event: bye").await;
    assert!(!page.heard.contains("\"what\":\"edit\""), "{}", page.heard);
    assert_eq!(chat.try_press(&card, &card.token("Allow once")).await, 401);
}

struct OpenPage {
    events: reqwest::Response,
    heard: String,
}

impl OpenPage {
    async fn hears(&mut self, wanted: &str) {
        while !self.heard.contains(wanted) {
            let next = tokio::time::timeout(fakes::telegram::WAIT, self.events.chunk()).await;
            let Ok(Ok(Some(chunk))) = next else {
                panic!("no {wanted} in {}", self.heard);
            };
            self.heard.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }
}

on_both! {
    async fn what_the_owner_sends_from_the_terminal_counts_as_typed_in_their_chat(house, chat) {
        let said = house.cli(&["send", "write", "notes.txt:", "hello"]).await;
        assert_eq!((said.code, &*said.err), (0, ""));
        let card = chat.card().await;
        chat.press(&card, "Allow once").await;
        chat.closed(&card, "wrote notes.txt").await;
        assert_eq!(house.file("notes.txt").as_deref(), Some("hello"));
        chat.say("/why").await;
        chat.told("It has read no outside content").await;
    }
}

#[tokio::test]
async fn what_cannot_be_sent_from_the_terminal_is_said_so() {
    let house = House::open().await;
    let refused = async |words: &[&str]| house.cli(words).await.err;
    assert_eq!(
        refused(&["send", "hello"]).await,
        "postern: you have no direct chat yet; get a code with: postern pair\n"
    );
    let _chat = house.enter(Door::Web, 0, &house.code()).await;
    assert_eq!(
        refused(&["send", "--to", "web x", "hello"]).await,
        "postern: \"web x\" is no direct chat of yours; postern status lists the places as LINE CHAT\n"
    );
    assert_eq!(
        refused(&["send", " "]).await,
        "postern: there is nothing to say; write some words after send\n"
    );
    assert_eq!(
        refused(&["send", &"x".repeat(20_000)]).await,
        "postern: the text has 20000 bytes and 16384 fit; send it in parts\n"
    );
}
