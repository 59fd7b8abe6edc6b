//! How much the program holds does not grow with what was said. The long run is `bench soak`.

use super::chat::{Chat, Door};
use super::house::House;

/// Messages after which everything that is kept for good is there, and those after that.
const WARM: usize = 150;
const MORE: usize = 450;
/// What may differ between two looks at a program that keeps nothing, in KiB.
const NOISE: i64 = 6 * 1024;

#[tokio::test]
async fn f99_what_it_holds_does_not_grow_with_what_was_said() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    talk(&chat, 0, WARM).await;
    let before = held(&house);
    talk(&chat, WARM, MORE).await;
    let after = held(&house);
    assert!(after - before < NOISE, "{before} KiB, then {after} KiB");
}

async fn talk(chat: &Chat, from: usize, count: usize) {
    for number in from..from + count {
        chat.say(&format!("say this is number {number} end")).await;
        chat.told(&format!("this is number {number} end")).await;
    }
}

/// What the program holds in memory, in KiB.
fn held(house: &House) -> i64 {
    let path = format!("/proc/{}/smaps_rollup", house.process());
    let text = std::fs::read_to_string(path).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("Rss:"));
    line.unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}
