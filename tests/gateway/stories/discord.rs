//! What only Discord has: channels and threads, slash commands, a signed door, closes that stop.

use fakes::discord::{Channel, Fake, TOKEN, User, WAIT};
use reqwest::StatusCode;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

use super::house::{House, OWNER, PUBLIC, soon};

pub(super) const ANNA: User = User(OWNER as u64);
pub(super) const MALLORY: User = User(8001);

/// A house with a Discord of its own, of which the tests see everything.
pub(super) struct Den {
    pub(super) house: House,
    pub(super) fake: Fake,
    pub(super) direct: Channel,
    pub(super) room: Channel,
}

impl Den {
    pub(super) async fn built(more: &str) -> Self {
        let house = House::build().await;
        let fake = Fake::start(TOKEN).await;
        fake.person(ANNA.0, "Anna");
        fake.person(MALLORY.0, "Anna");
        let direct = fake.direct(ANNA);
        let room = fake.channel(8800, "room");
        let token = house.home.path().join("discord-token");
        std::fs::write(&token, TOKEN).unwrap();
        std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .unwrap();
        house.configure_more(&format!(
            "[lines.den]\nplatform = \"discord\"\ntoken_file = \"{}\"\napi = \"{}\"\n{more}",
            token.display(),
            fake.url()
        ));
        Self {
            house,
            fake,
            direct,
            room,
        }
    }

    pub(super) async fn open(more: &str) -> Self {
        Self::built(more).await.opened().await
    }

    /// Starts the program, and its owner comes in.
    pub(super) async fn opened(mut self) -> Self {
        self.house.start().await;
        self.fake.heard().await;
        let code = self.house.code();
        self.fake.say(ANNA, self.direct, &format!("/pair {code}"));
        self.told(self.direct, "You are paired").await;
        self
    }

    /// With a channel that belongs to the owner.
    pub(super) async fn with_room() -> Self {
        Self::open("").await.and_room().await
    }

    pub(super) async fn and_room(self) -> Self {
        let den = self;
        den.fake.command(ANNA, den.room, "pair", "");
        let asked = den.told(den.direct, "wants to use me in the group").await;
        den.fake.press(ANNA, den.direct, asked, "Allow this group");
        den.told(den.room, "This group is paired with owner").await;
        den
    }

    /// Waits for a message that says this; its number.
    pub(super) async fn told(&self, channel: Channel, text: &str) -> u64 {
        let wanted = |shown: &fakes::discord::Shown| shown.text.contains(text);
        self.fake.wait_for(channel, wanted, WAIT).await.id
    }

    pub(super) async fn card(&self, channel: Channel) -> u64 {
        let wanted = |shown: &fakes::discord::Shown| shown.button("Allow once").is_some();
        self.fake.wait_for(channel, wanted, WAIT).await.id
    }

    /// What only the one who did something was told about it.
    pub(super) async fn privately(&self, interaction: u64) -> String {
        let told = self.fake.wait_until(WAIT, || {
            let answers = self.fake.answers();
            let about = answers
                .into_iter()
                .find(|answer| answer.interaction == interaction && answer.kind.is_none());
            about.filter(|answer| answer.private)?.text
        });
        told.await.expect("a private answer")
    }
}

#[tokio::test]
async fn f50_in_a_channel_only_its_owner_presses_and_others_are_told_privately() {
    let den = Den::with_room().await;
    let poison = den.fake.say(MALLORY, den.room, "remember me");
    let over = json!({"mentions": [{"id": "777123456"}], "type": 19, "referenced_message": {
        "id": poison.to_string(), "channel_id": den.room.0.to_string(), "content": "remember me",
        "author": {"id": MALLORY.0.to_string()}}});
    den.fake
        .message(ANNA, den.room, "<@777123456> what is this", over);
    let marked = den
        .told(den.room, "This conversation has read outside content")
        .await;
    let press = den.fake.press(MALLORY, den.room, marked, "Start fresh");
    assert_eq!(
        den.privately(press).await,
        "Only the person who paired this chat can press here."
    );
    assert_eq!(den.fake.shown(den.room, marked).labels(), ["Start fresh"]);
    den.fake.press(ANNA, den.room, marked, "Start fresh");
    den.told(den.room, "A fresh conversation").await;
}

#[tokio::test]
async fn f66_f81_a_bystander_of_the_owners_name_and_with_the_bots_rights_gets_nothing() {
    let den = Den::with_room().await;
    let before = den.fake.messages(den.room).len();
    let admin = json!({"member": {"roles": ["1"], "nick": "Anna", "permissions": "8"}});
    den.fake.message(
        MALLORY,
        den.room,
        "<@777123456> remember the keys",
        json!({"mentions": [{"id": "777123456"}], "member": admin["member"]}),
    );
    den.fake.command(MALLORY, den.room, "new", "");
    den.fake.mention(MALLORY, den.room, "/why");
    den.fake
        .mention(ANNA, den.room, "remember the gate is green");
    den.told(den.room, "remembered").await;
    assert_eq!(den.fake.messages(den.room).len(), before + 1);
    assert_eq!(den.house.count("SELECT count(*) FROM memory"), 1);
    // Of what the bot could do on the server, it did nothing but speak.
    let calls = den.fake.calls();
    let others: Vec<_> = calls
        .iter()
        .filter(|call| call.kind.starts_with("DELETE") || call.kind.contains("/guilds/"))
        .collect();
    assert!(others.is_empty(), "{others:?}");
}

