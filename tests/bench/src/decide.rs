//! How long does a decision take? Plain, among many rules, and over command lines of many lengths.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bot_policy::call::Call;
use bot_policy::decide::{Standing, decide};
use bot_policy::rules::{Action, Rule, Rules};
use bot_policy::shell::{Denylist, FolderTrust, judge};
use serde_json::json;

use crate::decide_world::{call, standing};
use crate::disk::Disk;
use crate::figure::{Aim, percentile, print};

/// Takes each figure so many times and prints the middle one.
pub fn run(program: &Path, rounds: usize) {
    let folder = tempfile::tempdir_in(program.parent().expect("a program lies in a folder"))
        .expect("a folder beside the program");
    let mut disk = Disk::new(folder.path());
    disk.probe(50);
    let plain = standing();
    let ruled = Standing {
        rules: Arc::new(Rules::in_force(many_rules())),
        ..standing()
    };
    let read = call("files", "read", json!({"file": "notes/today.txt"}));
    let write = call(
        "files",
        "write",
        json!({"file": "notes/today.txt", "content": "hello"}),
    );
    let tell = |name: &str, standing: &Standing, call: &Call, aim| {
        print(name, time(rounds, standing, call), "us", aim, &disk);
    };
    tell("decide_plain", &plain, &read, Aim::AtMost(1.0));
    tell("decide_asks", &plain, &write, Aim::None);
    tell("decide_10000_rules", &ruled, &read, Aim::AtMost(2.0));
    for (name, line, aim) in lines() {
        let judged = judge(&line, &Denylist::default(), FolderTrust::Untrusted);
        let steps = judged.steps as f64 / line.len() as f64;
        let exec = call("coder", "exec", json!({ "cmd": line }));
        tell(&format!("decide_shell_{name}"), &plain, &exec, aim);
        let name = format!("decide_shell_{name}_steps_per_byte");
        print(&name, steps, "steps", Aim::None, &disk);
    }
}

/// Microseconds per decision: the middle of some rounds, each of many decisions. The copy of the
/// call that a decision uses up is made beforehand.
fn time(rounds: usize, standing: &Standing, call: &Call) -> f64 {
    let size = serde_json::to_string(call).map_or(0, |text| text.len());
    let each = (20_000 / (size / 50 + 1)).max(10);
    let times: Vec<f64> = (0..rounds)
        .map(|_| {
            let calls = vec![call.clone(); each];
            let mut decisions = Vec::with_capacity(each);
            let begun = Instant::now();
            for call in calls {
                decisions.push(black_box(decide(call, standing)));
            }
            let took = begun.elapsed();
            took.as_secs_f64() * 1e6 / each as f64
        })
        .collect();
    percentile(&times, 50)
}

/// Rules as an owner gathers them: over many tools and commands, a few dozen on those that are
/// called.
fn many_rules() -> Vec<Rule> {
    (0..10_000)
        .map(|n| Rule {
            pattern: match n % 400 {
                0 => format!("@files write --file folder{n}/notes"),
                1 => format!("@coder exec --cmd 'make target{n}'"),
                _ => format!("@tool{} command{} --key value{n}", n % 97, n % 13),
            },
            action: match n % 3 {
                0 => Action::Allow,
                1 => Action::Ask,
                _ => Action::Deny,
            },
        })
        .collect()
}

fn lines() -> [(&'static str, String, Aim); 6] {
    let hundred = "cd src && grep -rn 'fn main' --include='*.rs' . | head -20; cargo build --release 2>&1 | tail -n 5 ok";
    [
        ("20_b", "ls -la src/shell/abc".to_owned(), Aim::None),
        ("100_b", hundred.to_owned(), Aim::AtMost(15.0)),
        (
            "10_kb_commands",
            "cat src/one.rs | grep -n 'some text' | sort -u; ".repeat(213) + "ls",
            Aim::AtMost(1_000.0),
        ),
        (
            "10_kb_text",
            format!("git commit -m '{}'", "word ".repeat(2_000)),
            Aim::AtMost(1_000.0),
        ),
        (
            "10_kb_quotes",
            "echo \"a $x b\" 'c' $'d' e\\ f; ".repeat(370) + "ls",
            Aim::AtMost(1_000.0),
        ),
        ("10_kb_hostile", "( ".repeat(5_000), Aim::AtMost(1_000.0)),
    ]
}
