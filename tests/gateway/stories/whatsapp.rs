//! What WhatsApp does that others do not: silence towards strangers, the 24 hours, reports that come
//! later.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use fakes::whatsapp::{Fake, NUMBER_ID, Person, Shown, WAIT, Window};
use serde_json::json;

use super::chat::Chat;
use super::house::{House, PUBLIC, soon};

pub const TOKEN: &str = "EAAStoryStoryStoryStory";
pub const APP_SECRET: &str = "0123456789abcdef0123456789abcdef";
pub const VERIFY: &str = "a-verify-token-of-the-story";

/// The settings of a line on this fake, and of the doors.
pub fn settings(fake: &Fake, folder: &Path, more: &str) -> String {
    let secrets = [
        ("token", TOKEN),
        ("app_secret", APP_SECRET),
        ("verify_token", VERIFY),
    ];
    let files = secrets.map(|(name, secret)| {
        let file = folder.join(format!("whatsapp-{name}"));
        std::fs::write(&file, secret).unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
        format!("{name}_file = \"{}\"\n", file.display())
    });
    format!(
        "platform = \"whatsapp\"\nphone_number_id = \"{NUMBER_ID}\"\napi = \"{}\"\n{}{more}[webhooks]\nlisten = \"127.0.0.1:0\"\npublic = \"{PUBLIC}\"\n",
        fake.url(),
        files.concat()
    )
}

/// A running house beside a WhatsApp that has shaken hands with it.
pub(super) async fn open(more: &str) -> (House, Fake) {
    let fake = Fake::start(TOKEN, APP_SECRET, VERIFY).await;
    let mut house = House::build().await;
    let line = settings(&fake, house.home.path(), more);
    house.configure_more(&format!("[lines.other]\n{line}"));
    house.start().await;
    fake.subscribe(&door(&house)).await.unwrap();
    (house, fake)
}

pub(super) fn door(house: &House) -> String {
    format!("{}/hooks/other", house.doors())
}

/// The same with its owner in, by WhatsApp.
pub(super) async fn with_owner(more: &str) -> (House, Fake, Person) {
    let (house, fake) = open(more).await;
    let anna = fake.person("15557001", "Anna");
    fake.say(&anna, &anna.direct(), &format!("/pair {}", house.code()));
    told(&fake, &anna, "You are paired").await;
    (house, fake, anna)
}

pub(super) async fn told(fake: &Fake, to: &Person, text: &str) -> Shown {
    // After outside content names of files are set in fixed width.
    let holds = |shown: &Shown| shown.text.replace('`', "").contains(text);
    fake.wait_for(&to.direct(), holds, WAIT).await
}

pub(super) async fn card(fake: &Fake, to: &Person) -> Shown {
    let asks = |shown: &Shown| shown.button("Allow once").is_some();
    fake.wait_for(&to.direct(), asks, WAIT).await
}

/// Asks for something harmless; what was said before is done once this is answered.
pub(super) async fn settled(fake: &Fake, person: &Person, name: &str) {
    fake.say(person, &person.direct(), &format!("read {name}"));
    told(fake, person, &format!("there is no file {name}")).await;
}

#[tokio::test]
async fn f26_what_is_delivered_eight_times_at_once_is_one_turn() {
    let (house, fake, anna) = with_owner("").await;
    fake.copies(8);
    fake.say(&anna, &anna.direct(), "remember the milk");
    told(&fake, &anna, "remembered").await;
    fake.copies(1);
    settled(&fake, &anna, "no-1.txt").await;
    let said = "SELECT count(*) FROM entry WHERE message IS NOT NULL";
    assert_eq!(house.count(said), 2);
    let milk = |shown: &&Shown| shown.text.starts_with("remembered");
    assert_eq!(fake.messages(&anna.direct()).iter().filter(milk).count(), 1);
}

#[tokio::test]
async fn many_changes_that_waited_come_in_one_webhook_and_all_are_heard() {
    let (house, fake, anna) = with_owner("").await;
    fake.hold_back();
    fake.change(
        "messages",
        json!({"messages": [{"type": "nonsense"}], "statuses": [7]}),
    );
    fake.change("account_alerts", json!({"alert": "x"}));
    let ids: Vec<String> = (0..3)
        .map(|n| fake.say(&anna, &anna.direct(), &format!("read no-{n}.txt")))
        .collect();
    fake.let_go();
    let stored = format!(
        "SELECT count(*) FROM event WHERE id IN ('{}')",
        ids.join("','")
    );
    let all = soon(|| (house.count(&stored) == 3).then_some(())).await;
    assert!(all.is_some(), "{}", house.errors());
    settled(&fake, &anna, "no-9.txt").await;
}

