//! From which risk on a call asks is the owner's to set.

use super::chat::Door;
use super::house::House;

#[tokio::test]
async fn with_always_even_what_a_rule_allows_asks() {
    let (_house, chat) = House::configured(Door::Web, "[risk]\naction = \"always\"\n").await;
    chat.say("read notes.txt").await;
    let card = chat.card().await;
    assert!(
        card.text.contains("its risk is low, and every call asks"),
        "{card:?}"
    );
    assert_eq!(card.labels(), ["Allow once", "Deny", "More"]);
}

#[tokio::test]
async fn above_medium_a_write_asks_whatever_is_allowed_and_a_read_does_not() {
    let (house, chat) = House::configured(Door::Web, "[risk]\naction = \"medium\"\n").await;
    house
        .cli(&["rules", "allow", "@files write", "--yes"])
        .await;
    chat.settle().await;
    chat.say("write notes.txt: hello").await;
    let card = chat.card().await;
    assert!(card.text.contains("its risk is medium"), "{card:?}");
    let explained = house
        .cli(&[
            "rules",
            "explain",
            "@files write --file notes.txt --content hello",
        ])
        .await;
    assert!(
        explained.out.contains("its risk is medium (row 11)"),
        "{explained:?}"
    );
}
