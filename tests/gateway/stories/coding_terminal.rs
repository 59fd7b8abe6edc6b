//! What a person types at the terminal of a Code conversation, and what they see.

use fakes::model::Turn;
use serde_json::json;

use super::coding::{at_work, call, open};
use super::house::{House, soon};
use super::tmux::Tmux;

fn rule(house: &House, rules: &serde_json::Value) {
    let file = house.home.config().join("policy.json");
    std::fs::write(file, rules.to_string()).unwrap();
}

#[tokio::test]
async fn a_box_shows_every_reason_and_a_rule_only_where_one_spoke() {
    let (house, _chat, model, work, terminal) = at_work().await;
    let ours = work.0.join("rules");
    std::fs::create_dir(&ours).unwrap();
    terminal.command(&house, &ours, "code");
    terminal.sees("Is what is in this folder yours?").await;
    terminal.answers("n").await;
    terminal.sees("To go on from your phone").await;
    model.will(call("tree", json!({})));
    model.will(call(
        "write",
        json!({"file": ".ssh/config", "content": "x\n"}),
    ));
    model.will(Turn::say("Left."));
    terminal.line("write it");
    let shown = terminal.sees("Answer: [y] yes, once").await;
    for why in [
        "Why:    outside content was read (the folder ",
        "Why:    it names SSH keys, which asks every time",
    ] {
        assert!(shown.contains(why), "{why}: {shown}");
    }
    assert!(!shown.contains("Rule:"), "{shown}");
    terminal.answers("n").await;
    terminal.sees("│ Left.").await;
    terminal.line("/quit");
    terminal.sees("ended-0").await;
    // Where one asks, it is named.
    rule(
        &house,
        &json!({"rules": [{"pattern": "@coder write", "action": "ask"}]}),
    );
    let terminal = Tmux::open();
    open(&terminal, &house, &work.0).await;
    model.will(call("write", json!({"file": "a.txt", "content": "x\n"})));
    model.will(Turn::say("Left, too."));
    terminal.line("write a.txt");
    terminal
        .sees("Rule:   the rule \"@coder write\" asks")
        .await;
    terminal.answers("n").await;
    terminal.sees("│ Left, too.").await;
}

