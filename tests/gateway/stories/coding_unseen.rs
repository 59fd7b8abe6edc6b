//! What surrounds a Code conversation: a terminal that is gone, one without colours, text that wants to
//! look like ours, a machine without a cage.

use std::time::{Duration, Instant};

use fakes::model::{Fake, Form, KEY, Turn};
use serde_json::json;

use super::chat::Door;
use super::coding::{Repository, at_work, call, open};
use super::house::{House, OWNER};
use super::mind::settings;
use super::tmux::Tmux;

#[tokio::test]
async fn a_card_ends_with_the_terminal_that_it_stood_at_alone() {
    let (house, _chat, model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    model.will(call("write", json!({"file": "made", "content": "x\n"})));
    model.will(Turn::say("Nobody answered."));
    terminal.line("make it");
    terminal.sees("Action: Write a file").await;
    terminal.close();
    // A terminal that was only cut off comes back within a while, so nothing ends at once.
    let expired = "SELECT count(*) FROM question WHERE state = '\"Expired\"'";
    let end = Instant::now() + Duration::from_secs(90);
    while house.count(expired) == 0 {
        assert!(Instant::now() < end, "{}", house.errors());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let again = Tmux::open();
    again.command(&house, &work.0, "code --resume");
    let shown = again.sees("│ Nobody answered.").await;
    assert!(
        shown.contains("@coder write: The terminal was closed, so it did not run"),
        "{shown}"
    );
    let asked = model.asked().pop().unwrap().body.to_string();
    assert!(
        asked.contains("the terminal was closed before anybody answered; it was not refused"),
        "{asked}"
    );
    assert!(!work.0.join("made").exists());
}

#[tokio::test]
async fn a_terminal_is_coloured_unless_it_asks_for_none() {
    let (house, _chat, model, work, _) = at_work().await;
    for (variables, coloured) in [("", true), ("NO_COLOR=1", false)] {
        let terminal = Tmux::open();
        terminal.command_with(&house, &work.0, variables, "code");
        if coloured {
            terminal.sees("Is what is in this folder yours?").await;
            terminal.answers("y").await;
        }
        terminal.sees("To go on from your phone").await;
        model.will(call("write", json!({"file": "made", "content": "one\n"})));
        model.will(Turn::say("Written."));
        terminal.line("make it");
        terminal.sees("Action: Write a file").await;
        terminal.answers("y").await;
        terminal.sees("│ Written.").await;
        let painted = terminal.painted();
        assert_eq!(painted.contains('\u{1b}'), coloured, "{painted:?}");
        if coloured {
            assert!(painted.contains("\u{1b}[32m"), "{painted:?}");
        }
        std::fs::remove_file(work.0.join("made")).unwrap();
    }
}

#[tokio::test]
async fn a_hostile_difference_stays_behind_the_bar() {
    let (house, _chat, model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    let fake = "╔═ Postern asks ═════\n║ Action: Nothing at all\n║ Answer: [y] yes, once\n╚═ > ";
    let long = "w".repeat(5000);
    let text =
        format!("\u{1b}[2J\u{1b}[31mred\r\u{9b}1A\n{fake}\n\u{202e}desrever\u{2066}\n{long}\n");
    work.write("evil", &text);
    model.will(call("write", json!({"file": "copy", "content": text})));
    model.will(call("exec", json!({"cmd": "cat evil"})));
    model.will(Turn::say("Copied."));
    terminal.line("copy it");
    terminal.sees("Action: Write a file").await;
    terminal.answers("y").await;
    // What only reads runs without a card.
    let shown = terminal.sees("│ Copied.").await;
    let mut fakes = 0;
    for line in shown.lines() {
        if line.contains("Nothing at all") || line.contains("desrever") || line.contains("wwwwwww")
        {
            fakes += 1;
            let ours = line.starts_with("  │ ") || line.starts_with("║ ");
            assert!(ours, "{line:?}");
        }
        assert!(
            !line.contains('\u{202e}') && !line.contains('\u{2066}'),
            "{line:?}"
        );
    }
    assert!(fakes >= 6, "{shown}");
    // The card's own box holds it behind its bar, and no line of it begins where ours do.
    let tops = shown
        .lines()
        .filter(|line| line.starts_with("╔═ Postern asks"));
    assert_eq!(tops.count(), 1, "{shown}");
    let painted = terminal.painted();
    assert!(!painted.contains("\u{1b}[31mred"), "{painted:?}");
}

#[tokio::test]
async fn without_bubblewrap_no_command_is_offered_until_the_owner_accepts_it_by_hand() {
    let model = Fake::start().await;
    let mut house = House::build().await;
    house.home.write_key(KEY);
    let tools = house.home.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    for name in ["git", "sh", "touch"] {
        let found = ["/usr/bin", "/bin"].map(|at| std::path::Path::new(at).join(name));
        let found = found.into_iter().find(|path| path.exists()).unwrap();
        std::os::unix::fs::symlink(found, tools.join(name)).unwrap();
    }
    house.with_variable("PATH", tools.to_str().unwrap());
    let more = settings(&house, &model, Form::OpenAi, "");
    house.home.add_settings(&more);
    house.start().await;
    let chat = house.enter(Door::Telegram, OWNER, &house.code()).await;
    chat.told("You are paired").await;
    let (work, terminal) = (Repository::new(), Tmux::open());

    terminal.command(&house, &work.0, "code");
    terminal.sees("Is what is in this folder yours?").await;
    terminal.answers("y").await;
    let shown = terminal.sees("type \"accept\"").await;
    assert!(
        shown.contains("Commands cannot be kept in here (bwrap (bubblewrap) cannot be started"),
        "{shown}"
    );
    assert!(shown.contains("Install bubblewrap"), "{shown}");
    terminal.answers("yes").await;
    terminal.sees("To go on from your phone").await;
    model.will(call("exec", json!({"cmd": "touch made"})));
    model.will(Turn::say("It is not offered."));
    terminal.line("make it");
    terminal.sees("│ It is not offered.").await;
    let asked = model.asked().remove(0);
    let offered = asked.body["tools"].to_string();
    assert!(offered.contains("coder__read"), "{offered}");
    assert!(
        !offered.contains("coder__exec") && !offered.contains("coder__test"),
        "{offered}"
    );
    assert!(!work.0.join("made").exists());
    terminal.line("/quit");
    terminal.sees("ended-0").await;

    // Accepted by hand, each still has its card.
    terminal.command(&house, &work.0, "code");
    terminal.sees_times("type \"accept\"", 2).await;
    terminal.answers("accept").await;
    terminal.sees_times("To go on from your phone", 2).await;
    model.will(call("exec", json!({"cmd": "touch made"})));
    model.will(Turn::say("Made."));
    terminal.line("make it");
    terminal.sees("$ touch made").await;
    assert!(!work.0.join("made").exists());
    terminal.answers("y").await;
    terminal.sees("│ Made.").await;
    assert!(work.0.join("made").exists());
}
