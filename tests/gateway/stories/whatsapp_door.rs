//! Who gets through WhatsApp's door: the handshake, and signatures over the bytes that came.

use fakes::whatsapp::{Fake, NUMBER_ID, signature};
use reqwest::StatusCode;
use serde_json::json;

use super::house::House;
use super::whatsapp::{APP_SECRET, TOKEN, VERIFY, door, open, settings, settled, told, with_owner};

pub fn webhook(from: &str, id: &str, text: &str) -> serde_json::Value {
    let message = json!({"from": from, "id": id, "type": "text", "text": {"body": text}});
    let value = json!({
        "metadata": {"display_phone_number": "15550001111", "phone_number_id": NUMBER_ID},
        "messages": [message],
    });
    fakes::whatsapp::wrapped(&[json!({"field": "messages", "value": value})])
}

async fn post(house: &House, body: &[u8], proof: Option<&str>) -> StatusCode {
    let mut request = house.world.http.post(door(house)).body(body.to_vec());
    if let Some(proof) = proof {
        request = request.header("x-hub-signature-256", proof);
    }
    request.send().await.unwrap().status()
}

#[tokio::test]
async fn f88_only_who_knows_the_secrets_comes_in_and_two_of_them_do_while_one_is_changed() {
    let fake = Fake::start(TOKEN, APP_SECRET, VERIFY).await;
    let mut house = House::build().await;
    let line = settings(&fake, house.home.path(), "");
    house.configure_more(&format!("[lines.other]\n{line}"));
    let other = "fedcba9876543210fedcba9876543210";
    let both = format!("{APP_SECRET}\n{other}\n");
    std::fs::write(house.home.path().join("whatsapp-app_secret"), both).unwrap();
    house.start().await;
    let stranger = Fake::start(TOKEN, APP_SECRET, "another-verify-token").await;
    let refused = stranger.subscribe(&door(&house)).await.unwrap_err();
    assert!(refused.contains("403"), "{refused}");
    fake.subscribe(&door(&house)).await.unwrap();
    let body = webhook("15557001", "wamid.forged", "remember the forged").to_string();
    let body = body.as_bytes();
    let right = signature(APP_SECRET, body);
    for proof in [
        None,
        Some(""),
        Some("sha256="),
        Some(right.to_uppercase().as_str()),
        Some(right.strip_prefix("sha256=").unwrap()),
        Some(signature("another secret of someone", body).as_str()),
        Some(signature(APP_SECRET, b"another body").as_str()),
    ] {
        assert_eq!(
            post(&house, body, proof).await,
            StatusCode::UNAUTHORIZED,
            "{proof:?}"
        );
    }
    assert_eq!(house.count("SELECT count(*) FROM event"), 0);
    let anna = fake.person("15557001", "Anna");
    fake.say(&anna, &anna.direct(), &format!("/pair {}", house.code()));
    told(&fake, &anna, "You are paired").await;
    fake.rotate(other);
    settled(&fake, &anna, "no-1.txt").await;
}

#[tokio::test]
async fn f87_a_signature_covers_the_bytes_however_they_are_written() {
    let (house, fake, anna) = with_owner("").await;
    for (n, text) in [
        "hello",
        "J'ai mangé des pâtes 🍝",
        "me@example.org a/b \u{e9}",
    ]
    .into_iter()
    .enumerate()
    {
        let raw = webhook("15557001", &format!("wamid.raw{n}"), text);
        let escaped = webhook("15557001", &format!("wamid.escaped{n}"), text);
        for body in [
            raw.to_string().into_bytes(),
            fakes::whatsapp::written(&escaped),
        ] {
            let proof = signature(APP_SECRET, &body);
            assert_eq!(post(&house, &body, Some(&proof)).await, StatusCode::OK);
        }
    }
    let stored =
        "SELECT count(*) FROM event WHERE id LIKE 'wamid.raw%' OR id LIKE 'wamid.escaped%'";
    assert_eq!(house.count(stored), 6);
    settled(&fake, &anna, "no-1.txt").await;
}

#[tokio::test]
#[ignore = "needs Python; tests/run installs pywa and calls it"]
async fn sdk_pywa_agrees_about_every_signature() {
    let (house, _fake) = open("").await;
    let mut cases = Vec::new();
    for (n, text) in ["hello", "J'ai mangé des pâtes 🍝"].into_iter().enumerate() {
        let raw = webhook("15557001", &format!("wamid.raw{n}"), text);
        let escaped = fakes::whatsapp::written(&raw);
        for body in [raw.to_string().into_bytes(), escaped] {
            let right = signature(APP_SECRET, &body);
            let wrong = signature("fedcba9876543210fedcba9876543210", &body);
            let cut = right[..right.len() - 2].to_owned();
            for proof in [right, wrong, cut] {
                cases.push((body.clone(), proof));
            }
        }
    }
    let asked: Vec<_> = cases
        .iter()
        .map(|(body, proof)| json!({"secret": APP_SECRET, "body": body, "proof": proof}))
        .collect();
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let mut python = std::process::Command::new(format!("{root}/target/sdk-python/bin/python"))
        .arg(format!("{root}/tests/sdk/whatsapp/signatures.py"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    serde_json::to_writer(python.stdin.take().unwrap(), &asked).unwrap();
    let output = python.wait_with_output().unwrap();
    let verdicts: Vec<bool> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(verdicts.len(), cases.len());
    for ((body, proof), verdict) in cases.iter().zip(verdicts) {
        let ours = post(&house, body, Some(proof)).await == StatusCode::OK;
        assert_eq!(ours, verdict, "{proof}");
    }
}
