//! The bot's token gets out nowhere, however it is written.

use fakes::telegram::Fault;
use serde_json::{Value, json};

use crate::stories::chat::Door;
use crate::stories::house::{House, OWNER, TOKEN, soon};

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
        let event = |action: &str, when: &str| json!({
            "what": "judged",
            "conversation": 1,
            "call": "2.0",
            "tool": "@files write",
            "arguments": { "content": "(5 bytes)", "file": "<redacted>.txt" },
            "risk": "MEDIUM",
            "action": action,
            "when": when,
            "reasons": [{ "row": 16, "says": "Ask", "because": "no rule allows this without asking" }],
        });
        // Saved at the press, the rule allows it when it runs.
        let mut ran = event("allowed", "resume");
        ran["reasons"][0] = json!({
            "row": 13, "says": "Allow", "because": "the rule \"@files write --file \"<redacted>.txt\"\" allows it"
        });
        assert_eq!(judged, [event("asked", "call"), event("allowed", "press"), ran]);
    }
}

on_both! {
    async fn a_call_is_cut_before_it_is_judged_so_that_what_is_shown_is_what_runs(house, chat) {
        chat.say(&format!("write notes.txt: {}", all_forms())).await;
        let card = chat.card().await;
        chat.press(&card, "Allow once").await;
        chat.told("wrote notes.txt").await;
        let written = house.file("notes.txt").unwrap();
        assert!(written.contains("<redacted>"), "{written}");
        assert_clean("the file", &written);
        assert_clean("the questions", &column(&house, "SELECT body FROM question"));
        let made = "SELECT body FROM entry WHERE body NOT LIKE '%Person%'";
        assert_clean("the history of calls and results", &column(&house, made));
    }
}

#[tokio::test]
async fn the_token_may_be_a_credential_that_systemd_hands_over() {
    let mut house = House::build().await;
    let handed = house.home.path().join("credentials");
    std::fs::create_dir(&handed).unwrap();
    std::fs::write(handed.join("phone"), format!("{TOKEN}\n")).unwrap();
    let file = house.home.config().join("postern.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let lines = text
        .lines()
        .map(|line| match line.starts_with("token_file") {
            true => "token_credential = \"phone\"",
            false => line,
        });
    let text: Vec<&str> = lines.collect();
    house.home.configure(&text.join("\n"));
    let said = house.cli(&[]).await;
    assert_eq!(
        (said.code, &*said.err),
        (
            1,
            "postern: line phone: token_credential phone cannot be read (systemd hands over no credentials here); add LoadCredential=phone:/its/file to the unit, or set token_file\n"
        )
    );
    house.with_variable("CREDENTIALS_DIRECTORY", &handed.display().to_string());
    house.start().await;
    let chat = house.enter(Door::Telegram, OWNER, &house.code()).await;
    chat.say(&format!("remember {TOKEN}")).await;
    chat.told("remembered").await;
    let kept = column(&house, "SELECT text FROM memory");
    assert_eq!(kept, "<redacted>");
}

#[tokio::test]
async fn a_secret_in_a_wrong_place_is_not_repeated_by_the_error_about_it() {
    let house = House::build().await;
    let key = format!("sk-ant-api03-{}", "x9".repeat(40));
    house.configure_more(&format!("[fetch]\nallow_private = [\"{key}\"]\n"));
    for said in [house.cli(&[]).await, house.cli(&["config", "check"]).await] {
        let text = format!("{}{}", said.out, said.err);
        assert!(text.contains("is no host with a port"), "{text}");
        assert!(!text.contains(&key), "{text}");
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
