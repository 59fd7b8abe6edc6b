//! The configuration says what is wrong with it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use gateway::config::{
    Config, EXAMPLE, Listen, Log, LogForm, SCHEMA, SecretSource, USUAL_ADDRESS, Web,
};

#[test]
fn an_empty_file_is_the_usual_web_chat_and_nothing_else() {
    let config = parse("").unwrap();
    assert_eq!(
        (config.web, config.lines.len(), config.log),
        (
            Web {
                listen: Listen::From(USUAL_ADDRESS),
                hosts: vec![],
                admin_token: None,
                tls: None,
            },
            0,
            Log {
                filter: "warn".to_owned(),
                form: LogForm::Text,
            }
        )
    );
}

#[test]
fn no_file_is_an_empty_file() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config::read(folder.path()).unwrap();
    assert_eq!((config.web, config.lines.len()), (Web::default(), 0));
}

#[test]
fn what_is_set_is_what_is_read() {
    let config = parse(
        "[web]\nlisten = \"[::1]:9000\"\nhosts = [\"Chat.Example.org\"]\nadmin_token_file = \"/t\"\n[log]\nfilter = \"gateway=debug\"\nform = \"json\"\n",
    )
    .unwrap();
    assert_eq!(
        (config.web, config.log),
        (
            Web {
                listen: Listen::Configured("[::1]:9000".parse().unwrap()),
                hosts: vec!["chat.example.org".to_owned()],
                admin_token: SecretSource::one_of(
                    "web.admin_token",
                    Some(Path::new("/t")),
                    None,
                    None
                )
                .unwrap(),
                tls: None,
            },
            Log {
                filter: "gateway=debug".to_owned(),
                form: LogForm::Json,
            }
        )
    );
}

#[test]
fn f65_there_is_no_list_of_names_that_may_speak() {
    let line = "[lines.phone]\nplatform = \"telegram\"\ntoken_file = \"/t\"\n";
    for names in [
        "allow = [\"alice\"]",
        "allow_from = [\"@alice\"]",
        "users = [7001]",
    ] {
        let said = parse(&format!("{line}{names}\n")).unwrap_err().to_string();
        let key = names.split(' ').next().unwrap();
        assert!(said.contains(key), "{said}");
    }
}

#[test]
fn only_an_address_that_others_reach_is_warned_about() {
    for quiet in [
        "",
        "[web]\nlisten = \"127.0.0.1:1\"",
        "[web]\nlisten = \"[::1]:1\"",
    ] {
        assert_eq!(
            parse(quiet).unwrap().warnings(),
            Vec::<String>::new(),
            "{quiet}"
        );
    }
    assert_eq!(
        parse("[web]\nlisten = \"0.0.0.0:8787\"")
            .unwrap()
            .warnings(),
        [
            "the web chat listens on 0.0.0.0:8787, where other machines reach it over plain HTTP; give it web.tls, or put a proxy with TLS in front and name it in proxies.trusted, or set web.listen to 127.0.0.1:8787"
        ]
    );
}

