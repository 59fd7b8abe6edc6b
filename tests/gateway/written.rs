//! Calls that a model wrote into its text: each is found once, and what is only talked about is
//! none.

use gateway::agent::model::repair::repaired;
use gateway::agent::model::written::{WrittenArguments, WrittenCall, calls};
use serde_json::Value;

#[test]
fn every_row_of_the_table_gives_its_calls() {
    let rows = include_str!("../fixtures/model/dedup.tsv").lines().skip(1);
    let mut failed = Vec::new();
    let mut passed = 0;
    for row in rows {
        let (input, expected) = row.split_once('\t').unwrap();
        let found = calls(&unescaped(input)).0;
        if is_as(&found, expected) {
            passed += 1;
        } else {
            failed.push(format!("{input}\n  expected {expected}\n  found {found:?}"));
        }
    }
    println!("dedup: {passed} passed, {} failed", failed.len());
    assert!(failed.is_empty() && passed == 31, "{}", failed.join("\n"));
}

/// Expected is a count, a colon, and the calls; each a name with what it is called with, or only
/// as much of that as matters.
fn is_as(found: &[WrittenCall], expected: &str) -> bool {
    let (count, wanted) = expected.split_once(':').unwrap();
    let wanted: Vec<&str> = wanted.split(" | ").map(str::trim).collect();
    let named = wanted.first().is_some_and(|first| !first.is_empty());
    count.parse() == Ok(found.len())
        && (!named
            || found
                .iter()
                .zip(&wanted)
                .all(|(call, wanted)| is_call(call, wanted)))
}

fn is_call(call: &WrittenCall, wanted: &str) -> bool {
    let (name, with) = match wanted.split_once(' ') {
        Some((name, with)) if name.starts_with('@') => (name, with),
        _ if wanted.starts_with('@') => (wanted, ""),
        _ => ("@coder", wanted),
    };
    if call.name != name {
        return false;
    }
    match &call.arguments {
        WrittenArguments::Json(json) => match serde_json::from_str::<Value>(with) {
            Ok(wanted) => *json == wanted,
            Err(_) => {
                let word = with.split(' ').next().unwrap();
                word.is_empty() || json["cmd"] == word
            }
        },
        WrittenArguments::Flat(text) => text == with,
    }
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some(other) => plain.push(other),
                None => {}
            },
            (letter, false) => plain.push(letter),
        }
    }
    plain
}

#[test]
fn calls_are_taken_out_of_the_text_and_the_rest_stays() {
    let (found, left) =
        calls("I will look.\n<tool_call name=\"files__read\" args='{\"file\":\"a\"}' />");
    assert_eq!((found.len(), left.as_str()), (1, "I will look."));
}

#[test]
fn a_tag_in_code_is_talked_about_and_not_made() {
    let text = "Write `<tool_call name=\"files__read\" args='{}' />` to read.";
    assert_eq!(calls(text), (Vec::new(), text.to_owned()));
}

#[test]
fn hostile_texts_come_to_an_end() {
    for piece in [
        "<tool name=\"",
        "{\n",
        "<tool name=x>",
        "`",
        "[tool:",
        "{\"a\":",
        "<",
    ] {
        let text = piece.repeat(64 * 1024 / piece.len());
        let (found, left) = calls(&text);
        assert!(
            found.len() <= 64 * 1024 && left.len() <= text.len(),
            "{piece:?}"
        );
    }
}

#[test]
fn lone_backslashes_are_doubled_string_by_string() {
    for (broken, mended) in [
        (
            r#"{"a":"\d+","b":"x\ny"}"#,
            Some(r#"{"a":"\\d+","b":"x\ny"}"#),
        ),
        (r#"{"a":"C:\dir\new"}"#, Some(r#"{"a":"C:\\dir\\new"}"#)),
        (r#"{"a":"\d \" \\ q"}"#, Some(r#"{"a":"\\d \" \\ q"}"#)),
        (r#"{"a":"\u00e9"}"#, None),
        (r#"{"a":"open"#, None),
    ] {
        assert_eq!(repaired(broken).as_deref(), mended, "{broken}");
    }
}
