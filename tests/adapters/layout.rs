//! Do adapters only translate? Their source says so.

use std::fs;
use std::path::{Path, PathBuf};

/// Every platform has its folder; what stands beside them is shared.
fn platforms() -> Vec<(String, Vec<(PathBuf, String)>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut platforms = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let mut files = Vec::new();
            collect(&path, &mut files);
            platforms.push((name, files));
        }
    }
    assert!(platforms.len() >= 2, "{platforms:?}");
    platforms
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            let text = fs::read_to_string(&path).unwrap();
            files.push((path, text));
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn no_adapter_names_what_only_the_policy_may_judge_with() {
    for (_, files) in platforms() {
        for (path, text) in files {
            for word in words(&text) {
                assert!(
                    !["Taint", "Permit", "Directory"].contains(&word),
                    "{} names {word}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn no_adapter_imports_another() {
    let platforms = platforms();
    let names: Vec<&str> = platforms.iter().map(|(name, _)| name.as_str()).collect();
    for (name, files) in &platforms {
        for (path, text) in files {
            for other in names.iter().filter(|other| *other != name) {
                for way in [format!("crate::{other}"), format!("super::super::{other}")] {
                    assert!(!text.contains(&way), "{} uses {way}", path.display());
                }
            }
        }
    }
}

#[test]
fn what_all_adapters_share_names_no_platform() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in [
        "credential.rs",
        "drawn.rs",
        "http.rs",
        "markup.rs",
        "outgoing.rs",
        "patience.rs",
        "rich.rs",
    ] {
        let text = fs::read_to_string(root.join(file)).unwrap().to_lowercase();
        for name in ["telegram", "discord", "slack", "whatsapp"] {
            assert!(!text.contains(name), "{file} names {name}");
        }
    }
}

#[test]
fn every_adapter_has_the_same_files() {
    for (name, files) in platforms() {
        for wanted in ["mod.rs", "decode.rs", "encode.rs"] {
            let has = files
                .iter()
                .any(|(path, _)| path.ends_with(format!("{name}/{wanted}")));
            assert!(has, "{name} lacks {wanted}");
        }
    }
}