#[test]
fn every_mistake_is_named_with_its_place_its_key_and_what_to_do() {
    let cases = [
        (
            "x = 1",
            "1:1: x: there is no setting `x`; correct or remove it (there is: `web`, `lines`, `metrics`, `model`, `proxies`, `webhooks`, `log`, `fetch`, `search`, `sensitive`, `replay`, `risk`, `shell`, `code`)",
        ),
        (
            "[web]\nlistn = \"127.0.0.1:1\"",
            "2:1: web.listn: there is no setting `listn`; correct or remove it (there is: `listen`, `hosts`, `admin_token_file`, `admin_token_env`, `admin_token_credential`, `tls`)",
        ),
        (
            "[web]\nlisten = \"127.0.0.1\"",
            "2:10: web.listen: give an address with its port, like 127.0.0.1:8787",
        ),
        (
            "[web]\nlisten = \"localhost:8787\"",
            "2:10: web.listen: give an address with its port, like 127.0.0.1:8787",
        ),
        (
            "[web]\nlisten = 8787",
            "2:10: web.listen: wrong kind of value: integer `8787`, expected socket address",
        ),
        (
            "[web]\nhosts = [\"https://a.b\"]",
            "2:9: web.hosts[0]: \"https://a.b\" is not a host name; write it without https://, port, path or *, like chat.example.org",
        ),
        (
            "[web]\nhosts = [\"*\"]",
            "2:9: web.hosts[0]: \"*\" is not a host name; write it without https://, port, path or *, like chat.example.org",
        ),
        ("[web", "1:5: unclosed table, expected `]`"),
        (
            "[log]\nfilter = \"verbose\"",
            "2:10: log.filter: \"verbose\" is not a log filter; use error, warn, info, debug or trace, or pairs like gateway=debug",
        ),
        (
            "[log]\nfilter = \"a=b=c\"",
            "2:10: log.filter: \"a=b=c\" is not a log filter; use error, warn, info, debug or trace, or pairs like gateway=debug",
        ),
        (
            "[lines.web]\nplatform = \"telegram\"",
            "1:8: lines.web: the name web belongs to the built-in web chat; name the line otherwise",
        ),
        (
            "[lines.Family]\nplatform = \"telegram\"",
            "1:8: lines.Family: a line cannot be called \"Family\"; use 1 to 32 of a-z, 0-9 and -",
        ),
        (
            "[lines.\"\"]\nplatform = \"telegram\"",
            "1:8: lines.: a line cannot be called \"\"; use 1 to 32 of a-z, 0-9 and -",
        ),
        (
            "[webhooks]\npublic = \"http://bot.example.org\"",
            "2:10: webhooks.public: \"http://bot.example.org\" is not an address that platforms reach; write it like https://bot.example.org, without a path",
        ),
        (
            "[webhooks]\npublic = \"https://bot.example.org/x\"",
            "2:10: webhooks.public: \"https://bot.example.org/x\" is not an address that platforms reach; write it like https://bot.example.org, without a path",
        ),
        (
            "[webhooks]\n",
            "1:1: webhooks: the setting `public` is missing; add it",
        ),
        (
            "[lines.a]\nplatform = \"irc\"",
            "2:12: lines.a.platform: `irc` is not known here; use `discord`, `slack`, `telegram`, `whatsapp`",
        ),
        (
            "[lines.a]\n",
            "1:1: lines.a: the setting `platform` is missing; add it",
        ),
        (
            "[web]\n\n[lines.a]\nplatform = \"telegram\"\n\n[lines.b]\ntoken_file = \"/t\"",
            "6:1: lines.b: the setting `platform` is missing; add it",
        ),
        (
            "[model]\nprovider = \"ollama\"\nname = \"m\"\n[[model.fallbacks]]\nprovider = \"openai-compatible\"\nname = \"m\"",
            "4:1: model.fallbacks: openai-compatible has no address of its own; add endpoint, like endpoint = \"http://127.0.0.1:8080/v1/\"",
        ),
        (
            "[log]\n[model]\nprovider = \"openai-compatible\"\nname = \"m\"",
            "2:1: model: openai-compatible has no address of its own; add endpoint, like endpoint = \"http://127.0.0.1:8080/v1/\"",
        ),
        (
            "[risk]\nmodel = { provider = \"openai-compatible\", name = \"m\" }",
            "2:9: risk.model: openai-compatible has no address of its own; add endpoint, like endpoint = \"http://127.0.0.1:8080/v1/\"",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(
            parse(text).unwrap_err(),
            format!("/somewhere/postern.toml:{expected}"),
            "{text}"
        );
    }
}

#[test]
fn a_key_of_a_platform_that_is_not_known_is_refused_with_its_name() {
    let said = parse("[lines.a]\nplatform = \"telegram\"\ntoken = \"123:abc\"").unwrap_err();
    assert!(
        said.starts_with("/somewhere/postern.toml:1:1: lines.a: there is no setting `token`; "),
        "{said}"
    );
    assert!(!said.contains("123:abc"), "{said}");
    let second = "[log]\n\n[lines.a]\nplatform = \"slack\"\nuser = \"x\"";
    let said = parse(second).unwrap_err();
    assert!(
        said.starts_with("/somewhere/postern.toml:3:1: lines.a: there is no setting `user`; "),
        "{said}"
    );
}

#[test]
fn a_name_of_thirty_three_letters_is_one_too_many() {
    let line = |length| format!("[lines.{}]\nplatform = \"irc\"", "a".repeat(length));
    assert!(
        parse(&line(32))
            .unwrap_err()
            .contains("`irc` is not known here")
    );
    assert!(parse(&line(33)).unwrap_err().contains("cannot be called"));
}

#[test]
fn a_column_counts_characters() {
    assert_eq!(
        parse("# ü\n[log]\nfilter = \"éé\" x").unwrap_err(),
        "/somewhere/postern.toml:3:15: unexpected key or value, expected newline, `#`"
    );
}

#[test]
fn a_file_that_others_can_change_is_refused_with_the_command_that_mends_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("postern.toml");
    fs::write(&file, "").unwrap();
    for mode in [0o620, 0o602] {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let path = file.display();
        assert_eq!(
            Config::read(folder.path()).unwrap_err().to_string(),
            format!("{path} can be changed by others; make it yours alone with: chmod 600 {path}")
        );
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(Config::read(folder.path()).is_ok());
}

#[test]
fn what_is_no_file_or_too_long_or_no_text_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("postern.toml");
    let path = file.display();
    let read = || Config::read(folder.path()).unwrap_err().to_string();

    fs::write(&file, "#".repeat(256 * 1024 + 1)).unwrap();
    assert_eq!(
        read(),
        format!("{path} is over 262144 bytes, which no configuration needs; is it the right file?")
    );
    fs::write(&file, [0xff]).unwrap();
    assert_eq!(
        read(),
        format!("cannot read {path}: stream did not contain valid UTF-8")
    );
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(
        read(),
        format!("cannot read {path}: Is a directory (os error 21)")
    );
}

