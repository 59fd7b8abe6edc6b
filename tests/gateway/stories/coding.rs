//! A Code conversation: at the terminal, from the phone, and through a crash.

use std::path::{Path, PathBuf};
use std::process::Command;

use fakes::model::{Fake, Form, Turn};
use serde_json::{Value, json};

use super::chat::{Chat, Door, fresh};
use super::house::House;
use super::mind::with_model;
use super::tmux::Tmux;

/// A repository with a test that fails, and nothing in it by chance.
pub struct Repository(pub PathBuf);

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Repository {
    pub fn new() -> Self {
        let at = std::env::temp_dir().join(format!("work-{}-{}", std::process::id(), fresh()));
        std::fs::create_dir(&at).unwrap();
        let this = Self(at);
        this.write("sum", "#!/bin/sh\necho $(($1 - $2))\n");
        this.write(
            "Makefile",
            "check:\n\t@sh sum 2 2 | grep -qx 4 && echo all green\n",
        );
        this.git(&["init", "-q", "-b", "main"]);
        this.git(&["add", "."]);
        let who = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org"];
        this.git(&[&who[..], &["commit", "-q", "-m", "A sum"]].concat());
        this
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    pub fn git(&self, arguments: &[&str]) {
        let done = Command::new("git")
            .args(arguments)
            .current_dir(&self.0)
            .status();
        assert!(done.unwrap().success());
    }
}

pub fn call(function: &str, arguments: Value) -> Turn {
    Turn::call(&format!("coder__{function}"), arguments)
}

/// A house with a model and an owner on Telegram, a repository, and a terminal in it.
pub async fn at_work() -> (House, Chat, Fake, Repository, Tmux) {
    at_work_by(Door::Telegram).await
}

/// The same, with the owner's chat behind this door.
pub async fn at_work_by(door: Door) -> (House, Chat, Fake, Repository, Tmux) {
    let (house, chat, model) = with_model(door, Form::OpenAi, "").await;
    (house, chat, model, Repository::new(), Tmux::open())
}

/// Opens a Code conversation in a folder that is the owner's.
pub async fn open(terminal: &Tmux, house: &House, at: &Path) -> String {
    terminal.command(house, at, "code");
    terminal.sees("Is what is in this folder yours?").await;
    terminal.answers("y").await;
    let shown = terminal.sees("To go on from your phone").await;
    let (_, code) = shown.split_once("send there: /link ").unwrap();
    code.split_whitespace().next().unwrap().to_owned()
}

mod begun_at_the_terminal_fixed_from_the_phone_and_nothing_lost_by_a_crash {
    use super::{Door, fixed_from_the_phone};

    #[tokio::test]
    async fn on_telegram() {
        fixed_from_the_phone(Door::Telegram).await;
    }

    #[tokio::test]
    async fn on_discord() {
        fixed_from_the_phone(Door::Discord).await;
    }

    #[tokio::test]
    async fn on_slack() {
        fixed_from_the_phone(Door::Slack).await;
    }

    #[tokio::test]
    async fn in_the_web_chat() {
        fixed_from_the_phone(Door::Web).await;
    }
}

async fn fixed_from_the_phone(door: Door) {
    let (mut house, chat, model, work, terminal) = at_work_by(door).await;
    let line = if door == Door::Telegram {
        "phone"
    } else if door == Door::Web {
        "web"
    } else {
        "other"
    };
    let code = open(&terminal, &house, &work.0).await;

    // At the terminal: the failing test, after its card.
    model.will(call("test", json!({"cmd": "make check"})));
    model.will(Turn::say("The test fails: sum subtracts."));
    terminal.line("run the tests");
    let asked = terminal.sees("Action: Run the tests (@coder test)").await;
    assert!(asked.contains("$ make check"), "{asked}");
    assert!(!asked.contains("[a] always"), "{asked}");
    terminal.answers("y").await;
    terminal.sees("│ The test fails: sum subtracts.").await;

    // On the phone: the same conversation.
    chat.say(&format!("/link {code}")).await;
    let linked = chat
        .told("Linked: what you write here goes to the Code conversation")
        .await;
    assert!(
        linked.text.contains("Last there: The test fails"),
        "{linked:?}"
    );
    terminal
        .sees(&format!("Linked to {line}: it goes on there too."))
        .await;
    let status = house.cli(&["status"]).await;
    let open = format!("in {} (open, linked to {line})", work.0.display());
    assert!(status.out.contains(&open), "{status:?}");
    model.will(call(
        "patch",
        json!({"file": "sum", "old": "$1 - $2", "new": "$1 + $2"}),
    ));
    chat.say("fix it").await;
    terminal.sees(&format!("From {line}: fix it")).await;
    let card = chat.card().await;
    assert!(card.text.contains("$1 + $2"), "{card:?}");
    let folder = work.0.file_name().unwrap().to_string_lossy();
    assert!(card.text.contains(&*folder), "{card:?}");
    terminal.sees("Action: Change a file (@coder patch)").await;

    // A crash in the middle of the card.
    house.all_sent().await;
    house.kill_and_start().await;
    terminal.sees("Postern is back.").await;
    assert_eq!(work.read("sum"), "#!/bin/sh\necho $(($1 - $2))\n");
    model.will(call("test", json!({"cmd": "make check"})));
    model.will(Turn::say("All green now."));
    chat.press(&card, "Allow once").await;
    let shown = chat.told("patched sum").await;
    let shown = match shown.text.contains("echo") {
        true => shown,
        false => chat.told("+echo").await,
    };
    assert!(shown.text.contains("$1 + $2"), "{shown:?}");
    terminal.sees("@coder patch: Allowed once by owner").await;
    let again = chat.next_card(&card).await;
    chat.press(&again, "Allow once").await;
    chat.told("done: make check\nall green").await;
    chat.told("All green now.").await;
    terminal.sees("│ All green now.").await;
    assert_eq!(work.read("sum"), "#!/bin/sh\necho $(($1 + $2))\n");

    // The terminal closes and comes back, and everything stands there.
    terminal.line("/quit");
    terminal.sees("ended-0").await;
    model.will(Turn::say("Nothing is left to do."));
    chat.say("anything else?").await;
    chat.told("Nothing is left to do.").await;
    let list = house.cli(&["code", "--list"]).await;
    assert!(
        list.out.contains(&format!("(linked to {line})")),
        "{list:?}"
    );
    terminal.command(&house, &work.0, "code --resume");
    terminal.sees_times("│ All green now.", 2).await;
    terminal.sees("│ Nothing is left to do.").await;
    // What stood there before the crash was not shown again after it.
    let typed = terminal.shown().matches("run the tests").count();
    assert_eq!(typed, 2, "{}", terminal.shown());

    // Let go, the chat is its own again.
    chat.say("/unlink").await;
    chat.told("Unlinked").await;
    terminal.sees(&format!("Unlinked from {line}")).await;
    model.will(Turn::say("Hello from the chat."));
    chat.say("hello").await;
    chat.told("Hello from the chat.").await;
    assert!(!terminal.shown().contains("Hello from the chat."));
    super::mind::all_taken(&model);
}

#[tokio::test]
async fn a_card_at_the_terminal_takes_only_answers_that_came_after_it() {
    let (house, _chat, model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    model.will(call(
        "write",
        json!({"file": "notes.txt", "content": "one\ntwo\n"}),
    ));
    terminal.line("note it");
    let shown = terminal
        .sees("[d] always block (@coder write --file \"notes.txt\")")
        .await;
    assert!(
        shown.contains("[a] always (@coder write --file \"notes.txt\")"),
        "{shown}"
    );
    assert!(
        shown.contains("Rule:   no rule allows this without asking"),
        "{shown}"
    );
    // Words are for the next turn, and Enter alone is no.
    terminal.answers("also update the changelog").await;
    terminal
        .sees("kept for the next turn: also update the changelog")
        .await;
    assert!(!work.0.join("notes.txt").exists());
    model.will(Turn::say("As you wish."));
    model.will(Turn::say("The changelog is up to date."));
    terminal.key("Enter");
    terminal.sees("Denied by owner").await;
    terminal.sees("│ The changelog is up to date.").await;
    assert!(!work.0.join("notes.txt").exists());
    let asked = model.asked().pop().unwrap().body.to_string();
    assert!(asked.contains("also update the changelog"), "{asked}");
    // For always, a rule is saved.
    model.will(call(
        "write",
        json!({"file": "notes.txt", "content": "one\n"}),
    ));
    model.will(Turn::say("Written."));
    terminal.line("note it after all");
    terminal.sees_times("Action: Write a file", 2).await;
    terminal.answers("a").await;
    terminal.sees("│ Written.").await;
    assert_eq!(work.read("notes.txt"), "one\n");
    assert!(house.policy_soon().await.contains("@coder write"));
}

#[tokio::test]
async fn a_script_is_answered_and_nothing_that_asks_runs() {
    let (house, _chat, model, work, _terminal) = at_work().await;
    model.will(call("exec", json!({"cmd": "touch made"})));
    model.will(Turn::say("It needs your approval, so I left it."));
    let folder = work.0.display().to_string();
    let said = house.cli(&["code", &folder, "-p", "make a file"]).await;
    assert_eq!(
        (said.code, &*said.out, &*said.err),
        (
            3,
            "It needs your approval, so I left it.\n",
            "postern: 1 call did not run for want of an approval\n"
        ),
        "{said:?}"
    );
    // It stands in no list, and nobody takes it up by chance.
    let list = house.cli(&["code", "--list"]).await;
    assert!(
        list.out.contains("No Code conversation goes on"),
        "{list:?}"
    );
    model.will(Turn::say("Hello."));
    let said = house.cli(&["code", &folder, "-p", "hello"]).await;
    assert_eq!((said.code, &*said.out), (0, "Hello.\n"), "{said:?}");
    let said = house.cli(&["code", &folder, "--resume"]).await;
    assert!(
        said.err.contains("there is no such Code conversation"),
        "{said:?}"
    );
    assert!(!work.0.join("made").exists());
    let told = model.asked();
    let told = told[1].body.to_string();
    assert!(told.contains("it needs an approval"), "{told}");
    assert!(told.contains("there is no way to ask here"), "{told}");
}

#[tokio::test]
async fn a_command_sees_neither_postern_nor_its_secrets() {
    let (house, _chat, model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    let line = format!(
        "ls {} {} ; env ; cat /proc/net/dev | wc -l",
        house.home.data().display(),
        house.home.config().display()
    );
    model.will(call("exec", json!({"cmd": line})));
    model.will(Turn::say("Looked."));
    terminal.line("look around");
    terminal.sees("Action: Run a command").await;
    terminal.answers("y").await;
    terminal.sees("│ Looked.").await;
    let told = model.asked().pop().unwrap().body.to_string();
    assert!(told.contains("PATH="), "{told}");
    for hidden in ["postern.db", "postern.toml", "API_KEY", "POSTERN_DATA="] {
        assert!(!told.contains(hidden), "{hidden}: {told}");
    }
}

#[tokio::test]
async fn git_runs_nothing_that_the_repository_brings_along() {
    let (house, _chat, model, work, _terminal) = at_work().await;
    let trap = |name: &str| format!("sh -c 'touch {}/{name}'", work.0.display());
    work.git(&["config", "core.fsmonitor", &trap("fsmonitor")]);
    work.git(&["config", "diff.external", &trap("external")]);
    work.git(&["config", "filter.a=b.clean", &trap("clean")]);
    work.git(&["config", "diff.trap.textconv", &trap("textconv")]);
    work.git(&["config", "core.pager", &trap("pager")]);
    work.write(".gitattributes", "sum filter=a=b diff=trap\n");
    work.write("sum", "#!/bin/sh\necho 4\n");
    for name in ["fsmonitor", "external", "clean", "textconv", "pager"] {
        let _ = std::fs::remove_file(work.0.join(name));
    }
    for command in [
        "git-status",
        "git-diff",
        "git-log",
        "git-changed",
        "git-branch",
    ] {
        model.will(call(command, json!({})));
    }
    model.will(Turn::say("Looked."));
    let folder = work.0.display().to_string();
    let said = house.cli(&["code", &folder, "-p", "what changed?"]).await;
    assert_eq!(said.out, "Looked.\n", "{said:?}");
    let told = model.asked().pop().unwrap().body.to_string();
    for seen in ["+echo 4", "A sum", "M\\tsum", "main"] {
        assert!(told.contains(seen), "{seen}: {told}");
    }
    for name in ["fsmonitor", "external", "clean", "textconv", "pager"] {
        assert!(!work.0.join(name).exists(), "{name} ran");
    }
}

#[tokio::test]
async fn what_is_read_in_a_folder_that_is_not_yours_is_outside_and_what_follows_asks() {
    let (house, _chat, model, work, terminal) = at_work().await;
    terminal.command(&house, &work.0, "code");
    terminal.sees("Is what is in this folder yours?").await;
    terminal.answers("n").await;
    terminal.sees("To go on from your phone").await;
    model.will(call("read", json!({"file": "sum"})));
    model.will(call("write", json!({"file": "copy", "content": "x\n"})));
    model.will(Turn::say("Copied."));
    terminal.line("copy it");
    let shown = terminal.sees("Action: Write a file").await;
    assert!(
        shown.contains("outside content was read (the folder "),
        "{shown}"
    );
    assert!(!shown.contains("[a] always"), "{shown}");
    terminal.answers("y").await;
    terminal.sees("│ Copied.").await;
    // What was written while marked stays marked, until the owner says otherwise.
    let copy = work.0.join("copy").display().to_string();
    let trusted = house.cli(&["code", "trust", &copy]).await;
    assert_eq!(
        trusted.out,
        format!("The marks of one file are cleared: {copy}\n")
    );
    let again = house.cli(&["code", "trust", &copy]).await;
    assert_eq!(again.out, format!("Nothing in {copy} was marked.\n"));
}

#[tokio::test]
async fn nothing_in_an_answer_looks_like_a_question_of_ours() {
    let (house, _chat, model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    model.will(Turn::say(
        "Fine.\n\n╔═ Postern asks ═════\n║ Action: Write a file\n\u{1b}[2K\u{202e}[y] yes",
    ));
    terminal.line("hello");
    let shown = terminal.sees("[y] yes").await;
    for line in shown
        .lines()
        .filter(|line| line.contains("Postern asks") || line.contains("[y]"))
    {
        assert!(line.starts_with("  │ "), "{line:?}");
    }
    assert!(shown.contains("\\u{1b}[2K\\u{202e}[y] yes"), "{shown}");
}

#[tokio::test]
async fn a_link_code_works_once_for_the_owner_alone_and_never_after_a_group_saw_it() {
    let (house, chat, _model, work, terminal) = at_work().await;
    let code = open(&terminal, &house, &work.0).await;
    let guest = house.new_code(Some("Ana")).await;
    let ana = house.enter(Door::Telegram, 7100, &guest).await;
    ana.say(&format!("/link {code}")).await;
    ana.told("/link is not something I do here").await;
    chat.say("/link 22222222").await;
    chat.told("I do not know that code").await;
    chat.say(&format!("/link {code}")).await;
    chat.told("Linked:").await;
    chat.say("/unlink").await;
    chat.told("Unlinked").await;
    chat.say(&format!("/link {code}")).await;
    chat.told_times("I do not know that code", 2).await;
    // A list, and its buttons.
    chat.say("/link").await;
    let list = chat.told("Which Code conversation shall go on here?").await;
    let name = work.0.file_name().unwrap().to_string_lossy().into_owned();
    assert!(list.text.contains(&name), "{list:?}");
    let label = list
        .labels()
        .first()
        .map(|label| (*label).to_owned())
        .unwrap();
    chat.press(&list, &label).await;
    chat.told_times("Linked:", 2).await;
    chat.say("/unlink").await;
    chat.told_times("Unlinked", 2).await;
    // What a group saw is void.
    terminal.line("/link");
    let shown = terminal.sees_times("send there: /link ", 2).await;
    let (_, second) = shown.rsplit_once("send there: /link ").unwrap();
    let second = second.split_whitespace().next().unwrap().to_owned();
    let group = house.fake().group(-100_500, "Family");
    let anna = house.fake().person(7200, "Anna");
    house.fake().say(anna, group, &format!("look: {second}"));
    house.all_heard().await;
    chat.say(&format!("/link {second}")).await;
    chat.told_times("I do not know that code", 3).await;
}
