//! Appending to a command line never loosens what is decided of it.

use bot_policy::shell::{Denylist, FolderTrust, Immune, Kind, ReadOnly, judge};
use proptest::prelude::*;
use proptest::sample::select;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn appending_a_command_never_loosens(
        base in line(),
        joiner in select(vec!["; ", " && ", " || ", " | ", "\n", " & ", " |& ", ";;", " #"]),
        extra in prop_oneof![line(), any::<String>()],
    ) {
        // A line without a program is refused a proof; what is added to nothing stands for itself.
        prop_assume!(!base.trim().is_empty());
        let longer = format!("{base}{joiner}{extra}");
        prop_assert!(strictness(&longer) >= strictness(&base), "{base:?} then {longer:?}");
    }

    #[test]
    fn appending_an_argument_never_turns_a_denial_into_a_proven_read(
        base in line(),
        extra in "[ -~]{0,20}",
    ) {
        let longer = format!("{base} {extra}");
        prop_assert!(strictness(&base) < 2 || strictness(&longer) > 0, "{base:?} then {longer:?}");
    }

    #[test]
    fn any_text_is_judged_within_its_budget(text in any::<String>()) {
        let judged = judge(&text, &Denylist::default(), FolderTrust::Trusted);
        prop_assert!(judged.steps <= 100 * (text.len() + 10), "{}", judged.steps);
    }

    #[test]
    fn shell_shaped_text_is_judged_within_its_budget(
        parts in proptest::collection::vec(select(PARTS.to_vec()), 0..60),
    ) {
        let text = parts.concat();
        let judged = judge(&text, &Denylist::default(), FolderTrust::Trusted);
        prop_assert!(judged.steps <= 400 * (text.len() + 10), "{} {text:?}", judged.steps);
    }
}

/// 0 proven to read, 1 as the rules say, 2 asked once, 3 denied.
fn strictness(line: &str) -> u8 {
    let judged = judge(line, &Denylist::default(), FolderTrust::Trusted);
    if judged.findings.iter().any(|f| f.immune == Immune::No) {
        3
    } else if !judged.findings.is_empty() {
        2
    } else if judged.read_only == ReadOnly::Proven {
        0
    } else {
        1
    }
}

/// A whole line: one that ends in the middle of a quote means something else when it goes on.
fn line() -> impl Strategy<Value = String> {
    let tables = [
        include_str!("../fixtures/shell/danger.tsv"),
        include_str!("../fixtures/shell/readonly.tsv"),
        include_str!("../fixtures/shell/immune.tsv"),
    ];
    let lines: Vec<String> = tables
        .iter()
        .flat_map(|table| table.lines().skip(1))
        .filter_map(|row| row.split('\t').nth(1))
        .map(|field| field.replace("\\n", "\n").replace("\\\\", "\\"))
        .filter(|line| {
            judge(line, &Denylist::default(), FolderTrust::Trusted)
                .findings
                .iter()
                .all(|finding| finding.kind != Kind::Unreadable)
        })
        .collect();
    select(lines)
}

const PARTS: [&str; 48] = [
    "$(",
    ")",
    "`",
    "\"",
    "'",
    "${",
    "}",
    "{",
    ",",
    "((",
    "))",
    "[[",
    "]]",
    ";",
    "\n",
    "|",
    "&&",
    "<<E",
    "\nE\n",
    "<<<",
    "<(",
    "> ",
    "x=",
    "$x",
    "x=$x$x;",
    "if ",
    "then ",
    "fi",
    "for a in ",
    "do ",
    "done",
    "case ",
    " in ",
    "esac",
    "f()",
    "sh -c ",
    "eval ",
    "sudo ",
    "rm -rf ",
    "echo ",
    "cat ",
    "~",
    "*",
    "\\",
    "#",
    " ",
    "a",
    "=(",
];
