//! What does a line say about its settings?

use adapters::{Ground, Menus, Webhooks};
use bot_policy::id::LineId;
use bot_policy::secret::Secret;
use fakes::discord::{APPLICATION, Fake, TOKEN};
use serde_json::{Value, json};

use super::{adapter_of, assert_keeps_the_token, built_on, with_token};

fn ground() -> Ground {
    Ground {
        webhooks: Some(Webhooks {
            public: "https://bot.example.org".parse().unwrap(),
            secret: Secret::new("0".repeat(64)),
        }),
    }
}

fn refusal(settings: Value, ground: &Ground) -> String {
    match built_on(settings, ground) {
        Ok(_) => panic!("it was set up"),
        Err(why) => why.to_string(),
    }
}

#[test]
fn what_is_wrong_with_the_token_is_said_with_what_to_do() {
    let folder = std::env::temp_dir();
    let file = |name: &str, text: &str| {
        let path = folder.join(format!("postern-discord-{name}-{}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .unwrap();
        path
    };
    let said = |settings| refusal(settings, &Ground::default());
    assert_eq!(
        said(json!({})),
        "line line: no token; set token_file to a file that holds the bot's token from discord.com/developers (Bot, Reset Token)"
    );
    let empty = file("empty", " \n");
    assert!(said(json!({"token_file": empty})).contains("is empty; put the bot's token"));
    let secret = file("secret", "abcdefghijklmnopqrstuvwxyz012345");
    let why = said(json!({"token_file": secret}));
    assert!(
        why.ends_with("not the client secret or the public key"),
        "{why}"
    );
    let missing = said(json!({"token_file": "/nowhere/token"}));
    assert!(
        missing.contains("/nowhere/token cannot be read (there is no such file)"),
        "{missing}"
    );
    let open = file("open", TOKEN);
    std::fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let why = said(json!({"token_file": open}));
    assert!(
        why.contains("can be read by others; make it yours alone with: chmod 600"),
        "{why}"
    );
    assert_keeps_the_token(&why);
    for path in [empty, secret, open] {
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn the_door_needs_a_key_and_an_address() {
    let right = file_of_a_token();
    let with = |over: Value, ground: &Ground| {
        let mut settings = json!({"token_file": right});
        settings
            .as_object_mut()
            .unwrap()
            .extend(over.as_object().unwrap().clone());
        refusal(settings, ground)
    };
    let key = "0".repeat(64);
    let why = with(json!({"interactions": "webhook"}), &ground());
    assert!(why.contains("public_key is missing; copy it from"), "{why}");
    let why = with(
        json!({"interactions": "webhook", "public_key": key}),
        &Ground::default(),
    );
    assert!(
        why.contains("set public in [webhooks], or interactions to \"gateway\""),
        "{why}"
    );
    let why = with(json!({"public_key": key}), &ground());
    assert!(
        why.contains("public_key is only for interactions = \"webhook\""),
        "{why}"
    );
    for wrong in ["", "00", &"0".repeat(65), &"g".repeat(64), &"é".repeat(32)] {
        let why = with(
            json!({"interactions": "webhook", "public_key": wrong}),
            &ground(),
        );
        assert!(
            why.contains("public_key is not 64 hexadecimal digits"),
            "{why}"
        );
    }
    let why = with(json!({"api": "ftp://x"}), &ground());
    assert!(
        why.contains("write it like https://discord.com/api"),
        "{why}"
    );
    std::fs::remove_file(right).unwrap();
    let unknown = serde_json::from_value::<adapters::discord::Config>(json!({"tokenfile": "x"}));
    assert!(
        unknown
            .unwrap_err()
            .to_string()
            .contains("unknown field `tokenfile`")
    );
}

fn file_of_a_token() -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("postern-discord-right-{}", std::process::id()));
    std::fs::write(&path, TOKEN).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    path
}

#[tokio::test]
async fn it_says_who_we_are() {
    let fake = Fake::start(TOKEN).await;
    let adapter = adapter_of(&fake);
    assert_eq!(adapter.probe().await.unwrap().name, "@postern_test_bot");
    assert_eq!(adapter.pair_link("ABCD-EFGH"), None);
    fake.rotate("another");
    let why = adapter.probe().await.unwrap_err().to_string();
    assert_eq!(
        why,
        "the platform refuses the credentials: the token is not known; take a new one at discord.com/developers (Bot, Reset Token)"
    );
}

#[tokio::test]
async fn commands_are_registered_where_they_mean_something_and_only_when_they_changed() {
    let fake = Fake::start(TOKEN).await;
    let adapter = adapter_of(&fake);
    let mut menus = Menus {
        all: vec![
            ("new", "start fresh"),
            ("policy", "when a card asks"),
            ("pair", "let me in"),
        ],
        groups: vec![("new", "start fresh"), ("pair", "let me in")],
        ..Menus::default()
    };
    adapter.announce(&menus).await.unwrap();
    adapter.announce(&menus).await.unwrap();
    let puts = || fake.calls_of("PUT /applications/*/commands").len();
    assert_eq!(puts(), 1);
    let known = fake.commands();
    let shown: Vec<(&str, &Value, &Value)> = known
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["name"].as_str().unwrap(),
                &one["contexts"],
                &one["options"][0]["name"],
            )
        })
        .collect();
    let (everywhere, direct) = (json!([0, 1]), json!([1]));
    assert_eq!(
        shown,
        [
            ("new", &everywhere, &Value::Null),
            ("policy", &direct, &json!("choice")),
            ("pair", &everywhere, &json!("text")),
        ]
    );
    let choices = known[1]["options"][0]["choices"].as_array().unwrap();
    let choices: Vec<&Value> = choices.iter().map(|choice| &choice["value"]).collect();
    assert_eq!(choices, ["interactive", "auto"]);
    for command in known.as_array().unwrap() {
        assert_eq!(command["integration_types"], json!([0]));
    }
    // Where one is offered is part of it.
    menus.groups.pop();
    adapter.announce(&menus).await.unwrap();
    assert_eq!((puts(), &fake.commands()[2]["contexts"]), (2, &direct));
    menus.all.pop();
    adapter.announce(&menus).await.unwrap();
    assert_eq!(fake.commands().as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn what_is_not_set_up_there_is_named_with_the_setting() {
    let fake = Fake::start(TOKEN).await;
    let adapter = adapter_of(&fake);
    assert_eq!(adapter.lacks().await.unwrap(), Vec::<String>::new());
    fake.allow_content(false);
    fake.leave_server();
    fake.set_endpoint(Some("https://other.example.org/"));
    let lacks = adapter.lacks().await.unwrap();
    assert_eq!(lacks.len(), 3, "{lacks:#?}");
    assert!(
        lacks[0].starts_with(
            "Message Content Intent is off: in servers it hears only what mentions it"
        )
    );
    assert!(lacks[1].contains(&format!(
        "oauth2/authorize?client_id={APPLICATION}&scope=bot+applications.commands"
    )));
    assert!(lacks[2].contains("clear it at discord.com/developers"));

    let settings = json!({
        "api": fake.url(), "interactions": "webhook", "public_key": "0".repeat(64),
    });
    let adapter = with_token(TOKEN, settings, &ground());
    let lacks = adapter.lacks().await.unwrap();
    assert!(
        lacks[2].ends_with("to https://bot.example.org/hooks/line"),
        "{lacks:#?}"
    );
    fake.set_endpoint(Some("https://bot.example.org/hooks/line"));
    assert_eq!(adapter.lacks().await.unwrap().len(), 2);
    assert_eq!(adapter.line(), &LineId::new("line"));
}
