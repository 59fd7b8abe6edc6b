//! Hostile lines on a small stack: each is judged in few steps, and dangerous where it cannot be read.

use bot_policy::shell::{DEPTH, Denylist, FolderTrust, LINE_BYTES, ReadOnly, STEPS, judge};

#[test]
fn hostile_lines_are_judged_in_few_steps_on_a_small_stack() {
    let judged = std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(|| {
            for line in hostile() {
                let judged = judge(&line, &Denylist::default(), FolderTrust::Trusted);
                assert!(judged.steps <= 2 * STEPS, "{}: {line:.40}", judged.steps);
            }
        });
    judged.unwrap().join().unwrap();
}

#[test]
fn steps_grow_with_the_length_of_a_line() {
    for line in hostile() {
        let steps = judge(&line, &Denylist::default(), FolderTrust::Trusted).steps;
        assert!(steps <= STEPS_PER_BYTE * line.len(), "{steps}: {line:.60}");
    }
}

#[test]
fn what_is_too_long_or_too_deep_is_dangerous() {
    for line in [
        "a".repeat(LINE_BYTES + 1),
        format!(
            "echo {}a{}",
            "$(echo ".repeat(DEPTH + 1),
            ")".repeat(DEPTH + 1)
        ),
        "( ".repeat(26),
        "{ ".repeat(600),
        "case a in a) ".repeat(20),
        "sudo ".repeat(DEPTH + 2) + "ls",
    ] {
        let judged = judge(&line, &Denylist::default(), FolderTrust::Trusted);
        assert!(
            judged
                .findings
                .iter()
                .any(|f| f.immune == bot_policy::shell::Immune::No),
            "{line}"
        );
        assert_ne!(judged.read_only, ReadOnly::Proven);
    }
}

#[test]
fn twice_the_line_is_no_more_than_twice_the_steps() {
    let units = [
        "cat src/one.rs | grep -n 'some text' | sort -u; ",
        "git commit -m 'word word word word'; ",
        "echo \"a $x b\" 'c' $'d' e\\ f; ",
    ];
    for unit in units {
        let steps = |times: usize| {
            let line = unit.repeat(times);
            judge(&line, &Denylist::default(), FolderTrust::Trusted).steps
        };
        let (once, twice) = (steps(100), steps(200));
        assert!(twice <= 2 * once + unit.len(), "{unit}: {once}, {twice}");
    }
}

/// Words that are opened, put in and judged again cost more than letters, up to this.
const STEPS_PER_BYTE: usize = 200;

fn hostile() -> Vec<String> {
    let units = [
        "(",
        "((",
        "{ ",
        "$(",
        "${a:-",
        "`",
        "\"$(",
        "case a in a) ",
        "if a; then ",
        "while a; do ",
        "a[",
        "$((",
        "$[",
        "<(",
        "a=(",
        "x=$x$x;",
        "x=$x$x$x$x ",
        "{a,b}",
        "{a,{a,",
        "{1..9}",
        "<<E ",
        "<<E\n",
        "[[ ",
        "[[ ! ",
        "! ",
        "time ",
        "coproc ",
        "f() ",
        "function f ",
        "sudo ",
        "env ",
        "sh -c \"",
        "eval ",
        "xargs ",
        "find -exec ",
        "timeout 1 ",
        "nice -x ",
        "| ",
        "a|",
        "a;",
        "&& ",
        "> a ",
        ">&",
        "~",
        "\\",
        "\\\n",
        "#",
        "' ",
        "$'",
        "$'\\",
        "s/a/b/;",
        "-e ",
        "curl -o a ;",
        "a ",
        "é",
        "\u{ff52}",
        "\u{200b}",
        "\u{0}",
        "x=1;",
        "for a in b; do ",
        "elif ",
        "then ",
        "}",
        ")",
        ";;",
        "99999999999999999999",
        "{99999999999999999999..1}",
        "~99999999999999999999",
        "${a[",
        "!(",
        "@(",
    ];
    let mut all: Vec<String> = Vec::new();
    for unit in units {
        for count in [3, 26, LINE_BYTES / unit.len()] {
            all.push(unit.repeat(count));
            all.push(format!("echo {}", unit.repeat(count)));
            all.push(format!("x=ab; rm {} $x", unit.repeat(count.min(8_000))));
        }
    }
    let mut quoted = "ls".to_owned();
    for _ in 0..10 {
        quoted = format!(
            "sh -c \"{}\"",
            quoted.replace('\\', "\\\\").replace('"', "\\\"")
        );
    }
    all.push(quoted);
    all.push(format!("{} rm", "x=$x$x$x$x; ".repeat(1_300)));
    all.push(format!(
        "x={}; {}",
        "a".repeat(4_000),
        "echo $x$x$x; ".repeat(900)
    ));
    all.push(format!(
        "echo {} {}",
        "a".repeat(8_000),
        "| cat ".repeat(1_300)
    ));
    all.push(format!(
        "echo {} {}",
        "a".repeat(8_000),
        "| sh ".repeat(1_300)
    ));
    all.push(format!("awk '{}'", "|".repeat(16_000)));
    all.push(format!("python -c '{}'", "import ".repeat(2_200)));
    all
}
