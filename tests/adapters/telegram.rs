//! Does the Telegram adapter hear everything once, send what fits, and keep its token?

use std::sync::{Arc, Mutex};
use std::time::Duration;

use adapters::{Adapter, AdapterError, Cursor, Encoded, Inbox, NotStored, Probe, SendKey};
use async_trait::async_trait;
use bot_policy::event::{EventKind, InboundEvent, PartBody, ReplyHandle};
use bot_policy::id::{ButtonToken, ChatId, LineId, MessageRef, Place, ThreadId};
use bot_policy::message::{Addresses, Body, Button, Choices, Notice, OutboundMessage, Reply};
use fakes::telegram::{BOT_NAME, Chat, Fake, Fault, Shown, User, WAIT};
use serde_json::json;

const TOKEN: &str = "123456789:AAExampleExampleExampleExampleExam";

#[tokio::test]
async fn the_probe_says_who_we_are_and_makes_the_pair_link() {
    let (_fake, adapter, _) = started().await;
    assert_eq!(adapter.pair_link("CODE"), None);
    let probe = adapter.probe().await.unwrap();
    assert_eq!(
        probe,
        Probe {
            name: format!("@{BOT_NAME}")
        }
    );
    let link = format!("https://t.me/{BOT_NAME}?start=CODE");
    assert_eq!(adapter.pair_link("CODE"), Some(link));
}

#[tokio::test]
async fn commands_are_announced() {
    let (fake, adapter, _) = started().await;
    adapter.announce(&[("new", "Start afresh")]).await.unwrap();
    assert_eq!(
        fake.commands(),
        json!([{"command": "new", "description": "Start afresh"}])
    );
}

#[tokio::test]
async fn what_was_said_is_heard_in_order_and_acknowledged_after_it_is_stored() {
    let (fake, adapter, anna) = started().await;
    for word in ["one", "two", "three"] {
        fake.private_message(anna, word);
    }
    let heard = Arc::new(Heard::default());
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 3).await, ["one", "two", "three"]);
    fake.wait_until(WAIT, || (fake.waiting() == 0).then_some(()))
        .await
        .unwrap();
    assert_eq!(heard.cursor(), Some(Cursor("1002".to_owned())));
    listening.abort();
}

#[tokio::test]
async fn f04_what_could_not_be_stored_is_not_acknowledged() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "keep me");
    let heard = Arc::new(Heard::default());
    *heard.broken.lock().unwrap() = true;
    let ended = listen(&adapter, &heard).await.unwrap();
    assert_eq!(ended, AdapterError::Stored(NotStored("disk".to_owned())));
    assert_eq!(fake.waiting(), 1);
    *heard.broken.lock().unwrap() = false;
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 1).await, ["keep me"]);
    listening.abort();
}

#[tokio::test]
async fn f05_f06_a_restart_goes_on_from_the_stored_cursor() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "before");
    fake.private_message(anna, "after");
    let heard = Arc::new(Heard::default());
    *heard.cursor.lock().unwrap() = Some(Cursor("1000".to_owned()));
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 1).await, ["after"]);
    assert_eq!(fake.calls_of("getUpdates")[0]["offset"], 1001);
    listening.abort();
}

#[tokio::test]
async fn f01_there_is_one_poll_at_a_time_over_ten_restarts() {
    let (fake, adapter, anna) = started().await;
    let heard = Arc::new(Heard::default());
    for round in 1..=10 {
        let listening = listen(&adapter, &heard);
        let polls = || (fake.calls_of("getUpdates").len() >= round).then_some(());
        fake.wait_until(WAIT, polls).await.unwrap();
        listening.abort();
        let _ = listening.await;
        // The server sees the connection close a moment later.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let _first = listen(&adapter, &heard);
    let _second = listen(&adapter, &heard);
    fake.private_message(anna, "once");
    assert_eq!(heard.texts(&fake, 1).await, ["once"]);
    assert_eq!(fake.most_polls(), 1);
}

#[tokio::test]
async fn f02_a_conflict_is_waited_out() {
    let (fake, adapter, anna) = started().await;
    for _ in 0..2 {
        let description = "Conflict: terminated by other getUpdates request".to_owned();
        fake.inject(
            "getUpdates",
            Fault::Refuse {
                code: 409,
                description,
            },
        );
    }
    fake.private_message(anna, "still here");
    let heard = Arc::new(Heard::default());
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 1).await, ["still here"]);
    listening.abort();
}

