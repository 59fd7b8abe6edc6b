//! Does the loopback Bot API refuse what the real one refuses, in its words?

use super::*;

#[tokio::test]
async fn what_the_real_api_refuses_is_refused() {
    let (fake, _, anna) = started().await;
    fake.private_message(anna, "hi");
    fake.person(7002, "Ben");
    let text = |text: &str| json!({"chat_id": 7001, "text": text});
    let html = |text: &str| json!({"chat_id": 7001, "text": text, "parse_mode": "HTML"});
    let button = |data: &str| {
        let keyboard = json!([[{"text": "Go", "callback_data": data}]]);
        json!({"chat_id": 7001, "text": "x", "reply_markup": {"inline_keyboard": keyboard}})
    };
    let entity = |offset: i64, length: i64| {
        let entity = json!({"type": "bold", "offset": offset, "length": length});
        json!({"chat_id": 7001, "text": "a🚪", "entities": [entity]})
    };
    let cases = [
        (text(" \n"), "message text is empty"),
        (text(&"🚪".repeat(2_049)), "message is too long"),
        (button(""), "BUTTON_DATA_INVALID"),
        (button(&"ä".repeat(33)), "BUTTON_DATA_INVALID"),
        (html("<p>x</p>"), "unsupported start tag \"p\""),
        (
            html("<b>x"),
            "can't find end tag corresponding to start tag \"b\"",
        ),
        (html("<b><i>x</b></i>"), "unmatched end tag"),
        (entity(0, 2), "can't parse entities"),
        (entity(2, 5), "can't parse entities"),
        (json!({"chat_id": 9, "text": "x"}), "chat not found"),
        (
            json!({"chat_id": 7002, "text": "x"}),
            "can't initiate conversation",
        ),
        (
            json!({"chat_id": 7001, "text": "x", "message_thread_id": 4}),
            "message thread not found",
        ),
        (
            json!({"chat_id": 7001, "text": "x", "reply_parameters": {"message_id": 4}}),
            "message to be replied not found",
        ),
    ];
    for (body, why) in cases {
        let answer = post(&fake, TOKEN, "sendMessage", &body).await;
        let description = answer["description"].as_str().unwrap_or("accepted");
        assert!(description.contains(why), "{body}: {description}");
        assert_eq!(answer["ok"], false);
    }
    let cases = [
        (text(&"🚪".repeat(2_048)), "sendMessage"),
        (
            html(&format!("<b>{}</b>", "x".repeat(4_096))),
            "SENDMESSAGE",
        ),
        (button(&"x".repeat(64)), "SendMessage"),
        (entity(1, 2), "sendmessage"),
    ];
    for (body, method) in cases {
        assert_eq!(
            post(&fake, TOKEN, method, &body).await["ok"],
            true,
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_wrong_token_and_an_unknown_method_are_told_apart() {
    let (fake, _, _) = started().await;
    let wrong = post(&fake, "1:x", "getMe", &json!({})).await;
    let wanted = json!({"ok": false, "error_code": 401, "description": "Unauthorized"});
    assert_eq!(wrong, wanted);
    let unknown = post(&fake, TOKEN, "getYou", &json!({})).await;
    assert_eq!(unknown["error_code"], 404);
}

#[tokio::test]
async fn forms_and_queries_are_read_too() {
    let (fake, _, anna) = started().await;
    fake.private_message(anna, "hi");
    let url = format!("{}/bot{TOKEN}/sendMessage", fake.url());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let form = [("chat_id", "7001"), ("text", "by form")];
    client.post(&url).form(&form).send().await.unwrap();
    client
        .get(format!("{url}?chat_id=7001&text=by%20query"))
        .send()
        .await
        .unwrap();
    let texts: Vec<_> = fake
        .messages(anna.direct())
        .into_iter()
        .map(|shown| shown.text)
        .collect();
    assert_eq!(texts, ["by form", "by query"]);
}

#[tokio::test]
async fn updates_stay_until_a_higher_offset_is_asked() {
    let (fake, _, anna) = started().await;
    for word in ["one", "two", "three"] {
        fake.private_message(anna, word);
    }
    for (offset, wanted) in [(0, 3), (1000, 3), (1001, 2), (1000, 2), (-1, 1), (0, 1)] {
        let answer = post(&fake, TOKEN, "getUpdates", &json!({"offset": offset})).await;
        assert_eq!(
            answer["result"].as_array().unwrap().len(),
            wanted,
            "{offset}"
        );
    }
}

#[tokio::test]
async fn f01_a_second_poll_is_a_conflict_while_the_first_is_open() {
    let (fake, _, _) = started().await;
    let poll = json!({"timeout": 30});
    let open = post(&fake, TOKEN, "getUpdates", &poll);
    let second = async {
        fake.wait_until(WAIT, || (!fake.calls().is_empty()).then_some(()))
            .await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        post(&fake, TOKEN, "getUpdates", &json!({})).await
    };
    let conflict = tokio::select! {
        _ = open => panic!("the first poll has nothing to say"),
        answer = second => answer,
    };
    assert_eq!(conflict["error_code"], 409);
}

#[tokio::test]
async fn a_press_is_answered_once_and_in_time() {
    let (fake, _, anna) = started().await;
    fake.private_message(anna, "hi");
    let keyboard = json!([[{"text": "Go", "callback_data": "t"}]]);
    let body = json!({"chat_id": 7001, "text": "x", "reply_markup": {"inline_keyboard": keyboard}});
    let card = post(&fake, TOKEN, "sendMessage", &body).await["result"]["message_id"]
        .as_i64()
        .unwrap();
    let query = fake.press(anna, anna.direct(), card, "Go");
    let long = json!({"callback_query_id": query, "text": "x".repeat(201)});
    let answer = post(&fake, TOKEN, "answerCallbackQuery", &long).await;
    assert_eq!(answer["description"], "Bad Request: MESSAGE_TOO_LONG");
    let short = json!({"callback_query_id": query});
    assert_eq!(
        post(&fake, TOKEN, "answerCallbackQuery", &short).await["ok"],
        true
    );
    let late = post(&fake, TOKEN, "answerCallbackQuery", &short).await;
    assert!(
        late["description"]
            .as_str()
            .unwrap()
            .contains("query is too old")
    );
}

async fn post(
    fake: &Fake,
    token: &str,
    method: &str,
    body: &serde_json::Value,
) -> serde_json::Value {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}/bot{token}/{method}", fake.url());
    client
        .post(url)
        .json(body)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap()
}