#[tokio::test]
async fn f76_strangers_get_no_answer_unless_they_bring_a_live_code() {
    let (house, fake, anna) = with_owner("").await;
    let before = fake.calls().len();
    let bob = fake.person("15557002", "Bob");
    for text in [
        "hi",
        "/help",
        "/start",
        "/pair AAAA-BBBB",
        "/new",
        "who are you?",
    ] {
        for _ in 0..5 {
            fake.say(&bob, &bob.direct(), text);
        }
    }
    fake.press_token(
        &bob,
        &bob.direct(),
        "wamid.x",
        "Allow once",
        &"ab".repeat(16),
    );
    settled(&fake, &anna, "no-1.txt").await;
    assert_eq!(fake.messages(&bob.direct()), []);
    let to_bob = |call: &&serde_json::Value| call["to"] == "15557002";
    assert_eq!(fake.calls().iter().skip(before).filter(to_bob).count(), 0);
    // Too many wrong codes void those that live; a new one lets in.
    let code = house.new_code(Some("Bob")).await;
    let carol = fake.person("US.13491208655302741918", "Carol");
    fake.say(&carol, &carol.direct(), &format!("/pair {code}"));
    told(&fake, &carol, "You are paired as the guest Bob").await;
}

#[tokio::test]
async fn f79_who_is_let_go_of_is_a_stranger_from_that_moment_on() {
    let (house, fake, anna) = with_owner("").await;
    fake.say(&anna, &anna.direct(), "write notes.txt: hello");
    let card = card(&fake, &anna).await;
    let gone = house.cli(&["unpair", "other 15557001"]).await;
    assert_eq!(gone.code, 0, "{gone:?}");
    let withdrawn = |shown: &Shown| shown.answers.as_ref() == Some(&card.id);
    fake.wait_for(&anna.direct(), withdrawn, WAIT).await;
    let before = fake.messages(&anna.direct()).len();
    fake.press(&anna, &anna.direct(), &card, "Allow once");
    let last = fake.say(&anna, &anna.direct(), "read no-1.txt");
    let heard = format!("SELECT count(*) FROM event WHERE id = '{last}'");
    assert!(
        soon(|| (house.count(&heard) == 1).then_some(()))
            .await
            .is_some()
    );
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(fake.messages(&anna.direct()).len(), before);
    assert_eq!(house.file("notes.txt"), None);
}

#[tokio::test]
async fn f52_a_button_counts_for_its_person_in_its_chat_and_a_stale_one_gets_one_line() {
    let (house, fake, anna) = with_owner("").await;
    let bob = fake.person("15557002", "Bob");
    let code = house.new_code(Some("Bob")).await;
    fake.say(&bob, &bob.direct(), &format!("/pair {code}"));
    told(&fake, &bob, "You are paired").await;
    fake.say(&anna, &anna.direct(), "write notes.txt: hello");
    let card = card(&fake, &anna).await;
    let token = card.button("Allow once").unwrap().to_owned();
    let press = fake.press_token(&bob, &bob.direct(), &card.id, "Allow once", &token);
    let line = told(&fake, &bob, "This is not yours to answer.").await;
    assert_eq!(line.answers, Some(press));
    assert_eq!(house.file("notes.txt"), None);
    fake.press(&anna, &anna.direct(), &card, "Allow once");
    let outcome = told(&fake, &anna, "Allowed once by owner").await;
    assert_eq!(outcome.answers, Some(card.id.clone()));
    assert!(soon(|| house.file("notes.txt")).await.is_some());
    settled(&fake, &anna, "no-1.txt").await;
    let press = fake.press(&anna, &anna.direct(), &card, "Allow once");
    let under = |shown: &Shown| shown.answers.as_ref() == Some(&press);
    let line = fake.wait_for(&anna.direct(), under, WAIT).await;
    assert!(
        !line.text.contains('\n') && line.buttons.is_empty(),
        "{line:?}"
    );
}

