//! Is the line set up as written, and do its secrets stay inside?

use fakes::whatsapp::{Fault, OUR_NUMBER};

use super::*;

#[tokio::test]
async fn the_probe_says_who_we_are_and_makes_the_pair_link() {
    let (_fake, adapter, _) = started().await;
    assert_eq!(adapter.pair_link("CODE"), None);
    assert_eq!(
        adapter.probe().await.unwrap().name,
        format!("+{OUR_NUMBER}")
    );
    let link = format!("https://wa.me/{OUR_NUMBER}?text=%2Fpair%20CODE");
    assert_eq!(adapter.pair_link("CODE"), Some(link));
}

#[test]
fn every_setting_that_is_wrong_says_what_to_do() {
    let with = |name: &str, text: &str| {
        let mut settings = Settings::new();
        settings.secret(name, text);
        settings.error()
    };
    for (error, wanted) in [
        (
            with("app_secret", ""),
            "line line: app_secret_file app_secret is empty; put the app secret from the app's dashboard, under Settings, Basic into it",
        ),
        (
            with("app_secret", "short"),
            "line line: app_secret_file app_secret does not hold an app secret; write the app secret from the app's dashboard, under Settings, Basic into it, or two of them on two lines while you change it",
        ),
        (
            with("verify_token", "short"),
            "line line: verify_token_file verify_token is too short to keep anybody out; put a long word of your own into it, as from: openssl rand -hex 32",
        ),
        (
            with("token", "two words"),
            "line line: token_file token holds more than one word; put the one word into it and nothing else",
        ),
        (
            Settings::new().with("app_secret_file", json!(null)).error(),
            "line line: no app_secret; set app_secret_file to a file that holds the app secret from the app's dashboard, under Settings, Basic",
        ),
        (
            Settings::new()
                .with("phone_number_id", json!("+1 555"))
                .error(),
            "line line: phone_number_id is no id; copy the digits of \"Phone number ID\" from the app's dashboard, under WhatsApp, API Setup",
        ),
        (
            Settings::new().with("api", json!("ftp://x")).error(),
            "line line: api is not a plain address; write it like https://graph.facebook.com/v24.0",
        ),
        (
            Settings::new()
                .with("template", json!({"name": "a b", "language": "en_US"}))
                .error(),
            "line line: template is none; write it like { name = \"please_write\", language = \"en_US\" }",
        ),
    ] {
        assert_eq!(error, wanted);
    }
    let settings = Settings::new();
    let config = adapters::Config::WhatsApp(settings.config());
    let built = adapters::build(LineId::new("line"), &config, &Ground::default());
    let error = built.err().unwrap().to_string();
    assert_eq!(
        error,
        "line line: WhatsApp comes to a door and no address is public; set public in [webhooks]"
    );
    let config = json!({"platform": "whatsapp", "phone_number_id": "1", "allow": ["+1"]});
    let error = serde_json::from_value::<adapters::Config>(config)
        .unwrap_err()
        .to_string();
    assert!(error.contains("allow"), "{error}");
}

#[tokio::test]
async fn f95_no_secret_is_in_any_error_or_debug_text() {
    let (fake, adapter, anna) = started().await;
    let part = adapter
        .encode(&notice("hello", Choices::default()))
        .remove(0);
    let mut said = Vec::new();
    for (status, code) in [
        (400, 100),
        (401, 190),
        (403, 10),
        (404, 100),
        (500, 1),
        (400, 131_056),
    ] {
        fake.inject(Fault::Refuse {
            status,
            code,
            message: format!("bad token {TOKEN} in Authorization: Bearer {TOKEN}"),
        });
        let error = adapter
            .send(&place(&anna.direct()), &part, SendKey(1))
            .await;
        let error = error.unwrap_err();
        said.push(format!("{error} {error:?}"));
    }
    let settings = Settings::new();
    let config = settings.config();
    let whole = adapters::whatsapp::WhatsApp::new(LineId::new("line"), &config, &ground()).unwrap();
    said.push(format!("{whole:?} {config:?}"));
    for said in said {
        for secret in [TOKEN, APP_SECRET, VERIFY] {
            assert!(!said.contains(secret), "{said}");
        }
    }
    assert_eq!(whole.secrets().len(), 3);
}