#[tokio::test]
async fn f02_a_refused_token_ends_the_hearing() {
    let (fake, adapter, _) = started().await;
    fake.rotate("123456789:another");
    let heard = Arc::new(Heard::default());
    let ended = listen(&adapter, &heard).await.unwrap();
    assert_eq!(ended, AdapterError::Credentials("Unauthorized".to_owned()));
}

#[tokio::test]
async fn f03_an_update_that_cannot_be_read_is_passed_over_once() {
    let (fake, adapter, anna) = started().await;
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    fake.update(
        "message",
        json!({"message_id": "no number", "chat": [], "deep": deep}),
    );
    fake.private_message(anna, "good");
    let heard = Arc::new(Heard::default());
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 1).await, ["good"]);
    fake.wait_until(WAIT, || (fake.waiting() == 0).then_some(()))
        .await
        .unwrap();
    listening.abort();
}

#[tokio::test]
async fn trouble_while_polling_is_waited_out() {
    let (fake, adapter, anna) = started().await;
    fake.inject("getMe", Fault::Status(502));
    fake.inject("getUpdates", Fault::Drop);
    fake.inject("getUpdates", Fault::TooMany { retry_after: 1 });
    fake.private_message(anna, "hello");
    let heard = Arc::new(Heard::default());
    let listening = listen(&adapter, &heard);
    assert_eq!(heard.texts(&fake, 1).await, ["hello"]);
    listening.abort();
}

#[tokio::test]
async fn a_reply_stands_in_the_chat_with_its_entities_and_no_preview() {
    let (fake, adapter, anna) = started().await;
    let asked = fake.private_message(anna, "hi");
    let mut message = reply("**bold** and `code`", Addresses::Live);
    message.answers = Some(MessageRef::new(asked.to_string()));
    let id = send_all(&adapter, &place(anna.direct()), &message)
        .await
        .pop()
        .unwrap();
    let shown = Shown {
        id: id.as_str().parse().unwrap(),
        text: "bold and code".to_owned(),
        entities: vec![
            json!({"type": "bold", "offset": 0, "length": 4}),
            json!({"type": "code", "offset": 9, "length": 4}),
        ],
        buttons: Vec::new(),
        before: Vec::new(),
        reply_to: Some(asked),
        thread: None,
        no_preview: true,
    };
    assert_eq!(fake.messages(anna.direct()), [shown]);
}

#[tokio::test]
async fn f28_f29_what_the_platform_cannot_parse_is_sent_plain_once() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let description = "Bad Request: can't parse entities: at byte 9".to_owned();
    fake.inject(
        "sendMessage",
        Fault::Refuse {
            code: 400,
            description,
        },
    );
    let message = reply(
        "Sure! **Step 1** - snake_case_name and *half bold",
        Addresses::Live,
    );
    send_all(&adapter, &place(anna.direct()), &message).await;
    let shown = &fake.messages(anna.direct())[0];
    assert_eq!(shown.text, "Sure! Step 1 - snake_case_name and *half bold");
    assert_eq!(shown.entities, Vec::<serde_json::Value>::new());
    assert!(shown.no_preview);
    assert_eq!(fake.calls_of("sendMessage").len(), 2);
}