#[tokio::test]
async fn a_thread_and_a_forum_post_are_places_of_their_own_in_their_channel() {
    let den = Den::with_room().await;
    let thread = den.fake.thread(8801, den.room);
    den.fake
        .mention(ANNA, thread, "remember the thread is long");
    den.told(thread, "remembered").await;
    den.fake.mention(ANNA, thread, "recall thread");
    den.told(thread, "the thread is long").await;
    // What is remembered in a place stays there.
    den.fake.mention(ANNA, den.room, "recall thread");
    den.told(den.room, "nothing was remembered").await;
    let forum = den.fake.channel(8900, "forum");
    let post = den.fake.thread(8901, forum);
    den.fake.mention(ANNA, post, "remember this too");
    den.fake.mention(ANNA, thread, "recall too");
    den.told(thread, "nothing was remembered").await;
    assert_eq!(den.fake.messages(post), []);
}

#[tokio::test]
async fn f64_slash_commands_are_registered_and_answered_also_when_they_came_too_late() {
    let den = Den::open("").await;
    let known = den.fake.commands();
    let names = known.as_array().unwrap().iter();
    let names: Vec<&str> = names.map(|one| one["name"].as_str().unwrap()).collect();
    // One menu for all chats: what is not for a chat is refused there.
    let owners = ["link", "unlink", "policy", "rules", "status", "incognito"];
    let everybodys = ["new", "stop", "why", "help", "unpair"];
    assert_eq!(names, [&everybodys[..], &owners, &["pair"]].concat());
    den.fake.say(ANNA, den.direct, "remember the gate is green");
    den.told(den.direct, "remembered").await;
    den.fake.command(ANNA, den.direct, "why", "");
    den.told(den.direct, "@memory save").await;
    let late = den.fake.command(ANNA, den.direct, "new", "");
    den.fake.expire(late);
    den.told(den.direct, "A fresh conversation").await;
}

#[tokio::test]
async fn f14_an_edit_runs_nothing() {
    let den = Den::open("").await;
    let said = den.fake.say(ANNA, den.direct, "recall zebras");
    den.told(den.direct, "nothing was remembered").await;
    for text in ["/new", "/unpair", "remember the edit", "recall zebras"] {
        den.fake.edit(ANNA, den.direct, said, text);
    }
    den.fake.say(ANNA, den.direct, "recall lions");
    let asked = || {
        let all = den.fake.messages(den.direct).into_iter();
        all.filter(|shown| shown.text.contains("nothing was remembered"))
            .count()
    };
    assert!(soon(|| (asked() == 2).then_some(())).await.is_some());
    assert_eq!(den.house.count("SELECT count(*) FROM memory"), 0);
    assert_eq!(den.house.count("SELECT count(*) FROM pairing"), 1);
    assert_eq!(den.house.count("SELECT count(*) FROM conversation"), 1);
}

#[tokio::test]
async fn outside_words_ask_and_the_card_ends_with_its_outcome() {
    let den = Den::open("").await;
    den.fake.forward(ANNA, den.direct, "write notes.txt: hello");
    let card = den.card(den.direct).await;
    let shown = den.fake.shown(den.direct, card);
    assert!(shown.text.contains("outside content was read"), "{shown:?}");
    assert_eq!((shown.flags, shown.links()), (4, Vec::new()));
    den.fake.press(ANNA, den.direct, card, "Allow once");
    den.told(den.direct, "wrote notes.txt").await;
    let shown = den.fake.shown(den.direct, card);
    assert!(shown.labels().is_empty(), "{shown:?}");
    assert_eq!(den.house.file("notes.txt").as_deref(), Some("hello"));
}

#[tokio::test]
async fn f21_a_close_that_stops_is_named_with_its_setting_in_status_and_doctor() {
    let mut den = Den::built("").await;
    den.fake.refuse_connections(5, 4014);
    den.house.start().await;
    let says = "close 4014: Message Content Intent is not allowed to this bot; switch it on at discord.com/developers";
    let told = || {
        let connects = den.fake.connects();
        (connects > 0).then_some(())
    };
    assert!(soon(told).await.is_some());
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let status = den.house.cli(&["status"]).await;
    assert!(status.out.contains(says), "{status:?}");
    let doctor = den.house.cli(&["doctor"]).await;
    assert!(doctor.out.contains(says), "{doctor:?}");
    assert_eq!(den.fake.connects(), 1);
}

#[tokio::test]
async fn f21_doctor_names_what_is_not_set_up_and_the_line_works_without_it() {
    let mut den = Den::built("").await;
    den.fake.allow_content(false);
    den.fake.leave_server();
    den.house.start().await;
    den.fake.heard().await;
    den.fake
        .say(ANNA, den.direct, &format!("/pair {}", den.house.code()));
    den.told(den.direct, "You are paired").await;
    let doctor = den.house.cli(&["doctor"]).await;
    assert!(
        doctor.out.contains("Message Content Intent is off"),
        "{doctor:?}"
    );
    assert!(
        doctor.out.contains("&scope=bot+applications.commands&"),
        "{doctor:?}"
    );
}

