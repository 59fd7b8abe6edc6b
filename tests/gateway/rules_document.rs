//! Is docs/rules.md true? Every command in it is run, and says what stands there.

use std::fs;
use std::path::Path;

use gateway::folder::{Folder, Purpose};

use crate::keeper::Home;

/// What the document calls the configuration folder.
const SHOWN: &str = "~/.config/postern";

/// A block of an example.
enum Block {
    /// A file to save under this name.
    File(String, String),
    /// Commands and what they say.
    Session(Vec<(String, String)>),
}

#[test]
fn each_of_the_ten_worked_examples_says_what_stands_there() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules.md");
    let text = fs::read_to_string(path).unwrap();
    let mut numbers = Vec::new();
    let mut wrong = String::new();
    for section in text.split("\n### ").skip(1) {
        let (title, body) = section.split_once('\n').unwrap();
        let (number, _) = title.split_once(". ").unwrap();
        numbers.push(number.parse::<usize>().unwrap());
        let body = body.split("\n## ").next().unwrap();
        wrong.push_str(&play(title, &blocks(body)));
    }
    assert_eq!(numbers, Vec::from_iter(1..=10));
    assert!(wrong.is_empty(), "{wrong}");
}

/// Plays an example through in folders of its own; what is not as it is written.
fn play(title: &str, blocks: &[Block]) -> String {
    let home = Home::new();
    Folder::open(Purpose::Config, &home.config()).unwrap();
    let mut wrong = String::new();
    let mut commands = 0;
    for block in blocks {
        match block {
            Block::File(name, text) if name == "policy.json" => {
                fs::write(home.config().join(name), text).unwrap();
            }
            Block::File(name, text) => fs::write(home.path().join(name), text).unwrap(),
            Block::Session(steps) => {
                for (command, expected) in steps {
                    commands += 1;
                    let said = run(&home, command);
                    if said != *expected {
                        wrong.push_str(&format!("{title}\n$ {command}\n{said}\n"));
                    }
                }
            }
        }
    }
    assert!(commands > 0, "{title} runs nothing");
    wrong
}

fn run(home: &Home, command: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_postern"));
    let inside = home.command(&[]);
    let mut shell = std::process::Command::new("sh");
    for (key, value) in inside.get_envs() {
        shell.env(key, value.unwrap());
    }
    let path = std::env::var("PATH").unwrap();
    let said = shell
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(home.path())
        .env(
            "PATH",
            format!("{}:{path}", program.parent().unwrap().display()),
        )
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    String::from_utf8(said.stdout)
        .unwrap()
        .replace(&home.config().display().to_string(), SHOWN)
}

fn blocks(body: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut fences = body.split("```").skip(1);
    while let (Some(inside), _) = (fences.next(), fences.next()) {
        let (info, text) = inside.split_once('\n').unwrap();
        match info.split_once(' ') {
            Some(("json", name)) => blocks.push(Block::File(name.to_owned(), text.to_owned())),
            None if info == "console" => blocks.push(Block::Session(steps(text))),
            Some(_) | None => panic!("a block that is not run: {info}"),
        }
    }
    blocks
}

fn steps(text: &str) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => steps.push((command.to_owned(), String::new())),
            None => {
                let (_, said) = steps.last_mut().unwrap();
                said.push_str(line);
                said.push('\n');
            }
        }
    }
    steps
}
