//! What the gateway is made of: it names no vendor, and the agent knows nothing of what is around
//! it.

use std::fs;
use std::path::Path;

const VENDORS: [&str; 5] = ["telegram", "teloxide", "discord", "slack", "whatsapp"];
const AROUND: [&str; 6] = [
    "crate::store",
    "crate::inbox",
    "crate::outbox",
    "crate::gate",
    "crate::http",
    "adapters",
];

#[test]
fn the_gateway_names_no_vendor() {
    let found = holding("src", &VENDORS);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn the_agent_imports_nothing_of_what_is_around_it() {
    let found = holding("src/agent", &AROUND);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn only_the_gate_and_the_tools_hold_a_permit() {
    let mut found = holding("src", &["Permit"]);
    found.retain(|line| {
        !(line.contains("src/gate.rs")
            || line.contains("src/gate/running.rs")
            || line.contains("src/agent/tools/")
            || line.contains("Permitted"))
    });
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn no_file_is_longer_than_one_reads() {
    let sources = sources(&root().join("src"));
    assert!(sources.len() > 40);
    for (path, text) in sources {
        assert!(text.lines().count() <= 400, "{path}");
    }
}

/// The lines of code below a folder that hold one of these words, with their files.
fn holding(folder: &str, words: &[&str]) -> Vec<String> {
    let sources = sources(&root().join(folder));
    assert!(!sources.is_empty());
    sources
        .iter()
        .filter(|(path, _)| path.ends_with(".rs"))
        .flat_map(|(path, text)| text.lines().map(move |line| (path, line)))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .filter(|(_, line)| {
            let line = line.to_lowercase();
            words.iter().any(|word| line.contains(&word.to_lowercase()))
        })
        .map(|(path, line)| format!("{path}: {line}"))
        .collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(sources(&path));
        } else if let Ok(text) = fs::read_to_string(&path) {
            all.push((path.display().to_string(), text));
        }
    }
    all
}