fn parse(text: &str) -> Result<Config, String> {
    Config::parse(Path::new("/somewhere/postern.toml"), text).map_err(|why| why.to_string())
}

#[test]
fn a_host_that_is_fetched_although_it_is_private_is_warned_of_and_a_wrong_one_refused() {
    let read = |text: &str| Config::parse(Path::new("/somewhere/postern.toml"), text);
    let config = read("[fetch]\nallow_private = [\"10.0.0.5:8080\"]\n").unwrap();
    assert_eq!(
        config.warnings(),
        [
            "pages may be fetched from 10.0.0.5:8080, so what a page says can reach there too; take out of fetch.allow_private what need not be in it"
        ]
    );
    for (text, says) in [
        (
            "[fetch]\nallow_private = [\"10.0.0.5\"]\n",
            "is no host with a port; write it like 192.168.1.5:8080",
        ),
        ("[search]\nengine = \"other\"\n", "other"),
        ("[search]\nengine = \"searxng\"\n", "url"),
    ] {
        let why = read(text).unwrap_err().to_string();
        assert!(why.contains(says), "{why}");
    }
}

#[test]
fn the_example_is_a_file_that_can_be_used_as_it_is_and_with_every_key_set() {
    let bare = parse(EXAMPLE).unwrap();
    assert_eq!(
        (bare.web, bare.lines.len(), bare.metrics),
        (Web::default(), 0, None)
    );
    let lines = EXAMPLE.lines().map(|line| {
        let set = line
            .strip_prefix('#')
            .filter(|rest| !rest.starts_with([' ', '#']));
        format!("{}\n", set.unwrap_or(line))
    });
    let full = parse(&lines.collect::<String>()).unwrap();
    assert_eq!((full.lines.len(), full.log.filter), (4, "warn".to_owned()));
    for platform in ["Discord(", "Slack(", "Telegram(", "WhatsApp("] {
        let is_it = |line: &adapters::Config| format!("{line:?}").starts_with(platform);
        assert!(full.lines.values().any(is_it), "{platform}");
    }
    assert!(full.web.admin_token.is_some() && full.metrics.is_some());
}

#[test]
fn the_schema_and_the_example_name_every_key_that_the_file_may_have() {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    let keys = |at: &serde_json::Value| -> Vec<String> {
        at["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    };
    let known = |text: &str| -> Vec<String> {
        let said = parse(text).unwrap_err().to_string();
        let (_, list) = said.split_once("there is: ").unwrap();
        let words = list.split('`').skip(1).step_by(2);
        let mut words: Vec<String> = words.map(ToOwned::to_owned).collect();
        words.sort();
        words
    };
    let mut tables = keys(&schema);
    tables.sort();
    assert_eq!(tables, known("nothing = 1"));
    for table in tables {
        assert!(EXAMPLE.contains(&format!("[{table}")), "{table}");
        let at = &schema["properties"][&table];
        if at["properties"].is_null() {
            continue;
        }
        let mut keys = keys(at);
        keys.sort();
        let asked = format!("[{table}]\nnothing = 1");
        let said = parse(&asked).unwrap_err().to_string();
        if said.contains("there is: ") {
            assert_eq!(keys, known(&asked), "{table}");
        } else {
            assert!(
                said.contains(&format!("`{}`", keys[0])) || keys.len() == 1,
                "{said}"
            );
        }
        for key in keys {
            assert!(EXAMPLE.contains(&format!("{key} = ")), "{table}.{key}");
        }
    }
}
