//! A call has its time, and one that only reads may be made again after a crash.

use fakes::site::{Page, Site};

use super::chat::{Chat, Door};
use super::house::{House, OWNER, soon};

/// A house that may fetch from a site, whose one page never comes.
async fn beside_silence(door: Door) -> (House, Chat, Site) {
    let site = Site::start().await;
    site.put("/never", Page::Silent);
    let mut house = House::build_for(door).await;
    house.configure_more(&format!("[fetch]\nallow_private = [\"{}\"]\n", site.host()));
    house.start().await;
    let chat = house.enter(door, OWNER, &house.code()).await;
    (house, chat, site)
}

on_platforms! {
    async fn a_call_is_left_when_it_takes_longer_than_its_command_says(door) {
        let (house, chat, site) = beside_silence(door).await;
        chat.say(&format!("fetch {}", site.url("/never"))).await;
        let ended =
            "SELECT count(*) FROM entry WHERE body LIKE '%longer than 15 seconds, so it was left%'";
        // Twice, since one wait is shorter than the limit.
        let left = soon(|| (house.count(ended) > 0).then_some(())).await;
        if left.is_none() {
            let left = soon(|| (house.count(ended) > 0).then_some(())).await;
            assert!(left.is_some(), "it still waits");
        }
        chat.told("failed: it took longer than 15 seconds, so it was left")
            .await;
    }
}

on_platforms! {
    async fn a_reading_call_that_a_crash_interrupted_is_given_back_to_be_made_again(door) {
        let (mut house, chat, site) = beside_silence(door).await;
        chat.say(&format!("fetch {}", site.url("/never"))).await;
        let asked = soon(|| (!site.asked().is_empty()).then_some(())).await;
        assert!(asked.is_some(), "the page was not asked for");
        house.kill_and_start().await;
        chat.told("interrupted before it came to anything; call again if it is still wanted")
            .await;
        assert_eq!(
            chat.times("I was interrupted while doing something").await,
            0
        );
        // The call itself was not started again.
        assert_eq!(site.asked(), ["/never"]);
        assert_eq!(house.count("SELECT count(*) FROM started"), 1);
    }
}
