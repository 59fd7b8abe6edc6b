//! Does the platform of the tests refuse what the real one refuses?

use fakes::discord::{APPLICATION, BOT_ID, Channel, Fake, TOKEN};
use reqwest::Method;
use serde_json::{Value, json};

struct Bot {
    fake: Fake,
    client: reqwest::Client,
    room: Channel,
}

impl Bot {
    async fn new() -> Self {
        let fake = Fake::start(TOKEN).await;
        let room = fake.channel(8800, "room");
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { fake, client, room }
    }

    async fn ask(&self, method: Method, path: &str, token: &str, body: Value) -> (u16, Value) {
        let answer = self
            .client
            .request(method, format!("{}/v10{path}", self.fake.url()))
            .header("authorization", format!("Bot {token}"))
            .header("user-agent", "DiscordBot (test, 1)")
            .json(&body)
            .send()
            .await
            .unwrap();
        let status = answer.status().as_u16();
        (status, answer.json().await.unwrap_or_default())
    }

    /// The code with which a message is refused.
    async fn refusal(&self, body: Value) -> (u16, u64) {
        let (status, answer) = self
            .ask(Method::POST, "/channels/8800/messages", TOKEN, body)
            .await;
        (status, answer["code"].as_u64().unwrap_or(0))
    }
}

#[tokio::test]
async fn it_refuses_messages_that_the_platform_refuses() {
    let bot = Bot::new().await;
    let button =
        |id: &str, label: &str| json!({"type": 2, "style": 2, "custom_id": id, "label": label});
    let rows = |rows: Vec<Vec<Value>>| {
        let rows: Vec<Value> = rows
            .into_iter()
            .map(|row| json!({"type": 1, "components": row}))
            .collect();
        json!({"content": "x", "components": rows})
    };
    let six: Vec<Value> = (0..6).map(|n| button(&n.to_string(), "x")).collect();
    let many: Vec<Vec<Value>> = (0..6).map(|n| vec![button(&n.to_string(), "x")]).collect();
    for body in [
        json!({"content": "x".repeat(2001)}),
        json!({"content": "x", "nonce": "x".repeat(26)}),
        json!({"content": "x", "flags": 1 << 6}),
        json!({"content": "x", "message_reference": {"message_id": "5"}}),
        json!({"content": "x", "attachments": [{"id": 0}]}),
        rows(vec![six]),
        rows(many),
        rows(vec![vec![button(&"x".repeat(101), "x")]]),
        rows(vec![vec![button("a", "x"), button("a", "y")]]),
        rows(vec![vec![button("a", &"x".repeat(81))]]),
        rows(vec![vec![button("a", "")]]),
    ] {
        assert_eq!(bot.refusal(body.clone()).await, (400, 50035), "{body}");
    }
    assert_eq!(bot.refusal(json!({"content": " "})).await, (400, 50006));
    assert_eq!(bot.fake.messages(bot.room), []);
    assert_eq!(
        bot.refusal(json!({"content": "x".repeat(2000)})).await,
        (200, 0)
    );
}

#[tokio::test]
async fn it_refuses_calls_without_a_right_a_place_or_a_name() {
    let bot = Bot::new().await;
    let code = |(status, answer): (u16, Value)| (status, answer["code"].as_u64().unwrap());
    let post = |path: &'static str, token: &'static str| {
        bot.ask(Method::POST, path, token, json!({"content": "x"}))
    };
    assert_eq!(
        code(post("/channels/8800/messages", "wrong").await),
        (401, 0)
    );
    assert_eq!(
        code(post("/channels/1/messages", TOKEN).await),
        (404, 10003)
    );
    bot.fake.shut(bot.room);
    assert_eq!(
        code(post("/channels/8800/messages", TOKEN).await),
        (403, 50001)
    );
    let path = format!("{}/v10/users/@me", bot.fake.url());
    let nameless = bot
        .client
        .get(path)
        .header("authorization", format!("Bot {TOKEN}"));
    assert_eq!(nameless.send().await.unwrap().status().as_u16(), 403);
}

#[tokio::test]
async fn the_same_nonce_gives_the_same_message_where_it_is_enforced() {
    let bot = Bot::new().await;
    let send = |body: Value| bot.ask(Method::POST, "/channels/8800/messages", TOKEN, body);
    let first = send(json!({"content": "x", "nonce": "7", "enforce_nonce": true})).await;
    let again = send(json!({"content": "y", "nonce": "7", "enforce_nonce": true})).await;
    assert_eq!(first.1["id"], again.1["id"]);
    let loose = send(json!({"content": "y", "nonce": "7"})).await;
    assert_ne!(first.1["id"], loose.1["id"]);
    assert_eq!(bot.fake.messages(bot.room).len(), 2);
}

#[tokio::test]
async fn an_interaction_is_answered_once_and_in_time() {
    let bot = Bot::new().await;
    let anna = bot.fake.person(7001, "Anna");
    let direct = bot.fake.direct(anna);
    let (_, sent) = bot
        .ask(
            Method::POST,
            &format!("/channels/{}/messages", direct.0),
            TOKEN,
            json!({"content": "card"}),
        )
        .await;
    let card = sent["id"].as_str().unwrap().parse().unwrap();
    let press = bot.fake.press_token(anna, direct, card, "t");
    let wrong = bot
        .ask(
            Method::POST,
            &format!("/interactions/{press}/wrong/callback"),
            "",
            json!({"type": 6}),
        )
        .await;
    assert_eq!(wrong.1["code"], 10062);
    let late = bot
        .ask(
            Method::POST,
            &format!("/webhooks/{APPLICATION}/never"),
            "",
            json!({"content": "x"}),
        )
        .await;
    assert_eq!(late.1["code"], 10015);
    assert_eq!(bot.fake.answers(), []);
    assert_eq!(sent["author"]["id"], json!(BOT_ID.to_string()));
}

#[test]
fn it_reads_markdown_as_people_do() {
    use fakes::discord::{displayed, pressable};
    assert_eq!(
        displayed("**a** _b_ `c*d` \\*e\\* ```rust\nf*g\n``` > h"),
        "a b c*d *e* f*g > h"
    );
    assert_eq!(
        displayed("> quoted\n- item\n# head"),
        "quoted\n• item\nhead"
    );
    assert_eq!(displayed("\\`\\`\\`\nno fence"), "```\nno fence");
    assert_eq!(
        pressable("https://a.b `https://c.d` [x](https://e.f) <https://g.h> https\\://i.j"),
        ["https://a.b", "https://e.f", "https://g.h"]
    );
}
