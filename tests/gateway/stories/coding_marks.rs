//! Marks of what was written in a folder, wherever it is read again: from above and below, out of git's
//! own folder, and out of its history.

use std::path::Path;

use fakes::model::{Fake, Turn};
use serde_json::{Value, json};

use super::coding::{at_work, call, open};
use super::house::House;
use super::tmux::Tmux;

const MARKED: &str = r#"{"outside":{"Few":["a page"]},"private":"None","sensitive":[]}"#;
const UNMARKED: &str = r#"{"outside":"None","private":"None","sensitive":[]}"#;

/// Makes all conversations read outside content, or none.
fn conversations(house: &House, marks: &str) {
    let set = "UPDATE conversation SET taint = ?1, mark_shown = 1";
    assert!(house.database().execute(set, [marks]).unwrap() > 0);
}

/// Does one thing in a conversation that has read outside content.
async fn does(terminal: &Tmux, house: &House, model: &Fake, does: Turn, says: &str) {
    conversations(house, MARKED);
    model.will(does);
    model.will(Turn::say(says));
    terminal.line("go on");
    terminal.sees("Answer: [y] yes, once").await;
    terminal.answers("y").await;
    terminal.sees(&format!("│ {says}")).await;
}

/// Whether a call of a conversation that has read nothing marks it.
async fn is_outside(house: &House, model: &Fake, at: &Path, name: &str, with: Value) -> bool {
    conversations(house, UNMARKED);
    model.will(call(name, with.clone()));
    model.will(Turn::say("Looked."));
    let folder = at.display().to_string();
    let said = house.cli(&["code", &folder, "-p", "look"]).await;
    assert_eq!(said.out, "Looked.\n", "{name} {with}: {said:?}");
    house.count("SELECT count(*) FROM conversation WHERE taint LIKE '%\"outside\":{%'") > 0
}

/// Says of a folder that it is the owner's.
async fn yours(terminal: &Tmux, house: &House, at: &Path, times: usize) {
    terminal.command(house, at, "code");
    let asks = "Is what is in this folder yours?";
    terminal.sees_times(asks, times).await;
    terminal.answers("y").await;
    terminal.sees_times("To go on from your phone", times).await;
    terminal.line("/quit");
    terminal.sees_times("ended-0", times).await;
}

#[tokio::test]
async fn a_mark_holds_from_folders_above_and_below_it() {
    let (house, _chat, model, work, terminal) = at_work().await;
    let (sub, other) = (work.0.join("sub"), work.0.join("other"));
    let deep = sub.join("deep");
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::create_dir(&other).unwrap();
    work.write("sub/clean", "mine\n");
    yours(&terminal, &house, &work.0, 1).await;
    yours(&terminal, &house, &other, 2).await;
    open(&Tmux::open(), &house, &deep).await;
    let at = Tmux::open();
    open(&at, &house, &sub).await;
    let write = |file: &str| call("write", json!({"file": file, "content": "evil\n"}));
    does(&at, &house, &model, write("deep/evil"), "Written.").await;
    let look = |at, name, with| is_outside(&house, &model, at, name, with);
    // From the same folder, from above, from below; and what holds the same beside it.
    assert!(look(&sub, "read", json!({"file": "deep/evil"})).await);
    assert!(look(&work.0, "read", json!({"file": "sub/deep/evil"})).await);
    assert!(look(&deep, "read", json!({"file": "evil"})).await);
    assert!(look(&deep, "exec", json!({"cmd": "cat evil"})).await);
    std::fs::copy(deep.join("evil"), other.join("copy")).unwrap();
    assert!(look(&other, "read", json!({"file": "copy"})).await);
    assert!(!look(&work.0, "read", json!({"file": "sub/clean"})).await);
    // Written over from above, the file is clean for all.
    std::fs::write(deep.join("evil"), "mine\n").unwrap();
    let trusted = deep.display().to_string();
    house.cli(&["code", "trust", &trusted]).await;
    assert!(!look(&sub, "read", json!({"file": "deep/evil"})).await);
}

