//! Hostile lines on a small stack: each is judged, soon, and dangerous where it cannot be read.

use std::time::{Duration, Instant};

use bot_policy::shell::{DEPTH, Denylist, FolderTrust, LINE_BYTES, ReadOnly, STEPS, judge};

#[test]
fn hostile_lines_are_judged_soon_on_a_small_stack() {
    let judged = std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(|| {
            let mut slowest = (Duration::ZERO, String::new());
            for line in hostile() {
                let start = Instant::now();
                let judged = judge(&line, &Denylist::default(), FolderTrust::Trusted);
                let took = start.elapsed();
                assert!(judged.steps <= 2 * STEPS, "{} steps", judged.steps);
                if took > slowest.0 {
                    slowest = (took, line.chars().take(40).collect());
                }
            }
            slowest
        })
        .unwrap()
        .join()
        .unwrap();
    println!("slowest hostile line: {:?} {:?}", judged.0, judged.1);
    assert!(judged.0 < Duration::from_millis(500), "{judged:?}");
}

#[test]
fn steps_grow_with_the_length_of_a_line() {
    let mut worst = (0.0, String::new());
    for line in hostile() {
        let steps = judge(&line, &Denylist::default(), FolderTrust::Trusted).steps;
        let each = steps as f64 / line.len() as f64;
        if each > worst.0 {
            worst = (each, line.chars().take(60).collect());
        }
        assert!(steps <= STEPS_PER_BYTE * line.len(), "{steps}: {line:.60}");
    }
    println!("most steps per byte: {worst:?}");
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
fn time_per_decision() {
    let lines = [
        ("20 B", "ls -la src/shell/abc".to_owned()),
        ("100 B", "cd src && grep -rn 'fn main' --include='*.rs' . | head -20; cargo build --release 2>&1 | tail -n 5 ok".to_owned()),
        ("10 KB", "cat src/one.rs | grep -n 'some text' | sort -u; ".repeat(213)),
        ("10 KB of text", format!("git commit -m '{}'", "word ".repeat(2_000))),
        ("10 KB of quotes", "echo \"a $x b\" 'c' $'d' e\\ f; ".repeat(370)),
    ];
    for (name, line) in lines {
        let rounds = 200_000 / line.len().max(100);
        let start = Instant::now();
        let mut steps = 0;
        for _ in 0..rounds {
            steps = judge(&line, &Denylist::default(), FolderTrust::Trusted).steps;
        }
        let each = start.elapsed() / u32::try_from(rounds).unwrap();
        println!(
            "shell line, {name} ({} B): {each:?}, {steps} steps",
            line.len()
        );
        assert!(each < Duration::from_millis(50));
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
