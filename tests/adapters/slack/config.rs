//! Is the line set up as written, and do its tokens stay inside?

use adapters::Probe;
use serde_json::{Value, json};

use fakes::slack::Fault;

use super::*;

fn refused(settings: Value) -> String {
    let error = built(settings).err().unwrap().to_string();
    assert_keeps_the_tokens(&error);
    error
}

#[tokio::test]
async fn the_probe_says_who_we_are_and_where() {
    let (_fake, adapter, _) = started().await;
    let name = "@postern on acme.slack.com".to_owned();
    assert_eq!(adapter.probe().await.unwrap(), Probe { name });
    assert_eq!(adapter.pair_link("CODE"), None);
}

#[tokio::test]
async fn a_missing_scope_is_named_with_what_it_costs() {
    let (fake, adapter, _) = started().await;
    assert_eq!(adapter.lacks().await.unwrap(), Vec::<String>::new());
    fake.grant(&[
        "chat:write",
        "im:history",
        "im:write",
        "commands",
        "app_mentions:read",
        "channels:history",
        "groups:history",
        "mpim:history",
        "assistant:write",
        "files:read",
    ]);
    assert_eq!(
        adapter.lacks().await.unwrap(),
        [
            "the app lacks the scope files:write, so it cannot send files; add it under OAuth & Permissions and install the app again"
        ]
    );
}

#[test]
fn each_way_wants_its_own_secret_and_says_which() {
    let bot = kept("bot", BOT);
    assert_eq!(
        refused(json!({"token_file": bot})),
        "line line: no app_token; set app_token_file to a file that holds the app-level token with the scope connections:write"
    );
    assert_eq!(
        refused(json!({"token_file": bot, "mode": "webhook"})),
        "line line: no signing_secret; set signing_secret_file to a file that holds the Signing Secret of the app"
    );
    let app = kept("app", BOT);
    assert_eq!(
        refused(json!({"token_file": bot, "app_token_file": app})),
        format!(
            "line line: app_token_file {app} does not hold the app-level token, which begins with xapp-; copy it from the app's page"
        )
    );
    let user = kept("bot", "xoxp-1-example");
    assert_eq!(
        refused(json!({"token_file": user, "app_token_file": kept("app", APP)})),
        format!(
            "line line: token_file {user} does not hold the Bot User OAuth Token, which begins with xoxb-; copy it from the app's page"
        )
    );
    let short = kept("signing", "abc");
    assert_eq!(
        refused(json!({"token_file": bot, "mode": "webhook", "signing_secret_file": short})),
        format!(
            "line line: signing_secret_file {short} does not hold a signing secret; copy it from Basic Information"
        )
    );
    let settings =
        json!({"token_file": bot, "app_token_file": kept("app", APP), "api": "http://me@x/"});
    assert_eq!(
        refused(settings),
        "line line: api is not a plain address; write it like https://slack.com/api"
    );
}

#[test]
fn a_door_needs_a_public_address() {
    let config = json!({"token_file": kept("bot", BOT), "mode": "webhook", "signing_secret_file": kept("s", SIGNING)});
    let config = adapters::Config::Slack(serde_json::from_value(config).unwrap());
    let error = adapters::build(LineId::new("line"), &config, &Ground::default());
    assert_eq!(
        error.err().unwrap().to_string(),
        "line line: mode is \"webhook\" and no address is public; set public in [webhooks], or mode to \"socket\""
    );
}

#[test]
fn f69_no_list_of_people_is_taken_from_the_settings() {
    let config = json!({"platform": "slack", "token_file": "x", "allow": ["anna"]});
    let error = serde_json::from_value::<adapters::Config>(config).unwrap_err();
    assert!(error.to_string().contains("allow"), "{error}");
}

#[tokio::test]
async fn f95_the_tokens_are_in_no_error_and_no_debug_text() {
    let (fake, adapter, anna) = started().await;
    let part = adapter.encode(&notice("hello"))[0].clone();
    let chat = place(&anna.direct());
    let mut errors = Vec::new();
    for fault in [
        Fault::Refuse("invalid_auth"),
        Fault::Refuse("missing_scope"),
        Fault::Refuse("anything"),
        Fault::Drop,
        Fault::Status(502),
        Fault::TooMany(1),
    ] {
        fake.inject("chat.postMessage", fault.clone());
        errors.push(adapter.send(&chat, &part, SendKey(1)).await.unwrap_err());
        fake.inject("chat.update", fault.clone());
        let on = MessageRef::new("1.2");
        errors.push(adapter.edit(&chat, &on, &part).await.unwrap_err());
        fake.inject("auth.test", fault);
        errors.push(adapter.probe().await.unwrap_err());
    }
    drop(fake);
    tokio::time::sleep(Duration::from_millis(50)).await;
    errors.push(adapter.probe().await.unwrap_err());
    for error in errors {
        assert_keeps_the_tokens(&format!("{error} {error:?}"));
    }
    let secrets: Vec<String> = adapter
        .secrets()
        .iter()
        .map(|one| one.reveal().clone())
        .collect();
    assert_eq!(secrets, [BOT, APP]);
    let config: adapters::slack::Config = serde_json::from_value(json!({
        "token_file": kept("bot", BOT), "mode": "webhook", "signing_secret_file": kept("s", SIGNING),
    }))
    .unwrap();
    let ground = Ground {
        webhooks: Some(Webhooks {
            public: "https://bot.example.org".parse().unwrap(),
            secret: Secret::new("0".repeat(64)),
        }),
    };
    let whole = adapters::slack::Slack::new(LineId::new("line"), &config, &ground).unwrap();
    assert_keeps_the_tokens(&format!("{whole:?} {config:?}"));
}
