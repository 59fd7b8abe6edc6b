//! Is the line set up as written, and does its token stay inside?

use super::*;

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
async fn each_chat_has_the_menu_of_its_person_and_one_that_is_let_go_of_has_none() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let group = fake.group(-100_200, "Family");
    let menu = |chat, commands: &[(&'static str, &'static str)]| Menu {
        place: place(chat),
        commands: commands.to_vec(),
    };
    let mut menus = Menus {
        groups: Vec::new(),
        all: vec![("new", "Start afresh"), ("pair", "Pair"), ("stop", "Stop")],
        strangers: vec![("pair", "Pair")],
        places: vec![
            menu(anna.direct(), &[("new", "Start afresh"), ("stop", "Stop")]),
            menu(group, &[("stop", "Stop")]),
        ],
    };
    adapter.announce(&menus).await.unwrap();
    let strangers = json!([{"command": "pair", "description": "Pair"}]);
    assert_eq!(fake.commands(), strangers);
    let names = |names: &[&str]| Some(names.iter().map(|name| name.to_string()).collect());
    assert_eq!(fake.commands_in(anna.direct()), names(&["new", "stop"]));
    assert_eq!(fake.commands_in(group), names(&["stop"]));
    menus.places.pop();
    adapter.announce(&menus).await.unwrap();
    assert_eq!(fake.commands_in(anna.direct()), names(&["new", "stop"]));
    assert_eq!(fake.commands_in(group), None);
}

#[tokio::test]
async fn f34_a_menu_that_is_refused_keeps_no_other_from_being_set() {
    let (fake, adapter, anna) = started().await;
    fake.private_message(anna, "hi");
    let commands = vec![("stop", "Stop")];
    let gone = fake.group(-100_200, "Family");
    fake.block(anna, gone);
    let places = [gone, anna.direct()].map(|chat| Menu {
        place: place(chat),
        commands: commands.clone(),
    });
    let menus = Menus {
        groups: Vec::new(),
        all: Vec::new(),
        strangers: commands,
        places: places.to_vec(),
    };
    let why = "Forbidden: bot was kicked from the group chat".to_owned();
    assert_eq!(
        adapter.announce(&menus).await,
        Err(AdapterError::Refused(why))
    );
    assert_eq!(fake.commands_in(anna.direct()).unwrap(), ["stop"]);
    fake.inject("setMyCommands", Fault::TooMany { retry_after: 198 });
    assert!(adapter.announce(&menus).await.is_err());
    assert_eq!(fake.commands_in(anna.direct()).unwrap(), ["stop"]);
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
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let adapter = built(&format!("token_file = {file:?}")).unwrap();
    assert_eq!(adapter.line(), &LineId::new("line"));
    let config: adapters::telegram::Config = toml_like(&format!("token_file = {file:?}"));
    let whole = adapters::telegram::Telegram::new(
        LineId::new("line"),
        &config,
        &adapters::Ground::default(),
    )
    .unwrap();
    assert_keeps_the_token(&format!("{whole:?} {config:?}"));
    std::fs::write(&file, format!("{TOKEN}/../evil")).unwrap();
    let error = built(&format!("token_file = {file:?}"))
        .err()
        .unwrap()
        .to_string();
    assert_keeps_the_token(&error);
    std::fs::write(&file, "nonsense\n").unwrap();
    let error = built(&format!("token_file = {file:?}"))
        .err()
        .unwrap()
        .to_string();
    let wanted = "does not hold a token; copy the whole line from @BotFather, like 123456:ABC";
    assert!(error.ends_with(wanted), "{error}");
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