/// A door for the key of these bytes.
pub(super) fn key() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn now() -> u64 {
    let now = std::time::SystemTime::now();
    now.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

/// Requests, each with whether it is signed as it must be.
fn requests() -> Vec<(String, String, String, bool)> {
    let key = key();
    let body =
        json!({"type": 1, "id": "1", "token": "t", "application_id": "é \\u00e9 @"}).to_string();
    let time = now().to_string();
    let sign = |time: &str, body: &str| hex(key.sign(format!("{time}{body}").as_bytes()).as_ref());
    let right = sign(&time, &body);
    let mut flipped = right.clone().into_bytes();
    flipped[0] = if flipped[0] == b'0' { b'1' } else { b'0' };
    let flipped = String::from_utf8(flipped).unwrap();
    vec![
        (right.clone(), time.clone(), body.clone(), true),
        (flipped, time.clone(), body.clone(), false),
        (right.clone(), time.clone(), format!("{body} "), false),
        (right.clone(), (now() + 1).to_string(), body.clone(), false),
        (sign("", &body), time.clone(), body.clone(), false),
        (right[2..].to_owned(), time.clone(), body.clone(), false),
        ("0".repeat(128), time, body, false),
    ]
}

pub(super) async fn behind_a_door() -> Den {
    let public_key = hex(key().public_key().as_ref());
    Den::built(&format!(
        "interactions = \"webhook\"\npublic_key = \"{public_key}\"\n[webhooks]\nlisten = \"127.0.0.1:0\"\npublic = \"{PUBLIC}\"\n"
    ))
    .await
    .opened()
    .await
}

pub(super) async fn knock(
    den: &Den,
    signature: &str,
    time: &str,
    body: &str,
) -> (StatusCode, String) {
    let request = den
        .house
        .world
        .http
        .post(format!("{}/hooks/den", den.house.doors()))
        .header("x-signature-ed25519", signature)
        .header("x-signature-timestamp", time)
        .body(body.to_owned());
    let answer = request.send().await.unwrap();
    (answer.status(), answer.text().await.unwrap())
}

#[tokio::test]
async fn a_press_comes_through_the_signed_door_and_nothing_else_does() {
    let den = behind_a_door().await;
    for (signature, time, body, right) in requests() {
        let (status, answer) = knock(&den, &signature, &time, &body).await;
        let wanted = if right {
            StatusCode::OK
        } else {
            StatusCode::UNAUTHORIZED
        };
        assert_eq!(status, wanted, "{signature} {time} {body}");
        if right {
            assert_eq!(answer, "{\"type\":1}");
        }
    }
    den.fake.say(ANNA, den.direct, "write notes.txt: hello");
    let card = den.card(den.direct).await;
    let token = den
        .fake
        .shown(den.direct, card)
        .button("Allow once")
        .unwrap()
        .to_owned();
    let press = json!({
        "id": "1551597200998400009", "type": 3, "token": "tok", "application_id": "777000111",
        "channel_id": den.direct.0.to_string(), "context": 1, "user": {"id": ANNA.0.to_string()},
        "data": {"custom_id": token, "component_type": 2}, "message": {"id": card.to_string()},
    });
    let body = press.to_string();
    let time = now().to_string();
    let signature = hex(key().sign(format!("{time}{body}").as_bytes()).as_ref());
    let (status, answer) = knock(&den, &signature, &time, &body).await;
    assert_eq!((status, answer.as_str()), (StatusCode::OK, "{\"type\":6}"));
    den.told(den.direct, "wrote notes.txt").await;
    assert_eq!(den.house.file("notes.txt").as_deref(), Some("hello"));
}

#[tokio::test]
#[ignore = "needs node and the packages of tests/sdk"]
async fn sdk_discord_interactions_agrees_with_our_door_on_every_signature() {
    use std::io::Write;
    let den = behind_a_door().await;
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/sdk/discord-verify.mjs"
    );
    let mut child = std::process::Command::new("node")
        .arg(script)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("node");
    let public_key = hex(key().public_key().as_ref());
    let mut ours = Vec::new();
    let mut asked = child.stdin.take().unwrap();
    for (signature, time, body, right) in requests() {
        let (status, _) = knock(&den, &signature, &time, &body).await;
        ours.push((status == StatusCode::OK).to_string());
        assert_eq!(status == StatusCode::OK, right);
        let line: Value =
            json!({"key": public_key, "signature": signature, "time": time, "body": body});
        writeln!(asked, "{line}").unwrap();
    }
    drop(asked);
    let output = tokio::task::spawn_blocking(move || child.wait_with_output().unwrap())
        .await
        .unwrap();
    let theirs = String::from_utf8(output.stdout).unwrap();
    assert_eq!(theirs.lines().collect::<Vec<_>>(), ours);
}
