//! What a person reads at the terminal when no gateway is asked, or none answers.

use gateway::config::{EXAMPLE, SCHEMA};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use gateway::folder::{Folder, Purpose};
use rustix::process::{Pid, Signal, kill_process};

use crate::keeper::{Home, read};

const NOT_RUNNING: &str = "postern: Postern is not running; start it with: postern\n";

#[test]
fn asking_when_nothing_runs_says_how_to_start_it() {
    let home = Home::new();
    for folder in ["missing", "there"] {
        for arguments in [
            &["status"][..],
            &["pair"],
            &["pair", "--guest", "Bo"],
            &["unpair", "web:1"],
            &["unpair", "--all"],
        ] {
            let said = home.command(arguments).output().unwrap();
            assert_eq!(read(&said), (1, "", NOT_RUNNING), "{folder} {arguments:?}");
        }
        Folder::open(Purpose::Data, &home.data()).unwrap();
    }
}

#[test]
fn a_command_line_that_is_not_understood_says_so() {
    let home = Home::new();
    let cases = [
        (&["pare"][..], "unrecognized subcommand 'pare'"),
        (&["unpair"], "<PLACE>"),
        (&["unpair", "a", "--all"], "cannot be used with"),
        (
            &["pair", "--guest", " "],
            "use 1 to 40 letters, digits, blanks and . ' - _",
        ),
        (
            &["pair", "--guest", "Bo\u{1b}[2J"],
            "use 1 to 40 letters, digits, blanks and . ' - _",
        ),
        (
            &["pair", "--guest", "\u{202e}Bo"],
            "use 1 to 40 letters, digits, blanks and . ' - _",
        ),
    ];
    for (arguments, expected) in cases {
        let said = home.command(arguments).output().unwrap();
        let (code, out, err) = read(&said);
        assert_eq!((code, out), (2, ""), "{arguments:?}");
        assert!(err.contains(expected), "{err}");
    }
}

#[test]
fn every_command_refuses_folders_that_others_can_enter() {
    let home = Home::new();
    let at = home.data();
    std::fs::create_dir(&at).unwrap();
    std::fs::set_permissions(&at, std::fs::Permissions::from_mode(0o755)).unwrap();
    let at = at.display();
    let expected = format!(
        "{at} can be entered by others (mode 755); make it yours alone with: chmod 700 {at}"
    );
    for arguments in [
        &[][..],
        &["up"],
        &["status"],
        &["pair"],
        &["unpair", "--all"],
    ] {
        let said = home.command(arguments).output().unwrap();
        assert_eq!(
            read(&said),
            (1, "", &*format!("postern: {expected}\n")),
            "{arguments:?}"
        );
    }
    let said = home.command(&["doctor"]).output().unwrap();
    let (code, out, _) = read(&said);
    assert_eq!(code, 1);
    assert!(
        out.contains(&format!("fail  data folder: {expected}\n")),
        "{out}"
    );
}

#[test]
fn a_folder_variable_must_hold_a_whole_path() {
    let home = Home::new();
    let said = home
        .command(&["status"])
        .env("POSTERN_DATA", "data")
        .output()
        .unwrap();
    assert_eq!(
        read(&said),
        (
            1,
            "",
            "postern: POSTERN_DATA is data, which depends on where postern is started; give the whole path, beginning with /\n"
        )
    );
    let said = home
        .command(&["config", "check"])
        .env("POSTERN_CONFIG", "./c")
        .output()
        .unwrap();
    assert_eq!(
        read(&said),
        (
            1,
            "fail  configuration folder: POSTERN_CONFIG is ./c, which depends on where postern is started; give the whole path, beginning with /\n1 thing to mend.\n",
            ""
        )
    );
}

#[test]
fn without_variables_the_usual_places_are_used() {
    let home = Home::new();
    let said = home
        .command(&["doctor"])
        .env_remove("POSTERN_DATA")
        .env_remove("POSTERN_CONFIG")
        .env_remove("XDG_DATA_HOME")
        .env_remove("XDG_CONFIG_HOME")
        .env("HOME", home.path())
        .output()
        .unwrap();
    let at = home.path().display();
    assert_eq!(
        read(&said),
        (
            0,
            &*format!(
                "ok    configuration folder: {at}/.config/postern is not there yet; postern makes it\n\
                 ok    data folder: {at}/.local/share/postern is not there yet; postern makes it\n\
                 warn  gateway: Postern is not running; start it with: postern\n\
                 It works, with 1 warning.\n"
            ),
            ""
        )
    );
}

#[test]
fn a_wrong_configuration_stops_the_start_and_fails_the_check() {
    let home = Home::new();
    home.configure("[web]\nlistn = \"127.0.0.1:1\"\n");
    let at = home.config().join("postern.toml");
    let expected = format!(
        "{}:2:1: web.listn: there is no setting `listn`; correct or remove it (there is: `listen`, `hosts`, `admin_token_file`, `admin_token_env`, `admin_token_credential`, `tls`)",
        at.display()
    );
    let said = home.command(&["up"]).output().unwrap();
    assert_eq!(read(&said), (1, "", &*format!("postern: {expected}\n")));
    let said = home.command(&["config", "check"]).output().unwrap();
    let (code, out, _) = read(&said);
    assert_eq!(code, 1);
    assert!(
        out.ends_with(&format!(
            "fail  configuration: {expected}\n1 thing to mend.\n"
        )),
        "{out}"
    );
}

