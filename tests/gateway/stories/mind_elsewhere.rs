//! A model endpoint that we did not write (`tests/aimock`) answers: whole turns, and what breaks.
//! Needs Node, and what `tests/run` installs for it; says so where it is not there.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::chat::{Chat, Door};
use super::house::{House, OWNER};

const KEY: &str = "sk-elsewhere-0123456789abcdef";
const BROKE: &str = "No answer: the connection to fake-large broke before its answer was whole; nothing is lost, write again to try again.";

/// The endpoint; it ends when this does.
struct Elsewhere {
    child: Child,
    at: String,
}

impl Elsewhere {
    fn start() -> Self {
        let server = folder().join("serve.mjs");
        let mut child = Command::new("node")
            .arg(server)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut at = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut at).unwrap();
        let at = at.trim().to_owned();
        assert!(at.starts_with("http://127.0.0.1:"), "{at:?}");
        Self { child, at }
    }

    /// How often it was asked at this path, and answered.
    async fn asked(&self, path: &str) -> usize {
        let journal = format!("{}/__aimock/journal?path={path}", self.at);
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let entries: serde_json::Value = http
            .get(journal)
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        entries.as_array().unwrap().len()
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Clone, Copy, Debug)]
struct Form {
    provider: &'static str,
    path: &'static str,
    more: &'static str,
}

const OPENAI: Form = Form {
    provider: "openai-compatible",
    path: "/v1/chat/completions",
    more: "",
};
const ANTHROPIC: Form = Form {
    provider: "anthropic",
    path: "/v1/messages",
    more: "",
};

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/aimock"))
}

/// A house whose model is elsewhere; none where that cannot be had.
async fn with_elsewhere(form: Form, door: Door) -> Option<(House, Chat, Elsewhere)> {
    if !folder().join("node_modules").exists() {
        println!("not run: tests/aimock is not installed (npm ci --prefix tests/aimock)");
        return None;
    }
    let model = Elsewhere::start();
    let mut house = House::build().await;
    house.home.write_key(KEY);
    house.home.add_settings(&format!(
        "[model]\nprovider = \"{}\"\nname = \"fake-large\"\nendpoint = \"{}/v1\"\nkey_file = \"{}\"\n{}\n",
        form.provider,
        model.at,
        house.home.key().display(),
        form.more
    ));
    house.start().await;
    let chat = house.enter(door, OWNER, &house.code()).await;
    Some((house, chat, model))
}

async fn a_whole_turn(form: Form, door: Door) {
    let Some((house, chat, model)) = with_elsewhere(form, door).await else {
        return;
    };
    chat.say("hello there").await;
    chat.told("Hello from elsewhere.").await;
    chat.say("write it down").await;
    chat.told("I will write it down.").await;
    let card = chat.card().await;
    assert!(card.text.contains("notes.txt"), "{card:?}");
    chat.press(&card, "Allow once").await;
    chat.told("It is written.").await;
    let written = house.file("notes.txt");
    assert_eq!(written.as_deref(), Some("the gate is green"));
    chat.say("do both").await;
    chat.told("Both are done.").await;
    assert_eq!(house.count("SELECT count(*) FROM memory"), 1);
    chat.say("write it down").await;
    let second = chat.next_card(&card).await;
    chat.press(&second, "Deny").await;
    chat.told("Then I leave it.").await;
    assert_eq!(model.asked(form.path).await, 7);
    let used = house.cli(&["status"]).await;
    assert!(used.out.contains("today: asked 7 times"), "{used:?}");
}

#[tokio::test]
async fn whole_turns_with_openai_s_form_elsewhere() {
    a_whole_turn(OPENAI, Door::Telegram).await;
}

#[tokio::test]
async fn whole_turns_with_openai_s_form_elsewhere_without_streaming() {
    let form = Form {
        more: "stream = false",
        ..OPENAI
    };
    a_whole_turn(form, Door::Web).await;
}

#[tokio::test]
async fn whole_turns_with_anthropic_s_form_elsewhere() {
    a_whole_turn(ANTHROPIC, Door::Web).await;
}

#[tokio::test]
async fn whole_turns_with_anthropic_s_form_elsewhere_without_streaming() {
    let form = Form {
        more: "stream = false",
        ..ANTHROPIC
    };
    a_whole_turn(form, Door::Telegram).await;
}

#[tokio::test]
async fn what_breaks_off_elsewhere_is_told_once_never_half_kept_and_never_done() {
    for form in [OPENAI, ANTHROPIC] {
        let Some((house, chat, model)) = with_elsewhere(form, Door::Web).await else {
            return;
        };
        chat.say("break off").await;
        chat.told(BROKE).await;
        assert_eq!(model.asked(form.path).await, 1, "{form:?}");
        chat.say("break a call").await;
        chat.told_times(BROKE, 2).await;
        assert_eq!(model.asked(form.path).await, 2, "{form:?}");
        chat.say("once more").await;
        chat.told("The whole of it.").await;
        let half = chat.times("The h").await + chat.times("I save").await;
        assert_eq!((half, chat.open_cards().await), (0, 0), "{form:?}");
        assert_eq!(house.count("SELECT count(*) FROM memory"), 0, "{form:?}");
    }
}

#[tokio::test]
async fn trouble_elsewhere_passes_or_is_told_in_one_line() {
    for form in [OPENAI, ANTHROPIC] {
        let Some((house, chat, model)) = with_elsewhere(form, Door::Web).await else {
            return;
        };
        chat.say("are you busy").await;
        chat.told("Not any more.").await;
        assert_eq!(model.asked(form.path).await, 2, "{form:?}");
        chat.say("who are you").await;
        chat.told("No answer: the provider does not know the model fake-large; the owner has to correct name in [model], and restart Postern.").await;
        assert_eq!(chat.times("No answer").await, 1);
        assert!(!house.errors().contains(KEY));
    }
}