#[tokio::test]
async fn what_lies_in_gits_own_folder_is_outside() {
    let (house, _chat, model, work, terminal) = at_work().await;
    yours(&terminal, &house, &work.0, 1).await;
    std::fs::create_dir_all(work.0.join("sub/.git")).unwrap();
    work.write("sub/.git/x", "evil\n");
    std::os::unix::fs::symlink(".git", work.0.join("sub/link")).unwrap();
    let look = |name, with| is_outside(&house, &model, &work.0, name, with);
    assert!(look("read", json!({"file": "sub/.git/x"})).await);
    assert!(look("read", json!({"file": "sub/link/x"})).await);
    assert!(look("read", json!({"file": ".git/logs/HEAD"})).await);
    assert!(look("search", json!({"text": "evil", "folder": "sub/.git"})).await);
    assert!(look("tree", json!({"folder": "sub/.git"})).await);
    assert!(look("exec", json!({"cmd": "cat sub/.git/x"})).await);
    assert!(!look("read", json!({"file": "sum"})).await);
    assert!(!look("search", json!({"text": "echo"})).await);
    assert!(!look("tree", json!({})).await);
    assert!(!look("git-log", json!({})).await);
}

#[tokio::test]
async fn what_git_remembers_stays_marked_until_the_owner_trusts_it() {
    let (house, _chat, model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    let evil = json!({"file": "evil.md", "content": "evil\n"});
    does(&terminal, &house, &model, call("write", evil), "Written.").await;
    work.git(&["add", "."]);
    let who = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org"];
    work.git(&[&who[..], &["commit", "-q", "-m", "evil"]].concat());
    // Written over by a conversation that has read nothing, the file itself is clean.
    conversations(&house, UNMARKED);
    model.will(call(
        "write",
        json!({"file": "evil.md", "content": "mine\n"}),
    ));
    model.will(Turn::say("Cleaned."));
    terminal.line("clean it");
    terminal.sees_times("Answer: [y] yes, once", 2).await;
    terminal.answers("y").await;
    terminal.sees("│ Cleaned.").await;
    let look = |name, with| is_outside(&house, &model, &work.0, name, with);
    assert!(!look("read", json!({"file": "evil.md"})).await);
    assert!(!look("exec", json!({"cmd": "cat evil.md"})).await);
    assert!(!look("git-status", json!({})).await);
    for (name, with) in [
        ("git-diff", json!({})),
        ("git-log", json!({})),
        ("git-branch", json!({})),
        ("exec", json!({"cmd": "git show HEAD:evil.md"})),
        ("exec", json!({"cmd": "grep -r evil ."})),
    ] {
        assert!(look(name, with.clone()).await, "{name} {with}");
    }
    let folder = work.0.display().to_string();
    house.cli(&["code", "trust", &folder]).await;
    assert!(!look("git-diff", json!({})).await);
    assert!(!look("git-log", json!({})).await);
}

#[tokio::test]
async fn in_the_cage_git_knows_who_commits_and_nothing_else_of_the_owners_settings() {
    let (mut house, _chat, model, work, terminal) = at_work().await;
    let home = house.home.path().join("home");
    std::fs::create_dir_all(home.join(".config/git")).unwrap();
    std::fs::create_dir_all(home.join(".cabal")).unwrap();
    let settings = "[user]\n\tname = Ana Own\n\temail = ana@own.example\n[url \"https://a:hunter22@example.org\"]\n\tinsteadOf = x\n";
    std::fs::write(home.join(".gitconfig"), settings).unwrap();
    let password = "https://a:hunter22@example.org\n";
    std::fs::write(home.join(".config/git/credentials"), password).unwrap();
    std::fs::write(home.join(".cabal/config"), "password: hunter22\n").unwrap();
    std::fs::write(home.join(".cabal/other"), "seen\n").unwrap();
    house.with_variable("HOME", home.to_str().unwrap());
    house.kill_and_start().await;
    open(&terminal, &house, &work.0).await;
    work.write(
        "look",
        "cat ~/.gitconfig ~/.config/git/credentials ~/.cabal/config ~/.cabal/other | rev\ngit commit -q --allow-empty -m own\ngit log -1 --format='%an %ae'\n",
    );
    model.will(call("exec", json!({"cmd": "sh look"})));
    model.will(Turn::say("I looked."));
    terminal.line("look");
    terminal.sees("$ sh look").await;
    terminal.answers("y").await;
    terminal.sees("│ I looked.").await;
    let told = model.asked().pop().unwrap().body.to_string();
    assert!(!told.contains("22retnuh"), "{told}");
    assert!(told.contains("nees"), "{told}");
    assert!(told.contains("Ana Own ana@own.example"), "{told}");
}
