//! Does Slack's own SDK get along with the workspace of the tests, and does it judge signatures as
//! we do? Needs node and `npm ci --prefix tests/sdk/slack`; `tests/run` does both and runs these.

use std::process::Stdio;

use fakes::slack::signed;
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use super::*;

struct Sdk {
    lines: Lines<BufReader<ChildStdout>>,
    /// What it printed so far.
    said: Vec<String>,
    child: Child,
}

impl Sdk {
    fn start(script: &str, arguments: &[&str]) -> Self {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/sdk/slack");
        let mut child = Command::new("node")
            .arg(format!("{folder}/{script}"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node");
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self {
            lines,
            said: Vec::new(),
            child,
        }
    }

    async fn line(&mut self) -> String {
        let line = timeout(WAIT * 3, self.lines.next_line()).await;
        let line = line.ok().and_then(|line| line.unwrap());
        let line = line.unwrap_or_else(|| panic!("nothing after {:?}", self.said));
        self.said.push(line.clone());
        line
    }

    async fn prints(&mut self, wanted: &[&str]) {
        let mut said = Vec::new();
        for _ in wanted {
            said.push(self.line().await);
        }
        // Handlers of one moment end in any order.
        said.sort();
        let mut wanted = wanted.to_vec();
        wanted.sort_unstable();
        assert_eq!(said, wanted);
    }
}

#[tokio::test]
#[ignore = "needs node and the packages of tests/sdk/slack"]
async fn sdk_bolt_hears_answers_and_comes_again_on_the_fake() {
    let fake = Fake::start(BOT, APP).await;
    let anna = fake.person("U01ANNA", "Anna");
    let (direct, team) = (anna.direct(), fake.channel("C01TEAM"));
    let mut sdk = Sdk::start("slack.mjs", &[fake.url(), BOT, APP]);
    sdk.prints(&["ready U01POSTERN B01POSTERN 11"]).await;

    let root = fake.say(&anna, &direct, "hello");
    sdk.prints(&["message im root \"hello\""]).await;
    fake.say(&anna, &direct.thread(&root), "below");
    sdk.prints(&["message im thread \"below\""]).await;
    let text = "<@U01POSTERN> hi";
    let named = fake.say(&anna, &team, text);
    fake.mention(&anna, &team, &named, text);
    sdk.prints(&[
        "message channel root \"<@U01POSTERN> hi\"",
        "mention \"<@U01POSTERN> hi\"",
    ])
    .await;

    fake.say(&anna, &direct, "card");
    sdk.prints(&["message im root \"card\"", "posted B01POSTERN"])
        .await;
    let card = fake.wait_for(&direct, |shown| shown.text == "Allow?").await;
    fake.press(&anna, &direct, &card.ts, "Allow once");
    sdk.prints(&["pressed yes U01ANNA"]).await;
    let shown = fake.shown(&direct, &card.ts);
    assert_eq!((shown.text.as_str(), shown.buttons.len()), ("Allowed.", 0));
    assert_eq!(fake.told()[0].text, "Only you see this.");

    fake.command(&anna, &direct, "new");
    sdk.prints(&["command new"]).await;
    let asked = fake.say(&anna, &direct, "file");
    sdk.prints(&["message im root \"file\"", "uploaded"]).await;
    assert_eq!(
        fake.messages(&direct.thread(&asked))[0].files[0].bytes,
        b"bytes"
    );
    let asked = fake.say(&anna, &direct, "stream");
    sdk.prints(&["message im root \"stream\"", "streamed"])
        .await;
    let streamed = fake.messages(&direct.thread(&asked)).remove(0);
    assert_eq!(
        (streamed.text.as_str(), streamed.streaming),
        ("one two", false)
    );
    fake.say(&anna, &direct, "wrong");
    sdk.prints(&["message im root \"wrong\"", "refused not_in_channel"])
        .await;

    fake.disconnect("refresh_requested");
    fake.say(&anna, &direct, "meanwhile");
    sdk.prints(&["message im root \"meanwhile\""]).await;
    assert_eq!(fake.linked(), 2);
}

#[tokio::test]
#[ignore = "needs node and the packages of tests/sdk/slack"]
async fn sdk_bolt_agrees_with_us_on_every_signature_but_those_of_the_future() {
    let mut sdk = Sdk::start("slack-verify.mjs", &[]);
    let mut asked = sdk.child.stdin.take().unwrap();
    let now = 1_790_000_000;
    let bodies = [
        "{}",
        "payload=%7B%7D",
        "J'ai mang\u{e9} des p\u{e2}tes @ \\/ \\u00e9",
        "",
    ];
    // How far its time is from ours, and whether the door of a line would let it in.
    let times = [
        (0, true),
        (-299, true),
        (299, true),
        (-301, false),
        (301, false),
    ];
    for (offset, ours) in times {
        for body in bodies {
            let time = now + offset;
            let right = signed(SIGNING, time, body.as_bytes());
            let wrong = signed("another", time, body.as_bytes());
            for (signature, genuine) in [(right.as_str(), true), (&wrong, false), ("v0=", false)] {
                let line = json!({
                    "secret": SIGNING, "signature": signature, "time": time.to_string(),
                    "body": body, "now": now,
                });
                asked
                    .write_all(format!("{line}\n").as_bytes())
                    .await
                    .unwrap();
                let theirs = sdk.line().await == "true";
                // Bolt looks at the age alone; we refuse what comes from the future too.
                let future = offset > 300;
                assert_eq!(
                    theirs,
                    genuine && (ours || future),
                    "{offset} {body:?} {signature}"
                );
            }
        }
    }
}