#[tokio::test]
async fn what_becomes_of_an_answered_card_is_told_after_a_crash() {
    let (mut house, _chat, model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    model.will(call("exec", json!({"cmd": "sleep 60"})));
    model.will(Turn::say("Nobody knows."));
    terminal.line("wait a minute");
    terminal.sees("$ sleep 60").await;
    terminal.answers("y").await;
    terminal.sees("▸ @coder exec --cmd \"sleep 60\"").await;
    house.kill_and_start().await;
    terminal.sees("Postern is back.").await;
    let shown = terminal.sees("│ Nobody knows.").await;
    assert!(
        shown.contains(
            "╚═ @coder exec: I was interrupted while this ran, so its outcome is unknown"
        ),
        "{shown}"
    );
    assert_eq!(
        shown.matches("@coder exec: Allowed once").count(),
        1,
        "{shown}"
    );
    assert_eq!(shown.matches("wait a minute").count(), 1, "{shown}");
}

#[tokio::test]
async fn commands_of_chats_are_refused_with_where_they_belong_and_help_names_none_of_them() {
    let (house, chat, model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    for (typed, told) in [
        (
            "/unpair",
            "/unpair belongs to a chat: send it in the chat that is to be let go",
        ),
        (
            "/unlink",
            "/unlink belongs to a chat: send it in the chat that is linked",
        ),
        (
            "/link 22222222",
            "/link belongs to a chat: a code is sent in your chat",
        ),
        (
            "/pair 22222222",
            "/pair belongs to a chat: codes are sent in the chat that they let in",
        ),
        (
            "/incognito",
            "/incognito belongs to a chat: a Code conversation is kept",
        ),
    ] {
        terminal.line(typed);
        terminal.sees(told).await;
    }
    terminal.line("/help");
    let shown = terminal.sees("/quit  leave").await;
    let help = shown.rsplit_once("› /help").unwrap().1;
    for name in ["/unpair", "/unlink", "/incognito", "/pair"] {
        assert!(!help.contains(name), "{name}: {help}");
    }
    assert!(help.contains("/policy") && help.contains("/link"), "{help}");
    // Everybody is still let in, at the terminal and in the chat.
    model.will(Turn::say("Still here."));
    terminal.line("are you there?");
    terminal.sees("│ Still here.").await;
    chat.say("/help").await;
    chat.told("/unpair").await;
}

#[tokio::test]
async fn a_policy_that_is_none_says_which_words_there_are() {
    let (house, chat, _model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    terminal.line("/policy of");
    terminal
        .sees("\"of\" is none of the words that /policy takes")
        .await;
    terminal.line("/policy off");
    terminal.sees("Policy: interactive.").await;
    chat.say("/policy on").await;
    chat.told("Policy: auto.").await;
    chat.say("/policy mode on please").await;
    let told = chat.told("is none of the words").await;
    assert!(told.text.contains("/policy interactive"), "{told:?}");
}

#[tokio::test]
async fn commands_typed_at_a_box_act_and_are_not_kept_as_words() {
    let (house, _chat, model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    let write = || call("write", json!({"file": "made", "content": "x\n"}));
    model.will(write());
    terminal.line("make it");
    terminal.sees("Action: Write a file").await;
    terminal.answers("/stop").await;
    terminal.sees("• Stopped.").await;
    model.will(write());
    terminal.line("make it now");
    terminal.sees_times("Action: Write a file", 2).await;
    terminal.answers("/quit").await;
    let shown = terminal.sees("ended-0").await;
    assert!(!shown.contains("kept for the next turn"), "{shown}");
    assert!(!work.0.join("made").exists());
    // What was asked waits where it was asked.
    terminal.command(&house, &work.0, "code --resume");
    terminal.sees_times("Action: Write a file", 3).await;
    model.will(Turn::say("Then not."));
    terminal.answers("n").await;
    terminal.sees("│ Then not.").await;
}

#[tokio::test]
async fn what_is_pasted_at_a_box_answers_nothing_and_is_kept_as_words() {
    let (house, _chat, model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    model.will(call("write", json!({"file": "made", "content": "x\n"})));
    model.will(Turn::say("Left it."));
    // Each of the words may change its course once more.
    model.will(Turn::say("Noted both."));
    model.will(Turn::say("Noted both."));
    model.will(Turn::say("Noted both."));
    terminal.line("make it");
    terminal.sees("Action: Write a file").await;
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    // As a paste comes, with the terminal's marks and without them.
    for marked in [true, false] {
        let text = format!(
            "first the tests {marked}\nShall I deploy {marked}?\ny\n\n/policy off\nthanks {marked}\n"
        );
        terminal.pastes(&text, marked);
        terminal
            .sees(&format!("kept for the next turn: thanks {marked}"))
            .await;
    }
    terminal.sees_times("kept for the next turn: y", 2).await;
    let shown = terminal
        .sees_times("so it does nothing: /policy off", 2)
        .await;
    assert!(!shown.contains("Denied by") && !shown.contains("Allowed once"));
    assert!(!work.0.join("made").exists());
    terminal.answers("n").await;
    terminal.sees("Denied by owner").await;
    terminal.sees("│ Noted both.").await;
    assert!(!work.0.join("made").exists());
    let told = || {
        let asked = model.asked().pop()?.body.to_string();
        let all = ["first the tests true", "thanks false"];
        all.iter().all(|words| asked.contains(words)).then_some(())
    };
    assert!(soon(told).await.is_some(), "not all words were told");
}

#[tokio::test]
async fn what_is_drawn_after_the_terminal_changed_its_width_keeps_its_bar() {
    let (house, _chat, model, work, terminal) = at_work().await;
    open(&terminal, &house, &work.0).await;
    terminal.resize(50);
    model.will(Turn::say(&"plum ".repeat(60)));
    model.will(Turn::say("That was all."));
    terminal.line("say it");
    terminal.sees_times("plum", 40).await;
    terminal.line("and?");
    let shown = terminal.sees("│ That was all.").await;
    for line in shown.lines().filter(|line| line.contains("plum")) {
        assert!(line.starts_with("  │ "), "{line:?}");
        assert!(line.chars().count() <= 50, "{line:?}");
    }
}