#[tokio::test]
async fn f28_a_plain_text_that_is_refused_is_not_tried_again() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    for _ in 0..3 {
        let description = "Bad Request: can't parse entities: never".to_owned();
        fake.inject(
            "sendMessage",
            Fault::Refuse {
                code: 400,
                description,
            },
        );
    }
    let part = &adapter.encode(&reply("**a**", Addresses::Live))[0];
    let sent = adapter.send(&place(anna.direct()), part, SendKey(1)).await;
    let why = "Bad Request: can't parse entities: never".to_owned();
    assert_eq!(sent, Err(AdapterError::Refused(why)));
    assert_eq!(fake.calls_of("sendMessage").len(), 2);
}

#[tokio::test]
async fn addresses_stay_inert_even_when_entities_are_refused() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let description = "Bad Request: can't parse entities".to_owned();
    fake.inject(
        "sendMessage",
        Fault::Refuse {
            code: 400,
            description,
        },
    );
    let message = reply("see https://evil.example/x?k=SECRET", Addresses::Inert);
    send_all(&adapter, &place(anna.direct()), &message).await;
    let text = &fake.messages(anna.direct())[0].text;
    assert_eq!(text, "see https[:][/][/]evil[.]example[/]x?k=SECRET");
}

#[tokio::test]
async fn f31_a_long_reply_arrives_whole_and_in_order() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let text: String = (0..1140).map(|n| format!("{n:04} ")).collect();
    send_all(
        &adapter,
        &place(anna.direct()),
        &reply(&text, Addresses::Live),
    )
    .await;
    let shown = fake.messages(anna.direct());
    assert_eq!(shown.len(), 2);
    let joined: Vec<&str> = shown
        .iter()
        .flat_map(|part| part.text.split_whitespace())
        .collect();
    assert_eq!(joined, text.split_whitespace().collect::<Vec<_>>());
}

#[tokio::test]
async fn f18_a_closed_topic_is_tried_once_without() {
    let (fake, adapter, _) = started().await;
    let chat = fake.group(-100_200, "Family");
    fake.topic(chat, 7);
    let mut place = place(chat);
    place.thread = Some(ThreadId::new("7"));
    let message = notice("hello");
    send_all(&adapter, &place, &message).await;
    fake.close_topic(chat, 7);
    send_all(&adapter, &place, &message).await;
    let threads: Vec<_> = fake
        .messages(chat)
        .iter()
        .map(|shown| shown.thread)
        .collect();
    assert_eq!(threads, [Some(7), None]);
    assert_eq!(fake.calls_of("sendMessage").len(), 3);
}

#[tokio::test]
async fn f19_a_thread_that_is_no_number_is_an_error() {
    let (fake, adapter, _) = started().await;
    let mut place = place(fake.group(-100_200, "Family"));
    place.thread = Some(ThreadId::new("general"));
    let part = &adapter.encode(&notice("hello"))[0];
    let sent = adapter.send(&place, part, SendKey(1)).await;
    let why = "an id is no number of Telegram's".to_owned();
    assert_eq!(sent, Err(AdapterError::Refused(why)));
    assert_eq!(fake.calls(), []);
}

#[tokio::test]
async fn f17_a_moved_group_says_where_it_is() {
    let (fake, adapter, anna) = started().await;
    let old = fake.group(-123, "Family");
    fake.upgrade(anna, old, -100_123);
    let part = &adapter.encode(&notice("hello"))[0];
    let sent = adapter.send(&place(old), part, SendKey(1)).await;
    assert_eq!(sent, Err(AdapterError::Moved(ChatId::new("-100123"))));
}