/// What happens when a reply comes too late, whichever way the platform says so.
async fn too_late(how: Window) {
    let (house, fake, anna) =
        with_owner("template = { name = \"please_write\", language = \"en_US\" }\n").await;
    fake.approve("please_write", "en_US");
    let page = Chat::web(house.world.clone(), &house.new_code(None).await)
        .await
        .unwrap();
    fake.hold_back();
    fake.say(&anna, &anna.direct(), "read no-1.txt");
    fake.shut(&anna.direct(), how);
    fake.let_go();
    // It is shown where it can be shown, and the person is asked to write.
    page.told("there is no file no-1.txt").await;
    page.told("nobody has written there for too long").await;
    let asked = |shown: &Shown| shown.template.as_deref() == Some("please_write");
    fake.wait_for(&anna.direct(), asked, WAIT).await;
    let status = house.cli(&["status"]).await;
    assert!(status.out.contains("1 not delivered yet"), "{status:?}");
    let texts = |text: &str| {
        let holds = |shown: &&Shown| shown.text.contains(text);
        fake.messages(&anna.direct()).iter().filter(holds).count()
    };
    assert_eq!(texts("no-1.txt"), 0);
    // It comes when they write again, before what answers that.
    settled(&fake, &anna, "no-2.txt").await;
    assert_eq!(
        (texts("no file no-1.txt"), texts("no file no-2.txt")),
        (1, 1)
    );
    let shown = fake.messages(&anna.direct());
    let at = |text: &str| shown.iter().position(|shown| shown.text.contains(text));
    assert!(at("no-1.txt") < at("no-2.txt"), "{shown:#?}");
    assert_eq!(shown.iter().filter(|shown| asked(shown)).count(), 1);
}

#[tokio::test]
async fn f43_what_fails_later_because_the_24_hours_are_over_waits_until_they_write() {
    too_late(Window::FailsLater).await;
}

#[tokio::test]
async fn f43_what_is_refused_because_the_24_hours_are_over_waits_until_they_write() {
    too_late(Window::RefusesAtOnce).await;
}

#[tokio::test]
async fn f43_nothing_is_tried_once_nobody_wrote_for_24_hours_by_our_own_clock() {
    let (mut house, fake, anna) = with_owner("").await;
    fake.say(&anna, &anna.direct(), "write notes.txt: hello");
    card(&fake, &anna).await;
    house.all_sent().await;
    house.kill();
    let database = house.database();
    database
        .execute("UPDATE place SET heard_at = heard_at - 86400000", [])
        .unwrap();
    database
        .execute("UPDATE question SET ends_at = 1", [])
        .unwrap();
    drop(database);
    let before = fake.calls().len();
    house.start().await;
    fake.post_to(&door(&house));
    let held = "SELECT count(*) FROM outbox WHERE state = 'held'";
    assert!(
        soon(|| (house.count(held) > 0).then_some(()))
            .await
            .is_some()
    );
    assert_eq!(fake.calls().len(), before);
    fake.say(&anna, &anna.direct(), "hello?");
    told(&fake, &anna, "Nobody answered in time").await;
}

#[tokio::test]
async fn f37_a_message_whose_answer_was_lost_is_known_to_have_arrived_once_that_is_told() {
    let (house, fake, anna) = with_owner("").await;
    fake.inject(fakes::whatsapp::Fault::Drop);
    fake.say(&anna, &anna.direct(), "read no-1.txt");
    told(&fake, &anna, "no file no-1.txt").await;
    let unknown = "SELECT count(*) FROM outbox WHERE state = 'unknown'";
    let known = "SELECT count(*) FROM outbox WHERE state IN ('queued', 'sending', 'unknown')";
    let sure = soon(|| (house.count(known) == 0).then_some(())).await;
    assert!(sure.is_some(), "{} unknown", house.count(unknown));
    settled(&fake, &anna, "no-2.txt").await;
    let texts = fake.messages(&anna.direct());
    let once = texts
        .iter()
        .filter(|shown| shown.text.contains("no file no-1.txt"));
    assert_eq!(once.count(), 1);
}

