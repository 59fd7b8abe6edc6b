//! Which lines at a terminal answer a question?

use std::time::{Duration, Instant};

use bot_policy::surface::Came;
use gateway::cli::code::asked::{Asked, Follows, QUIET};
use serde_json::{Value, json};

fn card(labels: &[&str]) -> Value {
    let choices = labels
        .iter()
        .map(|label| json!({"label": label, "token": format!("token of {label}")}));
    json!({"choices": choices.collect::<Vec<_>>()})
}

fn press(label: &str) -> Follows {
    Follows::Press(format!("token of {label}"))
}

#[test]
fn each_recorded_answer_presses_what_it_should() {
    let now = Instant::now();
    let late = now + QUIET;
    let ruled = card(&["Allow once", "Always", "Deny", "Always block"]);
    let ruled = Asked::of("1", &ruled, now).unwrap();
    let exec = Asked::of("1", &card(&["Allow once", "Deny"]), now).unwrap();
    let mut answers = 0;
    for line in include_str!("../fixtures/policy/surfaces.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let (input, expected) = (
            row["input"].as_str().unwrap(),
            row["expected"].as_str().unwrap(),
        );
        if row["kind"] != "answer" || input == "<ctrl-c>" {
            continue;
        }
        answers += 1;
        let wanted = |exec: bool| match expected.split(' ').next().unwrap() {
            "run_once" => press("Allow once"),
            "allow_always" if !exec => press("Always"),
            "deny_forever" if !exec => press("Always block"),
            "kept" => Follows::Kept(input.to_owned()),
            _ => press("Deny"),
        };
        assert_eq!(
            ruled.hears(Some(input), late, Came::Alone),
            wanted(false),
            "{input:?}"
        );
        assert_eq!(
            exec.hears(Some(input), late, Came::Alone),
            wanted(true),
            "{input:?}"
        );
    }
    assert_eq!(answers, 13);
    // The end of the input is no.
    assert_eq!(exec.hears(None, late, Came::Alone), press("Deny"));
}

#[test]
fn what_was_typed_before_a_question_had_stood_for_a_moment_is_no_answer() {
    let now = Instant::now();
    let asked = card(&["Allow once", "Always", "Deny"]);
    let asked = Asked::of("1", &asked, now).unwrap();
    let before = now.checked_sub(Duration::from_secs(1)).unwrap_or(now);
    for early in [before, now, now + QUIET - Duration::from_millis(1)] {
        for line in ["y", "yes", "a", "n", "d", "", " Y "] {
            assert_eq!(
                asked.hears(Some(line), early, Came::Alone),
                Follows::Dropped,
                "{line:?}"
            );
        }
        let words = "also update the changelog";
        assert_eq!(
            asked.hears(Some(words), early, Came::Alone),
            Follows::Kept(words.to_owned())
        );
    }
}

#[test]
fn what_was_pasted_is_no_answer_and_no_command() {
    let now = Instant::now();
    let asked = card(&["Allow once", "Always", "Deny", "Show all"]);
    let asked = Asked::of("1", &asked, now).unwrap();
    let late = now + QUIET;
    for line in ["y", "s", "a", "n", "", ":all", "We should deploy"] {
        let kept = Follows::Kept(line.to_owned());
        assert_eq!(
            asked.hears(Some(line), late, Came::Pasted),
            kept,
            "{line:?}"
        );
    }
    let line = "/policy off";
    let nothing = Follows::Powerless(line.to_owned());
    assert_eq!(asked.hears(Some(line), late, Came::Pasted), nothing);
}

#[test]
fn what_asks_nothing_is_no_question() {
    for body in [
        json!({}),
        json!({"choices": []}),
        card(&["Start fresh"]),
        card(&["Deny"]),
    ] {
        assert!(Asked::of("1", &body, Instant::now()).is_none(), "{body}");
    }
}