#[tokio::test]
async fn each_outcome_of_a_send_says_what_may_be_done() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let refuse = |code, description: &str| Fault::Refuse {
        code,
        description: description.to_owned(),
    };
    let slow = AdapterError::Retry {
        after: Some(Duration::from_secs(33)),
        why: "it asks us to slow down".to_owned(),
    };
    let cases = [
        (Fault::TooMany { retry_after: 33 }, slow),
        (Fault::Status(500), AdapterError::Ambiguous),
        (Fault::Status(502), AdapterError::Ambiguous),
        (Fault::Drop, AdapterError::Ambiguous),
        (
            refuse(401, "Unauthorized"),
            AdapterError::Credentials("Unauthorized".to_owned()),
        ),
        (
            refuse(403, "Forbidden: x"),
            AdapterError::Refused("Forbidden: x".to_owned()),
        ),
        (
            refuse(404, "Not Found"),
            AdapterError::Credentials("Not Found".to_owned()),
        ),
        (refuse(409, "Conflict"), AdapterError::Conflict),
    ];
    let part = &adapter.encode(&notice("hello"))[0];
    for (fault, error) in cases {
        fake.inject("sendMessage", fault.clone());
        let sent = adapter.send(&place(anna.direct()), part, SendKey(1)).await;
        assert_eq!(sent, Err(error), "{fault:?}");
    }
    // Only the dropped one was done, and nothing was repeated.
    assert_eq!(fake.messages(anna.direct()).len(), 1);
    assert_eq!(fake.calls_of("sendMessage").len(), 8);
}

#[tokio::test]
async fn f37_without_a_connection_nothing_was_done() {
    let (fake, adapter, anna) = started().await;
    drop(fake);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let part = &adapter.encode(&notice("hello"))[0];
    let sent = adapter.send(&place(anna.direct()), part, SendKey(1)).await;
    let why = "no connection to it".to_owned();
    assert_eq!(sent, Err(AdapterError::Retry { after: None, why }));
}

#[tokio::test]
async fn an_edit_is_harmless_to_repeat_and_the_same_text_is_success() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let chat = place(anna.direct());
    let mut first = notice("Sure?");
    first.body = Body::Notice(Notice {
        text: "Sure?".to_owned(),
        choices: choices(),
    });
    let id = send_all(&adapter, &chat, &first).await.pop().unwrap();
    assert_eq!(
        fake.messages(anna.direct())[0].labels(),
        ["Allow once", "Deny"]
    );
    let after = &adapter.encode(&notice("Done."))[0];
    for fault in [Fault::Status(503), Fault::Drop] {
        fake.inject("editMessageText", fault);
        let edited = adapter.edit(&chat, &id, after).await;
        assert!(
            matches!(edited, Err(AdapterError::Retry { .. })),
            "{edited:?}"
        );
    }
    adapter.edit(&chat, &id, after).await.unwrap();
    let shown = &fake.messages(anna.direct())[0];
    assert_eq!((shown.text.as_str(), shown.labels()), ("Done.", Vec::new()));
    let gone = adapter.edit(&chat, &MessageRef::new("5"), after).await;
    let why = "Bad Request: message to edit not found".to_owned();
    assert_eq!(gone, Err(AdapterError::Refused(why)));
}

#[tokio::test]
async fn f46_a_press_is_answered_shortly_and_too_late_is_no_failure() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let body = Body::Notice(Notice {
        text: "Sure?".to_owned(),
        choices: choices(),
    });
    let asked = OutboundMessage {
        body,
        answers: None,
    };
    send_all(&adapter, &place(anna.direct()), &asked).await;
    let card = fake.messages(anna.direct())[0].id;
    let press = fake.press(anna, anna.direct(), card, "Deny");
    let long = "🚪".repeat(300);
    adapter
        .acknowledge(&ReplyHandle(press.clone()), Some(&long))
        .await
        .unwrap();
    let answers = fake.answers();
    assert_eq!(answers.len(), 1);
    assert_eq!(
        (answers[0].text.as_deref(), answers[0].alert),
        (Some("🚪".repeat(100).as_str()), true)
    );
    adapter
        .acknowledge(&ReplyHandle(press), None)
        .await
        .unwrap();
}

#[tokio::test]
async fn typing_is_shown_in_the_topic() {
    let (fake, adapter, _) = started().await;
    let chat = fake.group(-100_200, "Family");
    fake.topic(chat, 7);
    let mut place = place(chat);
    place.thread = Some(ThreadId::new("7"));
    adapter.typing(&place).await.unwrap();
    let wanted = json!({"chat_id": -100_200, "action": "typing", "message_thread_id": 7});
    assert_eq!(fake.calls_of("sendChatAction"), [wanted]);
}

