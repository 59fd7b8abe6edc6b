//! What a person reads and changes with `postern rules`.

use std::fs::{self, File};
use std::io::Write;
use std::process::{Command, Stdio};

use gateway::folder::{Folder, Purpose};

use crate::keeper::{Home, read};

#[test]
fn a_narrow_rule_is_saved_at_once_and_replaces_its_like() {
    let home = Home::new();
    let saved = "Saved: allow @files write --file notes\n";
    let again = "It stands already: allow @files write --file notes\n";
    let allow = |pattern| said(&home, &["allow", pattern]);
    assert_eq!(
        allow("files  write --file notes"),
        (0, saved.into(), "".into())
    );
    assert_eq!(
        allow("@files write --file notes"),
        (0, again.into(), "".into())
    );
    assert_eq!(
        said(&home, &["ask", "@files write --file notes", "--yes"]),
        (
            0,
            "Saved: ask @files write --file notes\n".into(),
            "".into()
        )
    );
    assert_eq!(rules_of(&home), ["ask @files write --file notes"]);
}

#[test]
fn what_needs_a_yes_is_not_done_without_a_terminal_and_says_how() {
    let home = Home::new();
    write(&home, POLICY);
    let ask_first = |order: &str, pattern: &str, because: &str| {
        let expected = format!(
            "postern: {order} {pattern}: {because}; there is no terminal to ask you on, so say yes beforehand: postern rules {order} '{pattern}' --yes\n"
        );
        assert_eq!(
            said(&home, &[order, pattern]),
            (1, String::new(), expected),
            "{order} {pattern}"
        );
        assert_eq!(policy(&home), POLICY);
    };
    let command = "it covers this command on everything";
    let denies = "such calls are refused, and no card can let one through";
    ask_first("allow", "@memory save", command);
    ask_first("ask", "@memory save", command);
    ask_first("deny", "@memory save", &format!("{denies}; {command}"));
    ask_first("deny", "@memory save --text a", denies);
    ask_first(
        "allow",
        "@files write --file diary",
        "it replaces your rule that says deny",
    );
    ask_first(
        "allow",
        "@files write --file /",
        "it names all that there is",
    );
    ask_first(
        "allow",
        "@coder exec --cmd git",
        "it covers a program with whatever it is given",
    );
    ask_first("allow", "@coder exec", "it covers every command line");
    ask_first(
        "forget",
        "@files write --file diary",
        "such calls are then refused no more",
    );
    ask_first(
        "forget",
        "@files read --file diary",
        "such calls may then run without a question",
    );
    ask_first(
        "forget",
        "@files write --file notes",
        "such calls ask again, unless another rule allows them",
    );
    let whole = said(&home, &["allow", "@files"]);
    assert_eq!(
        whole.2,
        "postern: allow @files: it names a tool without a command, so it covers all that it can do; there is no terminal to ask you on, so say yes beforehand: postern rules allow @files --yes\n"
    );
}

#[test]
fn a_yes_on_the_command_line_does_it() {
    let home = Home::new();
    write(&home, POLICY);
    for (arguments, expected) in [
        (
            ["allow", "@memory save", "--yes"],
            "Saved: allow @memory save\n",
        ),
        (
            ["deny", "@memory search", "--yes"],
            "Saved: deny @memory search\n",
        ),
        (
            ["forget", "files write  --file diary", "--yes"],
            "Forgotten: deny @files write --file diary\n",
        ),
    ] {
        assert_eq!(said(&home, &arguments), (0, expected.into(), "".into()));
    }
    assert_eq!(
        rules_of(&home),
        [
            "ask @files read --file diary",
            "allow @files write --file notes",
            "allow @memory save",
            "deny @memory search"
        ]
    );
}

#[test]
fn at_a_terminal_only_yes_is_yes() {
    for (typed, code, answer, after) in [
        ("y\n", 0, "Saved: deny @memory save --text a", 1),
        ("YES\n", 0, "Saved: deny @memory save --text a", 1),
        ("n\n", 1, "Nothing was changed.", 0),
        ("\n", 1, "Nothing was changed.", 0),
        ("yesterday\n", 1, "Nothing was changed.", 0),
    ] {
        let home = Home::new();
        let (ended, shown) = at_a_terminal(&home, typed);
        assert!(
            shown.contains("deny @memory save --text a: such calls are refused, and no card can let one through. Go on? [y/N] "),
            "{shown}"
        );
        assert!(shown.contains(answer), "{typed:?}: {shown}");
        assert_eq!((ended, rules_of(&home).len()), (code, after), "{typed:?}");
    }
}