#[tokio::test]
async fn an_account_that_shows_no_number_is_served_and_everything_is_marked_as_read() {
    let (house, fake) = open("").await;
    let anna = fake.person("US.13491208655302741918", "Anna");
    fake.say(&anna, &anna.direct(), &format!("/pair {}", house.code()));
    told(&fake, &anna, "You are paired as the owner").await;
    fake.say(&anna, &anna.direct(), "write notes.txt: hello");
    let card = card(&fake, &anna).await;
    fake.press(&anna, &anna.direct(), &card, "Allow once");
    told(&fake, &anna, "Allowed once by owner").await;
    assert!(soon(|| house.file("notes.txt")).await.is_some());
}

#[tokio::test]
async fn a_forward_marks_the_conversation_and_an_edit_runs_nothing() {
    let (house, fake, anna) = with_owner("").await;
    fake.forward(&anna, "read no-1.txt");
    told(&fake, &anna, "no file no-1.txt").await;
    let edit = json!({"type": "edit", "edit": {
        "original_message_id": "wamid.x", "message": {"type": "text", "text": {"body": "write bad.txt: x"}},
    }});
    fake.message(&anna, &anna.direct(), edit);
    settled(&fake, &anna, "no-2.txt").await;
    assert_eq!(house.file("bad.txt"), None);
    let marked = "SELECT count(*) FROM conversation WHERE taint LIKE '%outside%'";
    assert!(house.count(marked) > 0);
}

#[tokio::test]
async fn an_answer_says_to_the_model_what_it_answers_although_whatsapp_only_names_it() {
    let (house, fake, anna) = with_owner("").await;
    let own = fake.say(&anna, &anna.direct(), "read no-1.txt");
    let ours = told(&fake, &anna, "no file no-1.txt").await;
    let quotes = |id: &str| {
        let stored = format!(
            "SELECT json_extract(body, '$.Person.parts[0].value.Text') FROM entry WHERE message LIKE '%/{id}'"
        );
        let database = house.database();
        let row = database.query_row(&stored, [], |row| row.get::<_, String>(0));
        row.unwrap()
    };
    let marked = || house.count("SELECT count(*) FROM conversation WHERE taint LIKE '%Few%'");
    for (n, to, text) in [(2, &own, "read no-1.txt"), (3, &ours.id, &ours.text)] {
        let said = fake.reply(&anna, &anna.direct(), to, &format!("read no-{n}.txt"));
        told(&fake, &anna, &format!("no file no-{n}.txt")).await;
        assert_eq!(quotes(&said), text);
        assert_eq!(marked(), 0);
    }
    // Whoever wrote what is not known here, it was not Anna.
    let said = fake.reply(&anna, &anna.direct(), "wamid.elsewhere", "read no-4.txt");
    told(&fake, &anna, "no file no-4.txt").await;
    assert_eq!(quotes(&said), "[a message of this chat]");
    assert_eq!(marked(), 1);
}

#[tokio::test]
async fn what_became_of_a_message_is_heard_whichever_form_its_number_has() {
    let (house, fake, anna) = with_owner("").await;
    fake.without_statuses();
    fake.inject(fakes::whatsapp::Fault::Drop);
    fake.say(&anna, &anna.direct(), "read no-1.txt");
    let shown = told(&fake, &anna, "no file no-1.txt").await;
    let unsure = "SELECT id FROM outbox WHERE state = 'unknown'";
    let unsure = |house: &House| {
        let database = house.database();
        database
            .query_row(unsure, [], |row| row.get::<_, i64>(0))
            .ok()
    };
    let key = soon(|| unsure(&house)).await.expect("a lost answer");
    // Some countries' numbers are told with a digit more or less than they are written to.
    let status = json!({
        "id": shown.id, "status": "read", "timestamp": "1790000000",
        "recipient_id": "5491155557001", "biz_opaque_callback_data": key.to_string(),
    });
    fake.change("messages", json!({"statuses": [status]}));
    assert!(
        soon(|| unsure(&house).is_none().then_some(()))
            .await
            .is_some()
    );
    let nobody =
        json!({"id": "wamid.nobody", "status": "failed", "recipient_id": "1", "timestamp": "x"});
    fake.change(
        "messages",
        json!({"statuses": [nobody, {"id": 7, "status": "read"}]}),
    );
    settled(&fake, &anna, "no-2.txt").await;
}