#[tokio::test]
async fn f95_the_token_is_in_no_error() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let part = adapter.encode(&notice("hello"))[0].clone();
    let chat = place(anna.direct());
    let mut errors = Vec::new();
    let echo = |code| Fault::Refuse {
        code,
        description: format!("bad /bot{TOKEN}/sendMessage"),
    };
    for fault in [
        echo(400),
        echo(401),
        echo(403),
        echo(404),
        echo(409),
        echo(500),
        Fault::Drop,
        Fault::Status(502),
        Fault::TooMany { retry_after: 1 },
    ] {
        fake.inject("sendMessage", fault.clone());
        errors.push(adapter.send(&chat, &part, SendKey(1)).await.unwrap_err());
        fake.inject("editMessageText", fault.clone());
        errors.push(
            adapter
                .edit(&chat, &MessageRef::new("101"), &part)
                .await
                .unwrap_err(),
        );
        fake.inject("getMe", fault);
        errors.push(adapter.probe().await.unwrap_err());
    }
    drop(fake);
    tokio::time::sleep(Duration::from_millis(50)).await;
    errors.push(adapter.probe().await.unwrap_err());
    for error in errors {
        assert_keeps_the_token(&format!("{error} {error:?}"));
    }
}

#[test]
fn f95_the_token_is_in_no_debug_text_and_no_configuration_error() {
    let folder = std::env::temp_dir().join(format!("postern-telegram-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("token");
    std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let adapter = built(&format!("token_file = {file:?}")).unwrap();
    assert_eq!(adapter.line(), &LineId::new("line"));
    let config: adapters::telegram::Config = toml_like(&format!("token_file = {file:?}"));
    let whole = adapters::telegram::Telegram::new(LineId::new("line"), &config).unwrap();
    assert_keeps_the_token(&format!("{whole:?} {config:?}"));
    std::fs::write(&file, format!("{TOKEN}/../evil")).unwrap();
    let error = built(&format!("token_file = {file:?}"))
        .err()
        .unwrap()
        .to_string();
    assert_keeps_the_token(&error);
    std::fs::write(&file, " \n").unwrap();
    let error = built(&format!("token_file = {file:?}"))
        .err()
        .unwrap()
        .to_string();
    let wanted = format!(
        "line line: token_file {} is empty; put the token from @BotFather into it",
        file.display()
    );
    assert_eq!(error, wanted);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_line_needs_exactly_one_place_for_its_token() {
    let neither = built("").err().unwrap().to_string();
    assert!(neither.contains("set token_file"), "{neither}");
    let both = built("token_file = \"a\"\ntoken_env = \"B\"")
        .err()
        .unwrap()
        .to_string();
    assert!(both.contains("keep one"), "{both}");
    let missing = built("token_file = \"/nowhere/token\"")
        .err()
        .unwrap()
        .to_string();
    assert!(missing.contains("/nowhere/token"), "{missing}");
}

#[test]
fn an_unknown_setting_is_refused() {
    let config = json!({"platform": "telegram", "token_file": "x", "allow": ["@anna"]});
    let error = serde_json::from_value::<adapters::Config>(config)
        .unwrap_err()
        .to_string();
    assert!(error.contains("allow"), "{error}");
}

// Helpers.

fn assert_keeps_the_token(text: &str) {
    assert!(!text.contains("AAExample"), "{text}");
}

fn toml_like<T: serde::de::DeserializeOwned>(settings: &str) -> T {
    let pairs = settings.lines().filter_map(|line| line.split_once(" = "));
    let object = pairs.map(|(key, value)| (key.to_owned(), serde_json::from_str(value).unwrap()));
    serde_json::from_value(serde_json::Value::Object(object.collect())).unwrap()
}

fn built(settings: &str) -> Result<Arc<dyn Adapter>, adapters::ConfigError> {
    let config = adapters::Config::Telegram(toml_like(settings));
    adapters::build(LineId::new("line"), &config)
}

async fn started() -> (Fake, Arc<dyn Adapter>, User) {
    let fake = Fake::start(TOKEN).await;
    let name = format!(
        "{}-{}",
        std::process::id(),
        fake.url().rsplit(':').next().unwrap()
    );
    let file = std::env::temp_dir().join(format!("postern-token-{name}"));
    std::fs::write(&file, TOKEN).unwrap();
    let adapter = built(&format!("token_file = {file:?}\napi = {:?}", fake.url())).unwrap();
    std::fs::remove_file(&file).unwrap();
    let anna = fake.person(7001, "Anna");
    (fake, adapter, anna)
}

fn place(chat: Chat) -> Place {
    Place {
        line: LineId::new("line"),
        chat: ChatId::new(chat.0.to_string()),
        thread: None,
    }
}

fn reply(markdown: &str, addresses: Addresses) -> OutboundMessage {
    let reply = Reply {
        markdown: markdown.to_owned(),
        footer: None,
        addresses,
    };
    OutboundMessage {
        body: Body::Reply(reply),
        answers: None,
    }
}

fn notice(text: &str) -> OutboundMessage {
    let notice = Notice {
        text: text.to_owned(),
        choices: Choices::default(),
    };
    OutboundMessage {
        body: Body::Notice(notice),
        answers: None,
    }
}

fn choices() -> Choices {
    let button = |label: &str, byte| Button {
        label: label.to_owned(),
        token: ButtonToken::from_random([byte; 16]),
    };
    Choices(vec![button("Allow once", 1), button("Deny", 2)])
}

async fn send_all(
    adapter: &Arc<dyn Adapter>,
    place: &Place,
    message: &OutboundMessage,
) -> Vec<MessageRef> {
    let mut ids = Vec::new();
    for part in adapter.encode(message) {
        // Parts are stored before they are sent.
        let stored: Encoded = serde_json::from_str(&serde_json::to_string(&part).unwrap()).unwrap();
        ids.push(adapter.send(place, &stored, SendKey(1)).await.unwrap());
    }
    ids
}

fn listen(adapter: &Arc<dyn Adapter>, heard: &Arc<Heard>) -> tokio::task::JoinHandle<AdapterError> {
    let (adapter, heard) = (adapter.clone(), heard.clone());
    tokio::spawn(async move { adapter.listen(heard.as_ref()).await.unwrap_err() })
}

#[derive(Default)]
struct Heard {
    events: Mutex<Vec<InboundEvent>>,
    cursor: Mutex<Option<Cursor>>,
    broken: Mutex<bool>,
}

impl Heard {
    fn cursor(&self) -> Option<Cursor> {
        self.cursor.lock().unwrap().clone()
    }

    /// What was said, once so many messages are there and a moment has passed.
    async fn texts(&self, fake: &Fake, wanted: usize) -> Vec<String> {
        let enough = || (self.events.lock().unwrap().len() >= wanted).then_some(());
        for _ in 0..500 {
            if enough().is_some() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        fake.wait_until(Duration::from_millis(50), || None::<()>)
            .await;
        let events = self.events.lock().unwrap();
        let texts = events.iter().filter_map(|event| match &event.what {
            EventKind::Message { parts, .. } => match &parts[0].body {
                PartBody::Text(text) => Some(text.clone()),
                PartBody::File(_) => None,
            },
            _ => None,
        });
        texts.collect()
    }
}

#[async_trait]
impl Inbox for Heard {
    async fn accept(
        &self,
        _: &LineId,
        events: Vec<InboundEvent>,
        heard: Option<Cursor>,
    ) -> Result<(), NotStored> {
        if *self.broken.lock().unwrap() {
            return Err(NotStored("disk".to_owned()));
        }
        self.events.lock().unwrap().extend(events);
        *self.cursor.lock().unwrap() = heard;
        Ok(())
    }

    async fn heard(&self, _: &LineId) -> Result<Option<Cursor>, NotStored> {
        Ok(self.cursor())
    }
}
