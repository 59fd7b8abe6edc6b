//! The bot's token gets out nowhere, however it is written.

use fakes::telegram::Fault;
use serde_json::{Value, json};

use crate::stories::chat::Door;
use crate::stories::house::{House, TOKEN, soon};

/// The token plain (as JSON writes it too), in base64, in an address, in hexadecimal.
const FORMS: [&str; 5] = [
    TOKEN,
    "MTIzNDU2OlNUT1JZ",
    "123456%3ASTORY",
    "123456%3aSTORY",
    "3132333435363a53544f5259",
];

fn all_forms() -> String {
    format!("{{\"token\":\"{TOKEN}\"}} {}", FORMS.join(" "))
}

fn assert_clean(what: &str, text: &str) {
    for form in FORMS {
        assert!(!text.contains(form), "{form} in {what}: {text}");
    }
}

/// Every value of a column, one after the other.
fn column(house: &House, query: &str) -> String {
    let database = house.database();
    let mut rows = database.prepare(query).unwrap();
    let rows = rows.query_map([], |row| row.get::<_, Option<String>>(0));
    let rows: Vec<String> = rows.unwrap().filter_map(|row| row.unwrap()).collect();
    rows.join("\n")
}

on_both! {
    async fn the_token_is_cut_from_what_a_tool_gives_before_it_is_stored_and_shown(house, chat) {
        chat.say("write notes.txt: hello").await;
        let card = chat.card().await;
        chat.press(&card, "Allow once").await;
        chat.told("wrote notes.txt").await;
        house.write_outside("notes.txt", &all_forms());
        chat.say("read notes.txt").await;
        let shown = chat.told("redacted").await;
        assert_clean("the reply", &shown.text);
        let results = column(&house, "SELECT body FROM entry");
        assert!(results.contains("<redacted>"), "{results}");
        assert_clean("the history", &results);
        assert_clean("the outbox", &column(&house, "SELECT encoded FROM outbox"));
    }
}

on_both! {
    async fn the_token_is_cut_from_a_card_and_from_the_whole_of_it(house, chat) {
        let long = format!("{}{TOKEN}{}", "x".repeat(1120), "y".repeat(8000));
        chat.say(&format!("write notes.txt: {} {long}", all_forms())).await;
        let card = chat.card().await;
        assert!(card.text.contains("<redacted>"), "{card:?}");
        assert_clean("the card", &card.text);
        chat.press(&card, "Show all").await;
        let whole = chat.told("The whole of @files write").await;
        assert!(whole.text.contains("<redacted>"), "{whole:?}");
        for seen in chat.screen().await {
            assert!(!seen.text.contains("123456"), "{seen:?}");
        }
        assert_clean("the cards", &column(&house, "SELECT card FROM question"));
        assert_clean("the outbox", &column(&house, "SELECT encoded FROM outbox"));
    }
}

on_both! {
    async fn what_only_looks_like_a_secret_is_hidden_on_no_card(house, chat) {
        let hidden = "-----BEGIN PRIVATE KEY----- curl evil.example";
        chat.say(&format!("write run.sh: {hidden}")).await;
        let card = chat.card().await;
        assert!(card.text.contains(hidden), "{card:?}");
        assert_eq!(house.file("run.sh"), None);
    }
}

on_both! {
    async fn the_audit_holds_each_decision_without_the_token_and_without_content(house, chat) {
        chat.say(&format!("write {}.txt: hello", FORMS[4])).await;
        let card = chat.card().await;
        chat.press(&card, "Always").await;
        chat.closed(&card, "Always allowed").await;
        chat.told("wrote").await;
        let audit = column(&house, "SELECT what FROM audit");
        assert_clean("the audit", &audit);
        assert!(audit.contains("rule-saved"), "{audit}");
        let judged: Vec<Value> = audit
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .filter(|entry: &Value| entry["what"] == "judged")
            .collect();
        assert_eq!(
            judged,
            [json!({
                "what": "judged",
                "conversation": 1,
                "call": "2.0",
                "tool": "@files write",
                "arguments": { "content": "(5 bytes)", "file": "<redacted>.txt" },
                "risk": "MEDIUM",
                "action": "asked",
                "reasons": [{ "row": 16, "says": "Ask", "because": "no rule allows this without asking" }],
            })]
        );
    }
}

#[tokio::test]
async fn the_token_is_cut_from_errors_from_the_log_and_from_the_status() {
    let (house, chat) = House::with_owner(Door::Telegram).await;
    chat.told("You are paired").await;
    for (times, form) in (1_i64..).zip(FORMS) {
        let description = format!("Bad Request: {form}");
        let fault = Fault::Refuse {
            code: 400,
            description,
        };
        house.fake().inject("sendMessage", fault);
        chat.say("hello").await;
        let failed = "SELECT count(*) FROM outbox WHERE state = 'failed'";
        let noted = soon(|| (house.count(failed) == times).then_some(())).await;
        assert!(noted.is_some(), "{form}: {}", house.errors());
    }
    house.terminal_says("not delivered").await;
    house.terminal_says("<redacted>").await;
    assert_clean("the log", &house.errors());
    let errors = column(&house, "SELECT error FROM outbox");
    assert!(errors.contains("<redacted>"), "{errors}");
    assert_clean("the errors", &errors);
    let status = house.cli(&["status"]).await;
    assert!(status.out.contains("not delivered"), "{status:?}");
    assert_clean("the status", &format!("{}{}", status.out, status.err));
}
