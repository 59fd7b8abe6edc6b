//! How text reaches the terminal.

use std::process::Stdio;

use bot_policy::id::Timestamp;
use gateway::cli::banner::{Banner, BannerLine, ConfigFile, OwnerCode};
use gateway::cli::screen::{Paint, counted, span};
use gateway::doctor::Verdict;

use crate::keeper::Home;

#[test]
fn the_banner_has_a_line_for_everything_that_is_on_or_off() {
    let bare = Banner {
        web: "http://127.0.0.1:8788/".to_owned(),
        taken: Some("127.0.0.1:8787".parse().unwrap()),
        data: "/d".to_owned(),
        config: ConfigFile::Missing("/c/postern.toml".to_owned()),
        owner: Some(OwnerCode {
            code: "ABCD2345".to_owned(),
            links: vec!["http://127.0.0.1:8788/#ABCD2345".to_owned()],
        }),
        ..Banner::default()
    };
    assert_eq!(
        bare.render(Paint::Plain),
        "Postern is open.\n  \
           web chat  on   http://127.0.0.1:8788/\n                 \
                          (127.0.0.1:8787 is taken by another program; web.listen in postern.toml chooses another)\n  \
           lines     off  to let a messaging app in, add [lines.NAME] to postern.toml: docs/configuration.md\n  \
           model     off  the practice model answers: it has no mind and obeys plain sentences\n  \
           data           /d\n  \
           settings  none needed; they would be in /c/postern.toml\n\
         \n\
         Next, become its owner. Within 10 minutes, open this link (its code is ABCD2345):\n  \
           http://127.0.0.1:8788/#ABCD2345\n\
         To stop: Ctrl-C\n"
    );
    let full = Banner {
        web: "http://127.0.0.1:8787/".to_owned(),
        taken: None,
        lines: vec![BannerLine {
            line: "family".to_owned(),
            platform: "telegram".to_owned(),
        }],
        model: Some("some-model".to_owned()),
        config: ConfigFile::Found("/c/postern.toml".to_owned()),
        owner: None,
        warnings: vec!["the web chat listens on 0.0.0.0:8787".to_owned()],
        ..bare
    };
    assert_eq!(
        full.render(Paint::Plain),
        "Postern is open.\n  \
           web chat  on   http://127.0.0.1:8787/\n  \
           line      on   family (telegram)\n  \
           model     on   some-model\n  \
           data           /d\n  \
           settings       /c/postern.toml\n  \
           warning   the web chat listens on 0.0.0.0:8787\n\
         \n\
         To let another account in: postern pair\n\
         To stop: Ctrl-C\n"
    );
}

#[test]
fn no_code_is_in_what_is_logged() {
    let owner = OwnerCode {
        code: "ABCD2345".to_owned(),
        links: vec!["http://127.0.0.1:8788/#ABCD2345".to_owned()],
    };
    assert_eq!(format!("{owner:?}"), "OwnerCode(..)");
}

#[test]
fn colours_are_for_terminals_alone() {
    assert_eq!(Paint::Plain.verdict(Verdict::Fail), "fail");
    assert_eq!(
        Paint::Colour.verdict(Verdict::Ok),
        "\u{1b}[32mok  \u{1b}[0m"
    );
    assert_eq!(Paint::Colour.strong("a"), "\u{1b}[1ma\u{1b}[0m");

    let home = Home::new();
    for (name, value, coloured) in [
        ("NO_COLOR", "", true),
        ("NO_COLOR", "1", false),
        ("TERM", "dumb", false),
    ] {
        let mut inside = home.command(&["doctor"]);
        let program = inside.get_program().to_owned();
        let said = inside_a_terminal(&mut inside, &program.to_string_lossy(), (name, value));
        assert_eq!(
            said.contains("\u{1b}["),
            coloured,
            "{name}={value}: {said:?}"
        );
    }
}

#[test]
fn spans_and_counts_read_as_a_person_says_them() {
    let from = Timestamp(0);
    let spans =
        [999, 1000, 59_999, 60_000, 7_200_000, 86_400_000, -5].map(|to| span(from, Timestamp(to)));
    assert_eq!(
        spans,
        [
            "0 seconds",
            "1 second",
            "59 seconds",
            "1 minute",
            "2 hours",
            "1 day",
            "0 seconds"
        ]
    );
    assert_eq!(
        [counted(0, "card"), counted(1, "card"), counted(2, "card")],
        ["0 cards", "1 card", "2 cards"]
    );
}

fn inside_a_terminal(
    command: &mut std::process::Command,
    program: &str,
    (name, value): (&str, &str),
) -> String {
    let mut terminal = std::process::Command::new("script");
    terminal.args(["-qec", &format!("'{program}' doctor"), "/dev/null"]);
    for (key, set) in command.get_envs() {
        terminal.env(key, set.unwrap());
    }
    terminal
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .env(name, value)
        .stdin(Stdio::null());
    String::from_utf8(terminal.output().unwrap().stdout).unwrap()
}
