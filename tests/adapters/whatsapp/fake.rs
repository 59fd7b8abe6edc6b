//! Does the fake refuse what the platform refuses, in its words?

use fakes::whatsapp::{Fault, Window, signature};

use super::*;

async fn said(fake: &Fake, body: Value) -> Result<String, (i64, String)> {
    let answer = reqwest::Client::new()
        .post(format!("{}/{NUMBER_ID}/messages", fake.url()))
        .bearer_auth(TOKEN)
        .header("user-agent", "test")
        .json(&body)
        .send()
        .await
        .unwrap();
    let body: Value = answer.json().await.unwrap();
    match body.pointer("/messages/0/id") {
        Some(id) => Ok(id.as_str().unwrap().to_owned()),
        None => {
            let error = &body["error"];
            let message = error["message"].as_str().unwrap().to_owned();
            Err((error["code"].as_i64().unwrap(), message))
        }
    }
}

fn text(body: &str) -> Value {
    json!({"messaging_product": "whatsapp", "to": "15550100", "type": "text", "text": {"body": body}})
}

fn buttons(body: &str, labels: &[&str]) -> Value {
    let button = |label: &&str| json!({"type": "reply", "reply": {"id": label, "title": label}});
    let buttons: Vec<Value> = labels.iter().map(button).collect();
    let interactive =
        json!({"type": "button", "body": {"text": body}, "action": {"buttons": buttons}});
    json!({"messaging_product": "whatsapp", "to": "15550100", "type": "interactive", "interactive": interactive})
}

fn rows(count: usize, title: &str) -> Value {
    let rows: Vec<Value> = (0..count)
        .map(|n| json!({"id": n.to_string(), "title": format!("{title}{n}")}))
        .collect();
    let interactive = json!({"type": "list", "body": {"text": "b"}, "action": {"button": "Answer", "sections": [{"rows": rows}]}});
    json!({"messaging_product": "whatsapp", "to": "15550100", "type": "interactive", "interactive": interactive})
}

#[tokio::test]
async fn it_refuses_what_is_too_long_too_many_or_unknown() {
    let (fake, _, _) = started().await;
    let mut odd = text("hi");
    odd["colour"] = json!("red");
    let mut nobody = text("hi");
    nobody["to"] = json!("15550199");
    for (body, code) in [
        (text(&"x".repeat(4097)), 100),
        (text(""), 100),
        (odd, 100),
        (json!({"to": "15550100", "text": {"body": "hi"}}), 100),
        (nobody, 131_026),
        (buttons(&"x".repeat(1025), &["a"]), 100),
        (buttons("b", &[]), 131_009),
        (buttons("b", &["a", "b", "c", "d"]), 131_009),
        (buttons("b", &["a", "a"]), 131_009),
        (buttons("b", &["a title of more than twenty"]), 100),
        (rows(11, "row "), 131_009),
        (rows(1, "a title of twenty-four ch"), 100),
        (
            json!({"messaging_product": "whatsapp", "to": "15550100", "type": "template",
            "template": {"name": "x", "language": {"code": "en_US"}}}),
            132_001,
        ),
        (
            json!({"messaging_product": "whatsapp", "to": "15550100", "type": "image", "image": {"id": "1"}}),
            100,
        ),
    ] {
        let refused = said(&fake, body.clone()).await;
        assert_eq!(refused.map_err(|(code, _)| code), Err(code), "{body}");
    }
    assert!(said(&fake, text(&"x".repeat(4096))).await.is_ok());
    assert!(
        said(
            &fake,
            buttons(&"x".repeat(1024), &["a title of exactly2", "b", "c"])
        )
        .await
        .is_ok()
    );
    assert!(said(&fake, rows(10, "row ")).await.is_ok());
}

#[tokio::test]
async fn outside_the_window_it_takes_only_templates() {
    let (fake, _, anna) = started().await;
    fake.shut(&anna.direct(), Window::RefusesAtOnce);
    let refused = said(&fake, text("hi")).await.unwrap_err();
    assert_eq!(
        refused,
        (131_047, "(#131047) Re-engagement message".to_owned())
    );
    fake.shut(&anna.direct(), Window::FailsLater);
    let waiting = fake.waiting();
    assert!(said(&fake, text("hi")).await.is_ok());
    assert_eq!(fake.messages(&anna.direct()), []);
    assert_eq!(fake.waiting(), waiting + 1);
    fake.approve("please_write", "en_US");
    let template = json!({"messaging_product": "whatsapp", "to": "15550100", "type": "template",
        "template": {"name": "please_write", "language": {"code": "en_US"}}});
    assert!(said(&fake, template).await.is_ok());
    fake.say(&anna, &anna.direct(), "back");
    assert!(said(&fake, text("hi")).await.is_ok());
}

#[tokio::test]
async fn it_asks_for_the_token_and_breaks_as_told() {
    let (fake, _, _) = started().await;
    let answer = reqwest::Client::new()
        .post(format!("{}/{NUMBER_ID}/messages", fake.url()))
        .bearer_auth("another")
        .json(&text("hi"))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status().as_u16(), 401);
    fake.inject(Fault::Refuse {
        status: 400,
        code: 130_429,
        message: "(#130429) Rate limit hit".to_owned(),
    });
    assert_eq!(said(&fake, text("hi")).await.unwrap_err().0, 130_429);
}

#[test]
fn its_signatures_are_those_of_rfc_4231() {
    let fourth: String = (1..=25u8).map(char::from).collect();
    let cases: [(&str, &[u8], &str); 3] = [
        (
            &"\u{b}".repeat(20),
            b"Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        ),
        (
            "Jefe",
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (
            &fourth,
            &[0xcd; 50],
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
        ),
    ];
    for (key, body, wanted) in cases {
        assert_eq!(signature(key, body), format!("sha256={wanted}"));
    }
}
