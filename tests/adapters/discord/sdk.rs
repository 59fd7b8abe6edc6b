//! Does a client that is not ours get along with the platform of the tests? Needs node and
//! `npm ci --prefix tests/sdk`; `tests/run` does both and runs these.

use std::process::Stdio;

use fakes::discord::{Fake, TOKEN, User, WAIT};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

struct Sdk {
    fake: Fake,
    lines: Lines<BufReader<ChildStdout>>,
    _child: Child,
}

impl Sdk {
    async fn start(fake: Fake) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/sdk/discord.mjs");
        let mut child = Command::new("node")
            .args([script, fake.url(), TOKEN])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node");
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self {
            fake,
            lines,
            _child: child,
        }
    }

    async fn prints(&mut self, wanted: &str) {
        let line = timeout(WAIT * 3, self.lines.next_line()).await;
        let line = line.expect("a line in time").unwrap();
        assert_eq!(line.as_deref(), Some(wanted));
    }
}

#[tokio::test]
#[ignore = "needs node and the packages of tests/sdk"]
async fn sdk_discord_js_hears_answers_and_resumes_on_the_fake() {
    let fake = Fake::start(TOKEN).await;
    let anna: User = fake.person(7001, "Anna");
    let direct = fake.direct(anna);
    let room = fake.channel(8800, "room");
    let thread = fake.thread(8801, room);
    let mut sdk = Sdk::start(fake).await;
    sdk.prints("ready postern_test_bot 777000111 1").await;

    sdk.fake.say(anna, direct, "hello");
    sdk.prints("message 1 direct \"hello\"").await;
    sdk.fake.say(anna, room, "in the room");
    sdk.prints("message 0 server \"in the room\"").await;
    sdk.fake.say(anna, thread, "in a thread");
    sdk.prints("message 11 server \"in a thread\"").await;
    sdk.fake.forward(anna, direct, "passed on");
    sdk.prints("forward 1 direct \"passed on\"").await;

    sdk.fake.say(anna, direct, "card");
    sdk.prints("message 1 direct \"card\"").await;
    let card = sdk
        .fake
        .wait_for(direct, |shown| shown.text == "Allow?", WAIT)
        .await;
    sdk.fake.press(anna, direct, card.id, "Allow once");
    sdk.prints("pressed yes 7001").await;
    let shown = sdk.fake.shown(direct, card.id);
    assert_eq!((shown.text.as_str(), shown.labels().len()), ("Allowed.", 0));
    let told = sdk.fake.answers();
    assert_eq!(
        told.iter().map(|answer| answer.kind).collect::<Vec<_>>(),
        [Some(6), None]
    );
    assert_eq!(
        (told[1].text.as_deref(), told[1].private),
        (Some("Only you see this."), true)
    );

    sdk.fake.command(anna, direct, "new", "");
    sdk.prints("command new").await;
    sdk.fake.say(anna, direct, "long");
    sdk.prints("message 1 direct \"long\"").await;
    sdk.prints("refused 400 50035").await;
    sdk.fake.say(anna, direct, "file");
    sdk.prints("message 1 direct \"file\"").await;
    let sent = sdk
        .fake
        .wait_for(direct, |shown| !shown.files.is_empty(), WAIT)
        .await;
    assert_eq!(sent.files[0].bytes, b"bytes");

    sdk.fake.close(4000);
    sdk.fake.say(anna, direct, "meanwhile");
    let mut said = Vec::new();
    for _ in 0..2 {
        let line = timeout(WAIT * 3, sdk.lines.next_line())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        said.push(line.split(' ').next().unwrap().to_owned());
    }
    said.sort();
    assert_eq!(said, ["message", "resumed"]);
    assert_eq!(sdk.fake.calls_of("WS 2").len(), 1);
}
