//! How long from the press that Telegram hands out to the card that says what came of it?

use std::path::Path;
use std::time::Duration;

use fakes::telegram::WAIT;

use crate::disk::Disk;
use crate::figure::{Aim, percentile, print};
use crate::person::{Paired, paired};

pub async fn run(program: &Path, presses: usize) {
    measure(&paired(program).await, presses).await;
}

/// As [`run`], with a program that runs already.
pub async fn measure(paired: &Paired, presses: usize) {
    let mut disk = Disk::new(paired.home.folder());
    let (fake, chat) = (&paired.fake, paired.anna.direct());
    let mut times = Vec::new();
    for n in 0..presses {
        fake.private_message(paired.anna, &format!("write notes.txt: {n}"));
        let card = fake
            .wait_for(chat, |shown| shown.button("Allow once").is_some(), WAIT)
            .await;
        paired.quiet().await;
        let edits = fake.arrivals("editmessagetext");
        let replies = fake.arrivals("sendmessage");
        fake.press(paired.anna, chat, card.id, "Allow once");
        times.push(paired.since_handed("editmessagetext", edits).await);
        fake.wait_until(WAIT, || fake.arrival("sendmessage", replies))
            .await
            .expect("a reply after the deed");
        tokio::time::sleep(Duration::from_millis(20)).await;
        disk.probe(2);
    }
    for (name, percent) in [("press_to_edit_p50", 50), ("press_to_edit_p99", 99)] {
        let time = percentile(&times, percent);
        print(name, time, "ms", Aim::None, &disk);
    }
}
