//! What would a command line do? Every row of the reference's tables, where ours must be right.

use bot_policy::shell::{Denylist, FolderTrust, Immune, Judged, ReadOnly, judge};

#[test]
fn dangerous_lines_are_found_and_harmless_ones_are_not() {
    let wrong = rows(
        "danger",
        include_str!("../fixtures/shell/danger.tsv"),
        |judged, expected| {
            let is_dangerous = judged
                .findings
                .iter()
                .any(|finding| finding.immune != Immune::Only);
            is_dangerous == (expected == "dangerous")
        },
    );
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn lines_are_proven_to_read_only_where_they_do() {
    let wrong = rows(
        "readonly",
        include_str!("../fixtures/shell/readonly.tsv"),
        |judged, expected| (judged.read_only == ReadOnly::Proven) == (expected == "readonly"),
    );
    assert_eq!(wrong, TABLE_WINS.map(ToOwned::to_owned));
}

#[test]
fn entries_of_the_immune_list_are_found() {
    let wrong = rows(
        "immune",
        include_str!("../fixtures/shell/immune.tsv"),
        |judged, expected| {
            let is_immune = judged
                .findings
                .iter()
                .any(|finding| finding.immune != Immune::No);
            is_immune == (expected == "immune")
        },
    );
    assert_eq!(wrong, Vec::<String>::new());
}

/// On the machines that Postern runs on a shell drops these backslashes, so this is not git.
const TABLE_WINS: [&str; 1] = ["C:\\Git\\git.exe status"];

fn rows(kind: &str, table: &str, is_right: impl Fn(&Judged, &str) -> bool) -> Vec<String> {
    let mut count = 0;
    let mut wrong = Vec::new();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let input = unescape(fields[1]);
        let expected = if fields[4].is_empty() {
            fields[3]
        } else {
            fields[4]
        };
        let judged = judge(&input, &Denylist::default(), FolderTrust::Trusted);
        count += 1;
        if !is_right(&judged, expected) {
            println!(
                "{input:?} should be {expected}: {:?} {:?}",
                judged.findings, judged.read_only
            );
            wrong.push(input);
        }
    }
    println!("{kind}: {count} rows, {} right", count - wrong.len());
    wrong
}

fn unescape(field: &str) -> String {
    let mut text = String::new();
    let mut letters = field.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            _ => text.push(letter),
        }
    }
    text
}
