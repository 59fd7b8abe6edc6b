//! What a command in a Code conversation cannot leave behind for whoever comes after it.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use fakes::model::Turn;
use serde_json::json;

use super::coding::{at_work, call, open};
use super::tmux::Tmux;

#[tokio::test]
async fn a_command_plants_nothing_that_git_runs_later_nor_what_runs_as_its_owner() {
    let (house, _chat, model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    let config = work.read(".git/config");
    let sysctl = std::fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap();
    let ran = work.0.join("ran");
    work.write(
        "plant",
        &format!(
            "git config core.fsmonitor 'touch {ran}; false' || echo held 1
echo 'x' >> .git/config || echo held 2
mv .git/config .git/other || echo held 3
mv .git aside || echo held 4
echo 'touch {ran}' > .git/hooks/post-commit || echo held 5
echo x > .git/config.worktree || echo held 6
echo x > .git/modules/x || echo held 7
printf '%s' \"$(cat /proc/sys/kernel/core_pattern)\" > /proc/sys/kernel/core_pattern || echo held 8
test -e /proc/sysrq-trigger && printf '' > /proc/sysrq-trigger || echo held 9
rm -rf shut && mkdir -p shut/in && cp /bin/true shut/in/tool
chmod 6755 shut/in/tool && chmod 0 shut
git add sum && git -c user.name=A -c user.email=a@example.org commit -q --allow-empty -m More && git branch other && echo went on
git init -q evil
git -C evil config core.fsmonitor 'touch {ran}; false'
echo ../evil/.git > .git/commondir
",
            ran = ran.display()
        ),
    );
    model.will(call("exec", json!({"cmd": "sh plant"})));
    model.will(Turn::say("Planted."));
    terminal.line("go");
    terminal.sees("$ sh plant").await;
    terminal.answers("y").await;
    terminal.sees("│ Planted.").await;
    let told = model.asked().pop().unwrap().body.to_string();
    assert!(!work.0.join(".git/commondir").exists(), "{told}");
    // What the owner asks outside the cage.
    work.git(&["status", "--short"]);
    assert!(!ran.exists(), "{told}");
    assert_eq!(work.read(".git/config"), config, "{told}");
    let now = std::fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap();
    assert_eq!(now, sysctl);
    for number in 1..=9 {
        assert!(told.contains(&format!("held {number}")), "{number}: {told}");
    }
    let tool = work.0.join("shut/in/tool");
    let mode = tool.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o755, "{told}");
    // Its own work goes on.
    assert!(told.contains("went on"), "{told}");
    assert_eq!(
        said(&work.0, &["log", "-1", "--format=%s", "other"]),
        "More\n"
    );
}

#[tokio::test]
async fn a_planted_repository_and_a_folder_of_tools_run_nothing_unasked() {
    let (house, _chat, model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    let ran = work.0.join("ran");
    for folder in ["notes/objects", "notes/refs"] {
        std::fs::create_dir_all(work.0.join(folder)).unwrap();
    }
    work.write("notes/HEAD", "ref: refs/heads/main\n");
    let monitor = format!("\"touch {}; false\"", ran.display());
    let config = format!("[core]\nworktree = .\nbare = false\nfsmonitor = {monitor}\n");
    work.write("notes/config", &config);
    for (cmd, dir) in [
        ("git -C notes status", ""),
        ("git status", "notes"),
        ("cargo --version", ""),
    ] {
        model.will(call("exec", json!({"cmd": cmd, "dir": dir})));
        model.will(Turn::say(&format!("Done with {cmd}{dir}.")));
        terminal.line("go");
        terminal.sees(&format!("$ {cmd}")).await;
        // Allowed, a planted repository runs nothing all the same.
        terminal.answers("y").await;
        terminal.sees(&format!("│ Done with {cmd}{dir}.")).await;
        assert!(!ran.exists(), "{cmd}");
    }
    let told = model.asked().pop().unwrap().body.to_string();
    assert!(told.contains("cannot use bare repository"), "{told}");
    // Asked in the folder itself it needs no card.
    model.will(call("exec", json!({"cmd": "git status"})));
    model.will(Turn::say("Nothing new."));
    terminal.line("go");
    terminal.sees("│ Nothing new.").await;
}

#[tokio::test]
async fn a_linked_working_tree_and_a_linked_repository_are_not_led_elsewhere() {
    let (house, _chat, model, work, _) = at_work().await;
    let other = tempfile::tempdir_in("/var/tmp").unwrap();
    let tree = other.path().join("tree");
    work.git(&["worktree", "add", "-q", tree.to_str().unwrap()]);
    let linked = other.path().join("linked");
    std::fs::create_dir(&linked).unwrap();
    std::os::unix::fs::symlink(work.0.join(".git"), linked.join(".git")).unwrap();
    let apart = other.path().join("apart");
    std::fs::create_dir(&apart).unwrap();
    said(&apart, &["init", "-q", "--separate-git-dir", "kept"]);
    let plant = "mkdir -p evil; echo evil > .git || echo held 1
mv .git aside || echo held 2
rm .git || echo held 3
git config core.fsmonitor evil || echo held 4
";
    let config = work.read(".git/config");
    for at in [tree, linked, apart] {
        std::fs::write(at.join("plant"), plant).unwrap();
        let before = at.join(".git").symlink_metadata().unwrap().ino();
        let terminal = Tmux::open();
        open(&terminal, &house, &at).await;
        model.will(call("exec", json!({"cmd": "sh plant"})));
        let done = format!("Done {}.", at.file_name().unwrap().display());
        model.will(Turn::say(&done));
        terminal.line("go");
        terminal.sees("$ sh plant").await;
        terminal.answers("y").await;
        terminal.sees(&format!("│ {done}")).await;
        let told = model.asked().pop().unwrap().body.to_string();
        for number in 1..=4 {
            assert!(told.contains(&format!("held {number}")), "{number}: {told}");
        }
        let after = at.join(".git").symlink_metadata().unwrap().ino();
        assert_eq!(before, after, "{told}");
    }
    assert_eq!(work.read(".git/config"), config);
}

fn said(at: &Path, arguments: &[&str]) -> String {
    let ran = Command::new("git").args(arguments).current_dir(at).output();
    String::from_utf8(ran.unwrap().stdout).unwrap()
}