#[test]
fn what_cannot_be_a_rule_or_is_none_says_what_to_do() {
    let home = Home::new();
    write(&home, POLICY);
    let no_pattern = |text: &str| {
        format!(
            "postern: \"{text}\" is no pattern; write '@tool command --key value' in quotes, at most 500 bytes, and close what you quote inside\n"
        )
    };
    let long = format!("@files write --file {}", "a".repeat(500));
    for (arguments, expected) in [
        (["allow", ""], no_pattern("")),
        (["deny", "@"], no_pattern("@")),
        (["ask", "@files write --file 'a"], no_pattern("@files write --file 'a")),
        (["ask", "@files write notes"], no_pattern("@files write notes")),
        (["allow", &long], no_pattern(&long)),
        (
            ["forget", "@files read"],
            "postern: the rule \"@files read\" comes with Postern and stays; to be asked all the same: postern rules ask '@files read'\n".to_owned(),
        ),
        (
            ["forget", "@web get"],
            "postern: you have no rule \"@web get\"; see those that you have with: postern rules\n".to_owned(),
        ),
        (
            ["explain", " "],
            "postern: a call begins with its tool; write it in quotes: postern rules explain '@files read --file a.txt'\n".to_owned(),
        ),
    ] {
        assert_eq!(said(&home, &arguments), (1, String::new(), expected), "{arguments:?}");
    }
    assert_eq!(policy(&home), POLICY);
}

#[test]
fn a_rule_that_speaks_of_nothing_is_saved_with_a_note() {
    let home = Home::new();
    for (pattern, note) in [
        (
            "@fils write --file a",
            "there is no tool @fils here, so the rule speaks of nothing yet",
        ),
        (
            "@files wirte --file a",
            "@files has no command wirte, so the rule speaks of nothing yet; it has: read, write, patch, send, tree, search",
        ),
        (
            "@files write --fil a",
            "@files write has no --fil, so the rule may speak of nothing; it takes: --file, --content",
        ),
    ] {
        let expected = format!("Saved: allow {pattern}\nNote: {note}\n");
        assert_eq!(said(&home, &["allow", pattern]), (0, expected, "".into()));
    }
}

#[test]
fn a_slip_in_the_file_is_named_with_line_and_column_and_nothing_is_written_over_it() {
    let home = Home::new();
    for (text, place) in [
        (
            "{\"rules\": [\n  {\"patern\": \"@files\"}\n]}",
            "line 2, column 11: unknown field `patern`, expected `pattern` or `action`",
        ),
        (
            "{\"rules\": [\n  {\"pattern\": \"@files\", \"action\": \"alow\"}\n]}",
            "line 2, column 40: unknown variant `alow`, expected one of `allow`, `ask`, `deny`",
        ),
        (
            "{\"rules\": [\n  {\"pattern\": \"\", \"action\": \"deny\"}\n]}",
            "line 2, column 16: a pattern is `@tool command --key value`, at most 500 bytes",
        ),
        ("", "line 1, column 0: EOF while parsing a value"),
        (
            "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
            "line 1, column 1: the file is too long or nests too deeply for rules",
        ),
    ] {
        write(&home, text);
        let expected = format!(
            "postern: {}: {place}; correct it there; nothing runs until it is mended\n",
            home.config().join("policy.json").display()
        );
        for arguments in [
            &[][..],
            &["explain", "@files read --file a"],
            &["allow", "@files write --file a"],
            &["forget", "@files write --file a", "--yes"],
        ] {
            assert_eq!(said(&home, arguments), (1, String::new(), expected.clone()));
        }
        assert_eq!(policy(&home), text);
    }
}

