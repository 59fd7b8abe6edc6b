//! Files of a chat are patched, listed and searched, and their marks go with them.

use std::os::unix::fs::symlink;

use super::chat::Door;
use super::house::House;

const MARK: &str = "This conversation has read outside content";

on_both! {
    async fn a_patch_shows_what_goes_and_what_comes_whole_and_that_is_what_is_written(house, chat) {
        chat.say("write notes.txt: one two three").await;
        let card = chat.card().await;
        chat.press(&card, "Allow once").await;
        chat.closed(&card, "wrote notes.txt").await;
        chat.say("patch notes.txt: two => 2").await;
        let asked = chat.next_card(&card).await;
        assert!(asked.text.contains("change\n- two\n+ 2"), "{asked:?}");
        chat.press(&asked, "Allow once").await;
        chat.closed(&asked, "patched notes.txt").await;
        assert_eq!(house.file("notes.txt").as_deref(), Some("one 2 three"));
        // What it would change is no longer what it was.
        chat.say("patch notes.txt: one => 1").await;
        let asked = chat.next_card(&asked).await;
        house.write_outside("notes.txt", "one and one");
        chat.press(&asked, "Allow once").await;
        chat.closed(&asked, "hings changed").await;
        let again = chat.next_card(&asked).await;
        chat.press(&again, "Allow once").await;
        chat.closed(&again, "holds the old text 2 times; give more of what stands around it").await;
        chat.say("patch notes.txt: four => 4").await;
        let last = chat.next_card(&again).await;
        chat.press(&last, "Allow once").await;
        chat.closed(&last, "does not hold the old text").await;
        assert_eq!(house.file("notes.txt").as_deref(), Some("one and one"));
    }
}

#[tokio::test]
async fn a_patched_file_keeps_the_mark_of_what_stands_around_the_patch() {
    let (house, chat) = House::with_owner(Door::Web).await;
    chat.say("write notes.txt: first").await;
    let card = chat.card().await;
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "wrote notes.txt").await;
    house.write_outside("notes.txt", "somebody else wrote this");
    chat.say("patch notes.txt: else => new").await;
    let asked = chat.next_card(&card).await;
    chat.press(&asked, "Allow once").await;
    chat.closed(&asked, "patched notes.txt").await;
    chat.say("read notes.txt").await;
    chat.told("somebody new wrote this").await;
    chat.told(MARK).await;
}

#[tokio::test]
async fn a_tree_and_a_search_follow_no_link_and_carry_the_marks_of_what_they_show() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    chat.say("write plans/gate.txt: the key lies under the stone")
        .await;
    let card = chat.card().await;
    chat.press(&card, "Allow once").await;
    chat.closed(&card, "wrote plans/gate.txt").await;
    let mut all = std::fs::read_dir(house.home.data().join("workspaces")).unwrap();
    let at = all.next().unwrap().unwrap().path();
    chat.say("list .").await;
    let seen = chat.told("plans/\nplans/gate.txt").await;
    assert!(!seen.text.contains("outside"), "{seen:?}");
    chat.say("find the stone").await;
    chat.told("plans/gate.txt:1: the key lies under the stone")
        .await;
    assert_eq!(chat.times(MARK).await, 0);
    let secret = house.home.config().join("secret.txt");
    std::fs::write(&secret, "the stone of others").unwrap();
    symlink(&secret, at.join("link.txt")).unwrap();
    symlink(house.home.config(), at.join("out")).unwrap();
    chat.say("list .").await;
    let seen = chat
        .told("link.txt (a link or no file: not followed)")
        .await;
    assert!(!seen.text.contains("out/secret"), "{seen:?}");
    chat.told(MARK).await;
    chat.say("find stone of others").await;
    chat.told("(no line holds that)").await;
    chat.say("list out").await;
    chat.told("there is no folder out").await;
    chat.say("list ../..").await;
    chat.told("leads out of the workspace").await;
}