#[test]
fn a_good_configuration_passes_the_check_and_a_daring_one_is_warned_about() {
    let home = Home::new();
    let at = home.config();
    let at = at.display();
    home.configure("[web]\nlisten = \"127.0.0.1:9000\"\n");
    let said = home.command(&["config", "check"]).output().unwrap();
    assert_eq!(
        read(&said),
        (
            0,
            &*format!(
                "ok    configuration folder: {at} is yours alone\nok    configuration: nothing in it is wrong; no lines are set, so the web chat is the only way in\nAll is well.\n"
            ),
            ""
        )
    );
    home.configure("[web]\nlisten = \"0.0.0.0:9000\"\n");
    let said = home.command(&["config", "check"]).output().unwrap();
    let (code, out, _) = read(&said);
    assert_eq!(code, 0);
    assert!(
        out.contains("\nwarn  configuration: the web chat listens on 0.0.0.0:9000, "),
        "{out}"
    );
    assert!(out.ends_with("It works, with 1 warning.\n"), "{out}");
}

#[test]
fn a_configured_port_that_is_taken_stops_the_start() {
    let home = Home::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = taken.local_addr().unwrap();
    home.configure(&format!("[web]\nlisten = \"{at}\"\n"));
    let said = home.command(&[]).output().unwrap();
    assert_eq!(
        read(&said),
        (
            1,
            "",
            &*format!(
                "postern: {at} is taken by another program; stop that program, or set web.listen in postern.toml to another port\n"
            )
        )
    );
}

#[test]
fn it_starts_says_where_it_is_and_stops_when_told_to() {
    let home = Home::new();
    home.configure("[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut running = home.command(&[]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "Postern is open.");
    let web = lines.next().unwrap().unwrap();
    assert!(
        web.starts_with("  web chat  on   http://127.0.0.1:"),
        "{web}"
    );
    kill_process(Pid::from_child(&running), Signal::TERM).unwrap();
    assert!(running.wait().unwrap().success());
    assert!(!home.data().join("postern.sock").exists());
}

#[test]
fn the_check_says_which_line_lacks_its_secret_and_never_shows_one() {
    let home = Home::new();
    let token = home.path().join("token");
    home.configure(&format!(
        "[lines.family]\nplatform = \"telegram\"\ntoken_file = \"{}\"\n",
        token.display()
    ));
    let said = home.command(&["config", "check"]).output().unwrap();
    let (code, out, _) = read(&said);
    assert_eq!(code, 1);
    let expected = format!(
        "\nfail  configuration: line family: token_file {} ",
        token.display()
    );
    assert!(out.contains(&expected), "{out}");

    std::fs::write(&token, "123456:ABC-secret\n").unwrap();
    let loose = home.command(&["config", "check"]).output().unwrap();
    let (code, out, _) = read(&loose);
    assert_eq!(code, 1);
    let at = token.display();
    let expected =
        format!("token_file {at} can be read by others; make it yours alone with: chmod 600 {at}");
    assert!(out.contains(&expected), "{out}");
    std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let said = home.command(&["config", "check"]).output().unwrap();
    let (code, out, err) = read(&said);
    assert_eq!((code, err), (0, ""));
    assert!(
        out.contains("\nok    line family: its settings can be used\n"),
        "{out}"
    );
    assert!(!out.contains("ABC-secret"), "{out}");
}

#[test]
fn nothing_is_called_right_above_a_line_that_cannot_be_used() {
    let home = Home::new();
    let token = home.path().join("no-token");
    home.configure(&format!(
        "[lines.a]\nplatform = \"telegram\"\ntoken_file = {token:?}\n"
    ));
    let said = home.command(&["config", "check"]).output().unwrap();
    let (code, out, err) = read(&said);
    assert_eq!((code, err), (1, ""));
    assert!(!out.contains("nothing in it is wrong"), "{out}");
    assert!(out.contains("\nfail  configuration: "), "{out}");
}

#[test]
fn the_example_and_the_schema_are_printed_whole() {
    let home = Home::new();
    for (what, text) in [("example", EXAMPLE), ("schema", SCHEMA)] {
        let said = home.command(&["config", what]).output().unwrap();
        assert_eq!(read(&said), (0, text, ""));
    }
}

#[test]
fn the_documentation_speaks_of_every_command() {
    let home = Home::new();
    let help = home.command(&["--help"]).output().unwrap();
    let (_, help, _) = read(&help);
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let (commands, _) = commands.split_once("\n\n").unwrap();
    let table = include_str!("../../docs/configuration.md");
    let names: Vec<&str> = commands
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(names.len() > 10, "{commands}");
    for name in names {
        assert!(table.contains(&format!("`postern {name}")), "{name}");
    }
}
