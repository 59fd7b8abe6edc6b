//! The room stays pure: what it depends on does no I/O.

use std::path::Path;

const MAY_DEPEND_ON: [&str; 11] = [
    "aho-corasick",
    "hmac",
    "psl",
    "regex",
    "serde",
    "serde_json",
    "sha2",
    "subtle",
    "thiserror",
    "unicode-general-category",
    "unicode-normalization",
];

#[test]
fn law_10_it_depends_on_no_runtime_and_no_io() {
    let manifest = include_str!("../../bot-policy/Cargo.toml");
    let named: Vec<&str> = manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(named, MAY_DEPEND_ON);
}

#[test]
fn law_10_it_asks_no_clock_file_environment_or_network() {
    let forbidden = [
        "std::fs",
        "std::net",
        "std::env",
        "std::process",
        "std::thread",
        "std::io",
        "SystemTime",
        "Instant",
        "async fn",
        ".await",
        "static mut",
        "thread_local!",
    ];
    let mut found = Vec::new();
    for (file, text) in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        for word in forbidden {
            if text.contains(word) {
                found.push(format!("{file}: {word}"));
            }
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn no_file_is_longer_than_one_reads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = sources(&root.join("src"));
    all.extend(sources(&root.join("../tests/bot-policy")));
    let sources = all;
    let long: Vec<&str> = sources
        .iter()
        .filter(|(_, text)| text.lines().count() > 400)
        .map(|(file, _)| file.as_str())
        .collect();
    assert!(long.is_empty(), "{long:?}");
    assert!(sources.len() > 20);
}

fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(sources(&path));
        } else {
            let text = std::fs::read_to_string(&path).unwrap();
            all.push((path.display().to_string(), text));
        }
    }
    all
}