#[test]
fn a_file_that_cannot_be_read_or_written_stays_and_says_so() {
    let home = Home::new();
    write(&home, POLICY);
    let at = home.config().join("policy.json");
    let at = at.display();
    let allow = ["allow", "@memory save --text a"];

    fs::create_dir(home.config().join("policy.json.new")).unwrap();
    let expected = format!(
        "postern: nothing was saved in {at} (Is a directory (os error 21)); see that there is room, and that it is yours, with: ls -l {at}\n"
    );
    assert_eq!(said(&home, &allow), (1, String::new(), expected));
    assert_eq!(policy(&home), POLICY);
    fs::remove_dir(home.config().join("policy.json.new")).unwrap();

    let lock = File::create(home.config().join("policy.lock")).unwrap();
    lock.lock().unwrap();
    let expected = format!("postern: another postern is changing {at}; try again\n");
    assert_eq!(said(&home, &allow), (1, String::new(), expected));
    assert_eq!(policy(&home), POLICY);
    drop(lock);

    fs::remove_file(home.config().join("policy.json")).unwrap();
    fs::create_dir(home.config().join("policy.json")).unwrap();
    let expected = format!(
        "postern: {at} cannot be read (Is a directory (os error 21)); nothing runs until it can; look at it with: ls -l {at}\n"
    );
    assert_eq!(said(&home, &allow), (1, String::new(), expected.clone()));
    assert_eq!(said(&home, &[]), (1, String::new(), expected));
}

#[test]
fn a_rule_that_would_make_the_file_too_long_to_read_is_not_saved() {
    let home = Home::new();
    let rules: Vec<String> = (0..LIMIT / 64)
        .map(|n| format!(r#"{{"pattern":"@files write --file {n:08}","action":"ask"}}"#))
        .collect();
    let text = format!(r#"{{"rules":[{}]}}"#, rules.join(","));
    assert!(text.len() < LIMIT);
    write(&home, &text);
    let at = home.config().join("policy.json");
    let at = at.display();
    let expected = format!(
        "postern: nothing was saved in {at} (line 1, column 1: the file is too long or nests too deeply for rules); see that there is room, and that it is yours, with: ls -l {at}\n"
    );
    assert_eq!(
        said(&home, &["allow", "@memory save --text a"]),
        (1, String::new(), expected)
    );
    assert_eq!(policy(&home), text);
}

#[test]
fn of_many_changes_at_once_none_is_lost() {
    let home = Home::new();
    let running: Vec<_> = (0..12)
        .map(|n| {
            let pattern = format!("@files write --file {n:02}");
            let mut command = home.command(&["rules", "allow", &pattern]);
            command.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut one in running {
        assert!(one.wait().unwrap().success());
    }
    let mut saved = rules_of(&home);
    saved.sort();
    let expected: Vec<String> = (0..12)
        .map(|n| format!("allow @files write --file {n:02}"))
        .collect();
    assert_eq!(saved, expected);
}

pub const POLICY: &str = r#"{"rules": [
    {"pattern": "@files write --file diary", "action": "deny"},
    {"pattern": "@files read --file diary", "action": "ask"},
    {"pattern": "@files write --file notes", "action": "allow"}
]}"#;
/// The longest rule file, in bytes.
const LIMIT: usize = bot_policy::call::ARGUMENT_BYTES;

pub fn said(home: &Home, arguments: &[&str]) -> (i32, String, String) {
    let all: Vec<&str> = ["rules"].iter().chain(arguments).copied().collect();
    let output = home.command(&all).output().unwrap();
    let (code, out, err) = read(&output);
    (code, out.to_owned(), err.to_owned())
}

pub fn write(home: &Home, text: &str) {
    let folder = Folder::open(Purpose::Config, &home.config()).unwrap();
    fs::write(folder.path().join("policy.json"), text).unwrap();
}

fn policy(home: &Home) -> String {
    fs::read_to_string(home.config().join("policy.json")).unwrap()
}

/// The rules that the file holds, in its order.
pub fn rules_of(home: &Home) -> Vec<String> {
    let Ok(text) = fs::read_to_string(home.config().join("policy.json")) else {
        return Vec::new();
    };
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rules = file["rules"].as_array().unwrap();
    rules
        .iter()
        .map(|rule| {
            let of = |key: &str| rule[key].as_str().unwrap().to_owned();
            format!("{} {}", of("action"), of("pattern"))
        })
        .collect()
}

/// Types at the question whether `@memory save --text a` is to be denied.
fn at_a_terminal(home: &Home, typed: &str) -> (i32, String) {
    let inside = home.command(&[]);
    let program = inside.get_program().to_string_lossy().into_owned();
    let mut terminal = Command::new("script");
    for (key, value) in inside.get_envs() {
        terminal.env(key, value.unwrap());
    }
    let mut running = terminal
        .args([
            "-qec",
            &format!("'{program}' rules deny '@memory save --text a'"),
            "/dev/null",
        ])
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut keys = running.stdin.take().unwrap();
    keys.write_all(typed.as_bytes()).unwrap();
    let output = running.wait_with_output().unwrap();
    drop(keys);
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap(),
    )
}
